"""Proofs of modules that are no straight-line programs, such as tables and trees of multiplexers.

Yosys makes simple gates of a module, and the gates are evaluated here: an S-box on every input in
every direction; a linear module, which has nothing but exclusive-or gates once its control inputs
are set, on every vector of a basis, which determines it. Registers count as wires: when they are
aligned is for simulation to show, which the tests do at every choice of registers.
"""

import json
import tempfile
from collections.abc import Callable, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

from roundsmith.circuits import sbox_table
from roundsmith.circuits.listing import Circuit
from roundsmith.circuits.program import Kind, Operation
from roundsmith.circuits.proof import INVERSE_MIX, MIX, ProofFailed
from roundsmith.reference import serpent
from roundsmith.tools import yosys

_GATES = {
    "$_NOT_": (Kind.NOT, "A"),
    "$_BUF_": (Kind.ALIAS, "A"),
    "$_AND_": (Kind.AND, "AB"),
    "$_NAND_": (Kind.NAND, "AB"),
    "$_OR_": (Kind.OR, "AB"),
    "$_NOR_": (Kind.NOR, "AB"),
    "$_XOR_": (Kind.XOR, "AB"),
    "$_XNOR_": (Kind.XNOR, "AB"),
    "$_ANDNOT_": (Kind.ANDNOT, "AB"),
    "$_ORNOT_": (Kind.ORNOT, "AB"),
    "$_MUX_": (Kind.MUX, "SBA"),
}
_REGISTERS = ("$_DFF_", "$_SDFF_")
_LINEAR = {Kind.XOR, Kind.XNOR, Kind.NOT, Kind.ALIAS}

#: Everything above that decides a proof, for its record.
FLOW = "rtl proof 1"

# The value of every output port for values of the input ports, one bit of each port an int with
# a bit for every case.
_Ports = Mapping[str, list[int]]


def prove(circuit: Circuit) -> None:
    """Return when the module of `circuit` is right for every input; else raise ProofFailed.

    Inverters cannot be proved here, as their basis is not in the module.
    """
    inverses = {"forward": (False,), "inverse": (True,), "both": (False, True)}
    with tempfile.TemporaryDirectory() as folder:
        for inverse in inverses[circuit.direction]:
            gates = _Gates(circuit, inverse, Path(folder) / str(inverse))
            checks: dict[str, Callable[[_Gates], None]] = {
                "sbox": _prove_sbox,
                "mix": _prove_linear,
                "mix-add": _prove_linear,
                "linear": _prove_linear,
            }
            if circuit.kind not in checks:
                raise ProofFailed(f"{circuit.name} is of a kind that has no proof as a module.")
            checks[circuit.kind](gates)


class _Gates:
    """A module as gates in order of evaluation, with its control inputs set."""

    def __init__(self, circuit: Circuit, inverse: bool, folder: Path) -> None:
        self.circuit = circuit
        self.inverse = inverse
        module = self._read(folder)
        self.ports: dict[str, Any] = module["ports"]
        self.operations = self._ordered(module["cells"])

    def _read(self, folder: Path) -> Any:
        top = self.circuit.module
        script = [
            yosys.read_slang(self.circuit.files, top, parameters=self.circuit.settings),
            f"hierarchy -top {top}",
            "proc",
            "flatten",
            # Deleting the input leaves a signal without a driver, which takes the value.
            "delete -input w:*inverse_i",
            f"setundef -undriven {'-one' if self.inverse else '-zero'}",
            "delete -input w:clear_i w:last_i w:*_bypass_i",
            "setundef -undriven -zero",
            "opt -full -nodffe -nosdff",
            "memory_map",
            "opt -full -nodffe -nosdff",
            "techmap",
            "opt -full -nodffe -nosdff",
            "simplemap",
            "write_json gates.json",
        ]
        yosys.run(script, what=f"The elaboration of {top}", folder=folder)
        return json.loads((folder / "gates.json").read_text())["modules"][top]

    def _ordered(self, cells: Mapping[str, Any]) -> list[Operation]:
        drivers: dict[str, Operation] = {}
        for cell in cells.values():
            kind, pins = cell["type"], {k: v[0] for k, v in cell["connections"].items()}
            if kind.startswith("$scopeinfo"):
                continue
            if kind.startswith(_REGISTERS):
                drivers[str(pins["Q"])] = Operation(str(pins["Q"]), Kind.ALIAS, (str(pins["D"]),))
                continue
            if kind not in _GATES:
                raise ProofFailed(f"{self.circuit.name} has a cell that no proof knows: {kind}.")
            what, inputs = _GATES[kind]
            operands = tuple(str(pins[pin]) for pin in inputs)
            drivers[str(pins["Y"])] = Operation(str(pins["Y"]), what, operands)
        uses = {name: [o for o in d.operands if o in drivers] for name, d in drivers.items()}
        try:
            return [drivers[name] for name in TopologicalSorter(uses).static_order()]
        except CycleError:
            raise ProofFailed(f"{self.circuit.name} has a loop.") from None

    def evaluate(self, inputs: _Ports, ones: int) -> dict[str, list[int]]:
        """Return the bits of every output port for the `inputs`."""
        values = {"0": 0, "1": ones, "x": 0}
        for port, bits in inputs.items():
            values.update(zip(map(str, self.ports[port]["bits"]), bits, strict=True))
        for operation in self.operations:
            values[operation.target] = operation.apply(values, ones) & ones
        return {
            name: [values[str(bit)] for bit in port["bits"]]
            for name, port in self.ports.items()
            if port["direction"] == "output"
        }


def _prove_sbox(gates: _Gates) -> None:
    wanted = _table(gates.circuit, gates.inverse)
    size, digits = len(wanted), len(f"{len(wanted) - 1:x}")
    all_inputs = [
        sum(1 << x for x in range(size) if x >> i & 1) for i in range(size.bit_length() - 1)
    ]
    inputs = {name: all_inputs for name in gates.ports if name.endswith("x_i")}
    for port, bits in gates.evaluate(inputs, (1 << size) - 1).items():
        for x in range(size):
            found = sum((bit >> x & 1) << i for i, bit in enumerate(bits))
            if found != wanted[x]:
                raise ProofFailed(
                    f"{gates.circuit.name} is wrong: {port} is {found:0{digits}x} instead of "
                    f"{wanted[x]:0{digits}x} for {x:0{digits}x}"
                    f"{' (inverse)' if gates.inverse else ''}."
                )


def _table(circuit: Circuit, inverse: bool) -> tuple[int, ...]:
    """Return the output of the S-box for every input."""
    if circuit.box is not None:
        return (serpent.INVERSE_SBOXES if inverse else serpent.SBOXES)[circuit.box]
    sbox = sbox_table.sbox()
    return tuple(sbox.index(y) for y in range(256)) if inverse else sbox


def _prove_linear(gates: _Gates) -> None:
    """Prove one column, four with a key added, or a state of Serpent, on a basis and on zero."""
    for operation in gates.operations:
        if operation.kind not in _LINEAR:
            raise ProofFailed(f"{gates.circuit.name} is not linear: it has a gate {operation}.")
    (out,) = (name for name, port in gates.ports.items() if port["direction"] == "output")
    widths = {
        name: len(port["bits"])
        for name, port in gates.ports.items()
        if port["direction"] == "input" and name != "clk_i"
    }
    # Case 0 is zero everywhere; each further case has one input bit set.
    cases = [(name, bit) for name, width in widths.items() for bit in range(width)]
    inputs = {name: [0] * width for name, width in widths.items()}
    for case, (name, bit) in enumerate(cases, start=1):
        inputs[name][bit] |= 1 << case
    found = gates.evaluate(inputs, (1 << len(cases) + 1) - 1)[out]
    for case, origin in enumerate([("", 0), *cases]):
        got = sum((value >> case & 1) << i for i, value in enumerate(found))
        image = _transformed if gates.circuit.kind == "linear" else _mixed
        if got != image(*origin, gates.inverse):
            where = f"bit {origin[1]} of {origin[0]}" if case else "zero"
            raise ProofFailed(f"{gates.circuit.name} is wrong: it differs on {where}.")


def _mixed(port: str, bit: int, inverse: bool) -> int:
    """Return the output of a module of AES for one input bit; byte 0 is the top byte."""
    if not port:
        return 0
    if port == "key_i":
        return 1 << bit
    first = INVERSE_MIX if inverse else MIX
    low, row = bit // 32 * 32, 3 - bit % 32 // 8
    result = 0
    for to in range(4):
        product = sbox_table.multiply(first[(to - row) % 4], 1 << bit % 8)
        result |= product << low + 24 - 8 * to
    return result


def _transformed(port: str, bit: int, inverse: bool) -> int:
    """Return the output of Serpent's linear transformation for one input bit; X0 is lowest."""
    if not port:
        return 0
    x0, x1, x2, x3 = ((1 << bit) >> 32 * i & 0xFFFFFFFF for i in range(4))
    transform = serpent.transform_back if inverse else serpent.transform
    return sum(word << 32 * i for i, word in enumerate(transform((x0, x1, x2, x3))))
