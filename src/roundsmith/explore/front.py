"""The Pareto front: of which no other is at least as good in everything and better in something."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from roundsmith.base.errors import RoundsmithError

Item = TypeVar("Item")

#: Figures that are better the larger they are; of all others less is better.
MORE = frozenset({"throughput_mbps", "fmax_mhz", "mbps_per_klut", "mbps_per_kge"})

#: The figures of records that a front may be over.
FIGURES = (
    "lut",
    "ff",
    "block_ram",
    "slices",
    "levels",
    "fmax_mhz",
    "cycles_per_block",
    "throughput_mbps",
    "mbps_per_klut",
    "area_ge",
    "cycle_ns",
    "mbps_per_kge",
)


def front(items: Sequence[Item], *costs: Callable[[Item], float]) -> list[Item]:
    """Return the items on the front, the cheapest in the first cost first.

    Less of every cost is better. Of items that are equal in all of them the first one stays.
    """
    if not costs:
        raise RoundsmithError("A front is over two figures or more.")
    ranked = sorted(items, key=lambda item: tuple(cost(item) for cost in costs))
    kept: list[tuple[tuple[float, ...], Item]] = []
    for item in ranked:
        point = tuple(cost(item) for cost in costs)
        # What comes before is no dearer in the first cost.
        if not any(all(a <= b for a, b in zip(other, point, strict=True)) for other, _ in kept):
            kept.append((point, item))
    return [item for _, item in kept]


def cost(figure: str) -> Callable[[object], float]:
    """Return the cost that a figure of a record or an estimate is; none at all is the dearest."""

    def value(item: object) -> float:
        found = getattr(item, figure)
        if found is None:
            return float("inf")
        return -float(found) if figure in MORE else float(found)

    return value
