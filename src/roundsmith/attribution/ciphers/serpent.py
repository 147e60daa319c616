"""The components of a Serpent core with whole rounds in standard cells, by its instances.

Everything of the key schedule is one component, its S-boxes included. What is left of a round is
the key addition and the choice between directions. What lets a block in and adds the first round
key to it is one with the control.
"""

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
from roundsmith.flows.asic import FLIP_FLOPS

KEYS = "key schedule"

#: Instances and generate blocks that belong to a component with all that is in them.
_WHOLE = {
    **dict.fromkeys(("gen_on_the_fly", "u_key_store", "u_key_generator"), KEYS),
    **dict.fromkeys(("u_sub", "u_sub_inverse"), SBOX),
    **dict.fromkeys(("u_linear", "u_linear_inverse"), LINEAR),
    **dict.fromkeys(("u_cut_sub", "u_cut_half", "u_cut_round"), REGISTERS),
    **dict.fromkeys(("u_cut_out", "u_cut_out_tag"), "output register"),
    **dict.fromkeys(("u_cut_out_valid", "u_spread"), REST),
    # They hold a block with its key.
    **dict.fromkeys(("u_cut_in", "u_cut_extra"), REST),
    **dict.fromkeys((f"u_cut_{cut}_control" for cut in ("in", "extra", "round")), REST),
    **dict.fromkeys(("u_cut_in_valid", "u_cut_step", "u_delay_tag", "u_delay_control"), REST),
}
#: Instances of which only their own cells do: everything in them must have a name.
_HOLDERS = {
    **dict.fromkeys(("", "u_core", "u_loop", "u_stage"), REST),
    "u_round": ROUND,
}


def components(paths: Mapping[str, float]) -> dict[str, float]:
    """Sum the GE of every instance path, with all that is below it, by component."""
    return summed(paths, lambda path: component(path, paths))


def component(path: str, paths: Mapping[str, float]) -> str:
    """Return the component of one instance of the core that has `paths`."""
    parts = path.split(".")
    if path and parts[0] != "u_core":
        return "mode" if parts[0] == "u_mode" else PORT
    found = named(path, _WHOLE, _HOLDERS)
    if found == LINEAR and any(part.startswith("u_cut") for part in parts):
        return REGISTERS
    # What of the keys stands beside their schedule: the choice of those that are stored, and the
    # registers of round keys beside the generator.
    if path == "u_core" and any("u_key_store" in other for other in paths):
        return CHOICE
    if path == f"u_core.{FLIP_FLOPS}" and any("u_key_generator" in other for other in paths):
        return KEYS
    return found


RULE = Rule("serpent", 2, components)
