"""The key expansion of AES by the standard (FIPS 197, 5.2), for the tests of the key schedule."""

import random
from collections.abc import Sequence
from pathlib import Path

from roundsmith.base.paths import RTL
from roundsmith.circuits import sbox_table

SBOX = sbox_table.sbox()

#: Words of a key of length 0, 1 and 2, and the rounds that they take.
WORDS = (4, 6, 8)
ROUNDS = (10, 12, 14)

#: Every choice of lengths that can be built in.
MASKS = range(1, 8)
DIRECTIONS = ("Forward", "Inverse", "Both")


def lengths(mask: int) -> list[int]:
    return [length for length in range(3) if mask >> length & 1]


def key_bits(mask: int) -> int:
    return 32 * WORDS[lengths(mask)[-1]]


def rotated(word: int) -> int:
    """RotWord."""
    return (word << 8 | word >> 24) & 0xFFFFFFFF


def substituted(word: int) -> int:
    """SubWord."""
    return sum(SBOX[word >> shift & 0xFF] << shift for shift in (0, 8, 16, 24))


def constant(index: int) -> int:
    """Rcon[index]: a power of x in the first byte."""
    value = 1
    for _ in range(index - 1):
        value = value << 1 ^ (0x11B if value & 0x80 else 0)
    return value << 24


def summand(length: int, index: int, word: int) -> int:
    """Return what FIPS 197, Fig. 11, adds to w[index - Nk], from w[index - 1]."""
    nk = WORDS[length]
    if index % nk == 0:
        return substituted(rotated(word)) ^ constant(index // nk)
    if nk > 6 and index % nk == 4:
        return substituted(word)
    return word


def expanded(length: int, key: Sequence[int]) -> list[int]:
    """Return w[0], w[1], ... with the words that continue the schedule behind its end."""
    words = list(key)
    for index in range(WORDS[length], 4 * ROUNDS[length] + WORDS[length]):
        words.append(words[index - WORDS[length]] ^ summand(length, index, words[-1]))
    return words


def joined(words: Sequence[int]) -> int:
    """Return words as one number, the first word on top."""
    return int.from_bytes(b"".join(word.to_bytes(4, "big") for word in words), "big")


def round_keys(length: int, key: Sequence[int]) -> list[int]:
    words = expanded(length, key)
    return [joined(words[4 * t : 4 * t + 4]) for t in range(ROUNDS[length] + 1)]


def random_key(rng: random.Random, length: int) -> list[int]:
    return [rng.getrandbits(32) for _ in range(WORDS[length])]


def following(length: int, words: Sequence[int], step: int) -> list[int]:
    """Return the window W_t: a round key and the words that follow it."""
    return list(words[4 * step : 4 * step + WORDS[length]])


def preceding(length: int, words: Sequence[int], step: int) -> list[int]:
    """Return the window V_t: a round key and the words before it."""
    return list(words[4 * step : 4 * step + 4]) + list(
        words[4 * step + 4 - WORDS[length] : 4 * step]
    )


def walked_instead(words: Sequence[int]) -> list[int]:
    """Return the last words after step 14 of 256 bits, which leaves SubWord out."""
    result = []
    last = 0
    for word in words[52:56]:
        last ^= word
        result.append(last)
    return result


def broken_file(name: str, right: str, wrong: str, folder: Path) -> dict[str, Path]:
    """Return a wrong copy of a module, to be read instead of it."""
    text = (RTL / "aes/key" / f"{name}.sv").read_text()
    assert right in text
    file = folder / f"{name}.sv"
    file.write_text(text.replace(right, wrong, 1))
    return {name: file}
