"""CTR, counter: the key stream is the cipher of a counter (SP 800-38A, 6.5).

The last `counter_bits` of a block count. A message whose counter would wrap is refused.
"""

import secrets
from typing import TYPE_CHECKING

from roundsmith.reference import openssl
from roundsmith.reference.messages import Block, Question, counted
from roundsmith.spec import formulas
from roundsmith.spec.modes import acvp
from roundsmith.spec.modes.common import counter_bits, text_alone
from roundsmith.spec.modes.protocol import ModeOfOperation, OneBlock

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec

#: Cycles of a block in which the counter of the smaller form does not turn.
_SPARE = 2

#: The counter of RFC 3686, the last 32 bits of the first counter block.
_FIRST_COUNT = (1).to_bytes(4, "big")


def _text(question: Question, encrypt: Block, decrypt: Block) -> bytes:
    bits = question.counter_bits
    start = int.from_bytes(question.iv, "big") % (1 << bits)
    if start + -(-len(question.text) // 16) > 1 << bits:
        raise ValueError("a counter that wraps")
    return counted(question.text, question.iv, bits, encrypt)


def _openssl_has(question: Question) -> bool:
    start = int.from_bytes(question.iv, "big")
    wraps = start + -(-len(question.text) // 16) > 1 << 128
    return question.counter_bits == 128 and not wraps


def _digit(spec: "Spec") -> int:
    """Return how many bits are counted in a cycle, where the counter turns once a block."""
    cycles = formulas.shortest_interval(spec) - _SPARE
    return next(n for n in (8, 16, 32, 64) if 128 // n <= cycles)


def _parameters(spec: "Spec") -> dict[str, str]:
    digit = {"Digit": str(_digit(spec))} if formulas.is_oneblock(spec) else {}
    return {"CounterWidth": str(counter_bits(spec))} | digit


def _rows(spec: "Spec") -> list[tuple[str, str]]:
    return [("Counter", f"the last {counter_bits(spec)} bits of a block")]


def _iv(group: acvp.Json, test: acvp.Json) -> acvp.Given | None:
    """Return the first counter block; one that is ours to make begins as that of RFC 3686.

    The server demands that, and it is far from the end of the counter. In a test of the counter
    itself the server finds it in the text.
    """
    if "iv" in test:
        return acvp.part(test, group, "iv"), {}
    if acvp.kind(group) != "CTR" and group.get("direction") != "encrypt":
        return None
    made = secrets.token_bytes(12) + _FIRST_COUNT
    if acvp.kind(group) == "CTR":
        return made, {}
    return made, {"iv": made.hex().upper()}


def _obstacle(group: acvp.Json) -> str:
    if acvp.kind(group) == "CTR" and group.get("overflow"):
        return "the counter overflows, and one of ours does not wrap: such a message is refused."
    if acvp.kind(group) == "CTR" and group.get("incremental") is False:
        return "the counter counts down, and ours counts up."
    return ""


MODE = ModeOfOperation(
    word="ctr",
    number=6,
    options=("counter_bits",),
    refusal="its counter would wrap",
    oneblock=OneBlock(),
    parameters=_parameters,
    answer=text_alone(_text),
    openssl=openssl.ctr,
    openssl_has=_openssl_has,
    acvp=acvp.Acvp(
        ("ACVP-AES-CTR",), kinds=("CTR",), bits=("payloadLen",), iv=_iv, obstacle=_obstacle
    ),
    rows=_rows,
    priced_on=("iterative-lut4",),
)
