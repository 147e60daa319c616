"""No mode of operation: the bare block cipher."""

from roundsmith.reference.messages import Keyed, Question, Reply
from roundsmith.spec.modes.protocol import NO_IV, ModeOfOperation


def _answer(question: Question, keyed: Keyed) -> Reply:
    raise ValueError("a message without a mode of operation")


MODE = ModeOfOperation(
    word="none", number=0, answer=_answer, both_ways=True, forward=False, iv=NO_IV
)
