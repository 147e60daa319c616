"""Random messages for a mode of operation, the right answers to them, and the comparison."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from roundsmith.base.errors import VerificationFailed
from roundsmith.reference.messages import Question, Reply
from roundsmith.simulate.messages import Answer, Message
from roundsmith.spec import ModeOfOperation, Spec, modes

#: Lengths that are more likely than others: around a block, two and nothing.
_EDGES = (0, 1, 15, 16, 17, 31, 32, 33, 48)


@dataclass(frozen=True)
class AskedMessage:
    """A message and the right answer; None where it is to be refused."""

    message: Message
    reply: Reply | None


def reply(spec: Spec, message: Message) -> Reply | None:
    """Return the right answer to `message`: OpenSSL's where it has one, else the plain model's."""
    question = Question(
        mode=spec.mode.word,
        key=message.key,
        text=message.text,
        iv=message.iv,
        aad=message.aad,
        decrypt=message.decrypt,
        tag=message.tag,
        tag_bytes=message.tag_bytes,
        counter_bits=modes.counter_bits(spec),
    )
    try:
        openssl = spec.mode.openssl
        if spec.cipher.in_openssl and openssl and spec.mode.openssl_has(question):
            found = openssl(question)
            # It hands out no text with a wrong tag, and the core has done so by then.
            return found if found.right else modes.answer(question, spec.cipher.model.keyed)
        return modes.answer(question, spec.cipher.model.keyed)
    except ValueError:
        return None


def question(
    spec: Spec,
    random: np.random.Generator,
    longest: int,
    key: bytes | None = None,
    stream: int = 0,
) -> AskedMessage:
    """Return a random message that the mode takes, of `longest` bytes of text at most.

    A verification has a wrong bit somewhere in one of three cases.
    """
    mode = spec.mode
    ways = [way == "decrypt" for way in spec.what.directions] if mode.both_ways else [False, True]
    if key is None:
        bits = int(random.choice(spec.what.key_bits))
        key = random.bytes(mode.slots * bits // 8)
    message = Message(
        key=key,
        text=random.bytes(_length(mode, random, longest)),
        iv=random.bytes(mode.iv.length(random)),
        aad=random.bytes(_short(random, 200)) if mode.aad else b"",
        tag_bytes=int(random.choice(mode.tags)) if mode.tags else 0,
        slot=int(random.integers(max(1, spec.port.key_slots // mode.slots))),
        stream=stream,
    )
    if not random.choice(ways):
        return AskedMessage(message, reply(spec, message))
    if mode.tags:
        made = reply(spec, message)
        assert made is not None
        text = message.text if mode.mac else made.text
        message = replace(message, text=text, decrypt=True, tag=made.tag)
        if random.integers(3) == 0:
            message = flipped(message, random)
    message = replace(message, decrypt=True)
    return AskedMessage(message, reply(spec, message))


def encryption(
    spec: Spec, random: np.random.Generator, size: int, key: bytes, stream: int = 0
) -> AskedMessage:
    """Return a message of `size` random bytes to encrypt or to tag."""
    tags = spec.mode.tags
    iv = random.bytes(spec.mode.iv.length(random))
    message = Message(key, random.bytes(size), iv, tag_bytes=max(tags, default=0), stream=stream)
    return AskedMessage(message, reply(spec, message))


def questions(
    spec: Spec, random: np.random.Generator, count: int, longest: int, new_key: float = 0.3
) -> list[AskedMessage]:
    """Return random messages for all streams, whose keys stay but for one in so many."""
    found: list[AskedMessage] = []
    keys: dict[int, bytes] = {}
    for _ in range(count):
        # The numbers of a core without streams are not disturbed.
        stream = int(random.integers(spec.how.streams)) if spec.how.streams > 1 else 0
        stays = stream in keys and random.random() >= new_key
        made = question(spec, random, longest, keys[stream] if stays else None, stream)
        keys[stream] = made.message.key
        found.append(made)
    return found


def flipped(message: Message, random: np.random.Generator) -> Message:
    """Return `message` with one bit of its text, tag, nonce or associated data turned over."""
    fields = [name for name in ("text", "tag", "iv", "aad") if getattr(message, name)]
    name = str(random.choice(fields))
    data = bytearray(getattr(message, name))
    bit = int(random.integers(8 * len(data)))
    data[bit // 8] ^= 1 << bit % 8
    changed: dict[str, Any] = {name: bytes(data)}
    return replace(message, **changed)


def _short(random: np.random.Generator, longest: int) -> int:
    if random.integers(2):
        return int(random.choice([n for n in _EDGES if n <= longest] or [0]))
    return int(random.integers(longest + 1))


def _length(mode: ModeOfOperation, random: np.random.Generator, longest: int) -> int:
    length = _short(random, longest)
    if mode.whole_blocks:
        length -= length % 16
    return max(mode.least_text, length)


def compare(label: str, asked: Sequence[AskedMessage], answers: Sequence[Answer | None]) -> int:
    """Hold answers to the right ones; return how many there are.

    Raises VerificationFailed at the first wrong one. Messages that a clear dropped have no answer.
    """
    for number, (wanted, got) in enumerate(zip(asked, answers, strict=True)):
        if got is None:
            continue
        fault = _fault(wanted, got)
        if fault:
            message = wanted.message
            raise VerificationFailed(
                f"{label}: message {number} ({'decryption' if message.decrypt else 'encryption'} "
                f"of {len(message.text)} bytes with {len(message.aad)} beside them, key "
                f"{message.key.hex()}, IV {message.iv.hex()}) {fault}."
            )
    return sum(answer is not None for answer in answers)


def _fault(wanted: AskedMessage, got: Answer) -> str:
    right = wanted.reply
    if right is None:
        return "" if got.refused else "was not refused"
    if got.refused:
        return "was refused"
    if got.text != right.text:
        return f"gives the text {got.text.hex()[:64]} instead of {right.text.hex()[:64]}"
    if got.tag != right.tag:
        return f"gives the tag {got.tag.hex()} instead of {right.tag.hex()}"
    if got.wrong_tag == right.right:
        return "has a wrong tag that was taken" if got.wrong_tag is False else "has a right tag"
    return ""
