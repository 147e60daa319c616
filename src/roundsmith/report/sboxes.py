"""The S-boxes: what there are, and the picture of those of AES in standard cells.

The picture is area against delay, from records only.
Area and delay of a point are always of one netlist, and every netlist that no other beats in both
is shown, from the smallest to the fastest. One panel for each direction, with one scale.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from roundsmith.base import svg
from roundsmith.base.grid import Grid
from roundsmith.circuits import listing
from roundsmith.circuits.cells import Netlist
from roundsmith.circuits.listing import Circuit
from roundsmith.report.circuits import netlists
from roundsmith.spec.sboxes import SBOXES

_PANELS = {
    "forward": ("SubBytes", "o"),
    "inverse": ("InvSubBytes", "s"),
    "both": ("both, by a selector", "D"),
}

# The colours of those whose circuits they are, and of all others.
_COLOURS = {
    "table, left to the tool": "#8d8d92",
    "Standaert et al. 2003": "#2e6f95",
    "Satoh et al. 2001": "#d1495b",
    "Lutz et al. 2002": "#b07d12",
    "found by search": "#66a182",
}
_OTHER = "#7a5195"

# The least distance of two labels, as a part of the panel's height.
_GAP = 0.052

# Where the labels start, as a part of the panel's width.
_LABELS = 0.6


def table() -> str:
    """Return what a spec can name: one row for each S-box and cipher."""
    lines = [
        (
            f"`{sbox}`",
            f"`{sbox.short}`",
            cipher,
            ", ".join(one.forms),
            str(one.cuts) if one.cuts_both is None else f"{one.cuts}, both: {one.cuts_both}",
            one.about,
        )
        for cipher, known in SBOXES.items()
        for sbox, one in ((sbox, sbox.of(cipher)) for sbox in known)
    ]
    headings = ("`sbox`", "in names", "cipher", "circuits", "cuts", "what it is")
    return Grid("", "", headings, tuple(lines), left=len(headings)).markdown()


#: The generated part of docs/circuits.md.
PARTS: dict[str, Callable[[], str]] = {"S-boxes": table}


def picture() -> str:
    """Return the picture as SVG: the same text for the same records."""
    return svg.drawn(_figure)


def _figure(pyplot: Any) -> Any:
    from matplotlib.lines import Line2D

    circuits = [c for c in listing.everything() if (c.cipher, c.kind) == ("aes", "sbox")]
    fronts = {c: front for c in circuits if (front := netlists(c))}
    points = [n for front in fronts.values() for n in front]
    figure, panels = pyplot.subplots(1, len(_PANELS), figsize=(12.5, 5.2), sharex=True, sharey=True)
    for panel, direction in zip(panels, _PANELS, strict=True):
        shown = {c: front for c, front in fronts.items() if c.direction == direction}
        _draw(panel, direction, shown, points)
    panels[0].set_ylabel("area in gate equivalents")
    others = dict.fromkeys((_credit(c) for c in fronts), _OTHER)
    colours = _COLOURS | {who: colour for who, colour in others.items() if who not in _COLOURS}
    handles = [Line2D([], [], color=colour, lw=2, label=who) for who, colour in colours.items()]
    figure.legend(handles=handles, loc="lower center", ncols=len(handles), frameon=False,
                  fontsize=9)  # fmt: skip
    figure.subplots_adjust(left=0.055, right=0.995, top=0.93, bottom=0.18, wspace=0.03)
    return figure


def _draw(
    axes: Any, direction: str, fronts: dict[Circuit, list[Netlist]], points: Sequence[Netlist]
) -> None:
    title, marker = _PANELS[direction]
    axes.set_title(title, loc="left", fontsize=11)
    axes.set_xlabel("delay in ns")
    svg.plain(axes)
    if not points:
        return
    fastest, slowest = min(n.delay_ns for n in points), max(n.delay_ns for n in points)
    low, high = 0.9 * min(n.ge for n in points), 1.1 * max(n.ge for n in points)
    # The labels stand to the right of the slowest netlist.
    left, right = 0.9 * fastest, fastest * (slowest / fastest) ** (1 / _LABELS)
    axes.set_xscale("log")
    axes.set_xlim(left, right)
    axes.set_yscale("log")
    axes.set_ylim(low, high)
    times = [t for t in (0.5, 0.7, 1, 1.5, 2, 3, 4, 6, 8, 10, 15) if left < t <= 1.1 * slowest]
    axes.set_xticks(times, [f"{tick:g}" for tick in times])
    areas = [t for t in (100, 150, 200, 300, 400, 600, 800, 1200, 1600) if low < t < high]
    axes.set_yticks(areas, [f"{tick:,}" for tick in areas])
    axes.minorticks_off()
    for circuit, front in fronts.items():
        colour = _colour(circuit)
        x, y = [n.delay_ns for n in front], [n.ge for n in front]
        axes.plot(x, y, color=colour, lw=1, alpha=0.6)
        axes.plot(x[1:], y[1:], marker, color=colour, ms=3, alpha=0.6)
        axes.plot(x[:1], y[:1], marker, color=colour, ms=7)
    # Labels stand at the right, in the order of the smallest netlists, joined to them by lines.
    order = sorted(fronts, key=lambda c: (fronts[c][0].ge, c.name))
    span = math.log(high / low)
    wanted = [math.log(fronts[c][0].ge / low) / span for c in order]
    for circuit, height in zip(order, svg.apart(wanted, _GAP), strict=True):
        first = fronts[circuit][0]
        axes.annotate(
            f"{_short(circuit)}  {first.ge:.0f}",
            xy=(first.delay_ns, first.ge),
            xytext=(_LABELS + 0.06, height),
            textcoords="axes fraction",
            va="center",
            fontsize=8,
            color=_colour(circuit),
            arrowprops={"arrowstyle": "-", "color": "#b9b9b6", "lw": 0.5, "shrinkB": 4},
            zorder=0,
        )


def _short(circuit: Circuit) -> str:
    return circuit.name.removeprefix("sbox-").removesuffix(f"-{circuit.direction}")


def _colour(circuit: Circuit) -> str:
    return _COLOURS.get(_credit(circuit), _OTHER)


def _credit(circuit: Circuit) -> str:
    """Return whose circuit it is."""
    return next(
        one.credit_of(form)
        for one in (sbox.of("aes") for sbox in SBOXES["aes"])
        for form in one.forms
        if one.module_of(form) == circuit.module
    )
