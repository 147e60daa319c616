"""Three channels of 32-bit words on the native port: keys, blocks in, and blocks out (Lutz 2002).

They move the words of a block or of a key one after the other, without a stop.
"""

import math
from typing import TYPE_CHECKING

from roundsmith.spec import formulas
from roundsmith.spec.buses.protocol import BusProtocol, Kind
from roundsmith.spec.choices import Entry, Flow, KeyChannel

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec

#: What it takes to bring a block, word by word; and the register at its output.
_WORDS = 4
_OUT_CYCLES = 1


def _latency(spec: "Spec", batch: int | None) -> int:
    """Return the words of a block and a register; of a batch it collects all blocks first.

    It is the time from first word to first word, of a block that does not wait for its slot.
    """
    if spec.batch:
        count = formulas.slots(spec)
        return _WORDS * (batch or count) + count + _OUT_CYCLES
    return _WORDS + _OUT_CYCLES


def _beats(spec: "Spec") -> int:
    return _WORDS


def _waits(spec: "Spec") -> int:
    """Return the most cycles that a block waits for the one in its slot.

    Where the ring is slower than the channels are, they bring a block before its slot is free.
    """
    return max(0, formulas.initiation_interval(spec) - (_WORDS + 1) * formulas.slots(spec))


def _key_cycles(spec: "Spec", key_bits: int | None) -> int:
    return (key_bits or max(spec.what.key_bits)) // 32


def _check(spec: "Spec") -> None:
    what, how, port = spec.what, spec.how, spec.port
    if port.flow is Flow.HELD:
        raise ValueError(
            "bus 'channels32' stands on the native port and moves its words without a stop, so "
            "flow must be 'free'."
        )
    if port.key_channel is not KeyChannel.HELD:
        raise ValueError(
            "bus 'channels32' has a channel for keys, so the core must have one too: "
            "key_schedule 'stored', or a core that decrypts."
        )
    batch = how.entry is Entry.BATCH and not spec.batch
    if spec.is_pipe or how.tiles > 1 or batch:
        raise ValueError(
            "bus 'channels32' takes five cycles to bring a block, too slow to fill a pipe, tiles "
            "or a batch; use one 'loop' with entry 'overlap'."
        )
    if len(what.key_bits) > 1 or port.key_slots > 1 or port.tag_bits > 0:
        raise ValueError(
            "bus 'channels32' has words and a direction and nothing else: key_bits names one "
            "length, key_slots is 1 and tag_bits 0."
        )


def _check_rate(spec: "Spec") -> None:
    # A frame begins when the core has taken the one before, which waits a cycle wherever the slot
    # that comes round is one that the frames before it have filled.
    blocks, cycles = formulas.slots(spec), formulas.initiation_interval(spec)
    needed = (_WORDS + 1) * blocks + math.gcd(_WORDS + 1, blocks) - 1
    if needed > cycles:
        raise ValueError(
            f"bus 'channels32' takes {needed} cycles to bring the {blocks} blocks that this ring "
            f"takes in {cycles}; use fewer rounds."
        )


BUS = BusProtocol(
    word="channels32",
    kind=Kind.WORDS,
    title="32-bit channels",
    short="ch32",
    check=_check,
    check_rate=_check_rate,
    latency=_latency,
    beats=_beats,
    waits=_waits,
    key_cycles=_key_cycles,
)
