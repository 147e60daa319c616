"""XTS: each block between two tweaks, which a second key makes of its number (SP 800-38E)."""

from collections.abc import Sequence

from roundsmith.reference import openssl
from roundsmith.reference.messages import Keyed, Question, Reply, blocks, xor
from roundsmith.spec.modes import acvp
from roundsmith.spec.modes.protocol import ModeOfOperation, OneBlock


def _answer(question: Question, keyed: Keyed) -> Reply:
    text, half = question.text, len(question.key) // 2
    encrypt, decrypt = keyed(question.key[:half])
    tweak, _ = keyed(question.key[half:])
    if len(text) < 16:
        raise ValueError("a text of less than a block")
    function = decrypt if question.decrypt else encrypt
    tweaks = [tweak(question.iv)]
    while len(tweaks) < -(-len(text) // 16):
        number = int.from_bytes(tweaks[-1], "little") << 1
        number = number ^ (0x87 | 1 << 128) if number >> 128 else number
        tweaks.append(number.to_bytes(16, "little"))

    def one(block: bytes, mask: bytes) -> bytes:
        return xor(function(xor(block, mask)), mask)

    parts = list(blocks(text))
    if len(parts[-1]) == 16:
        return Reply(b"".join(map(one, parts, tweaks)))
    found = b"".join(map(one, parts[:-2], tweaks))
    first, second = tweaks[-2:] if not question.decrypt else tweaks[:-3:-1]
    stolen = one(parts[-2], first)
    size = len(parts[-1])
    return Reply(found + one(parts[-1] + stolen[size:], second) + stolen[:size])


def _openssl_has(question: Question) -> bool:
    """Whether OpenSSL has such keys: none of 192 bits there, nor two that are the same."""
    half = len(question.key) // 2
    return half != 24 and question.key[:half] != question.key[half:]


def _tweak(group: acvp.Json, test: acvp.Json) -> acvp.Given | None:
    """Return the tweak of a test, which may be a number."""
    number = acvp.number(test, "sequenceNumber")
    if number is not None:
        return number.to_bytes(16, "little"), {}
    return (acvp.field(test, "tweakValue"), {}) if "tweakValue" in test else None


def _units(text: bytes, iv: bytes, size: int) -> Sequence[tuple[bytes, bytes]]:
    """Return a text as data units of `size` bytes (0: one of all bytes), with their tweaks.

    The tweak is a number whose first byte is its lowest (IEEE 1619, 5.1), one more a unit.
    """
    first, size = int.from_bytes(iv, "little"), size or len(text) or 1
    return [
        (text[start : start + size], ((first + number) % (1 << 128)).to_bytes(16, "little"))
        for number, start in enumerate(range(0, max(1, len(text)), size))
    ]


def _obstacle(group: acvp.Json) -> str:
    for case in (group, *group["tests"]):
        size, unit = (acvp.number(case, name) or 0 for name in ("payloadLen", "dataUnitLen"))
        if unit and size > unit and 0 < size % unit < 128:
            return f"the last data unit has {size % unit} bits, and XTS begins at a block of 128."
    return ""


MODE = ModeOfOperation(
    word="xts",
    number=11,
    both_ways=True,
    slots=2,
    least_text=16,
    refusal="it has less than 16 bytes, or more than 2^20 blocks",
    oneblock=OneBlock(more=2),
    answer=_answer,
    openssl=openssl.xts,
    openssl_has=_openssl_has,
    acvp=acvp.Acvp(("ACVP-AES-XTS",), iv=_tweak, units=_units, obstacle=_obstacle),
    priced_on=("satoh-1",),
)
