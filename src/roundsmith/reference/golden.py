"""What the golden model of a cipher has."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from roundsmith.reference.messages import Block

if TYPE_CHECKING:
    import numpy as np


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

    def keyed(self, key: bytes) -> tuple[Block, Block]:
        """Return encryption and decryption of blocks with one key."""

    def cipher_each(
        self, keys: Sequence[bytes], key: "np.ndarray", decrypting: "np.ndarray", data: "np.ndarray"
    ) -> "np.ndarray":
        """Return row i of `data` encrypted or decrypted with keys[key[i]]."""
