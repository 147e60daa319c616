"""A file of vectors ends with their count and checksum, so that no bench passes on part of it."""

import re
from collections.abc import Iterable, Sequence

from roundsmith.design import generate
from roundsmith.spec import Spec

#: Outputs that say whether something moves, and must be 0 or 1 in every cycle.
_HANDSHAKE = re.compile(r"(valid|ready|ack|idle|irq|interrupt|refused)(_o)?$")

#: The polynomial of the CRC-32 of IEEE 802.3, clause 3.2.9.
_POLYNOMIAL = 0x104C11DB7


def sealed(heading: Iterable[str], lines: Sequence[str]) -> str:
    """Return the file for `$readmemh`: comments, a word of hexadecimal digits a line, and the seal.

    The seal is the number of lines in 32 bits and `checksum` of them in 32.
    """
    seal = f"{len(lines):08x}_{checksum(lines):08x}"
    last = f"{seal}  // the number of lines and their CRC-32"
    return "\n".join([*(f"// {text}" for text in heading), *lines, last]) + "\n"


def checksum(lines: Iterable[str]) -> int:
    """Return the CRC-32 of all words, each with all its digits, from the highest bit to the lowest.

    Register and result are not reflected, it begins with all ones, and nothing is added at the
    end: what the test bench does in a few lines of Verilog.
    """
    crc = 0xFFFFFFFF
    for line in lines:
        for digit in line.partition("//")[0].strip().replace("_", ""):
            crc ^= int(digit, 16) << 28
            for _ in range(4):
                crc = crc << 1 ^ (_POLYNOMIAL if crc >> 31 else 0)
    return crc


def handshakes(spec: Spec) -> list[str]:
    """Return the outputs of a core that are 0 or 1 in every cycle after its reset."""
    outputs = (p.name for p in generate.ports(spec) if p.direction == "output")
    return [name for name in outputs if _HANDSHAKE.search(name)]
