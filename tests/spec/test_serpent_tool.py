"""Serpent as the tool has it: its specs, their limits, its model, and a file through a core."""

import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyserpent import Serpent

from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError, VerificationFailed
from roundsmith.base.paths import RTL
from roundsmith.design import ciphers, floorplan, generate
from roundsmith.design.ciphers import values
from roundsmith.reference import aes, serpent
from roundsmith.simulate import simulate
from roundsmith.spec import (
    SBOXES,
    Direction,
    Spec,
    cipher_rounds,
    clear_cycles,
    core_latency_cycles,
    cycles_per_block,
    idle_wait_cycles,
    initiation_interval,
    key_setup_cycles,
    latency_cycles,
    turn_cycles,
    whole_latency_cycles,
)
from roundsmith.verify import verify
from tests.rtl.serpent.test_serpent import Libgcrypt

SEED = 1998

Data = dict[str, Any]

CORES = [spec for spec in catalogue.native().values() if spec.what.cipher == "serpent"]
BOTH: Data = {"directions": ["encrypt", "decrypt"]}
HELD: Data = {"key_channel": "held"}


def serpent_core(
    what: Data | None = None, port: Data | None = None, name: str = "x", **how: object
) -> Spec:
    choices = {"cuts": ["round"]} | how
    full = {"cipher": "serpent"} | (what or {})
    return Spec.from_data({"name": name, "what": full, "how": choices, "port": port or {}})


# --- Specs ----------------------------------------------------------------------------------


def test_the_catalogue_has_the_family() -> None:
    assert {spec.name for spec in CORES} >= {
        *("lutz-serpent", "lutz-serpent-chip", "serpent-iterative", "serpent-unrolled-8"),
        *("fastest-serpent-ecp5", "smallest-serpent", "serpent-folded", "serpent-folded-both"),
    }


def test_the_chip_has_the_cycles_of_the_paper() -> None:
    """Lutz 2002, Table 1, and 4.2 and 4.3."""
    core, chip = catalogue.find("lutz-serpent"), catalogue.find("lutz-serpent-chip")
    assert (cipher_rounds(core), core.how.rounds, core.what.key_bits) == (32, 4, (256,))
    assert cycles_per_block(core) == cycles_per_block(chip) == 8
    assert latency_cycles(core) == 32 and whole_latency_cycles(chip) == 56
    assert {key_setup_cycles(core, way) for way in Direction} == {21}
    assert turn_cycles(core) == 21 and idle_wait_cycles(core) == 1
    # The words of the key come before.
    assert key_setup_cycles(chip) == 21 + 8
    # A block by itself does not wait for others; two share a batch.
    assert [latency_cycles(chip, batch=blocks) for blocks in (1, 2, 4)] == [41, 45, 53]
    assert turn_cycles(catalogue.find("lutz-rijndael")) == 0


def test_the_cycles_of_rings_and_lines() -> None:
    two = serpent_core(rounds=2, cuts=["sub", "half", "round"], edges=["out"])
    assert (core_latency_cycles(two), cycles_per_block(two)) == (97, 16)
    line = serpent_core(BOTH, HELD, architecture="pipe", key_schedule="stored",
                        inverse_rounds="separate", edges=["in", "out"])  # fmt: skip
    assert (core_latency_cycles(line), cycles_per_block(line)) == (34, 1)
    assert key_setup_cycles(line) == 175
    assert clear_cycles(line) == 33 + 172
    reset = serpent_core(rounds=4, clear="reset", cuts=["sub", "round"])
    assert clear_cycles(reset) == 1


def test_the_cycles_of_the_folded_core() -> None:
    one, both = catalogue.find("serpent-folded"), catalogue.find("serpent-folded-both")
    assert (core_latency_cycles(one), cycles_per_block(one)) == (272, 272)
    assert (core_latency_cycles(both), cycles_per_block(both)) == (264, 264 + 128)
    assert initiation_interval(both, 256, Direction.ENCRYPT, Direction.DECRYPT) == 264
    assert [key_setup_cycles(both, way) for way in Direction] == [12, 140]
    assert clear_cycles(one) == clear_cycles(both) == 8


_ENDS = {"entry": "batch", "rounds": 4}

REFUSED: list[tuple[Data, Data, Data, str]] = [
    ({"sbox": "gf4"}, {}, {}, "sbox 'gf4' is built for aes"),
    ({"sbox": "mux_tree"}, {}, {}, "serpent takes 'table', 'minimal', 'fast' or 'osvik'"),
    ({"linear": "minimal"}, {}, {}, "one linear transformation, so linear must be left out"),
    ({"key_add": "first"}, {}, {}, "so key_add must be left out"),
    ({"rounds": 3}, {}, {}, "does not divide the 32 of serpent"),
    ({"rounds": 32}, {}, {}, "all of them in a line are the architecture 'pipe'"),
    ({"cuts": ["mix"]}, {}, {}, "cut 'mix' is not a point of a round of serpent"),
    ({"cuts": ["sbox.0"]}, {}, {}, "its points are 'sub', 'half' or 'round'"),
    ({"cuts": ["round", "sub"]}, {}, {}, "in the order in which data passes them"),
    ({"cuts": []}, {}, {}, "a loop needs a register"),
    ({}, BOTH, HELD, "has inverse_rounds 'separate'"),
    ({"inverse_rounds": "reordered"}, BOTH, HELD, "has inverse_rounds 'separate'"),
    ({"inverse_rounds": "equivalent"}, {"directions": ["decrypt"]}, HELD, "leaves it out"),
    ({"key_schedule": "stored"}, {}, HELD | {"key_slots": 2}, "the full port holds the others"),
    ({"edges": ["ring"]}, {}, {}, "serpent takes the edge 'out'"),
    ({"edges": ["in"]}, {}, {}, "a loop needs entry 'batch' for it"),
    (
        {"architecture": "folded", "data_bits": 64, "key_sboxes": "borrowed", "cuts": [],
         "state_storage": "shift_registers"},
        {}, {"width": 64}, "data_bits '64' is part of the design space but not built yet",
    ),
    (
        {"architecture": "folded", "data_bits": 32, "key_sboxes": "borrowed", "cuts": [],
         "state_storage": "shift_registers"},
        {"directions": ["decrypt"]}, HELD | {"width": 32}, "so key_start says",
    ),
    ({"architecture": "pipe"}, {}, {}, "use 'travelling' or 'stored'"),
    (_ENDS, {}, {}, "entry 'batch' of serpent is the core of Lutz 2002"),
    (
        _ENDS | {"inverse_rounds": "separate", "cuts": ["sub"]},
        BOTH | {"key_bits": [256]}, HELD, "four rounds with the cut 'round'",
    ),
    (
        {"tiles": 2, "variants": [{}, {"sbox": "gf4"}], "architecture": "pipe",
         "key_schedule": "travelling"},
        {}, {"lanes": 2}, "sbox 'gf4' is built for aes",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("how", "what", "port", "reason"), REFUSED, ids=lambda v: "")
def test_what_means_nothing_is_refused(how: Data, what: Data, port: Data, reason: str) -> None:
    with pytest.raises(RoundsmithError) as caught:
        serpent_core(what, port, **how)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "name",
    ["rsm_serpent", "rsm_serpent_batch", "rsm_serpent_serial_bit", "rsm_serpent_folded"],
)
def test_parameters_are_those_of_the_module(name: str) -> None:
    spec = next(spec for spec in CORES if ciphers.core_module(spec) == name)
    text = next(RTL.rglob(f"{name}.sv")).read_text().partition("\n) (")[0]
    declared = re.findall(r"^  parameter\s+[\w \[\]:]+?\s+(\w+)\s+=", text, re.MULTILINE)
    assert list(ciphers.core_parameters(spec)) == declared


def test_enums_are_those_of_the_package() -> None:
    text = (RTL / "serpent/pkg/rsm_serpent_pkg.sv").read_text()
    for enum, mapping in (
        ("sbox_e", {sbox: sbox.of("serpent").value for sbox in SBOXES["serpent"]}),
        ("clear_e", values.CLEARS),
        ("channel_e", values.CHANNELS),
    ):
        found = re.search(rf"typedef enum [^{{]*{{([^}}]*)}} {enum};", text)
        assert found is not None
        assert set(found[1].replace(",", " ").split()) == set(mapping.values())


def test_serpent_needs_nothing_of_aes() -> None:
    for spec in CORES:
        paths = [path.relative_to(RTL).parts[0] for path in generate.design(spec).library]
        assert set(paths) <= {"serpent", "common", "bus"}, spec.name


# --- The model ------------------------------------------------------------------------------


def many(count: int) -> tuple[list[bytes], np.ndarray, np.ndarray, np.ndarray]:
    """Return keys of all lengths, which of them each row takes, directions, rows of two blocks."""
    rng = np.random.default_rng(SEED)
    keys = [rng.bytes(length) for length in (16, 24, 32) * 4]
    rows = np.frombuffer(rng.bytes(32 * count), "u1").reshape(count, 32)
    return keys, rng.integers(0, len(keys), count), rng.integers(0, 2, count).astype(bool), rows


def test_many_blocks_are_as_single_ones() -> None:
    keys, key, decrypt, rows = many(60)
    answers = serpent.cipher_each(keys, key, decrypt, rows)
    for i, row in enumerate(rows):
        model = Serpent(keys[key[i]])
        one = model.decrypt if decrypt[i] else model.encrypt
        data = row.tobytes()
        assert answers[i].tobytes() == one(data[:16]) + one(data[16:])
    for v in serpent.VECTORS:
        data = np.frombuffer(v.plaintext, "u1").reshape(1, 16)
        got = serpent.cipher_each([v.key], np.zeros(1, int), np.zeros(1, bool), data)
        assert got.tobytes() == v.ciphertext


def test_libgcrypt_agrees_with_many_blocks() -> None:
    cipher, (keys, key, decrypt, rows) = Libgcrypt(), many(2_000)
    answers = serpent.cipher_each(keys, key, decrypt, rows)
    for i, row in enumerate(rows):
        assert answers[i].tobytes() == cipher(keys[key[i]], row.tobytes(), bool(decrypt[i]))


# --- Traffic --------------------------------------------------------------------------------

#: What the catalogue has not: every key length, tiles, keys that travel down a line, and a bus
#: around a ring.
DRIVEN = {
    "tiles": serpent_core(rounds=8, tiles=2, cuts=[], extra=[1], port={"tag_bits": 3}).full(),
    "any-key": serpent_core(
        BOTH | {"key_bits": [128, 192, 256]}, HELD, inverse_rounds="separate", rounds=4,
        cuts=["sub"], clear="reset",
    ),
    "channels": serpent_core(
        BOTH | {"bus": "channels32"}, HELD, rounds=4, inverse_rounds="separate"
    ),
    "bits": serpent_core(
        {"key_bits": [128, 192]}, {"width": 1}, architecture="serial", data_bits=1, cuts=[],
        key_sboxes="borrowed", state_storage="shift_registers",
    ).full(),
}  # fmt: skip
DRIVEN_LONG = {
    "line": serpent_core(
        {"directions": ["decrypt"]}, HELD, architecture="pipe", key_schedule="travelling"
    ),
    "lanes": serpent_core(
        port={"lanes": 2, "tag_bits": 2}, architecture="pipe", key_schedule="travelling", tiles=2,
        sbox="fast",
    ).full(),
    "stored": serpent_core(
        BOTH | {"key_bits": [192, 256]}, HELD, key_schedule="stored", inverse_rounds="separate",
        rounds=2, cuts=["sub", "round"], edges=["out"],
    ).full(),
}  # fmt: skip


@pytest.mark.parametrize(
    "name", [*DRIVEN, *(pytest.param(name, marks=pytest.mark.long) for name in DRIVEN_LONG)]
)
def test_every_question_is_answered(name: str) -> None:
    spec = (DRIVEN | DRIVEN_LONG)[name]
    answers = verify.check(verify.Bench(spec, name, verify.rtl(spec)), SEED, 300)
    assert answers.blocks > 500
    assert answers.latency_cycles == latency_cycles(spec)
    assert answers.cycles_per_block == cycles_per_block(spec)


def independent(key: bytes, data: bytes, decrypt: bool) -> bytes:
    """Return what pyserpent says, and assert that libgcrypt agrees where it is installed."""
    model = Serpent(key)
    one = model.decrypt if decrypt else model.encrypt
    answer = b"".join(one(data[i : i + 16]) for i in range(0, len(data), 16))
    with suppress(pytest.skip.Exception):
        assert Libgcrypt()(key, data, decrypt) == answer
    return answer


def check_against_libraries(spec: Spec, blocks: int) -> None:
    """Send random blocks under a key of every length through the RTL, in every direction."""
    rng = np.random.default_rng(SEED)
    built = verify.rtl(spec)
    for bits in spec.what.key_bits:
        for direction in spec.what.directions:
            decrypt = direction is Direction.DECRYPT
            key, data = rng.bytes(bits // 8), rng.bytes(16 * blocks)
            run = simulate.run(built, spec, simulate.stimulus(spec, [key], data, decrypt=decrypt))
            assert run.message() == independent(key, data, decrypt), (bits, direction)


def test_libraries_agree_with_a_core_of_every_key() -> None:
    check_against_libraries(DRIVEN["any-key"], 10_000)


@pytest.mark.long
@pytest.mark.parametrize("spec", CORES, ids=lambda s: s.name)
def test_libraries_agree_with_every_core(spec: Spec) -> None:
    check_against_libraries(spec, 10_000)


def test_a_core_that_turns_has_its_cycles(monkeypatch: pytest.MonkeyPatch) -> None:
    from roundsmith import spec as formulas

    spec = catalogue.find("lutz-serpent")
    bench = verify.Bench(spec, "it", verify.rtl(spec))
    monkeypatch.setattr(formulas, "turn_cycles", lambda spec: 20)
    with pytest.raises(VerificationFailed, match="it, single decryptions with 256-bit keys"):
        verify.check(bench, SEED, 200)


def test_a_run_compares_with_the_right_cipher() -> None:
    spec = catalogue.find("lutz-serpent")
    vector = next(v for v in serpent.VECTORS if len(v.key) == 32)
    given = simulate.stimulus(spec, [vector.key], vector.plaintext)
    run = simulate.run(verify.rtl(spec), spec, given)
    assert run.message() == vector.ciphertext != aes.encrypt(vector.key, vector.plaintext)
    verify.compare(verify.Bench(spec, "it", Path()), given, run)
    run.results["data"][0, 3] ^= 4
    with pytest.raises(VerificationFailed, match="it: block 0 is wrong"):
        verify.compare(verify.Bench(spec, "it", Path()), given, run)


def test_a_file_goes_there_and_back(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("roundsmith")
    source = Path(__file__)
    key = "000102030405060708090a0b0c0d0e0f" * 2

    def run(*arguments: str | Path) -> str:
        command = [program, "run", "lutz-serpent", "--key", key, *arguments]
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
        return answer.stdout

    assert "lutz-serpent: " in run("--in", source, "--out", tmp_path / "secret")
    secret, message = (tmp_path / "secret").read_bytes(), aes.pad(source.read_bytes())
    model = Serpent(bytes.fromhex(key))
    blocks = [message[i : i + 16] for i in range(0, len(message), 16)]
    assert secret == b"".join(model.encrypt(block) for block in blocks)
    run("--decrypt", "--in", tmp_path / "secret", "--out", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == source.read_bytes()
    assert secret == Libgcrypt()(bytes.fromhex(key), message, False)


# --- Parts ----------------------------------------------------------------------------------


def test_regions_have_their_parts() -> None:
    names = [region.name for region in floorplan.plan(catalogue.find("lutz-serpent"))]
    assert [name for name in names if name.startswith("round")] == [
        f"round_{number}" for number in range(1, 5)
    ]
    assert "keys" in names
    assert {"sub_bytes", "linear", "keys"} <= {
        region.name for region in floorplan.plan(catalogue.find("serpent-iterative"))
    }
