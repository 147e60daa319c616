"""The pins of a core, of a mode of operation and of a bus, and how they face each other."""

from dataclasses import dataclass

from roundsmith.spec import Spec

#: Key lengths by their code on the port, which is their bit in the mask of those built in.
LENGTHS = (128, 192, 256)

#: The native port of rsm_aes, without what every instance has: clock, reset and clear.
NATIVE = (
    *("idle_o", "key_valid_i", "key_ready_o", "key_i", "key_len_i", "key_slot_i"),
    *("in_valid_i", "in_ready_o", "in_block_i", "in_key_i", "in_len_i"),
    *("in_decrypt_i", "in_slot_i", "in_tag_i", "out_valid_o", "out_block_o", "out_tag_o"),
)
ALWAYS = ("clk_i", "rst_ni", "clear_i")
CHANNEL = ("key_valid_i", "key_ready_o", "key_i", "key_len_i")
SLOTS = ("key_slot_i", "in_slot_i")
RESULT = ("out_valid_o", "out_block_o", "out_tag_o")

#: The message port of a mode, without what every instance has: what it faces outwards.
MESSAGE = (
    *("idle_o", "msg_valid_i", "msg_ready_o", "msg_decrypt_i", "msg_slot_i", "msg_iv_i"),
    *("msg_iv_bytes_i", "msg_aad_bytes_i", "msg_text_bytes_i", "msg_tag_bytes_i"),
    *("in_valid_i", "in_ready_o", "in_data_i", "in_keep_i", "in_part_i", "in_last_i"),
    *("out_valid_o", "out_ready_i", "out_data_o", "out_keep_o", "out_part_o", "out_last_o"),
    "out_status_o",
)
#: What stands at a top without a bus for the bytes of a beat that count: their number.
BYTES = {"in_keep_i": "in_bytes_i", "out_keep_o": "out_bytes_o"}
#: The pins of modes and buses that are structs of `rsm_mode_pkg`: what they hold, in order.
STRUCTS = {
    "msg_i": (
        *("msg_decrypt_i", "msg_slot_i", "msg_iv_i", "msg_iv_bytes_i"),
        *("msg_aad_bytes_i", "msg_text_bytes_i", "msg_tag_bytes_i"),
    ),
    "in_i": ("in_data_i", "in_keep_i", "in_part_i", "in_last_i"),
    "out_o": ("out_data_o", "out_keep_o", "out_part_o", "out_last_o", "out_status_o"),
}
#: The key channel of a bus.
KEYS = ("key_valid_i", "key_ready_o", "key_i", "key_len_i", "key_slot_i")
KEY_STREAM = ("tvalid_i", "tready_o", "tdata_i", "tlast_i", "tid_i", "refused_o")
MESSAGE_BITS = {
    ("msg", "slot_i"): 4,
    ("msg", "iv_i"): 128,
    ("msg", "iv_bytes_i"): 5,
    ("msg", "aad_bytes_i"): 32,
    ("msg", "text_bytes_i"): 32,
    ("msg", "tag_bytes_i"): 5,
    ("in", "data_i"): 128,
    ("in", "keep_i"): 16,
    ("in", "part_i"): 2,
    ("out", "data_o"): 128,
    ("out", "keep_o"): 16,
    ("out", "part_o"): 2,
    ("out", "status_o"): 3,
}

#: What a mode takes of the full port of its core, and of the native one.
BLOCKS = (
    *("idle_o", "in_valid_i", "in_ready_o", "in_block_i", "in_decrypt_i"),
    *("out_valid_o", "out_block_o", "out_ready_i"),
)
NATIVE_BLOCKS = tuple(pin for pin in BLOCKS if pin != "out_ready_i")
TAGS = ("in_tag_i", "out_tag_o")


@dataclass(frozen=True)
class Instance:
    """One instance: what it is for, and what its parameters and pins are set to.

    There are `count` of it, in a block of that `label`, and the number of each is `i` in its
    pins.
    """

    purpose: str
    module: str
    name: str
    parameters: dict[str, str]
    pins: dict[str, str]
    count: int = 1
    label: str = "gen_stream"


def absent_pins(spec: Spec) -> tuple[str, ...]:
    """Return the pins of the native port that the core does not have."""
    if spec.batch:
        return (*SLOTS, "key_len_i", "in_key_i", "in_len_i")
    return SLOTS if spec.is_narrow or not spec.cipher.key_slots else ()


def lengths_mask(spec: Spec) -> str:
    """Return the mask of the key lengths that are built in."""
    bits = "".join(str(int(length in spec.what.key_bits)) for length in reversed(LENGTHS))
    return f"3'b{bits}"


def facing(wires: dict[str, str], prefix: str) -> dict[str, str]:
    """Return the pins that face those of `wires`, with the same wires."""
    return {f"{prefix}{turned(pin)}": wire for pin, wire in wires.items()}


def joined(pins: dict[str, str], streams: int = 0) -> dict[str, str]:
    """Return the pins of a message port with its structs in place of what they hold.

    Where they are arrays, each has an element for each of so many `streams`.
    """
    held = {pin for members in STRUCTS.values() for pin in members}
    found = {pin: at for pin, at in pins.items() if pin not in held}
    for struct, members in STRUCTS.items():
        each = [
            f"{{{', '.join(pins[pin] + place for pin in members)}}}"
            for place in ([f"[{i}]" for i in reversed(range(streams))] or [""])
        ]
        found[struct] = f"{{{', '.join(each)}}}" if streams else each[0]
    return found


def bits_range(width: int) -> str:
    """Return the range of a wire of so many bits, as Verilog writes it."""
    return f"[{width - 1}:0]" if width > 1 else ""


def turned(pin: str) -> str:
    """Return the pin that faces `pin`: an input an output, and the other way round."""
    return pin[:-1] + ("o" if pin.endswith("i") else "i")
