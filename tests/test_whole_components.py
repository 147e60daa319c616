"""What an AES core with whole rounds is made of, by the names of its instances."""

from roundsmith import whole_components
from roundsmith.asic import FLIP_FLOPS

#: GE of instances, with all that is below them.
PATHS = {
    "": 100.0,
    "u_core": 90.0,
    "u_core.u_loop": 60.0,
    "u_core.u_loop.u_sub_bytes": 30.0,
    "u_core.u_loop.u_sub_bytes.u_sbox": 25.0,
    f"u_core.u_loop.u_sub_bytes.u_sbox.{FLIP_FLOPS}": 5.0,
    "u_core.u_loop.u_linear": 12.0,
    "u_core.u_loop.u_linear.u_mix_columns": 10.0,
    "u_core.u_loop.u_cut_round": 8.0,
    "u_core.u_key_store": 25.0,
    "u_core.u_key_store.u_expander.u_sub_word": 6.0,
    "u_core.u_key_store.u_expander.u_cut_sub": 1.0,
    "u_flow": 7.0,
}


def test_every_instance_counts_once() -> None:
    assert whole_components.components(PATHS) == {
        "S-boxes of the state": 30.0,
        "linear layer": 12.0,
        "registers of the round": 8.0,
        "S-boxes of the key schedule": 6.0,
        # Registers inside the expander are of the keys, whatever their name.
        "rest of the key schedule": 19.0,
        "port": 7.0,
        "entry, key addition and control": 18.0,
    }
    assert sum(whole_components.components(PATHS).values()) == PATHS[""]
