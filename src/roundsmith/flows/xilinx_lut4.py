"""How large a core is on an FPGA that can be mapped to but not placed: area, no clock.

The families are those of the papers' time whose logic is LUT4 as on ECP5: Virtex and Spartan-II
(xcv), Virtex-E (xcve), Virtex-II (xc2v) and Spartan-3 (xc3s). A slice of each holds two LUTs and
two flip-flops.

Yosys' own script for them trades LUTs for depth: 906 instead of 668 for a loop with S-boxes in
block RAM (Virtex-E). So there is a small portfolio, the same for every core, of which the netlist
with the fewest slices counts: logic as it is written or rebuilt for area, with and without the
multiplexers that join LUTs; and, for a core with more flip-flops than LUTs, shift registers in
LUTs for chains of three and more registers, or of two and more, which Yosys does not find on these
families by itself. The carry chain is left alone: the only numbers that a core
counts are four bits wide.

What is counted:

- LUTs: those of logic, inverters among them; one for a shift register; those that distributed
  RAM takes; and one for each input of a multiplexer that comes from anything but a LUT of its
  own, since the wires between the two are fixed.
- Slices, a lower bound that ignores which registers may share a slice: half the LUTs or half the
  flip-flops, whichever are more. Multiplexers need none of their own: a slice has one behind its
  two LUTs. A bus with 3-state buffers, which stand beside the slices, is a black box.
"""

import json
import math
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from roundsmith.base.cache import kept
from roundsmith.tools import yosys

FAMILIES = ("xcv", "xcve", "xc2v", "xc3s")

_SYNTHESIS = "synth_xilinx -family {family} -flatten -noiopad -noclkbuf"

#: Up to the flip-flops: without shift registers, and with some for chains of a length and more.
_REGISTERS = ("{synthesis} -nocarry -nosrl -top {top} -run begin:map_luts",)
_SHIFT = (
    "{synthesis} -nocarry -nosrl -top {top} -run begin:fine",
    "opt -full",
    "simplemap t:$dff t:$dffe t:$sdff t:$sdffe t:$sdffce",
    "xilinx_srl -fixed -minlen {chain}",
    "{synthesis} -nocarry -nosrl -top {top} -run fine:map_luts",
)
_PREPARED = {"registers": (_REGISTERS, 0), "shift": (_SHIFT, 3), "pairs": (_SHIFT, 2)}

#: ABC's scripts, as in roundsmith.flows.ecp5, and the prices of LUTs by the number of their inputs.
SCRIPTS = {
    "written": "+&if,{W},-a;&mfs",
    "area": "+&scorr;&sweep;&dc2;&dch,-f,-r;&if,{W},-a;&mfs",
}
_PRICES = {"": "1,1,1,1", "wide": "1,1,1,1,2,4"}

_LIBRARY = (
    "read_verilog -lib -specify +/xilinx/cells_sim.v",
    "read_verilog -lib +/xilinx/cells_xtra.v",
)
_MAPPED = (
    "opt_expr -mux_undef -noclkinv",
    "scratchpad -set abc9.script {script}",
    "abc9 -luts {prices}",
    "clean",
    "techmap -map +/xilinx/lut_map.v -map +/xilinx/cells_map.v -D LUT_WIDTH=4",
    "xilinx_dffopt -lut4",
    "opt_lut_ins -tech xilinx",
    "clean",
    "blackbox =A:whitebox",
)

_PREPARED_OUT = (
    # Source positions would tie the netlist to the folder in which it was made.
    "attrmap -remove src",
    "select {top}",
    "write_rtlil -selected prepared.il",
    "tee -q -o cells.txt select -list t:SRL16*",
)

#: Everything above that decides a figure, for the record of a measurement.
FLOW = f"mapped {_SYNTHESIS} {_PREPARED} {_PREPARED_OUT} {SCRIPTS} {_PRICES} {_MAPPED}"
PLAIN_FLOW = f"mapped {_SYNTHESIS}"

#: Slices that the 256 bytes of an S-box take as distributed memory: what Saggese et al. 2003
#: (section 5) count for a block RAM with two of them.
SLICES_OF_A_RAM = 128

_LUTS = {
    **dict.fromkeys(("LUT1", "LUT2", "LUT3", "LUT4", "INV", "SRL16", "SRL16E", "RAM16X1S"), 1),
    **dict.fromkeys(("RAM16X1D", "RAM32X1S"), 2),
    **dict.fromkeys(("RAM32X1D", "RAM64X1S"), 4),
    **dict.fromkeys(("RAM64X1D", "RAM128X1S"), 8),
}
_LOGIC = ("LUT1", "LUT2", "LUT3", "LUT4", "INV")


@dataclass(frozen=True)
class Mapped:
    """A mapped netlist and what it takes.

    `lut` counts LUT4 with those in `shift_registers` and those that are distributed RAM,
    `memory_luts`; `block_ram` counts blocks of 4 kbit on xcv and xcve and of 18 kbit on the others,
    `slices` is the lower bound.
    """

    mapping: str
    verilog: Path
    lut: int
    ff: int
    block_ram: int
    shift_registers: int
    memory_luts: int

    @property
    def slices(self) -> int:
        """The fewest slices that hold the LUTs and flip-flops."""
        return slice_bound(self.lut, self.ff)


def slice_bound(lut: int, ff: int) -> int:
    """Return the fewest slices of two LUTs and two flip-flops each."""
    return max(math.ceil(lut / 2), math.ceil(ff / 2))


def black_boxes(files: Sequence[Path]) -> list[Path]:
    """Return the cells among `files` that Yosys does not look into; primitives it knows itself."""
    cells = (file for file in files if file.suffix == ".sv")
    return [file for file in cells if "\n(* blackbox *)\n" in file.read_text()]


def synthesize(
    files: Sequence[Path],
    top: str,
    family: str,
    folder: Path,
    *,
    plain: bool = False,
    scripts: Mapping[str, str] = SCRIPTS,
) -> Mapped:
    """Map SystemVerilog `files` with module `top` to a family of FAMILIES, into `folder`.

    The netlist with the fewest slices is chosen, of these the one with the fewest LUTs. `plain`
    is Yosys' own script instead, `scripts` are others than those of the flow. Raises ToolError when
    Yosys refuses the design.
    """
    flow = _Flow(files, top, _SYNTHESIS.format(family=family), scripts)
    best = flow.plain() if plain else flow.best()
    folder.mkdir(parents=True, exist_ok=True)
    return replace(best, verilog=Path(shutil.copyfile(best.verilog, folder / "mapped.v")))


@dataclass(frozen=True)
class _Flow:
    """The scripts for one core and family."""

    files: Sequence[Path]
    top: str
    synthesis: str
    scripts: Mapping[str, str]

    def plain(self) -> Mapped:
        """Return what Yosys' own script makes."""
        made = self._read([f"{self.synthesis} -top {self.top}", *_written("plain")])
        return _counted(made, self.top, "plain")

    def best(self) -> Mapped:
        """Return the best of the portfolio."""
        found: list[Mapped] = []
        for form in _PREPARED:
            # A shift register saves flip-flops and takes LUTs.
            if not found or found[0].ff > found[0].lut:
                found += self.mapped(form)
                found.sort(key=lambda made: (made.slices, made.lut, made.ff))
        return found[0]

    def mapped(self, form: str) -> list[Mapped]:
        """Return the mappings of one form; none where there is no shift register to make."""
        steps, chain = _PREPARED[form]
        names = {"synthesis": self.synthesis, "top": self.top, "chain": chain}
        lines = (*steps, *_PREPARED_OUT)
        prepared = self._read([line.format(**names) for line in lines])
        boxes = black_boxes(self.files)
        before = [prepared / "prepared.il", *boxes]
        if chain and not (prepared / "cells.txt").read_text().strip():
            return []
        script, made = [], []
        for name, abc in self.scripts.items():
            for width, prices in _PRICES.items():
                made.append("-".join(word for word in (name, width, form) if word))
                script += ["design -reset", *_LIBRARY]
                script += [f"read_verilog -lib -sv {box.name}" for box in boxes]
                script += ["read_rtlil prepared.il"]
                script += [line.format(script=abc, prices=prices) for line in _MAPPED]
                script += _written(made[-1])
        folder = kept(
            "mapped-netlists",
            [yosys.version(), *script],
            [file.read_bytes() for file in before],
            lambda work: self._map(before, script, work),
        )
        return [_counted(folder, self.top, name) for name in made]

    def _read(self, script: Sequence[str]) -> Path:
        """Return the folder with what `script` makes of the source."""
        read = [yosys.read_slang([file.resolve() for file in self.files], self.top)]
        boxes = black_boxes(self.files)
        for box in boxes:
            # read_slang takes the genvars of a black box for parameters, and ABC wants to set the
            # real ones itself, which it can where Yosys has read them.
            read += [f"read_verilog -overwrite -lib -sv {box.resolve()}"]
            read += [f"setparam -unset i -unset j t:{box.stem}"]
        return kept(
            "mapped-synthesis",
            [yosys.version(), self.top, *(box.name for box in boxes), *script],
            [file.read_bytes() for file in self.files],
            lambda work: self._run([*read, *script], work),
        )

    def _map(self, before: Sequence[Path], script: Sequence[str], work: Path) -> None:
        for file in before:
            shutil.copyfile(file, work / file.name)
        self._run(script, work)
        for file in before:
            (work / file.name).unlink()

    def _run(self, script: Sequence[str], work: Path) -> None:
        yosys.run(script, what=f"{self.synthesis} of {self.top}", folder=work)


def _written(name: str) -> list[str]:
    return [f"write_json {name}.json", f"write_verilog -noattr {name}.v"]


def _counted(folder: Path, top: str, name: str) -> Mapped:
    """Count the cells of a netlist in Yosys JSON."""
    cells = json.loads((folder / f"{name}.json").read_text())["modules"][top]["cells"]
    kinds = Counter(cell["type"] for cell in cells.values())
    return Mapped(
        mapping=name,
        verilog=folder / f"{name}.v",
        lut=sum(_LUTS.get(kind, 0) * n for kind, n in kinds.items()) + _feeding_luts(cells),
        ff=sum(n for kind, n in kinds.items() if kind.startswith("FD")),
        block_ram=sum(n for kind, n in kinds.items() if kind.startswith("RAMB")),
        shift_registers=sum(n for kind, n in kinds.items() if kind.startswith("SRL")),
        memory_luts=sum(_LUTS.get(kind, 0) * n for kind, n in kinds.items() if _is_memory(kind)),
    )


def _is_memory(kind: str) -> bool:
    return kind.startswith("RAM") and not kind.startswith("RAMB")


def _feeding_luts(cells: Mapping[str, Any]) -> int:
    """Return the LUTs to add in front of the multiplexers of LUT pairs.

    The data inputs of a MUXF5 are the outputs of the two LUTs of its slice, and of no other.
    """
    free = {c["connections"]["O"][0] for c in cells.values() if c["type"] in _LOGIC}
    missing = 0
    for cell in cells.values():
        if cell["type"] == "MUXF5":
            for port in ("I0", "I1"):
                bit = cell["connections"][port][0]
                missing += bit not in free
                free.discard(bit)
    return missing
