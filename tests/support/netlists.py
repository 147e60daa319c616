"""Netlists without feedback, evaluated exactly: along time, or for all inputs as sums of inputs.

A netlist comes from Yosys as JSON, as simple gates or mapped to ECP5. Every cell of it is a truth
table or a register, which delays by one cycle.
"""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from roundsmith.base.paths import library
from roundsmith.flows.synthesize import MODELS
from roundsmith.tools import verilator, yosys

Wave = int
Bit = int | str

#: Gates as truth tables: the ports from the least significant index bit up, and the table.
GATES = {
    "$_BUF_": ("A", 0b10),
    "$_NOT_": ("A", 0b01),
    "$_AND_": ("AB", 0b1000),
    "$_NAND_": ("AB", 0b0111),
    "$_OR_": ("AB", 0b1110),
    "$_NOR_": ("AB", 0b0001),
    "$_XOR_": ("AB", 0b0110),
    "$_XNOR_": ("AB", 0b1001),
    "$_ANDNOT_": ("AB", 0b0010),
    "$_ORNOT_": ("AB", 0b1011),
    "$_MUX_": ("ABS", 0b11001010),
    "PFUMX": (("BLUT", "ALUT", "C0"), 0b11001010),
    "L6MUX21": (("D0", "D1", "SD"), 0b11001010),
}

#: Simple gates, for the RTL itself. Merging equal cells early keeps many instances small.
AS_READ = [
    "proc -noopt",
    "flatten",
    "memory_collect",
    "memory_map",
    "simplemap",
    "opt_merge",
    "opt_clean",
    "techmap",
    "opt_expr",
    "opt_clean",
]

#: A mapping to ECP5 that keeps the structure of the source, with LUT4s joined to wider ones.
MAPPED = [
    "flatten",
    "scratchpad -set abc9.script +&if,{W};&mfs",
    "synth_ecp5",
]


@dataclass(frozen=True)
class Cell:
    """One output: a truth table over the inputs, delayed by one cycle if it is a register."""

    output: Bit
    inputs: tuple[Bit, ...]
    table: int
    register: bool = False


@dataclass(frozen=True)
class Netlist:
    """One flat module: its ports as lists of bits, least significant first, and ordered cells."""

    ports: Mapping[str, Sequence[Bit]]
    cells: Sequence[Cell]

    def along_time(self, inputs: Mapping[str, Sequence[int]]) -> dict[str, list[int]]:
        """Return the values of every output cycle by cycle, for those of every input.

        Registers start at zero. An input that is not named is zero.
        """
        (cycles,) = {len(values) for values in inputs.values()}
        ones = (1 << cycles) - 1
        value: dict[Bit, Wave] = {"0": 0, "1": ones, "x": 0}
        for name, values in inputs.items():
            for i, bit in enumerate(self.ports[name]):
                value[bit] = sum((v >> i & 1) << t for t, v in enumerate(values))
        for cell in self.cells:
            wave = _select(cell.table, [value.get(bit, 0) for bit in cell.inputs], ones)
            value[cell.output] = wave << 1 & ones if cell.register else wave
        found = {}
        for name in self.outputs:
            waves = [value.get(bit, 0) for bit in self.ports[name]]
            found[name] = [
                sum((w >> t & 1) << i for i, w in enumerate(waves)) for t in range(cycles)
            ]
        return found

    @property
    def outputs(self) -> list[str]:
        """The names of the output ports."""
        return [name for name in self.ports if name.endswith("_o")]

    def sums(self, constants: Mapping[str, int]) -> dict[str, list[frozenset[str]]]:
        """Return each bit of each output as the sum of the inputs that it depends on.

        `constants` are inputs that keep a value; all other inputs are free. The sum
        holds `state_i[3]`, or `state_i[3] -1` for its value a cycle ago, and `1` for the
        constant. AssertionError when a cell is not linear on the values that it can meet.
        """
        free = [
            (name, i, bit)
            for name, bits in self.ports.items()
            for i, bit in enumerate(bits)
            if name.endswith("_i") and name not in constants
        ]
        # Bit 0 is the constant; above it, the free inputs of this cycle, of the one before, ...
        form: dict[Bit, int] = {"0": 0, "1": 1, "x": 0}
        for name, value in constants.items():
            form.update({bit: value >> i & 1 for i, bit in enumerate(self.ports[name])})
        form.update({bit: 2 << i for i, (_, _, bit) in enumerate(free)})
        for cell in self.cells:
            found = _affine(cell.table, [form[bit] for bit in cell.inputs])
            if cell.register:
                found = (found & ~1) << len(free) | found & 1
            form[cell.output] = found
        return {
            name: [_terms(form[bit], free) for bit in self.ports[name]] for name in self.outputs
        }


def _select(table: int, waves: Sequence[Wave], ones: Wave) -> Wave:
    """Return a truth table applied to waves."""
    if not waves:
        return ones if table else 0
    half = 1 << len(waves) - 1
    low, high = table & (1 << half) - 1, table >> half
    if low == high:
        return _select(low, waves[:-1], ones)
    select = waves[-1]
    one = _select(high, waves[:-1], ones)
    return one & select | _select(low, waves[:-1], ones) & ~select


def _affine(table: int, forms: Sequence[int]) -> int:
    """Return a truth table applied to sums, if it is a sum on all values that these can take."""
    subsets = range(1 << len(forms))
    total = [0] * len(subsets)
    for subset in subsets[1:]:
        lowest = (subset & -subset).bit_length() - 1
        total[subset] = total[subset & subset - 1] ^ forms[lowest]
    # Where some inputs add up to a constant, not all their values can occur together.
    constant = tuple((s, total[s]) for s in subsets[1:] if total[s] in {0, 1})
    subset, one = _as_sum(table, len(forms), constant)
    return total[subset] ^ one


@cache
def _as_sum(table: int, inputs: int, constant: tuple[tuple[int, int], ...]) -> tuple[int, int]:
    possible = [
        value
        for value in range(1 << inputs)
        if all((value & s).bit_count() & 1 == c for s, c in constant)
    ]
    for subset in range(1 << inputs):
        differences = {(table >> v & 1) ^ (v & subset).bit_count() & 1 for v in possible}
        if len(differences) == 1:
            return subset, differences.pop()
    raise AssertionError(f"a cell with the truth table {table:b} is not linear")


def _terms(form: int, free: Sequence[tuple[str, int, Bit]]) -> frozenset[str]:
    terms = {"1"} if form & 1 else set()
    form &= ~1
    while form:
        lowest = form & -form
        form ^= lowest
        age, index = divmod(lowest.bit_length() - 2, len(free))
        name, bit, _ = free[index]
        terms.add(f"{name}[{bit}]" + (f" -{age}" if age else ""))
    return frozenset(terms)


@dataclass(frozen=True)
class Instance:
    """A module in a bench: its name, its parameters as text, and its ports but the clock.

    All instances share the inputs of the bench by their names; outputs are called `LABEL_PORT`.
    """

    label: str
    module: str
    ports: Mapping[str, int]
    parameters: str = ""
    clocked: bool = True


def read(
    instances: Sequence[Instance],
    folder: Path,
    script: Sequence[str] = AS_READ,
    instead: Mapping[str, Path] | None = None,
) -> Netlist:
    """Return a bench with all `instances`, after the passes of `script`.

    `instead` names files that stand for those of the library, by module.
    """
    last = ["opt_clean -purge", "write_json netlist.json"]
    _run(instances, folder, [*script, *last], instead)
    return _netlist(json.loads((folder / "netlist.json").read_text())["modules"]["bench"])


def simulate(
    instances: Sequence[Instance], inputs: Mapping[str, Sequence[int]], folder: Path
) -> dict[str, list[int]]:
    """Return the outputs of a mapped bench cycle by cycle, by Verilator with the cells' models.

    It takes what has no truth table: block RAM.
    """
    # With a reset that is tied low, Yosys would be free to choose its mode.
    _run(instances, folder, [*MAPPED, "write_verilog -noattr netlist.v"], clear="clear_i")
    outputs = [f"{one.label}_{p}" for one in instances for p in one.ports if p.endswith("_o")]
    cycles = len(next(iter(inputs.values())))
    tables = [f"static const int {n}[] = {{{str(list(v))[1:-1]}}};" for n, v in inputs.items()]
    # Outputs belong to the inputs of their own cycle, so they are read before the edge.
    lines = [
        '#include "Vmodel.h"',
        "#include <cstdio>",
        *tables,
        "int main() {",
        "  Vmodel m;",
        "  m.clear_i = 0;",
        f"  for (int t = 0; t < {cycles}; ++t) {{",
        *(f"    m.{name} = {name}[t];" for name in inputs),
        "    m.clk_i = 0; m.eval();",
        *(f'    std::printf("%d ", int(m.{name}));' for name in outputs),
        "    m.clk_i = 1; m.eval();",
        "  }",
        "}",
    ]
    harness = folder / "harness.cpp"
    harness.write_text("\n".join([*lines, ""]))
    share = yosys.share() / "ecp5"
    program = verilator.build(
        [MODELS / "ecp5_dp16kd.v", share / "cells_sim.v", folder / "netlist.v"],
        "bench",
        harness,
        folder,
        # The models are not written for Verilator's rules, and ours of the RAM comes first.
        flags=["-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-MODDUP", f"+incdir+{share}"],
    )
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    return {
        name: [int(value) for value in printed[i :: len(outputs)]] for i, name in enumerate(outputs)
    }


def _run(
    instances: Sequence[Instance],
    folder: Path,
    script: Sequence[str],
    instead: Mapping[str, Path] | None = None,
    clear: str = "1'b0",
) -> None:
    """Read a bench with `instances` on the library and run `script` on it in `folder`."""
    files = {path.stem: path for path in library()} | dict(instead or {})
    folder.mkdir(parents=True, exist_ok=True)
    bench = folder / "bench.sv"
    bench.write_text(_bench(instances, clear))
    steps = [yosys.read_slang([*files.values(), bench], "bench"), *script]
    yosys.run(steps, what="Reading the bench", folder=folder)


def _bench(instances: Sequence[Instance], clear: str) -> str:
    declared = {port: f"input logic {port}" for port in ("clk_i", "clear_i")}
    body = []
    for one in instances:
        pins = [f".clk_i, .clear_i({clear})"] if one.clocked else []
        for port, width in one.ports.items():
            output = port.endswith("_o")
            name = f"{one.label}_{port}" if output else port
            declared[name] = f"{'output' if output else 'input'} logic [{width - 1}:0] {name}"
            pins.append(f".{port}({name})")
        body.append(f"  {one.module} {one.parameters} u_{one.label} ({', '.join(pins)});")
    head = "module bench import rsm_aes_pkg::*; (" + ",\n  ".join(declared.values()) + ");"
    return "\n".join([head, *body, "endmodule", ""])


def _netlist(module: Mapping[str, object]) -> Netlist:
    ports = {name: port["bits"] for name, port in module["ports"].items()}  # type: ignore[attr-defined]
    cells = [_cell(cell) for cell in module["cells"].values()]  # type: ignore[attr-defined]
    by_output = {cell.output: cell for cell in cells}
    assert len(by_output) == len(cells)
    # Raises CycleError where there is feedback.
    needs = {c.output: [b for b in c.inputs if b in by_output] for c in cells}
    order = TopologicalSorter(needs).static_order()
    return Netlist(ports, [by_output[bit] for bit in order])


def _cell(cell: Mapping[str, object]) -> Cell:
    kind: str = cell["type"]  # type: ignore[assignment]
    pins: Mapping[str, Sequence[Bit]] = cell["connections"]  # type: ignore[assignment]
    settings: Mapping[str, str] = cell["parameters"]  # type: ignore[assignment]

    def pin(name: str) -> Bit:
        (bit,) = pins[name]
        return bit

    if kind in GATES:
        names, table = GATES[kind]
        output = "Y" if "Y" in pins else "Z"
        return Cell(pin(output), tuple(pin(n) for n in names), table)
    if kind == "LUT4":
        return Cell(pin("Z"), tuple(pin(n) for n in "ABCD"), int(settings["INIT"], 2))
    if kind == "$_DFF_P_":
        return Cell(pin("Q"), (pin("D"),), 0b10, register=True)
    if kind == "$_SDFF_PP0_":
        return Cell(pin("Q"), (pin("D"), pin("R")), 0b0010, register=True)
    if kind == "TRELLIS_FF":
        # Yosys pads strings of digits with a blank.
        known = {name: value.strip() for name, value in settings.items()}
        expected = {"CLKMUX": "CLK", "LSRMUX": "LSR", "REGSET": "RESET", "CEMUX": "1"}
        assert expected.items() <= known.items(), known
        return Cell(pin("Q"), (pin("DI"), pin("LSR")), 0b0010, register=True)
    raise AssertionError(f"no truth table for {kind}")
