"""Which inputs of a core reach an output in the same cycle, found in its netlist.

A ready can depend on what is offered. An engineer who connects two ports must know such a path: it
takes time of the cycle, and two of them can close a loop. The search reads the hierarchical netlist
that `verilog2005` writes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

#: Cells whose output bit depends on the same bit of these inputs alone.
_BITWISE = {
    "$not": "A",
    "$pos": "A",
    "$and": "AB",
    "$or": "AB",
    "$xor": "AB",
    "$xnor": "AB",
    "$bwmux": "ABS",
}

#: What a cell that keeps a bit is called, with an enable, a reset or neither.
_REGISTERS = ("$dff", "$sdff", "$adff", "$aldff", "$ff")

#: Outputs by name, each with the inputs that reach it, sorted. Those that none reaches are not in.
Paths = dict[str, list[str]]

#: A bit of a netlist as Yosys writes it: the number of a wire, or a constant.
_Bit = int | str


def ready_paths(modules: Mapping[str, Any], top: str) -> Paths:
    """Return the paths of `top` among `modules`, as `write_json` of Yosys has them."""
    netlist = _Netlist(modules)
    inputs = {
        bit: name
        for name, port in modules[top]["ports"].items()
        if port["direction"] == "input"
        for bit in port["bits"]
    }
    found = {}
    for name, port in modules[top]["ports"].items():
        if port["direction"] == "output":
            reached = netlist.sources(top, port["bits"])
            if reached:
                found[name] = sorted({inputs[bit] for bit in reached})
    return found


@dataclass
class _Netlist:
    """Modules that are followed from outputs to inputs, each bit of each of them once."""

    modules: Mapping[str, Any]
    drivers: dict[str, dict[_Bit, tuple[str, int]]] = field(default_factory=dict)
    known: dict[tuple[str, _Bit], frozenset[_Bit]] = field(default_factory=dict)

    def sources(self, module: str, bits: list[_Bit]) -> set[_Bit]:
        """Return the bits of inputs of `module` that reach one of its `bits`."""
        ports = self.modules[module]["ports"].values()
        inputs = {bit for port in ports if port["direction"] == "input" for bit in port["bits"]}
        waiting, seen = list(bits), set[_Bit]()
        while waiting:
            bit = waiting.pop()
            if bit not in seen and isinstance(bit, int):
                seen.add(bit)
                waiting += [] if bit in inputs else self._behind(module, bit)
        return seen & inputs

    def _behind(self, module: str, bit: _Bit) -> list[_Bit]:
        """Return the bits that the driver of `bit` reads in the same cycle."""
        if module not in self.drivers:
            self.drivers[module] = _drivers(self.modules[module])
        where = self.drivers[module].get(bit)
        if where is None:
            return []
        name, index = where
        cell = self.modules[module]["cells"][name]
        kind, ends = cell["type"], cell["connections"]
        if kind in self.modules:
            return self._through(cell, bit)
        if kind.startswith("$mem"):
            return _address(cell, index)
        if kind in _BITWISE:
            return [ends[end][min(index, len(ends[end]) - 1)] for end in _BITWISE[kind]]
        if kind == "$mux":
            return [ends["A"][index], ends["B"][index], *ends["S"]]
        if kind == "$pmux":
            return [ends["A"][index], *ends["B"][index :: len(ends["Y"])], *ends["S"]]
        return [b for end in ends if cell["port_directions"][end] == "input" for b in ends[end]]

    def _through(self, cell: Mapping[str, Any], bit: _Bit) -> list[_Bit]:
        """Return what the instance `cell` reads to drive `bit`."""
        inner: str = cell["type"]
        outside: dict[_Bit, _Bit] = {}
        leaving: list[_Bit] = []
        for name, port in self.modules[inner]["ports"].items():
            pairs = zip(port["bits"], cell["connections"].get(name, ()), strict=False)
            if port["direction"] == "input":
                outside.update(pairs)
            else:
                leaving += [inside for inside, seen in pairs if seen == bit]
        for inside in leaving:
            if (inner, inside) not in self.known:
                self.known[inner, inside] = frozenset(self.sources(inner, [inside]))
        reached = (self.known[inner, inside] for inside in leaving)
        return [outside[source] for sources in reached for source in sources if source in outside]


def _drivers(module: Mapping[str, Any]) -> dict[_Bit, tuple[str, int]]:
    """Return for each bit the cell that drives it without a register, and the bit's place there."""
    return {
        bit: (name, index)
        for name, cell in module["cells"].items()
        if not cell["type"].startswith(_REGISTERS)
        for end in _outputs(cell)
        for index, bit in enumerate(cell["connections"][end])
    }


def _outputs(cell: Mapping[str, Any]) -> Iterator[str]:
    return (end for end, way in cell["port_directions"].items() if way == "output")


def _address(cell: Mapping[str, Any], index: int) -> list[_Bit]:
    """Return the address behind bit `index` of what a memory reads; none where it has a clock."""
    parameters = cell["parameters"]
    width, bits = (int(parameters[name], 2) for name in ("WIDTH", "ABITS"))
    port = index // width
    clocked = parameters["RD_CLK_ENABLE"][-1 - port] == "1"
    return [] if clocked else cell["connections"]["RD_ADDR"][port * bits : (port + 1) * bits]
