"""Where the RTL, the catalogue and the records are."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_CHECKOUT = _PACKAGE.parents[1]


def _find(name: str) -> Path:
    """Return folder `name` of the checkout, or the copy that an installed package carries."""
    in_checkout = (_CHECKOUT / "rtl" / "common").is_dir()
    return (_CHECKOUT if in_checkout else _PACKAGE / "_shipped") / name


RTL = _find("rtl")
DATA = _find("data")
DRIVER = _find("driver")
CATALOGUE = _PACKAGE / "catalogue"

#: Each room has the templates that it fills in.
TEMPLATES = sorted(_PACKAGE.glob("*/templates"))


def library() -> list[Path]:
    """Return every file of the RTL library, packages first.

    Of the technology cells, which every folder of `tech` has under the same names, it has the
    generic ones.
    """
    tech = RTL / "tech"
    files = (p for p in RTL.rglob("*.sv") if tech not in p.parents or p.parent.name == "generic")
    return sorted(files, key=lambda path: (not path.stem.endswith("_pkg"), path))
