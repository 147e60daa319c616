"""What a mode and a bus add to a core: learnt from records, right in cycles, known to `choose`."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from roundsmith import catalogue, cli, messages, records, synthesize, targets
from roundsmith import spec as formulas
from roundsmith.errors import RoundsmithError
from roundsmith.explore import choose, estimator, space, wrappers
from roundsmith.explore.needs import Needs, figures
from roundsmith.explore.space import BOTH, ENCRYPT
from roundsmith.messages import Message
from roundsmith.spec import Bus, Direction, Mode, Spec, modes

ECP5 = targets.parse("ecp5-85k:6")
BASES = ("iterative-lut4", "saggese-iterative-5")
#: The prices that the records of these tests follow, by column; others are free.
LUTS = {**dict.fromkeys(wrappers.MODES, 90.0), "gcm": 300.0, "axi4_stream": 40.0, "blocks": 0.25}
SLOWEST = 8.0

CORES = catalogue.native()


@pytest.fixture
def invented(own_records: Path) -> Iterator[list[Spec]]:
    """Put records of cores in modes in place of the real ones there, and tell which."""
    made = []
    there = [r for r in records.measurements() if r.target == ECP5.name]
    real = {r.name: r for r in there}
    in_modes = {name for name in real if name.startswith((*BASES, "satoh-1")) and name not in CORES}
    kept = [r for r in records.measurements() if r.target != ECP5.name or r.name not in in_modes]
    file = records.folder() / "measurements.jsonl"
    file.write_text("".join(record.model_dump_json() + "\n" for record in kept))
    for name in BASES:
        base = catalogue.find(name)
        cores = [core for mode in wrappers.MODES for core in space.wrapped([base], mode)]
        cores += space.wrapped([base], Mode.CTR, Bus.AXI4_STREAM)
        for spec in cores:
            more = wrappers.terms(spec) @ np.array([LUTS.get(c, 0.0) for c in wrappers.COLUMNS])
            is_chosen = spec.what.mode is Mode.CTR
            period = max(1000 / real[name].fmax_mhz, SLOWEST)  # type: ignore[operator]
            record = real[name].model_copy(
                update={
                    "name": spec.name,
                    "lut": round(real[name].lut + more),  # type: ignore[operator]
                    "fmax_mhz": 1000 / period,
                    "design_hash": records.design_hash(spec, ECP5) if is_chosen else "old",
                }
            )
            records.append(record)
            made.append(spec)
    records._read.cache_clear()
    yield made


def test_prices_are_found_again(invented: list[Spec]) -> None:
    known = wrappers._learn(ECP5, "")
    assert known.source == ECP5.name and known.cores >= len(invented)
    other = catalogue.find("standaert-loop-ram-gcm")
    wanted = LUTS["gcm"] + LUTS["blocks"] * 128 * modes.depth(other)
    assert known.more(other, "lut") == pytest.approx(wanted, abs=2)
    behind = catalogue.find("iterative-lut4-ctr-axi4-stream")
    alone = catalogue.find("iterative-lut4-ctr")
    more = known.more(behind, "lut") - known.more(alone, "lut")
    assert more == pytest.approx(LUTS["axi4_stream"], abs=2)
    assert known.errors["lut"] < 0.01
    # No core in a mode was ever faster than this.
    assert known.period(alone) == pytest.approx(SLOWEST)


def test_an_estimate_is_that_of_the_core_and_what_is_around_it(invented: list[Spec]) -> None:
    spec = catalogue.find("fastest-ecp5-ctr")
    (whole,), (core,) = (estimator.estimate([s], ECP5) for s in (spec, spec.bare()))
    known = estimator.wrapping(ECP5, "")
    assert whole.lut and core.lut and whole.fmax_mhz
    assert whole.lut == pytest.approx(core.lut + known.more(spec, "lut"))
    # A line is faster by itself than any core in this mode was.
    assert whole.fmax_mhz == pytest.approx(1000 / SLOWEST)
    slow = catalogue.find("iterative-lut4-ctr")
    (late,), (itself,) = (estimator.estimate([s], ECP5) for s in (slow, slow.bare()))
    assert late.fmax_mhz == itself.fmax_mhz


def test_records_of_modes_teach_nothing_of_cores(invented: list[Spec]) -> None:
    names = {example.spec.name for example in estimator.examples(ECP5.name, "")}
    assert set(BASES) <= names
    assert not names & {spec.name for spec in invented}


def test_too_few_records_are_a_sentence(own_records: Path) -> None:
    (records.folder() / "measurements.jsonl").write_text("")
    records._read.cache_clear()
    with pytest.raises(RoundsmithError, match="Too few cores in a mode"):
        wrappers._learn(ECP5, "")


def test_a_core_is_found_for_a_mode(invented: list[Spec]) -> None:
    asked = Needs(target=ECP5, mode=Mode.CTR, bus=Bus.AXI4_STREAM, min_throughput=500.0)
    choice = choose.choose(asked, tries=0)
    assert choice.winner.spec.what.mode is Mode.CTR
    assert choice.winner.spec.what.bus is Bus.AXI4_STREAM
    assert choice.winner.measured and (choice.winner.throughput_mbps or 0) >= 500
    assert "in mode ctr behind axi4-stream" in choose.explanation(choice)
    # A mode that chains its blocks gets the time of one block after the other.
    for mode, cycles in ((Mode.CTR, 10), (Mode.CBC, 51)):
        chained = catalogue.find(f"saggese-iterative-5-{mode!s}")
        there = [r for r in records.measurements() if r.target == ECP5.name]
        record = next(r for r in there if r.name == chained.name)
        found = figures(chained, record, ECP5, Needs(target=ECP5, mode=mode), measured=True)
        clock = found.clock_mhz or 0.0
        assert found.throughput_mbps == pytest.approx(128 * clock / cycles)


def test_a_core_without_a_mode_is_asked_for_without_one(invented: list[Spec]) -> None:
    plain = Needs(target=ECP5)
    assert not any(plain.does(spec) for spec in invented)
    in_ctr = Needs(target=ECP5, mode=Mode.CTR)
    assert [s.name for s in invented if in_ctr.does(s)] == [f"{name}-ctr" for name in BASES]


@pytest.mark.parametrize(
    ("mode", "directions", "wanted"),
    [
        (Mode.NONE, BOTH, BOTH),
        (Mode.CTR, BOTH, ENCRYPT),
        (Mode.GCM, (Direction.DECRYPT,), ENCRYPT),
        (Mode.CBC, (Direction.DECRYPT,), (Direction.DECRYPT,)),
        (Mode.OCB, (Direction.DECRYPT,), BOTH),
        (Mode.XTS, ENCRYPT, ENCRYPT),
    ],
)
def test_what_a_mode_needs_of_the_cipher(
    mode: Mode, directions: tuple[Direction, ...], wanted: tuple[Direction, ...]
) -> None:
    assert modes.of_blocks(mode, directions) == wanted


def test_xts_takes_cores_with_two_key_slots() -> None:
    some = space.specs(space.Space(), ECP5)
    cores = [s for s in some if s.is_stored][:5] + [s for s in some if not s.is_stored][:5]
    found = space.wrapped(cores, Mode.XTS)
    assert len(found) == 10 and all(spec.port.key_slots == 2 for spec in found)
    assert all(catalogue.find(spec.name).hash() == spec.hash() for spec in found)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--bus", "apb"], "add --mode"),
        (["--mode", "cbc", "--feedback"], "leave --feedback out"),
        (["--mode", "ctr2"], "--mode is one of"),
        (["--mode", "ctr", "--bus", "pci"], "--bus is one of"),
    ],
)
def test_what_makes_no_sense_is_refused(options: list[str], sentence: str) -> None:
    told = CliRunner().invoke(cli.app, ["choose", "--target", ECP5.name, *options])
    assert isinstance(told.exception, RoundsmithError) and sentence in str(told.exception)


# --- Cycles -------------------------------------------------------------------------------------


def cycles_per_block(spec: Spec) -> float:
    """Return the cycles a block of text that long messages take, one after the other.

    The difference of two lengths: what a message costs besides its blocks does not count.
    """
    program = messages.build(spec, synthesize.sources(spec))
    key = bytes(min(spec.what.key_bits) // 8 * modes.TRAITS[spec.what.mode].slots)
    size = {Mode.GCM: 12, Mode.OCB: 12, Mode.CCM: 12}.get(spec.what.mode, 16)
    iv = b"" if spec.what.mode in {Mode.ECB, Mode.CBC_MAC, Mode.CMAC} else bytes(size)
    took = []
    for blocks in (32, 64):
        run = messages.run(program, spec, [Message(key, bytes(16 * blocks), iv=iv)] * 4)
        first, last = run.answers[1], run.answers[-1]
        assert first is not None and last is not None
        took.append((last.last - first.last) / 2)
    return (took[1] - took[0]) / 32


@pytest.mark.parametrize(
    "name", ["iterative-lut4-cbc", pytest.param("chodowiec-gaj-ctr", marks=pytest.mark.long)]
)
def test_cycles_are_as_the_formula_says(name: str) -> None:
    spec = catalogue.find(name)
    assert cycles_per_block(spec) == formulas.cycles_per_block(spec)


@pytest.mark.long
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("mode", [m for m in wrappers.MODES if m is not Mode.XTS])
def test_cycles_in_every_mode(base: str, mode: Mode) -> None:
    spec = catalogue.find(base).with_mode(mode)
    # OCB computes what it masks later blocks with while the message runs.
    most = 1.02 if mode is Mode.OCB else 1.0
    assert 1 <= cycles_per_block(spec) / formulas.cycles_per_block(spec) <= most
