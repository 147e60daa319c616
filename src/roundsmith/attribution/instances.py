"""What the instances of a netlist in standard cells have each for itself, summed by component."""

from collections import defaultdict
from collections.abc import Callable, Mapping

#: The component of instances whose names a rule does not know. No core of the catalogue has any.
UNNAMED = "instances without a name"


def summed(paths: Mapping[str, float], component: Callable[[str], str]) -> dict[str, float]:
    """Sum what each instance has for itself, without those below it, by the `component` of it.

    `paths` gives the GE of every instance by its path, with all that is below it.
    """
    sums: defaultdict[str, float] = defaultdict(float)
    # The instances around the present one, outermost first, and what they have for themselves.
    around: list[tuple[str, float]] = []
    for path, ge in sorted(paths.items(), key=lambda each: _order(each[0])):
        while around and not _inside(path, around[-1][0]):
            name, own = around.pop()
            sums[component(name)] += own
        if around:
            outer, own = around.pop()
            around.append((outer, own - ge))
        around.append((path, ge))
    for name, own in around:
        sums[component(name)] += own
    # Nothing is left of an instance that only holds others, but for rounding.
    return {name: round(ge, 1) for name, ge in sorted(sums.items()) if ge >= 0.05}


def named(path: str, whole: Mapping[str, str], holders: Mapping[str, str]) -> str:
    """Return the component of the instance at `path`.

    What is in an instance, or a generate block, of `whole` belongs to it with all that is below.
    An instance of `holders` has a component for its own cells alone: what stands in it must have a
    name in either, and is UNNAMED without one. Every path begins inside the holder "".
    """
    found = holders[""]
    for name in _order(path):
        if name in whole:
            return whole[name]
        if name in holders:
            found = holders[name]
        elif name.startswith("u_"):
            return UNNAMED
    return found


def _order(path: str) -> list[str]:
    return path.split(".") if path else []


def _inside(path: str, outer: str) -> bool:
    return outer == "" or path.startswith(f"{outer}.")
