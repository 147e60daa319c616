"""Build the bitstream of the iCEBreaker example: `build.py [FOLDER]`, by default build/icebreaker.

Needs the package that `python3 scripts/bootstrap.py --extra ice40` installs.
"""

import sys
from pathlib import Path

from roundsmith.base.cache import cache_dir
from roundsmith.base.errors import RoundsmithError, ToolError
from roundsmith.design import elaborate, tech
from roundsmith.export.bitstream import report
from roundsmith.flows import ice40
from roundsmith.flows.ice40 import Bitstream

HERE = Path(__file__).resolve().parent
TOP = "rsm_icebreaker_aes"
PINS = HERE / "icebreaker.pcf"
CLOCK_MHZ = 12.0


def sources() -> list[Path]:
    """Return the files of the design in reading order, with the cells of iCE40."""
    top = HERE / f"{TOP}.sv"
    return [*elaborate.library(TOP, top.read_text(), tech.ICE40).files, top]


def build() -> Bitstream:
    """Return the bitstream; ToolError when it would not run at the clock of the board."""
    made = ice40.bitstream(sources(), TOP, "up5k", PINS, cache_dir() / "work" / TOP)
    if made.fmax_mhz is None or made.fmax_mhz < CLOCK_MHZ:
        raise ToolError(
            f"{TOP} was routed for {made.fmax_mhz or 0:.1f} MHz, and the board has {CLOCK_MHZ:g}."
        )
    return made


def main() -> int:
    """Write the bitstream and its report; user errors are one sentence and status 2."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build/icebreaker")
    try:
        made = build()
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{TOP}.bin").write_bytes(made.packed)
        (folder / f"{TOP}.asc").write_bytes(made.placed)
        (folder / f"{TOP}.pcf").write_bytes(PINS.read_bytes())
        text = report(TOP, "`boards/icebreaker/build.py`", made)
        (folder / f"{TOP}_bitstream.md").write_text(text)
    except RoundsmithError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as problem:
        reason = problem.strerror or problem
        print(f"error: the folder {folder} cannot be written: {reason}.", file=sys.stderr)
        return 2
    print(f"{folder / f'{TOP}.bin'}: {len(made.packed):,} bytes, {made.fmax_mhz:.1f} MHz")
    return 0


if __name__ == "__main__":
    sys.exit(main())
