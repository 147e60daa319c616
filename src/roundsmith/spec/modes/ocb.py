"""OCB3, offset codebook: a text and its tag with one block of the cipher a block (RFC 7253)."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from roundsmith.reference import openssl
from roundsmith.reference.messages import Block, Question, blocks, double, padded, xor
from roundsmith.spec import formulas
from roundsmith.spec.modes import common
from roundsmith.spec.modes.protocol import Iv, ModeOfOperation, OneBlock

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec

#: Steps that the smaller form takes for a block of text, beside one for each zero at the end of its
#: number in binary.
_STEPS = 8

#: Words of the memory in the smaller form, of which one a cycle is cleared; and for each key in the
#: other one.
_WORDS, _WORDS_OF_A_KEY = 8, 32


def _offsets(start: bytes, star: bytes) -> Iterator[bytes]:
    """Yield the offsets for whole blocks."""
    offset, number = start, 0
    while True:
        number += 1
        step = double(double(star))
        for _ in range((number & -number).bit_length() - 1):
            step = double(step)
        offset = xor(offset, step)
        yield offset


def _text_and_tag(question: Question, encrypt: Block, decrypt: Block) -> tuple[bytes, bytes]:
    star = encrypt(bytes(16))
    tag_bytes = len(question.tag) if question.decrypt else question.tag_bytes
    nonce = (1 << 8 * len(question.iv) | int.from_bytes(question.iv, "big")).to_bytes(16, "big")
    nonce = bytes([tag_bytes % 16 << 4 | nonce[0]]) + nonce[1:]
    bottom = nonce[15] % 64
    top = encrypt(nonce[:15] + bytes([nonce[15] & 0xC0]))
    stretch = int.from_bytes(top + xor(top[:8], top[1:9]), "big")
    offset = (stretch >> 64 - bottom & (1 << 128) - 1).to_bytes(16, "big")

    total, running = bytes(16), bytes(16)
    for block, masked in zip(blocks(question.aad), _offsets(bytes(16), star), strict=False):
        running = masked if len(block) == 16 else xor(running, star)
        total = xor(total, encrypt(xor(padded(block), running)))

    found, checksum = b"", bytes(16)
    for block, masked in zip(blocks(question.text), _offsets(offset, star), strict=False):
        if len(block) == 16:
            offset = masked
            function = decrypt if question.decrypt else encrypt
            made = xor(function(xor(block, offset)), offset)
        else:
            offset = xor(offset, star)
            made = xor(block, encrypt(offset))
        checksum = xor(checksum, padded(made if question.decrypt else block))
        found += made
    return found, xor(total, encrypt(xor(xor(checksum, offset), double(star))))


def _openssl_has(question: Question) -> bool:
    tag_bytes = len(question.tag) if question.decrypt else question.tag_bytes
    return tag_bytes == 16 and 12 <= len(question.iv) <= 15


def _cycles(spec: "Spec", key_bits: int | None) -> float:
    """Return the cycles of a block, in the smaller form their average.

    One in 2^n blocks has n zeros at the end of its number, and some more than there is time.
    """
    if not formulas.is_oneblock(spec):
        return common.unchained_cycles(spec, key_bits)
    core = max(formulas.core_cycles_per_block(spec, key_bits), _STEPS)
    return core + math.pow(0.5, core - _STEPS)


def _clears(spec: "Spec") -> list[int]:
    keys = common.power_of_two(spec.port.key_slots)
    return [_WORDS if formulas.is_oneblock(spec) else _WORDS_OF_A_KEY * keys]


MODE = ModeOfOperation(
    word="ocb",
    number=12,
    both_ways=True,
    iv=Iv(least=1, most=15, usual=12),
    tags=common.ANY_TAG,
    aad=True,
    oneblock=OneBlock(),
    cycles=_cycles,
    clears=_clears,
    answer=common.text_and_tag(_text_and_tag),
    openssl=openssl.ocb,
    openssl_has=_openssl_has,
    priced_on=("satoh-1",),
)
