"""AES by OpenSSL, through the `cryptography` package, and the standards' own examples."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes

from roundsmith.reference.messages import Block


@dataclass(frozen=True)
class Vector:
    """One known answer: where it is printed for either direction, and its key and blocks."""

    encryption: str
    decryption: str
    key: bytes
    plaintext: bytes
    ciphertext: bytes


def _fips197(appendix: str, key: str, plaintext: str, ciphertext: str) -> Vector:
    source = f"FIPS 197, appendix {appendix}"
    return Vector(source, source, *(bytes.fromhex(t) for t in (key, plaintext, ciphertext)))


#: The four blocks that every ECB example of SP 800-38A encrypts.
_PLAINTEXTS_38A = (
    "6bc1bee22e409f96e93d7e117393172a",
    "ae2d8a571e03ac9c9eb76fac45af8e51",
    "30c81c46a35ce411e5fbc1191a0a52ef",
    "f69f2445df4f9b17ad2b417be66c3710",
)


def _sp800_38a(section: int, key: str, ciphertexts: Sequence[str]) -> list[Vector]:
    return [
        Vector(
            f"SP 800-38A, F.1.{section}, block {i}",
            f"SP 800-38A, F.1.{section + 1}, block {i}",
            *(bytes.fromhex(text) for text in (key, plaintext, ciphertext)),
        )
        for i, (plaintext, ciphertext) in enumerate(
            zip(_PLAINTEXTS_38A, ciphertexts, strict=True), start=1
        )
    ]


_C_PLAINTEXT = "00112233445566778899aabbccddeeff"

#: The examples of FIPS 197 and NIST SP 800-38A, for every key length; all hold in both directions.
VECTORS = (
    _fips197(
        "B",
        "2b7e151628aed2a6abf7158809cf4f3c",
        "3243f6a8885a308d313198a2e0370734",
        "3925841d02dc09fbdc118597196a0b32",
    ),
    _fips197(
        "C.1",
        "000102030405060708090a0b0c0d0e0f",
        _C_PLAINTEXT,
        "69c4e0d86a7b0430d8cdb78070b4c55a",
    ),
    _fips197(
        "C.2",
        "000102030405060708090a0b0c0d0e0f1011121314151617",
        _C_PLAINTEXT,
        "dda97ca4864cdfe06eaf70a0ec0d7191",
    ),
    _fips197(
        "C.3",
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
        _C_PLAINTEXT,
        "8ea2b7ca516745bfeafc49904b496089",
    ),
    *_sp800_38a(
        1,
        "2b7e151628aed2a6abf7158809cf4f3c",
        (
            "3ad77bb40d7a3660a89ecaf32466ef97",
            "f5d3d58503b9699de785895a96fdbaaf",
            "43b1cd7f598ece23881b00e3ed030688",
            "7b0c785e27e8ad3f8223207104725dd4",
        ),
    ),
    *_sp800_38a(
        3,
        "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
        (
            "bd334f1d6e45f25ff712a214571fa5cc",
            "974104846d0ad3ad7734ecb3ecee4eef",
            "ef7afd2270e2e60adce0ba2face6444e",
            "9a4b41ba738d6c72fb16691603c18e0e",
        ),
    ),
    *_sp800_38a(
        5,
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        (
            "f3eed1bdb5d2a03c064b5a7e3db181f8",
            "591ccb10d410ed26dc5ba74a31362870",
            "b6ed21b99ca6f4f9f153e7b1beafed1d",
            "23304b7a39f9f3ff067d8d8f9e24ecc7",
        ),
    ),
)


def _context(key: bytes, decrypt: bool) -> CipherContext:
    cipher = Cipher(algorithms.AES(key), modes.ECB())
    return cipher.decryptor() if decrypt else cipher.encryptor()


def encrypt(key: bytes, plaintext: bytes) -> bytes:
    """Encrypt whole blocks, each by itself (ECB without padding)."""
    return _context(key, False).update(plaintext)


def decrypt(key: bytes, ciphertext: bytes) -> bytes:
    """Decrypt whole blocks, each by itself (ECB without padding)."""
    return _context(key, True).update(ciphertext)


def keyed(key: bytes) -> tuple[Block, Block]:
    """Return encryption and decryption of blocks with one key."""
    return _context(key, False).update, _context(key, True).update


def cipher_each(
    keys: Sequence[bytes], key: np.ndarray, decrypting: np.ndarray, data: np.ndarray
) -> np.ndarray:
    """Return row i of `data` (whole blocks) encrypted or decrypted with keys[key[i]].

    Rows that share a key and a direction go through OpenSSL together.
    """
    answers = np.empty_like(data)
    work = 2 * key.astype(np.int64) + decrypting
    order = np.argsort(work, kind="stable")
    starts = np.flatnonzero(np.diff(work[order], prepend=-1))
    for rows in np.split(order, starts[1:]) if len(order) else []:
        number, inverse = divmod(int(work[rows[0]]), 2)
        context = _context(keys[number], bool(inverse))
        answers[rows] = np.frombuffer(context.update(data[rows].tobytes()), "u1").reshape(
            len(rows), -1
        )
    return answers


def pad(message: bytes) -> bytes:
    """Pad a message to whole blocks of 16 bytes (PKCS#7)."""
    padder = padding.PKCS7(128).padder()
    return padder.update(message) + padder.finalize()


def unpad(message: bytes) -> bytes:
    """Remove the padding of `pad`; ValueError if there is none."""
    unpadder = padding.PKCS7(128).unpadder()
    return unpadder.update(message) + unpadder.finalize()
