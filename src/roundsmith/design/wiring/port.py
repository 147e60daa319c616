"""What the full port has and a core has not: back pressure, and 128 bits at once."""

from roundsmith import spec as formulas
from roundsmith.design.pins import RESULT
from roundsmith.design.wiring.top import Top
from roundsmith.spec import KeyChannel


def add_flow(top: Top) -> None:
    """Add back pressure."""
    parameters = {
        "BlockWidth": str(top.widths["block"]),
        "TagWidth": top.tag_width,
        "Depth": str(formulas.fifo_depth(top.spec)),
    }
    top.wrap(
        "Back pressure: a block enters only when there is room for its result.",
        "flow",
        parameters,
        ("idle_o", "in_valid_i", "in_ready_o", *RESULT),
        own={"out_ready_i": top.out_ready},
    )


def add_widen(top: Top) -> None:
    """Add what takes 128 bits apart for a narrow core, and puts its beats together.

    Keys of more bits go a way of their own.
    """
    channel_pins = ("key_valid_i", "key_ready_o", "key_i", "in_key_i")
    own = top.widths["key"] > 128
    width = str(top.spec.native_width)
    held = top.spec.native_channel is KeyChannel.HELD
    channel = f"rsm_port_pkg::{'ChannelHeld' if held else 'ChannelWithBlock'}"
    longest = str(top.widths["key"])
    top.widths |= dict.fromkeys(("key", "block"), top.spec.native_width)
    if own:
        top.wrap(
            "Keys of more than 128 bits in beats.",
            "widen_key",
            {"Width": width, "KeyWidth": longest, "Channel": channel},
            (*channel_pins[:3], "in_valid_i", "in_ready_o", "in_key_i"),
        )
    beside = {pin: top.pins[pin] for pin in channel_pins} if own else {}
    top.pins |= {pin: top.tied(pin) for pin in beside}
    top.wrap(
        "Blocks of 128 bits to a core that takes them in beats.",
        "widen",
        {"Width": width, "Channel": channel, "TagWidth": top.tag_width},
        (
            *("idle_o", "key_valid_i", "key_ready_o", "key_i"),
            *("in_valid_i", "in_ready_o", "in_block_i", "in_key_i", *RESULT),
        ),
    )
    if own:
        idle = ("key_valid_o", "key_ready_i", "key_o", "in_key_o")
        top.instances[-1].pins.update({f"core_{p}": top.tied(f"core_{p}") for p in idle})
        top.pins |= beside
