"""What the buses of one kind have in common: the sizes of packets, and pins as signals."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from roundsmith.spec.buses.protocol import Signal

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec

#: The bits of a word of a register bus, and of the key stream.
WORD = 32

#: Cycles of a register bus for 16 bytes in and 16 bytes out: ten accesses or so, a few cycles each,
#: for the words, STATUS, and the commands.
REGISTER_CYCLES = 40

#: Bits of TDATA when the spec does not say: those of a block, which pass straight through.
STREAM_BITS = 128

#: Packets of AXI4-Stream with TID that are under way at most.
STREAM_MESSAGES = 8

#: A signal by its prefix, name, pin, width and meaning; the pin says which way it goes.
Row = tuple[str, str, str, int, str]


def signals(rows: Iterable[Row]) -> list[Signal]:
    """Return the signals of some rows."""
    return [
        Signal(f"{prefix}{name}", "input" if pin.endswith("i") else "output", width, meaning, pin)
        for prefix, name, pin, width, meaning in rows
    ]


def named_as_pins(prefix: str, rows: Iterable[tuple[str, int, str]]) -> list[Signal]:
    """Return the signals of some pins, which have their names without their direction."""
    return signals((prefix, pin[:-2], pin, width, meaning) for pin, width, meaning in rows)


def register_cycles(spec: "Spec") -> int:
    """Return about how many cycles a register bus takes for 16 bytes in and 16 bytes out."""
    return REGISTER_CYCLES


# --- Packets ------------------------------------------------------------------------------------


def stream_bits(spec: "Spec") -> int:
    """Return the bits of TDATA."""
    return STREAM_BITS if spec.port.stream_bits is None else spec.port.stream_bits


def has_places(spec: "Spec") -> bool:
    """Whether each of several streams has places for results: they leave in several transfers."""
    return stream_bits(spec) < STREAM_BITS


def stream_places(spec: "Spec") -> int:
    """Return how many transfers find a place in front of each of several streams: 32 bytes."""
    return max(2, 256 // stream_bits(spec))


def stream_id_bits(spec: "Spec") -> int:
    """Return the bits of TID, 0 where there is none; of several streams it is the number."""
    if spec.how.streams > 1 and spec.bus.has_packets:
        return (spec.how.streams - 1).bit_length()
    return spec.port.stream_id_bits or 0


def key_id_bits(spec: "Spec") -> int:
    """Return the bits of TID beside a key, 0 where there is but one slot."""
    if spec.how.streams > 1:
        return (spec.how.streams * spec.port.key_slots - 1).bit_length()
    return 4 if spec.port.key_slots > 1 else 0
