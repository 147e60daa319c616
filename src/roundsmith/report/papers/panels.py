"""Panels of pictures: marks, axes, names of points; and the three panels of an FPGA paper."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from roundsmith.base import svg
from roundsmith.report.papers import slices

THEIRS = "#2e6f95"
OURS = "#d1495b"
OTHERS = "#77777c"
INK = "#3a3a3c"

_NO_RECORD = "no record yet"

# The least distance of two labels, as a part of the panel's height.
_GAP = 0.045


@dataclass(frozen=True)
class Point:
    """A point, whose colour says whose figure it is."""

    label: str
    x: float
    y: float
    colour: str


def points(
    found: Iterable[tuple[str, float | int | None, float | int | None]], colour: str
) -> list[Point]:
    """Return the points whose figures are both there."""
    return [
        Point(label, float(x), float(y), colour)
        for label, x, y in found
        if x is not None and y is not None
    ]


def log(axes: Any, x: str, y: str) -> None:
    """Make a panel logarithmic both ways, with the units at its axes."""
    svg.plain(axes)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.tick_params(labelsize=8)
    axes.margins(0.14)


def _ticks(axis: Any, bounds: tuple[float, float]) -> None:
    """Put numbers at a logarithmic axis, as densely as its span has room for."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    decades = math.log10(bounds[1] / bounds[0])
    steps = (1, 2, 5) if decades < 1.4 else (1, 3) if decades < 2.6 else (1,)
    axis.set_major_locator(LogLocator(subs=steps))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())


def finish(axes: Any, *groups: Sequence[Point]) -> None:
    """Put numbers at the axes, and at the right the names of the points, joined by lines."""
    points = [p for group in groups for p in group]
    if not points:
        axes.text(0.5, 0.5, _NO_RECORD, transform=axes.transAxes, ha="center", color=OTHERS)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.minorticks_off()
        return
    _ticks(axes.xaxis, axes.get_xlim())
    _ticks(axes.yaxis, axes.get_ylim())
    low, high = axes.get_ylim()
    named = sorted((p for p in points if p.label), key=lambda p: (p.y, p.x, p.label))
    wanted = [math.log(p.y / low) / math.log(high / low) for p in named]
    for point, height in zip(named, svg.apart(wanted, _GAP), strict=True):
        axes.annotate(
            point.label,
            xy=(point.x, point.y),
            xytext=(1.03, height),
            textcoords="axes fraction",
            va="center",
            fontsize=7.5,
            color=point.colour,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": "#b9b9b6", "lw": 0.5, "shrinkB": 4},
            zorder=0,
        )


def scatter(axes: Any, points: Sequence[Point], marker: str, **style: Any) -> None:
    """Draw a mark at each point."""
    for p in points:
        axes.plot([p.x], [p.y], marker, color=p.colour, ms=6.5, **style)


def headed(axes: Any, text: str) -> None:
    """Say above a panel what it shows."""
    axes.set_title(text, loc="left", fontsize=9.5)


def dots(
    axes: Any,
    unit: str,
    found: Sequence[tuple[str, float | None, float | None]],
    spread: tuple[float, float] | None,
) -> None:
    """Draw a line for each core: the published size and ours.

    With a spread, ours is the fewest slices, drawn as the range in which a placed core may lie.
    """
    svg.plain(axes)
    axes.set_xscale("log")
    axes.set_xlabel(unit)
    axes.tick_params(labelsize=8)
    for place, (_, theirs, ours) in enumerate(found):
        if ours is not None and spread is not None:
            low, high = spread
            axes.plot([low * ours, high * ours], [place] * 2, color=OURS, lw=5, alpha=0.3,
                      solid_capstyle="butt")  # fmt: skip
            axes.plot([slices.MARGIN * ours], [place], "D", color=OURS, ms=6)
        elif ours is not None:
            axes.plot([ours], [place], "D", color=OURS, ms=6)
        if theirs is not None:
            axes.plot([theirs], [place], "o", color=THEIRS, ms=7, mfc="none", mew=1.6)
    axes.set_yticks(range(len(found)), [name for name, _, _ in found])
    axes.set_ylim(len(found) - 0.5, -0.5)
    axes.margins(x=0.14)
    _ticks(axes.xaxis, axes.get_xlim())


#: Where the three panels of an FPGA paper begin, and how wide they are.
_PANELS = ((0.105, 0.195), (0.355, 0.225), (0.757, 0.15))


def legend(figure: Any, *marks: tuple[str, str, str, bool]) -> None:
    """Say below the panels what each mark is: its label, form, colour, and whether it is filled."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], ls="", marker=form, color=colour, label=label,
               mfc=colour if is_filled else "none")
        for label, form, colour, is_filled in marks
    ]  # fmt: skip
    figure.legend(handles=handles, loc="lower center", ncols=len(handles), frameon=False,
                  fontsize=8.5)  # fmt: skip


def fpga(
    pyplot: Any,
    sizes: tuple[str, str, Sequence[tuple[str, float | None, float | None]], bool],
    published: tuple[str, str, Sequence[Point], Sequence[Point]],
    ours: Sequence[Point],
) -> Any:
    """Draw the three panels of an FPGA paper: sizes on one fabric, then theirs and ours apart."""
    figure = pyplot.figure(figsize=(14, 4.8))
    left, middle, right = (figure.add_axes((x, 0.21, width, 0.7)) for x, width in _PANELS)
    title, unit, found, placed = sizes
    headed(left, title)
    dots(left, unit, found, slices.packing() if placed else None)
    title, unit, own, others = published
    headed(middle, title)
    log(middle, unit, "Mbit/s")
    scatter(middle, others, "o", mfc="none")
    scatter(middle, own, "o", mfc="none", mew=1.6)
    finish(middle, own, others)
    headed(right, "Ours: ECP5-85k, grade 6")
    log(right, "LUT4", "Mbit/s")
    scatter(right, ours, "D")
    finish(right, ours)
    low, high = slices.packing()
    range_ = f" ({slices.MARGIN} times the fewest slices; bar: {low:.2f} to {high:.2f})"
    legend(
        figure,
        ("published", "o", THEIRS, False),
        ("published, other authors", "o", OTHERS, False),
        (f"ours{range_ if placed else ''}", "D", OURS, True),
    )
    return figure
