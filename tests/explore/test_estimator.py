"""The estimator: it learns from records, says how wrong it is, and is quick."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError
from roundsmith.cli import cli
from roundsmith.explore import estimator, space, structure
from roundsmith.explore import features as features_module
from roundsmith.explore.features import features
from roundsmith.explore.space import Space
from roundsmith.flows import ecp5, targets
from roundsmith.records import records
from roundsmith.spec import Cipher, slots, stage_latencies

pytestmark = pytest.mark.usefixtures("still_records")

OSU = targets.parse("asic:osu018")
ECP5 = targets.parse("ecp5-85k:6")
XCVE = targets.parse("mapped:xcve")

#: What the estimator is held to, in the median, on cores that it has not seen.
AREA, CLOCK = 0.10, 0.15


@pytest.mark.parametrize(
    ("target", "aim", "figure", "most"),
    [
        (OSU, "area", "area_ge", AREA),
        (OSU, "delay", "area_ge", AREA),
        (OSU, "delay", "cycle_ns", CLOCK),
        (ECP5, "", "lut", AREA),
        (ECP5, "", "period", CLOCK),
        (XCVE, "", "lut", AREA),
    ],
)
def test_the_error_on_cores_it_has_not_seen(
    target: targets.Target, aim: str, figure: str, most: float
) -> None:
    error = estimator.model(target, aim).errors()[figure]
    assert error.cores >= 2 * estimator.FEWEST
    assert 0 < error.median <= most
    assert error.median < error.ninety


def test_the_error_is_that_of_the_others() -> None:
    """Foretell each core from all others, by hand, and find about the error that is told."""
    examples = estimator.examples(OSU.name, "delay")
    numbers = [features(example.spec, "delay-cells") for example in examples]
    terms = np.stack([n.terms for n in numbers])
    kind = np.stack([n.kind for n in numbers])
    truth = np.array([example.record.area_ge for example in examples])
    columns = tuple(range(terms.shape[1]))
    told = estimator._fit(terms, kind, truth, columns, {})
    wrong = []
    for out in range(0, len(truth), 4):
        rest = [i for i in range(len(truth)) if i != out]
        fit = estimator._regression(terms[rest], kind[rest], truth[rest], columns, {}, told)
        found = fit.predict(terms[[out]], kind[[out]])[0]
        wrong.append(abs(found / truth[out] - 1))
    assert float(np.median(wrong)) < max(0.1, 3 * told.error.median)


def test_prices_are_not_negative_and_the_sum_is_learnt() -> None:
    """Cores that are a plain sum of parts are foretold exactly, beyond those that were seen."""
    rng = np.random.default_rng(3)
    prices = np.array([1.5, 0.2, 4.0])
    terms = rng.uniform(10, 1000, (40, 3))
    kind = np.zeros((40, 2))
    fit = estimator._regression(terms, kind, terms @ prices, (0, 1, 2), {}, None)
    assert np.allclose(fit.prices, prices, rtol=1e-6)
    more = rng.uniform(1000, 3000, (10, 3))
    assert np.allclose(fit.predict(more, np.zeros((10, 2))), more @ prices, rtol=0.02)


def test_a_price_that_is_expected_counts_where_nothing_else_tells() -> None:
    rng = np.random.default_rng(3)
    terms = rng.uniform(10, 1000, (12, 2))
    # Two terms that always go together: any two prices with the same sum fit.
    both = np.column_stack([terms, terms[:, 1]])
    truth = both @ np.array([1.0, 1.0, 3.0])
    kind = np.zeros((12, 1))
    fit = estimator._regression(both, kind, truth, (0, 1, 2), {1: 1.0}, None)
    assert np.allclose(fit.prices, (1.0, 1.0, 3.0), rtol=1e-3)


def test_many_estimates_are_sane() -> None:
    specs = space.specs(Space(), ECP5)
    found = estimator.estimate(specs, ECP5)
    assert len(found) == len(specs)
    for one in found:
        assert one.lut and one.ff and one.fmax_mhz and one.throughput_mbps
        assert one.lut > 0 and 1 < one.fmax_mhz < 2000


def test_a_model_that_was_kept_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    made = estimator._learn(ECP5, "", Cipher.AES)
    kept = estimator._loaded(json.loads(json.dumps(estimator._dumped(made))))
    assert kept.errors() == made.errors()
    own = features(catalogue.find("iterative-lut4"), "ecp5")
    for name, fit in made.fits.items():
        if name != "period":
            row = (own.terms[None, :], own.kind[None, :])
            assert kept.fits[name].predict(*row) == pytest.approx(fit.predict(*row))


def test_a_model_of_other_columns_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a tool with a choice less has kept is of no use to this one."""
    monkeypatch.setenv("ROUNDSMITH_CACHE", str(tmp_path))
    small, spec = targets.parse("nexus-17k"), catalogue.find("iterative-lut4")
    estimator._model.cache_clear()
    (before,) = estimator.estimate([spec], small)
    monkeypatch.setitem(features_module.KINDS, "other", lambda spec: 0.0)
    estimator._model.cache_clear()
    estimator._features.cache_clear()
    (after,) = estimator.estimate([spec], small)
    estimator._model.cache_clear()
    estimator._features.cache_clear()
    assert after.lut == pytest.approx(before.lut)
    assert len(list((tmp_path / "estimators").iterdir())) == 2


def test_a_target_with_few_records_borrows() -> None:
    spec = catalogue.find("iterative-lut4")
    small = targets.parse("ecp5-25k:6")
    (here,) = estimator.estimate([spec], small)
    (there,) = estimator.estimate([spec], ECP5)
    assert estimator.model(small, "").source == ECP5.name
    assert here.lut == pytest.approx(there.lut, rel=0.2)

    nexus = targets.parse("nexus-17k")
    known = estimator.model(nexus, "")
    assert known.source == ECP5.name and known.shared >= 4
    record = next(e.record for e in estimator.examples(nexus.name, "") if e.spec == spec)
    (told,) = estimator.estimate([spec], nexus)
    assert told.lut == pytest.approx(record.lut, rel=0.2)
    text = CliRunner().invoke(cli.app, ["estimate", spec.name, "--target", nexus.name]).output
    assert f"records of {ECP5.name}, times the ratio in {known.shared} cores" in text


def test_no_core_is_faster_than_the_clock_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = catalogue.find("fastest-ecp5")
    (free,) = estimator.estimate([spec], ECP5)
    assert free.fmax_mhz > 150
    monkeypatch.setitem(ecp5.CLOCK_TREE_MHZ, 6, 100.0)
    (held,) = estimator.estimate([spec], ECP5)
    assert held.throughput_mbps == pytest.approx(128 * 100.0)
    assert held.fmax_mhz == free.fmax_mhz


def test_block_rams_and_cells() -> None:
    spec = catalogue.find("iterative-block-ram")
    (found,) = estimator.estimate([spec], ECP5)
    (known,) = records.current(spec, ECP5)
    assert found.block_ram == known.block_ram
    area, delay = estimator.estimate([catalogue.find("iterative-lut4")], OSU)
    assert (area.aim, delay.aim) == ("area", "delay")
    assert area.area_ge < delay.area_ge and area.cycle_ns is None and delay.cycle_ns > 0


@pytest.mark.parametrize("name", ["iterative-lut4", "best-per-lut-loop", "fastest-ecp5"])
def test_registers_follow_the_cuts(name: str) -> None:
    """What the parts count as registers of the data path is what the masks say."""
    spec = catalogue.find(name)
    found = structure.parts(spec)
    widths = {link.cut: link.bits for link in found.chain if link.cut}
    per_round = sum(widths[cut] for cut in spec.how.cuts)
    edges = 128 * (len(spec.how.extra) + len(spec.how.edges))
    assert found.data == per_round * len(stage_latencies(spec)) + edges
    if not spec.is_pipe:
        assert found.key == 128 * slots(spec)


def test_more_of_everything_is_larger() -> None:
    def area(name: str) -> float:
        return estimator.estimate([catalogue.find(name)], ECP5)[0].lut or 0.0

    assert area("aes128-enc-loop1-lut4-cs") < area("aes128-enc-loop2-lut4-cs")
    assert area("aes128-enc-loop1-lut4-cs") < area("aes128-enc-loop1-table-cs")
    assert area("aes128-enc-pipe-lut4-cs") > 5 * area("aes128-enc-loop1-lut4-cs")


def test_the_command_prints_estimates_and_errors() -> None:
    found = CliRunner().invoke(
        cli.app, ["estimate", "iterative-lut4", "--target", "ecp5-85k", "--json"]
    )
    data = json.loads(found.stdout)
    assert data["estimates"][0]["name"] == "iterative-lut4"
    assert 0 < data["errors"][0]["lut"]["median"] < 1
    text = CliRunner().invoke(cli.app, ["estimate", "--errors", "--target", "asic:osu018"]).output
    assert "area-driven: error on cores it had not seen: GE" in text
    nothing = CliRunner().invoke(cli.app, ["estimate", "--target", "asic:osu018"])
    assert isinstance(nothing.exception, RoundsmithError)


def test_serpent_has_a_model_of_its_own() -> None:
    spec = catalogue.find("serpent-iterative")
    area, delay = estimator.estimate([spec], OSU)
    known = records.current(spec, OSU)
    assert area.area_ge == pytest.approx(known[0].area_ge, rel=0.15)
    assert delay.cycle_ns is not None
    learnt = estimator.model(OSU, "area", Cipher.SERPENT)
    assert learnt.errors()["area_ge"].cores == len(
        estimator.examples(OSU.name, "area", Cipher.SERPENT)
    )


def test_registers_of_serpent_follow_the_cuts() -> None:
    for name in ("serpent-iterative", "serpent-unrolled-8", "serpent256-enc-loop4-min-cfr"):
        spec = catalogue.find(name)
        found = structure.parts(spec)
        assert found.data == 128 * len(spec.how.cuts) * spec.how.rounds
        assert found.key == 256 * slots(spec)


def test_what_was_never_measured_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "measurements", list)
    estimator._model.cache_clear()
    monkeypatch.setattr(estimator, "_digest", lambda: "nothing")
    with pytest.raises(RoundsmithError, match=r"Too little of serpent .* --cipher serpent"):
        estimator.estimate([catalogue.find("serpent-iterative")], ECP5)
