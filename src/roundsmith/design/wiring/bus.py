"""The bus of a top: its signals outside, keys and messages inside; and the self-test behind it."""

from roundsmith.design import buses
from roundsmith.design.pins import (
    KEY_STREAM,
    KEYS,
    MESSAGE,
    MESSAGE_BITS,
    Instance,
    bits_range,
    facing,
    joined,
)
from roundsmith.design.registers import model as registers
from roundsmith.design.wiring import stream_bus
from roundsmith.design.wiring.top import Top
from roundsmith.spec import streams


def add_channels(top: Top) -> None:
    """Add the 32-bit channels."""
    spec = top.spec
    top.wrap(
        "Three channels of 32-bit words.",
        f"{spec.bus.word}_batch" if spec.batch else spec.bus.word,
        {"KeyWidth": str(top.widths["key"])},
        (
            *("idle_o", "key_valid_i", "key_ready_o", "key_i", "in_valid_i", "in_ready_o"),
            *("in_block_i", "in_decrypt_i", "out_valid_o", "out_block_o"),
        ),
    )


def add_bus(top: Top) -> None:
    """Add the bus: its signals outside, keys and messages inside."""
    spec = top.spec
    at_top = {signal.pin: signal.name for signal in buses.signals(spec)}
    if spec.bus.has_registers:
        _add_registers(top, at_top)
        return
    if spec.how.streams > 1:
        _add_stream_bus(top, at_top)
        return
    inside = _inside(top, "bus")
    key_pins = {pin: at_top.get(pin, "'0") for pin in KEY_STREAM}
    own = {pin: name for pin, name in at_top.items() if pin.startswith(("in_", "out_"))}
    own |= {pin: pin_at for pin, pin_at in (("in_tid_i", "'0"),) if pin not in at_top}
    if "out_tid_o" not in at_top:
        own["out_tid_o"] = top.wire("unused_tid", "")
    messages = {pin: inside[pin] for pin in MESSAGE}
    key_channel = {pin: inside[pin] for pin in KEYS}
    idle = [top.wire(f"{name}_idle", "") for name in ("stream", "key_stream")]
    top.assigns["idle_o"] = " & ".join(idle)
    hold = top.wire("header_waits", "")
    own |= {"key_comes_i": f"~{idle[1]}", "header_waits_o": hold}
    top.instances += [
        Instance(
            "Messages as packets.",
            f"rsm_{spec.bus.word}",
            "u_stream",
            buses.stream_parameters(spec),
            top.always | {"idle_o": idle[0]} | own | facing(joined(messages), "core_"),
        ),
        Instance(
            "Keys as packets of their own.",
            f"rsm_{spec.bus.word}_key",
            "u_key_stream",
            buses.key_stream_parameters(spec),
            top.always | {"idle_o": idle[1], "hold_i": hold} | key_pins | facing(key_channel, ""),
        ),
    ]


def _add_stream_bus(top: Top, at_top: dict[str, str]) -> None:
    """Add AXI4-Stream whose TID is the number of a stream: message ports inside, and keys."""
    inside = {pin: top.wire(*wire) for pin, wire in stream_bus.inside(top.spec).items()}
    top.message = {pin: inside[pin] for pin in MESSAGE}
    taken = [pin for pin in KEYS if pin in top.pins and pin not in _tied_keys(top)]
    top.pins |= {pin: inside[pin] for pin in taken}
    top.key_slot = inside["key_slot_i"]
    wires = {pin: top.wire(*wire) for pin, wire in stream_bus.between(top.spec).items()}
    top.assigns |= stream_bus.assigns()
    top.instances += stream_bus.instances(top.spec, top.always, at_top, inside, wires)


def _add_registers(top: Top, at_top: dict[str, str]) -> None:
    """Add a bus that gives access to registers, and the registers."""
    spec = top.spec
    clock = {pin: top.always[pin] for pin in ("clk_i", "rst_ni")}
    address = f"[{registers.load().address_bits - 1}:0]"
    access = {"valid_i": "", "write_i": "", "address_i": address, "data_i": "[31:0]"}
    access |= {"strobe_i": "[3:0]", "data_o": "[31:0]", "error_o": ""}
    wires = {
        f"access_{pin}": top.wire(f"access_{pin[:-2]}{'_read' * (pin == 'data_o')}", bits)
        for pin, bits in access.items()
    }
    own = {pin: name for pin, name in at_top.items() if pin != "interrupt_o"}
    top.instances.append(
        Instance(
            "The bus: one access after the other.",
            f"rsm_{spec.bus.word}",
            "u_bus",
            {},
            clock | own | facing(wires, ""),
        )
    )
    inside = _inside(top, "bus")
    pins = top.always | wires | {"interrupt_o": "interrupt_o", "idle_o": "idle_o"}
    clear = top.wire("bus_clear", "")
    top.always = top.always | {"clear_i": clear}
    pins |= {"clear_o": clear}
    if spec.what.self_test:
        pins |= {"self_test_o": top.wire("self_test_start", "")}
        pins |= {"locked_i": top.wire("locked", "")}
        pins |= {"self_test_i": top.wire("self_test_state", "[1:0]")}
    else:
        pins |= {"self_test_o": top.wire("unused_self_test", "")}
        pins |= {"locked_i": "'0", "self_test_i": "'0"}
    pins |= facing(joined({pin: inside[pin] for pin in (*MESSAGE, *KEYS)}), "")
    top.instances.append(
        Instance(
            "Registers: messages and keys word by word.",
            "rsm_register_port",
            "u_registers",
            buses.register_parameters(spec),
            pins,
        )
    )


def add_self_test(top: Top) -> None:
    """Add the known answers between the bus and the mode."""
    spec = top.spec
    outer = joined(top.message) | {pin: top.bus_keys[pin] for pin in KEYS}
    inside = joined(_inside(top, "tested"))
    clear = top.wire("tested_clear", "")
    pins = top.always | outer | facing(inside, "core_") | {"clear_o": clear}
    top.always = top.always | {"clear_i": clear}
    if spec.bus.has_registers:
        pins |= {"start_i": "self_test_start", "locked_o": "locked"}
        pins |= {"state_o": "self_test_state"}
    else:
        pins |= {"start_i": "'0", "locked_o": top.wire("unused_locked", "")}
        pins |= {"state_o": "self_test_o"}
    top.instances.append(
        Instance(
            "Nothing passes before known answers were right.",
            "rsm_self_test",
            "u_self_test",
            buses.self_test_parameters(spec),
            pins,
        )
    )


def _inside(top: Top, name: str) -> dict[str, str]:
    """Return new wires for keys and messages, which what comes further in is connected to."""
    spec = top.spec
    widths = {f"{part}_{pin}": bits for (part, pin), bits in MESSAGE_BITS.items()}
    widths |= {"key_i": max(spec.what.key_bits), "key_len_i": 2, "key_slot_i": 4}
    wires = {}
    for pin in (*MESSAGE, *KEYS):
        bits = widths.get(pin, 1)
        idle = "unused_" if pin in _tied_keys(top) else ""
        wires[pin] = top.wire(f"{idle}{name}_{pin[:-2]}", bits_range(bits))
    top.message = {pin: wires[pin] for pin in MESSAGE}
    top.bus_keys = {pin: wires[pin] for pin in KEYS}
    top.pins |= {pin: wires[pin] for pin in KEYS if pin not in _tied_keys(top)}
    if "key_slot_i" not in _tied_keys(top):
        slot, bits = wires["key_slot_i"], (spec.port.key_slots - 1).bit_length()
        top.pins["key_slot_i"] = f"{slot}[{bits - 1}:0]"
        if bits < 4:
            top.assigns[top.wire("unused_key_slot", "")] = f"^{slot}[3:{bits}]"
    return wires


def _tied_keys(top: Top) -> list[str]:
    """Return the pins of the key channel that the core does not need."""
    needed = {
        "key_len_i": len(top.spec.what.key_bits),
        "key_slot_i": streams.key_slots(top.spec),
    }
    return [pin for pin, count in needed.items() if count == 1]
