"""The components of the ciphers: one module a cipher, with a `RULE`, found by its place here."""

from roundsmith.attribution.ciphers.protocol import Rule
from roundsmith.spec import ciphers

__all__ = ["Rule", "of"]

_BY_WORD = ciphers.of_room(__name__, __path__, "RULE", Rule)


def of(word: str) -> Rule:
    """Return the rule of the cipher with this word."""
    return _BY_WORD[word]
