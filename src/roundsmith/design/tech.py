"""The rooms of the technology cells: the folders of `rtl/tech`, of which a target takes some.

Every room has cells under the names and ports of the generic ones, but only those that its family
does better. So a target names rooms in order, and of each cell the last one counts. A room may also
declare primitives of its family, one to a file, which its cells are made of.
"""

from pathlib import Path

from roundsmith.base.paths import RTL

TECH = RTL / "tech"

#: Rooms in order, the generic one first.
Rooms = tuple[str, ...]

GENERIC: Rooms = ("generic",)
#: `ram` is for families whose memories of 16 words are better than flip-flops.
RAM: Rooms = (*GENERIC, "ram")
ECP5: Rooms = (*RAM, "ecp5")
ICE40: Rooms = (*RAM, "ice40")
XILINX: Rooms = (*GENERIC, "xilinx")
#: Up to Virtex-II there are 3-state buffers beside the slices.
VIRTEX: Rooms = (*XILINX, "virtex")


def files(rooms: Rooms) -> dict[str, Path]:
    """Return the cells and primitives of `rooms` by the name of their module."""
    found = {}
    for room in rooms:
        paths = sorted(p for p in (TECH / room).iterdir() if p.suffix in {".sv", ".v"})
        found.update({path.stem: path for path in paths})
    return found
