"""CMAC: CBC-MAC whose last block is added to a key of its own (SP 800-38B)."""

from typing import TYPE_CHECKING

from roundsmith.reference import openssl
from roundsmith.reference.messages import (
    Block,
    Question,
    blocks,
    chained_tag,
    double,
    padded,
    xor,
)
from roundsmith.spec.modes import acvp
from roundsmith.spec.modes.common import ANY_TAG, power_of_two, text_and_tag
from roundsmith.spec.modes.protocol import NO_IV, Chain, ModeOfOperation, OneBlock

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec


def _tag(question: Question, encrypt: Block, decrypt: Block) -> tuple[bytes, bytes]:
    parts = list(blocks(question.text)) or [b""]
    once = double(encrypt(bytes(16)))
    parts[-1] = xor(padded(parts[-1]), once if len(parts[-1]) == 16 else double(once))
    return b"", chained_tag(parts, encrypt)


def _clears(spec: "Spec") -> list[int]:
    """Cycles of the memory of the keys of last blocks."""
    return [power_of_two(spec.port.key_slots)]


MODE = ModeOfOperation(
    word="cmac",
    number=8,
    iv=NO_IV,
    tags=ANY_TAG,
    mac=True,
    chain=Chain(more=1),
    oneblock=OneBlock(),
    clears=_clears,
    answer=text_and_tag(_tag),
    openssl=openssl.cmac,
    acvp=acvp.Acvp(("CMAC-AES",), iv=acvp.no_iv),
    priced_on=("iterative-lut4",),
)
