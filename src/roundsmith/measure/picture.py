"""A picture of a placement: what lies where on the FPGA.

A core of one round is coloured by component, one of several hardware rounds by round as in Fig. 4
of Saggese et al. 2003, and one of several tiles by tile, in shades by round. The key schedule of a
round or tile is a lighter shade of its colour; control and port are grey.
"""

import colorsys
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from roundsmith.flows import targets
from roundsmith.flows.components import CONTROL, KEY, KEY_SBOX, LINEAR, SBOX, Role, role_of
from roundsmith.flows.flow import Drawn

COLOURS = {
    SBOX: "#d1495b",
    KEY_SBOX: "#edae49",
    LINEAR: "#2e6f95",
    KEY: "#66a182",
    CONTROL: "#8d8d92",
}

#: Turns of the colour wheel from one round or tile to the next, so that neighbours differ.
_TURN = 0.382

#: What a cell is drawn as: the words in the legend, and whether it is key schedule.
Group = tuple[str, bool]


@cache
def _drawn() -> Drawn:
    """Return the cells of all families: no two have one of the same name."""
    found = [flow.drawn for flow in targets.members()]
    memories = {kind: size for each in found for kind, size in each.memories.items()}
    luts = frozenset(kind for each in found for kind in each.luts)
    return Drawn(luts, frozenset(kind for each in found for kind in each.others), memories)


def draw(
    placed: Mapping[str, tuple[str, str]],
    role: Mapping[str, Role],
    file: Path,
    title: str,
) -> None:
    """Draw the placement as a PNG: `placed` is type and place by cell, `role` the legend."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.collections import PolyCollection
    from matplotlib.patches import Patch

    grouped = group_of(role)
    drawn = _drawn()
    spots: dict[tuple[int, int], list[Group]] = defaultdict(list)
    memories: list[tuple[int, int, str, Group]] = []
    counts: Counter[str] = Counter()
    blocks: Counter[str] = Counter()
    for name, (kind, bel) in placed.items():
        spot = re.match(r"X(\d+)/Y(\d+)/", bel)
        if spot is None or kind not in drawn.luts | drawn.others | drawn.memories.keys():
            continue
        x, y = int(spot[1]), int(spot[2])
        group = grouped(role_of(name, role))
        if kind in drawn.memories:
            memories.append((x, y, kind, group))
            blocks[group[0]] += 1
        elif not name.startswith("$PACKER"):
            spots[x, y].append(group)
            counts[group[0]] += kind in drawn.luts
    colour = colours({g for inside in spots.values() for g in inside} | {m[3] for m in memories})
    order = list(colour)
    places = [*spots, *((x, y) for x, y, _, _ in memories)] or [(0, 0)]
    left, right = min(x for x, _ in places) - 1, max(x for x, _ in places) + 3
    top, bottom = min(y for _, y in places) - 1, max(y for _, y in places) + 2

    # One collection each for the fabric, the cells and the memories: single patches would take
    # minutes for a large core.
    fabric = [
        _box(x + 0.04, y + 0.04, 0.92, 0.92) for x in range(left, right) for y in range(top, bottom)
    ]
    cells, cell_colours = [], []
    for (x, y), inside in spots.items():
        # A tile of ECP5 holds eight LUTs and eight flip-flops: four columns, four rows.
        for slot, group in enumerate(sorted(inside, key=order.index)):
            column, row = slot % 4, slot // 4
            cells.append(_box(x + 0.06 + column * 0.22, y + 0.06 + row * 0.22, 0.21, 0.21))
            cell_colours.append(colour[group])
    boxes = [_box(x + 0.05, y + 0.05, *drawn.memories[kind]) for x, y, kind, _ in memories]

    width = 9.0
    height = min(12.0, max(3.2, (width - 3.2) * (bottom - top) / (right - left) + 1.0))
    figure, axes = pyplot.subplots(figsize=(width, height), layout="constrained")
    axes.add_collection(PolyCollection(fabric, facecolors="#f2f2f0", edgecolors="none"))
    axes.add_collection(PolyCollection(cells, facecolors=cell_colours, edgecolors="none"))
    axes.add_collection(
        PolyCollection(
            boxes, facecolors=[colour[m[3]] for m in memories], edgecolors="black", linewidths=0.8
        )
    )
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    axes.set_aspect("equal")
    axes.set_xlabel("column of the FPGA")
    axes.set_ylabel("row of the FPGA")
    axes.set_title(title, loc="left", fontsize=11)
    words = dict.fromkeys(group[0] for group in order)
    handles = []
    for label in words:
        own = next(group for group in order if group[0] == label)
        handles.append(Patch(color=colour[own], label=_legend(label, counts, blocks)))
    if any(lighter for _, lighter in order):
        handles.append(Patch(color="#ffffff", label="lighter: key schedule"))
    figure.legend(handles=handles, loc="outside right upper", frameon=False, fontsize=8)
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=120, bbox_inches="tight", pad_inches=0.15)
    pyplot.close(figure)


def group_of(role: Mapping[str, Role]) -> Callable[[Role], Group]:
    """Return what tells the group of a role: by tile and round, by round, or by component."""
    inside = [r for r in role.values() if r.stage is not None]
    tiles = len({r.tile for r in inside}) > 1
    stages = len({r.stage for r in inside}) > 1

    def group(own: Role) -> Group:
        if not tiles and not stages:
            return own.component, False
        if own.stage is None:
            return CONTROL, False
        words = [f"tile {own.tile + 1}"] if tiles else []
        words += [f"round {own.stage + 1}"] if stages else []
        return ", ".join(words), own.component in {KEY, KEY_SBOX}

    return group


def colours(groups: set[Group]) -> dict[Group, str]:
    """Return the colour of each group, in the order in which they are told and drawn."""
    if groups <= {(component, False) for component in COLOURS}:
        return {g: colour for c, colour in COLOURS.items() if (g := (c, False)) in groups}
    found = {}
    for group in sorted(groups, key=_order):
        label, lighter = group
        if label == CONTROL:
            found[group] = COLOURS[CONTROL]
            continue
        numbers = [int(n) - 1 for n in re.findall(r"\d+", label)]
        turn = numbers[0] * _TURN % 1
        # Rounds of a tile go from dark to light.
        light = 0.40 if len(numbers) == 1 else 0.30 + 0.022 * numbers[1]
        light += 0.30 if lighter else 0.0
        red, green, blue = colorsys.hls_to_rgb(turn, light, 0.60)
        found[group] = f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"
    return found


def _order(group: Group) -> tuple[bool, list[int], bool]:
    return group[0] == CONTROL, [int(n) for n in re.findall(r"\d+", group[0])], group[1]


def _box(x: float, y: float, width: float, height: float) -> list[tuple[float, float]]:
    return [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]


def _legend(label: str, counts: Counter[str], blocks: Counter[str]) -> str:
    parts = [f"{counts[label]:,} LUT4"] if counts[label] else []
    parts += [f"{blocks[label]} block RAM"] if blocks[label] else []
    return f"{label}\n({', '.join(parts)})" if parts else label
