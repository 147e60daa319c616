"""What the spec refuses, in words, and that nothing else is refused without them."""

import itertools
from typing import Any

import pytest

from roundsmith.base.errors import RoundsmithError
from roundsmith.spec import (
    Architecture,
    Clear,
    How,
    Port,
    Spec,
    What,
    clear_cycles,
    core_latency_cycles,
    cycles_per_block,
    fifo_depth,
    slots,
)
from tests.support.spec_parts import BOTH, DECRYPT, HELD, MEMORY, PIPE, STORED, Data, how


def _both(what: Data | None = None, port: Data | None = None, **how: object) -> Data:
    return {"what": BOTH | (what or {}), "port": HELD | (port or {}), "how": how}


def _streams(mode: str, **choices: Any) -> Data:
    """Return five streams of a mode, with choices of any part of the spec."""
    parts = {"what": What, "how": How, "port": Port}
    data: Data = {"what": {"mode": mode}, "how": {"streams": 5}}
    data["port"] = {"flow": "held", "key_channel": "held"}
    for name, value in choices.items():
        (part,) = (part for part, model in parts.items() if name in model.model_fields)
        data[part][name] = value
    return data


def _pipe(port: Data | None = None, **how: object) -> Data:
    return {"how": PIPE | how, "port": port or {}}


def _channels(what: Data | None = None, port: Data | None = None, **how: object) -> Data:
    return {
        "what": {"bus": "channels32"} | (what or {}),
        "port": HELD | (port or {}),
        "how": STORED | how,
    }


REFUSED: list[tuple[Data, str]] = [
    # What the core is made of.
    (how(sbox="osvik"), "is built for serpent"),
    (how(key_sboxes="borrowed"), "cannot borrow them"),
    (how(state_storage="registers"), "state_storage must be left out"),
    (how(data_bits=32), "data_bits must be left out"),
    (how(key_start="kept"), "key_start must be left out"),
    (how(key_schedule="loaded"), "belongs to 'folded'"),
    ({"port": {"width": 32}}, "port has width 128, not 32"),
    ({"what": {"key_bits": []}}, "is empty"),
    ({"what": {"key_bits": [129]}}, "128, 192 or 256"),
    ({"what": {"key_bits": [128, 256, 128]}}, "names the same value twice"),
    ({"what": {"directions": []}}, "is empty"),
    (how(sbox="foo"), "'table', 'mux_tree'"),
    (how(colour="red"), "'how.colour' is not a field of a spec"),
    (how(tiles=2, variants=[{}, {"colour": "red"}]), "known here are 'sbox', 'linear' or 'cuts'"),
    ({"port": {"tag_bits": -1}}, "greater than or equal to 0"),
    # Streams.
    (how(streams=5), "as many as it has blocks in flight, here 1"),
    (_streams("ctr"), "mode 'ctr' keeps the core full with one message, so streams must be left"),
    (_streams("gcm"), "it belongs to a mode that waits for results"),
    (_streams("cbc", directions=["decrypt"]), "mode 'cbc' of a core that only decrypts keeps"),
    (_streams("cbc", bus="apb"), "bus 'apb' brings one message after the other, so streams must"),
    (_streams("cbc", bus="wishbone"), "several have a TID each, with bus 'axi4_stream'"),
    (
        _streams("cbc", bus="axi4_stream", stream_id_bits=3),
        "TID is the number of one of 5 streams and has the 3 bits of that, so stream_id_bits must",
    ),
    (_streams("cbc", bus="axi4_stream", self_test=True), "leave self_test or streams out"),
    (
        _streams("cbc", directions=["encrypt", "decrypt"], inverse_rounds="separate"),
        "key_schedule must be 'stored', not 'on_the_fly'",
    ),
    (
        _streams("cbc", cipher="serpent", sbox="minimal", key_schedule="stored"),
        "each stream has a key, and a core of serpent that decrypts or stores round keys has one",
    ),
    (
        _streams("cbc", key_schedule="stored", key_slots=4),
        "5 streams with key_slots '4' have 20 keys, and a core stores 16 at most",
    ),
    (_streams("cbc", key_slots=2), "each stream has one key, unless the core stores those of"),
    (
        _streams("cbc", architecture="serial", data_bits=8, state_storage="registers"),
        "architecture 'serial' is the small end of the plane, so streams must be left out",
    ),
    # Rounds in hardware.
    (how(rounds=10), "the architecture 'pipe'"),
    ({"what": {"key_bits": [128, 256]}} | how(rounds=10), "the 10 of its shortest key"),
    (_pipe(rounds=2), "rounds must be left out"),
    (how(extra=[2]), "extra names round 2, but there are 1 in hardware"),
    (_pipe(extra=[11]), "extra names round 11, but there are 10"),
    (_pipe(extra=[7, 3]), "in the order in which data passes them"),
    (_pipe(extra=[7, 7]), "names the same value twice"),
    (_pipe(extra=[0]), "greater than or equal to 1"),
    (_pipe(entry="batch"), "leave entry at 'overlap'"),
    (how(entry="batch", rounds=4), "rounds must divide the 10 of the cipher, which 4 does not"),
    ({"what": {"key_bits": [128, 256]}} | how(entry="batch"), "key_bits must name one length"),
    # Registers.
    (how(cuts=[]), "a loop needs a register"),
    (_pipe(cuts=[], edges=["out"]), "a pipe without a register"),
    (how(cuts=["sub", "nowhere"]), "cut 'nowhere' is not a point of a round of aes"),
    (how(cuts=["sbox.0"]), "cut 'sbox.0' is not a point of a round of aes with sbox 'table'"),
    (how(cuts=["round", "sub"]), "in the order in which data passes them"),
    (how(cuts=["sub", "head"]), "in the order in which data passes them"),
    (how(cuts=["sub", "sub"]), "names the same value twice"),
    (_both(sbox="gf16", inverse_rounds="reordered", cuts=["sbox.4"]), "for both directions"),
    (how(rounds=3, cuts=[], extra=[1]), "let rounds divide those of the cipher"),
    (how(edges=["middle"]), "the edges are 'in', 'ring' or 'out'"),
    (how(edges=["out", "out"]), "names the same value twice"),
    (how(edges=["out", "in"], entry="batch"), "'in' first"),
    (how(edges=["in"]), "a loop needs entry 'batch' for it"),
    (how(edges=["ring", "out"], entry="batch", cuts=["head"]), "two registers for one purpose"),
    (how(edges=["ring"], cuts=["head"]), "entry 'batch' to keep the next block out"),
    (how(edges=["ring"], entry="batch"), "a loop with the cut 'head'"),
    (_pipe(edges=["ring"], cuts=["head"]), "needs a loop with the cut 'head'"),
    (how(edges=["ring"], entry="batch", cuts=["head"], key_add="first"), "key_add must be 'last'"),
    (how(edges=["ring"], entry="batch", cuts=["head"], extra=[1]), "another register before it"),
    # The linear layer.
    (how(key_add="first", linear="gated"), "takes the key addition out of the linear layer"),
    (how(key_add="first", linear="mix_add"), "takes the key addition out of the linear layer"),
    (how(key_add="first", cuts=["mix"]), "cut 'mix' is not a point"),
    (how(key_add="first", **STORED) | {"port": HELD}, "key_schedule must be 'on_the_fly'"),
    (_pipe(HELD, key_add="first", **STORED), "key_schedule must be 'travelling'"),
    (how(sbox="table", linear="in_memory", cuts=[]), "sbox must be 'block_ram'"),
    (how(**MEMORY | {"clear": "flush"}), "clear must be 'reset'"),
    (how(**MEMORY, cuts=["round"]), "cut 'round' is not a point"),
    (how(**MEMORY, rounds=2), "one round with the entry of the ring inside it"),
    (how(**MEMORY, extra=[1]), "one round with the entry of the ring inside it"),
    (how(**MEMORY, entry="batch"), "one round with the entry of the ring inside it"),
    (_pipe(**MEMORY, extra=[2]), "a line of memories with a key step beside each"),
    (_pipe(**MEMORY, key_schedule="stored") | {"port": HELD}, "a line of memories"),
    (_pipe(**MEMORY, cuts=["sub"]), "cut 'sub' is not a point"),
    (_pipe(**MEMORY | {"clear": "flush"}), "clear must be 'reset'"),
    (how(**MEMORY, **STORED) | {"port": HELD}, "one round with the entry of the ring inside"),
    ({"what": {"key_bits": [192]}} | how(**MEMORY), "one round with the entry of the ring"),
    (_both(**MEMORY, inverse_rounds="separate"), "one round with the entry of the ring inside it"),
    # Directions.
    (how(inverse_rounds="separate"), "belongs to a core that decrypts"),
    (_both(), "'separate', 'reordered' or 'equivalent', or 'mirrored' with key_add 'first'"),
    (_both(key_add="first"), "inverse_rounds must be 'mirrored'"),
    (_both(key_add="first", inverse_rounds="separate"), "inverse_rounds must be 'mirrored'"),
    (_both(inverse_rounds="mirrored"), "key_add must be 'first'"),
    (_both(sbox="shared_inverse", inverse_rounds="separate"), "would build it twice"),
    (_both(DECRYPT, inverse_rounds="reordered"), "only takes 'equivalent', or none"),
    (_both(DECRYPT, key_add="first"), "takes key_add 'last'"),
    # Keys and the port.
    (how(key_schedule="travelling"), "takes 'on_the_fly' or 'stored'"),
    (how(architecture="pipe"), "use 'travelling' or 'stored'"),
    ({"port": {"key_slots": 2}}, "the full port holds the others: flow must be 'held'"),
    ({"port": HELD | {"key_slots": 17}} | how(**STORED), "less than or equal to 16"),
    ({"port": {"flow": "held"}}, "key_channel must be 'held'"),
    ({"port": HELD}, "needs stored round keys or decryption"),
    (how(**STORED), "key_schedule 'stored' expands a key once"),
    (_both(port={"key_channel": "with_block"}, inverse_rounds="separate"), "found once for many"),
    # Tiles.
    (_pipe(tiles=2), "need lanes '2'"),
    (_pipe({"lanes": 2}), "1 tiles of it need lanes '1', not '2'"),
    ({"port": {"lanes": 2}} | how(tiles=2), "lanes belong to tiles of pipes"),
    (how(tiles=2, entry="batch"), "take entry 'overlap'"),
    (how(tiles=11), "11 tiles take 11 blocks in 10 cycles"),
    ({"what": {"key_bits": [128, 256]}} | how(tiles=2), "tiles of loops keep blocks in order"),
    (how(tiles=2, variants=[{}]), "variants has 1 tables for 2 tiles"),
    (how(tiles=2, variants=[{}, {"cuts": ["sub", "mix"]}]), "tile 2 takes 2 cycles a round"),
    (how(tiles=2, variants=[{}, {"cuts": ["sbox.0"]}]), "cut 'sbox.0' is not a point"),
    (how(tiles=2, variants=[{}, {"linear": "in_memory"}]), "sbox must be 'block_ram'"),
    # The bus.
    (_channels(port={"flow": "held"}), "flow must be 'free'"),
    ({"what": {"bus": "channels32"}}, "a channel for keys, so the core must have one"),
    (_channels(architecture="pipe"), "too slow to fill a pipe, tiles or a batch"),
    (_channels(tiles=2), "too slow to fill a pipe, tiles or a batch"),
    (_channels(entry="batch"), "too slow to fill a pipe, tiles or a batch"),
    (_channels(port={"tag_bits": 1}), "words and a direction and nothing else"),
    (_channels(port={"key_slots": 2}), "words and a direction and nothing else"),
    (_channels({"key_bits": [128, 192]}), "words and a direction and nothing else"),
    ({"what": {"mode": "gcm"}}, "mode 'gcm' stands on the full port of the core"),
    ({"what": {"bus": "apb"}}, "bus 'apb' carries messages, so mode names a mode of operation"),
    (_channels(rounds=5), "takes 29 cycles to bring the 5 blocks that this ring takes in 10"),
]  # fmt: skip

NOT_BUILT = [
    (
        {"what": {"cipher": "serpent"}, "port": {"width": 64}}
        | how(
            architecture="folded",
            data_bits=64,
            cuts=(),
            state_storage="shift_registers",
            key_sboxes="borrowed",
        ),
        "data_bits '64'",
    ),
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


#: Values of every choice, to try them against each other.
CHOICES: Data = {
    "directions": [("encrypt",), ("decrypt",), ("encrypt", "decrypt")],
    "key_bits": [(128,), (128, 256)],
    "architecture": list(Architecture),
    "rounds": [1, 3],
    "sbox": ["table", "block_ram", "shared_inverse"],
    "linear": ["direct", "mix_add", "in_memory"],
    "key_add": ["last", "first"],
    "key_schedule": ["on_the_fly", "stored", "travelling"],
    "inverse_rounds": [None, "separate", "reordered", "mirrored", "equivalent"],
    "entry": ["overlap", "batch"],
    "clear": list(Clear),
}


def test_any_combination_is_legal_or_refused_in_one_sentence() -> None:
    legal = 0
    for values in itertools.product(*CHOICES.values()):
        how = dict(zip(CHOICES, values, strict=True))
        what = {"directions": how.pop("directions"), "key_bits": how.pop("key_bits")}
        stored_or_decrypts = how["key_schedule"] == "stored" or "decrypt" in what["directions"]
        port = HELD if stored_or_decrypts else {}
        try:
            spec = Spec.from_data({"name": "x", "what": what, "how": how, "port": port})
        except RoundsmithError as error:
            assert str(error).endswith(".")
            assert "\n" not in str(error)
            continue
        legal += 1
        assert spec.full().native() == spec
        for key_bits in spec.what.key_bits:
            assert core_latency_cycles(spec, key_bits) >= 1
            assert cycles_per_block(spec, key_bits) >= 1
        assert fifo_depth(spec.full()) >= slots(spec)
        assert clear_cycles(spec) >= 1
    assert legal > 300
