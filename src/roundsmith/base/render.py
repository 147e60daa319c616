"""The templates of this package, filled in."""

from functools import cache

import jinja2

from roundsmith.base.paths import TEMPLATES


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def render(template: str, **values: object) -> str:
    """Fill in one of the templates of this package."""
    return _environment().get_template(template).render(**values)
