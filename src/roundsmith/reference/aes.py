"""AES by OpenSSL, through the `cryptography` package, and the standard's own examples."""

from collections.abc import Iterable
from dataclasses import dataclass

from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


@dataclass(frozen=True)
class Vector:
    """One known answer: where it is printed, key, plaintext and ciphertext (bytes)."""

    source: str
    key: bytes
    plaintext: bytes
    ciphertext: bytes


def _vector(source: str, key: str, plaintext: str, ciphertext: str) -> Vector:
    return Vector(source, *(bytes.fromhex(text) for text in (key, plaintext, ciphertext)))


_KEY_38A = "2b7e151628aed2a6abf7158809cf4f3c"

#: The AES-128 encryption examples of FIPS 197 and NIST SP 800-38A.
AES128_VECTORS = (
    _vector(
        "FIPS 197, appendix B",
        "2b7e151628aed2a6abf7158809cf4f3c",
        "3243f6a8885a308d313198a2e0370734",
        "3925841d02dc09fbdc118597196a0b32",
    ),
    _vector(
        "FIPS 197, appendix C.1",
        "000102030405060708090a0b0c0d0e0f",
        "00112233445566778899aabbccddeeff",
        "69c4e0d86a7b0430d8cdb78070b4c55a",
    ),
    _vector(
        "SP 800-38A, F.1.1, block 1",
        _KEY_38A,
        "6bc1bee22e409f96e93d7e117393172a",
        "3ad77bb40d7a3660a89ecaf32466ef97",
    ),
    _vector(
        "SP 800-38A, F.1.1, block 2",
        _KEY_38A,
        "ae2d8a571e03ac9c9eb76fac45af8e51",
        "f5d3d58503b9699de785895a96fdbaaf",
    ),
    _vector(
        "SP 800-38A, F.1.1, block 3",
        _KEY_38A,
        "30c81c46a35ce411e5fbc1191a0a52ef",
        "43b1cd7f598ece23881b00e3ed030688",
    ),
    _vector(
        "SP 800-38A, F.1.1, block 4",
        _KEY_38A,
        "f69f2445df4f9b17ad2b417be66c3710",
        "7b0c785e27e8ad3f8223207104725dd4",
    ),
)


def encrypt(key: bytes, plaintext: bytes) -> bytes:
    """Encrypt whole blocks, each by itself (ECB without padding)."""
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    return encryptor.update(plaintext) + encryptor.finalize()


def encrypt_each(pairs: Iterable[tuple[bytes, bytes]]) -> list[bytes]:
    """Encrypt one block for each pair of key and plaintext."""
    return [encrypt(key, plaintext) for key, plaintext in pairs]


def pad(message: bytes) -> bytes:
    """Pad a message to whole blocks of 16 bytes (PKCS#7)."""
    padder = padding.PKCS7(128).padder()
    return padder.update(message) + padder.finalize()
