"""The components of an AES core with whole rounds in standard cells, by its instances.

S-boxes of the key schedule are counted apart from the rest of it. What is left of a round, the key
addition and the choice between directions, is one with the entry and the control.
"""

from collections.abc import Mapping

from roundsmith.narrow_components import summed

KEY_SBOX = "S-boxes of the key schedule"
KEYS = "rest of the key schedule"
REST = "entry, key addition and control"

_KEYS = {"u_key_travel", "u_key_ends", "u_key_store"}
#: The innermost of these tells the component.
_PARTS = {
    "u_sub_bytes": "S-boxes of the state",
    **dict.fromkeys(("u_linear", "u_mix_columns"), "linear layer"),
    **dict.fromkeys(("u_cut_sub", "u_cut_mix", "u_cut_round", "u_delay"), "registers of the round"),
    **dict.fromkeys(("u_cut_out", "u_cut_out_tag"), "output register"),
    **dict.fromkeys(("u_flow", "u_key_swap"), "port"),
}


def components(paths: Mapping[str, float]) -> dict[str, float]:
    """Sum the GE of every instance path, with all that is below it, by component."""
    return summed(paths, _component)


def _component(path: str) -> str:
    parts = path.split(".")
    if "u_sub_word" in parts:
        return KEY_SBOX
    if _KEYS & set(parts):
        return KEYS
    known = [part for part in parts if part in _PARTS]
    return _PARTS[known[-1]] if known else REST
