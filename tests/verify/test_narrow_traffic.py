"""The traffic through the ports of folded and serial cores, and the round keys that one takes."""

from pathlib import Path

import numpy as np
import pytest

from roundsmith import catalogue, export
from roundsmith import spec as formulas
from roundsmith.base.errors import VerificationFailed
from roundsmith.export.vectors import transfers
from roundsmith.reference import aes
from roundsmith.simulate import simulate
from roundsmith.simulate.key_frame import key_frame
from roundsmith.simulate.simulate import Traffic
from roundsmith.spec import cycles_per_block, latency_cycles
from roundsmith.tools import iverilog
from roundsmith.verify import encrypt, verify
from tests.support.narrow_parts import BIT, BYTE, FOLDED, LOADED, LONG, SATOH, core
from tests.support.spec_parts import BOTH, HELD, Data

SEED = 20260

#: One core of each width and key channel, natively and in full, with tags.
DRIVEN = {
    "byte": core(BYTE, None, {"tag_bits": 3}, "driven-byte"),
    "byte-full": core(BYTE, None, {"tag_bits": 3}, "driven-byte").full(),
    "byte-both": core(BYTE | {"inverse_rounds": "reordered"}, BOTH, None, "driven-byte-both"),
    "bit": core(BIT, None, None, "driven-bit"),
    "column": core(FOLDED, None, {"tag_bits": 3}, "driven-column").full(),
    "columns": core(
        SATOH | {"data_bits": 64}, BOTH, HELD | {"tag_bits": 3}, "driven-columns"
    ).full(),
    "loaded": core(LOADED, None, HELD, "driven-loaded"),
    "keys-256": core(SATOH, LONG, HELD, "driven-keys-256").full(),
}
ANY: Data = {"key_bits": [128, 192, 256]}
DRIVEN_LONG = {
    "any-key": core(SATOH, BOTH | ANY, HELD, "driven-any-key").full(),
    "any-key-wide": core(
        SATOH | {"data_bits": 64, "key_sboxes": "own"}, BOTH | ANY, HELD, "driven-any-key-wide"
    ).full(),
    "any-key-beside": core(FOLDED, ANY, {"tag_bits": 3}, "driven-any-key-beside").full(),
    "keys-256-beside": core(
        FOLDED | {"key_sboxes": "borrowed"}, {"key_bits": [256]}, None, "driven-keys-256-beside"
    ).full(),
    "keys-192-beside": core(
        FOLDED | {"key_sboxes": "borrowed"}, {"key_bits": [192]}, None, "driven-keys-192-beside"
    ),
    "any-key-beside-borrowed": core(
        FOLDED | {"key_sboxes": "borrowed"}, ANY, {"tag_bits": 3}, "driven-any-key-beside-borrowed"
    ).full(),
    "keys-256-kept": core(SATOH | {"key_start": "kept"}, LONG, HELD, "driven-keys-256-kept"),
    "any-key-kept": core(
        SATOH | {"key_start": "kept"}, BOTH | ANY, HELD, "driven-any-key-kept"
    ).full(),
    "keys-192": core(SATOH, BOTH | {"key_bits": [192]}, HELD, "driven-keys-192"),
    "keys-192-back": core(
        SATOH | {"inverse_rounds": None},
        {"directions": ["decrypt"], "key_bits": [192]},
        HELD,
        "driven-keys-192-back",
    ).full(),
}


@pytest.mark.parametrize(
    "name", [*DRIVEN, *(pytest.param(name, marks=pytest.mark.long) for name in DRIVEN_LONG)]
)
def test_every_question_is_answered(name: str) -> None:
    spec = (DRIVEN | DRIVEN_LONG)[name]
    answers = verify.check(verify.Bench(spec, name, verify.rtl(spec)), SEED, 200)
    assert answers.blocks > 400
    assert answers.latency_cycles == latency_cycles(spec)
    assert answers.cycles_per_block == cycles_per_block(spec)


@pytest.mark.parametrize(
    ("formula", "sentence"),
    [
        ("latency_cycles", "it, back-to-back blocks with 128-bit keys: block 0 took "),
        ("initiation_interval", "it, back-to-back blocks with 128-bit keys: block "),
        ("clear_cycles", "it, random clears and resets: cycle "),
    ],
)
def test_a_wrong_formula_is_found(
    formula: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = DRIVEN["byte-both"]
    bench = verify.Bench(spec, "it", verify.rtl(spec))
    right = getattr(formulas, formula)
    monkeypatch.setattr(formulas, formula, lambda *a, **k: right(*a, **k) + 1)
    with pytest.raises(VerificationFailed) as caught:
        verify.check(bench, SEED, 200)
    assert str(caught.value).startswith(sentence)


def test_the_slowest_cores_get_fewer_blocks() -> None:
    spec = DRIVEN["byte-both"]
    bench = verify.Bench(spec, "it", verify.rtl(spec))
    limit = verify.LONGEST
    try:
        verify.LONGEST = 50 * 336
        assert verify.check(bench, SEED).blocks < 50 * 4
    finally:
        verify.LONGEST = limit


def test_a_frame_is_sent_beat_by_beat() -> None:
    """A bit a cycle: the vector of the standard comes out right, and one wrong bit is seen."""
    spec = DRIVEN["bit"]
    vector = next(v for v in aes.VECTORS if len(v.key) == 16)
    given = simulate.stimulus(spec, [vector.key], vector.plaintext)
    run = simulate.run(verify.rtl(spec), spec, given, Traffic())
    assert run.message() == vector.ciphertext
    run.results["data"][0, 15] ^= 1
    with pytest.raises(VerificationFailed, match="block 0 is wrong"):
        verify.compare(verify.Bench(spec, "it", Path()), given, run)


def test_round_keys_are_those_of_the_standard() -> None:
    key = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
    spec = core(LOADED, None, HELD)
    given = simulate.stimulus(spec, [key], bytes(16))
    assert given.sent[0].hex().startswith(key.hex() + "a0fafe17")
    assert given.sent[0].hex().endswith("d014f9a8c9ee2589e13f0cc8b6630ca6")
    assert len(given.sent[0]) == 176
    assert np.array_equal(given.key_bits(), [128])


# --- A folder of all round keys -----------------------------------------------------------------


def test_the_exported_bench_sends_all_round_keys(tmp_path: Path) -> None:
    spec = catalogue.find("mcmillan-folded")
    export.write(spec, tmp_path)
    files = [tmp_path / f"{spec.module}.v", tmp_path / f"tb/{spec.module}_tb.v"]
    program = iverilog.build(files, tmp_path / "bench.vvp", top=f"{spec.module}_tb")
    answer = iverilog.run(program, cwd=tmp_path).strip().splitlines()
    assert answer == [f"{len(transfers(spec))} passed, 0 failed"]
    vector = next(v for v in aes.VECTORS if len(v.key) == 16)
    text = (tmp_path / f"{spec.module}.md").read_text()
    assert f"key_i       = 1408'h{key_frame(spec, vector.key).hex()}\n" in text


def test_a_file_goes_through_a_core_of_round_keys(tmp_path: Path) -> None:
    spec = catalogue.find("mcmillan-folded")
    source, sealed = tmp_path / "source", tmp_path / "sealed"
    source.write_bytes(bytes(range(100)))
    encrypt.cipher_file(spec, "00" * 16, source, sealed, progress=lambda *_: None)
    assert sealed.read_bytes() == aes.encrypt(bytes(16), aes.pad(source.read_bytes()))
