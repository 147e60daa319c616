"""Compare synthesis of a pipe as one flat netlist with one whose rounds stay modules of their own.

For each core it prints LUT4 and flip-flops on ECP5, with the quickest mapping, and the seconds that
Yosys took; the last line of a core has the ratios, the rounds kept over all flat.
"""

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from roundsmith import catalogue, fpga, synthesize
from roundsmith.tools import yosys

#: Deep pipes without a round key store, with S-boxes in gates and in LUTs, and Serpent's.
CORES = ("standaert-unrolled-composite", "best-per-lut", "fastest-serpent-ecp5")
#: The instances that stay: the rounds and what each of them consists of.
ROUNDS = "*_stage*"


def synthesized(files: Sequence[Path], top: str, *, kept: bool) -> tuple[int, int, float]:
    """Return LUT4, flip-flops and seconds of one synthesis."""
    keep = [f"setattr -mod -set keep_hierarchy 1 {ROUNDS}"] if kept else []
    script = [
        yosys.read_slang([file.resolve() for file in files], top, hierarchy=kept),
        f"hierarchy -top {top}",
        *keep,
        f"synth_ecp5 -nowidelut -top {top}",
        *(["setattr -mod -unset keep_hierarchy *", "flatten", "opt_clean"] if kept else []),
        "write_json netlist.json",
        "write_verilog -noattr netlist.v",
    ]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        begun = time.monotonic()
        yosys.run(script, what=f"Synthesis of {top}", folder=folder)
        seconds = time.monotonic() - begun
        net = fpga.netlist_of(folder / "netlist.json", folder / "netlist.v", top, "area")
    return net.lut, net.ff, seconds


def main() -> None:
    """Print both for each core that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=CORES, help="cores, by default three pipes")
    print(f"{'core':30} {'':6} {'LUT4':>7} {'FF':>7} {'s':>7}")
    for name in parser.parse_args().names:
        spec = catalogue.find(name)
        files = [file for file in synthesize.sources(spec) if file.suffix in {".sv", ".v"}]
        both = []
        for word, keeps in (("kept", True), ("flat", False)):
            both.append(synthesized(files, spec.module, kept=keeps))
            lut, ff, seconds = both[-1]
            print(f"{name:30} {word:6} {lut:7,} {ff:7,} {seconds:7.1f}", flush=True)
        lut, ff, seconds = (a / b for a, b in zip(*both, strict=True))
        print(f"{'':30} {'ratio':6} {lut:7.2f} {ff:7.2f} {seconds:7.2f}", flush=True)


if __name__ == "__main__":
    main()
