"""How many LUT4s a circuit takes, in a small portfolio that is the same for every circuit.

The LUTs of the three families are alike, so logic is mapped once; the families differ in how many
LUT4s their multiplexers join, and in their memories. A mapping either keeps the structure as it
is written or rebuilds it, and either has the family's multiplexers or LUT4s alone: a function of
five inputs is then two LUT4s and a multiplexer, of six inputs four and three, and so on. Each is
made with no register and with all. A circuit in block RAM goes through Yosys' flow of the family.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from roundsmith.base.recorded import recorded
from roundsmith.circuits.listing import Circuit
from roundsmith.tools import yosys


@dataclass(frozen=True)
class Family:
    """An FPGA family: its flow in Yosys, and its multiplexers, from that of two LUT4s upwards."""

    synthesis: str
    multiplexers: tuple[str, ...]

    def __repr__(self) -> str:
        """Return it in the words of the records."""
        return recorded("Family", self)


_XILINX = "synth_xilinx -family {} -flatten -noiopad -noclkbuf -nosrl"

#: Virtex-E (Virtex and Spartan-II are alike), Spartan-3 and ECP5.
FAMILIES = {
    "xcve": Family(_XILINX.format("xcve"), ("MUXF5", "MUXF6")),
    "xc3s": Family(_XILINX.format("xc3s"), ("MUXF5", "MUXF6", "MUXF7", "MUXF8")),
    "ecp5": Family("synth_ecp5", ("PFUMX", "L6MUX21", "L6MUX21")),
}

# `written` keeps the structure of the source, as its namesake in roundsmith.flows.ecp5 does.
_SCRIPTS = {
    "written": "+&if,{W},-a;&mfs",
    "rebuilt": "+&scorr;&sweep;&dc2;&dch,-f,-r;&if,{W},-a;&mfs",
}
_CHEAPEST = (1, 1, 1, 1)
_REGISTERS = ("$_DFF", "$_SDFF", "TRELLIS_FF", "FD")
_MEMORIES = ("DP16KD", "RAMB")
_VENDOR_LUTS = ("LUT", "INV")

#: Everything above that decides a figure, for the record of a measurement.
FLOW = f"luts {FAMILIES} {_SCRIPTS} {_CHEAPEST}"


@dataclass(frozen=True)
class LutMapping:
    """One mapping to LUT4s: its script, what it takes, and the LUT4s on its longest path.

    `cut` says whether every register is there, `wide` whether the family's multiplexers are used;
    these are in `multiplexers` by name.
    """

    script: str
    cut: bool
    wide: bool
    luts: int
    registers: int
    memories: int
    levels: int
    multiplexers: dict[str, int]


def synthesize(circuit: Circuit, folder: Path) -> dict[str, list[LutMapping]]:
    """Return the mappings of `circuit` by family: the smallest for each `cut` and `wide`.

    Scripts and logs stay in `folder`.

    Raises ToolError when Yosys refuses the module.
    """
    if circuit.in_memory:
        return {name: [_in_memory(circuit, name, folder / name)] for name in FAMILIES}
    found: dict[str, dict[tuple[bool, bool], LutMapping]] = {name: {} for name in FAMILIES}
    for cut in (False, True) if circuit.cuts else (False,):
        modules = _map(circuit, cut, folder / ("cut" if cut else "uncut"))
        for script in _SCRIPTS:
            for name, family in FAMILIES.items():
                for wide in (False, True):
                    width = 4 + len(family.multiplexers) if wide else 4
                    new = _count(modules[script, width], script, cut, family.multiplexers, wide)
                    old = found[name].get((cut, wide), new)
                    found[name][cut, wide] = min(old, new, key=_size)
    return {name: list(mappings.values()) for name, mappings in found.items()}


def smallest(mappings: Sequence[LutMapping], *, cut: bool, wide: bool = True) -> LutMapping | None:
    """Return the mapping with the fewest LUT4s; without `wide`, none with multiplexers."""
    fitting = [m for m in mappings if m.cut is cut and (wide or not m.multiplexers)]
    return min(fitting, key=_size, default=None)


def _size(mapping: LutMapping) -> tuple[int, int, int]:
    return mapping.luts, sum(mapping.multiplexers.values()), mapping.levels


def _read(circuit: Circuit, cut: bool) -> str:
    """Return the pass that reads the module with every register, or with none."""
    parameters = circuit.parameters(cut=cut)
    return yosys.read_slang(circuit.files, circuit.module, parameters=parameters)


def _map(circuit: Circuit, cut: bool, folder: Path) -> dict[tuple[str, int], Any]:
    """Return the cells of every mapping, by its script and the inputs of its widest LUT."""
    script = [
        _read(circuit, cut),
        f"synth -noabc -flatten -top {circuit.module}",
        "opt_clean -purge",
        "design -save gates",
    ]
    widths = sorted({4, *(4 + len(family.multiplexers) for family in FAMILIES.values())})
    pairs = [(name, width) for name in _SCRIPTS for width in widths]
    for name, width in pairs:
        costs = (*_CHEAPEST, *(1 << inputs - 4 for inputs in range(5, width + 1)))
        script += [
            "design -load gates",
            f"scratchpad -set abc9.script {_SCRIPTS[name]}",
            f"abc9 -luts {','.join(map(str, costs))}",
            "opt_clean -purge",
            f"write_json {name}-{width}.json",
        ]
    yosys.run(script, what=f"The mapping of {circuit.name} to LUTs", folder=folder)
    return {pair: _cells(folder / f"{pair[0]}-{pair[1]}.json", circuit.module) for pair in pairs}


def _cells(file: Path, module: str) -> Any:
    return json.loads(file.read_text())["modules"][module]["cells"]


def _count(
    cells: Mapping[str, Any], script: str, cut: bool, multiplexers: Sequence[str], wide: bool
) -> LutMapping:
    widths = Counter(len(c["connections"]["A"]) for c in cells.values() if c["type"] == "$lut")
    taken: Counter[str] = Counter()
    for width, number in widths.items():
        # A LUT of 4 + n inputs is 2^n LUT4s, joined in pairs, in pairs of pairs, and so on.
        for step in range(width - 4):
            taken[multiplexers[step]] += number << width - 5 - step
    return LutMapping(
        script=script,
        cut=cut,
        wide=wide,
        luts=sum(number << max(0, width - 4) for width, number in widths.items()),
        registers=_sum(cells, _REGISTERS),
        memories=0,
        levels=_levels(cells),
        multiplexers=dict(sorted(taken.items())),
    )


def _sum(cells: Mapping[str, Any], kinds: tuple[str, ...]) -> int:
    return sum(cell["type"].startswith(kinds) for cell in cells.values())


def _levels(cells: Mapping[str, Any]) -> int:
    """Return the most LUTs on a path between ports and registers."""
    luts = {
        c["connections"]["Y"][0]: c["connections"]["A"]
        for c in cells.values()
        if c["type"] == "$lut"
    }
    uses = {out: [bit for bit in inputs if bit in luts] for out, inputs in luts.items()}
    level: dict[int, int] = {}
    for out in TopologicalSorter(uses).static_order():
        level[out] = 1 + max((level[bit] for bit in uses[out]), default=0)
    return max(level.values(), default=0)


def _in_memory(circuit: Circuit, family: str, folder: Path) -> LutMapping:
    yosys.run(
        [
            _read(circuit, cut=False),
            f"{FAMILIES[family].synthesis} -top {circuit.module}",
            "write_json mapped.json",
        ],
        what=f"The synthesis of {circuit.name} for {family}",
        folder=folder,
    )
    cells = _cells(folder / "mapped.json", circuit.module)
    return LutMapping(
        script="family",
        cut=False,
        wide=True,
        luts=_sum(cells, _VENDOR_LUTS),
        registers=_sum(cells, _REGISTERS),
        memories=_sum(cells, _MEMORIES),
        levels=0,
        multiplexers={},
    )
