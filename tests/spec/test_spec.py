"""The spec: round trips, legality in words, formulas, and the tie between the tool and the RTL."""

import re
from pathlib import Path
from typing import Any

import pyslang
import pytest

from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError
from roundsmith.base.paths import RTL
from roundsmith.design import ciphers, generate
from roundsmith.design.ciphers import aes, values
from roundsmith.records import records
from roundsmith.records.records import Verification
from roundsmith.report import cores
from roundsmith.spec import (
    BUILT,
    COLUMN_CIRCUITS,
    SBOXES,
    Direction,
    Entry,
    KeyChannel,
    Linear,
    Sbox,
    Spec,
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
    naming,
    round_latency,
    slots,
    stage_latencies,
    whole_latency_cycles,
)
from roundsmith.spec.ciphers.aes import CIPHER as AES
from roundsmith.spec.sboxes import MOST_CUTS
from tests.support.spec_parts import BOTH, DECRYPT, HELD, MEMORY, PIPE, STORED, Data, how, make


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
    assert Spec.from_data(data).hash() != Spec.from_data({"name": "x"} | how(sbox="gf16")).hash()


def test_lengths_and_directions_are_sets() -> None:
    one = make({"key_bits": [256, 128], "directions": ["decrypt", "encrypt"]}, HELD,
                inverse_rounds="separate")  # fmt: skip
    other = make({"key_bits": [128, 256], "directions": ["encrypt", "decrypt"]}, HELD,
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
    spec = make(sbox="gf16", cuts=["sbox.0", "sbox.2", "sub", "mix", "round"])
    assert blocks_in_flight(spec) == 5
    assert latency_cycles(spec) == 50
    assert latency_cycles(spec.full()) == 51
    assert cycles_per_block(spec) == 10
    assert clear_cycles(spec) == 5


@pytest.mark.parametrize(
    ("rounds", "key_bits"),
    [(u, bits) for bits, whole in AES.rounds.items() for u in range(1, whole)],
)
def test_a_block_enters_where_whole_laps_remain(rounds: int, key_bits: int) -> None:
    longer = [bits for bits, whole in AES.rounds.items() if whole > rounds]
    spec = make({"key_bits": longer}, rounds=rounds, cuts=["sub", "round"], extra=[1])
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
    # Each register has a block inside.
    assert blocks_in_flight(spec, key_bits) == sum(stages)


def test_a_pipe_takes_a_block_a_cycle_and_short_keys_enter_late() -> None:
    spec = make({"key_bits": [128, 256]}, **PIPE, cuts=["sub", "round"], extra=[2, 7],
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
    pipes = make(port={"lanes": 4}, **PIPE, tiles=4)
    assert cycles_per_block(pipes) == 0.25
    assert blocks_in_flight(pipes) == 40
    assert fifo_depth(pipes.full()) == 12  # of four blocks each
    assert cycles_per_block(make(tiles=10)) == 1
    assert cycles_per_block(make(tiles=3)) == pytest.approx(10 / 3)
    # A block of ten rounds leaves seven rounds before its slot is free again.
    late = make(rounds=7, tiles=2, cuts=["round"])
    assert (slots(late), initiation_interval(late), blocks_in_flight(late)) == (14, 14, 10)


def test_tiles_may_differ() -> None:
    spec = make(
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
        (make(), 0, None),
        (make().full(), 1, None),
        (make({"key_bits": [256]}, **PIPE).full(), 1, None),
        # A walk that has the only slot, one that leaves others, one in a pipe.
        (make(BOTH, HELD, inverse_rounds="reordered"), 11, 12),
        (make(BOTH, HELD, inverse_rounds="reordered", cuts=["sub", "round"]), 2, 22),
        (make(BOTH, HELD, **PIPE, inverse_rounds="reordered", edges=["in", "out"]), 2, 13),
        (make(DECRYPT, HELD, sbox="gf16", cuts=["sbox.1", "sub"]), None, 22),
        (make(DECRYPT | {"key_bits": [256]}, HELD), None, 16),
        # A key step takes the S-boxes and a cycle; encryption may begin early if a round is as
        # long as that.
        (make(BOTH, HELD, **STORED, inverse_rounds="separate"), 3, 13),
        (make(BOTH, HELD, **STORED, inverse_rounds="separate", sbox="block_ram", cuts=[]), 23, 23),
        (make({"key_bits": [192]}, HELD, **STORED, sbox="gf16", cuts=["sbox.0", "sbox.3"]), 39,
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
    spec = make(BOTH, HELD, inverse_rounds="reordered")
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
    assert not cores.describe(make())["simulated"]
    monkeypatch.undo()
    records._read.cache_clear()


def test_stored_keys_are_wiped_address_by_address() -> None:
    assert clear_cycles(make(port=HELD | {"key_slots": 4}, **STORED)) == 16
    assert clear_cycles(make(port=HELD, **PIPE | STORED, clear="reset")) == 1


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
        make(tiles=10, cuts=["sub", "round"]).full(),
        make(tiles=3, cuts=["sub", "mix", "round"], edges=["out"]).full(),
        make(rounds=3, cuts=["sub", "round"]).full(),
        make(rounds=5, cuts=["sub"], edges=["in", "out"], entry="batch").full(),
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


@pytest.mark.parametrize("sbox", SBOXES["aes"])
@pytest.mark.parametrize("inverse", ["separate", "reordered", "equivalent"])
def test_every_cut_that_is_offered_is_legal(sbox: Sbox, inverse: str) -> None:
    if sbox.of("aes").shares_inverse and inverse == "separate":
        pytest.skip("refused")
    offered = legal_cuts(make(BOTH, HELD, sbox=sbox, inverse_rounds=inverse))
    spec = make(BOTH, HELD, sbox=sbox, inverse_rounds=inverse, cuts=offered)
    assert round_latency(spec) == len(offered) + sbox.of("aes").latency


def test_enums_of_the_tool_are_those_of_the_package() -> None:
    text = (RTL / "aes/pkg/rsm_aes_pkg.sv").read_text()
    pairs: list[tuple[str, dict[Any, str]]] = [
        ("sbox_e", {sbox: sbox.of("aes").value for sbox in SBOXES["aes"]}),
        ("linear_e", aes.LINEARS),
        ("key_add_e", aes.KEY_ADDS),
        ("clear_e", values.CLEARS),
        ("arch_e", aes.ARCHITECTURES),
        ("inverse_e", aes.INVERSES),
        ("channel_e", values.CHANNELS),
        ("entry_e", aes.ENTRIES),
    ]
    for enum, mapping in pairs:
        found = re.search(rf"typedef enum [^{{]*{{([^}}]*)}} {enum};", text)
        assert found is not None
        assert set(found[1].replace(",", " ").split()) == set(mapping.values())
    width = re.search(r"SboxCuts = (\d+);", text)
    assert width is not None and int(width[1]) == MOST_CUTS


def test_every_word_of_a_systematic_name_means_one_thing() -> None:
    choices = [naming._WORDS, naming._LATE_WORDS]
    found = [word for words in choices for by_value in words.values() for word in by_value.values()]
    assert len(found) == len(set(found))
    patterns = naming._PATTERNS.values()
    assert not [word for word in found if any(pattern.fullmatch(word) for pattern in patterns)]
    assert not {"pipe", "ch32", "full"} & set(found)


def test_parameters_of_the_tool_are_those_of_the_core() -> None:
    tree = pyslang.syntax.SyntaxTree.fromFile(str(RTL / "aes/rsm_aes.sv"))
    declared = re.findall(r"parameter\s+[\w ]+?\s+(\w+)\s+=", str(tree.root))
    assert declared == list(ciphers.core_parameters(catalogue.find("saggese-iterative")))


@pytest.mark.parametrize("sbox", SBOXES["aes"])
def test_every_built_sbox_has_its_files(sbox: Sbox) -> None:
    assert [path for path in generate.design(make(sbox=sbox)).library if not path.exists()] == []


@pytest.mark.parametrize("linear", sorted(BUILT["linear"]))
@pytest.mark.parametrize("key_add", ["last", "first"])
def test_every_built_linear_layer_has_its_files(linear: Linear, key_add: str) -> None:
    choices = MEMORY if linear is Linear.IN_MEMORY else {"linear": linear}
    if key_add == "first" and linear not in COLUMN_CIRCUITS:
        pytest.skip("takes the key addition into itself")
    spec = make(key_add=key_add, **choices)
    assert [path for path in generate.design(spec).library if not path.exists()] == []


def test_unknown_name_suggests_a_close_one() -> None:
    with pytest.raises(RoundsmithError, match="did you mean 'saggese-iterative'"):
        catalogue.find("sagese-iterative")
