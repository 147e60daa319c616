"""APB, a register bus of two phases. LiteX has none."""

from pathlib import Path
from typing import TYPE_CHECKING

from roundsmith.spec.buses.common import WORD, named_as_pins, register_cycles
from roundsmith.spec.buses.protocol import BusProtocol, Kind, Signal

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec


def _signals(spec: "Spec", address_bits: int) -> list[Signal]:
    rows = (
        ("paddr_i", address_bits, "the byte address of a register"),
        ("psel_i", 1, "this peripheral is meant"),
        ("penable_i", 1, "the access phase"),
        ("pwrite_i", 1, "high to write"),
        ("pwdata_i", WORD, "the word to write"),
        ("pstrb_i", WORD // 8, "its byte strobes: all of them in a write"),
        ("pready_o", 1, "the transfer ends"),
        ("prdata_o", WORD, "the word that was read"),
        ("pslverr_o", 1, "there is no such access"),
    )
    return named_as_pins("s_apb_", rows)


BUS = BusProtocol(
    word="apb",
    kind=Kind.REGISTERS,
    title="APB",
    beat_cycles=register_cycles,
    signals=_signals,
    driven_from=Path(__file__).parent,
)
