"""Requirements in, the right core out: some twenty sets of them, and what cannot be met."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError
from roundsmith.cli import cli
from roundsmith.explore import choose, estimator, needs
from roundsmith.explore.choose import Choice
from roundsmith.explore.needs import Figures, Needs, figures, quantity
from roundsmith.explore.space import BOTH
from roundsmith.flows import targets
from roundsmith.records import index, records
from roundsmith.spec import Cipher, Spec, naming
from roundsmith.verify import verify

pytestmark = pytest.mark.usefixtures("still_records")

OSU, ECP5 = "asic:osu018", "ecp5-85k:6"

#: What each set asks for: target, and what differs from AES-128 encryption of least area.
SETS = [
    (OSU, {}),
    (OSU, {"directions": BOTH}),
    (OSU, {"min_throughput": 100.0}),
    (OSU, {"min_throughput": 1_000.0}),
    (OSU, {"directions": BOTH, "min_throughput": 50.0}),
    (OSU, {"directions": BOTH, "min_throughput": 400.0}),
    (OSU, {"max_area": 9_000.0, "minimise": "latency"}),
    (OSU, {"directions": BOTH, "max_area": 16_000.0, "minimise": "latency"}),
    (OSU, {"minimise": "area-delay", "max_area": 20_000.0}),
    (OSU, {"feedback": True, "min_throughput": 800.0}),
    (OSU, {"min_clock": 200.0}),
    (OSU, {"max_latency": 100.0}),
    (ECP5, {}),
    (ECP5, {"directions": BOTH}),
    (ECP5, {"max_memory": 0, "min_throughput": 500.0}),
    (ECP5, {"min_throughput": 1_000.0}),
    (ECP5, {"min_throughput": 15_000.0}),
    (ECP5, {"feedback": True, "streams": 4, "min_throughput": 300.0}),
    (ECP5, {"minimise": "memory", "min_throughput": 200.0}),
    (ECP5, {"minimise": "latency", "max_area": 4_000.0}),
    (OSU, {"cipher": Cipher.SERPENT}),
    (OSU, {"cipher": Cipher.SERPENT, "key_bits": (256,), "min_throughput": 1_000.0}),
    (OSU, {"cipher": Cipher.SERPENT, "directions": BOTH, "min_throughput": 50.0}),
]


def of(target: str, **asked: object) -> Needs:
    return Needs(target=targets.parse(target), **asked)


def measured(asked: Needs) -> list[Figures]:
    """Return what counts of every core that was measured and does what is asked."""
    with index.opened() as database:
        there = database.results([asked.target.name])
    found = [r for r in there if asked.does(r.spec) and not r.spec.is_full]
    # A core that does more than is asked may stand in for one that does less.
    return [figures(r.spec, r.record, asked.target, asked, measured=True) for r in found]


def answer(asked: Needs) -> Choice:
    """Return the answer from the records alone: nothing is measured."""
    return choose.choose(asked, tries=0)


@pytest.mark.parametrize(("target", "asked"), SETS, ids=lambda value: str(value)[:60])
def test_an_answer_is_legal_meets_all_and_is_on_the_front(
    target: str, asked: dict[str, object]
) -> None:
    wanted = of(target, **asked)
    choice = answer(wanted)
    winner = choice.winner
    spec = winner.spec

    # Legal: the rules take it again, and it does what is asked.
    assert Spec.from_data(spec.model_dump(mode="json")) == spec
    assert wanted.does(spec)

    # Measured: its figures are those of a record that is true of it as it is.
    assert winner.measured
    assert winner.source in records.current(spec, wanted.target)

    # Verified, as it is, by simulation against the independent model.
    assert records.simulated(spec) is not None

    # It meets what is asked, and nothing that was measured does so at less cost.
    met = [o for o in measured(wanted) if all(x.met(o) for x in wanted.limits().values())]
    assert any(o.spec == spec for o in met)
    assert wanted.cost(winner) == min(wanted.cost(one) for one in met)

    # On the front: no measured core is as good in every figure that was asked about, and better.
    def counts(one: Figures) -> tuple[float, ...]:
        return wanted.cost(one)

    ours = counts(winner)
    for other in met:
        theirs = counts(other)
        beaten = all(a <= b for a, b in zip(theirs, ours, strict=True)) and theirs != ours
        assert not beaten, (other.spec.name, theirs, ours)


@pytest.mark.long
def test_every_answer_is_right_as_the_netlist() -> None:
    answers = {(answer(of(target, **asked)).winner.spec, target) for target, asked in SETS}
    for spec, target in sorted(answers, key=lambda pair: (pair[0].name, pair[1])):
        assert verify.verify(spec, targets.parse(target), seed=7)


def test_the_answer_says_why_it_won() -> None:
    asked = of(OSU, min_throughput=100.0)
    choice = answer(asked)
    text = choose.explanation(choice)
    assert f"| `{choice.winner.spec.name}` |" in text and "| measured |" in text
    assert "What each requirement cost:" in text and "--min-throughput" in text
    (price,) = choice.prices
    free = answer(of(OSU)).winner
    # Without the requirement the smallest of all would do, or one that is only estimated.
    assert asked.cost(price.figures)[0] <= asked.cost(free)[0]
    assert price.share == pytest.approx(
        asked.cost(choice.winner)[0] / asked.cost(price.figures)[0] - 1
    )
    assert choose.price_line(price, choice) in text


@pytest.mark.parametrize("target", [OSU, ECP5])
def test_every_candidate_is_estimated(target: str) -> None:
    asked = of(target, directions=BOTH)
    cores = choose.candidates(asked)
    found = estimator.estimate(cores, asked.target)
    assert len({spec.name for spec in cores}) == len(cores) > 500
    for aim in estimator.aims(asked.target):
        assert {e.spec for e in found if e.aim == aim} == set(cores)


class _Flow:
    """A flow whose figures are the estimates times a factor, for the rules alone."""

    def __init__(self, clock: float) -> None:
        self.clock = clock
        self.asked: list[str] = []

    def run(self, pairs: list, *, jobs: int, report: object) -> list:
        from roundsmith.measure.campaign import Outcome
        from roundsmith.records.records import Measurement

        found = []
        for pair in pairs:
            self.asked.append(pair.spec.name)
            (guess,) = estimator.estimate([pair.spec], pair.target)
            record = Measurement(
                name=pair.spec.name,
                target=pair.target.name,
                lut=round(guess.lut),
                ff=round(guess.ff),
                block_ram=guess.block_ram,
                fmax_mhz=guess.fmax_mhz * self.clock,
                cycles_per_block=1.0,
                flow="place and route",
                design_hash="",
                tools={},
            )
            found.append(Outcome(pair, [record], "", 1.0))
        return found


@pytest.mark.parametrize("clock", [1.0, 0.8])
def test_what_is_measured_corrects_the_estimates(
    clock: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a target without records, the winner is measured, meets all, and few were tried."""
    flow = _Flow(clock)
    monkeypatch.setattr(choose.campaign, "run", flow.run)
    asked = of("ecp5-45k:6", directions=BOTH, min_throughput=900.0)
    choice = choose.choose(asked, tries=6)
    assert choice.winner.spec.name in flow.asked and len(flow.asked) <= 6
    assert choice.winner.throughput_mbps >= 900.0
    # Nothing that was tried and meets it is smaller.
    assert choice.winner.measured
    if clock == 1.0:
        # Estimates that are right need no more than a look at the best.
        assert len(flow.asked) <= 2


def test_a_core_that_cannot_be_measured_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    flow = _Flow(1.0)
    failed: list[str] = []

    def run(pairs: list, *, jobs: int, report: object) -> list:
        from roundsmith.measure.campaign import Outcome

        if not failed:
            failed.append(pairs[0].spec.name)
            return [Outcome(pair, [], "it does not route", 1.0) for pair in pairs]
        return flow.run(pairs, jobs=jobs, report=report)

    monkeypatch.setattr(choose.campaign, "run", run)
    choice = choose.choose(of("ecp5-45k:6", min_throughput=900.0), tries=4)
    assert choice.winner.spec.name not in failed


# --- What cannot be met -------------------------------------------------------------------------


def test_what_is_out_of_reach_names_the_best_there_is() -> None:
    with pytest.raises(RoundsmithError) as problem:
        choose.choose(of("ecp5-25k:6", directions=BOTH, min_throughput=500_000.0))
    text = str(problem.value)
    assert "Nothing on ecp5-25k:6 meets --min-throughput 500.0 Gbit/s" in text
    assert "the nearest is aes128-both-" in text and "Gbit/s (estimated)" in text
    assert "times too little." in text and text.count(". ") == 0


@pytest.mark.parametrize(
    ("asked", "option"),
    [
        ({"max_area": 300.0, "min_throughput": 2_000.0}, "--m"),
        ({"max_latency": 0.5}, "--max-latency"),
        ({"min_clock": 3_000.0}, "--min-clock"),
        ({"max_area": 20.0}, "--max-area"),
    ],
)
def test_the_requirement_that_fails_is_named(asked: dict[str, object], option: str) -> None:
    with pytest.raises(RoundsmithError, match="the nearest is") as problem:
        answer(of(ECP5, **asked))
    assert f"meets {option}" in str(problem.value)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--min-throughput", "fast"), "--min-throughput 'fast' is no throughput"),
        (("--min-throughput", "-5"), "is no throughput"),
        (("--min-clock", "5 parsec"), "is no clock"),
        (("--minimise", "beauty"), "--minimise is area, memory, latency, area-delay"),
        (("--streams", "3"), "--streams belongs to --feedback"),
        (("--keys", "100"), "--keys is 128"),
        (("--min-throughput", "500"), "write a number above 0 and its unit"),
        (("-o", "no/such/folder/core.toml"), "is not there; make it"),
    ],
)
def test_what_is_no_requirement_is_said(words: tuple[str, ...], said: str) -> None:
    found = CliRunner().invoke(cli.app, ["choose", "--target", "ecp5-85k", "--tries", "0", *words])
    assert isinstance(found.exception, RoundsmithError) and said in str(found.exception)


def test_without_a_try_what_could_be_measured_is_said() -> None:
    """Estimates say that a core is fast enough, but none that was measured is."""
    said = r"^Nothing of what was measured on ecp5-85k:6 meets .* `--tries 4` measures the best few"
    with pytest.raises(RoundsmithError, match=said):
        answer(of("ecp5-85k:6", min_throughput=50_000.0))


def test_a_mapped_target_has_no_clock_to_ask_for() -> None:
    with pytest.raises(RoundsmithError, match="tells no clock"):
        answer(of("mapped:xcve", min_clock=100.0))


@pytest.mark.parametrize(
    ("kind", "written", "value"),
    [
        ("throughput", "500Mbps", 500.0),
        ("throughput", "1.5 Gbit/s", 1500.0),
        ("clock", "0.1GHz", 100.0),
        ("area", "5,000", 5000.0),
        ("area", "12 kGE", 12000.0),
        ("latency", "2us", 2000.0),
    ],
)
def test_quantities(kind: str, written: str, value: float) -> None:
    assert quantity("--x", kind, written) == pytest.approx(value)


# --- Figures ------------------------------------------------------------------------------------


def test_feedback_waits_for_results() -> None:
    spec = catalogue.find("best-per-lut-loop")
    record = next(
        m for m in reversed(records.measurements()) if (m.name, m.target) == (spec.name, ECP5)
    )
    target = targets.parse(ECP5)
    free = figures(spec, record, target, of(ECP5), measured=True)
    alone = figures(spec, record, target, of(ECP5, feedback=True), measured=True)
    many = figures(spec, record, target, of(ECP5, feedback=True, streams=64), measured=True)
    assert alone.throughput_mbps < free.throughput_mbps == many.throughput_mbps
    assert alone.throughput_mbps == pytest.approx(128e3 / alone.latency_ns)


def test_block_rams_count_in_the_area() -> None:
    spec = catalogue.find("iterative-block-ram")
    record = next(
        m for m in reversed(records.measurements()) if (m.name, m.target) == (spec.name, ECP5)
    )
    found = figures(spec, record, targets.parse(ECP5), of(ECP5), measured=True)
    assert found.memory == record.block_ram > 0
    assert found.area == record.lut + needs.LUTS_OF_A_RAM * record.block_ram


# --- The commands -------------------------------------------------------------------------------


def test_choose_writes_the_spec_that_build_takes(tmp_path: Path) -> None:
    file = tmp_path / "chosen.toml"
    words = ["choose", "--target", OSU, "--min-throughput", "100Mbps", "--tries", "0"]
    found = CliRunner().invoke(cli.app, [*words, "--no-verify", "--json", "-o", str(file)])
    data = json.loads(found.stdout)
    spec = Spec.load(file)
    assert spec.name == data["winner"]["name"] and data["winner"]["measured"]
    assert data["winner"]["throughput_mbps"] >= 100
    assert naming.parse(spec.name) == spec or spec.name in catalogue.native()


def test_build_takes_a_name_or_requirements() -> None:
    for words in (["build"], ["build", "smallest-ge", "--directions", "both"]):
        found = CliRunner().invoke(cli.app, words)
        assert isinstance(found.exception, RoundsmithError)
        assert "one of the two" in str(found.exception)
    found = CliRunner().invoke(cli.app, ["build", "--directions", "both"])
    assert "add --target" in str(found.exception)
