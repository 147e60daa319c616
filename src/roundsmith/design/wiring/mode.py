"""The mode of operation between the messages of a top and the blocks of its core."""

from roundsmith.design.pins import BLOCKS, KEEP, NATIVE_BLOCKS, Instance, facing, turned
from roundsmith.design.wiring.top import Top
from roundsmith.spec import formulas, mode_bus_rules


def add_mode(top: Top) -> None:
    """Add the mode: messages outside, blocks inside; keys go past it when it lets them."""
    spec = top.spec
    slot_bits = (spec.port.key_slots - 1).bit_length()
    pins = top.always | top.message
    if formulas.is_oneblock(spec):
        pins = {pin: at for pin, at in pins.items() if pin not in KEEP.values()}
        pins |= top.keep or _add_keep(top)
    used = {pin for pin in BLOCKS if pin != "in_decrypt_i" or spec.is_both}
    for pin in NATIVE_BLOCKS if formulas.is_oneblock(spec) else BLOCKS:
        name = f"{'' if pin in used else 'unused_'}mode_{pin[:-2]}"
        inside = top.wire(name, top.range_of(pin))
        pins[f"core_{turned(pin)}"] = inside
        if pin in top.pins:
            top.pins[pin] = inside if pin in used else "'0"
    top.out_ready = "mode_out_ready"
    # A mode knows 16 slots.
    parts = []
    if slot_bits < 4:
        parts.append(top.wire("unused_mode_in_slot", f"[{3 - slot_bits}:0]"))
    if slot_bits:
        parts.append(top.wire("mode_in_slot", f"[{slot_bits - 1}:0]"))
        top.pins["in_slot_i"] = parts[-1]
    pins["core_in_slot_o"] = f"{{{', '.join(parts)}}}"
    # A key waits until the messages before it have all their blocks in the core.
    opened, loaded = top.wire("key_open", ""), top.wire("key_loaded", "")
    valid, ready = top.wire("mode_key_valid", ""), top.wire("mode_key_ready", "")
    outer = {pin: top.pins[pin] for pin in ("key_valid_i", "key_ready_o")}
    top.assigns[valid] = f"{outer['key_valid_i']} & {opened}"
    top.assigns[outer["key_ready_o"]] = f"{ready} & {opened}"
    top.assigns[loaded] = f"{valid} & {ready}"
    top.pins |= {"key_valid_i": valid, "key_ready_o": ready}
    slot_in = f"4'({top.pins['key_slot_i']})" if slot_bits else "'0"
    pins |= {"key_loaded_i": loaded, "key_loaded_slot_i": slot_in, "key_open_o": opened}
    parameters = mode_bus_rules.mode_parameters(spec)
    purpose = "The mode of operation: messages to blocks, results to messages."
    top.instances.append(
        Instance(purpose, mode_bus_rules.mode_module(spec), "u_mode", parameters, pins)
    )


def _add_keep(top: Top) -> dict[str, str]:
    """Add what turns numbers of bytes into masks and back, and return the wires of those."""
    keep = {pin: top.wire(f"mode_{pin[:-2]}", "[15:0]") for pin in KEEP}
    pins = {pin: top.message[pin] for pin in KEEP.values()} | facing(keep, "core_")
    purpose = "The bytes of a beat that count, one by one."
    top.instances.append(Instance(purpose, "rsm_mode_byte_mask", "u_keep", {}, pins))
    return keep
