"""How large a core is on an FPGA that can be mapped to but not placed: area, no clock.

The families are those of the papers' time whose logic is LUT4 as on ECP5: Virtex and Spartan-II
(xcv), Virtex-E (xcve), Virtex-II (xc2v) and Spartan-3 (xc3s).
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from roundsmith.tools import yosys

FAMILIES = ("xcv", "xcve", "xc2v", "xc3s")

_SYNTHESIS = "synth_xilinx -family {family} -flatten -noiopad -noclkbuf -top {top}"

#: Everything above that decides a figure, for the record of a measurement.
FLOW = f"mapped {_SYNTHESIS}"


@dataclass(frozen=True)
class Mapped:
    """A mapped netlist and what it takes: LUT4, flip-flops and block RAMs."""

    verilog: Path
    lut: int
    ff: int
    block_ram: int


def synthesize(files: Sequence[Path], top: str, family: str, folder: Path) -> Mapped:
    """Map SystemVerilog `files` with module `top` to a family of FAMILIES, into `folder`.

    Raises ToolError when Yosys refuses the design.
    """
    script = [
        yosys.read_slang([file.resolve() for file in files], top),
        _SYNTHESIS.format(family=family, top=top),
        "write_json mapped.json",
        "write_verilog -noattr mapped.v",
    ]
    yosys.run(script, what=f"Synthesis of {top} for {family}", folder=folder)
    modules = json.loads((folder / "mapped.json").read_text())["modules"]
    kinds = Counter(cell["type"] for cell in modules[top]["cells"].values())
    return Mapped(
        verilog=folder / "mapped.v",
        lut=sum(n for kind, n in kinds.items() if kind.startswith("LUT") or kind == "INV"),
        ff=sum(n for kind, n in kinds.items() if kind.startswith("FD")),
        block_ram=sum(n for kind, n in kinds.items() if kind.startswith("RAMB")),
    )
