"""CFB, cipher feedback with segments of a block (SP 800-38A, 6.3)."""

from roundsmith.reference import openssl
from roundsmith.reference.messages import Block, Question, fed_back
from roundsmith.spec.modes import acvp
from roundsmith.spec.modes.common import text_alone
from roundsmith.spec.modes.protocol import Chain, ModeOfOperation, OneBlock


def _text(question: Question, encrypt: Block, decrypt: Block) -> bytes:
    return fed_back(question, encrypt, 16)


MODE = ModeOfOperation(
    word="cfb",
    number=3,
    # Without the dash five streams of it were one of CFB with segments of five bits.
    dashed=True,
    chain=Chain(),
    oneblock=OneBlock(),
    answer=text_alone(_text),
    openssl=openssl.cfb,
    acvp=acvp.Acvp(("ACVP-AES-CFB128",), loop=acvp.chained_by_results),
    priced_on=("iterative-lut4",),
)
