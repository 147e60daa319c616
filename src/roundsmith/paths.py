"""Where the RTL, the catalogue and the records are."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parents[1]


def _find(name: str) -> Path:
    """Return folder `name` of the checkout, or the copy that an installed package carries."""
    in_checkout = (_CHECKOUT / "rtl" / "aes").is_dir()
    return (_CHECKOUT if in_checkout else _PACKAGE / "_shipped") / name


RTL = _find("rtl")
DATA = _find("data")
CATALOGUE = _PACKAGE / "catalogue"
TEMPLATES = _PACKAGE / "templates"
