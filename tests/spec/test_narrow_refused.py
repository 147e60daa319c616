"""Specs of folded and serial cores: what is refused, and why, and what is legal."""

import itertools

import pytest

from roundsmith.base.errors import RoundsmithError
from roundsmith.spec import (
    Architecture,
    KeyChannel,
    KeySboxes,
    KeySchedule,
    KeyStart,
    Linear,
    Sbox,
    Spec,
    StateStorage,
    clear_cycles,
    core_latency_cycles,
    fifo_depth,
    initiation_interval,
)
from tests.support.narrow_parts import BIT, BYTE, FOLDED, LOADED, MEMORY, SATOH, STORED, core, data
from tests.support.spec_parts import BOTH, DECRYPT, HELD, Data


def _full(how: Data, what: Data | None = None, **port: object) -> Data:
    return data(how, what, {"flow": "held", "key_channel": "held", "width": 128, **port})


REFUSED: list[tuple[Data, str]] = [
    (data(SATOH | {"data_bits": None}, BOTH, HELD), "needs data_bits: '32' or '64'"),
    (data(SATOH | {"data_bits": 8}, BOTH, HELD), "needs data_bits: '32' or '64'"),
    (data(BYTE | {"data_bits": 32}), "needs data_bits: '1' or '8'"),
    (data(BYTE | {"state_storage": None}), "needs state_storage"),
    *(
        (data(BYTE | {field: value}), f"so {field} must be left out")
        for field, value in (
            ("rounds", 2),
            ("cuts", ["sub"]),
            ("extra", [1]),
            ("edges", ["out"]),
            ("entry", "batch"),
            ("tiles", 2),
            ("variants", [{}]),
            ("streams", 2),
            ("key_add", "first"),
            ("clear", "reset"),
        )
    ),
    (data(BYTE, None, {"lanes": 2}), "so lanes must be left out"),
    (data(STORED, BOTH, HELD | {"key_slots": 2}), "the full port holds the others"),
    (data(STORED, BOTH | {"bus": "channels32"}, HELD), "bus must be 'none'"),
    (data(BYTE | {"key_schedule": "travelling"}), "takes 'on_the_fly' or 'stored'"),
    # Where the key is.
    (data(SATOH | {"key_start": None}, BOTH, HELD), "key_start says how the next block finds it"),
    (data(FOLDED | {"key_start": "kept"}), "it must be left out"),
    (data(BYTE | {"key_start": "walked"}), "it must be left out"),
    (data(STORED | {"key_start": "walked"}, BOTH, HELD), "it must be left out"),
    (data(BYTE, None, HELD), "the free port takes key_channel 'with_block'"),
    (data(SATOH, BOTH), "key_channel must be 'held'"),
    (data(FOLDED, None, HELD), "takes key_channel 'with_block'"),
    (data(STORED, BOTH), "key_channel must be 'held'"),
    (data(LOADED), "key_channel must be 'held'"),
    (_full(LOADED), "so flow must be 'free'"),
    (data(FOLDED | {"sbox_switch": "three_state"}), "lends to a key_schedule 'stored'"),
    ({"name": "x", "how": {"sbox_switch": "three_state"}}, "sbox_switch 'multiplexer'"),
    # The width of the port.
    (data(BYTE, None, {"width": 128}), "data_bits 8 is as wide as they are: width must be 8"),
    (data(SATOH, BOTH, HELD | {"width": 64}), "width must be 32, not 64"),
    (_full(BYTE, width=8), "width must be 128, not 8"),
    (_full(BYTE, key_channel="with_block"), "key_channel must be 'held'"),
    # Directions.
    (data(SATOH | {"inverse_rounds": None}, BOTH, HELD), "says how its rounds share hardware"),
    (data(BYTE | {"inverse_rounds": "reordered"}), "belongs to a core that decrypts"),
]

NOT_BUILT: list[tuple[Data, str]] = [
    (data(FOLDED | {"state_storage": "dual_port_ram"}), "state_storage 'dual_port_ram'"),
    (data(FOLDED | {"sbox": "block_ram"}), "sbox 'block_ram'"),
    (data(FOLDED | {"linear": "mix_add"}), "linear 'mix_add'"),
    (data(SATOH | {"inverse_rounds": "separate"}, BOTH, HELD), "inverse_rounds 'separate'"),
    (data(STORED | {"inverse_rounds": None}, None, HELD), "directions 'encrypt'"),
    (data(STORED | {"data_bits": 64}, BOTH, HELD), "data_bits '64'"),
    (data(STORED | {"sbox": "table"}, BOTH, HELD), "sbox 'table'"),
    (data(STORED | {"key_sboxes": "own"}, BOTH, HELD), "key_sboxes 'own'"),
    (data(STORED | {"inverse_rounds": "equivalent"}, BOTH, HELD), "inverse_rounds 'equivalent'"),
    (data(LOADED | {"inverse_rounds": "reordered"}, BOTH, HELD), "directions 'encrypt, decrypt'"),
    (data(LOADED | {"state_storage": "dual_port_ram"}, None, HELD), "state_storage"),
    (data(LOADED | {"key_sboxes": "borrowed"}, None, HELD), "key_sboxes 'borrowed'"),
    (data(BYTE | {"key_sboxes": "borrowed"}), "key_sboxes 'borrowed'"),
    (data(BIT | {"key_sboxes": "own"}), "key_sboxes 'own'"),
    (data(BYTE | {"linear": "minimal"}), "linear 'minimal'"),
    (data(BYTE | {"sbox": "block_ram"}), "sbox 'block_ram'"),
    (data(BYTE | {"state_storage": "registers"}), "state_storage 'registers'"),
    (data(BYTE | {"key_schedule": "stored"}), "key_schedule 'stored'"),
    (data(BYTE, {"directions": ["decrypt"]}), "directions 'decrypt'"),
    (data(BYTE | {"inverse_rounds": "equivalent"}, BOTH), "inverse_rounds 'equivalent'"),
    (data(MEMORY | {"inverse_rounds": "reordered"}, BOTH), "directions 'encrypt, decrypt'"),
    (data(MEMORY | {"data_bits": 1}), "data_bits '1'"),
    (data(MEMORY | {"key_sboxes": "own"}), "key_sboxes 'own'"),
    (data(BYTE, {"cipher": "serpent"}), "data_bits '8'"),
    (data(BIT, {"cipher": "serpent"} | DECRYPT), "directions 'decrypt'"),
]


def _label(value: object) -> str:
    return value if isinstance(value, str) else ""


@pytest.mark.parametrize(("data", "reason"), REFUSED, ids=_label)
def test_nonsense_is_refused_with_the_reason(data: Data, reason: str) -> None:
    with pytest.raises(RoundsmithError) as caught:
        Spec.from_data(data)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(("data", "reason"), NOT_BUILT, ids=_label)
def test_what_is_not_built_is_refused_by_name(data: Data, reason: str) -> None:
    with pytest.raises(RoundsmithError) as caught:
        Spec.from_data(data)
    assert reason in str(caught.value)
    assert "is part of the design space but not built yet" in str(caught.value)


def test_ready_made_round_keys_have_no_full_port() -> None:
    spec = core(LOADED, None, HELD)
    assert not spec.has_full
    assert spec.key_port_bits == 44 * 32
    with pytest.raises(RoundsmithError, match="takes all round keys ready made"):
        spec.full()


#: Values of every choice of a narrow core, to try them against each other.
CHOICES: Data = {
    "directions": [("encrypt",), ("decrypt",), ("encrypt", "decrypt")],
    "architecture": [Architecture.FOLDED, Architecture.SERIAL],
    "data_bits": [1, 8, 32, 64],
    "sbox": [Sbox.CELLS, Sbox.BLOCK_RAM],
    "key_sboxes": list(KeySboxes),
    "linear": [Linear.DIRECT, Linear.MINIMAL],
    "key_schedule": list(KeySchedule),
    "key_start": [None, *KeyStart],
    "inverse_rounds": [None, "reordered"],
    "state_storage": list(StateStorage),
}


def test_any_combination_is_legal_or_refused_in_one_sentence() -> None:
    legal = set()
    for values in itertools.product(*CHOICES.values()):
        how = dict(zip(CHOICES, values, strict=True))
        what = {"directions": how.pop("directions")}
        for channel in KeyChannel:
            try:
                spec = core(how, what, {"key_channel": channel})
            except RoundsmithError as error:
                assert str(error).endswith(".")
                assert "\n" not in str(error)
                continue
            legal.add(spec.hash())
            assert spec.port.key_channel is spec.native_channel
            assert spec.how.cuts == ()
            assert Spec.from_toml(spec.to_toml()) == spec
            assert clear_cycles(spec) >= spec.beats
            assert initiation_interval(spec) >= core_latency_cycles(spec) >= spec.beats
            if spec.has_full:
                assert spec.full().native() == spec
                assert spec.full().port.width == 128
                assert fifo_depth(spec.full()) in {1, 2}
                assert clear_cycles(spec.full()) == clear_cycles(spec)
    # 80 with keys on the fly in two or one columns, 3 with stored ones, one with loaded ones, and 6
    # serial ones.
    assert len(legal) == 90
