"""What the port of a core takes for a key: the key itself, or all round keys ready made."""

from roundsmith.circuits import sbox_table
from roundsmith.spec import Spec

_SBOX = sbox_table.sbox()


def key_frame(spec: Spec, key: bytes) -> bytes:
    """Return what the key channel of `spec` takes for `key`."""
    return _expanded(key) if spec.is_loaded else key


def _expanded(key: bytes) -> bytes:
    """Return all round keys of a 128-bit key (FIPS 197, 5.2)."""
    constant = 1
    words = [key[i : i + 4] for i in range(0, 16, 4)]
    while len(words) < 44:
        word = words[-1]
        if len(words) % 4 == 0:
            turned = [_SBOX[byte] for byte in word[1:] + word[:1]]
            word = bytes([turned[0] ^ constant, *turned[1:]])
            constant = sbox_table.multiply(2, constant)
        words.append(bytes(a ^ b for a, b in zip(words[-4], word, strict=True)))
    return b"".join(words)
