"""What a spec is made of: its circuits, register bits and selectors, and its longest stage.

Nothing here is measured: the parts follow from the architecture of the cipher. The estimator takes
the cost of a part from the records of its circuit, or learns it from the records of whole cores.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations

from roundsmith import spec as formulas
from roundsmith.explore import ciphers
from roundsmith.explore.parts import Link, Parts
from roundsmith.spec import Spec


def parts(spec: Spec) -> Parts:
    """Return what `spec` is made of."""
    found = ciphers.of(spec.what.cipher).parts(spec)
    tiles = 1 if spec.is_narrow else spec.how.tiles
    if tiles > 1:
        for name in ("data", "key", "control", "ram", "select", "xor", "memories"):
            setattr(found, name, getattr(found, name) * tiles)
        found.circuits = {name: n * tiles for name, n in found.circuits.items()}
    if spec.is_full:
        found.ram += (128 + spec.port.tag_bits) * max(16, formulas.fifo_depth(spec))
        found.control += max(spec.what.key_bits) + 24
        found.select += max(spec.what.key_bits)
    return found


def stages(chain: Sequence[Link], cuts: Sequence[str]) -> list[list[Link]]:
    """Return what stands between one register of a ring and the next; all of it without any."""
    there = {*cuts, "memory"}
    ends = [i for i, link in enumerate(chain) if link.cut in there]
    if not ends:
        return [list(chain)]
    turned = [*chain[ends[-1] + 1 :], *chain[: ends[-1] + 1]]
    found: list[list[Link]] = [[]]
    for link in turned:
        found[-1].append(link)
        if link.cut in there:
            found.append([])
    return found[:-1]


@cache
def ladder(chain: tuple[Link, ...], levels: tuple[tuple[str, float], ...]) -> list[tuple[str, ...]]:
    """Return for each number of cuts the set with the shortest longest stage, then fewest bits.

    `levels` is the depth of each circuit that the chain names. A number of cuts that shortens
    nothing is left out.
    """
    depth = dict(levels)
    points = [link.cut for link in chain if link.cut and link.cut != "memory"]
    bits = {link.cut: link.bits for link in chain}
    forced = any(link.cut == "memory" for link in chain)
    found: list[tuple[str, ...]] = []
    shortest = float("inf")
    for count in range(0 if forced else 1, len(points) + 1):
        best = min(
            (
                longest(stages(chain, cuts), depth),
                sum(bits[cut] for cut in cuts),
                cuts,
            )
            for cuts in combinations(points, count)
        )
        if best[0] < shortest - 1e-9:
            shortest = best[0]
            found.append(best[2])
    return found


def longest(found: Sequence[Sequence[Link]], depth: Mapping[str, float]) -> float:
    """Return the depth of the longest of some stages; a plain level is one of `levels`."""
    return max(sum(link.share * depth.get(link.name, 1.0) for link in stage) for stage in found)
