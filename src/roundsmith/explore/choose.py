"""From requirements to the core that meets them at least cost, with the evidence.

Every legal core is estimated, the best few are measured for real, and what they really come to
corrects the estimates of the others, so that each further one is chosen better. The winner is the
best that was measured: an estimate never wins.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from roundsmith import catalogue
from roundsmith import spec as formulas
from roundsmith.base.errors import RoundsmithError
from roundsmith.explore import estimator, space
from roundsmith.explore.choices import Space
from roundsmith.explore.estimator import Estimate
from roundsmith.explore.explain_cost import explain_cost
from roundsmith.explore.needs import AIMS, Figures, Needs, figures, text
from roundsmith.flows import targets
from roundsmith.flows.targets import Target
from roundsmith.measure import campaign
from roundsmith.measure.campaign import Pair, Report
from roundsmith.records import index
from roundsmith.spec import Architecture, Bus, Cipher, Direction, Mode, Spec, buses, ciphers, modes

#: The most cores that are measured for one answer.
TRIES = 4

#: Copies of a line of all rounds that stand side by side where one is too slow.
_LANES = (2, 3, 4)

#: How far an estimate may miss a requirement and still be worth measuring, in median errors.
_HOPE = 1.5


@dataclass(frozen=True)
class RequirementCost:
    """What one requirement costs: the best core without it, and by how much that is better."""

    option: str
    figures: Figures
    share: float


@dataclass(frozen=True)
class Choice:
    """The winner, what came close, and what each requirement cost."""

    needs: Needs
    winner: Figures
    others: tuple[Figures, ...]
    prices: tuple[RequirementCost, ...]
    considered: int
    measured: int


def candidates(needs: Needs) -> list[Spec]:
    """Return every core that does what is asked and could stand on the target."""
    grid = _grid(needs.target, needs.key_bits, needs.of_blocks, needs.cipher)
    named = [
        spec
        for spec in catalogue.native().values()
        if needs.does(spec) and space.stands_on(spec, needs.target)
    ]
    found = list({spec.name: spec for spec in (*grid, *named)}.values())
    if needs.mode is Mode.NONE:
        return found
    return space.wrapped(found, needs.mode, needs.bus, needs.streams)


@cache
def _grid(
    target: Target, key_bits: tuple[int, ...], directions: tuple[Direction, ...], cipher: Cipher
) -> tuple[Spec, ...]:
    """Return all cores of one function, with copies side by side of those that are lines."""
    copies = {"tiles": _LANES, "architecture": (Architecture.PIPE,)}
    single = space.specs(Space(key_bits, directions, cipher=cipher), target)
    return (*single, *space.specs(Space(key_bits, directions, copies, cipher=cipher), target))


def choose(
    needs: Needs,
    *,
    tries: int = TRIES,
    jobs: int = 1,
    report: Report = lambda *_: None,
    proposed: Callable[[list[Figures]], None] = lambda _: None,
) -> Choice:
    """Return the core that meets `needs` best, after measuring at most `tries` of them.

    `proposed` is told the best estimates before anything is measured, `report` each outcome of a
    measurement. RoundsmithError says which requirement nothing meets.
    """
    check(needs)
    specs = candidates(needs)
    with index.opened() as database:
        pool = _Pool(needs, specs, database.results([needs.target.name]))
        tried_before = {s.name for s in specs if database.failure(s, needs.target) is not None}
    pool.drop(tried_before)
    shown = pool.ranked()
    if not shown:
        raise RoundsmithError(nothing(needs, pool.all()))
    proposed(shown[:8])
    left = tries
    while left > 0:
        batch = pool.promising()[: min(jobs, left)]
        if not batch:
            break
        left -= len(batch)
        pairs = [Pair(one.spec, needs.target) for one in batch]
        for outcome in campaign.run(pairs, jobs=jobs, report=report):
            pool.learn(outcome.pair.spec, outcome.found)
    winner = pool.winner()
    if winner is None:
        raise RoundsmithError(_nothing_measured(needs, pool.all(), tries))
    return Choice(
        needs,
        winner,
        tuple(one for one in pool.ranked() if one.spec.name != winner.spec.name)[:5],
        tuple(_prices(needs, winner, pool.all())),
        considered=len(specs),
        measured=len({one.spec.name for one in pool.all() if one.measured}),
    )


def check(needs: Needs) -> None:
    """Refuse requirements that no target could answer."""
    if needs.minimise not in AIMS:
        raise RoundsmithError(f"--minimise is {', '.join(AIMS)}, not '{needs.minimise}'.")
    timed = {"--min-throughput", "--min-clock", "--max-latency"} & set(needs.limits())
    wants_time = bool(timed) or needs.minimise in {"latency", "area-delay"}
    if not needs.target.flow.is_timed and wants_time:
        raise RoundsmithError(
            f"{needs.target.name} is mapped for area and tells no clock, so "
            f"{' and '.join(sorted(timed)) or '--minimise ' + needs.minimise} has no answer there; "
            f"take {targets.nouns(lambda flow: flow.is_timed and flow.is_run)}."
        )
    if needs.bus is not Bus.NONE and needs.mode is Mode.NONE:
        raise RoundsmithError("--bus carries messages: add --mode, ecb for blocks by themselves.")
    if needs.feedback and needs.mode is not Mode.NONE:
        raise RoundsmithError(
            f"--mode {needs.mode} says what waits for what; leave --feedback out."
        )
    if needs.streams == 1 or needs.feedback:
        return
    if modes.of(needs.mode).chain is None:
        keeps = "blocks" if needs.mode is Mode.NONE else f"the blocks of mode {needs.mode}"
        raise RoundsmithError(
            f"--streams belongs to --feedback or to a mode that chains its blocks: {keeps} never "
            "wait for each other."
        )
    if buses.of(needs.bus).has_registers:
        others = " or ".join(bus.word.replace("_", "-") for bus in buses.BUSES if bus.has_packets)
        raise RoundsmithError(
            f"--bus {needs.bus.replace('_', '-')} brings one message after the other; leave "
            f"--streams or --bus out, or take {others}, whose TID is the number of a stream."
        )


class _Pool:
    """The candidates with the best that is known of each."""

    def __init__(self, needs: Needs, specs: Sequence[Spec], there: Sequence[index.Result]) -> None:
        self._needs = needs
        self._estimates: dict[str, list[Estimate]] = {}
        for one in estimator.estimate(specs, needs.target):
            self._estimates.setdefault(one.spec.name, []).append(one)
        self._measured: dict[str, list[Figures]] = {}
        self._hope = _HOPE * max(_doubts(needs).values())
        known = set(self._estimates)
        for result in there:
            if result.spec.name in known:
                self._add(result.spec, result.record)
        self._failed: set[str] = set()

    def _add(self, spec: Spec, record: object) -> None:
        found = figures(spec, record, self._needs.target, self._needs, measured=True)
        self._measured.setdefault(spec.name, []).append(found)

    def drop(self, names: set[str]) -> None:
        """Leave out cores that could not be measured."""
        self._failed |= names

    def learn(self, spec: Spec, records: Sequence[object]) -> None:
        """Take what was measured of a core; nothing at all is a failure."""
        for record in records:
            self._add(spec, record)
        if not records:
            self._failed.add(spec.name)

    def all(self) -> list[Figures]:
        """Return all that could be built: measured cores as they are, the others corrected."""
        clock, area = self._corrections()
        found: list[Figures] = []
        for name, estimates in self._estimates.items():
            if name in self._failed:
                continue
            if name in self._measured:
                found += self._measured[name]
                continue
            for one in estimates:
                if one.cycle_ns is None and one.fmax_mhz is None and len(estimates) > 1:
                    continue  # the netlist made for area, whose clock nobody can foretell
                own = self._figures(one, clock, area)
                if self._needs.fits(own):
                    found.append(own)
        return found

    def _figures(self, one: Estimate, clock: float, area: float) -> Figures:
        plain = figures(one.spec, one, self._needs.target, self._needs, measured=False)
        return replace(
            plain,
            area=plain.area * area,
            clock_mhz=_scaled(plain.clock_mhz, clock),
            throughput_mbps=_scaled(plain.throughput_mbps, clock),
            latency_ns=_scaled(plain.latency_ns, 1 / clock),
        )

    def _corrections(self) -> tuple[float, float]:
        """Return by what the clock and the area of the measured cores differ from their estimates.

        Those that meet the requirements, or nearly, count: what was measured far away on the plane
        is in the estimator already.
        """
        clocks, areas = [], []
        for name, found in self._measured.items():
            for one in found:
                if not all(limit.met(one, 0.5) for limit in self._needs.limits().values()):
                    continue
                for estimate in self._estimates[name]:
                    guess = figures(
                        one.spec, estimate, self._needs.target, self._needs, measured=False
                    )
                    if one.clock_mhz and guess.clock_mhz and _same_aim(one, estimate):
                        clocks.append(one.clock_mhz / guess.clock_mhz)
                        areas.append(one.area / guess.area)
        if not clocks:
            return 1.0, 1.0
        return float(np.median(clocks)), float(np.median(areas))

    def ranked(self) -> list[Figures]:
        """Return what meets the requirements, the best first; each core once."""
        return _once(self._sorted([one for one in self.all() if self._meets(one)]))

    def promising(self) -> list[Figures]:
        """Return what should be measured next: estimates that would beat all that was measured.

        First those that meet the requirements as estimated, then those that miss them by less than
        estimates often do, while nothing that was measured meets them.
        """
        winner = self.winner()
        guesses = [one for one in self.all() if not one.measured]
        sure = [one for one in guesses if self._meets(one)]
        if winner is not None:
            best = self._needs.cost(winner)[0]
            return _once(self._sorted([o for o in sure if self._needs.cost(o)[0] < best]))
        near = [o for o in guesses if not self._meets(o) and self._meets(o, self._hope)]
        return _once([*self._sorted(sure), *self._sorted(near)])

    def winner(self) -> Figures | None:
        """Return the best that was measured and meets the requirements."""
        found = [one for one in self.all() if one.measured and self._meets(one)]
        return min(found, key=self._needs.cost, default=None)

    def _meets(self, one: Figures, slack: float = 0.0) -> bool:
        return all(limit.met(one, slack) for limit in self._needs.limits().values())

    def _sorted(self, some: list[Figures]) -> list[Figures]:
        return sorted(some, key=self._needs.cost)


def _doubts(needs: Needs) -> dict[str, float]:
    """Return the error of each figure that is estimated for what is asked, in the median."""
    aim = estimator.aims(needs.target)[-1]
    in_mode = needs.mode is not Mode.NONE
    return estimator.doubts(needs.target, aim, needs.cipher, in_mode=in_mode)


def _same_aim(one: Figures, estimate: Estimate) -> bool:
    return not estimate.aim or one.source.flow.startswith(f"{estimate.aim}-driven")


def _once(some: Sequence[Figures]) -> list[Figures]:
    return list({one.spec.name: one for one in reversed(some)}.values())[::-1]


def _scaled(value: float | None, by: float) -> float | None:
    return None if value is None else value * by


def _prices(needs: Needs, winner: Figures, pool: Sequence[Figures]) -> list[RequirementCost]:
    """Return for each requirement the best core without it, where that is a better one."""
    limits = needs.limits()
    found = []
    for option in limits:
        rest = [limit for name, limit in limits.items() if name != option]
        free = [one for one in pool if all(limit.met(one) for limit in rest)]
        best = min(free, key=needs.cost, default=winner)
        ours, theirs = needs.cost(winner)[0], needs.cost(best)[0]
        share = ours / theirs - 1 if theirs > 0 else 0.0
        found.append(RequirementCost(option, best, max(0.0, share)))
    return found


def _nothing_measured(needs: Needs, pool: Sequence[Figures], tries: int) -> str:
    """Return the sentence for cores that should meet the requirements, and did not."""
    measured = [one for one in pool if one.measured]
    if not measured or not needs.limits():
        return (
            f"No core that does this was measured on {needs.target.name}; `--tries 4` measures the "
            "best few."
        )
    if not tries:
        sentence = nothing(needs, measured, " of what was measured")
        return f"{sentence} `--tries 4` measures the best few of the estimates."
    return nothing(needs, measured, f" of what was measured, {tries} cores now")


def nothing(needs: Needs, pool: Sequence[Figures], within: str = "") -> str:
    """Return which requirement fails, by how much, and the nearest core that exists."""
    limits = needs.limits()
    target = needs.target
    if not pool:
        keys = ", ".join(map(str, needs.key_bits))
        ways = " and ".join(needs.directions)
        room = target.flow.room(target)
        device = f" that fits its {room[0]:,} LUT4" if room else ""
        return f"There is no core for keys of {keys} bits to {ways} on {target.name}{device}."
    near = []
    for option, limit in limits.items():
        rest = [other for name, other in limits.items() if name != option]
        free = [one for one in pool if all(other.met(one) for other in rest)]
        best = limit.best(free)
        if best is not None:
            near.append((limit.miss(best), option, limit, best))
    if not near:
        # No single requirement is to blame: the core that misses the worst of them least.
        closest = min(pool, key=lambda one: max(limit.miss(one) for limit in limits.values()))
        option, limit = max(limits.items(), key=lambda pair: pair[1].miss(closest))
        near.append((limit.miss(closest), option, limit, closest))
    factor, option, limit, best = min(near, key=lambda one: one[0])
    rest_of = [name for name in limits if name != option]
    others = f" with {', '.join(rest_of)}" if rest_of else ""
    wanted = text(limit.figure, limit.value, target)
    reached = text(limit.figure, getattr(best, limit.figure), target)
    evidence = "measured" if best.measured else "estimated"
    gap = f"{factor:,.3g} times too {'much' if limit.most else 'little'}"
    return (
        f"Nothing{within} on {target.name} meets {option} {wanted}{others}: the nearest is "
        f"{best.spec.name} with {reached} ({evidence}), {gap}."
    )


def explanation(choice: Choice) -> str:
    """Return why the winner won, as a section of its datasheet."""
    needs, winner, target = choice.needs, choice.winner, choice.needs.target
    limits = needs.limits()
    asked = [f"`{name} {text(o.figure, o.value, target)}`" for name, o in limits.items()]
    lines = [
        "## Why this core",
        "",
        f"Asked for: {ciphers.of(needs.cipher).name} with keys of "
        f"{', '.join(map(str, needs.key_bits))} bits to "
        f"{' and '.join(needs.directions)}{_around(needs)} on {target.name}"
        + (f", {needs.streams} stream(s) in a feedback mode" if needs.feedback else "")
        + (f", {', '.join(asked)}" if asked else "")
        + f", least {needs.minimise}. Of {choice.considered:,} cores, {choice.measured} of them "
        "measured, this one is the best that was measured and meets all that.",
        "",
        "| Core | Area | Block RAM | Throughput | Clock | Latency | Figures |",
        "|---|---:|---:|---:|---:|---:|---|",
    ]
    for one in (winner, *choice.others):
        lines.append(f"| {' | '.join(row(one, needs))} |")
    lines += ["", "The first row is this core, the others come next to it."]
    hopes = sum(needs.cost(one)[0] < needs.cost(winner)[0] for one in choice.others)
    if hopes:
        lines.append(
            f"{hopes} of them promise less {needs.minimise} by estimate and were not measured; "
            "a larger `--tries` measures more."
        )
    if target.flow.logic.has_block_ram:
        lines.append("The area counts 256 LUT4s for a block RAM.")
    if choice.prices:
        lines += ["", "What each requirement cost:", ""]
    for price in choice.prices:
        lines.append(f"- {price_line(price, choice)}")
    told = ", ".join(f"{name.replace('_', ' ')} {e:.0%}" for name, e in _doubts(needs).items())
    aim = estimator.aims(target)[-1]
    source = estimator.model(target, aim, needs.cipher).source
    lines += [
        "",
        f"Estimated figures are those of a regression on the records of {source}; its error "
        f"in the median, on cores that it had not seen: {told}.",
    ]
    if winner.spec.has_mode:
        lines += explain_cost(estimator.wrapping(target, aim), [winner.spec])
    return "\n".join(lines) + "\n"


def _around(needs: Needs) -> str:
    """Return the mode and the bus that were asked for, as part of a sentence."""
    words = [] if needs.mode is Mode.NONE else [f" in mode {needs.mode}"]
    words += [] if needs.bus is Bus.NONE else [f" behind {needs.bus}"]
    if needs.streams > 1 and not needs.feedback:
        words.append(f" for {needs.streams} messages at a time")
    return "".join(words).replace("_", "-")


def row(one: Figures, needs: Needs) -> list[str]:
    """Return what counts of a core as the cells of a table."""
    target = needs.target
    return [
        f"`{one.spec.name}`",
        text("area", one.area, target),
        f"{one.memory:,.0f}",
        text("throughput_mbps", one.throughput_mbps, target),
        text("clock_mhz", one.clock_mhz, target),
        f"{formulas.whole_latency_cycles(one.spec)} cycles",
        "measured" if one.measured else "estimated",
    ]


def price_line(price: RequirementCost, choice: Choice) -> str:
    """Return what one requirement cost, in a sentence."""
    target = choice.needs.target
    one = price.figures
    if one.spec.name == choice.winner.spec.name or price.share < 0.001:
        return f"`{price.option}` cost nothing: this core would have won without it."
    figure = {"memory": "memory", "latency": "latency_ns"}.get(choice.needs.minimise, "area")
    evidence = "measured" if one.measured else "estimated"
    times = f"{price.share:.0%} more" if price.share < 2 else f"{1 + price.share:.3g} times the"
    return (
        f"`{price.option}` cost {times} {choice.needs.minimise}: without it, "
        f"{one.spec.name} would do with {text(figure, getattr(one, figure), target)} ({evidence})."
    )
