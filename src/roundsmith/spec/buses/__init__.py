"""The buses: each is one module here, and nothing else in the tool names one.

`protocol` says what a bus is. Words that users write are those of the modules.
"""

from enum import StrEnum
from typing import TYPE_CHECKING

from roundsmith.base.members import members
from roundsmith.spec.buses.common import (
    STREAM_BITS,
    STREAM_MESSAGES,
    has_places,
    key_id_bits,
    stream_bits,
    stream_id_bits,
    stream_places,
)
from roundsmith.spec.buses.protocol import BusProtocol, Kind, Litex, Signal

__all__ = [
    "BUSES",
    "MESSAGES",
    "OPTIONS",
    "STREAM_BITS",
    "STREAM_MESSAGES",
    "Bus",
    "BusProtocol",
    "Kind",
    "Litex",
    "Signal",
    "has_places",
    "key_id_bits",
    "of",
    "stream_bits",
    "stream_id_bits",
    "stream_places",
]


def _place(bus: BusProtocol) -> tuple[int, str]:
    return bus.kind.value, bus.word


_FOUND = sorted(members(__name__, __path__, "BUS", BusProtocol), key=_place)
_BY_WORD = {bus.word: bus for bus in _FOUND}

#: All buses, those of a kind side by side.
BUSES = tuple(bus for bus in _FOUND if bus.kind is not Kind.BLOCKS)

#: Buses that carry whole messages, so that they stand around a mode of operation.
MESSAGES = tuple(bus for bus in BUSES if bus.carries_messages)

if TYPE_CHECKING:

    class Bus(StrEnum):
        """The words of all buses: those of the registry, and here two that stand for them."""

        NONE = "none"
        AXI4_STREAM = "axi4_stream"

else:
    Bus = StrEnum("Bus", {word.upper(): word for word in _BY_WORD}, module=__name__)
    Bus.__doc__ = "The bus around the core; `none` is the block port."

#: Fields of `port` that belong to some buses only.
OPTIONS = tuple(option for bus in BUSES for option in bus.options)


def of(word: str) -> BusProtocol:
    """Return the bus with this word; `none` is one too, the port without a bus."""
    return _BY_WORD[word]
