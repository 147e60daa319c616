"""The circuits of Serpent's S-boxes, ours beside Osvik's, one row for each S-box."""

from collections.abc import Callable, Mapping, Sequence

from roundsmith.base.grid import NONE, Grid, number
from roundsmith.circuits import listing
from roundsmith.report import groups
from roundsmith.report.circuits import describe, library

#: The constructions in the order of the columns, and what the headings call them.
_CONSTRUCTIONS = {"minimal": "minimal", "fast": "fast", "osvik": "Osvik's"}
_FIGURES = {"gates": ("gates", ""), "depth": ("depth", ""), "ge": ("GE", ".0f")}


def grid() -> Grid:
    """Return gates, depth and GE of every S-box and inverse, and of all eight together."""
    headings = [
        f"{who}\n{what}" for who in _CONSTRUCTIONS.values() for what, _ in _FIGURES.values()
    ]
    lines: list[tuple[str, ...]] = []
    for way in ("forward", "inverse"):
        found = {who: _described(who, way) for who in _CONSTRUCTIONS}
        for box in range(groups.SIZE):
            lines.append(_row(f"{box}, {way}", [found[who][box] for who in _CONSTRUCTIONS]))
        (sums,) = zip(*(groups.together(rows) for rows in found.values()), strict=True)
        lines.append(_row(f"all, {way}", sums))
    return Grid(title="", note="", headings=("S-box", *headings, "minimal has"), rows=tuple(lines))


def _described(who: str, way: str) -> list[Mapping[str, object]]:
    ending = "" if way == "forward" else f"-{way}"
    return [describe(c, library(None)) for c in listing.named(f"serpent-sbox-{who}{ending}")]


def _row(title: str, found: Sequence[Mapping[str, object]]) -> tuple[str, ...]:
    cells = [number(row[key], style) for row in found for key, (_, style) in _FIGURES.items()]
    return (title, *cells, _verdict(found[0]["gates"], found[-1]["gates"]))


def _verdict(ours: object, his: object) -> str:
    if not isinstance(ours, int) or not isinstance(his, int):
        return NONE
    return f"{his - ours} fewer gates"


#: The generated part of docs/serpent.md.
PARTS: dict[str, Callable[[], str]] = {"S-boxes": lambda: grid().markdown()}
