"""A mapped core in a shell of registers, for devices whose nextpnr has no out-of-context mode.

Native cores have up to some 400 ports, more than many packages have pins. So the mapped netlist of
a core, as it is, stands in a shell: one shift register holds all inputs, every output has a
register of its own, and a second shift register adds them up; the clock and the two ends of the
shift registers are the only ports. Every path of the core is therefore between registers and counts
in its fmax. That the shell stands on the same device is part of what is measured.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from roundsmith.base.recorded import recorded

#: A module as Yosys writes it in JSON.
Module = dict[str, Any]

CLOCK, IN, OUT = "clk_i", "shift_i", "shift_o"


@dataclass(frozen=True)
class Part:
    """A cell of a family: its type, parameters and the inputs that are constant.

    `inputs` and `output` are the names of the pins, in the order in which the shell gives them.
    """

    kind: str
    inputs: tuple[str, ...]
    output: str
    parameters: Mapping[str, str]
    tied: Mapping[str, str]

    def __repr__(self) -> str:
        """Return it in the words of the records."""
        return recorded("Part", self)


@dataclass(frozen=True)
class Parts:
    """What a shell is made of: a flip-flop of clock and data, and the exclusive or of two bits.

    `zero` and `one` drive the constants, on families where nextpnr does not. `input` and `output`
    are buffers of pins; where a family has them, its clock comes from the cell `clock` without
    inputs, or else from a pin as well.
    """

    register: Part
    exclusive_or: Part
    zero: Part | None = None
    one: Part | None = None
    input: Part | None = None
    output: Part | None = None
    clock: Part | None = None

    def __repr__(self) -> str:
        """Return it in the words of the records."""
        return recorded("Parts", self)


def in_shell(module: Module, parts: Parts) -> Module:
    """Return a flat netlist inside its shell; the given one is left as it is."""
    return _Shell(module, parts).made()


class _Shell:
    """The netlist of a shell on its way."""

    def __init__(self, module: Module, parts: Parts) -> None:
        self.module, self.parts = module, parts
        bits = [b for net in module["netnames"].values() for b in net["bits"] if isinstance(b, int)]
        self.fresh: Iterator[int] = iter(range(max(bits) + 1, 1 << 30))
        self.cells: dict[str, Any] = dict(module["cells"])
        self.constants: dict[str, int | str] = {"0": "0", "1": "1"}
        for value, part in (("0", parts.zero), ("1", parts.one)):
            if part is not None:
                self.constants[value] = self.add(f"shell.constant_{value}", part)

    def add(self, name: str, part: Part, *inputs: int | str, output: int | None = None) -> int:
        """Add a cell and return the bit that it drives."""
        out = next(self.fresh) if output is None else output
        given = dict(zip(part.inputs, inputs, strict=True)) | dict(part.tied)
        pins = {pin: self.constants.get(str(bit), bit) for pin, bit in given.items()}
        directions = dict.fromkeys(pins, "input") | {part.output: "output"}
        self.cells[name] = {
            "hide_name": 0,
            "type": part.kind,
            "parameters": dict(part.parameters),
            "attributes": {},
            "port_directions": directions,
            "connections": {pin: [bit] for pin, bit in pins.items()} | {part.output: [out]},
        }
        return out

    def made(self) -> Module:
        parts, clock = self.parts, self.module["ports"][CLOCK]["bits"][0]
        start = next(self.fresh)
        shifted = start
        for name, index, bit in self._ports("input"):
            if name != CLOCK:
                here = f"shell.{name}[{index}]"
                shifted = self.add(here, parts.register, clock, shifted, output=bit)
        total: int | str = "0"
        for name, index, bit in self._ports("output"):
            here = f"shell.{name}"
            seen = self.add(f"{here}[{index}]", parts.register, clock, bit)
            mixed = self.add(f"{here}_sum[{index}]", parts.exclusive_or, seen, total)
            total = self.add(f"{here}_shifted[{index}]", parts.register, clock, mixed)
        assert isinstance(total, int)
        ports = {CLOCK: ("input", clock), IN: ("input", start), OUT: ("output", total)}
        if parts.clock is not None:
            self.add("shell.clock", parts.clock, output=ports.pop(CLOCK)[1])
        return {
            **self.module,
            "ports": {
                name: {"direction": way, "bits": [self._pin(name, way, bit)]}
                for name, (way, bit) in ports.items()
            },
            "cells": self.cells,
        }

    def _pin(self, name: str, way: str, bit: int) -> int:
        """Return the bit of a port: that of the netlist, or the outer side of a buffer."""
        if way == "input" and self.parts.input is not None:
            outside = next(self.fresh)
            self.add(f"shell.buffer_{name}", self.parts.input, outside, output=bit)
            return outside
        if way == "output" and self.parts.output is not None:
            return self.add(f"shell.buffer_{name}", self.parts.output, bit)
        return bit

    def _ports(self, direction: str) -> list[tuple[str, int, Any]]:
        return [
            (name, index, bit)
            for name, port in self.module["ports"].items()
            if port["direction"] == direction
            for index, bit in enumerate(port["bits"])
        ]
