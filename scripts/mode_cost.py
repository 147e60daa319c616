"""Measure what a mode of operation and an AXI4-Stream bus add to a core, in LUT4 of an ECP5.

For each core it prints the core by itself, behind the full port, in each mode, and in each mode
behind the bus at 128 bits. Every figure is the smaller one of two mappings of the whole netlist,
those that keep the area small. Of a core that decrypts only the modes are measured that decrypt with
it: the others would leave half of it away.
"""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from roundsmith import catalogue, fpga, generate
from roundsmith.spec import Bus, Mode, Spec, modes

#: The cores, unless others are named.
CORES = ("iterative-lut4", "satoh-1")
MODES = (Mode.ECB, Mode.CBC, Mode.CFB, Mode.OFB, Mode.CTR)
MAPPINGS = ("written", "area")


def luts(spec: Spec) -> int:
    """Return the LUT4 of a core."""
    design = generate.design(spec)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        files = design.write(folder)
        made = (fpga.synthesize_ecp5(files, design.module, folder, name) for name in MAPPINGS)
        return min(netlist.lut for netlist in made)


def main(names: Sequence[str]) -> None:
    """Print a line for each form of each core that is named."""
    for name in names or CORES:
        core = catalogue.find(name)
        own = luts(core)
        print(f"{name}: {own} LUT4")
        forms = {"full port": core.full()}
        for mode in (m for m in MODES if modes.TRAITS[m].both_ways or not core.decrypts):
            forms[mode] = core.with_mode(mode)
            forms[f"{mode}, axi4-stream"] = core.with_mode(mode).with_bus(Bus.AXI4_STREAM)
        for label, spec in forms.items():
            found = luts(spec)
            print(f"  {label:20} {found:6} {found / own - 1:+7.1%}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
