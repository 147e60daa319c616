"""AXI4-Lite, a register bus of five channels."""

import re
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


_TRANSFER = """\
      s_axi_awaddr  = address;
      s_axi_araddr  = address;
      s_axi_wdata   = word;
      s_axi_wstrb   = 4'hf;
      s_axi_awvalid = write;
      s_axi_wvalid  = write;
      s_axi_arvalid = !write;
      s_axi_bready  = lfsr[4];
      s_axi_rready  = lfsr[5];
      while (!done && cycles < Limit) begin
        #1;
        answer = s_axi_rdata;
        done   = write ? s_axi_bvalid && s_axi_bready : s_axi_rvalid && s_axi_rready;
        if (done && (write ? s_axi_bresp : s_axi_rresp) != 0) fail("an error", 0, address);
        begin : handshakes
          reg aw;
          reg w;
          reg ar;
          aw = s_axi_awready;
          w  = s_axi_wready;
          ar = s_axi_arready;
          @(negedge clk_i);
          if (aw) s_axi_awvalid = 1'b0;
          if (w)  s_axi_wvalid  = 1'b0;
          if (ar) s_axi_arvalid = 1'b0;
        end
        cycles       = cycles + 1;
        s_axi_bready = 1'b1;
        s_axi_rready = 1'b1;
      end
      s_axi_bready = 1'b0;
      s_axi_rready = 1'b0;
"""


BUS = BusProtocol(
    word="axi4_lite",
    kind=Kind.REGISTERS,
    title="AXI4-Lite",
    beat_cycles=register_cycles,
    signals=_signals,
    master="axi4_lite",
    transfer=_TRANSFER,
    litex=Litex(
        "axi",
        "self.bus = bus = axi.AXILiteInterface(data_width=32, address_width=32)",
        _litex_wire,
    ),
)
