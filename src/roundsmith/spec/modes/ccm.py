"""CCM: CTR, and CBC-MAC over associated data and plaintext (SP 800-38C)."""

from typing import TYPE_CHECKING

from roundsmith.reference import openssl
from roundsmith.reference.messages import Block, Question, blocks, chained_tag, counted, filled, xor
from roundsmith.spec import formulas
from roundsmith.spec.modes import acvp, common
from roundsmith.spec.modes.protocol import Chain, Iv, ModeOfOperation, OneBlock

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec


def _text_and_tag(question: Question, encrypt: Block, decrypt: Block) -> tuple[bytes, bytes]:
    size = 15 - len(question.iv)
    if not 2 <= size <= 8 or len(question.text) >> 8 * size:
        raise ValueError("a text that is too long for its nonce")
    counter = bytes([size - 1]) + question.iv + bytes(size)
    found = counted(question.text, counter[:-1] + b"\1", 8 * size, encrypt)
    plaintext = found if question.decrypt else question.text
    tag_bytes = len(question.tag) if question.decrypt else question.tag_bytes
    flags = 64 * bool(question.aad) + 8 * ((tag_bytes - 2) // 2) + size - 1
    data = bytes([flags]) + question.iv + len(plaintext).to_bytes(size, "big")
    if question.aad:
        count = len(question.aad)
        prefix = (
            count.to_bytes(2, "big") if count < 0xFF00 else b"\xff\xfe" + count.to_bytes(4, "big")
        )
        data += filled(prefix + question.aad)
    state = chained_tag(blocks(data + filled(plaintext)), encrypt)
    return found, xor(state, encrypt(counter))


def _cycles(spec: "Spec", key_bits: int | None) -> float:
    """Return the cycles of a block; in a core with one at a time, counter and chain take turns."""
    if formulas.slots(spec) > 1:
        return common.chained_cycles(spec, key_bits)
    turns = 2 * common.turn_cycles(spec, key_bits) + int(formulas.is_oneblock(spec))
    return common.chained_cycles(spec, key_bits, turns)


MODE = ModeOfOperation(
    word="ccm",
    number=10,
    iv=Iv(least=7, most=13, usual=12),
    tags=(4, 6, 8, 10, 12, 14, 16),
    aad=True,
    refusal="it is too long for its nonce",
    chain=Chain(more=2, blocks=2),
    oneblock=OneBlock(),
    cycles=_cycles,
    answer=common.text_and_tag(_text_and_tag),
    openssl=openssl.ccm,
    acvp=acvp.Acvp(("ACVP-AES-CCM",), joined=True),
    priced_on=("iterative-lut4",),
)
