"""The searches for the best pipeline that were made, as a part of the explorer's page."""

from collections.abc import Callable

from roundsmith.explore import pipeline
from roundsmith.flows import targets

#: The searches that the page shows, and their pictures in docs.
SHOWN = {
    "pipeline-cells": ("iterative-lut4", "asic:osu018"),
    "pipeline-ecp5": ("iterative-lut4", "ecp5-85k:6"),
}


def pictures() -> dict[str, str]:
    """Return the SVG of every search that is shown, by its name."""
    found = {title: _stored(*what) for title, what in SHOWN.items()}
    return {title: pipeline.drawing(one) for title, one in found.items() if one is not None}


def _stored(name: str, target: str) -> pipeline.Found | None:
    return pipeline.stored(name, targets.parse(target))


def _text() -> str:
    parts = []
    for title, (name, target) in SHOWN.items():
        parts.append(f"### `{name}` on `{target}`")
        found = _stored(name, target)
        if found is None:
            # A core that was changed is another one.
            parts.append(f"`roundsmith pipeline {name} --target {target}` is to be run again.")
            continue
        parts.append(pipeline.verdict(found))
        for grid in pipeline.grids(found):
            parts += [f"{grid.title.partition(':')[0]}:", grid.markdown().strip()]
        parts.append(f"![{name} on {target}]({title}.svg)")
    return "\n\n".join(parts) + "\n"


#: The generated part of docs/exploring.md.
PARTS: dict[str, Callable[[], str]] = {"searches for a pipeline": _text}
