"""What stands in a generated top: the cores, the wrappers around them, and their wires.

A core and its wrappers speak the native port of rsm_aes, a narrow core the same in beats. The top
is built from its own port inwards: each wrapper takes over some of the signals and hands wires of
its own further in. The pin of a wrapper that faces `in_valid_i` of the core is `core_in_valid_o`,
and so on.
"""

from collections.abc import Sequence

from roundsmith.design.wiring.bus import add_bus, add_channels, add_self_test
from roundsmith.design.wiring.copies import add_lanes, add_tiles
from roundsmith.design.wiring.held_keys import add_key_hold, add_key_slots, add_key_swap
from roundsmith.design.wiring.mode import add_byte_mask, add_mode
from roundsmith.design.wiring.port import add_flow, add_widen
from roundsmith.design.wiring.streams import add_streams
from roundsmith.design.wiring.top import Top, Wiring
from roundsmith.spec import Spec, formulas, keys


def wire(spec: Spec, ports: Sequence[str]) -> Wiring:
    """Return the inside of the top of `spec`."""
    top = Top(spec, ports)
    if spec.bus.has_words:
        add_channels(top)
    if spec.has_message_bus:
        add_bus(top)
    if spec.what.self_test:
        add_self_test(top)
    if spec.has_mode and not spec.has_message_bus:
        add_byte_mask(top)
    if spec.how.streams > 1:
        add_streams(top)
    else:
        if spec.has_mode:
            add_mode(top)
        if spec.is_full and not formulas.is_oneblock(spec):
            add_flow(top)
        if spec.port.key_slots == 1 and spec.port.key_channel is not spec.native_channel:
            add_key_hold(top)
        if keys.are_swapped(spec):
            add_key_swap(top)
        elif keys.in_front(spec):
            add_key_slots(top)
    if spec.port.width != spec.native_width:
        add_widen(top)
    if spec.port.lanes > 1:
        add_lanes(top)
    elif spec.how.tiles > 1:
        add_tiles(top)
    else:
        top.add_core("u_core", spec.tile(0), {})
    return top.done()
