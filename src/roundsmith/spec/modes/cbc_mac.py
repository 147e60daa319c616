"""CBC-MAC: the last ciphertext of CBC is the tag (FIPS 113, with any block cipher).

It is safe for messages of one length only; texts have whole blocks, one at least.
"""

from roundsmith.reference.messages import Block, Question, blocks, chained_tag, whole
from roundsmith.spec.modes.common import ANY_TAG, text_and_tag
from roundsmith.spec.modes.protocol import NO_IV, Chain, ModeOfOperation, OneBlock


def _tag(question: Question, encrypt: Block, decrypt: Block) -> tuple[bytes, bytes]:
    if not question.text:
        raise ValueError("a text of no block")
    whole(question.text)
    return b"", chained_tag(blocks(question.text), encrypt)


MODE = ModeOfOperation(
    word="cbc_mac",
    number=7,
    iv=NO_IV,
    tags=ANY_TAG,
    mac=True,
    whole_blocks=True,
    least_text=16,
    refusal="it has not whole blocks, one at least",
    chain=Chain(more=1),
    oneblock=OneBlock(),
    answer=text_and_tag(_tag),
    priced_on=("iterative-lut4",),
)
