"""What an S-box of four-input lookup tables has to compute: its sums of bits, for a structure.

A structure of `norm`, a direction and, in a circuit of both directions, the element that is
inverted say which sums of input bits and of product bits there must be; `lut_search` says how they
hang together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product

from roundsmith.circuits import norm, sbox_table
from roundsmith.circuits.norm import GF4, Structure, power, times

#: How many of some sums are wanted, and the sums: masks of the signals that are added.
Group = tuple[int, Sequence[int]]


@dataclass(frozen=True)
class Task:
    """A structure and a direction, with c and j of the element that is inverted (see above)."""

    structure: Structure
    inverse: bool | None
    factor: int = 1
    square: int = 0

    @property
    def directions(self) -> tuple[bool, ...]:
        """The directions of the circuit: False is forward, True inverse."""
        return (False, True) if self.inverse is None else (self.inverse,)

    @property
    def cases(self) -> list[tuple[int, bool]]:
        """All input bytes, in each direction."""
        return [(x, inverse) for inverse in self.directions for x in range(256)]

    def element(self, x: int, inverse: bool) -> int:
        """Return the element that is inverted for the input byte x."""
        if not inverse:
            return x
        return times(self.factor, power(_affine_inverse()[x], 1 << self.square))

    def label(self, u: int, inverse: bool) -> int:
        """Return the sum of input bits, as a mask, that Tr(u e^16) is, but for a constant."""
        if not inverse:
            return forms(False)[u]
        moved = power(times(u, power(self.factor, 16)), 1 << (8 - self.square) % 8)
        return forms(True)[moved]

    def column(self, a: int, inverse: bool) -> int:
        """Return what the term `a` of the inverse of e adds to the output."""
        if not inverse:
            return sbox_table.affine(a) ^ sbox_table.affine(0)
        return power(times(self.factor, a), 1 << (8 - self.square) % 8)

    @cached_property
    def factors(self) -> list[int]:
        """What each of the six products in GF(2^2) is multiplied with in the inverse of e."""
        r = norm.product_in_gf16(self.structure.triple)
        return [times(v, r[k]) for v in self.structure.v for k in range(3)]

    def functionals(self, inverse: bool) -> list[list[int]]:
        """For each product in GF(2^2) and output bit, which functional of the product it adds.

        Bit i of a functional is its value on GF4[i]; these two are a basis.
        """
        found = []
        for factor in self.factors:
            images = [self.column(times(factor, g), inverse) for g in GF4[:2]]
            found.append([(images[0] >> j & 1) | (images[1] >> j & 1) << 1 for j in range(8)])
        return found


@cache
def _affine_inverse() -> dict[int, int]:
    return {sbox_table.affine(x): x for x in range(256)}


@cache
def forms(inverse: bool) -> list[int]:
    """Return for every u the input bits whose sum is Tr(u e^16) but for a constant, as a mask."""
    masks = norm.input_masks([norm.form(u) for u in range(1, 256)], inverse)
    return [0, *(mask for mask, _ in masks)]


def pair(values: Sequence[int], bits: int) -> int:
    """Return the signal of `lut_sums` for what it is in each direction."""
    return values[0] if len(values) == 1 else values[0] | values[1] << bits


def input_groups(task: Task) -> list[Group]:
    """Two of the three bits at each of the six points."""
    sums = [
        pair([task.label(u, inverse) for inverse in task.directions], 8)
        for u in task.structure.labels
    ]
    return [(2, sums[i : i + 3]) for i in range(0, 18, 3)]


def output_groups(task: Task, bases: int) -> list[tuple[tuple[int, ...], list[Group]]]:
    """Return the sums of product bits for the outputs, for the `bases` sparsest choices of bits.

    The choice says for each of the six products which functional is not computed.
    """
    functionals = [task.functionals(inverse) for inverse in task.directions]

    def terms(line: int, without: int, j: int) -> list[int]:
        return [_terms(f[line][j], without) for f in functionals]

    ranked = []
    for line in range(6):
        weight = {}
        for without in (1, 2, 3):
            masks = [terms(line, without, j) for j in range(8)]
            weight[without] = sum((m[0] | m[-1]).bit_count() for m in masks)
        ranked.append(sorted(weight.items(), key=lambda item: item[1]))
    choices = sorted(product(range(3), repeat=6), key=lambda c: _weight(ranked, c))[:bases]
    found = []
    for choice in choices:
        omitted = tuple(ranked[line][i][0] for line, i in enumerate(choice))
        groups: list[Group] = []
        for j in range(8):
            per_line = [terms(line, omitted[line], j) for line in range(6)]
            sums = [
                sum(per_line[line][d] << 2 * line for line in range(6))
                for d in range(len(task.directions))
            ]
            groups.append((1, [pair(sums, 12)]))
        found.append((omitted, groups))
    return found


def _weight(ranked: Sequence[Sequence[tuple[int, int]]], choice: Sequence[int]) -> int:
    return sum(ranked[line][i][1] for line, i in enumerate(choice))


def _terms(functional: int, omitted: int) -> int:
    """Return a functional as a sum, as a mask, of the two that are not omitted."""
    if functional in (0, omitted):
        return 0 if functional == 0 else 3
    return 1 << [f for f in (1, 2, 3) if f != omitted].index(functional)


def groups_for(task: Task, omitted: Sequence[int]) -> list[Group]:
    """Return the sums for the outputs when these functionals are not computed."""
    return next(groups for chosen, groups in output_groups(task, 729) if chosen == tuple(omitted))
