"""AXI4-Lite, a register bus of five channels."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from roundsmith.spec.buses.common import WORD, named_as_pins, register_cycles
from roundsmith.spec.buses.protocol import BusProtocol, Kind, Litex, Signal

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec


def _signals(spec: "Spec", address_bits: int) -> list[Signal]:
    rows = (
        ("awvalid_i", 1, "a write address is offered"),
        ("awready_o", 1, "it is accepted at this edge"),
        ("awaddr_i", address_bits, "the byte address of a register"),
        ("wvalid_i", 1, "write data is offered"),
        ("wready_o", 1, "it is accepted at this edge"),
        ("wdata_i", WORD, "the word to write"),
        ("wstrb_i", WORD // 8, "its byte strobes: all of them"),
        ("bvalid_o", 1, "the write is done"),
        ("bready_i", 1, "the answer is taken at this edge"),
        ("bresp_o", 2, "0 okay, 2 there is no such write"),
        ("arvalid_i", 1, "a read address is offered"),
        ("arready_o", 1, "it is accepted at this edge"),
        ("araddr_i", address_bits, "the byte address of a register"),
        ("rvalid_o", 1, "what was read is here"),
        ("rready_i", 1, "it is taken at this edge"),
        ("rdata_o", WORD, "the word that was read"),
        ("rresp_o", 2, "0 okay, 2 there is no such read"),
    )
    return named_as_pins("s_axi_", rows)


def _litex_wire(name: str) -> str | None:
    found = re.fullmatch(r"s_axi_(aw|ar|w|b|r)(\w+)", name)
    return f"bus.{found[1]}.{found[2]}" if found else None


BUS = BusProtocol(
    word="axi4_lite",
    kind=Kind.REGISTERS,
    title="AXI4-Lite",
    beat_cycles=register_cycles,
    signals=_signals,
    driven_from=Path(__file__).parent,
    litex=Litex(
        "axi",
        "self.bus = bus = axi.AXILiteInterface(data_width=32, address_width=32)",
        _litex_wire,
    ),
)
