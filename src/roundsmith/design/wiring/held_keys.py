"""Who holds the keys of a core: one key, or one for each slot."""

from roundsmith.design.pins import CHANNEL, SLOTS, absent_pins
from roundsmith.design.wiring.top import Top
from roundsmith.spec import streams


def add_key_hold(top: Top) -> None:
    """Add the key channel of a core that takes its key with the block."""
    top.wrap(
        "Holds the key for the blocks that follow.",
        "key_hold",
        {"KeyWidth": str(top.widths["key"])},
        ("in_valid_i", "in_ready_o"),
        own={pin: top.pins[pin] for pin in CHANNEL},
        inside=("in_key_i", "in_len_i"),
    )
    top.pins |= {pin: top.tied(pin) for pin in CHANNEL}


def add_key_slots(top: Top) -> None:
    """Add the keys of all slots in front of a core that takes its key with the block."""
    top.wrap(
        f"Holds the key of each {'stream' if top.spec.how.streams > 1 else 'slot'}.",
        "key_slots",
        _slot_parameters(top),
        ("idle_o", "in_valid_i", "in_ready_o"),
        own={pin: top.pins[pin] for pin in (*CHANNEL, *SLOTS)},
        inside=("in_key_i", "in_len_i"),
    )
    top.pins |= {pin: top.tied(pin) for pin in CHANNEL}
    _end_slots(top)


def add_key_prefetch(top: Top) -> None:
    """Add the keys of all streams in front of a core that takes its key with the block."""
    loads = {"load_i": "load", "load_slot_i": "load_slot"}
    top.wrap(
        "Holds the key of each stream, and hands out that of the next block.",
        "key_prefetch",
        _slot_parameters(top),
        ("idle_o",),
        own={pin: top.pins[pin] for pin in (*CHANNEL, "key_slot_i")} | loads,
        inside=("in_key_i", "in_len_i"),
        label="key_ahead",
    )
    top.pins |= {pin: top.tied(pin) for pin in CHANNEL}
    _end_slots(top)


def add_key_swap(top: Top) -> None:
    """Add the keys of all slots in front of a core that has one at a time."""
    own = {pin: top.pins[pin] for pin in SLOTS}
    handshakes = ("idle_o", *CHANNEL, "in_valid_i", "in_ready_o")
    both = [pin for pin in handshakes if pin in top.pins]
    if "key_len_i" not in both:
        own |= {"key_len_i": "'0", "core_key_len_o": top.wire("unused_key_len", "[1:0]")}
    top.wrap(
        "Holds the key of each slot, and gives the core the one that a block needs.",
        "key_swap",
        _slot_parameters(top),
        both,
        own=own,
    )
    _end_slots(top)


def _slot_parameters(top: Top) -> dict[str, str]:
    count = streams.key_slots(top.spec)
    return {"KeyWidth": str(top.widths["key"]), "KeySlots": str(count)}


def _end_slots(top: Top) -> None:
    """Connect the slot pins that the core has, which knows of no slots any more."""
    absent = absent_pins(top.spec)
    top.pins = {pin: at for pin, at in top.pins.items() if pin not in absent}
    top.pins |= {pin: top.tied(pin) for pin in SLOTS if pin not in absent}
