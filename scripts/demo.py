"""`make demo`: build a core, encrypt a real file with it, verify it and measure it.

Everything is done anew; the records of the demo go to `build/demo`, not to the shipped ones.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.rule import Rule

from roundsmith.reference import aes

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "build" / "demo"
NAME = "saggese-iterative"
KEY = "000102030405060708090a0b0c0d0e0f"

console = Console()


def roundsmith(title: str, *arguments: str) -> None:
    """Show and run one command of the tool; stop the demo with its status when it fails."""
    console.print(Rule(title, align="left"))
    console.print("$ roundsmith " + " ".join(arguments), style="bold", highlight=False)
    started = time.monotonic()
    program = Path(sys.executable).with_name("roundsmith")
    environment = {**os.environ, "ROUNDSMITH_RECORDS": str(OUT / "records")}
    status = subprocess.run([program, *arguments], cwd=ROOT, env=environment).returncode
    if status != 0:
        sys.exit(status)
    console.print(f"({time.monotonic() - started:.0f} s)", style="dim", highlight=False)


def main() -> None:
    """Run the five steps of the demo."""
    started = time.monotonic()
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    core, cipher = "build/demo/core", "build/demo/README.md.aes"
    target = "ecp5-85k"
    roundsmith(
        "A core: readable SystemVerilog and all that belongs to it", "build", NAME, "-o", core
    )
    roundsmith("Proof: standards, OpenSSL, stalls, RTL and netlist", "verify", NAME)
    roundsmith("Figures: placed and routed on an ECP5", "measure", NAME, "--target", target)
    arguments = ["--key", KEY, "--in", "README.md", "--out", cipher]
    roundsmith("A real file through the RTL", "run", NAME, *arguments)
    wanted = aes.encrypt(bytes.fromhex(KEY), aes.pad((ROOT / "README.md").read_bytes()))
    if (ROOT / cipher).read_bytes() != wanted:
        console.print("The file differs from OpenSSL's.", style="red")
        sys.exit(1)
    console.print("byte for byte what OpenSSL gives")
    console.print(Rule("Where to look", align="left"))
    console.print(f"{core}/saggese_iterative.sv   the core", highlight=False)
    console.print(f"{core}/saggese_iterative.md   its datasheet", highlight=False)
    picture = next((OUT / "records" / "placements").glob("*.png")).relative_to(ROOT)
    console.print(f"{picture}   where it lies on the FPGA", highlight=False, soft_wrap=True)
    console.print(f"done in {time.monotonic() - started:.0f} s", highlight=False)


if __name__ == "__main__":
    main()
