"""The optimal pipeline of a core: Algorithm 1 of Standaert et al. 2003, 4.4, and a better one.

Algorithm 1 starts from the maximum pipeline (section 4.1: the one whose ratio of LUTs to
registers is the closest to one, and lower than one), takes away the stage whose loss costs the
least frequency, implements the core again, and stops as soon as the efficiency, throughput for
area, does not rise. It never looks past the first step that does not pay, and it never puts a
register back.

Ours starts from what Algorithm 1 has measured and looks at the whole range. With two thirds of its
`tries` it measures balanced stages, of every number of registers if there are enough, and with the
rest the sets of cuts that the estimator, corrected by the measured ones around them, expects to be
the most efficient, until none that is left may be better by what estimates are in doubt.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from roundsmith import catalogue
from roundsmith import spec as formulas
from roundsmith.base.errors import RoundsmithError
from roundsmith.base.grid import Grid
from roundsmith.base.svg import drawn, plain
from roundsmith.explore import estimator, space
from roundsmith.explore.estimator import Estimate
from roundsmith.flows import targets
from roundsmith.flows.targets import Flow, Target
from roundsmith.measure import campaign
from roundsmith.measure.campaign import Outcome, Pair, Report
from roundsmith.records import records
from roundsmith.records.records import Measurement, PipelineSearch
from roundsmith.spec import Entry, Spec, legal_cuts, naming

#: Measures cores and returns the outcomes; a parameter so that the rules can be tried alone.
Measure = Callable[[Sequence[Spec]], Sequence[Outcome]]

#: The searches by name.
_PRINTED, _OURS = "Algorithm 1", "our search"

#: Measured sets of cuts that the estimates of the others are corrected by: the nearest ones.
_NEAREST = 3

#: A set is worth measuring when it is expected to be at least this share of the best: estimates
#: of area and of clock are each off by some seven hundredths in the median.
_WORTH = 0.85


@dataclass(frozen=True)
class Step:
    """One pipeline that was measured: its cuts, and the figures that decide."""

    spec: Spec
    cuts: tuple[str, ...]
    area: float
    registers: int
    logic: float
    clock_mhz: float
    throughput_mbps: float

    @property
    def efficiency(self) -> float:
        """Mbit/s for each thousand LUTs or gate equivalents."""
        return 1000 * self.throughput_mbps / self.area

    @property
    def ratio(self) -> float:
        """LUTs for a register; in cells, gate equivalents of logic for one of registers."""
        return self.logic / max(1, self.registers)


@dataclass(frozen=True)
class Path:
    """What one search did: the steps in order, of which the best counts."""

    name: str
    steps: tuple[Step, ...]

    @property
    def best(self) -> Step:
        """The most efficient of its pipelines."""
        return max(self.steps, key=lambda step: step.efficiency)


@dataclass(frozen=True)
class Found:
    """Both searches on one core and target."""

    spec: Spec
    target: Target
    printed: Path
    ours: Path


def search(spec: Spec, target: Target, *, tries: int, jobs: int, report: Report) -> Found:
    """Run Algorithm 1 and our search on the pipelines of `spec`; everything measured is kept."""
    check(spec, target)

    def measure(specs: Sequence[Spec]) -> Sequence[Outcome]:
        pairs = [Pair(one, target) for one in specs]
        return campaign.run(pairs, jobs=jobs, report=report)

    printed = algorithm_1(spec, target, measure)
    ours = wider(spec, target, measure, tries, jobs, printed.steps)
    records.append(
        PipelineSearch(
            name=spec.name,
            target=target.name,
            printed=tuple(one.spec.name for one in printed.steps),
            wider=tuple(one.spec.name for one in ours.steps),
        )
    )
    return Found(spec, target, printed, ours)


def stored(name: str, target: Target) -> Found | None:
    """Return the last search that was made for a core on a target, from records alone.

    None where there is none, or where a core that it measured is not what it was.
    """
    kept = [s for s in records.pipeline_searches() if (s.name, s.target) == (name, target.name)]
    if not kept:
        return None
    paths = []
    for title, names in ((_PRINTED, kept[-1].printed), (_OURS, kept[-1].wider)):
        specs = [catalogue.find(one) for one in names]
        steps = [step(one, records.current(one, target)) for one in specs]
        there = tuple(one for one in steps if one is not None)
        if len(there) < len(steps):
            return None
        paths.append(Path(title, there))
    return Found(catalogue.find(name), target, *paths)


def check(spec: Spec, target: Target) -> None:
    """Refuse a core without a choice of cuts, and a target that tells no clock."""
    if spec.is_narrow or spec.how.variants or len(legal_cuts(spec)) < 2:
        raise RoundsmithError(
            f"{spec.name} has its registers where its structure has them; a pipeline is searched "
            "for a loop or a pipe."
        )
    if not _is_timed(target.flow):
        raise RoundsmithError(
            f"{target.name} tells no clock, and without one no pipeline is better than another; "
            f"take {targets.nouns(_is_timed)}."
        )
    naming.systematic(spec)  # the others are told apart by theirs


def _is_timed(flow: Flow) -> bool:
    """Whether a clock comes out of what is called from here."""
    return flow.is_timed and flow.is_run


@cache
def pipelines(spec: Spec) -> dict[tuple[str, ...], Spec]:
    """Return every legal pipeline of a core by its cuts."""
    found = {}
    points = legal_cuts(spec)
    for count in range(len(points) + 1):
        for cuts in itertools.combinations(points, count):
            one = with_cuts(spec, cuts)
            if one is not None:
                found[cuts] = one
    return found


def with_cuts(spec: Spec, cuts: Sequence[str]) -> Spec | None:
    """Return a core with other cuts, None where the rules of the spec refuse it."""
    if tuple(cuts) == spec.how.cuts:
        return spec
    data = spec.model_dump(mode="json", exclude_none=True)
    data["how"]["cuts"] = list(cuts)
    data.pop("paper", None)
    if spec.how.entry is Entry.BATCH and "head" not in cuts and "ring" in spec.how.edges:
        return None
    try:
        made = Spec.from_data(data)
        return made.model_copy(update={"name": naming.described(made)})
    except RoundsmithError:
        return None


def step(spec: Spec, found: Sequence[Measurement]) -> Step | None:
    """Return the figures of a pipeline; in cells those of the netlist made for speed."""
    for record in found:
        if record.area_ge is not None and not record.flow.startswith("delay-driven"):
            continue
        if record.throughput_mbps is None:
            continue
        if record.area_ge is not None and record.cycle_ns is not None:
            # A flip-flop is as large as six gates: what is not one is logic.
            registers = _FLOP_GE * (record.ff or 0)
            area, logic = record.area_ge, record.area_ge - registers
            clock, count = 1000 / record.cycle_ns, round(registers)
        else:
            clock = record.fmax_capped_mhz or 0.0
            area, logic, count = float(record.lut or 0), float(record.lut or 0), record.ff or 0
        cuts = spec.how.cuts
        return Step(spec, cuts, area, count, logic, clock, record.throughput_mbps)
    return None


#: GE of a flip-flop without reset in OSU's cells: DFFPOSX1, 96 units of area to 24 of a NAND2X1
#: (LEF), 4; with a multiplexer to hold or a gate to clear about as much again.
_FLOP_GE = 4.0


# --- Algorithm 1 --------------------------------------------------------------------------------


def maximum(spec: Spec, target: Target) -> Spec:
    """Return the maximum pipeline: LUTs to registers the closest to one, and lower than one.

    Of the balanced sets of cuts for each number of stages, by the estimated figures. Where every
    ratio is above one, it is the one with the most registers.
    """
    known = pipelines(spec)
    sets = [tuple(points) for points in space.balanced(_deepest(known), target)]
    sets.append(max(known, key=len))
    choices = [known[cuts] for cuts in dict.fromkeys(sets) if cuts in known]
    ratios = {e.spec.name: _ratio(e) for e in _fast(choices, target)}
    below = [one for one in choices if ratios[one.name] < 1]
    if not below:
        return min(choices, key=lambda one: ratios[one.name])
    return max(below, key=lambda one: ratios[one.name])


def _deepest(known: dict[tuple[str, ...], Spec]) -> Spec:
    return known[max(known, key=len)]


def _ratio(one: Estimate) -> float:
    if one.area_ge is not None:
        registers = _FLOP_GE * (one.ff or 0)
        return (one.area_ge - registers) / max(1.0, registers)
    return (one.lut or 0) / max(1.0, one.ff or 0)


def _fast(specs: Sequence[Spec], target: Target) -> list[Estimate]:
    found = estimator.estimate(specs, target)
    return [one for one in found if one.aim in {"", "delay"}]


def algorithm_1(spec: Spec, target: Target, measure: Measure) -> Path:
    """Run Algorithm 1 as it is printed; its steps are those that it implemented.

    Which stage costs the least frequency is seen in the estimates, as the authors saw it in
    synthesis: only what is chosen is implemented.
    """
    current = maximum(spec, target)
    steps: list[Step] = []
    while True:
        made = _measured(current, measure)
        if made is None:
            break
        steps.append(made)
        if len(steps) > 1 and steps[-2].efficiency >= made.efficiency:
            break
        shorter = [
            one
            for cut in current.how.cuts
            if (one := with_cuts(spec, [c for c in current.how.cuts if c != cut])) is not None
        ]
        if not shorter:
            break
        current = min(_fast(shorter, target), key=_period).spec
    if not steps:
        raise RoundsmithError(
            f"The maximum pipeline of {spec.name}, {current.name}, could not be measured on "
            f"{target.name}; `roundsmith results --failures` says why."
        )
    return Path(_PRINTED, tuple(steps))


def _period(one: Estimate) -> float:
    return one.cycle_ns or 1000 / (one.fmax_mhz or 1e-3)


def _measured(spec: Spec, measure: Measure) -> Step | None:
    return step(spec, measure([spec])[0].found)


# --- Ours ---------------------------------------------------------------------------------------


def wider(
    spec: Spec,
    target: Target,
    measure: Measure,
    tries: int,
    jobs: int,
    start: Sequence[Step] = (),
) -> Path:
    """Search all sets of cuts, at most `tries` of them measured; those of `start` have been."""
    known = pipelines(spec)
    guesses = {one.spec.how.cuts: one for one in _fast(list(known.values()), target)}
    steps = {one.cuts: one for one in start}
    failed: set[tuple[str, ...]] = set()
    most = tries + len(steps)

    def take(sets: Sequence[tuple[str, ...]]) -> None:
        for outcome in measure([known[cuts] for cuts in sets]):
            cuts = outcome.pair.spec.how.cuts
            made = step(outcome.pair.spec, outcome.found)
            if made is None:
                failed.add(cuts)
            else:
                steps[cuts] = made

    ladder = [c for c in map(tuple, space.balanced(_deepest(known), target)) if c in known]
    take([cuts for cuts in _spread(ladder, max(1, 2 * tries // 3)) if cuts not in steps])
    while len(steps) + len(failed) < most:
        left = [cuts for cuts in known if cuts not in steps and cuts not in failed]
        if not left or not steps:
            break
        hopes = {cuts: _hope(cuts, guesses, steps) for cuts in left}
        best = max(one.efficiency for one in steps.values())
        ranked = sorted(left, key=lambda cuts: (-hopes[cuts], cuts))
        batch = [cuts for cuts in ranked if hopes[cuts] >= _WORTH * best]
        batch = batch[: min(jobs, most - len(steps) - len(failed))]
        if not batch:
            break
        take(batch)
    if not steps:
        raise RoundsmithError(f"No pipeline of {spec.name} could be measured on {target.name}.")
    return Path(_OURS, tuple(steps.values()))


def _spread(ladder: Sequence[tuple[str, ...]], count: int) -> list[tuple[str, ...]]:
    """Return `count` of the balanced sets, from the shortest pipeline to the longest."""
    if len(ladder) <= count:
        return list(ladder)
    places = np.linspace(0, len(ladder) - 1, count).round().astype(int)
    return [ladder[place] for place in dict.fromkeys(places.tolist())]


def _hope(
    cuts: tuple[str, ...],
    guesses: dict[tuple[str, ...], Estimate],
    steps: dict[tuple[str, ...], Step],
) -> float:
    """Return the efficiency that a set of cuts is expected to have.

    The estimate is corrected by how far those of the nearest measured sets were off: of those with
    as many registers or nearly, the ones that share most of the cuts.
    """

    def more(other: tuple[str, ...]) -> int:
        return abs(len(cuts) - len(other))

    near = sorted(steps, key=lambda n: (more(n), len(set(cuts) ^ set(n)), n))[:_NEAREST]
    off = [
        (math.log(steps[n].efficiency / _efficiency(guesses[n])), 1 / (1 + more(n))) for n in near
    ]
    shift = sum(value * weight for value, weight in off) / sum(weight for _, weight in off)
    return _efficiency(guesses[cuts]) * math.exp(shift)


def _efficiency(one: Estimate) -> float:
    area = one.area_ge if one.area_ge is not None else one.lut
    return 1000 * (one.throughput_mbps or 0.0) / max(1.0, area or 1.0)


# --- What is shown ------------------------------------------------------------------------------


def grids(found: Found) -> list[Grid]:
    """Return the paths of both searches as tables."""
    logic = found.target.flow.logic
    unit = logic.unit
    headings = ("step", "cuts", unit, logic.ratio, "MHz", "Mbit/s", f"Mbit/s per k{unit}", "")
    result = []
    for path in (found.printed, found.ours):
        rows = tuple(
            (
                str(number),
                " ".join(one.cuts) or "none",
                f"{one.area:,.0f}",
                f"{one.ratio:.2f}",
                f"{one.clock_mhz:.1f}",
                f"{one.throughput_mbps:,.0f}",
                f"{one.efficiency:,.0f}",
                "best" if one is path.best else "",
            )
            for number, one in enumerate(path.steps, start=1)
        )
        title = f"{path.name}: {found.spec.name} on {found.target.name}"
        result.append(Grid(title, "", headings, rows, left=2, texts=frozenset({7})))
    return result


def verdict(found: Found) -> str:
    """Return in a sentence how far the two searches differ."""
    printed, ours = found.printed.best, found.ours.best
    if printed.cuts == ours.cuts:
        return f"Both searches end at {printed.spec.name}."
    gain = ours.efficiency / printed.efficiency - 1
    better = "more" if gain >= 0 else "less"
    return (
        f"Algorithm 1 ends at {printed.spec.name}, our search at {ours.spec.name} with "
        f"{abs(gain):.1%} {better} throughput for its area."
    )


def data(found: Found) -> dict[str, Any]:
    """Return both paths as plain data."""
    return {
        "name": found.spec.name,
        "target": found.target.name,
        "paths": [
            {
                "search": path.name,
                "best": path.best.spec.name,
                "steps": [
                    {
                        "name": one.spec.name,
                        "cuts": list(one.cuts),
                        "registers_a_round": formulas.round_latency(one.spec),
                        "area": one.area,
                        "ratio": round(one.ratio, 3),
                        "clock_mhz": round(one.clock_mhz, 2),
                        "throughput_mbps": one.throughput_mbps,
                        "efficiency": round(one.efficiency, 1),
                    }
                    for one in path.steps
                ],
            }
            for path in (found.printed, found.ours)
        ],
    }


def drawing(found: Found) -> str:
    """Return both paths as SVG: efficiency over the registers of a round."""
    unit = f"k{found.target.flow.logic.unit}"

    def draw(pyplot: Any) -> Any:
        figure, axes = pyplot.subplots(figsize=(6.4, 4.0), layout="constrained")
        longest = max(formulas.round_latency(one.spec) for one in found.ours.steps)
        # Ours has the steps of Algorithm 1 as well: rings around its marks.
        for path, colour, look in (
            (found.ours, "#d1495b", {"marker": "D", "ls": "", "ms": 5}),
            (found.printed, "#2e6f95", {"marker": "o", "ls": "-", "ms": 10, "mfc": "none"}),
        ):
            x = [formulas.round_latency(one.spec) for one in path.steps]
            y = [one.efficiency for one in path.steps]
            axes.plot(x, y, color=colour, lw=1.2, label=path.name, **look)
            best = path.best
            place = formulas.round_latency(best.spec)
            axes.annotate(
                " ".join(best.cuts) or "none",
                (place, best.efficiency),
                xytext=(0, 9),
                textcoords="offset points",
                fontsize=7,
                color=colour,
                ha="right" if 2 * place > longest else "left",
            )
        axes.margins(y=0.1)
        axes.set_xlabel("registers in a round")
        axes.set_ylabel(f"Mbit/s per {unit}")
        axes.set_title(f"{found.spec.name} on {found.target.name}", fontsize=10, loc="left")
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.legend(frameon=False, fontsize=8)
        plain(axes)
        return figure

    return drawn(draw)
