"""The golden model of each cipher."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from roundsmith.reference import aes, serpent


class Vector(Protocol):
    """One known answer: where it is printed for either direction, and its key and blocks."""

    @property
    def encryption(self) -> str:
        """Where it is printed as an encryption."""

    @property
    def decryption(self) -> str:
        """Where it is printed as a decryption."""

    @property
    def key(self) -> bytes:
        """Its key."""

    @property
    def plaintext(self) -> bytes:
        """Its plaintext."""

    @property
    def ciphertext(self) -> bytes:
        """Its ciphertext."""


class Model(Protocol):
    """A golden model: known answers, and the cipher for whole blocks."""

    @property
    def VECTORS(self) -> Sequence[Vector]:  # noqa: N802
        """The known answers, printed in the standards."""

    def encrypt(self, key: bytes, plaintext: bytes) -> bytes:
        """Encrypt whole blocks, each by itself."""

    def decrypt(self, key: bytes, ciphertext: bytes) -> bytes:
        """Decrypt whole blocks, each by itself."""

    def cipher_each(
        self, keys: Sequence[bytes], key: np.ndarray, decrypting: np.ndarray, data: np.ndarray
    ) -> np.ndarray:
        """Return row i of `data` encrypted or decrypted with keys[key[i]]."""


_MODELS: dict[str, Model] = {"aes": aes, "serpent": serpent}

#: What people call the ciphers, and where the answers of the models come from.
NAMES = {"aes": "AES", "serpent": "Serpent"}
SOURCES = {"aes": "OpenSSL", "serpent": "The model of Serpent"}


def model(cipher: str) -> Model:
    """Return the model of a cipher."""
    return _MODELS[cipher]
