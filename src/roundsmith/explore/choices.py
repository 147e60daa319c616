"""Lists of choices, from which specs are made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from roundsmith.spec import Cipher, Direction
from roundsmith.spec.ciphers import DEFAULT

ENCRYPT = (Direction.ENCRYPT,)
BOTH = (Direction.ENCRYPT, Direction.DECRYPT)

#: Sets of cuts by a word: those that balance the stages, or every one.
AUTO, ALL = "auto", "all"


@dataclass(frozen=True)
class Space:
    """Lists of choices. What `choices` does not name takes the values that suit the target.

    `cuts` is `auto`, `all` or sets of cuts.
    """

    key_bits: tuple[int, ...] = (128,)
    directions: tuple[Direction, ...] = ENCRYPT
    choices: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    cuts: str | tuple[tuple[str, ...], ...] = AUTO
    cipher: Cipher = DEFAULT
