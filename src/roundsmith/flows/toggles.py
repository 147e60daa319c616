"""Simulate a netlist of standard cells, many runs at once, and count the transitions of its wires.

Every wire is a whole number with a bit for each run, so one operation computes a gate for all of
them. Gates have no delay: a wire changes at most once in a cycle, and hazards are not counted.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roundsmith.base.errors import ToolError
from roundsmith.tools import yosys
from roundsmith.tools.boolean import Expression
from roundsmith.tools.liberty import Cell, Library


@dataclass(frozen=True)
class Instance:
    """A cell and the wires at its pins; a constant is the wire 0 or 1."""

    cell: Cell
    wires: Mapping[str, int]


@dataclass
class Circuit:
    """A netlist in simulation: its ports by name, the least significant wire first.

    Wires 0 and 1 are the constants. `rises` and `falls` count transitions by wire, over all runs,
    while `counting`.
    """

    instances: list[Instance]
    ports: Mapping[str, list[int]]
    clock: int
    runs: int
    wires: int
    counting: bool = False
    cycles: int = 0
    rises: list[int] = field(default_factory=list)
    falls: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ones = (1 << self.runs) - 1
        self.now = [0] * self.wires
        self.now[1] = self.ones
        self.rises = [0] * self.wires
        self.falls = [0] * self.wires
        self._settled = list(self.now)
        self._flops = [i for i in self.instances if i.cell.flop is not None]
        self._logic = _compiled([i for i in self.instances if i.cell.flop is None])
        self._settle_states([0] * len(self._flops))

    def drive(self, port: str, values: list[int]) -> None:
        """Set an input: a number with a bit for each run, for every wire of the port."""
        for wire, value in zip(self.ports[port], values, strict=True):
            self.now[wire] = value

    def settle(self) -> None:
        """Compute all gates."""
        self._logic(self.now, self.ones)

    def read(self, port: str) -> list[int]:
        """Return the wires of a port, each with a bit for each run."""
        return [self.now[wire] for wire in self.ports[port]]

    def tick(self) -> None:
        """Count what changed since the last cycle, then clock every flip-flop."""
        if self.counting:
            self.cycles += 1
            for wire, (now, before) in enumerate(zip(self.now, self._settled, strict=True)):
                changed = now ^ before
                if changed:
                    up = (changed & now).bit_count()
                    self.rises[wire] += up
                    self.falls[wire] += changed.bit_count() - up
        self._settled = list(self.now)
        states = []
        for flop in self._flops:
            what = flop.cell.flop
            assert what is not None
            value = self._value(what.next_state, flop)
            if what.clear is not None:
                value &= ~self._value(what.clear, flop)
            if what.preset is not None:
                value |= self._value(what.preset, flop)
            states.append(value)
        self._settle_states(states)

    def _settle_states(self, states: list[int]) -> None:
        for flop, state in zip(self._flops, states, strict=True):
            what = flop.cell.flop
            assert what is not None
            values = {what.state: state, what.inverse: self.ones ^ state}
            for name in flop.cell.outputs:
                function = flop.cell.pins[name].function
                assert function is not None
                if name in flop.wires:
                    self.now[flop.wires[name]] = _evaluated(function, values, self.ones)

    def _value(self, function: Expression, instance: Instance) -> int:
        values = {pin: self.now[wire] for pin, wire in instance.wires.items()}
        return _evaluated(function, values, self.ones)


def load(netlist: Path, top: str, library: Library, folder: Path, runs: int) -> Circuit:
    """Return module `top` of a mapped Verilog netlist, ready to simulate `runs` runs at once.

    Raises ToolError when it holds a cell that the library has not, or a loop of gates.
    """
    # Modules that were mapped by themselves stand in the netlist; cells that Yosys does not know
    # are left alone.
    script = [f"read_verilog {netlist}", f"hierarchy -top {top}", "flatten -noscopeinfo"]
    script += ["write_json netlist.json"]
    yosys.run(script, what=f"Reading the netlist of {top}", folder=folder)
    module = json.loads((folder / "netlist.json").read_text())["modules"][top]
    bits = [b for n in module["netnames"].values() for b in n["bits"] if isinstance(b, int)]

    def wire(bit: Any) -> int:
        return bit if isinstance(bit, int) else int(bit == "1")

    instances = []
    for cell in module["cells"].values():
        kind = cell["type"].removeprefix("\\")
        if kind not in library.cells:
            raise ToolError(f"The netlist {netlist} holds '{kind}', which {library.name} has not.")
        wires = {pin: wire(bits[0]) for pin, bits in cell["connections"].items() if bits}
        instances.append(Instance(library.cells[kind], wires))
    ports = {name: [wire(b) for b in port["bits"]] for name, port in module["ports"].items()}
    clocks = {_clock(i) for i in instances if i.cell.flop is not None}
    if len(clocks) != 1:
        raise ToolError(f"The netlist {netlist} has {len(clocks)} clocks, where one is needed.")
    return Circuit(_ordered(instances), ports, clocks.pop(), runs, max(bits, default=1) + 1)


def _clock(instance: Instance) -> int:
    flop = instance.cell.flop
    assert flop is not None
    (pin,) = flop.clock.pins
    return instance.wires[pin]


def _ordered(instances: list[Instance]) -> list[Instance]:
    """Return gates behind those that drive them; flip-flops first."""
    flops = [i for i in instances if i.cell.flop is not None]
    gates = [i for i in instances if i.cell.flop is None]
    drivers = {i.wires[pin]: i for i in gates for pin in i.cell.outputs if pin in i.wires}
    done: dict[int, bool] = {}
    order: list[Instance] = []
    for gate in gates:
        todo = [gate]
        while todo:
            at = todo[-1]
            before = [drivers.get(at.wires[pin]) for pin in at.cell.inputs]
            waiting = [g for g in before if g is not None and not done.get(id(g), False)]
            if id(at) in done or not waiting:
                if not done.get(id(at), False):
                    if waiting:
                        raise ToolError(f"The gate {at.cell.name} is part of a loop of gates.")
                    done[id(at)] = True
                    order.append(at)
                todo.pop()
            else:
                done[id(at)] = False
                todo += waiting
    return flops + order


def _compiled(gates: list[Instance]) -> Callable[[list[int], int], None]:
    """Return a function that computes all `gates` in their order."""
    lines = ["def settle(v, ones):", " pass"]
    for gate in gates:
        names = {pin: f"v[{wire}]" for pin, wire in gate.wires.items()}
        for pin in gate.cell.outputs:
            function = gate.cell.pins[pin].function
            if pin in gate.wires and function is not None:
                lines.append(f" {names[pin]} = {_python(function, names)}")
    space: dict[str, Any] = {}
    exec(compile("\n".join(lines), "netlist", "exec"), space)
    settle: Callable[[list[int], int], None] = space["settle"]
    return settle


_OPERATORS = {"and": "&", "or": "|", "xor": "^"}


def _python(function: Expression, names: Mapping[str, str]) -> str:
    if function.kind == "pin":
        return names.get(function.pin, "0")
    if not function.parts:
        return "ones" if function.kind == "1" else "0"
    parts = [_python(part, names) for part in function.parts]
    if function.kind == "not":
        return f"(ones ^ {parts[0]})"
    return f"({f' {_OPERATORS[function.kind]} '.join(parts)})"


def _evaluated(function: Expression, values: Mapping[str, int], ones: int) -> int:
    if function.kind == "pin":
        return values.get(function.pin, 0)
    if not function.parts:
        return ones if function.kind == "1" else 0
    parts = [_evaluated(part, values, ones) for part in function.parts]
    if function.kind == "not":
        return ones ^ parts[0]
    left, right = parts
    return {"and": left & right, "or": left | right, "xor": left ^ right}[function.kind]
