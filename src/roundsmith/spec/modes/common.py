"""What several modes have in common: cycles in the long run, and answers with or without a tag."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from roundsmith.reference.messages import Block, Keyed, Question, Reply
from roundsmith.spec import formulas

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec

#: Lengths in bytes of a tag that can be cut anywhere.
ANY_TAG = tuple(range(1, 17))

#: The bits of a counter block that count, if the spec does not say.
COUNTER_BITS = 128


def counter_bits(spec: "Spec") -> int:
    """Return how many bits of a counter block count, in a mode that has one."""
    return COUNTER_BITS if spec.how.counter_bits is None else spec.how.counter_bits


# --- Cycles -------------------------------------------------------------------------------------


def cycles_per_block(spec: "Spec", key_bits: int | None) -> float:
    """Cycles of a block of text in the long run, in most modes."""
    if formulas.is_chained(spec):
        return chained_cycles(spec, key_bits)
    return unchained_cycles(spec, key_bits)


def unchained_cycles(spec: "Spec", key_bits: int | None, beside: float = 0.0) -> float:
    """Cycles of a block where none waits for another; of the smaller form, `beside` others."""
    core = formulas.core_cycles_per_block(spec, key_bits)
    if spec.mode.oneblock is None or not formulas.is_oneblock(spec):
        return core
    return max(core, beside) + spec.mode.oneblock.more


def chained_cycles(spec: "Spec", key_bits: int | None, chain: float | None = None) -> float:
    """Cycles of a block where each waits for the one before it.

    `chain` are the cycles from a block to the next one of the same message, unless they are usual.
    Streams go on side by side, as far as the core takes their blocks.
    """
    assert spec.mode.chain is not None
    if chain is None:
        # The smaller form has no port between it and the core, whose cycle it takes itself.
        more = 0 if formulas.is_oneblock(spec) else spec.mode.chain.more
        chain = spec.mode.chain.times * (turn_cycles(spec, key_bits) + more)
    busy = spec.mode.chain.blocks * formulas.core_cycles_per_block(spec, key_bits)
    return max(chain / spec.how.streams, busy)


def turn_cycles(spec: "Spec", key_bits: int | None) -> int:
    """Cycles from a block to the first that can wait for its result."""
    whole = formulas.whole_latency_cycles(spec, key_bits)
    return max(whole, formulas.initiation_interval(spec, key_bits))


def power_of_two(number: int) -> int:
    """Return the words of a memory for so many."""
    return int(1 << (number - 1).bit_length())


# --- Answers ------------------------------------------------------------------------------------


def text_alone(
    function: Callable[[Question, Block, Block], bytes],
) -> Callable[[Question, Keyed], Reply]:
    """Return the answer of a mode whose `function` makes a text, with one key."""

    def answer(question: Question, keyed: Keyed) -> Reply:
        return Reply(function(question, *keyed(question.key)))

    return answer


def text_and_tag(
    function: Callable[[Question, Block, Block], tuple[bytes, bytes]],
) -> Callable[[Question, Keyed], Reply]:
    """Return the answer of a mode whose `function` makes a text and a whole tag, with one key."""

    def answer(question: Question, keyed: Keyed) -> Reply:
        text, tag = function(question, *keyed(question.key))
        if question.decrypt:
            return Reply(text, right=tag[: len(question.tag)] == question.tag)
        return Reply(text, tag[: question.tag_bytes])

    return answer
