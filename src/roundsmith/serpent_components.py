"""The components of a Serpent core with whole rounds in standard cells, by its instances.

Everything of the key schedule is one component, its S-boxes included. What is left of a round is
the key addition and the choice between directions.
"""

from collections.abc import Mapping

from roundsmith.narrow_components import summed

KEYS = "key schedule"
ROUND = "key addition and choice"
REST = "entry and control"

_KEYS = {"u_key_travel", "u_key_ends", "u_key_store", "u_key_generator", "u_start"}
#: The innermost of these tells the component.
_PARTS = {
    **dict.fromkeys(("u_sub", "u_sub_inverse"), "S-boxes of the state"),
    **dict.fromkeys(("u_linear", "u_linear_inverse"), "linear layer"),
    **dict.fromkeys(("u_cut_sub", "u_cut_half", "u_cut_round"), "registers of the round"),
    "u_round": ROUND,
    "u_flow": "port",
    **dict.fromkeys(("u_key_hold", "u_key_slots", "u_key_swap"), "port"),
    "u_channels32": "port",
    "u_serpent_channels32": "port",
}


def components(paths: Mapping[str, float]) -> dict[str, float]:
    """Sum the GE of every instance path, with all that is below it, by component."""
    return summed(paths, _component)


def _component(path: str) -> str:
    parts = path.split(".")
    if _KEYS & set(parts):
        return KEYS
    known = [part for part in parts if part in _PARTS]
    if known:
        return _PARTS[known[-1]]
    # By itself an S-box gives the first round key.
    return KEYS if "u_sbox" in parts else REST
