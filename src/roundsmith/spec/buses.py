"""The buses: what each of them needs of the core, and what may be chosen."""

from typing import TYPE_CHECKING

from roundsmith.spec.choices import Bus

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec

#: Buses that give access to registers, all the same ones.
REGISTERS = (Bus.AXI4_LITE, Bus.WISHBONE, Bus.APB)

#: Buses that carry whole messages, so that they stand around a mode of operation.
MESSAGES = (Bus.AXI4_STREAM, *REGISTERS)

#: Bits of TDATA when the spec does not say: those of a block, which pass straight through.
STREAM_BITS = 128

#: Packets of AXI4-Stream with TID that are under way at most.
STREAM_MESSAGES = 8

#: Fields of `port` that belong to AXI4-Stream.
_STREAM = ("stream_bits", "stream_id_bits")


def check(spec: "Spec") -> None:
    """Raise ValueError with the reason when the bus of `spec` makes no sense."""
    what, port = spec.what, spec.port
    for field in _STREAM:
        if getattr(port, field) is not None and what.bus is not Bus.AXI4_STREAM:
            raise ValueError(f"{field} belongs to bus 'axi4_stream', so it must be left out.")
    if what.self_test and what.bus not in MESSAGES:
        names = ", ".join(f"'{bus}'" for bus in MESSAGES)
        raise ValueError(f"self_test belongs to one of the buses {names}.")
    if what.bus in MESSAGES and not spec.has_mode:
        raise ValueError(
            f"bus '{what.bus}' carries messages, so mode names a mode of operation: 'ecb' for "
            "blocks by themselves."
        )


def stream_bits(spec: "Spec") -> int:
    """Return the bits of TDATA."""
    return STREAM_BITS if spec.port.stream_bits is None else spec.port.stream_bits


def has_places(spec: "Spec") -> bool:
    """Whether each of several streams has places for results: they leave in several transfers."""
    return stream_bits(spec) < STREAM_BITS


def stream_places(spec: "Spec") -> int:
    """Return how many transfers find a place in front of each of several streams: 32 bytes."""
    return max(2, 256 // stream_bits(spec))


def clear_cycles(spec: "Spec") -> int:
    """Cycles until what the bus holds in memories is overwritten, a word a cycle."""
    if spec.what.bus is not Bus.AXI4_STREAM:
        return 0
    if spec.how.streams > 1:
        return stream_places(spec)
    return STREAM_MESSAGES if spec.port.stream_id_bits else 0


def beat_cycles(spec: "Spec") -> int:
    """Return about how many cycles a bus takes for 16 bytes in and 16 bytes out."""
    if spec.what.bus is Bus.AXI4_STREAM:
        return max(1, 128 // stream_bits(spec))
    # Ten accesses or so, a few cycles each: the words, STATUS, and the commands.
    return 40 if spec.what.bus in REGISTERS else 0


def stream_id_bits(spec: "Spec") -> int:
    """Return the bits of TID, 0 where there is none; of several streams it is the number."""
    if spec.how.streams > 1 and spec.what.bus is Bus.AXI4_STREAM:
        return (spec.how.streams - 1).bit_length()
    return spec.port.stream_id_bits or 0
