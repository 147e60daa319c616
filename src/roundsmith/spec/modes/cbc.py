"""CBC, cipher block chaining: a block is added to the ciphertext before it (SP 800-38A, 6.2)."""

from roundsmith.reference import openssl
from roundsmith.reference.messages import Block, Question, blocks, whole, xor
from roundsmith.spec.modes import acvp
from roundsmith.spec.modes.common import text_alone
from roundsmith.spec.modes.protocol import Chain, ModeOfOperation, OneBlock


def _text(question: Question, encrypt: Block, decrypt: Block) -> bytes:
    whole(question.text)
    before, found = question.iv, b""
    for block in blocks(question.text):
        made = xor(decrypt(block), before) if question.decrypt else encrypt(xor(block, before))
        before = block if question.decrypt else made
        found += made
    return found


MODE = ModeOfOperation(
    word="cbc",
    number=2,
    both_ways=True,
    forward=False,
    whole_blocks=True,
    chain=Chain(decrypts=False),
    oneblock=OneBlock(),
    shared=True,
    answer=text_alone(_text),
    openssl=openssl.cbc,
    acvp=acvp.Acvp(("ACVP-AES-CBC",), loop=acvp.chained_by_results),
    priced_on=("iterative-lut4", "satoh-1"),
)
