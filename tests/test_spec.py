"""The spec: round trips, legality in words, and the tie between the tool and the RTL."""

import re

import pyslang
import pytest

from roundsmith import catalogue, generate
from roundsmith.errors import RoundsmithError
from roundsmith.paths import RTL
from roundsmith.spec import (
    BUILT,
    COLUMN_CIRCUITS,
    Linear,
    Sbox,
    Spec,
    blocks_in_flight,
    clear_cycles,
    core_latency_cycles,
    cycles_per_block,
    latency_cycles,
)


@pytest.mark.parametrize("spec", catalogue.everything(), ids=lambda s: s.name)
def test_toml_round_trip(spec: Spec) -> None:
    again = Spec.from_toml(spec.to_toml())
    assert again == spec
    assert again.hash() == spec.hash()


def test_hash_follows_the_hardware_only() -> None:
    spec = catalogue.find("saggese-iterative")
    renamed = spec.model_copy(update={"name": "another", "paper": None})
    assert renamed.hash() == spec.hash()
    assert spec.full().hash() != spec.hash()
    assert spec.full().native() == spec


def test_hash_is_stable() -> None:
    # A changed hash means that old records no longer belong to the same spec.
    data = {"name": "x", "how": {"sbox": "table"}}
    assert Spec.from_data(data).hash() == Spec.from_data(data).hash()
    assert Spec.from_data(data).hash() != Spec.from_data({"name": "x"} | _how(sbox="gf16")).hash()


def _how(**choices: object) -> dict[str, object]:
    return {"how": choices}


def test_saggese_has_the_cycles_of_the_paper() -> None:
    spec = catalogue.find("saggese-iterative")
    assert latency_cycles(spec) == 11
    assert cycles_per_block(spec) == 10
    assert blocks_in_flight(spec) == 1
    assert latency_cycles(spec.full()) == 12
    assert core_latency_cycles(spec.full()) == 11


def test_cuts_make_slots() -> None:
    spec = Spec.from_data(
        {"name": "x"} | _how(sbox="gf16", cuts=["sbox.0", "sbox.2", "sub", "mix", "round"])
    )
    assert blocks_in_flight(spec) == 5
    assert latency_cycles(spec) == 50
    assert cycles_per_block(spec) == 10
    assert clear_cycles(spec) == 5


REFUSED = [
    (_how(cuts=[]), "a loop needs a register"),
    (_how(cuts=["sub", "nowhere"]), "cut 'nowhere' is not a point of this round"),
    (_how(cuts=["sbox.0"]), "cut 'sbox.0' is not a point of this round; with sbox 'table'"),
    (_how(cuts=["round", "sub"]), "in the order in which data passes them"),
    (_how(cuts=["sub", "sub"]), "names the same value twice"),
    (_how(edges=["in"]), "the one edge is 'out'"),
    (_how(key_add="first", linear="gated"), "takes the key addition out of the linear layer"),
    (_how(key_add="first", linear="mix_add"), "takes the key addition out of the linear layer"),
    (_how(key_add="first", cuts=["mix"]), "cut 'mix' is not a point"),
    (_how(sbox="table", linear="in_memory", cuts=[]), "sbox must be 'block_ram'"),
    (_how(key_sboxes="borrowed"), "cannot borrow them"),
    (_how(state_storage="registers"), "state_storage must be left out"),
    (_how(rounds=10), "the architecture 'pipe'"),
    (_how(inverse_rounds="separate"), "belongs to a core that decrypts"),
    (_how(key_schedule="travelling"), "takes 'on_the_fly' or 'stored'"),
    (_how(architecture="folded"), "needs state_storage"),
    ({"port": {"width": 32}}, "port has width 128, not 32"),
    ({"port": {"flow": "held"}}, "key_channel must be 'held'"),
    ({"port": {"key_channel": "held"}}, "needs stored round keys"),
    ({"what": {"key_bits": []}}, "is empty"),
    ({"what": {"key_bits": [129]}}, "128, 192 or 256"),
    (_how(sbox="foo"), "'table', 'mux_tree'"),
    (_how(colour="red"), "'how.colour' is not a field of a spec"),
    ({"port": {"tag_bits": -1}}, "greater than or equal to 0"),
]

NOT_BUILT = [
    ({"what": {"cipher": "serpent"}}, "cipher 'serpent'"),
    ({"what": {"key_bits": [256]}}, "key_bits '256'"),
    ({"what": {"directions": ["encrypt", "decrypt"]}}, "directions 'encrypt, decrypt'"),
    ({"what": {"mode": "gcm"}}, "mode 'gcm'"),
    ({"what": {"bus": "apb"}}, "bus 'apb'"),
    (_how(architecture="pipe"), "architecture 'pipe'"),
    (_how(rounds=2), "rounds '2'"),
    (_how(sbox="shared_inverse"), "sbox 'shared_inverse'"),
    (_how(key_schedule="stored"), "key_schedule 'stored'"),
    (_how(tiles=2), "tiles '2'"),
    (_how(streams=5), "streams '5'"),
    ({"port": {"key_slots": 2}}, "key_slots '2'"),
]


@pytest.mark.parametrize(("data", "reason"), REFUSED, ids=lambda v: v if isinstance(v, str) else "")
def test_nonsense_is_refused_with_the_reason(data: dict[str, object], reason: str) -> None:
    with pytest.raises(RoundsmithError) as caught:
        Spec.from_data({"name": "x"} | data)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "reason"), NOT_BUILT, ids=lambda v: v if isinstance(v, str) else ""
)
def test_what_is_not_built_is_refused_by_name(data: dict[str, object], reason: str) -> None:
    with pytest.raises(RoundsmithError) as caught:
        Spec.from_data({"name": "x"} | data)
    assert f"{reason} is part of the design space but not built yet" in str(caught.value)


@pytest.mark.parametrize("name", ["", "Upper", "two words", "-x", "a--b", "../x", "1st"])
def test_bad_names_are_refused(name: str) -> None:
    with pytest.raises(RoundsmithError):
        Spec.from_data({"name": name})


def test_broken_toml_is_one_sentence() -> None:
    with pytest.raises(RoundsmithError, match="is not TOML"):
        Spec.from_toml("name = ", "x.toml")


def test_enums_of_the_tool_are_those_of_the_package() -> None:
    text = (RTL / "aes/pkg/rsm_aes_pkg.sv").read_text()
    pairs = [
        ("sbox_e", generate.SBOXES),
        ("linear_e", generate.LINEARS),
        ("key_add_e", generate.KEY_ADDS),
        ("clear_e", generate.CLEARS),
        ("arch_e", generate.ARCHITECTURES),
    ]
    for enum, mapping in pairs:
        found = re.search(rf"typedef enum [^{{]*{{([^}}]*)}} {enum};", text)
        assert found is not None
        assert set(found[1].replace(",", " ").split()) == set(mapping.values())
    width = re.search(r"SboxCuts = (\d+);", text)
    assert width is not None and int(width[1]) == generate.SBOX_CUT_BITS


def test_parameters_of_the_tool_are_those_of_the_core() -> None:
    tree = pyslang.syntax.SyntaxTree.fromFile(str(RTL / "aes/rsm_aes.sv"))
    declared = re.findall(r"parameter\s+[\w ]+?\s+(\w+)\s+=", str(tree.root))
    assert declared == list(generate.core_parameters(catalogue.find("saggese-iterative")))


@pytest.mark.parametrize("sbox", sorted(BUILT["sbox"]))
def test_every_built_sbox_has_its_files(sbox: Sbox) -> None:
    spec = Spec.from_data({"name": "x"} | _how(sbox=sbox))
    assert [path for path in generate.design(spec).library if not path.exists()] == []


@pytest.mark.parametrize("linear", sorted(BUILT["linear"]))
@pytest.mark.parametrize("key_add", ["last", "first"])
def test_every_built_linear_layer_has_its_files(linear: Linear, key_add: str) -> None:
    in_memory = linear is Linear.IN_MEMORY
    choices = {"sbox": "block_ram", "clear": "reset"} if in_memory else {}
    if key_add == "first" and linear not in COLUMN_CIRCUITS:
        pytest.skip("takes the key addition into itself")
    spec = Spec.from_data({"name": "x"} | _how(linear=linear, key_add=key_add, **choices))
    assert [path for path in generate.design(spec).library if not path.exists()] == []


def test_unknown_name_suggests_a_close_one() -> None:
    with pytest.raises(RoundsmithError, match="did you mean 'saggese-iterative'"):
        catalogue.find("sagese-iterative")
