"""Straight-line programs as SystemVerilog modules.

Between two stages the signals that are still needed pass one `rsm_cut`. A signal `norm[2]` that
is used in stage 3 is called `norm_s3[2]` there; where only some bits of a vector go on, they go
on as scalars: `norm2_s3`.
"""

import re
import sys
import textwrap
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from roundsmith.base.paths import RTL
from roundsmith.base.render import render
from roundsmith.circuits.program import PROGRAMS, Kind, Operation, Program, everything, load

_FOLDERS = {"sbox": "sbox", "inverter": "sbox", "mix": "linear"}
_VECTOR = re.compile(r"(\w+)\[(\d+)\]")
_WIDTH = 100

_WHAT = {
    "sbox": {
        "forward": "The S-box of SubBytes (FIPS 197, 5.1.1)",
        "inverse": "The S-box of InvSubBytes (FIPS 197, 5.3.2)",
        "both": "The S-boxes of SubBytes and, with `inverse_i`, of InvSubBytes (FIPS 197, 5.1.1 "
        "and 5.3.2)",
    },
    "mix": {
        "forward": "MixColumns of one column (FIPS 197, 5.1.3)",
        "inverse": "InvMixColumns of one column (FIPS 197, 5.3.3)",
        "both": "MixColumns and, with `inverse_i`, InvMixColumns of one column (FIPS 197, 5.1.3 "
        "and 5.3.3)",
    },
    "inverter": {"forward": "Inversion in a field of 256 elements, zero giving zero"},
}

#: How the header names the kinds of gates.
_GATE_NAMES = {
    Kind.XOR: "XOR",
    Kind.XNOR: "XNOR",
    Kind.AND: "AND",
    Kind.NAND: "NAND",
    Kind.OR: "OR",
    Kind.NOR: "NOR",
    Kind.ANDNOT: "AND with one input inverted",
    Kind.ORNOT: "OR with one input inverted",
    Kind.NOT: "NOT",
    Kind.MUX: "multiplexers",
}


def modules() -> dict[Path, str]:
    """Return the file of every program's module, with its right contents."""
    return {path(program): module_text(program) for program in everything()}


def module_name(program: Program) -> str:
    """Return the name of the module: `rsm_aes_` and the program's name."""
    return f"rsm_aes_{program.name.replace('-', '_')}"


def path(program: Program) -> Path:
    """Return where the module of `program` stands in the library."""
    return RTL / "aes" / _FOLDERS[program.kind] / f"{module_name(program)}.sv"


def module_text(program: Program) -> str:
    """Return the SystemVerilog file of `program`.

    S-boxes offer a cut between any two stages; the other kinds must have one stage (ValueError).
    """
    cuts = len(program.stages) - 1
    if program.kind != "sbox" and cuts:
        raise ValueError(f"{program.name} must have one stage, as a {program.kind} has no clock")
    names = Names(program)
    stages = []
    for number, stage in enumerate(program.stages, start=1):
        lines = [
            f"  assign {names.at(o.target, number)} = {names.expression(o, number)};"
            for o in stage.operations
        ]
        stages.append({"title": _comment(stage.title, "  "), "lines": lines})
    crossings = [names.crossing(number) for number in range(1, cuts + 1)]
    return render(
        "circuit.sv.j2",
        program=program,
        module=module_name(program),
        header=_header(program),
        cuts=cuts,
        stages=stages,
        crossings=crossings,
        declarations=names.declarations(),
        ports=names.ports(),
        command=f"python -m roundsmith.circuits.writer {program.name}",
    )


def _comment(text: str, indent: str = "") -> str:
    lines = textwrap.wrap(text, _WIDTH - len(indent) - 3, break_on_hyphens=False)
    return "\n".join(f"{indent}// {line}" for line in lines)


def _header(program: Program) -> str:
    counts = program.counts()
    kinds = ", ".join(
        f"{counts[kind]} {name}" for kind, name in _GATE_NAMES.items() if counts[kind]
    )
    parts = [f"{_WHAT[program.kind][program.direction]}, as a straight-line circuit."]
    if program.field:
        parts.append(f"Field: {program.field}")
    parts += [
        f"Source: {program.source}",
        f"{program.gates} gates: {kinds}. Depth {program.depth}.",
    ]
    if len(program.stages) > 1:
        points = ", ".join(_point(stage.title) for stage in program.stages[:-1])
        parts.append(f"Latency: $countones(Cuts) cycles. Cuts, in this order, after: {points}.")
    else:
        parts.append("Latency: 0.")
    return "\n//\n".join(_comment(part) for part in parts)


def _point(title: str) -> str:
    """Return the name of a stage: its title up to the first explanation."""
    name = re.split("[:;.]", title)[0]
    return name[0].lower() + name[1:]


class Names:
    """What every signal is called in every stage."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._born = dict.fromkeys(program.inputs, 1)
        last = len(program.stages)
        for number, stage in enumerate(program.stages, start=1):
            self._born.update((o.target, number) for o in stage.operations)
        self._died = dict.fromkeys(program.outputs, last)
        for number, stage in enumerate(program.stages, start=1):
            for o in stage.operations:
                for name in o.operands:
                    self._died[name] = max(number, self._died.get(name, 0))
        self._width: defaultdict[str, int] = defaultdict(int)
        for name in self._born:
            match = _VECTOR.fullmatch(name)
            if match:
                self._width[match[1]] = max(self._width[match[1]], int(match[2]) + 1)
        for base, width in self._width.items():
            for index in range(width):
                if f"{base}[{index}]" not in self._born:
                    raise ValueError(f"{program.name}: {base}[{index}] is never assigned")

    def _whole(self, base: str, stage: int) -> bool:
        """Whether all bits of a vector are there at the start of `stage`, and needed."""
        bits = [f"{base}[{i}]" for i in range(self._width[base])]
        return all(self._born[bit] < stage <= self._died.get(bit, 0) for bit in bits)

    def at(self, name: str, stage: int) -> str:
        """Return what signal `name` is called in `stage`."""
        match = _VECTOR.fullmatch(name)
        if stage == self._born[name]:
            if name == "inverse":
                return "inverse_i"
            if name in self._program.inputs and self._program.kind != "mix":
                return name.replace("[", "_i[")
            return name
        if match is None:
            return f"{name}_s{stage}"
        base, index = match.groups()
        if self._whole(base, stage):
            return f"{base}_s{stage}[{index}]"
        return f"{base}{index}_s{stage}"

    def expression(self, operation: Operation, stage: int) -> str:
        """Return the right side of an operation with the names of its stage."""
        operands = tuple(self.at(name, stage) for name in operation.operands)
        return Operation(operation.target, operation.kind, operands).expression

    def crossing(self, stage: int) -> dict[str, str | int]:
        """Return what passes from `stage` to the next one: the width, and both sides."""
        live = [n for n, born in self._born.items() if born <= stage < self._died.get(n, 0)]
        pairs: dict[str, tuple[str, str]] = {}
        for name in live:
            match = _VECTOR.fullmatch(name)
            if match and self._goes_on_whole(match[1], stage):
                here = self.at(name, stage).partition("[")[0]
                pairs[match[1]] = (here, f"{match[1]}_s{stage + 1}")
            else:
                pairs[name] = (self.at(name, stage), self.at(name, stage + 1))
        before, after = zip(*pairs.values(), strict=True)
        return {"width": len(live), "before": _braces(before), "after": _braces(after)}

    def _goes_on_whole(self, base: str, stage: int) -> bool:
        """Whether a vector leaves `stage` as one and enters the next one as one."""
        bits = [f"{base}[{i}]" for i in range(self._width[base])]
        called = {self.at(bit, stage).partition("[")[0] for bit in bits if self._born[bit] <= stage}
        return self._whole(base, stage + 1) and len(called) == 1

    def declarations(self) -> list[str]:
        """Return the declarations of all signals, one line a width."""
        scalars: list[str] = []
        vectors: dict[int, list[str]] = {}
        own = set() if self._program.kind == "mix" else set(self._program.inputs)
        for name in self._born:
            last = max(self._died.get(name, 0), self._born[name])
            for stage in range(self._born[name], last + 1):
                if stage == self._born[name] and (name in own or name == "inverse"):
                    continue
                called = self.at(name, stage)
                base, bracket, _ = called.partition("[")
                if bracket:
                    width = self._width[name.partition("[")[0]]
                    if base not in vectors.setdefault(width, []):
                        vectors[width].append(base)
                else:
                    scalars.append(called)
        lines = [
            line
            for width in sorted(vectors)
            for line in _wrapped(f"  logic [{width - 1}:0] ", vectors[width])
        ]
        return lines + _wrapped("  logic       ", scalars) if scalars else lines

    def ports(self) -> dict[str, str]:
        """Return how the ports meet the signals: what is assigned before and after the stages."""
        if self._program.kind == "mix":
            return {
                "first": "{a0, a1, a2, a3} = column_i",
                "last": "column_o = {b0, b1, b2, b3}",
            }
        last = len(self._program.stages)
        bits = [self.at(f"y[{i}]", last) for i in range(8)]
        whole = {bit.partition("[")[0] for bit in bits}
        if len(whole) == 1:
            return {"first": "", "last": f"y_o = {whole.pop()}"}
        return {"first": "", "last": f"y_o = {_braces(bits[::-1])}"}


def _wrapped(start: str, names: Sequence[str]) -> list[str]:
    """Return a declaration of `names`, continued on lines of its own where it is long."""
    text = textwrap.wrap(
        ", ".join(names) + ";", _WIDTH - len(start), break_long_words=False, break_on_hyphens=False
    )
    return [(start if i == 0 else " " * len(start)) + line for i, line in enumerate(text)]


def _braces(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    text = "{" + ", ".join(names) + "}"
    lines = textwrap.wrap(text, _WIDTH - 12, break_long_words=False, break_on_hyphens=False)
    return ("\n" + " " * 10).join(lines)


if __name__ == "__main__":
    sys.stdout.write(module_text(load(PROGRAMS / f"{sys.argv[1]}.toml")))
