"""The search for the best pipeline: Algorithm 1 as it is printed, and ours, on a made-up flow."""

import itertools
import json
from collections.abc import Callable, Sequence
from functools import cache

import pytest
from typer.testing import CliRunner

from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError
from roundsmith.cli import cli
from roundsmith.explore import pipeline
from roundsmith.flows import targets
from roundsmith.measure.campaign import Outcome, Pair
from roundsmith.records import records
from roundsmith.records.records import Measurement
from roundsmith.spec import Spec, cycles_per_block, legal_cuts

pytestmark = pytest.mark.usefixtures("still_records")

ECP5 = targets.parse("ecp5-85k:6")
OSU = targets.parse("asic:osu018")
CORE = catalogue.find("aes128-enc-loop1-gf16-mixadd-cs")

Law = Callable[[Spec], tuple[float, float]]


class _Flow:
    """A flow that follows a law: LUTs and MHz of a spec. It notes what it measured."""

    def __init__(self, law: Law) -> None:
        self.law = law
        self.seen: list[tuple[str, ...]] = []

    def __call__(self, specs: Sequence[Spec]) -> list[Outcome]:
        found = []
        for spec in specs:
            self.seen.append(spec.how.cuts)
            lut, clock = self.law(spec)
            record = Measurement(
                name=spec.name,
                target=ECP5.name,
                lut=round(lut),
                ff=1000,
                fmax_mhz=clock,
                fmax_capped_mhz=clock,
                cycles_per_block=cycles_per_block(spec),
                throughput_mbps=128 * clock / cycles_per_block(spec),
                flow="place and route",
                design_hash="",
                tools={},
            )
            found.append(Outcome(Pair(spec, ECP5), [record], "", 1.0))
        return found


def _count(spec: Spec) -> int:
    return len(spec.how.cuts)


@cache
def _most() -> int:
    return _count(pipeline.maximum(CORE, ECP5))


def trap(spec: Spec) -> tuple[float, float]:
    """The estimates, but a register less than the most is bad, and four of them are very good."""
    guess = pipeline._fast([spec], ECP5)[0]
    factor = {_most() - 1: 0.7, 4: 1.4}.get(_count(spec), 1.0)
    return guess.lut or 1.0, (guess.fmax_mhz or 1.0) * factor


def rising(spec: Spec) -> tuple[float, float]:
    """Every register that goes makes it better, down to four of them."""
    return 2000.0, 100.0 - 6.0 * abs(_count(spec) - 4)


def test_algorithm_1_is_as_printed() -> None:
    flow = _Flow(rising)
    path = pipeline.algorithm_1(CORE, ECP5, flow)
    # From the maximum pipeline on, a register less in each step.
    assert path.steps[0].spec == pipeline.maximum(CORE, ECP5)
    for before, after in itertools.pairwise(path.steps):
        assert set(after.cuts) < set(before.cuts) and len(after.cuts) == len(before.cuts) - 1
    # It goes on while the efficiency rises, and the step that ends it is the last.
    efficiencies = [one.efficiency for one in path.steps]
    assert all(a < b for a, b in itertools.pairwise(efficiencies[:-1]))
    assert efficiencies[-1] <= efficiencies[-2]
    assert path.best is path.steps[-2] and _count(path.best.spec) == 4
    # It implements nothing else.
    assert flow.seen == [one.cuts for one in path.steps]


def test_algorithm_1_takes_the_stage_that_costs_the_least_clock() -> None:
    path = pipeline.algorithm_1(CORE, ECP5, _Flow(rising))
    for before, after in itertools.pairwise(path.steps):
        others = [
            pipeline.with_cuts(CORE, [c for c in before.cuts if c != gone]) for gone in before.cuts
        ]
        periods = {
            one.spec.how.cuts: pipeline._period(one)
            for one in pipeline._fast([o for o in others if o is not None], ECP5)
        }
        assert periods[after.cuts] == min(periods.values())


def test_ours_finds_what_the_greedy_one_cannot_reach() -> None:
    printed = pipeline.algorithm_1(CORE, ECP5, _Flow(trap))
    # It stops at the first step that does not pay.
    assert len(printed.steps) == 2 and printed.best is printed.steps[0]
    flow = _Flow(trap)
    ours = pipeline.wider(CORE, ECP5, flow, tries=14, jobs=2)
    assert len(flow.seen) <= 14 and len(set(flow.seen)) == len(flow.seen)
    # How much better depends on estimates, which follow the records.
    assert ours.best.efficiency > printed.best.efficiency
    # What Algorithm 1 has measured is not measured again, and never lost.
    after = _Flow(trap)
    ours_after = pipeline.wider(CORE, ECP5, after, 14, 2, printed.steps)
    assert not {one.cuts for one in printed.steps} & set(after.seen) and len(after.seen) <= 14
    assert ours_after.steps[: len(printed.steps)] == printed.steps
    # Of all sets there are, none is much better than what was found.
    every = [(*trap(spec), cycles_per_block(spec)) for spec in pipeline.pipelines(CORE).values()]
    best = max(1000 * 128 * clock / cycles / lut for lut, clock, cycles in every)
    assert ours.best.efficiency > 0.8 * best
    found = pipeline.Found(CORE, ECP5, printed, ours)
    assert "our search at" in pipeline.verdict(found) and "more" in pipeline.verdict(found)


def test_what_is_shown_is_what_was_measured() -> None:
    found = pipeline.Found(
        CORE,
        ECP5,
        pipeline.algorithm_1(CORE, ECP5, _Flow(rising)),
        pipeline.wider(CORE, ECP5, _Flow(rising), tries=6, jobs=1),
    )
    data = json.loads(json.dumps(pipeline.data(found)))
    for path, grid in zip(data["paths"], pipeline.grids(found), strict=True):
        assert len(path["steps"]) == len(grid.rows)
        for one, row in zip(path["steps"], grid.rows, strict=True):
            assert row[1] == " ".join(one["cuts"])
            assert one["efficiency"] == pytest.approx(
                1000 * one["throughput_mbps"] / one["area"], rel=1e-3
            )
            assert one["ratio"] == pytest.approx(one["area"] / 1000, rel=1e-2)
        assert sum(row[-1] == "best" for row in grid.rows) == 1
    drawing = pipeline.drawing(found)
    assert drawing.startswith("<?xml") and "Algorithm 1" in drawing
    assert drawing == pipeline.drawing(found)


def test_a_search_is_kept_and_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    flow, kept = _Flow(rising), []
    monkeypatch.setattr(records, "append", kept.append)
    monkeypatch.setattr(records, "pipeline_searches", lambda: kept)
    monkeypatch.setattr(records, "current", lambda spec, _: flow([spec])[0].found)
    monkeypatch.setattr(
        pipeline.campaign, "run", lambda pairs, **_: flow([pair.spec for pair in pairs])
    )
    assert pipeline.stored(CORE.name, ECP5) is None
    found = pipeline.search(CORE, ECP5, tries=4, jobs=1, report=lambda *_: None)
    again = pipeline.stored(CORE.name, ECP5)
    assert again is not None
    assert pipeline.data(again) == pipeline.data(found)
    # A core that is not what it was takes the search with it.
    monkeypatch.setattr(records, "current", lambda *_: [])
    assert pipeline.stored(CORE.name, ECP5) is None


def test_every_pipeline_is_legal_and_its_own() -> None:
    found = pipeline.pipelines(CORE)
    points = legal_cuts(CORE)
    # Without a register at all there is no loop.
    assert len(found) == 2 ** len(points) - 1
    assert len({spec.name for spec in found.values()}) == len(found)
    assert all(spec.how.cuts == cuts for cuts, spec in found.items())


def test_a_step_is_read_from_the_netlist_made_for_speed() -> None:
    spec = catalogue.find("iterative-lut4")
    found = [m for m in records.measurements() if (m.name, m.target) == (spec.name, OSU.name)][-2:]
    assert {m.flow.partition("-")[0] for m in found} == {"area", "delay"}
    fast = next(m for m in found if m.flow.startswith("delay"))
    made = pipeline.step(spec, found)
    assert made is not None
    assert (made.area, made.throughput_mbps) == (fast.area_ge, fast.throughput_mbps)
    assert made.efficiency == pytest.approx(fast.mbps_per_kge, rel=1e-3)
    assert made.registers + made.logic == pytest.approx(fast.area_ge, abs=1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("smallest-lut", "--target", "ecp5-85k"), "a pipeline is searched for a loop or a pipe"),
        (("iterative-lut4", "--target", "mapped:xcve"), "tells no clock"),
        (
            ("iterative-lut4", "--target", "asic:osu018", "--plot", "no/such/folder.svg"),
            "is not there; make it",
        ),
    ],
)
def test_what_has_no_pipeline_is_said(words: tuple[str, ...], said: str) -> None:
    found = CliRunner().invoke(cli.app, ["pipeline", *words])
    assert isinstance(found.exception, RoundsmithError) and said in str(found.exception)
