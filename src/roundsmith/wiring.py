"""What stands in a generated top: the cores, the wrappers around them, and their wires.

A core and its wrappers speak the native port of rsm_aes, a narrow core the same in beats. The top
is built from its own port inwards: each wrapper takes over some of the signals and hands wires of
its own further in. The pin of a wrapper that faces `in_valid_i` of the core is `core_in_valid_o`,
and so on.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from roundsmith import buses, stream_bus
from roundsmith import spec as formulas
from roundsmith.pins import (
    ALWAYS,
    BLOCKS,
    CHANNEL,
    KEEP,
    KEY_STREAM,
    KEYS,
    MESSAGE,
    MESSAGE_BITS,
    NATIVE,
    NATIVE_BLOCKS,
    RESULT,
    SLOTS,
    Instance,
    absent_pins,
    bits_range,
    facing,
    turned,
)
from roundsmith.registers import model as registers
from roundsmith.spec import Bus, KeyChannel, Spec, keys, modes, serpent, streams
from roundsmith.spec.buses import REGISTERS


@dataclass(frozen=True)
class Wiring:
    """The inside of a top: ranges of the wires by name, assignments, instances."""

    wires: dict[str, str]
    assigns: dict[str, str]
    instances: list[Instance]


def wire(
    spec: Spec,
    ports: Sequence[str],
    module: Callable[[Spec], str],
    parameters: Callable[[Spec], dict[str, str]],
) -> Wiring:
    """Return the inside of the top of `spec`; a tile is a `module` with its `parameters`."""
    builder = _Builder(spec, ports, module, parameters)
    if spec.what.bus is Bus.CHANNELS32:
        builder.add_channels()
    if spec.has_message_bus:
        builder.add_bus()
    if spec.what.self_test:
        builder.add_self_test()
    if spec.how.streams > 1:
        builder.add_streams()
    else:
        if spec.has_mode:
            builder.add_mode()
        if spec.is_full and not modes.is_single(spec):
            builder.add_flow()
        if spec.port.key_slots == 1 and spec.port.key_channel is not spec.native_channel:
            builder.add_key_hold()
        if keys.are_swapped(spec):
            builder.add_key_swap()
        elif keys.in_front(spec):
            builder.add_key_slots()
    if spec.port.width != spec.native_width:
        builder.add_widen()
    if spec.port.lanes > 1:
        builder.add_lanes()
    elif spec.how.tiles > 1:
        builder.add_tiles()
    else:
        builder.add_core("u_core", spec.tile(0), {})
    return builder.done()


class _Builder:
    """Builds a top; `_pins` says what the core would be connected to at the present depth."""

    def __init__(
        self,
        spec: Spec,
        ports: Sequence[str],
        module: Callable[[Spec], str],
        parameters: Callable[[Spec], dict[str, str]],
    ) -> None:
        self._spec = spec
        self._module = module
        self._parameters = parameters
        self._widths = {
            "key": max(spec.what.key_bits) if spec.port.width == 128 else spec.port.width,
            "block": spec.port.width * spec.port.lanes,
            "len": 2,
            "tag": spec.tile(0).port.tag_bits,
        }
        self._tag_width = str(max(1, self._widths["tag"]))
        self._wires: dict[str, str] = {}
        self._assigns: dict[str, str] = {}
        self._instances: list[Instance] = []
        absent = set(absent_pins(spec)) - set(SLOTS if keys.in_front(spec) else ())
        native = [pin for pin in NATIVE if pin not in absent]
        self._pins = {pin: pin if pin in ports else self._tied(pin) for pin in native}
        self._out_ready = "out_ready_i"
        self._bus_keys: dict[str, str] = {}
        self._message = {pin: pin for pin in MESSAGE}
        self._keep: dict[str, str] = {}
        self._key_slot = "key_slot_i"
        self._always = {pin: pin for pin in ALWAYS}

    def done(self) -> Wiring:
        """Return what has been built, without the wires that nothing is connected to."""
        pins = [pin for instance in self._instances for pin in instance.pins.values()]
        used = set(re.findall(r"[a-z]\w*", " ".join([*pins, *self._assigns])))
        wires = {name: width for name, width in self._wires.items() if name in used}
        return Wiring(wires, self._assigns, self._instances)

    def add_channels(self) -> None:
        """Add the 32-bit channels."""
        batches = serpent.is_batch(self._spec)
        self._wrap(
            "Three channels of 32-bit words.",
            "serpent_channels32" if batches else "channels32",
            {"KeyWidth": str(self._widths["key"])},
            (
                *("idle_o", "key_valid_i", "key_ready_o", "key_i", "in_valid_i", "in_ready_o"),
                *("in_block_i", "in_decrypt_i", "out_valid_o", "out_block_o"),
            ),
        )

    def add_bus(self) -> None:
        """Add the bus: its signals outside, keys and messages inside."""
        spec = self._spec
        at_top = {signal.pin: signal.name for signal in buses.signals(spec)}
        if spec.what.bus in REGISTERS:
            self._add_registers(at_top)
            return
        if spec.how.streams > 1:
            self._add_stream_bus(at_top)
            return
        inside = self._inside("bus")
        key_pins = {pin: at_top.get(pin, "'0") for pin in KEY_STREAM}
        own = {pin: name for pin, name in at_top.items() if pin.startswith(("in_", "out_"))}
        own |= {pin: pin_at for pin, pin_at in (("in_tid_i", "'0"),) if pin not in at_top}
        if "out_tid_o" not in at_top:
            own["out_tid_o"] = self._wire("unused_tid", "")
        messages = {pin: inside[pin] for pin in MESSAGE}
        key_channel = {pin: inside[pin] for pin in KEYS}
        idle = [self._wire(f"{name}_idle", "") for name in ("stream", "key_stream")]
        self._assigns["idle_o"] = " & ".join(idle)
        hold = self._wire("header_waits", "")
        own |= {"key_comes_i": f"~{idle[1]}", "header_waits_o": hold}
        if buses.keeps(spec):
            self._keep = {pin: self._wire(f"bus_{pin[:-2]}", "[15:0]") for pin in KEEP}
            own |= facing(self._keep, "core_")
            messages |= {"in_bytes_i": self._wire("unused_bytes", "[4:0]"), "out_bytes_o": "'0"}
        else:
            unused = self._wire("unused_keep", "[15:0]")
            own |= {"core_in_keep_o": unused, "core_out_keep_i": "'0"}
        self._instances += [
            Instance(
                "Messages as packets.",
                "rsm_axi4_stream",
                "u_stream",
                buses.stream_parameters(spec),
                self._always | {"idle_o": idle[0]} | own | facing(messages, "core_"),
            ),
            Instance(
                "Keys as packets of their own.",
                "rsm_axi4_stream_key",
                "u_key_stream",
                buses.key_stream_parameters(spec),
                self._always
                | {"idle_o": idle[1], "hold_i": hold}
                | key_pins
                | facing(key_channel, ""),
            ),
        ]

    def _add_stream_bus(self, at_top: dict[str, str]) -> None:
        """Add AXI4-Stream whose TID is the number of a stream: message ports inside, and keys."""
        inside = {pin: self._wire(*wire) for pin, wire in stream_bus.inside(self._spec).items()}
        self._message = {pin: inside[pin] for pin in MESSAGE}
        taken = [pin for pin in KEYS if pin in self._pins and pin not in self._tied_keys()]
        self._pins |= {pin: inside[pin] for pin in taken}
        self._key_slot = inside["key_slot_i"]
        wires = {pin: self._wire(*wire) for pin, wire in stream_bus.between(self._spec).items()}
        self._assigns |= stream_bus.assigns()
        self._instances += stream_bus.instances(self._spec, self._always, at_top, inside, wires)

    def _add_registers(self, at_top: dict[str, str]) -> None:
        """Add a bus that gives access to registers, and the registers."""
        spec = self._spec
        clock = {pin: self._always[pin] for pin in ("clk_i", "rst_ni")}
        address = f"[{registers.load().address_bits - 1}:0]"
        access = {"valid_i": "", "write_i": "", "address_i": address, "data_i": "[31:0]"}
        access |= {"strobe_i": "[3:0]", "data_o": "[31:0]", "error_o": ""}
        wires = {
            f"access_{pin}": self._wire(f"access_{pin[:-2]}{'_read' * (pin == 'data_o')}", bits)
            for pin, bits in access.items()
        }
        own = {pin: name for pin, name in at_top.items() if pin != "interrupt_o"}
        self._instances.append(
            Instance(
                "The bus: one access after the other.",
                f"rsm_{spec.what.bus}",
                "u_bus",
                {},
                clock | own | facing(wires, ""),
            )
        )
        inside = self._inside("bus")
        pins = self._always | wires | {"interrupt_o": "interrupt_o", "idle_o": "idle_o"}
        clear = self._wire("bus_clear", "")
        self._always = self._always | {"clear_i": clear}
        pins |= {"clear_o": clear}
        if spec.what.self_test:
            pins |= {"self_test_o": self._wire("self_test_start", "")}
            pins |= {"locked_i": self._wire("locked", "")}
            pins |= {"self_test_i": self._wire("self_test_state", "[1:0]")}
        else:
            pins |= {"self_test_o": self._wire("unused_self_test", "")}
            pins |= {"locked_i": "'0", "self_test_i": "'0"}
        pins |= facing({pin: inside[pin] for pin in (*MESSAGE, *KEYS)}, "")
        self._instances.append(
            Instance(
                "Registers: messages and keys word by word.",
                "rsm_register_port",
                "u_registers",
                buses.register_parameters(spec),
                pins,
            )
        )

    def add_self_test(self) -> None:
        """Add the known answers between the bus and the mode."""
        spec = self._spec
        outer = self._message | {pin: self._bus_keys[pin] for pin in KEYS}
        inside = self._inside("tested")
        clear = self._wire("tested_clear", "")
        pins = self._always | outer | facing(inside, "core_") | {"clear_o": clear}
        self._always = self._always | {"clear_i": clear}
        if spec.what.bus in REGISTERS:
            pins |= {"start_i": "self_test_start", "locked_o": "locked"}
            pins |= {"state_o": "self_test_state"}
        else:
            pins |= {"start_i": "'0", "locked_o": self._wire("unused_locked", "")}
            pins |= {"state_o": "self_test_o"}
        self._instances.append(
            Instance(
                "Nothing passes before known answers were right.",
                "rsm_self_test",
                "u_self_test",
                buses.self_test_parameters(spec),
                pins,
            )
        )

    def _inside(self, name: str) -> dict[str, str]:
        """Return new wires for keys and messages, which what comes further in is connected to."""
        spec = self._spec
        widths = {f"{part}_{pin}": bits for (part, pin), bits in MESSAGE_BITS.items()}
        widths |= {"key_i": max(spec.what.key_bits), "key_len_i": 2, "key_slot_i": 4}
        wires = {}
        for pin in (*MESSAGE, *KEYS):
            bits = widths.get(pin, 1)
            idle = "unused_" if pin in self._tied_keys() else ""
            wires[pin] = self._wire(f"{idle}{name}_{pin[:-2]}", bits_range(bits))
        self._message = {pin: wires[pin] for pin in MESSAGE}
        self._bus_keys = {pin: wires[pin] for pin in KEYS}
        self._pins |= {pin: wires[pin] for pin in KEYS if pin not in self._tied_keys()}
        if "key_slot_i" not in self._tied_keys():
            slot, bits = wires["key_slot_i"], (spec.port.key_slots - 1).bit_length()
            self._pins["key_slot_i"] = f"{slot}[{bits - 1}:0]"
            if bits < 4:
                self._assigns[self._wire("unused_key_slot", "")] = f"^{slot}[3:{bits}]"
        return wires

    def _tied_keys(self) -> list[str]:
        """Return the pins of the key channel that the core does not need."""
        needed = {
            "key_len_i": len(self._spec.what.key_bits),
            "key_slot_i": streams.key_slots(self._spec),
        }
        return [pin for pin, count in needed.items() if count == 1]

    def add_mode(self) -> None:
        """Add the mode: messages outside, blocks inside; keys go past it when it lets them."""
        spec = self._spec
        slot_bits = (spec.port.key_slots - 1).bit_length()
        pins = self._always | self._message
        if modes.is_single(spec):
            pins = {pin: at for pin, at in pins.items() if pin not in KEEP.values()}
            pins |= self._keep or self._add_keep()
        used = {pin for pin in BLOCKS if pin != "in_decrypt_i" or spec.is_both}
        for pin in NATIVE_BLOCKS if modes.is_single(spec) else BLOCKS:
            name = f"{'' if pin in used else 'unused_'}mode_{pin[:-2]}"
            inside = self._wire(name, self._range(pin))
            pins[f"core_{turned(pin)}"] = inside
            if pin in self._pins:
                self._pins[pin] = inside if pin in used else "'0"
        self._out_ready = "mode_out_ready"
        # A mode knows 16 slots.
        parts = []
        if slot_bits < 4:
            parts.append(self._wire("unused_mode_in_slot", f"[{3 - slot_bits}:0]"))
        if slot_bits:
            parts.append(self._wire("mode_in_slot", f"[{slot_bits - 1}:0]"))
            self._pins["in_slot_i"] = parts[-1]
        pins["core_in_slot_o"] = f"{{{', '.join(parts)}}}"
        # A key waits until the messages before it have all their blocks in the core.
        opened, loaded = self._wire("key_open", ""), self._wire("key_loaded", "")
        valid, ready = self._wire("mode_key_valid", ""), self._wire("mode_key_ready", "")
        outer = {pin: self._pins[pin] for pin in ("key_valid_i", "key_ready_o")}
        self._assigns[valid] = f"{outer['key_valid_i']} & {opened}"
        self._assigns[outer["key_ready_o"]] = f"{ready} & {opened}"
        self._assigns[loaded] = f"{valid} & {ready}"
        self._pins |= {"key_valid_i": valid, "key_ready_o": ready}
        slot_in = f"4'({self._pins['key_slot_i']})" if slot_bits else "'0"
        pins |= {"key_loaded_i": loaded, "key_loaded_slot_i": slot_in, "key_open_o": opened}
        parameters = {name: str(value) for name, value in modes.parameters(spec).items()}
        purpose = "The mode of operation: messages to blocks, results to messages."
        self._instances.append(Instance(purpose, modes.module(spec), "u_mode", parameters, pins))

    def _add_keep(self) -> dict[str, str]:
        """Add what turns numbers of bytes into masks and back, and return the wires of those."""
        keep = {pin: self._wire(f"mode_{pin[:-2]}", "[15:0]") for pin in KEEP}
        pins = {pin: self._message[pin] for pin in KEEP.values()} | facing(keep, "core_")
        purpose = "The bytes of a beat that count, one by one."
        self._instances.append(Instance(purpose, "rsm_mode_keep", "u_keep", {}, pins))
        return keep

    def add_streams(self) -> None:
        """Add a mode for each stream, and what gives all of them the one core and its keys."""
        count = self._spec.how.streams
        shares = {pin: self._wire(f"stream_{pin[:-2]}", bits) for pin, bits in self._shares(count)}
        for name in ("key_open", "key_loaded"):
            self._wire(name, f"[{count - 1}:0]")
        self._wire("key_loaded_slot", "[3:0]")
        self._wire("key_passes", "")
        self._add_modes(count, shares)
        own = {"Streams": str(count), "KeySlots": str(self._spec.port.key_slots)}
        self._add_stream_keys(own)
        self._add_interleave(own, shares)
        if self._spec.native_channel is KeyChannel.WITH_BLOCK:
            self._pins |= {"key_slot_i": self._key_slot, "in_slot_i": "core_in_slot"}
            self.add_key_slots()

    def _add_modes(self, count: int, shares: dict[str, str]) -> None:
        """Add the modes, each with a share of the core."""
        pins = self._always | {pin: f"{name}[i]" for pin, name in self._message.items()}
        if not self._spec.has_message_bus:
            pins["idle_o"] = f"{self._wire('mode_idle', f'[{count - 1}:0]')}[i]"
            self._assigns["idle_o"] = "&mode_idle"
        pins |= facing({pin: f"{name}[i]" for pin, name in shares.items()}, "core_")
        pins |= {"key_loaded_i": "key_loaded[i]", "key_loaded_slot_i": "key_loaded_slot"}
        pins |= {"key_open_o": "key_open[i]"}
        parameters = {name: str(value) for name, value in modes.parameters(self._spec).items()}
        purpose = "The mode of operation of each stream: messages to blocks, results to messages."
        module = f"rsm_mode_{self._spec.what.mode}"
        self._instances.append(Instance(purpose, module, "u_mode", parameters, pins, count))

    def _add_stream_keys(self, parameters: dict[str, str]) -> None:
        """Add what lets keys past the modes."""
        outer = {pin: self._pins[pin] for pin in ("key_valid_i", "key_ready_o")}
        inside = {pin: self._wire(f"keys_{pin[:-2]}", "") for pin in outer}
        pins = outer | {"key_slot_i": self._key_slot, "stream_open_i": "key_open"}
        pins |= {"stream_loaded_o": "key_loaded", "stream_slot_o": "key_loaded_slot"}
        pins |= facing(inside, "core_") | {"loaded_o": "key_passes"}
        purpose = "Keys for the streams: each waits until its mode lets it past."
        self._instances.append(
            Instance(purpose, "rsm_stream_keys", "u_stream_keys", parameters, pins)
        )
        self._pins |= inside

    def _add_interleave(self, parameters: dict[str, str], shares: dict[str, str]) -> None:
        """Add what gives the core a block of each stream in turn."""
        slot_bits = (streams.key_slots(self._spec) - 1).bit_length()
        pins = self._always | shares
        pins |= {"key_loaded_i": "key_passes", "key_loaded_slot_i": self._key_slot}
        for pin in (*BLOCKS, "in_slot_i"):
            if pin == "out_ready_i":
                continue  # the core waits for nobody
            unused = pin == "in_decrypt_i" and not self._spec.is_both
            bits = f"[{slot_bits - 1}:0]" if pin == "in_slot_i" else self._range(pin)
            inside = self._wire(f"{'unused' if unused else 'core'}_{pin[:-2]}", bits)
            pins[f"core_{turned(pin)}"] = inside
            if pin in self._pins and not unused:
                self._pins[pin] = inside
        own = parameters | {"TagWidth": "1", "Depth": str(formulas.fifo_depth(self._spec))}
        purpose = "The core, a block of each stream in turn."
        self._instances.append(Instance(purpose, "rsm_interleave", "u_interleave", own, pins))

    def _shares(self, count: int) -> Iterator[tuple[str, str]]:
        """Yield what each mode has of the core, with the range of the wire of all of them."""
        widths = {"in_block_i": "[127:0]", "out_block_o": "[127:0]", "in_slot_i": "[3:0]"}
        widths |= dict.fromkeys(("in_tag_i", "out_tag_o"), "[0:0]")
        for pin in (*BLOCKS, "in_slot_i"):
            yield pin, f"[{count - 1}:0]{widths.get(pin, '')}"

    def add_key_slots(self) -> None:
        """Add the keys of all slots in front of a core that takes its key with the block."""
        self._wrap(
            f"Holds the key of each {'stream' if self._spec.how.streams > 1 else 'slot'}.",
            "key_slots",
            self._slot_parameters(),
            ("idle_o", "in_valid_i", "in_ready_o"),
            own={pin: self._pins[pin] for pin in (*CHANNEL, *SLOTS)},
            inside=("in_key_i", "in_len_i"),
        )
        self._pins |= {pin: self._tied(pin) for pin in CHANNEL}
        self._end_slots()

    def add_key_swap(self) -> None:
        """Add the keys of all slots in front of a core that has one at a time."""
        own = {pin: self._pins[pin] for pin in SLOTS}
        handshakes = ("idle_o", *CHANNEL, "in_valid_i", "in_ready_o")
        both = [pin for pin in handshakes if pin in self._pins]
        if "key_len_i" not in both:
            own |= {"key_len_i": "'0", "core_key_len_o": self._wire("unused_key_len", "[1:0]")}
        self._wrap(
            "Holds the key of each slot, and gives the core the one that a block needs.",
            "key_swap",
            self._slot_parameters(),
            both,
            own=own,
        )
        self._end_slots()

    def _slot_parameters(self) -> dict[str, str]:
        count = streams.key_slots(self._spec)
        return {"KeyWidth": str(self._widths["key"]), "KeySlots": str(count)}

    def _end_slots(self) -> None:
        """Connect the slot pins that the core has, which knows of no slots any more."""
        absent = absent_pins(self._spec)
        self._pins = {pin: at for pin, at in self._pins.items() if pin not in absent}
        self._pins |= {pin: self._tied(pin) for pin in SLOTS if pin not in absent}

    def add_flow(self) -> None:
        """Add back pressure."""
        parameters = {
            "BlockWidth": str(self._widths["block"]),
            "TagWidth": self._tag_width,
            "Depth": str(formulas.fifo_depth(self._spec)),
        }
        self._wrap(
            "Back pressure: a block enters only when there is room for its result.",
            "flow",
            parameters,
            ("idle_o", "in_valid_i", "in_ready_o", *RESULT),
            own={"out_ready_i": self._out_ready},
        )

    def add_key_hold(self) -> None:
        """Add the key channel of a core that takes its key with the block."""
        self._wrap(
            "Holds the key for the blocks that follow.",
            "key_hold",
            {"KeyWidth": str(self._widths["key"])},
            ("in_valid_i", "in_ready_o"),
            own={pin: self._pins[pin] for pin in CHANNEL},
            inside=("in_key_i", "in_len_i"),
        )
        self._pins |= {pin: self._tied(pin) for pin in CHANNEL}

    def add_widen(self) -> None:
        """Add what takes 128 bits apart for a narrow core, and puts its beats together.

        Keys of more bits go a way of their own.
        """
        channel_pins = ("key_valid_i", "key_ready_o", "key_i", "in_key_i")
        own = self._widths["key"] > 128
        width = str(self._spec.native_width)
        held = self._spec.native_channel is KeyChannel.HELD
        channel = f"rsm_aes_pkg::{'ChannelHeld' if held else 'ChannelWithBlock'}"
        longest = str(self._widths["key"])
        self._widths |= dict.fromkeys(("key", "block"), self._spec.native_width)
        if own:
            self._wrap(
                "Keys of more than 128 bits in beats.",
                "widen_key",
                {"Width": width, "KeyWidth": longest, "Channel": channel},
                (*channel_pins[:3], "in_valid_i", "in_ready_o", "in_key_i"),
            )
        beside = {pin: self._pins[pin] for pin in channel_pins} if own else {}
        self._pins |= {pin: self._tied(pin) for pin in beside}
        self._wrap(
            "Blocks of 128 bits to a core that takes them in beats.",
            "widen",
            {"Width": width, "Channel": channel, "TagWidth": self._tag_width},
            (
                *("idle_o", "key_valid_i", "key_ready_o", "key_i"),
                *("in_valid_i", "in_ready_o", "in_block_i", "in_key_i", *RESULT),
            ),
        )
        if own:
            idle = ("key_valid_o", "key_ready_i", "key_o", "in_key_o")
            self._instances[-1].pins.update({f"core_{p}": self._tied(f"core_{p}") for p in idle})
            self._pins |= beside

    def _wrap(
        self,
        purpose: str,
        module: str,
        parameters: dict[str, str],
        both: Sequence[str],
        *,
        own: dict[str, str] | None = None,
        inside: Sequence[str] = (),
    ) -> None:
        """Add a wrapper: signals on `both` its sides, pins of its `own`, others `inside`."""
        pins = self._always | (own or {}) | {pin: self._pins[pin] for pin in both}
        for pin in (*both, *inside):
            self._pins[pin] = self._wire(f"{module}_{pin[:-2]}", self._range(pin))
            pins[f"core_{turned(pin)}"] = self._pins[pin]
        self._instances.append(Instance(purpose, f"rsm_{module}", f"u_{module}", parameters, pins))

    def add_tiles(self) -> None:
        """Add tiles of a loop: each has handshakes and results of its own, all else is shared."""
        count = self._spec.how.tiles
        own = ("idle_o", "key_valid_i", "key_ready_o", "in_valid_i", "in_ready_o", *RESULT)
        pins = {pin: self._pins[pin] for pin in own}
        vectors = {}
        for pin in own:
            vectors[pin] = self._wire(f"tile_{pin[:-2]}", f"[{count - 1}:0]{self._range(pin)}")
            pins[f"tile_{turned(pin)}"] = vectors[pin]
        parameters = {"Tiles": str(count), "TagWidth": self._tag_width}
        self._instances.append(
            Instance("Blocks to the tiles, results back.", "rsm_tiles", "u_tiles", parameters, pins)
        )
        for i, tile in enumerate(self._spec.tiles()):
            self.add_core(f"u_tile_{i}", tile, {p: f"{w}[{i}]" for p, w in vectors.items()})

    def add_lanes(self) -> None:
        """Add tiles of a pipe: a handshake moves a block in each, and the tag goes with one.

        Lanes that are alike and see the same handshakes are ready together, so the first one
        answers for all; a handshake across the whole chip would be the slowest path.
        """
        count = self._spec.port.lanes
        tiles = self._spec.tiles()
        alike = all(tile.how == tiles[0].how for tile in tiles)
        held = self._spec.native_channel is KeyChannel.HELD
        outer = dict(self._pins)
        answers = ("idle_o", "in_ready_o", "out_valid_o", *(("key_ready_o",) if held else ()))
        vectors = {} if alike else {pin: self._joined(pin, outer[pin], count) for pin in answers}
        if not alike:
            for channel in ("in", "key") if held else ("in",):
                # All lanes take it at once, or none.
                valid, ready = outer[f"{channel}_valid_i"], outer[f"{channel}_ready_o"]
                self._pins[f"{channel}_valid_i"] = self._wire(f"lane_{channel}_valid", "")
                self._assigns[f"lane_{channel}_valid"] = f"{valid} & {ready}"
        for i, tile in enumerate(tiles):
            high = 128 * (count - i) - 1
            pins = {p: f"{outer[p]}[{high}:{high - 127}]" for p in ("in_block_i", "out_block_o")}
            pins |= {pin: f"{vector}[{i}]" for pin, vector in vectors.items()}
            if i > 0:
                port = tile.port.model_copy(update={"tag_bits": 0})
                tile = tile.model_copy(update={"port": port})
                ends = ("out_tag_o", *(answers if alike else ()))
                pins |= {pin: self._wire(f"unused_{pin[:-2]}_{i}", "") for pin in ends}
                pins["in_tag_i"] = "'0"
            if not held:
                pins["key_ready_o"] = self._wire(f"unused_key_ready_{i}", "")
            self.add_core(f"u_lane_{i}", tile, pins)

    def _joined(self, pin: str, outer: str, count: int) -> str:
        """Return a vector of `pin` of all lanes, whose AND is that of the top."""
        vector = self._wire(f"lane_{pin[:-2]}", f"[{count - 1}:0]")
        self._assigns[outer] = f"&{vector}"
        return vector

    def add_core(self, name: str, tile: Spec, pins: dict[str, str]) -> None:
        """Add one core, connected as at the present depth except for `pins`."""
        pins = self._always | self._pins | pins
        self._instances.append(Instance("", self._module(tile), name, self._parameters(tile), pins))

    def _tied(self, pin: str) -> str:
        """Return what a pin is connected to that the top does not need."""
        if pin.endswith("_i"):
            return "'0"
        name = f"unused_{pin[:-2]}"
        if any(name in instance.pins.values() for instance in self._instances):
            name += "_inside"  # a wire has one driver
        return self._wire(name, self._range(pin))

    def _wire(self, name: str, bits: str) -> str:
        self._wires[name] = bits
        return name

    def _range(self, pin: str) -> str:
        return bits_range(self._widths.get(pin[:-2].rpartition("_")[2], 1))
