"""S-boxes as circuits of four-input lookup tables: the data, the proof and the SystemVerilog.

A circuit is a JSON file in `lut_programs/`: what it is, then its stages, each a list of lookup
tables. Between two stages a register may stand. A table is the number whose bit k is the output
for input pattern k, the first input being the least significant bit of the pattern.
"""

import json
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path

from roundsmith.base.errors import RoundsmithError
from roundsmith.base.render import render
from roundsmith.circuits import sbox_table
from roundsmith.circuits.program import Kind, Operation, Program, Stage
from roundsmith.circuits.proof import ProofFailed
from roundsmith.circuits.writer import Names

LUT_PROGRAMS = Path(__file__).parent / "lut_programs"

#: Direction of a circuit by the suffix of its name, with the directions it must be right in.
_DIRECTIONS = {"forward": (False,), "inverse": (True,), "both": (False, True)}
_WHAT = {
    "forward": "The forward S-box (FIPS 197, 5.1.1)",
    "inverse": "The inverse S-box (FIPS 197, 5.3.2)",
    "both": "The forward S-box and, with `inverse_i`, the inverse S-box (FIPS 197, 5.1.1 and "
    "5.3.2)",
}
_WIRE = 0b10
_WIDTH = 100


@dataclass(frozen=True)
class Lut:
    """One lookup table: the signal it drives, one to four input signals, and its truth table.

    A table of one input that passes it on is a wire and costs nothing.
    """

    signal: str
    inputs: tuple[str, ...]
    table: int

    @property
    def is_wire(self) -> bool:
        """Whether the output is the only input."""
        return len(self.inputs) == 1 and self.table == _WIRE

    def apply(self, values: Mapping[str, int], ones: int) -> int:
        """Return the output, bit by bit, where `ones` has a one for every case."""
        result = 0
        for pattern in range(1 << len(self.inputs)):
            if self.table >> pattern & 1:
                match = ones
                for i, name in enumerate(self.inputs):
                    match &= values[name] if pattern >> i & 1 else ~values[name]
                result |= match
        return result

    def monomials(self) -> list[tuple[str, ...]]:
        """Return the products of inputs whose sum is the output; the empty product is 1."""
        size = len(self.inputs)
        found = []
        for degree in range(size + 1):
            for chosen in combinations(range(size), degree):
                mask = sum(1 << i for i in chosen)
                below = (p for p in range(1 << size) if p & ~mask == 0)
                if sum(self.table >> p & 1 for p in below) & 1:
                    found.append(tuple(self.inputs[i] for i in chosen))
        return found

    def at(self, name: str, value: int) -> "Lut":
        """Return the lookup table that is left where input `name` has a value."""
        place = self.inputs.index(name)
        low = (1 << place) - 1
        rest = tuple(x for x in self.inputs if x != name)
        table = 0
        for pattern in range(1 << len(rest)):
            whole = pattern & low | (pattern & ~low) << 1 | value << place
            table |= (self.table >> whole & 1) << pattern
        return Lut(self.signal, rest, table)


@dataclass(frozen=True)
class LutStage:
    """Lookup tables between two places where a register may stand, with a comment."""

    title: str
    luts: tuple[Lut, ...]


@dataclass(frozen=True)
class LutCircuit:
    """An S-box of lookup tables. Inputs are `x[0]` to `x[7]` and, in both directions, `inverse`.

    `field` is a sentence on the structure, for the header. Construction checks that every signal
    is assigned once and before its use (ValueError).
    """

    name: str
    direction: str
    field: str
    stages: tuple[LutStage, ...]

    def __post_init__(self) -> None:
        if any(not 1 <= len(lut.inputs) <= 4 for lut in self.luts):
            raise ValueError("a lookup table has one to four inputs")
        _ = self.shape

    @cached_property
    def shape(self) -> Program:
        """The circuit as a program that says who uses what, not what is computed."""
        stages = tuple(
            Stage(s.title, tuple(Operation(x.signal, Kind.ALIAS, x.inputs) for x in s.luts))
            for s in self.stages
        )
        return Program(self.name, "sbox", self.direction, "search", self.field, stages)

    @cached_property
    def luts(self) -> tuple[Lut, ...]:
        """All lookup tables and wires in order."""
        return tuple(lut for stage in self.stages for lut in stage.luts)

    @property
    def cost(self) -> int:
        """The number of LUT4s."""
        return sum(not lut.is_wire for lut in self.luts)

    @property
    def depth(self) -> int:
        """The most LUT4s on a path from an input to an output."""
        level = dict.fromkeys(self.shape.inputs, 0)
        for lut in self.luts:
            level[lut.signal] = max(level[name] for name in lut.inputs) + (not lut.is_wire)
        return max(level[name] for name in self.shape.outputs)

    def evaluate(self, values: Mapping[str, int], ones: int) -> dict[str, int]:
        """Return every signal for the input `values`: bit k of each value belongs to case k."""
        found = dict(values)
        for lut in self.luts:
            found[lut.signal] = lut.apply(found, ones)
        return found

    def dumps(self) -> str:
        """Return the text of the circuit's file."""
        head = {"name": self.name, "direction": self.direction, "field": self.field}
        lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
        stages = []
        for stage in self.stages:
            rows = ",\n".join(
                f"      {json.dumps([x.signal, list(x.inputs), hex(x.table)])}" for x in stage.luts
            )
            title = json.dumps(stage.title)
            stages.append(f'    {{"title": {title}, "luts": [\n{rows}\n    ]}}')
        return "\n".join(["{", *lines, '  "stages": [', ",\n".join(stages), "  ]", "}"]) + "\n"


def loads(text: str) -> LutCircuit:
    """Read a circuit from the text of its file. ValueError says what is wrong with it."""
    found = json.loads(text)
    try:
        stages = tuple(
            LutStage(
                stage["title"],
                tuple(Lut(signal, tuple(used), int(t, 16)) for signal, used, t in stage["luts"]),
            )
            for stage in found["stages"]
        )
        return LutCircuit(found["name"], found["direction"], found["field"], stages)
    except KeyError as missing:
        raise ValueError(f"{missing} is missing") from None


def load(name: str) -> LutCircuit:
    """Return the circuit that is kept under `name`; RoundsmithError says when there is none."""
    path = LUT_PROGRAMS / f"{name}.json"
    try:
        return loads(path.read_text())
    except (OSError, ValueError) as problem:
        raise RoundsmithError(f"{path} is no circuit of lookup tables: {problem}.") from None


def everything() -> list[LutCircuit]:
    """Return all circuits that are kept, by name."""
    return [load(path.stem) for path in sorted(LUT_PROGRAMS.glob("*.json"))]


def prove(circuit: LutCircuit) -> None:
    """Return when `circuit` is right for every byte in every direction; else raise ProofFailed."""
    forward = sbox_table.sbox()
    for inverse in _DIRECTIONS[circuit.direction]:
        ones = (1 << 256) - 1
        values = {f"x[{i}]": sum(1 << x for x in range(256) if x >> i & 1) for i in range(8)}
        if circuit.direction == "both":
            values["inverse"] = ones if inverse else 0
        found = circuit.evaluate(values, ones)
        for x in range(256):
            y = sum((found[f"y[{i}]"] >> x & 1) << i for i in range(8))
            # Our table is derived from the definition in FIPS 197.
            if (x, y) not in (((x, forward[x]),) if not inverse else ((forward[y], y),)):
                raise ProofFailed(
                    f"{circuit.name}{' (inverse)' if inverse else ''} is wrong: it maps {x:02x} "
                    f"to {y:02x}."
                )


def module_name(circuit: LutCircuit) -> str:
    """Return the name of the module: `rsm_aes_` and the circuit's name."""
    return f"rsm_aes_{circuit.name.replace('-', '_')}"


def module_text(circuit: LutCircuit, command: str) -> str:
    """Return the SystemVerilog file of `circuit`, generated by `command`."""
    names = Names(circuit.shape)
    constants: list[str] = []
    stages = []
    for number, stage in enumerate(circuit.stages, start=1):
        renamed = [
            Lut(
                names.at(lut.signal, number),
                tuple(names.at(x, number) for x in lut.inputs),
                lut.table,
            )
            for lut in stage.luts
        ]
        if _is_table(stage.luts):
            constants += _constant(stage.luts)
            lines = [_lookup(renamed)]
        else:
            lines = [line for lut in renamed for line in _assignment(lut)]
        stages.append({"title": _comment(stage.title, "  "), "lines": lines})
    cuts = len(stages) - 1
    crossings = [names.crossing(number) for number in range(1, cuts + 1)]
    return render(
        "circuit.sv.j2",
        program=circuit.shape,
        module=module_name(circuit),
        header=_header(circuit, [int(c["width"]) for c in crossings]),
        cuts=cuts,
        stages=stages,
        crossings=crossings,
        declarations=constants + names.declarations(),
        ports=names.ports(),
        command=command,
    )


def _header(circuit: LutCircuit, widths: Sequence[int]) -> str:
    places = ("the input map", "the norm", "the inversion in GF(2^4)", "the last products")
    cuts = ", ".join(
        f"after {place} ({width} bits)" for place, width in zip(places, widths, strict=True)
    )
    parts = [
        f"{_WHAT[circuit.direction]} as an inversion in GF((2^4)^2), cut to fit 4-input lookup "
        f"tables: every assignment below that is more than a wire is one LUT4, {circuit.cost} in "
        f"all, at most {circuit.depth} deep.",
        f"Field: {circuit.field}",
        "Source: found by search (roundsmith.circuits.lut_search) for the fewest LUT4. Field "
        "inversion through the norm: Itoh and Tsujii 1988; its use in the AES S-box: Rijmen 2000, "
        "Satoh et al. 2001.",
        f"Latency: $countones(Cuts) cycles. Cuts, in this order: {cuts}.",
    ]
    return "\n//\n".join(_comment(part) for part in parts)


def _comment(text: str, indent: str = "") -> str:
    lines = textwrap.wrap(text, _WIDTH - len(indent) - 3, break_on_hyphens=False)
    return "\n".join(f"{indent}// {line}" for line in lines)


def _is_table(luts: Sequence[Lut]) -> bool:
    """Whether a stage is one vector, looked up in a table by another one."""
    return len({lut.inputs for lut in luts}) == 1 and any(
        len(term) > 2 for lut in luts for term in lut.monomials()
    )


def _constant(luts: Sequence[Lut]) -> list[str]:
    """Return the declaration of the table of a stage."""
    size = 1 << len(luts[0].inputs)
    rows = [
        f"{len(luts)}'b" + "".join(str(lut.table >> k & 1) for lut in reversed(luts))
        for k in reversed(range(size))
    ]
    lines = [f"    {', '.join(rows[i : i + 8])}" for i in range(0, size, 8)]
    comment = (
        "N(e)^-1 at its three points, by the norm. Zero has no inverse: FIPS 197 maps it to zero."
    )
    return [
        *_comment(comment, "  ").split("\n"),
        f"  localparam logic [{size - 1}:0][{len(luts) - 1}:0] InverseOfNorm = {{",
        *",\n".join(lines).split("\n"),
        "  };",
        "",
    ]


def _lookup(luts: Sequence[Lut]) -> str:
    """Return the assignment of a whole stage from its table."""
    index = ", ".join(reversed(luts[0].inputs))
    vectors = {name.partition("[")[0] for name in luts[0].inputs}
    address = vectors.pop() if len(vectors) == 1 else f"{{{index}}}"
    return f"  assign {luts[0].signal.partition('[')[0]} = InverseOfNorm[{address}];"


def _assignment(lut: Lut) -> list[str]:
    """Return the lines of one assignment."""
    direction = next((x for x in lut.inputs if x.startswith("inverse")), None)
    if direction is not None:
        one, zero = (_closed(_sum(lut.at(direction, value))) for value in (1, 0))
        return _wrapped(f"{lut.signal} =", f"{direction} ? {one} : {zero}")
    return _wrapped(f"{lut.signal} =", _sum(lut))


def _closed(text: str) -> str:
    return f"({text})" if " " in text and not text.startswith("~(") else text


def _sum(lut: Lut) -> str:
    """Return a function of degree two as a sum of products and single signals."""
    terms = lut.monomials()
    if any(len(term) > 2 for term in terms):
        raise ValueError(f"{lut.signal} is no function of degree two")
    inverted = () in terms
    single = [m[0] for m in terms if len(m) == 1]
    pairs = [set(m) for m in terms if len(m) == 2]
    parts = []
    while pairs:
        # The signal of the most products goes before the brackets.
        first = max(lut.inputs, key=lambda x: sum(x in pair for pair in pairs))
        others = [x for x in lut.inputs if {first, x} in pairs and x != first]
        pairs = [pair for pair in pairs if first not in pair]
        parts.append(f"({first} & {_closed(' ^ '.join(others))})")
    parts = single + parts
    if not parts:
        return f"1'b{int(inverted)}"
    text = " ^ ".join(parts)
    if not inverted:
        return text[1:-1] if len(parts) == 1 and text.startswith("(") else text
    return f"~{text}" if len(parts) == 1 else f"~({text})"


def _wrapped(start: str, text: str) -> list[str]:
    """Return an assignment, continued on a line of its own where it is long."""
    return textwrap.wrap(
        f"assign {start} {text};",
        _WIDTH,
        initial_indent="  ",
        subsequent_indent=" " * 13,
        break_long_words=False,
        break_on_hyphens=False,
    )
