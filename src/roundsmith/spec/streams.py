"""Streams: several messages at one time on one core, which a mode that chains fills together.

A mode that feeds results back has one block in the core at a time. `streams` of it share the core,
each with keys and messages of its own (Saggese 2003, section 3).
"""

import math
from typing import TYPE_CHECKING

from roundsmith.spec import buses, formulas
from roundsmith.spec.choices import KeyChannel
from roundsmith.spec.modes import ModeOfOperation
from roundsmith.spec.wording import words

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec

#: The most keys that a core stores.
STORED_KEYS = 16

#: The most streams that a core has.
_MOST = 256


def check(spec: "Spec") -> None:
    """Raise ValueError with the reason when the streams of `spec` make no sense."""
    what, how = spec.what, spec.how
    if how.streams == 1:
        return
    if not spec.has_mode:
        blocks = formulas.blocks_in_flight(spec)
        raise ValueError(
            "streams belongs to a mode that chains its blocks; leave it out: the bare cipher can "
            f"interleave as many as it has blocks in flight, here {blocks}."
        )
    if not formulas.is_chained(spec):
        only = " of a core that only decrypts" if spec.mode.chain else ""
        raise ValueError(
            f"mode '{what.mode}'{only} keeps the core full with one message, so streams must be "
            "left out; it belongs to a mode that waits for results."
        )
    _check_bus(spec)
    if spec.native_channel is KeyChannel.WITH_BLOCK:
        return
    if not spec.cipher.key_slots:
        raise ValueError(
            f"each stream has a key, and a core of {what.cipher} that decrypts or stores round "
            "keys has one for all; streams take one that only encrypts and stores none."
        )
    if not spec.is_stored:
        raise ValueError(
            "each stream has a key, and a core that decrypts has one for all unless it stores "
            f"them: key_schedule must be 'stored', not '{how.key_schedule}'."
        )
    if key_slots(spec) > STORED_KEYS:
        raise ValueError(
            f"{how.streams} streams with key_slots '{spec.port.key_slots}' have {key_slots(spec)} "
            f"keys, and a core stores {STORED_KEYS} at most."
        )


def _check_bus(spec: "Spec") -> None:
    """Raise ValueError with the reason when streams and the bus of `spec` do not go together."""
    what, port = spec.what, spec.port
    if spec.bus.kind not in {buses.Kind.BLOCKS, buses.Kind.PACKETS}:
        others = words(bus.word for bus in buses.BUSES if bus.has_packets)
        raise ValueError(
            f"bus '{what.bus}' brings one message after the other, so streams must be left out; "
            f"several have a TID each, with bus {others}, or a message port, with bus 'none'."
        )
    if port.stream_id_bits is not None:
        raise ValueError(
            f"TID is the number of one of {spec.how.streams} streams and has the "
            f"{buses.stream_id_bits(spec)} bits of that, so stream_id_bits must be left out."
        )
    if what.self_test:
        raise ValueError(
            "self_test asks one mode before the bus takes anything, and each stream has a mode; "
            "leave self_test or streams out."
        )


def word(mode: ModeOfOperation, count: int) -> str:
    """Return a mode with so many streams as a part of a name: `cbc5`.

    Where digits are those of a mode itself, a dash keeps others apart: `cfb-5`, `cfb8-5`.
    """
    name = mode.word.replace("_", "-")
    dash = "-" if mode.dashed else ""
    return name if count == 1 else f"{name}{dash}{count}"


def most(spec: "Spec") -> int:
    """Return how many streams fill the core of one in a mode, beyond which more are no faster."""
    if not formulas.is_chained(spec):
        return 1

    def cycles(count: int) -> float:
        how = spec.how.model_copy(update={"streams": count})
        return formulas.cycles_per_block(spec.model_copy(update={"how": how}))

    # Several streams have no FIFO in their way, so that two of them tell what one more brings.
    least = cycles(_MOST)
    return 1 if cycles(1) <= least else math.ceil(2 * cycles(2) / least - 1e-9)


def key_slots(spec: "Spec") -> int:
    """Return the slots of the key channel: those of all streams."""
    return spec.how.streams * spec.port.key_slots


def tag_bits(spec: "Spec") -> int:
    """Return the bits of a tag at the core: the number of the stream, and one of its mode.

    A mode for all streams knows without it whose result comes.
    """
    if formulas.is_shared(spec):
        return 0
    return (spec.how.streams - 1).bit_length() + 1
