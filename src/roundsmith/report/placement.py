"""A picture of a placement: what lies where on the FPGA, coloured by component."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

from roundsmith.components import CONTROL, KEY, KEY_SBOX, LINEAR, SBOX, Role, role_of

COLOURS = {
    SBOX: "#d1495b",
    KEY_SBOX: "#edae49",
    LINEAR: "#2e6f95",
    KEY: "#66a182",
    CONTROL: "#8d8d92",
}


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
    from matplotlib.patches import Patch, Rectangle

    tiles: dict[tuple[int, int], list[str]] = defaultdict(list)
    memories: list[tuple[int, int, str]] = []
    counts: Counter[str] = Counter()
    for name, (kind, bel) in placed.items():
        spot = re.match(r"X(\d+)/Y(\d+)/", bel)
        if spot is None or kind not in {"TRELLIS_COMB", "TRELLIS_FF", "DP16KD", "TRELLIS_RAMW"}:
            continue
        x, y = int(spot[1]), int(spot[2])
        component = role_of(name, role).component
        if kind == "DP16KD":
            memories.append((x, y, component))
        elif not name.startswith("$PACKER"):
            tiles[x, y].append(component)
            counts[component] += kind == "TRELLIS_COMB"
    places = [*tiles, *((x, y) for x, y, _ in memories)] or [(0, 0)]
    left, right = min(x for x, _ in places) - 1, max(x for x, _ in places) + 3
    top, bottom = min(y for _, y in places) - 1, max(y for _, y in places) + 2

    width = 9.0
    height = min(12.0, max(3.2, (width - 3.2) * (bottom - top) / (right - left) + 1.0))
    figure, axes = pyplot.subplots(figsize=(width, height), layout="constrained")
    for x in range(left, right):
        for y in range(top, bottom):
            axes.add_patch(Rectangle((x + 0.04, y + 0.04), 0.92, 0.92, fc="#f2f2f0", ec="none"))
    for (x, y), inside in tiles.items():
        # A tile holds eight LUTs and eight flip-flops: four columns, four rows.
        for slot, component in enumerate(sorted(inside, key=list(COLOURS).index)):
            column, row = slot % 4, slot // 4
            spot_ = (x + 0.06 + column * 0.22, y + 0.06 + row * 0.22)
            axes.add_patch(Rectangle(spot_, 0.21, 0.21, fc=COLOURS[component], ec="none"))
    for x, y, component in memories:
        axes.add_patch(
            Rectangle((x + 0.05, y + 0.05), 1.9, 0.9, fc=COLOURS[component], ec="black", lw=0.8)
        )
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    axes.set_aspect("equal")
    axes.set_xlabel("column of the FPGA")
    axes.set_ylabel("row of the FPGA")
    axes.set_title(title, loc="left", fontsize=11)
    shown = [c for c in COLOURS if counts[c] or any(c == m[2] for m in memories)]
    handles = [Patch(color=COLOURS[c], label=_legend(c, counts, memories)) for c in shown]
    figure.legend(handles=handles, loc="outside right upper", frameon=False, fontsize=8)
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=120, bbox_inches="tight", pad_inches=0.15)
    pyplot.close(figure)


def _legend(component: str, counts: Counter[str], memories: list[tuple[int, int, str]]) -> str:
    blocks = sum(component == m[2] for m in memories)
    parts = [f"{counts[component]:,} LUT4"] if counts[component] else []
    parts += [f"{blocks} block RAM"] if blocks else []
    return f"{component}\n({', '.join(parts)})"
