"""The ciphers: each is one module here, found by its place.

`protocol` says what a spec knows of a cipher. The rooms `design`, `explore` and `attribution` have
a package `ciphers` too, with one module a cipher. No other module names a cipher.
"""

from collections.abc import Iterable
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol, TypeVar

from roundsmith.base.errors import RoundsmithError
from roundsmith.base.members import members
from roundsmith.spec.ciphers.protocol import Batch, BlockCipher, ByteOrder
from roundsmith.spec.sboxes import SBOXES

__all__ = ["CIPHERS", "DEFAULT", "Batch", "BlockCipher", "ByteOrder", "Cipher", "of", "of_room"]


class HasWord(Protocol):
    """What an upper room knows of a cipher, under the word of the cipher."""

    @property
    def word(self) -> str:
        """The word of the cipher."""


Part = TypeVar("Part", bound=HasWord)

#: All ciphers, in the order of their numbers.
CIPHERS = tuple(
    sorted(members(__name__, __path__, "CIPHER", BlockCipher), key=lambda one: one.number)
)
_BY_WORD = {cipher.word: cipher for cipher in CIPHERS}

if TYPE_CHECKING:

    class Cipher(StrEnum):
        """The words of the ciphers for a type checker; a run takes them from `CIPHERS`."""

        AES = "aes"
        SERPENT = "serpent"

else:
    Cipher = StrEnum("Cipher", {word.upper(): word for word in _BY_WORD}, module=__name__)
    Cipher.__doc__ = "Which block cipher."

#: The cipher of a spec that names none.
DEFAULT = Cipher(CIPHERS[0].word)


def of(word: str) -> BlockCipher:
    """Return the cipher with this word."""
    return _BY_WORD[word]


def of_room(package: str, folders: Iterable[str], name: str, kind: type[Part]) -> dict[str, Part]:
    """Return the objects called `name` of an upper room's package, by the word of the cipher.

    Raise RoundsmithError where a cipher has no object, or an object no cipher.
    """
    found = {part.word: part for part in members(package, folders, name, kind)}
    if apart := found.keys() ^ _BY_WORD.keys():
        raise RoundsmithError(
            f"{package} must have one {name} for each cipher; see {', '.join(apart)}."
        )
    return found


def _check_numbers() -> None:
    """Raise ValueError where two ciphers have one number."""
    for one, other in pairwise(CIPHERS):
        if one.number == other.number:
            raise ValueError(f"cipher '{other.word}' has the number of '{one.word}'.")


def _check_sboxes() -> None:
    """Raise RoundsmithError where S-boxes and ciphers do not go together."""
    if apart := SBOXES.keys() ^ _BY_WORD.keys():
        raise RoundsmithError(
            f"Each cipher has a module and S-boxes; one of both is missing of {', '.join(apart)}."
        )
    for cipher in CIPHERS:
        for built in (sbox.of(cipher.word) for sbox in SBOXES[cipher.word]):
            if cipher.plain_sboxes and (built.cuts or built.memory or built.has_both):
                raise RoundsmithError(
                    f"An S-box of {cipher.name} has no cuts, no memory, no form for both; "
                    f"'{built.module}' has."
                )


_check_numbers()
_check_sboxes()
