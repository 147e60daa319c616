"""Where the RTL, the catalogue and the records are."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parents[1]


def _find(name: str) -> Path:
    """Return folder `name` of the checkout, or the copy that an installed package carries."""
    checkout = _CHECKOUT / name
    return checkout if checkout.is_dir() else _PACKAGE / "_shipped" / name


RTL = _find("rtl")
DATA = _find("data")
CATALOGUE = _PACKAGE / "catalogue"
TEMPLATES = _PACKAGE / "templates"
