"""The mode of operation between the messages of a top and the blocks of its core."""

from roundsmith.design.pins import (
    BLOCKS,
    BYTES,
    NATIVE_BLOCKS,
    TAGS,
    Instance,
    facing,
    joined,
    turned,
)
from roundsmith.design.wiring.top import Top
from roundsmith.spec import formulas, mode_bus_rules


def add_mode(top: Top) -> None:
    """Add the mode: messages outside, blocks inside; keys go past it when it lets them."""
    spec = top.spec
    slot_bits = (spec.port.key_slots - 1).bit_length()
    pins = top.always | joined(top.message)
    used = {pin for pin in BLOCKS if pin != "in_decrypt_i" or spec.is_both}
    inside = {}
    for pin in NATIVE_BLOCKS if formulas.is_oneblock(spec) else BLOCKS:
        name = f"{'' if pin in used else 'unused_'}mode_{pin[:-2]}"
        inside[pin] = top.wire(name, top.range_of(pin))
        if pin in top.pins:
            top.pins[pin] = inside[pin] if pin in used else "'0"
    top.pins |= {pin: top.tied(pin) for pin in TAGS if pin in top.pins}
    top.out_ready = "mode_out_ready"
    # A mode knows 16 slots.
    parts = []
    if slot_bits < 4:
        parts.append(top.wire("unused_mode_in_slot", f"[{3 - slot_bits}:0]"))
    if slot_bits:
        parts.append(top.wire("mode_in_slot", f"[{slot_bits - 1}:0]"))
        top.pins["in_slot_i"] = parts[-1]
    inside["in_slot_i"] = f"{{{', '.join(parts)}}}" if parts[1:] else parts[0]
    pins |= core_pins(inside)
    # A key waits until the messages before it have all their blocks in the core.
    opened, loaded = top.wire("key_open", ""), top.wire("key_loaded", "")
    valid, ready = top.wire("mode_key_valid", ""), top.wire("mode_key_ready", "")
    outer = {pin: top.pins[pin] for pin in ("key_valid_i", "key_ready_o")}
    top.assigns[valid] = f"{outer['key_valid_i']} & {opened}"
    top.assigns[outer["key_ready_o"]] = f"{ready} & {opened}"
    top.assigns[loaded] = f"{valid} & {ready}"
    top.pins |= {"key_valid_i": valid, "key_ready_o": ready}
    slot_in = f"4'({top.pins['key_slot_i']})" if slot_bits else "4'd0"
    pins |= {"key_i": f"{{{loaded}, {slot_in}}}", "key_open_o": opened}
    parameters = mode_bus_rules.mode_parameters(spec)
    purpose = "The mode of operation: messages to blocks, results to messages."
    top.instances.append(
        Instance(purpose, mode_bus_rules.mode_module(spec), "u_mode", parameters, pins)
    )


def core_pins(inside: dict[str, str]) -> dict[str, str]:
    """Return the pins of a mode that face its core: what it asks for is a struct."""
    request = ("in_block_i", "in_decrypt_i", "in_slot_i")
    pins = {f"core_{turned(pin)}": at for pin, at in inside.items() if pin not in request}
    pins["core_in_o"] = f"{{{', '.join(inside[pin] for pin in request)}}}"
    pins["core_out_i"] = pins.pop("core_out_block_i")
    return pins


def add_byte_mask(top: Top) -> None:
    """Add what turns the numbers of bytes at the port into masks, and back."""
    count = top.spec.how.streams
    several = f"[{count - 1}:0]" if count > 1 else ""
    place = "[i]" if count > 1 else ""
    keep = {pin: top.wire(f"mode_{pin[:-2]}", f"{several}[15:0]") for pin in BYTES}
    pins = {pin: f"{pin}{place}" for pin in BYTES.values()}
    pins |= facing({pin: f"{at}{place}" for pin, at in keep.items()}, "core_")
    purpose = "The bytes of a beat that count, one by one."
    top.instances.append(
        Instance(purpose, "rsm_mode_byte_mask", "u_byte_mask", {}, pins, count, "gen_byte_mask")
    )
    top.message |= keep
