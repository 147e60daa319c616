r"""Encrypt blocks on the iCEBreaker: `aes_uart.py PORT KEY BLOCK...`, all in hexadecimal digits.

    python3 boards/icebreaker/aes_uart.py /dev/ttyUSB1 \
        2b7e151628aed2a6abf7158809cf4f3c 6bc1bee22e409f96e93d7e117393172a

prints `3ad77bb40d7a3660a89ecaf32466ef97`, the first example of SP 800-38A. Takes pyserial where it
is installed, and the terminal interface of Linux and macOS where it is not.
"""

import os
import sys
from typing import Protocol

BAUD = 115_200
BLOCK = 16
SECONDS = 2


class Line(Protocol):
    """A serial line; `read` returns fewer bytes than asked for when none come for a while."""

    def write(self, data: bytes, /) -> object:
        """Send bytes."""

    def read(self, size: int, /) -> bytes:
        """Return the bytes that come."""


class Board:
    """The board at the end of a serial line."""

    def __init__(self, line: Line) -> None:
        self._line = line

    def resync(self) -> None:
        """End a frame that somebody else may have begun, and drop what the board answers."""
        self._line.write(bytes(BLOCK))
        self._line.read(BLOCK)

    def key(self, key: bytes) -> None:
        """Set the key of the blocks that follow."""
        self._line.write(b"K" + _exactly(key, "key"))

    def encrypt(self, block: bytes) -> bytes:
        """Return the ciphertext of one block."""
        self._line.write(b"E" + _exactly(block, "block"))
        answer = self._line.read(BLOCK)
        if len(answer) != BLOCK:
            raise TimeoutError(f"the board answered {len(answer)} bytes of {BLOCK}")
        return answer


def _exactly(data: bytes, what: str) -> bytes:
    if len(data) != BLOCK:
        raise ValueError(f"a {what} has {2 * BLOCK} hexadecimal digits")
    return data


def connect(port: str) -> Line:
    """Open the serial line of the board."""
    try:
        import serial  # type: ignore[import-untyped]
    except ImportError:
        return _Terminal(port)
    line: Line = serial.Serial(port, BAUD, timeout=SECONDS)
    return line


class _Terminal:
    """A serial line by termios alone."""

    def __init__(self, port: str) -> None:
        import termios
        import tty

        self._line = os.open(port, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self._line)
        modes = termios.tcgetattr(self._line)
        modes[4] = modes[5] = termios.B115200
        modes[6][termios.VMIN], modes[6][termios.VTIME] = 0, 10 * SECONDS
        termios.tcsetattr(self._line, termios.TCSANOW, modes)

    def write(self, data: bytes, /) -> object:
        return os.write(self._line, data)

    def read(self, size: int, /) -> bytes:
        found = b""
        while len(found) < size:
            more = os.read(self._line, size - len(found))
            if not more:
                break
            found += more
        return found


def main() -> int:
    """Encrypt the blocks of the command line; mistakes are one sentence and status 2."""
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    port, key, *blocks = sys.argv[1:]
    try:
        board = Board(connect(port))
        board.resync()
        board.key(bytes.fromhex(key))
        for block in blocks:
            print(board.encrypt(bytes.fromhex(block)).hex())
    except (OSError, ValueError) as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
