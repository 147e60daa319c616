"""A top that is being built, from its own port inwards."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from roundsmith.design import ciphers
from roundsmith.design.pins import (
    ALWAYS,
    MESSAGE,
    NATIVE,
    SLOTS,
    Instance,
    absent_pins,
    bits_range,
    turned,
)
from roundsmith.spec import Spec, keys


@dataclass(frozen=True)
class Wiring:
    """The inside of a top: ranges of the wires by name, assignments, instances."""

    wires: dict[str, str]
    assigns: dict[str, str]
    instances: list[Instance]


class Top:
    """Builds a top; `pins` says what the core would be connected to at the present depth.

    Whoever adds a part connects it to what is here for it, and puts what leads further in there
    instead: `pins` of the core, `message` ports, the pins that are `always` there, and so on.
    """

    def __init__(self, spec: Spec, ports: Sequence[str]) -> None:
        self.spec = spec
        self.widths = {
            "key": max(spec.what.key_bits) if spec.port.width == 128 else spec.port.width,
            "block": spec.port.width * spec.port.lanes,
            "len": 2,
            "tag": spec.tile(0).port.tag_bits,
        }
        self.tag_width = str(max(1, self.widths["tag"]))
        self.wires: dict[str, str] = {}
        self.assigns: dict[str, str] = {}
        self.instances: list[Instance] = []
        absent = set(absent_pins(spec)) - set(SLOTS if keys.in_front(spec) else ())
        native = [pin for pin in NATIVE if pin not in absent]
        self.pins = {pin: pin if pin in ports else self.tied(pin) for pin in native}
        self.out_ready = "out_ready_i"
        self.bus_keys: dict[str, str] = {}
        self.message = {pin: pin for pin in MESSAGE}
        self.key_slot = "key_slot_i"
        self.always = {pin: pin for pin in ALWAYS}

    def done(self) -> Wiring:
        """Return what has been built, without the wires that nothing is connected to."""
        pins = [pin for instance in self.instances for pin in instance.pins.values()]
        used = set(re.findall(r"[a-z]\w*", " ".join([*pins, *self.assigns])))
        wires = {name: width for name, width in self.wires.items() if name in used}
        return Wiring(wires, self.assigns, self.instances)

    def wrap(
        self,
        purpose: str,
        module: str,
        parameters: dict[str, str],
        both: Sequence[str],
        *,
        own: dict[str, str] | None = None,
        inside: Sequence[str] = (),
        label: str = "",
    ) -> None:
        """Add a wrapper: signals on `both` its sides, pins of its `own`, others `inside`.

        The instance has the name of the module, or another `label`.
        """
        label = label or module
        pins = self.always | (own or {}) | {pin: self.pins[pin] for pin in both}
        for pin in (*both, *inside):
            self.pins[pin] = self.wire(f"{label}_{pin[:-2]}", self.range_of(pin))
            pins[f"core_{turned(pin)}"] = self.pins[pin]
        self.instances.append(Instance(purpose, f"rsm_{module}", f"u_{label}", parameters, pins))

    def add_core(self, name: str, tile: Spec, pins: dict[str, str]) -> None:
        """Add one core, connected as at the present depth except for `pins`."""
        pins = self.always | self.pins | pins
        self.instances.append(
            Instance("", ciphers.core_module(tile), name, ciphers.core_parameters(tile), pins)
        )

    def tied(self, pin: str) -> str:
        """Return what a pin is connected to that the top does not need."""
        if pin.endswith("_i"):
            return "'0"
        name = f"unused_{pin[:-2]}"
        if any(name in instance.pins.values() for instance in self.instances):
            name += "_inside"  # a wire has one driver
        return self.wire(name, self.range_of(pin))

    def wire(self, name: str, bits: str) -> str:
        """Declare a wire with the range `bits`, and return its name."""
        self.wires[name] = bits
        return name

    def range_of(self, pin: str) -> str:
        """Return the range of a pin, empty for one bit, at the present depth."""
        return bits_range(self.widths.get(pin[:-2].rpartition("_")[2], 1))
