"""One mode of operation for all streams of messages, which share one core."""

from roundsmith.design.pins import NATIVE_BLOCKS, Instance, joined, turned
from roundsmith.design.wiring.top import Top
from roundsmith.spec import KeyChannel, mode_bus_rules, streams

#: What this mode has of the core: it only encrypts, and knows when a result is there.
_BLOCKS = [pin for pin in NATIVE_BLOCKS if pin not in {"in_decrypt_i", "out_valid_o"}]


def add_shared_mode(top: Top) -> None:
    """Add the mode, which gives the core a block of each stream in turn."""
    spec = top.spec
    slot = f"[{(streams.key_slots(spec) - 1).bit_length() - 1}:0]"
    pins = top.always | joined(top.message, spec.how.streams)
    if not spec.has_message_bus:
        pins["idle_o"] = top.wire("mode_idle", f"[{spec.how.streams - 1}:0]")
        top.assigns["idle_o"] = "&mode_idle"
    pins |= {"key_slot_i": "key_loaded_slot", "key_open_o": "key_open"}
    pins |= {"key_loaded_i": "key_passes", "key_loaded_slot_i": top.key_slot}
    stored = spec.native_channel is KeyChannel.HELD
    for pin, bits in {"load_o": "", "load_slot_o": slot}.items():
        pins[pin] = top.wire(f"{'unused_' if stored else ''}{pin[:-2]}", bits)
    for pin in (*_BLOCKS, "in_slot_i"):
        name = f"{'core' if stored or pin in _BLOCKS else 'unused'}_{pin[:-2]}"
        inside = top.wire(name, slot if pin == "in_slot_i" else top.range_of(pin))
        pins[f"core_{turned(pin)}"] = inside
        if pin in top.pins:
            top.pins[pin] = inside
    top.pins["out_valid_o"] = top.tied("out_valid_o")
    purpose = "The mode of operation of all streams, the core a block of each in turn."
    top.instances.append(
        Instance(
            purpose,
            mode_bus_rules.mode_module(spec),
            "u_mode",
            mode_bus_rules.mode_parameters(spec),
            pins,
        )
    )
