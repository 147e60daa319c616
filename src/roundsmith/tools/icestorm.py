"""icepack of Project IceStorm, from the wheel of nextpnr for iCE40: a placed design to a bitstream.

The program is WebAssembly and sees the folder in which it runs, so every path is relative to it.
"""

import sys
from pathlib import Path

from roundsmith.tools import nextpnr, process


def pack(folder: Path, placed: str, packed: str) -> Path:
    """Turn `placed` (what nextpnr writes with `--asc`) in `folder` into the bitstream `packed`.

    Raises ToolError when the package is missing, and when icepack refuses the file.
    """
    nextpnr.ice40_version()
    program = Path(sys.executable).parent / "yowasp-icepack"
    process.run([program, placed, packed], what=f"Packing {packed}", cwd=folder)
    return folder / packed
