"""Straight-line programs: a circuit as data, one operation a line.

A program is a TOML file in `programs/`: what it computes and where it comes from, then its stages.
An operation is written as SystemVerilog would write it, `n[0] = ~(a[6] | b[6])`; every signal is
assigned once, before it is used. Between two stages a register may stand.

Everything that is said of a circuit (gates, depth, the truth of it) is computed from these lines.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from roundsmith.base.errors import RoundsmithError

PROGRAMS = Path(__file__).parent / "programs"

DIRECTIONS = ("forward", "inverse", "both")
ORIGINS = ("search", "cited")


class Kind(StrEnum):
    """What an operation computes. An alias is a wire; every other kind counts as one gate."""

    XOR = "xor"
    XNOR = "xnor"
    AND = "and"
    NAND = "nand"
    OR = "or"
    NOR = "nor"
    ANDNOT = "andnot"  # a & ~b
    ORNOT = "ornot"  # a | ~b
    NOT = "not"
    ALIAS = "alias"
    MUX = "mux"  # select, the value at 1, the value at 0


#: How each kind is written, as SystemVerilog and in program files.
_TEXT = {
    Kind.XOR: "{0} ^ {1}",
    Kind.XNOR: "~({0} ^ {1})",
    Kind.AND: "{0} & {1}",
    Kind.NAND: "~({0} & {1})",
    Kind.OR: "{0} | {1}",
    Kind.NOR: "~({0} | {1})",
    Kind.ANDNOT: "{0} & ~{1}",
    Kind.ORNOT: "{0} | ~{1}",
    Kind.NOT: "~{0}",
    Kind.ALIAS: "{0}",
    Kind.MUX: "{0} ? {1} : {2}",
}
_SIGNAL = r"([a-z]\w*(?:\[\d+\])?)"
_PATTERNS = {
    kind: re.compile(re.sub(r"\\\{\d\\\}", lambda _: _SIGNAL, re.escape(text).replace(r"\ ", " ")))
    for kind, text in _TEXT.items()
}


@dataclass(frozen=True)
class Operation:
    """One line: the signal that it assigns, what it computes and from which signals."""

    target: str
    kind: Kind
    operands: tuple[str, ...]

    @property
    def expression(self) -> str:
        """The right side, as SystemVerilog and program files write it."""
        return _TEXT[self.kind].format(*self.operands)

    def __str__(self) -> str:
        return f"{self.target} = {self.expression}"

    def apply(self, values: Mapping[str, int], ones: int) -> int:
        """Return the operation's value, bit by bit, where `ones` has a one for every case."""
        a, *rest = (values[name] for name in self.operands)
        match self.kind:
            case Kind.ALIAS:
                return a
            case Kind.NOT:
                return a ^ ones
            case Kind.MUX:
                return a & rest[0] | ~a & rest[1]
        b = rest[0]
        match self.kind:
            case Kind.XOR:
                return a ^ b
            case Kind.XNOR:
                return a ^ b ^ ones
            case Kind.AND:
                return a & b
            case Kind.NAND:
                return (a & b) ^ ones
            case Kind.OR:
                return a | b
            case Kind.NOR:
                return (a | b) ^ ones
            case Kind.ANDNOT:
                return a & (b ^ ones)
            case _:
                return a | (b ^ ones)


@dataclass(frozen=True)
class Stage:
    """Operations between two places where a register may stand, under one title."""

    title: str
    operations: tuple[Operation, ...]


def counts(operations: Iterable[Operation]) -> Counter[Kind]:
    """Return how many gates of each kind there are; wires are none."""
    return Counter(o.kind for o in operations if o.kind is not Kind.ALIAS)


def levels(operations: Iterable[Operation]) -> dict[str, int]:
    """Return the most gates on a path from an input to each signal that is assigned."""
    found: dict[str, int] = {}
    for o in operations:
        deepest = max(found.get(name, 0) for name in o.operands)
        found[o.target] = deepest + (o.kind is not Kind.ALIAS)
    return found


def _bits(name: str) -> tuple[str, ...]:
    return tuple(f"{name}[{i}]" for i in range(8))


_PORTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "sbox": (("x",), ("y",)),
    "inverter": (("x",), ("y",)),
    "mix": (("a0", "a1", "a2", "a3"), ("b0", "b1", "b2", "b3")),
}
KINDS = tuple(_PORTS)


@dataclass(frozen=True)
class Program:
    """A circuit: what it is (`kind`, `direction`), where it comes from, and its operations.

    `kind` is `sbox` (byte x to byte y, FIPS 197), `inverter` (inversion in the basis of a tower)
    or `mix` (a column of four bytes a0 to a3, MixColumns, to b0 to b3). `direction` is `forward`,
    `inverse` or `both`; the last kind has an input `inverse`. `origin` is `search` when our own
    search found it, `cited` when it follows a publication. Construction checks that every signal
    is assigned once and before its use; ValueError says what is wrong.
    """

    name: str
    kind: str
    direction: str
    origin: str
    source: str
    stages: tuple[Stage, ...]
    field: str = ""

    def __post_init__(self) -> None:
        for what, value, legal in (
            ("kind", self.kind, KINDS),
            ("direction", self.direction, DIRECTIONS),
            ("origin", self.origin, ORIGINS),
        ):
            if value not in legal:
                raise ValueError(f"{what} is '{value}', where {', '.join(legal)} are legal")
        known = set(self.inputs)
        for operation in self.operations:
            missing = [name for name in operation.operands if name not in known]
            if missing:
                raise ValueError(f"'{operation}' uses {missing[0]} before it is assigned")
            if operation.target in known:
                raise ValueError(f"'{operation}' assigns {operation.target} a second time")
            known.add(operation.target)
        for name in self.outputs:
            if name not in known:
                raise ValueError(f"the output {name} is never assigned")

    @property
    def inputs(self) -> tuple[str, ...]:
        """The input signals, least significant bit first."""
        data = tuple(bit for port in _PORTS[self.kind][0] for bit in _bits(port))
        return (*data, "inverse") if self.direction == "both" else data

    @property
    def outputs(self) -> tuple[str, ...]:
        """The output signals, least significant bit first."""
        return tuple(bit for port in _PORTS[self.kind][1] for bit in _bits(port))

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """All operations in order."""
        return tuple(operation for stage in self.stages for operation in stage.operations)

    def evaluate(self, values: Mapping[str, int], ones: int) -> dict[str, int]:
        """Return the value of every signal for the input `values`.

        Many cases are computed at once: bit k of each value belongs to case k, and `ones` has a
        one for every case.
        """
        found = dict(values)
        for operation in self.operations:
            found[operation.target] = operation.apply(found, ones) & ones
        return found

    def counts(self) -> Counter[Kind]:
        """Return how many gates of each kind there are; wires are none."""
        return counts(self.operations)

    @property
    def gates(self) -> int:
        """The number of gates."""
        return sum(self.counts().values())

    @property
    def depth(self) -> int:
        """The most gates on a path from an input to an output."""
        level = levels(self.operations)
        return max(level[name] for name in self.outputs)

    def dumps(self, *, command: str = "") -> str:
        """Return the program as the text of its file, with the `command` that made it."""
        lines = [f"# Generated by: {command}"] if command else []
        lines += [f'{key} = "{getattr(self, key)}"' for key in ("name", "kind", "direction")]
        lines += [f'origin = "{self.origin}"', f"source = '''{self.source}'''"]
        if self.field:
            lines.append(f"field = '''{self.field}'''")
        for stage in self.stages:
            lines += ["", "[[stage]]", f"title = '''{stage.title}'''", "program = '''"]
            lines += [str(operation) for operation in stage.operations]
            lines.append("'''")
        return "\n".join(lines) + "\n"


def operation(line: str) -> Operation:
    """Read one line. ValueError when it is no operation."""
    target, equals, expression = line.strip().partition(" = ")
    if equals and re.fullmatch(_SIGNAL, target):
        for kind, pattern in _PATTERNS.items():
            match = pattern.fullmatch(expression)
            if match:
                return Operation(target, kind, match.groups())
    raise ValueError(f"'{line.strip()}' is no operation such as 't[0] = x[1] ^ x[3]'")


def loads(text: str) -> Program:
    """Read a program from the text of its file. ValueError says what is wrong with it."""
    found = tomllib.loads(text)
    try:
        stages = tuple(
            Stage(
                stage["title"],
                tuple(operation(x) for x in stage["program"].splitlines() if x.strip()),
            )
            for stage in found["stage"]
        )
        return Program(
            name=found["name"],
            kind=found["kind"],
            direction=found["direction"],
            origin=found["origin"],
            source=found["source"],
            stages=stages,
            field=found.get("field", ""),
        )
    except KeyError as missing:
        raise ValueError(f"{missing} is missing") from None


def load(path: Path) -> Program:
    """Read a program file. RoundsmithError says what is wrong with it."""
    try:
        program = loads(path.read_text())
    except (OSError, ValueError) as problem:
        raise RoundsmithError(f"{path} is no program of a circuit: {problem}.") from None
    if program.name != path.stem:
        raise RoundsmithError(f"{path} calls itself '{program.name}'; name both alike.")
    return program


def everything() -> list[Program]:
    """Return all programs, by name."""
    return [load(path) for path in sorted(PROGRAMS.glob("*.toml"))]
