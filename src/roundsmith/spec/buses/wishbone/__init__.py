"""Wishbone B4, a register bus, for classic and pipelined masters."""

from pathlib import Path
from typing import TYPE_CHECKING

from roundsmith.spec.buses.common import WORD, register_cycles, signals
from roundsmith.spec.buses.protocol import BusProtocol, Kind, Litex, Signal

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec


def _signals(spec: "Spec", address_bits: int) -> list[Signal]:
    rows = (
        ("cyc_i", "cyc", 1, "a cycle"),
        ("stb_i", "stb", 1, "an access is asked for"),
        ("we_i", "we", 1, "high to write"),
        ("adr_i", "adr", address_bits, "the byte address of a register"),
        ("dat_i", "dat_w", WORD, "the word to write"),
        ("sel_i", "sel", WORD // 8, "its byte strobes: all of them in a write"),
        ("dat_o", "dat_r", WORD, "the word that was read"),
        ("ack_o", "ack", 1, "the access is done"),
        ("err_o", "err", 1, "there is no such access"),
        ("stall_o", "stall", 1, "a pipelined master waits"),
    )
    return signals(("wb_", name, pin, width, meaning) for pin, name, width, meaning in rows)


def _litex_wire(name: str) -> str | None:
    if not name.startswith("wb_"):
        return None
    return f"bus.{name.removeprefix('wb_')}" if name != "wb_stall" else "Signal()"


BUS = BusProtocol(
    word="wishbone",
    kind=Kind.REGISTERS,
    title="Wishbone",
    beat_cycles=register_cycles,
    signals=_signals,
    driven_from=Path(__file__).parent,
    litex=Litex(
        "wishbone",
        'self.bus = bus = wishbone.Interface(data_width=32, address_width=32, addressing="byte")',
        _litex_wire,
    ),
)
