"""What the tool knows of a bus.

Each bus is one module of this package with a `BUS`, or a folder that holds what drives it too: what
a bus says there is all that the tool knows of it. Buses of one `Kind` share what stands behind
their pins.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roundsmith.spec.model import Spec


class Kind(Enum):
    """What a bus carries, and how: buses of a kind share the wiring behind it.

    `BLOCKS` is the block port without a bus. `PACKETS` are messages in packets, with keys beside
    them; `REGISTERS` give access to messages and keys word by word; and `WORDS` are blocks word by
    word, on the native port.
    """

    BLOCKS = 1
    PACKETS = 2
    REGISTERS = 3
    WORDS = 4


@dataclass(frozen=True)
class Signal:
    """A port of the top: its name, direction, width and meaning, and the pin that it goes to."""

    name: str
    direction: str
    width: int
    meaning: str
    pin: str


@dataclass(frozen=True)
class Litex:
    """How a LiteX module puts the core on its bus.

    `source` is the module of `litex.soc.interconnect`, `interface` the code that makes the bus of
    the module, and `wire` what LiteX calls a signal of the top, None for one that is the same in
    every bus.
    """

    source: str
    interface: str
    wire: Callable[[str], str | None]


def _no_signals(spec: "Spec", address_bits: int) -> Sequence[Signal]:
    return ()


def _no_latency(spec: "Spec", batch: int | None) -> int:
    return 0


def _beats(spec: "Spec") -> int:
    return spec.beats


def _no_cycles(spec: "Spec") -> int:
    return 0


def _no_key_cycles(spec: "Spec", key_bits: int | None) -> int:
    return 0


def _no_check(spec: "Spec") -> None:
    pass


@dataclass(frozen=True)
class BusProtocol:
    """One bus: its word, what it needs of the core, its cycles, its pins, and how it is driven.

    - `word` is its name in specs and the name of its RTL, `rsm_WORD`; `title` is its name in
      datasheets, and `short` the one in systematic names, if it has one there.
    - `options` are fields of `port` that belong to it.
    - `check` and `check_rate` raise ValueError with the reason where a core cannot have it: of the
      choices, and of the cycles that the core takes.
    - `latency` are the cycles that it adds to that of a block, or of a batch; `beats` are those of
      a block, `waits` the most cycles that a block waits for the one before it, `key_cycles` those
      of a key. `clears` are those until its memories are overwritten, `beat_cycles` about those of
      16 bytes in and 16 bytes out.
    - `signals` are its ports at the top, for a register map with addresses of so many bits.
    - `driven_from` is the folder with what drives a register bus; buses with the same pins have the
      same one. `master.h` does so in simulations (see `simulate/harness/access.h`). `transfer.v` is
      the body of the Verilog task of an exported test bench that does an access to a register: it
      takes `write`, `address` and `word`, and gives `answer` and `done`.
    - `litex` puts it into a SoC, if LiteX knows the bus.
    - A bus that `is_priced` stands in the table of what a mode costs.
    """

    word: str
    kind: Kind
    title: str = ""
    short: str = ""
    options: tuple[str, ...] = ()

    check: "Callable[[Spec], None]" = _no_check
    check_rate: "Callable[[Spec], None]" = _no_check

    latency: "Callable[[Spec, int | None], int]" = _no_latency
    beats: "Callable[[Spec], int]" = _beats
    waits: "Callable[[Spec], int]" = _no_cycles
    key_cycles: "Callable[[Spec, int | None], int]" = _no_key_cycles
    clears: "Callable[[Spec], int]" = _no_cycles
    beat_cycles: "Callable[[Spec], int]" = _no_cycles

    signals: "Callable[[Spec, int], Sequence[Signal]]" = _no_signals
    driven_from: Path | None = None
    litex: Litex | None = None
    is_priced: bool = False

    @property
    def carries_messages(self) -> bool:
        """Whether it carries whole messages, so that it stands around a mode of operation."""
        return self.kind in {Kind.PACKETS, Kind.REGISTERS}

    @property
    def has_registers(self) -> bool:
        """Whether it gives access to registers, which are the same behind every such bus."""
        return self.kind is Kind.REGISTERS

    @property
    def master(self) -> Path | None:
        """The C++ header that drives it in simulations, if it has registers."""
        return self.driven_from and self.driven_from / "master.h"

    @property
    def transfer(self) -> str:
        """The body of the Verilog task that does an access to a register."""
        return (self.driven_from / "transfer.v").read_text() if self.driven_from else ""

    @property
    def has_packets(self) -> bool:
        """Whether messages are packets on it."""
        return self.kind is Kind.PACKETS

    @property
    def has_words(self) -> bool:
        """Whether it brings blocks word by word to the native port."""
        return self.kind is Kind.WORDS
