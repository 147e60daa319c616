"""The vectors of the exported test bench: the standards' own, and random ones from a model."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from roundsmith.reference import golden
from roundsmith.spec import Spec

#: Random blocks, at least.
RANDOM = 100


@dataclass(frozen=True)
class Transfer:
    """What one handshake moves: a key, a direction, a block for each lane and their results."""

    key: bytes
    decrypt: bool
    data: bytes
    result: bytes
    source: str


def transfers(spec: Spec) -> list[Transfer]:
    """Return all transfers, in the order in which the test bench sends them.

    First the examples of the standards for each key length and direction of the core;
    then random blocks, which go through all of those. In the first half of these every block
    has a key of its own; in the second, ten share one, as far as they are of one length.
    """
    found = list(_known(spec))
    lengths = spec.what.key_bits
    ways = [d for d, built in ((False, spec.encrypts), (True, spec.decrypts)) if built]
    for number in range(RANDOM):
        shared = number >= RANDOM // 2
        key_number = RANDOM + number // 10 if shared else number
        key = _bytes("key", key_number, lengths[key_number % len(lengths)] // 8)
        data = _bytes("block", number, 16 * spec.port.lanes)
        decrypt = ways[(number + number // 3) % len(ways)]
        result = _cipher(spec, key, decrypt, data)
        found.append(Transfer(key, decrypt, data, result, f"random {number + 1}"))
    return found


def example(spec: Spec) -> golden.Vector:
    """Return the worked example of the datasheet: the first one with the longest key."""
    bits = max(spec.what.key_bits)
    return next(v for v in spec.cipher.model.VECTORS if 8 * len(v.key) == bits)


def _known(spec: Spec) -> Iterator[Transfer]:
    """Yield the standards' examples; lanes that are left over get random blocks."""
    lanes = spec.port.lanes
    for decrypt in (False, True):
        if not (spec.decrypts if decrypt else spec.encrypts):
            continue
        waiting = [v for v in spec.cipher.model.VECTORS if 8 * len(v.key) in spec.what.key_bits]
        while waiting:
            key = waiting[0].key
            taken = [v for v in waiting[:lanes] if v.key == key]
            waiting = waiting[len(taken) :]
            data = b"".join(v.ciphertext if decrypt else v.plaintext for v in taken)
            result = b"".join(v.plaintext if decrypt else v.ciphertext for v in taken)
            source = ", ".join(v.decryption if decrypt else v.encryption for v in taken)
            rest = _bytes(source, 0, 16 * (lanes - len(taken)))
            filled = _cipher(spec, key, decrypt, rest) if rest else b""
            yield Transfer(key, decrypt, data + rest, result + filled, source)


def _cipher(spec: Spec, key: bytes, decrypt: bool, data: bytes) -> bytes:
    model = spec.cipher.model
    return model.decrypt(key, data) if decrypt else model.encrypt(key, data)


def _bytes(what: str, number: int, count: int) -> bytes:
    return hashlib.shake_256(f"roundsmith {what} {number}".encode()).digest(count)
