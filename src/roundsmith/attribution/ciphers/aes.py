"""The components of an AES core with whole rounds in standard cells, by its instances.

S-boxes of the key schedule are counted apart from the rest of it. The key addition of a round, and
what chooses between directions and leaves out MixColumns in the last round, is one component; only
linear layers that have it in the same circuits hold it as well. What lets a block in and adds the
first round key to it is one with the control.
"""

import re
from collections.abc import Mapping

from roundsmith.attribution.ciphers.protocol import (
    CHOICE,
    LINEAR,
    PORT,
    REGISTERS,
    REST,
    ROUND,
    SBOX,
    Rule,
)
from roundsmith.attribution.instances import named, summed

KEY_SBOX = "S-boxes of the key schedule"
KEYS = "rest of the key schedule"

#: Instances and generate blocks that belong to a component with all that is in them.
_WHOLE = {
    "gen_on_the_fly": KEYS,
    "u_key_store": KEYS,
    "u_transform": KEYS,
    **dict.fromkeys(("u_cut_key", "u_cut_head_window"), KEYS),
    "u_sub_word": KEY_SBOX,
    **dict.fromkeys(("u_sub_bytes", "u_sbox"), SBOX),
    **dict.fromkeys(("u_mix_columns", "u_inv_mix_columns", "gen_gated", "gen_mix_add"), LINEAR),
    **dict.fromkeys(("u_cut_head", "u_cut_sub", "u_cut_round"), REGISTERS),
    # In the linear layer.
    **dict.fromkeys(("u_cut", "u_cut_inverse"), REGISTERS),
    **dict.fromkeys(("u_cut_out", "u_cut_out_tag"), "output register"),
    **dict.fromkeys(("u_cut_out_valid", "u_turn", "u_spread"), REST),
    # They hold a block with its key.
    **dict.fromkeys(("u_cut_in", "u_cut_late", "u_cut_extra"), REST),
    **dict.fromkeys((f"u_cut_{cut}_control" for cut in ("in", "late", "head")), REST),
    **dict.fromkeys((f"u_cut_{cut}_control" for cut in ("sub", "mix", "round")), REST),
    **dict.fromkeys(("u_cut_in_valid", "u_delay_tag", "u_delay_control"), REST),
}
#: Instances of which only their own cells do: everything in them must have a name.
_HOLDERS = {
    **dict.fromkeys(("", "u_core", "u_lane", "u_tile", "u_loop", "u_pipe"), REST),
    **dict.fromkeys(("u_entry", "u_exit", "u_stage"), REST),
    **dict.fromkeys(("u_round", "u_linear"), ROUND),
}
_CORES = ("u_core", "u_lane", "u_tile")


def components(paths: Mapping[str, float]) -> dict[str, float]:
    """Sum the GE of every instance path, with all that is below it, by component."""
    return summed(paths, lambda path: component(path, paths))


def component(path: str, paths: Mapping[str, float]) -> str:
    """Return the component of one instance of the core that has `paths`."""
    # Lanes and tiles have numbers.
    parts = [re.sub(r"^(u_lane|u_tile)_\d+$", r"\1", part) for part in path.split(".")]
    if path and parts[0] not in _CORES:
        return "mode" if parts[0] == "u_mode" else PORT
    found = named(".".join(parts), _WHOLE, _HOLDERS)
    if found == KEYS and "u_sub_word" in parts:
        return KEY_SBOX
    if found == LINEAR and any(part.startswith("u_cut") for part in parts):
        return REGISTERS
    is_line = parts[-1] == "u_pipe"
    return CHOICE if is_line and any("u_key_store" in other for other in paths) else found


RULE = Rule("aes", 2, components)
