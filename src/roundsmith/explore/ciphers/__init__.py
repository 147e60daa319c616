"""How the ciphers are explored: one module a cipher, with an `EXPLORATION`, found by its place.

The modules that end with `_structure` say what a core is made of.
"""

from collections.abc import Mapping, Sequence

from roundsmith.explore.ciphers.protocol import Exploration
from roundsmith.spec import ciphers

__all__ = ["Exploration", "means", "of"]

_BY_WORD = ciphers.of_room(__name__, __path__, "EXPLORATION", Exploration)


def of(word: str) -> Exploration:
    """Return how the cipher with this word is explored."""
    return _BY_WORD[word]


def means() -> Mapping[str, Sequence[str]]:
    """Return the parts of all ciphers that are the mean of several circuits."""
    return {part: names for one in _BY_WORD.values() for part, names in one.means().items()}
