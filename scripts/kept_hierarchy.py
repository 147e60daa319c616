"""Compare pipelines synthesised for an ECP5 flat with the same whose stages stay modules.

For each core it prints the LUT4 and the CPU seconds of both, and their ratios, kept by flat: above
1.00 the flat core is smaller, or made sooner. Nothing is placed. It takes five minutes.
"""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from roundsmith import catalogue
from roundsmith.flows import ecp5, synthesize
from roundsmith.flows.ecp5 import FpgaNetlist
from roundsmith.tools import yosys
from roundsmith.tools.process import cpu_seconds

CORE = "saggese-unrolled-1"
MAPPING = "area"

#: Each stage of the line, and each step of the key beside it.
KEPT = ("*_stage*", "*_key_step*")


def synthesized(name: str, folder: Path, *, kept: bool) -> tuple[FpgaNetlist, float]:
    """Return the netlist of a core, flat or with its stages `kept`, and the CPU seconds it took."""
    spec = catalogue.find(name)
    files = [file.resolve() for file in synthesize.sources(spec)]
    mapping = ecp5.MAPPINGS[MAPPING]
    command = f"synth_ecp5 {'' if mapping.wide else '-nowidelut'} -top {spec.module}"
    script = [
        yosys.read_slang(files, spec.module, hierarchy=kept),
        *(f"setattr -mod -set keep_hierarchy 1 {module}" for module in KEPT if kept),
        *([ecp5.TABLES_IN_LOGIC] if kept else []),
        f"synth_ecp5 -top {spec.module} -run begin:map_luts",
        f"scratchpad -set abc9.script {mapping.script}",
        f"{command} -run map_luts:",
        *(["setattr -mod -unset keep_hierarchy *", "flatten"] if kept else []),
        "write_json netlist.json",
    ]
    before = cpu_seconds()
    yosys.run(script, what=f"Synthesis of {name}", folder=folder)
    seconds = cpu_seconds() - before
    netlist = folder / "netlist.json"
    return ecp5.netlist_of(netlist, netlist, spec.module, MAPPING), seconds


def main(names: Sequence[str]) -> None:
    """Print a line for each core that is named."""
    print(f"{'core':24} {'LUT4':>7} {'kept':>7} {'ratio':>6} {'CPU s':>7} {'kept':>7} {'ratio':>6}")
    for name in names or (CORE,):
        with tempfile.TemporaryDirectory() as scratch:
            flat, quick = synthesized(name, Path(scratch) / "flat", kept=False)
            kept, slow = synthesized(name, Path(scratch) / "kept", kept=True)
        print(
            f"{name:24} {flat.lut:7,} {kept.lut:7,} {kept.lut / flat.lut:6.2f} "
            f"{quick:7.1f} {slow:7.1f} {slow / quick:6.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
