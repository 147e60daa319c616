"""The modes of operation: each is one module here, and nothing else in the tool names one.

A mode attaches to the full port of a core and never asks which cipher stands behind it. `protocol`
says what a mode is, and `roundsmith.spec.around` has what holds for each of them around a core.
"""

from enum import StrEnum
from typing import TYPE_CHECKING

from roundsmith.base.members import members
from roundsmith.reference.messages import Keyed, Question, Reply
from roundsmith.spec.modes.common import counter_bits
from roundsmith.spec.modes.protocol import ModeOfOperation

__all__ = [
    "MODES",
    "NUMBERS",
    "OPTIONS",
    "Mode",
    "ModeOfOperation",
    "answer",
    "counter_bits",
    "of",
]

_FOUND = sorted(members(__name__, __path__, "MODE", ModeOfOperation), key=lambda one: one.number)
_BY_WORD = {mode.word: mode for mode in _FOUND}

#: All modes, in the order of their numbers.
MODES = tuple(mode for mode in _FOUND if mode.word != "none")

if TYPE_CHECKING:

    class Mode(StrEnum):
        """The words of all modes: those of the registry, and here two that stand for them."""

        NONE = "none"
        ECB = "ecb"

else:
    Mode = StrEnum("Mode", {word.upper(): word for word in _BY_WORD}, module=__name__)
    Mode.__doc__ = "The mode of operation around the core; `none` is the bare block cipher."

#: The numbers of the modes in the register `FEATURES`: they never change.
NUMBERS = {mode.word: mode.number for mode in MODES}

#: Fields of `how` that belong to some modes only.
OPTIONS = tuple(option for mode in MODES for option in mode.options)


def of(word: str) -> ModeOfOperation:
    """Return the mode with this word; `none` is one too, the bare block cipher."""
    return _BY_WORD[word]


def answer(question: Question, keyed: Keyed) -> Reply:
    """Return what the mode of a message makes of it over the cipher `keyed`."""
    return of(question.mode).answer(question, keyed)


def _check_numbers() -> None:
    """Raise ValueError where two modes have one number."""
    for mode in MODES:
        others = [one.word for one in _FOUND if one.number == mode.number and one is not mode]
        if others:
            raise ValueError(f"mode '{mode.word}' has the number of '{others[0]}'.")


_check_numbers()
