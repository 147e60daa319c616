"""Trials of other flows: what is compared, what is stored, and what the stored ones say."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from roundsmith.base.errors import RoundsmithError, ToolError
from roundsmith.flows import asic, ecp5, xilinx_lut4
from roundsmith.measure import tuning
from roundsmith.measure.tuning import Trial
from roundsmith.measure.tuning_benches import BENCHES, Bench, Found
from roundsmith.report import tuning as report
from roundsmith.spec import Spec

CORES = ("smallest-lut", "satoh-5")


def bench(settings: Mapping[str, str], costs: Mapping[tuple[str, str], float | None]) -> Bench:
    """Return a bench of two variants, of which the larger one counts, with known `costs`."""

    def trials(spec: Spec, variant: str, wanted: Mapping[str, str]) -> Iterator[tuple[str, Found]]:
        for name in wanted:
            cost = costs[spec.name, name]
            yield (
                name,
                ToolError("It broke: /tmp/x") if cost is None else {"x": cost * int(variant)},
            )

    return Bench(
        name="test",
        target="mapped:xcve",
        unit="x",
        cores=CORES,
        settings=settings,
        present=("a", "b"),
        variants=("1", "2"),
        combine=max,
        cost=lambda found: found["x"],
        trials=trials,
    )


COSTS = {
    ("smallest-lut", "a"): 10.0, ("smallest-lut", "b"): 20.0, ("smallest-lut", "c"): 5.0,
    ("smallest-lut", "d"): None,
    ("satoh-5", "a"): 40.0, ("satoh-5", "b"): 20.0, ("satoh-5", "c"): 40.0, ("satoh-5", "d"): 10.0,
}  # fmt: skip
SETTINGS = {name: f"do {name}" for name in "abcd"}


def quiet(_line: str, _done: int, _total: int) -> None:
    pass


def test_ratios_are_to_the_best_of_the_present_flow(tmp_path: Path) -> None:
    known = bench(SETTINGS, COSTS)
    tuning.run(known, quiet, tmp_path / "trials.jsonl")
    trials = tuning.stored(tmp_path / "trials.jsonl")
    assert len(trials) == 16
    assert {t.reason for t in trials if t.cost is None} == {"It broke"}
    found = {ratio.setting: ratio for ratio in tuning.ratios(known, trials)}
    # The present flow costs 20 and 40: 2 x 10 on the one core, 2 x 20 on the other.
    assert found["a"].alone == pytest.approx(2**0.5)
    assert (found["a"].low, found["a"].high, found["a"].joined) == (1.0, 2.0, 1.0)
    assert found["c"].alone == pytest.approx(1.0)
    assert (found["c"].low, found["c"].high) == (0.5, 2.0)
    assert found["c"].joined == pytest.approx(0.5**0.5)
    assert (found["d"].cores, found["d"].alone) == (1, 0.5)
    assert [ratio.setting for ratio in tuning.ratios(known, trials)][-1] == "d"
    assert [name for name, ratio in found.items() if ratio.is_present] == ["a", "b"]
    assert tuning.compared(known, trials) == list(CORES)
    assert tuning.compared(known, [t for t in trials if t.core == "satoh-5"]) == ["satoh-5"]


def test_what_is_tried_is_not_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "trials.jsonl"
    some = {name: SETTINGS[name] for name in "ab"}
    tuning.run(bench(some, COSTS), quiet, path)
    steps = []
    tuning.run(bench(SETTINGS, COSTS), lambda _line, done, total: steps.append((done, total)), path)
    assert len(steps) == 8 and steps[-1] == (16, 16)
    assert len(tuning.stored(path)) == 16
    tuning.run(bench(SETTINGS, COSTS), lambda *_: pytest.fail("tried again"), path)
    changed = SETTINGS | {"c": "do c otherwise"}
    tuning.run(bench(changed, COSTS), quiet, path)
    assert len(tuning.stored(path)) == 20


def test_trials_of_two_designs_are_not_compared(tmp_path: Path) -> None:
    known = bench(SETTINGS, COSTS)
    tuning.run(known, quiet, tmp_path / "trials.jsonl")
    trials = tuning.stored(tmp_path / "trials.jsonl")

    def of_other_rtl(trial: Trial) -> Trial:
        return trial.model_copy(update={"design_hash": "0", "cost": 1.0})

    # A design with which only a part of the present flow was tried does not count yet.
    begun = [of_other_rtl(t) for t in trials if t.setting in {"a", "c"}]
    assert tuning.ratios(known, trials + begun) == tuning.ratios(known, trials)
    whole = [of_other_rtl(t) for t in trials]
    assert {ratio.alone for ratio in tuning.ratios(known, trials + whole)} == {1.0}
    # A setting with other words is another one.
    renamed = replace(known, settings=SETTINGS | {"c": "do c otherwise"})
    assert "c" not in {ratio.setting for ratio in tuning.ratios(renamed, trials)}


def test_a_broken_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "trials.jsonl").write_text('{"bench": 1}\n')
    with pytest.raises(RoundsmithError, match="holds a line that is no trial"):
        tuning.stored(tmp_path / "trials.jsonl")


def test_a_script_that_abc_refuses_leaves_the_others(tmp_path: Path) -> None:
    cells = next(b for b in BENCHES if b.name == "standard cells, area")
    from roundsmith import catalogue

    settings = {"bad": "strash; no_such_command", "written": asic.SCRIPTS["area"]["written"]}
    found = dict(cells.trials(catalogue.find("smallest-ge"), "flat", settings))
    assert isinstance(found["bad"], ToolError)
    assert isinstance(found["written"], dict) and 1000 < found["written"]["ge"] < 2000


@pytest.mark.parametrize("known", BENCHES, ids=lambda bench: bench.name)
def test_the_present_flow_is_among_what_was_tried(known: Bench) -> None:
    """The page compares with the flow in use: a flow that changed has to be tried again."""
    found = tuning.ratios(known, tuning.stored())
    assert {ratio.setting for ratio in found if ratio.is_present} == set(known.present)
    table = report.grid(known).markdown()
    assert all(f"| **{name}** |" in table for name in known.present)


def test_the_benches_take_their_flows_from_the_flows() -> None:
    area, delay, lut4, placed = BENCHES
    for one, scripts in ((area, asic.SCRIPTS["area"]), (delay, asic.SCRIPTS["delay"])):
        assert {name: one.settings[name] for name in one.present} == scripts
    assert {name: lut4.settings[name] for name in lut4.present} == xilinx_lut4.SCRIPTS
    for name in placed.present:
        options, _, aim = placed.settings[name].partition(" @ ")
        assert tuple(options.split()) == ecp5.PLACERS[name]
        assert aim == (str(ecp5.FIRST_TARGET_MHZ) if name == "static" else "+10%")
    assert ecp5.target_mhz(100.0) == 110
