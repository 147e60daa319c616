"""The spec: round trips, legality in words, formulas, and the tie between the tool and the RTL."""

import itertools
import re
from pathlib import Path
from typing import Any

import pyslang
import pytest

from roundsmith import catalogue, generate, records
from roundsmith.errors import RoundsmithError
from roundsmith.paths import RTL
from roundsmith.records import Verification
from roundsmith.report import cores
from roundsmith.spec import (
    BUILT,
    COLUMN_CIRCUITS,
    ROUNDS,
    Architecture,
    Clear,
    Direction,
    Entry,
    How,
    KeyChannel,
    Linear,
    Port,
    Sbox,
    Spec,
    What,
    blocks_in_flight,
    cipher_rounds,
    clear_cycles,
    core_latency_cycles,
    cycles_per_block,
    entry_stage,
    fifo_depth,
    initiation_interval,
    key_setup_cycles,
    latency_cycles,
    legal_cuts,
    round_latency,
    slots,
    stage_latencies,
    whole_latency_cycles,
)

Data = dict[str, Any]


def _how(**choices: object) -> Data:
    return {"how": choices}


def _spec(what: Data | None = None, port: Data | None = None, **how: object) -> Spec:
    return Spec.from_data({"name": "x", "what": what or {}, "how": how, "port": port or {}})


BOTH: Data = {"directions": ["encrypt", "decrypt"]}
DECRYPT: Data = {"directions": ["decrypt"]}
HELD: Data = {"key_channel": "held"}
PIPE: Data = {"architecture": "pipe", "key_schedule": "travelling"}
STORED: Data = {"key_schedule": "stored"}


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


def test_lengths_and_directions_are_sets() -> None:
    one = _spec({"key_bits": [256, 128], "directions": ["decrypt", "encrypt"]}, HELD,
                inverse_rounds="separate")  # fmt: skip
    other = _spec({"key_bits": [128, 256], "directions": ["encrypt", "decrypt"]}, HELD,
                  inverse_rounds="separate")  # fmt: skip
    assert one == other
    assert one.what.key_bits == (128, 256)
    assert one.is_both


def test_a_spec_of_the_first_release_still_loads() -> None:
    text = """
    name = "saggese-iterative"
    paper = "Saggese 2003"
    [what]
    cipher = "aes"
    key_bits = [128]
    directions = ["encrypt"]
    mode = "none"
    bus = "none"
    [how]
    architecture = "loop"
    rounds = 1
    sbox = "block_ram"
    key_sboxes = "own"
    linear = "gated"
    key_add = "last"
    key_schedule = "on_the_fly"
    cuts = []
    edges = ["out"]
    tiles = 1
    streams = 1
    clear = "reset"
    [port]
    width = 128
    flow = "free"
    key_channel = "with_block"
    key_slots = 1
    tag_bits = 4
    """
    assert Spec.from_toml(text) == catalogue.find("saggese-iterative")


# --- The cycles of the papers ---------------------------------------------------------------

#: Core latency, and blocks in a number of cycles, as printed.
PRINTED = {
    "standaert-loop-mux": (52, 5, 52),
    "standaert-loop-ram": (21, 2, 21),
    "standaert-loop-composite": (82, 8, 82),
    "standaert-unrolled-mux": (42, 1, 1),
    "standaert-unrolled-ram": (21, 1, 1),
    "standaert-unrolled-composite": (72, 1, 1),
    "saggese-iterative": (11, 1, 10),
    "saggese-iterative-5": (50, 5, 50),
    "saggese-iterative-5-cbc5": (50, 5, 50),
    "saggese-unrolled-1": (10, 1, 1),
    "saggese-unrolled-5": (51, 1, 1),
    "saggese-tiled-2": (11, 2, 10),
    "saggese-tiled-4": (11, 4, 10),
    "satoh-1": (11, 1, 11),
    "lutz-rijndael": (20, 4, 20),
    "lutz-rijndael-chip": (20, 4, 20),
    "lutz-figure-4": (10, 1, 10),
    "lutz-figure-6": (20, 2, 20),
    "lutz-serpent": (32, 4, 32),
    "lutz-serpent-chip": (32, 4, 32),
}


@pytest.mark.parametrize("name", PRINTED)
def test_the_catalogue_has_the_cycles_of_the_papers(name: str) -> None:
    spec = catalogue.find(name)
    assert spec.paper is not None
    latency, blocks, cycles = PRINTED[name]
    assert core_latency_cycles(spec) == latency
    assert cycles_per_block(spec) == cycles / blocks
    assert slots(spec) == blocks


def test_every_design_of_a_paper_has_its_cycles_checked() -> None:
    # Those of the narrow cores are in test_narrow.
    whole = [s for s in catalogue.native().values() if not s.is_narrow]
    assert {s.name for s in whole if s.paper} == set(PRINTED)


def test_the_overlapped_loops_are_faster() -> None:
    for kind in ("mux", "ram", "composite"):
        batch = catalogue.find(f"standaert-loop-{kind}")
        overlapped = catalogue.find(f"standaert-loop-{kind}-overlapped")
        assert overlapped.how.cuts == batch.how.cuts
        assert cycles_per_block(overlapped) == 10 < cycles_per_block(batch)


def test_lutz_has_the_key_set_up_and_latency_of_the_chip() -> None:
    core = catalogue.find("lutz-rijndael")
    assert key_setup_cycles(core, Direction.ENCRYPT) == 3
    assert key_setup_cycles(core, Direction.DECRYPT) == 23
    assert key_setup_cycles(core) == 23
    chip = catalogue.find("lutz-rijndael-chip")
    assert latency_cycles(chip) == 25
    assert whole_latency_cycles(chip) == 28
    assert key_setup_cycles(chip, Direction.ENCRYPT) == 4 + 3
    assert key_setup_cycles(chip, Direction.DECRYPT) == 4 + 23


def test_a_bus_has_no_full_port() -> None:
    chip = catalogue.find("lutz-rijndael-chip")
    with pytest.raises(RoundsmithError, match="has the bus 'channels32' in place of a block port"):
        chip.full()
    names = [spec.name for spec in catalogue.everything()]
    assert "lutz-rijndael-full" in names
    assert "lutz-rijndael-chip-full" not in names
    natives = catalogue.native().values()
    assert len(names) == len(set(names)) == sum(2 if spec.has_full else 1 for spec in natives)


@pytest.mark.parametrize("spec", catalogue.native().values(), ids=lambda s: s.name)
def test_full_and_native_are_each_others_way_back(spec: Spec) -> None:
    if spec.has_full:
        assert spec.full().full() == spec.full()
        assert spec.full().native() == spec
        assert spec.full().port.key_channel is KeyChannel.HELD


# --- Formulas -------------------------------------------------------------------------------


def test_cuts_make_slots() -> None:
    spec = _spec(sbox="gf16", cuts=["sbox.0", "sbox.2", "sub", "mix", "round"])
    assert blocks_in_flight(spec) == 5
    assert latency_cycles(spec) == 50
    assert latency_cycles(spec.full()) == 51
    assert cycles_per_block(spec) == 10
    assert clear_cycles(spec) == 5


@pytest.mark.parametrize("key_bits", ROUNDS)
@pytest.mark.parametrize("rounds", range(1, 10))
def test_a_block_enters_where_whole_laps_remain(rounds: int, key_bits: int) -> None:
    spec = _spec({"key_bits": [128, 192, 256]}, rounds=rounds, cuts=["sub", "round"], extra=[1])
    stages = stage_latencies(spec)
    assert stages == [3] + [2] * (rounds - 1)
    # Round by round, from the entry on: the last one must be at the end of the ring.
    first = entry_stage(spec, key_bits)
    path = [(first + i) % rounds for i in range(cipher_rounds(spec, key_bits))]
    assert path[-1] == rounds - 1
    assert core_latency_cycles(spec, key_bits) == sum(stages[stage] for stage in path)
    # The slot is free again when it comes round at the entry.
    laps = (len(path) + rounds - 1) // rounds
    assert initiation_interval(spec, key_bits) == laps * sum(stages)
    assert cycles_per_block(spec, key_bits) == laps


def test_a_pipe_takes_a_block_a_cycle_and_short_keys_enter_late() -> None:
    spec = _spec({"key_bits": [128, 256]}, **PIPE, cuts=["sub", "round"], extra=[2, 7],
                 edges=["in", "out"])  # fmt: skip
    assert core_latency_cycles(spec, 256) == 14 * 2 + 2 + 2
    assert core_latency_cycles(spec, 128) == 10 * 2 + 1 + 2
    assert latency_cycles(spec) == 32
    assert latency_cycles(spec.full()) == 33
    assert cycles_per_block(spec) == 1
    assert blocks_in_flight(spec) == 32
    assert fifo_depth(spec.full()) == 34
    assert clear_cycles(spec) == 14 * 2 + 2 + 1


def test_lanes_and_tiles_divide_the_cycles_of_a_block() -> None:
    pipes = _spec(port={"lanes": 4}, **PIPE, tiles=4)
    assert cycles_per_block(pipes) == 0.25
    assert blocks_in_flight(pipes) == 40
    assert fifo_depth(pipes.full()) == 12  # of four blocks each
    assert cycles_per_block(_spec(tiles=10)) == 1
    assert cycles_per_block(_spec(tiles=3)) == pytest.approx(10 / 3)


def test_tiles_may_differ() -> None:
    spec = _spec(
        port={"lanes": 2},
        **PIPE,
        sbox="block_ram",
        linear="gated",
        cuts=["mix"],
        tiles=2,
        variants=[{}, {"sbox": "gf16", "linear": "mix_add", "cuts": ["sbox.3", "mix"]}],
    )
    first, second = spec.tiles()
    assert (first.how.sbox, first.how.linear) == (Sbox.BLOCK_RAM, Linear.GATED)
    assert (second.how.sbox, second.how.cuts) == (Sbox.GF16, ("sbox.3", "mix"))
    for tile in (first, second):
        assert core_latency_cycles(tile) == core_latency_cycles(spec) == 20
        assert Spec.from_data(tile.model_dump()) == tile
    assert Spec.from_toml(spec.to_toml()) == spec


@pytest.mark.parametrize(
    ("spec", "encrypt", "decrypt"),
    [
        (_spec(), 0, None),
        (_spec().full(), 1, None),
        (_spec({"key_bits": [256]}, **PIPE).full(), 1, None),
        # A walk that has the only slot, one that leaves others, one in a pipe.
        (_spec(BOTH, HELD, inverse_rounds="reordered"), 11, 12),
        (_spec(BOTH, HELD, inverse_rounds="reordered", cuts=["sub", "round"]), 2, 22),
        (_spec(BOTH, HELD, **PIPE, inverse_rounds="reordered", edges=["in", "out"]), 2, 13),
        (_spec(DECRYPT, HELD, sbox="gf16", cuts=["sbox.1", "sub"]), None, 22),
        (_spec(DECRYPT | {"key_bits": [256]}, HELD), None, 16),
        # A key step takes the S-boxes and a cycle; encryption may begin early if a round is as
        # long as that.
        (_spec(BOTH, HELD, **STORED, inverse_rounds="separate"), 3, 13),
        (_spec(BOTH, HELD, **STORED, inverse_rounds="separate", sbox="block_ram", cuts=[]), 23, 23),
        (_spec({"key_bits": [192]}, HELD, **STORED, sbox="gf16", cuts=["sbox.0", "sbox.3"]), 39,
         None),
    ],
)  # fmt: skip
def test_key_set_up(spec: Spec, encrypt: int | None, decrypt: int | None) -> None:
    for direction, wanted in ((Direction.ENCRYPT, encrypt), (Direction.DECRYPT, decrypt)):
        if wanted is not None:
            assert key_setup_cycles(spec, direction) == wanted
    row = cores.describe(spec)
    assert (row["key_setup_encrypt_cycles"], row["key_setup_decrypt_cycles"]) == (encrypt, decrypt)
    assert row["key_setup_cycles"] == max(encrypt or 0, decrypt or 0)
    assert not row["simulated"]


def test_a_row_shows_what_the_last_simulation_saw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROUNDSMITH_RECORDS", str(tmp_path))
    records._read.cache_clear()
    spec = _spec(BOTH, HELD, inverse_rounds="reordered")
    seen: Data = {
        "name": spec.name,
        "target": None,
        "blocks": 1,
        "tools": {},
        "latency_cycles": 101,
        "cycles_per_block": 102.5,
        "key_setup_encrypt_cycles": 103,
        "key_setup_decrypt_cycles": 104,
    }
    stale = seen | {"design_hash": "of another design", "latency_cycles": 1}
    records.append(Verification(**seen, design_hash=records.design_hash(spec, None)))
    records.append(Verification(**stale))
    row = cores.describe(spec)
    shown = [key for key in seen if key.endswith(("cycles", "per_block"))]
    assert {key: row[key] for key in shown} == {key: seen[key] for key in shown}
    assert row["key_setup_cycles"] == 104
    assert row["core_latency_cycles"] == 10
    assert row["simulated"]
    assert not row["verified"]
    assert not cores.describe(_spec())["simulated"]
    monkeypatch.undo()
    records._read.cache_clear()


def test_stored_keys_are_wiped_address_by_address() -> None:
    assert clear_cycles(_spec(port=HELD | {"key_slots": 4}, **STORED)) == 16
    assert clear_cycles(_spec(port=HELD, **PIPE | STORED, clear="reset")) == 1


class Ring:
    """A core as its port sees it: tiles of slots that come round, and credits for results."""

    def __init__(self, spec: Spec, depth: int) -> None:
        """Start empty, with room for `depth` results."""
        self.spec, self.credits = spec, depth
        self.size = 1 if spec.is_pipe else slots(spec) // spec.how.tiles
        self.free_at = [[0] * self.size for _ in range(spec.how.tiles)]
        self.batch_at = 0
        self.returns: list[int] = []

    def accepts(self, cycle: int) -> bool:
        """Offer a block; whether it is taken in `cycle`."""
        self.credits += self.returns.count(cycle)
        interval = initiation_interval(self.spec)
        batch = self.spec.how.entry is Entry.BATCH
        if batch and cycle >= self.batch_at + interval:
            self.batch_at = cycle
        for tile in self.free_at:
            slot = cycle % self.size
            free = cycle - self.batch_at < self.size if batch else cycle >= tile[slot]
            if free and self.credits > 0:
                tile[slot] = cycle + interval
                self.credits -= 1
                self.returns.append(cycle + latency_cycles(self.spec) + 1)
                return True
        return False


@pytest.mark.parametrize(
    "spec",
    [
        *(spec for spec in catalogue.everything() if spec.is_full and not spec.has_mode),
        _spec(tiles=10, cuts=["sub", "round"]).full(),
        _spec(tiles=3, cuts=["sub", "mix", "round"], edges=["out"]).full(),
        _spec(rounds=3, cuts=["sub", "round"]).full(),
        _spec(rounds=5, cuts=["sub"], edges=["in", "out"], entry="batch").full(),
    ],
    ids=lambda s: s.name,
)
def test_the_fifo_never_slows_the_core_down(spec: Spec) -> None:
    cycles = range(6 * latency_cycles(spec))
    rich = Ring(spec, 10**6)
    fed = Ring(spec, fifo_depth(spec))
    accepted = [cycle for cycle in cycles if rich.accepts(cycle)]
    assert [cycle for cycle in cycles if fed.accepts(cycle)] == accepted
    group = slots(spec)
    pairs = zip(accepted, accepted[group:], strict=False)
    assert {later - first for first, later in pairs} == {initiation_interval(spec)}


@pytest.mark.parametrize("sbox", Sbox)
@pytest.mark.parametrize("inverse", ["separate", "reordered", "equivalent"])
def test_every_cut_that_is_offered_is_legal(sbox: Sbox, inverse: str) -> None:
    if (sbox, inverse) == (Sbox.SHARED_INVERSE, "separate"):
        pytest.skip("refused")
    offered = legal_cuts(_spec(BOTH, HELD, sbox=sbox, inverse_rounds=inverse))
    spec = _spec(BOTH, HELD, sbox=sbox, inverse_rounds=inverse, cuts=offered)
    assert round_latency(spec) == len(offered) + (sbox is Sbox.BLOCK_RAM)


# --- What is refused ------------------------------------------------------------------------


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


_MEMORY: Data = {"sbox": "block_ram", "linear": "in_memory", "clear": "reset"}

REFUSED: list[tuple[Data, str]] = [
    # What the core is made of.
    (_how(key_sboxes="borrowed"), "cannot borrow them"),
    (_how(state_storage="registers"), "state_storage must be left out"),
    (_how(data_bits=32), "data_bits must be left out"),
    (_how(key_start="kept"), "key_start must be left out"),
    (_how(key_schedule="loaded"), "belongs to 'folded'"),
    ({"port": {"width": 32}}, "port has width 128, not 32"),
    ({"what": {"key_bits": []}}, "is empty"),
    ({"what": {"key_bits": [129]}}, "128, 192 or 256"),
    ({"what": {"key_bits": [128, 256, 128]}}, "names the same value twice"),
    ({"what": {"directions": []}}, "is empty"),
    (_how(sbox="foo"), "'table', 'mux_tree'"),
    (_how(colour="red"), "'how.colour' is not a field of a spec"),
    (_how(tiles=2, variants=[{}, {"colour": "red"}]), "known here are 'sbox', 'linear' or 'cuts'"),
    ({"port": {"tag_bits": -1}}, "greater than or equal to 0"),
    # Streams.
    (_how(streams=5), "as many as it has blocks in flight, here 1"),
    (_streams("ctr"), "mode 'ctr' keeps the core full with one message, so streams must be left"),
    (_streams("gcm"), "it belongs to a mode that waits for results"),
    (_streams("cbc", directions=["decrypt"]), "mode 'cbc' of a core that only decrypts keeps"),
    (_streams("cbc", bus="apb"), "bus 'apb' brings one message after the other, so streams must"),
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
    (
        _streams("cbc", architecture="serial", data_bits=8, state_storage="registers"),
        "architecture 'serial' is the small end of the plane, so streams must be left out",
    ),
    # Rounds in hardware.
    (_how(rounds=10), "the architecture 'pipe'"),
    ({"what": {"key_bits": [128, 256]}} | _how(rounds=10), "the 10 of its shortest key"),
    (_pipe(rounds=2), "rounds must be left out"),
    (_how(extra=[2]), "extra names round 2, but there are 1 in hardware"),
    (_pipe(extra=[11]), "extra names round 11, but there are 10"),
    (_pipe(extra=[7, 3]), "in the order in which data passes them"),
    (_pipe(extra=[7, 7]), "names the same value twice"),
    (_pipe(extra=[0]), "greater than or equal to 1"),
    (_pipe(entry="batch"), "leave entry at 'overlap'"),
    (_how(entry="batch", rounds=4), "rounds must divide the 10 of the cipher, which 4 does not"),
    ({"what": {"key_bits": [128, 256]}} | _how(entry="batch"), "key_bits must name one length"),
    # Registers.
    (_how(cuts=[]), "a loop needs a register"),
    (_pipe(cuts=[], edges=["out"]), "a pipe without a register"),
    (_how(cuts=["sub", "nowhere"]), "cut 'nowhere' is not a point of this round"),
    (_how(cuts=["sbox.0"]), "cut 'sbox.0' is not a point of this round; with sbox 'table'"),
    (_how(cuts=["round", "sub"]), "in the order in which data passes them"),
    (_how(cuts=["sub", "head"]), "in the order in which data passes them"),
    (_how(cuts=["sub", "sub"]), "names the same value twice"),
    (_both(sbox="gf16", inverse_rounds="reordered", cuts=["sbox.4"]), "for both directions"),
    (_how(rounds=3, cuts=[], extra=[1]), "let rounds divide those of the cipher"),
    (_how(edges=["middle"]), "the edges are 'in', 'ring' or 'out'"),
    (_how(edges=["out", "out"]), "names the same value twice"),
    (_how(edges=["out", "in"], entry="batch"), "'in' first"),
    (_how(edges=["in"]), "a loop needs entry 'batch' for it"),
    (_how(edges=["ring", "out"], entry="batch", cuts=["head"]), "two registers for one purpose"),
    (_how(edges=["ring"], cuts=["head"]), "entry 'batch' to keep the next block out"),
    (_how(edges=["ring"], entry="batch"), "a loop with the cut 'head'"),
    (_pipe(edges=["ring"], cuts=["head"]), "needs a loop with the cut 'head'"),
    (_how(edges=["ring"], entry="batch", cuts=["head"], key_add="first"), "key_add must be 'last'"),
    (_how(edges=["ring"], entry="batch", cuts=["head"], extra=[1]), "another register before it"),
    # The linear layer.
    (_how(key_add="first", linear="gated"), "takes the key addition out of the linear layer"),
    (_how(key_add="first", linear="mix_add"), "takes the key addition out of the linear layer"),
    (_how(key_add="first", cuts=["mix"]), "cut 'mix' is not a point"),
    (_how(key_add="first", **STORED) | {"port": HELD}, "key_schedule must be 'on_the_fly'"),
    (_pipe(HELD, key_add="first", **STORED), "key_schedule must be 'travelling'"),
    (_how(sbox="table", linear="in_memory", cuts=[]), "sbox must be 'block_ram'"),
    (_how(**_MEMORY | {"clear": "flush"}), "clear must be 'reset'"),
    (_how(**_MEMORY, cuts=["round"]), "cut 'round' is not a point"),
    (_how(**_MEMORY, rounds=2), "one round with the entry of the ring inside it"),
    (_how(**_MEMORY, extra=[1]), "one round with the entry of the ring inside it"),
    (_how(**_MEMORY, entry="batch"), "one round with the entry of the ring inside it"),
    (_pipe(**_MEMORY, extra=[2]), "a line of memories with a key step beside each"),
    (_pipe(**_MEMORY, key_schedule="stored") | {"port": HELD}, "a line of memories"),
    (_pipe(**_MEMORY, cuts=["sub"]), "cut 'sub' is not a point"),
    (_pipe(**_MEMORY | {"clear": "flush"}), "clear must be 'reset'"),
    (_how(**_MEMORY, **STORED) | {"port": HELD}, "one round with the entry of the ring inside"),
    ({"what": {"key_bits": [192]}} | _how(**_MEMORY), "one round with the entry of the ring"),
    (_both(**_MEMORY, inverse_rounds="separate"), "one round with the entry of the ring inside it"),
    # Directions.
    (_how(inverse_rounds="separate"), "belongs to a core that decrypts"),
    (_both(), "'separate', 'reordered' or 'equivalent', or 'mirrored' with key_add 'first'"),
    (_both(key_add="first"), "inverse_rounds must be 'mirrored'"),
    (_both(key_add="first", inverse_rounds="separate"), "inverse_rounds must be 'mirrored'"),
    (_both(inverse_rounds="mirrored"), "key_add must be 'first'"),
    (_both(sbox="shared_inverse", inverse_rounds="separate"), "would build it twice"),
    (_both(DECRYPT, inverse_rounds="reordered"), "only takes 'equivalent', or none"),
    (_both(DECRYPT, key_add="first"), "takes key_add 'last'"),
    # Keys and the port.
    (_how(key_schedule="travelling"), "takes 'on_the_fly' or 'stored'"),
    (_how(architecture="pipe"), "use 'travelling' or 'stored'"),
    ({"port": {"key_slots": 2}}, "key_schedule must be 'stored'"),
    ({"port": HELD | {"key_slots": 17}} | _how(**STORED), "less than or equal to 16"),
    ({"port": {"flow": "held"}}, "key_channel must be 'held'"),
    ({"port": HELD}, "needs stored round keys or decryption"),
    (_how(**STORED), "key_schedule 'stored' expands a key once"),
    (_both(port={"key_channel": "with_block"}, inverse_rounds="separate"), "found once for many"),
    # Tiles.
    (_pipe(tiles=2), "need lanes '2'"),
    (_pipe({"lanes": 2}), "1 tiles of it need lanes '1', not '2'"),
    ({"port": {"lanes": 2}} | _how(tiles=2), "lanes belong to tiles of pipes"),
    (_how(tiles=2, entry="batch"), "take entry 'overlap'"),
    (_how(tiles=11), "11 tiles take 11 blocks in 10 cycles"),
    ({"what": {"key_bits": [128, 256]}} | _how(tiles=2), "tiles of loops keep blocks in order"),
    (_how(tiles=2, variants=[{}]), "variants has 1 tables for 2 tiles"),
    (_how(tiles=2, variants=[{}, {"cuts": ["sub", "mix"]}]), "tile 2 takes 2 cycles a round"),
    (_how(tiles=2, variants=[{}, {"cuts": ["sbox.0"]}]), "cut 'sbox.0' is not a point"),
    (_how(tiles=2, variants=[{}, {"linear": "in_memory"}]), "sbox must be 'block_ram'"),
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
        | _how(
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


def test_enums_of_the_tool_are_those_of_the_package() -> None:
    text = (RTL / "aes/pkg/rsm_aes_pkg.sv").read_text()
    pairs: list[tuple[str, dict[Any, str]]] = [
        ("sbox_e", generate.SBOXES),
        ("linear_e", generate.LINEARS),
        ("key_add_e", generate.KEY_ADDS),
        ("clear_e", generate.CLEARS),
        ("arch_e", generate.ARCHITECTURES),
        ("inverse_e", generate.INVERSES),
        ("channel_e", generate.CHANNELS),
        ("entry_e", generate.ENTRIES),
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
    assert [path for path in generate.design(_spec(sbox=sbox)).library if not path.exists()] == []


@pytest.mark.parametrize("linear", sorted(BUILT["linear"]))
@pytest.mark.parametrize("key_add", ["last", "first"])
def test_every_built_linear_layer_has_its_files(linear: Linear, key_add: str) -> None:
    choices = _MEMORY if linear is Linear.IN_MEMORY else {"linear": linear}
    if key_add == "first" and linear not in COLUMN_CIRCUITS:
        pytest.skip("takes the key addition into itself")
    spec = _spec(key_add=key_add, **choices)
    assert [path for path in generate.design(spec).library if not path.exists()] == []


def test_unknown_name_suggests_a_close_one() -> None:
    with pytest.raises(RoundsmithError, match="did you mean 'saggese-iterative'"):
        catalogue.find("sagese-iterative")


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
