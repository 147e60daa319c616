"""Several streams of messages through one core: their modes, and what they share."""

from collections.abc import Iterator

from roundsmith import spec as formulas
from roundsmith.design.pins import BLOCKS, TAGS, Instance, facing, joined, turned
from roundsmith.design.wiring.held_keys import add_key_prefetch, add_key_slots
from roundsmith.design.wiring.mode import core_pins
from roundsmith.design.wiring.shared_mode import add_shared_mode
from roundsmith.design.wiring.top import Top
from roundsmith.spec import KeyChannel, mode_bus_rules, streams


def add_streams(top: Top) -> None:
    """Add the modes of all streams, and what gives them the one core and its keys."""
    count = top.spec.how.streams
    shared = formulas.is_shared(top.spec)
    shares = {pin: top.wire(f"stream_{pin[:-2]}", bits) for pin, bits in _shares(count)}
    loaded = f"{'unused_' if shared else ''}key_loaded"
    for name in ("key_open", loaded):
        top.wire(name, f"[{count - 1}:0]")
    top.wire("key_loaded_slot", "[3:0]")
    top.wire("key_passes", "")
    own = {"Streams": str(count), "KeySlots": str(top.spec.port.key_slots)}
    if shared:
        add_shared_mode(top)
    else:
        _add_modes(top, count, shares)
    _add_stream_keys(top, own, loaded)
    if not shared:
        _add_interleave(top, own, shares)
    if top.spec.native_channel is KeyChannel.WITH_BLOCK:
        top.pins |= {"key_slot_i": top.key_slot, "in_slot_i": "core_in_slot"}
        add_keys = add_key_prefetch if shared else add_key_slots
        add_keys(top)


def _add_modes(top: Top, count: int, shares: dict[str, str]) -> None:
    """Add the modes, each with a share of the core."""
    pins = top.always | joined({pin: f"{name}[i]" for pin, name in top.message.items()})
    if not top.spec.has_message_bus:
        pins["idle_o"] = f"{top.wire('mode_idle', f'[{count - 1}:0]')}[i]"
        top.assigns["idle_o"] = "&mode_idle"
    pins |= core_pins({pin: f"{name}[i]" for pin, name in shares.items()})
    pins |= {"key_i": "{key_loaded[i], key_loaded_slot}", "key_open_o": "key_open[i]"}
    parameters = mode_bus_rules.mode_parameters(top.spec)
    purpose = "The mode of operation of each stream: messages to blocks, results to messages."
    module = mode_bus_rules.mode_module(top.spec)
    top.instances.append(Instance(purpose, module, "u_mode", parameters, pins, count))


def _add_stream_keys(top: Top, parameters: dict[str, str], loaded: str) -> None:
    """Add what lets keys past the modes."""
    outer = {pin: top.pins[pin] for pin in ("key_valid_i", "key_ready_o")}
    inside = {pin: top.wire(f"keys_{pin[:-2]}", "") for pin in outer}
    pins = outer | {"key_slot_i": top.key_slot, "stream_open_i": "key_open"}
    pins |= {"stream_loaded_o": loaded, "stream_slot_o": "key_loaded_slot"}
    pins |= facing(inside, "core_") | {"loaded_o": "key_passes"}
    purpose = "Keys for the streams: each waits until its mode lets it past."
    top.instances.append(Instance(purpose, "rsm_stream_keys", "u_stream_keys", parameters, pins))
    top.pins |= inside


def _add_interleave(top: Top, parameters: dict[str, str], shares: dict[str, str]) -> None:
    """Add what gives the core a block of each stream in turn."""
    slot_bits = (streams.key_slots(top.spec) - 1).bit_length()
    pins = top.always | shares
    pins |= {"key_loaded_i": "key_passes", "key_loaded_slot_i": top.key_slot}
    # A mode has one block in the core, and needs no tag beside the number of its stream.
    unused_tag = top.wire("unused_stream_out_tag", f"[{top.spec.how.streams - 1}:0]")
    pins |= {"in_tag_i": "'0", "out_tag_o": unused_tag}
    for pin in (*BLOCKS, "in_slot_i", *TAGS):
        if pin == "out_ready_i":
            continue  # the core waits for nobody
        unused = pin == "in_decrypt_i" and not top.spec.is_both
        bits = f"[{slot_bits - 1}:0]" if pin == "in_slot_i" else top.range_of(pin)
        inside = top.wire(f"{'unused' if unused else 'core'}_{pin[:-2]}", bits)
        pins[f"core_{turned(pin)}"] = inside
        if pin in top.pins and not unused:
            top.pins[pin] = inside
    own = parameters | {"TagWidth": "1", "Depth": str(formulas.fifo_depth(top.spec))}
    purpose = "The core, a block of each stream in turn."
    top.instances.append(Instance(purpose, "rsm_interleave", "u_interleave", own, pins))


def _shares(count: int) -> Iterator[tuple[str, str]]:
    """Yield what each mode has of the core, with the range of the wire of all of them."""
    widths = {"in_block_i": "[127:0]", "out_block_o": "[127:0]", "in_slot_i": "[3:0]"}
    for pin in (*BLOCKS, "in_slot_i"):
        yield pin, f"[{count - 1}:0]{widths.get(pin, '')}"
