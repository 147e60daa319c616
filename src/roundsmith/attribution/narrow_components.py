"""The components of folded and serial cores in standard cells, by the names of their instances.

Every cell belongs to the innermost instance around it that has a component; flip-flops are counted
apart from the logic between them. What is in no such instance is control and selection.
"""

from collections.abc import Mapping

from roundsmith.attribution.instances import summed
from roundsmith.flows.asic import FLIP_FLOPS

REST = "control and selection"

_SBOX = "S-boxes of the state"
_KEY_SBOX = "S-boxes of the key schedule"
_MIX = "linear layer"
_ADD = "key addition and entry"

#: Components of the logic and of the flip-flops of an instance.
_LOGIC = {
    "u_state": "shifting of rows",
    "u_store": "shifting of rows",
    "u_sub_bytes": _SBOX,
    "u_sub_bytes_more": _SBOX,
    "u_sub_byte": _SBOX,
    "u_sbox": _SBOX,
    "u_sub_word": _KEY_SBOX,
    "u_mix_columns": _MIX,
    "u_mix": _ADD,
    "u_sub": _SBOX,
    "u_sub_inverse": _SBOX,
    **dict.fromkeys(("u_x0", "u_x1", "u_x2", "u_x3", "u_words"), "rotation of words"),
    **dict.fromkeys(("u_linear", "u_linear_inverse"), _MIX),
    **dict.fromkeys(("u_turn_block", "u_turn_key"), "port"),
    "u_mix_key": "linear layer of the key schedule",
    "u_key": "key step",
    "u_window": "key step",
    "u_kept": "key step",
    "u_memory": "key step",
    "u_rcon": "round constants",
    "u_steps": "round constants",
    "u_flow": "port",
    "u_widen": "port",
    "u_widen_key": "port",
    **dict.fromkeys(("u_key_hold", "u_key_slots", "u_key_swap"), "port"),
}
_REGISTERS = {
    "shifting of rows": "state registers",
    "rotation of words": "state registers",
    "key step": "key registers",
}


_NAMES = frozenset({*_LOGIC.values(), *_REGISTERS.values(), REST})


def told(found: Mapping[str, float]) -> bool:
    """Whether these are components as they are named here, with the registers apart."""
    return _NAMES.issuperset(found) and "state registers" in found


def components(paths: Mapping[str, float]) -> dict[str, float]:
    """Sum the GE of every instance path, with all that is below it, by component."""
    return summed(paths, lambda path: _component(path, paths))


def _component(path: str, paths: Mapping[str, float]) -> str:
    parts = path.split(".")
    known = [part for part in parts if part in _LOGIC]
    # The circuits of single columns are called `u_mix`, too.
    if known[-1:] == ["u_mix"] and known[-2:-1] in (["u_mix_columns"], ["u_mix_key"]):
        known.pop()
    if not known:
        return REST
    found = _LOGIC[known[-1]]
    if found == _SBOX and {"u_key", "u_sub_word"} & set(known):
        found = _KEY_SBOX
    # Where nothing is around the mixing of columns, it has that name.
    if found == _ADD and not any("u_mix_columns" in path for path in paths):
        found = _MIX
    return _REGISTERS.get(found, found) if parts[-1] == FLIP_FLOPS else found
