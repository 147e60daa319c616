"""AXI4-Stream: a message is a packet, and keys are packets of a stream of their own.

With several streams of a mode TID is the number of the stream.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from roundsmith.spec.buses import common
from roundsmith.spec.buses.protocol import BusProtocol, Kind, Litex, Signal

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec


def _rows(spec: "Spec") -> Iterator[common.Row]:
    bits, ids = common.stream_bits(spec), common.stream_id_bits(spec)
    several = spec.how.streams > 1
    into, out = "s_axis_", "m_axis_"
    yield into, "tvalid", "in_tvalid_i", 1, "a transfer of a packet is offered"
    yield into, "tready", "in_tready_o", 1, "it is accepted at this edge"
    yield into, "tdata", "in_tdata_i", bits, "header, or a part of the message, from the low end"
    yield into, "tkeep", "in_tkeep_i", bits // 8, "its bytes that count, from the low end"
    yield into, "tlast", "in_tlast_i", 1, "the last transfer of the message"
    parts = "bit 2 header; bits 1..0: 0 associated data, 1 text, 2 tag, 3 a long IV"
    yield into, "tuser", "in_tuser_i", 3, parts
    if ids:
        meaning = (
            "the stream of the message" if several else "any bits; they leave with the results"
        )
        yield into, "tid", "in_tid_i", ids, meaning
    yield out, "tvalid", "out_tvalid_o", 1, "a transfer of results is here"
    yield out, "tready", "out_tready_i", 1, "it is taken at this edge"
    yield out, "tdata", "out_tdata_o", bits, "text, or a tag, from the low end"
    yield out, "tkeep", "out_tkeep_o", bits // 8, "its bytes that count, from the low end"
    yield out, "tlast", "out_tlast_o", 1, "the last transfer of the results of a message"
    parts = "bits 1..0: 1 text, 2 tag; with TLAST: bit 2 wrong tag, bit 3 refused"
    yield out, "tuser", "out_tuser_o", 4, parts
    if ids:
        meaning = "its stream" if several else "the bits that came with the message"
        yield out, "tid", "out_tid_o", ids, meaning
    key = "s_axis_key_"
    yield key, "tvalid", "tvalid_i", 1, "a word of a key is offered"
    yield key, "tready", "tready_o", 1, "it is accepted at this edge"
    yield (
        key,
        "tdata",
        "tdata_i",
        common.WORD,
        "four bytes of the key, the first one at the low end",
    )
    yield key, "tlast", "tlast_i", 1, "the last word of the key"
    slots = common.key_id_bits(spec)
    if slots:
        yield key, "tid", "tid_i", slots, "the slot that it goes to"
    yield "", "key_refused_o", "refused_o", 1, "a key of a length or slot that is not there"


def _signals(spec: "Spec", address_bits: int) -> list[Signal]:
    return common.signals(_rows(spec))


def _clears(spec: "Spec") -> int:
    """Cycles of the places in front of streams, or of the numbers of packets under way."""
    if spec.how.streams > 1:
        return common.stream_places(spec)
    return common.STREAM_MESSAGES if spec.port.stream_id_bits else 0


def _beat_cycles(spec: "Spec") -> int:
    return max(1, 128 // common.stream_bits(spec))


def _litex_wire(name: str) -> str | None:
    stream, _, end = name.rpartition("_")
    streams = {"s_axis": "sink", "m_axis": "source", "s_axis_key": "key"}
    return f"{streams[stream]}.{end.removeprefix('t')}" if stream in streams else None


BUS = BusProtocol(
    word="axi4_stream",
    kind=Kind.PACKETS,
    title="AXI4-Stream",
    options=("stream_bits", "stream_id_bits"),
    clears=_clears,
    beat_cycles=_beat_cycles,
    signals=_signals,
    litex=Litex("axi", "", _litex_wire),
    is_priced=True,
)
