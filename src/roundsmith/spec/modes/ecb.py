"""ECB, electronic codebook: each block by itself (SP 800-38A, 6.1)."""

from roundsmith.reference import openssl
from roundsmith.reference.messages import Block, Question, blocks, whole
from roundsmith.spec.modes import acvp
from roundsmith.spec.modes.common import text_alone
from roundsmith.spec.modes.protocol import NO_IV, ModeOfOperation, OneBlock


def _text(question: Question, encrypt: Block, decrypt: Block) -> bytes:
    whole(question.text)
    function = decrypt if question.decrypt else encrypt
    return b"".join(map(function, blocks(question.text)))


def _loop(ask: acvp.Ask, key: bytes, iv: bytes, text: bytes, decrypt: bool) -> acvp.Looped:
    results = []
    for _ in range(acvp.INNER):
        text = ask(b"", text)
        results.append(text)
    return text, acvp.mixed(key, results[-2:]), iv, text


MODE = ModeOfOperation(
    word="ecb",
    number=1,
    both_ways=True,
    forward=False,
    whole_blocks=True,
    iv=NO_IV,
    oneblock=OneBlock(),
    answer=text_alone(_text),
    openssl=openssl.ecb,
    acvp=acvp.Acvp(("ACVP-AES-ECB",), loop=_loop, iv=acvp.no_iv),
    priced_on=("iterative-lut4", "satoh-1"),
)
