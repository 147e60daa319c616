"""OFB, output feedback: the key stream is the cipher over and over (SP 800-38A, 6.4)."""

from roundsmith.reference import openssl
from roundsmith.reference.messages import Block, Question, blocks, xor
from roundsmith.spec.modes import acvp
from roundsmith.spec.modes.common import text_alone
from roundsmith.spec.modes.protocol import Chain, ModeOfOperation, OneBlock


def _text(question: Question, encrypt: Block, decrypt: Block) -> bytes:
    block, found = question.iv, b""
    for part in blocks(question.text):
        block = encrypt(block)
        found += xor(part, block)
    return found


def _loop(ask: acvp.Ask, key: bytes, iv: bytes, text: bytes, decrypt: bool) -> acvp.Looped:
    return acvp.chained(ask, key, iv, text, feedback="pad")


MODE = ModeOfOperation(
    word="ofb",
    number=5,
    chain=Chain(),
    oneblock=OneBlock(),
    answer=text_alone(_text),
    openssl=openssl.ofb,
    acvp=acvp.Acvp(("ACVP-AES-OFB",), loop=_loop),
    priced_on=("iterative-lut4",),
)
