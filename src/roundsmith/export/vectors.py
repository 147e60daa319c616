"""The vectors of the exported test bench: the standards' own, and random ones from OpenSSL."""

import hashlib
from dataclasses import dataclass

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

RANDOM = 100


@dataclass(frozen=True)
class Vector:
    """One block under one key, and where it is from."""

    key: bytes
    plaintext: bytes
    ciphertext: bytes
    source: str


#: FIPS 197, appendix B: the worked example of the standard and of the datasheet.
EXAMPLE = Vector(
    key=bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c"),
    plaintext=bytes.fromhex("3243f6a8885a308d313198a2e0370734"),
    ciphertext=bytes.fromhex("3925841d02dc09fbdc118597196a0b32"),
    source="FIPS 197, B",
)

_C1 = Vector(
    key=bytes.fromhex("000102030405060708090a0b0c0d0e0f"),
    plaintext=bytes.fromhex("00112233445566778899aabbccddeeff"),
    ciphertext=bytes.fromhex("69c4e0d86a7b0430d8cdb78070b4c55a"),
    source="FIPS 197, C.1",
)

# SP 800-38A, F.1.1: ECB-AES128.Encrypt, all four under the key of FIPS 197, B.
_F11 = (
    ("6bc1bee22e409f96e93d7e117393172a", "3ad77bb40d7a3660a89ecaf32466ef97"),
    ("ae2d8a571e03ac9c9eb76fac45af8e51", "f5d3d58503b9699de785895a96fdbaaf"),
    ("30c81c46a35ce411e5fbc1191a0a52ef", "43b1cd7f598ece23881b00e3ed030688"),
    ("f69f2445df4f9b17ad2b417be66c3710", "7b0c785e27e8ad3f8223207104725dd4"),
)


def vectors() -> list[Vector]:
    """Return all vectors, in the order in which the test bench sends them.

    In the first half of the random ones every block has a key of its own; in the second, ten
    blocks share one.
    """
    known = [EXAMPLE, _C1]
    known += [
        Vector(
            EXAMPLE.key,
            bytes.fromhex(plaintext),
            bytes.fromhex(ciphertext),
            f"SP 800-38A, F.1.1, block {number}",
        )
        for number, (plaintext, ciphertext) in enumerate(_F11, start=1)
    ]
    for number in range(RANDOM):
        key_number = number if number < RANDOM // 2 else RANDOM + number // 10
        key, block = _bytes("key", key_number), _bytes("plaintext", number)
        known.append(Vector(key, block, encrypt(key, block), f"random {number + 1}"))
    return known


def encrypt(key: bytes, plaintext: bytes) -> bytes:
    """Encrypt one block with AES, by OpenSSL."""
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    return encryptor.update(plaintext) + encryptor.finalize()


def _bytes(what: str, number: int) -> bytes:
    return hashlib.sha256(f"roundsmith {what} {number}".encode()).digest()[:16]
