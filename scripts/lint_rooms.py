"""Check the rooms of `rtl/`: which one instantiates modules, or uses packages, of which others.

A room is a folder of SystemVerilog. What it may use is said below; a new room, and a new arrow from
one to another, has to be added there, or mended.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from roundsmith.base.paths import RTL
from roundsmith.design.elaborate import code

#: What the modules of a room may name: modules and packages of these rooms, and of its own.
#: All rooms of `tech` have the same modules, and each of them takes the place of the generic one.
ALLOWED: dict[str, tuple[str, ...]] = {
    "aes": (
        "aes/arch",
        "aes/key",
        "aes/pkg",
    ),
    "aes/arch": (
        "aes/key",
        "aes/linear",
        "aes/pkg",
        "aes/round",
        "common",
    ),
    "aes/compact": (
        "aes/linear",
        "aes/pkg",
        "aes/sbox",
        "tech",
    ),
    "aes/folded": (
        "aes/linear",
        "aes/pkg",
        "aes/sbox",
    ),
    "aes/key": (
        "aes/pkg",
        "aes/sbox",
        "common",
    ),
    "aes/linear": (
        "aes/pkg",
        "common",
    ),
    "aes/pkg": (),
    "aes/round": (
        "aes/linear",
        "aes/pkg",
        "aes/sbox",
        "common",
    ),
    "aes/sbox": (
        "aes/pkg",
        "common",
    ),
    "aes/serial": (
        "aes/linear",
        "aes/pkg",
        "aes/sbox",
    ),
    "bus": (
        "common",
        "mode",
    ),
    "common": (),
    "mode": (),
    "mode/oneblock": ("mode",),
    "mode/pipelined": (
        "common",
        "mode",
    ),
    "mode/streams": (
        "common",
        "mode",
        "port",
    ),
    "port": ("common",),
    "serpent": (
        "serpent/arch",
        "serpent/key",
        "serpent/pkg",
        "serpent/sbox",
    ),
    "serpent/arch": (
        "common",
        "serpent/key",
        "serpent/pkg",
        "serpent/round",
    ),
    "serpent/folded": (
        "serpent/linear",
        "serpent/pkg",
        "serpent/sbox",
    ),
    "serpent/key": (
        "common",
        "serpent/pkg",
        "serpent/sbox",
    ),
    "serpent/linear": (
        "common",
        "serpent/pkg",
    ),
    "serpent/pkg": (),
    "serpent/round": (
        "common",
        "serpent/linear",
        "serpent/pkg",
        "serpent/sbox",
    ),
    "serpent/sbox": ("serpent/pkg",),
    "serpent/serial": (
        "serpent/pkg",
        "serpent/sbox",
    ),
    "tech": (),
}

_WORD = re.compile(r"\w+")


def room_of(path: Path, rtl: Path = RTL) -> str:
    """Return the room of a file."""
    room = path.parent.relative_to(rtl).as_posix()
    return "tech" if room.startswith("tech/") else room


def arrows(rtl: Path = RTL) -> Iterator[tuple[str, str, str, str]]:
    """Yield what names something of another room: its room and name, that room, and the name."""
    files = [*sorted(rtl.rglob("*.sv")), *sorted(rtl.rglob("*.v"))]
    rooms = {path.stem: room_of(path, rtl) for path in files}
    for path in files:
        room = room_of(path, rtl)
        for name in sorted(rooms.keys() & set(_WORD.findall(code(path.read_text())))):
            if rooms[name] != room:
                yield room, path.stem, rooms[name], name


def faults(rtl: Path = RTL, allowed: Mapping[str, Sequence[str]] = ALLOWED) -> list[str]:
    """Return every arrow that is not allowed, and every word of the table that is not needed."""
    found = []
    used = set()
    for room, module, other, name in arrows(rtl):
        used.add((room, other))
        if other not in allowed.get(room, ()):
            found.append(f"{room}/{module} names {name}, and {room} may use nothing of {other}")
    for path in sorted(rtl.rglob("*.sv")):
        if room_of(path, rtl) not in allowed:
            found.append(f"{path.stem} is in a room that the table does not have")
    for room, others in allowed.items():
        found += [
            f"{room} uses nothing of {other} any more: take it out of the table"
            for other in others
            if (room, other) not in used
        ]
    return found


def main() -> None:
    """Print each fault and exit with status 1 when there is one."""
    found = faults()
    for fault in found:
        print(fault, file=sys.stderr)
    print(f"{len(ALLOWED)} rooms of RTL: {len(found)} faults")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
