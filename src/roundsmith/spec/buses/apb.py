"""APB, a register bus of two phases. LiteX has none."""

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


_TRANSFER = """\
      s_apb_psel    = 1'b1;
      s_apb_penable = 1'b0;
      s_apb_pwrite  = write;
      s_apb_paddr   = address;
      s_apb_pwdata  = word;
      s_apb_pstrb   = write ? 4'hf : 4'h0;
      @(negedge clk_i);
      s_apb_penable = 1'b1;
      while (!done && cycles < Limit) begin
        #1;
        answer = s_apb_prdata;
        done   = s_apb_pready;
        if (done && s_apb_pslverr) fail("an error", 0, address);
        @(negedge clk_i);
        cycles = cycles + 1;
      end
      s_apb_psel    = 1'b0;
      s_apb_penable = 1'b0;
"""


BUS = BusProtocol(
    word="apb",
    kind=Kind.REGISTERS,
    title="APB",
    beat_cycles=register_cycles,
    signals=_signals,
    master="apb",
    transfer=_TRANSFER,
)
