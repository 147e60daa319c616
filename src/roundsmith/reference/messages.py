"""Messages and what becomes of them, and what the standards of several modes of operation share.

Each mode itself is written beside all else that the tool knows of it, in `roundsmith.spec.modes`. A
message that a mode does not take is a ValueError.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

Block = Callable[[bytes], bytes]

#: Keys of a cipher to its two functions of a block.
Keyed = Callable[[bytes], tuple[Block, Block]]


@dataclass(frozen=True)
class Question:
    """One message: `tag` is the one to verify, `tag_bytes` the length of one to generate."""

    mode: str
    key: bytes
    text: bytes = b""
    iv: bytes = b""
    aad: bytes = b""
    decrypt: bool = False
    tag: bytes = b""
    tag_bytes: int = 16
    counter_bits: int = 128


@dataclass(frozen=True)
class Reply:
    """Text, tag (none where it was verified or there is none), and whether the tag was right."""

    text: bytes
    tag: bytes = b""
    right: bool = True


def xor(a: bytes, b: bytes) -> bytes:
    """Return the sum of two strings, as long as the shorter one."""
    size = min(len(a), len(b))
    return bytes(x ^ y for x, y in zip(a[:size], b[:size], strict=True))


def blocks(data: bytes) -> Iterator[bytes]:
    """Yield the blocks of a string, the last of which may be short."""
    for i in range(0, len(data), 16):
        yield data[i : i + 16]


def whole(data: bytes) -> None:
    """Refuse a text that does not end with a block."""
    if len(data) % 16:
        raise ValueError("a text that has not whole blocks")


def padded(data: bytes) -> bytes:
    """Return a block of it, as CMAC and OCB fill a short one."""
    return data if len(data) == 16 else (data + b"\x80").ljust(16, b"\0")


def double(block: bytes) -> bytes:
    """Twice an element as CMAC and OCB write it."""
    number = int.from_bytes(block, "big") << 1
    return (number ^ (0x87 | 1 << 128) if number >> 128 else number).to_bytes(16, "big")


def filled(data: bytes) -> bytes:
    """Return a string with zeros up to the end of its last block."""
    return data + bytes(-len(data) % 16)


def counted(text: bytes, first: bytes, bits: int, encrypt: Block) -> bytes:
    """Return `text` under counter blocks from `first` on, whose last `bits` count."""
    head, start = int.from_bytes(first, "big") >> bits << bits, int.from_bytes(first, "big")
    found = b""
    for i, part in enumerate(blocks(text)):
        counter = head | (start + i) % (1 << bits)
        found += xor(part, encrypt(counter.to_bytes(16, "big")))
    return found


def fed_back(question: Question, encrypt: Block, size: int) -> bytes:
    """Return a text in cipher feedback with segments of `size` bytes."""
    register, found = question.iv, b""
    for i in range(0, len(question.text), size):
        segment = question.text[i : i + size]
        made = xor(segment, encrypt(register))
        register = (register + (segment if question.decrypt else made))[-16:]
        found += made
    return found


def chained_tag(parts: Iterable[bytes], encrypt: Block) -> bytes:
    """Return the last ciphertext of CBC over whole blocks."""
    state = bytes(16)
    for part in parts:
        state = encrypt(xor(state, part))
    return state
