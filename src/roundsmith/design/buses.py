"""A bus around a core with a mode: its signals at the top, and the blocks that it is made of.

What a bus takes in is messages and keys. It hands them on at the message port of the mode and at
the key channel; a self-test may stand between.
"""

from dataclasses import dataclass

from roundsmith.design.pins import LENGTHS, lengths_mask
from roundsmith.design.registers import model as registers
from roundsmith.reference.messages import Question
from roundsmith.spec import Spec, buses, modes
from roundsmith.spec.buses import Signal


def signals(spec: Spec) -> list[Signal]:
    """Return the signals of the bus of `spec`, in order."""
    found = list(spec.bus.signals(spec, registers.load().address_bits))
    if spec.bus.has_registers:
        meaning = "an event has happened that is enabled"
        found.append(Signal("interrupt_o", "output", 1, meaning, "interrupt_o"))
    elif spec.what.self_test:
        meaning = "the self-test: 1 it runs, 2 passed, 3 failed"
        found.append(Signal("self_test_o", "output", 2, meaning, "state_o"))
    return found


# --- Parameters -----------------------------------------------------------------------------


def register_parameters(spec: Spec) -> dict[str, str]:
    """Return the parameters of rsm_register_port."""
    return {
        "KeyWidth": str(max(spec.what.key_bits)),
        "Cipher": f"2'd{spec.cipher.number}",
        "Mode": f"5'd{spec.mode.number}",
        "Lengths": lengths_mask(spec),
        "Encrypts": _bit(spec.encrypts),
        "Decrypts": _bit(decrypts(spec)),
        "HasSelfTest": _bit(spec.what.self_test),
        "KeySlots": str(spec.port.key_slots),
    }


def stream_parameters(spec: Spec) -> dict[str, str]:
    """Return the parameters of rsm_axi4_stream."""
    widths = {"Width": buses.stream_bits(spec), "TidWidth": buses.stream_id_bits(spec)}
    return {name: str(n) for name, n in (widths | {"Messages": buses.STREAM_MESSAGES}).items()}


def key_stream_parameters(spec: Spec) -> dict[str, str]:
    """Return the parameters of rsm_axi4_stream_key, or of rsm_axi4_stream_keys."""
    found = {"KeyWidth": str(max(spec.what.key_bits)), "Lengths": lengths_mask(spec)}
    if spec.how.streams > 1:
        found["Streams"] = str(spec.how.streams)
    return found | {"KeySlots": str(spec.port.key_slots)}


def decrypts(spec: Spec) -> bool:
    """Whether messages can be decrypted: some modes need no decryption of blocks for that."""
    return spec.decrypts or not spec.mode.both_ways


def _bit(value: bool) -> str:
    return f"1'b{int(value)}"


# --- The known answers of the self-test -----------------------------------------------------


@dataclass(frozen=True)
class KnownAnswer:
    """A message of one block and what the mode makes of it."""

    key: bytes
    iv: bytes
    text: bytes
    answer: bytes
    tag: bytes = b""


def question(spec: Spec, number: int, size: int) -> Question | None:
    """Return message `number` with a text of `size` bytes, or None where the mode has none such.

    Key, IV and text are bytes that count up, each from its own start: no two are alike.
    """
    mode = spec.mode
    if mode.whole_blocks:
        size += -size % 16
    if size < mode.least_text:
        return None

    def counting(start: int, count: int) -> bytes:
        return bytes((start + number + i) % 256 for i in range(count))

    return Question(
        mode.word,
        counting(0x00, mode.slots * min(spec.what.key_bits) // 8),
        counting(0xC0, size),
        counting(0x80, mode.iv.usual),
        counting(0x40, 20 * (number % 2)) if mode.aad else b"",
        tag_bytes=16 if mode.tags else 0,
        counter_bits=modes.counter_bits(spec),
    )


def known_answer(spec: Spec) -> KnownAnswer:
    """Return the message of the self-test, its answer computed by the golden models."""
    asked = question(spec, 0, 16)
    assert asked is not None
    reply = modes.answer(asked, spec.cipher.model.keyed)
    answer = b"" if spec.mode.mac else reply.text
    return KnownAnswer(asked.key, asked.iv, asked.text, answer, reply.tag)


def self_test_parameters(spec: Spec) -> dict[str, str]:
    """Return the parameters of rsm_self_test."""
    known = known_answer(spec)
    width = max(spec.what.key_bits)
    size = len(known.key) // spec.mode.slots
    first, following = known.key[:size], known.key[size:]
    return {
        "KeyWidth": str(width),
        "KeyLen": f"2'd{LENGTHS.index(8 * size)}",
        "Key": f"{width}'h{first.ljust(width // 8, bytes(1)).hex()}",
        "NextKey": f"{width}'h{following.ljust(width // 8, bytes(1)).hex()}",
        "TwoKeys": _bit(bool(following)),
        "Iv": f"128'h{known.iv.ljust(16, bytes(1)).hex()}",
        "IvBytes": f"5'd{len(known.iv)}",
        "TagBytes": f"5'd{len(known.tag)}",
        "Text": f"128'h{known.text.hex()}",
        "Answer": f"128'h{known.answer.ljust(16, bytes(1)).hex()}",
        "Tag": f"128'h{known.tag.ljust(16, bytes(1)).hex()}",
        "HasText": _bit(bool(known.answer)),
        "HasTag": _bit(bool(known.tag)),
        "Encrypts": _bit(spec.encrypts),
        "Decrypts": _bit(decrypts(spec)),
    }
