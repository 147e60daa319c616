"""CFB-8, cipher feedback with segments of a byte: 16 blocks of the core for 16 bytes of text."""

from roundsmith.reference import openssl
from roundsmith.reference.messages import Block, Question, fed_back
from roundsmith.spec.modes import acvp
from roundsmith.spec.modes.common import text_alone
from roundsmith.spec.modes.protocol import Chain, ModeOfOperation


def _text(question: Question, encrypt: Block, decrypt: Block) -> bytes:
    return fed_back(question, encrypt, 1)


def _loop(ask: acvp.Ask, key: bytes, iv: bytes, text: bytes, decrypt: bool) -> acvp.Looped:
    chain, now, results = iv, text, b""
    for number in range(acvp.INNER):
        made = ask(chain, now)
        chain = chain[1:] + (now if decrypt else made)
        now = iv[number : number + 1] if number < 16 else results[number - 16 : number - 15]
        results += made
    return results[-1:], acvp.mixed(key, [results]), results[-16:], results[-17:-16]


MODE = ModeOfOperation(
    word="cfb8",
    number=4,
    dashed=True,
    chain=Chain(times=16, blocks=16),
    answer=text_alone(_text),
    openssl=openssl.cfb8,
    acvp=acvp.Acvp(("ACVP-AES-CFB8",), loop=_loop),
)
