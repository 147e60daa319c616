"""Composing straight-line programs from signals: shared operations, names, XOR arrays.

A signal is a number; the program's names are given at the end. An operation that was made before,
on the same operands, is not made again. What no output needs is left out.
"""

from collections.abc import Sequence
from itertools import combinations, count
from typing import NewType

from roundsmith.circuits.matrix import Affine, Matrix
from roundsmith.circuits.program import Kind, Operation, Program, Stage

Signal = NewType("Signal", int)
Vector = list[Signal]

_ORDERED = {Kind.ANDNOT, Kind.ORNOT, Kind.MUX}  # the operands may not be exchanged


class Builder:
    """Signals and operations on them, stage by stage."""

    def __init__(self) -> None:
        self._names: list[str] = []  # of every signal; empty until it has one
        self._operations: list[tuple[int, Signal, Kind, tuple[Signal, ...]]] = []
        self._known: dict[tuple[Kind, tuple[Signal, ...]], Signal] = {}
        self._first: dict[Signal, Signal] = {}  # of a second name: the signal behind it
        self._outputs: set[Signal] = set()
        self._titles: list[str] = []

    def input(self, name: str) -> Signal:
        """Return an input of one bit."""
        return self._signal(name)

    def inputs(self, name: str, width: int = 8) -> Vector:
        """Return an input vector, least significant bit first."""
        return [self._signal(f"{name}[{i}]") for i in range(width)]

    def stage(self, title: str) -> None:
        """Begin a stage; a register may stand before it."""
        self._titles.append(title)

    def operation(self, kind: Kind, *operands: Signal) -> Signal:
        """Return the signal of an operation, which is made when it does not exist yet."""
        same = tuple(self._first.get(operand, operand) for operand in operands)
        key = kind, same if kind in _ORDERED else tuple(sorted(same))
        if key not in self._known:
            self._known[key] = self._signal("")
            self._operations.append((len(self._titles) - 1, self._known[key], kind, operands))
        return self._known[key]

    def xor(self, a: Signal, b: Signal) -> Signal:
        """Return a ^ b."""
        return self.operation(Kind.XOR, a, b)

    def conjunction(self, a: Signal, b: Signal) -> Signal:
        """Return a & b."""
        return self.operation(Kind.AND, a, b)

    def select(self, condition: Signal, one: Vector, zero: Vector) -> Vector:
        """Return `one` where the condition is 1, else `zero`, bit by bit."""
        return [self.operation(Kind.MUX, condition, a, b) for a, b in zip(one, zero, strict=True)]

    def add(self, *vectors: Vector) -> Vector:
        """Return the sum of vectors, added from left to right."""
        total = vectors[0]
        for vector in vectors[1:]:
            total = [self.xor(a, b) for a, b in zip(total, vector, strict=True)]
        return total

    def array(self, linear: Affine | Matrix, operands: Sequence[Signal]) -> Vector:
        """Return the image of the operands under a linear map, as XOR gates shared by greed.

        Paar's algorithm (Optimized arithmetic for Reed-Solomon encoders, 1997): the pair that
        most sums have in common becomes a gate, until every sum is one signal. Of equal pairs the
        shallowest is taken, then the first. Constants cost no gate: they turn XOR into XNOR.
        """
        if isinstance(linear, Matrix):
            linear = Affine(linear)
        gates, ends = _factor(linear.matrix)
        flipped = {
            end: linear.constant >> row & 1 for row, end in enumerate(ends) if end >= len(operands)
        }
        signals = list(operands)
        polarity = [0] * len(operands)
        for a, b in gates:
            wanted = flipped.get(len(signals), 0)
            flip = polarity[a] ^ polarity[b] ^ wanted
            signals.append(self.operation(Kind.XNOR if flip else Kind.XOR, signals[a], signals[b]))
            polarity.append(wanted)
        return [
            self.operation(Kind.NOT, signals[end])
            if polarity[end] != linear.constant >> row & 1
            else signals[end]
            for row, end in enumerate(ends)
        ]

    def name(self, name: str, vector: Vector) -> Vector:
        """Name a vector, and return it under that name: a signal that has one gets a second."""
        return [self._named(f"{name}[{i}]", signal) for i, signal in enumerate(vector)]

    def output(self, name: str, vector: Vector) -> None:
        """Name a vector as an output."""
        self._outputs.update(self.name(name, vector))

    def _named(self, name: str, signal: Signal) -> Signal:
        if not self._names[signal]:
            self._names[signal] = name
            return signal
        second = self._signal(name)
        self._operations.append((len(self._titles) - 1, second, Kind.ALIAS, (signal,)))
        self._first[second] = self._first.get(signal, signal)
        return second

    def _signal(self, name: str) -> Signal:
        self._names.append(name)
        return Signal(len(self._names) - 1)

    def program(
        self, name: str, kind: str, direction: str, source: str, field: str = ""
    ) -> Program:
        """Return the program of everything that the outputs need, unnamed signals numbered."""
        needed = set(self._outputs)
        kept = []
        for entry in reversed(self._operations):
            if entry[1] in needed:
                needed.update(entry[3])
                kept.append(entry)
        names = list(self._names)
        fresh = count()
        lines: list[list[Operation]] = [[] for _ in self._titles]
        for stage, target, what, operands in reversed(kept):
            if not names[target]:
                names[target] = f"t[{next(fresh)}]"
            texts = tuple(names[operand] for operand in operands)
            lines[stage].append(Operation(names[target], what, texts))
        stages = tuple(
            Stage(title, tuple(operations))
            for title, operations in zip(self._titles, lines, strict=True)
        )
        return Program(name, kind, direction, "cited", source, stages, field)


def _factor(matrix: Matrix) -> tuple[list[tuple[int, int]], list[int]]:
    """Return the gates of an XOR array and the signal that ends up as each row.

    Signals are numbered: the inputs, then gate by gate.
    """
    columns = list(matrix.columns)  # the rows that still add up signal i
    level = [0] * len(columns)
    gates = []
    while any(a & b for a, b in combinations(columns, 2)):
        live = [i for i, column in enumerate(columns) if column]
        a, b = min(
            combinations(live, 2),
            key=lambda p: (-(columns[p[0]] & columns[p[1]]).bit_count(), max(level[i] for i in p)),
        )
        common = columns[a] & columns[b]
        columns[a] ^= common
        columns[b] ^= common
        columns.append(common)
        level.append(max(level[a], level[b]) + 1)
        gates.append((a, b))
    ends = [
        next(i for i, column in enumerate(columns) if column >> row & 1)
        for row in range(matrix.height)
    ]
    return gates, ends
