"""The prices of modes and buses: learnt from the records of a target, or borrowed from another's.

Each column of the sum has a price that is not negative (least squares of the error relative to the
whole core). A column that no record of the target has is borrowed from one that has it, times a
ratio; of columns that always come together, as GHASH and GCM, the same decides which share is
whose. The error is known: each record is foretold from the others, and once more as if the target
had no record of its mode or of its bus.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from pydantic import TypeAdapter

from roundsmith.base.cache import cache_dir
from roundsmith.explore.features import Vector
from roundsmith.explore.wrappers import (
    COLUMNS,
    NEEDED,
    SUMS,
    TERMS,
    Example,
    Price,
    PriceError,
    Wrapping,
    examples,
    last,
    terms,
    words,
)
from roundsmith.flows import targets
from roundsmith.flows.targets import Target
from roundsmith.records import records
from roundsmith.records.records import Measurement

#: Changes whenever what was kept would no longer be learnt as it was.
_VERSION = 9

#: Columns that grow with the core. They always come with a mode, so that what is expected of them
#: tells their price from its; how much that weighs, as a share of one record.
_GROWING = ("blocks", *(term.name for term in TERMS if term.grows), "streams", "bus_streams")
_WEIGHT = 0.1

#: Columns that are a part of a mode, and have no clock of their own.
_PARTS = (*_GROWING, *(term.name for term in TERMS))

#: What is expected where nothing tells a column from those that it always comes with: what a mode
#: says of its own, and of blocks, of which standard cells keep a bit in a flip-flop and a selector.
_EXPECTED: Mapping[str, Mapping[str, float]] = {
    figure: {term.name: term.expected[figure] for term in TERMS if figure in term.expected}
    | ({"blocks": 8.0} if figure == "area_ge" else {})
    for figure in SUMS
}
_EXPECTED_FLIPS_OF_CELLS = {"blocks": 1.0}

#: The least area for each flip-flop that a mode or a bus adds, where records scatter by more than
#: it costs and say that it costs nothing: some LUTs are in front of registers, and in standard
#: cells a flip-flop is four gates at least.
_LEAST = {"lut": 1 / 16, "area_ge": 4.0}

#: By how much a core in a mode is slower than by itself before the mode is to blame for it: what
#: placing it again may do alone is less.
_SLOWER = 1.1

#: Periods of two runs of a flow that may differ by chance alone.
_ALIKE = 1.06


@dataclass(frozen=True)
class _Place:
    """What was measured on a target: all cores, those in a mode, and what these say."""

    name: str
    there: Mapping[str, Measurement]
    own: Sequence[Example]
    prices: Mapping[str, Mapping[str, Price]]
    limits: Mapping[str, Price]
    timed: frozenset[str] = frozenset()

    @property
    def area(self) -> str:
        """The figure that is an area here."""
        flow = targets.flow_of(self.name)
        assert flow is not None
        return flow.logic.area


def known(target: Target, aim: str, digest: str) -> Wrapping:
    """Return what is known of modes and buses on `target`; `digest` is that of the records."""
    key = f"{target.name} {aim} {digest} {_VERSION} {COLUMNS}"
    return _known(target, aim, f"{hashlib.sha256(key.encode()).hexdigest()[:40]}.json")


@cache
def _known(target: Target, aim: str, name: str) -> Wrapping:
    kept = cache_dir() / "wrappers" / name
    if kept.exists():
        return _FORM.validate_json(kept.read_bytes())
    made = learn(target, aim)
    kept.parent.mkdir(parents=True, exist_ok=True)
    part = kept.with_suffix(f".{id(made)}")
    part.write_bytes(_FORM.dump_json(made))
    part.replace(kept)
    return made


#: How what was learnt is kept.
_FORM = TypeAdapter(Wrapping)


def learn(target: Target, aim: str) -> Wrapping:
    """Return what is known of modes and buses on a target, for an aim of its flow."""
    others = _others(target.name, aim)
    there, own = last(target.name, aim), examples(target.name, aim)
    made = _place(target.name, there, own, others)
    # The clock of a netlist made for area tells nothing: its fan-outs have no buffers.
    is_timed = aim != "area" and target.flow.is_timed
    priced = dict.fromkeys(name for known in made.prices.values() for name in known)
    return Wrapping(
        target.name,
        made.prices,
        made.limits if is_timed else {},
        _fastest(own) if is_timed else {},
        [n for n in priced if is_timed and n not in made.timed and n not in _PARTS],
        _errors(made, others, ([one] for one in own)),
        _errors(made, others, _by_column(own)),
    )


def _others(target: str, aim: str) -> list[_Place]:
    """Return all other targets with cores in a mode, each knowing all but this one."""
    names = {m.target for m in records.measurements()} - {target}
    found = []
    for name in sorted(names):
        flow = targets.flow_of(name)
        if flow is not None and not targets.is_apart(name):
            # The aim of cells is the same in other cells; a target without aims has none.
            wanted = aim if aim in flow.aims else flow.aims[-1]
            if own := examples(name, wanted):
                found.append((name, last(name, wanted), own))
    alone: list[_Place] = []
    for name, there, own in sorted(found, key=lambda one: (-len(one[2]), one[0])):
        # What comes together everywhere here is told apart by the richer ones before it.
        alone.append(_place(name, there, own, alone))
    return [
        _place(one.name, one.there, one.own, [other for other in alone if other is not one])
        for one in alone
    ]


def _place(
    name: str, there: Mapping[str, Measurement], own: Sequence[Example], others: Sequence[_Place]
) -> _Place:
    """Return what the records of a target say, with what others say of the rest."""
    bare = _Place(name, there, own, {}, {})
    prices: dict[str, Mapping[str, Price]] = {}
    for figure in SUMS:
        if figure in {"ff", bare.area} or (figure == "block_ram" and bare.area == "lut"):
            prices[figure] = _prices(bare, others, figure, prices.get("ff", {}))
    return _Place(name, there, own, prices, *_limits(bare, others))


# --- Prices -------------------------------------------------------------------------------------


def _prices(
    place: _Place, others: Sequence[_Place], figure: str, registers: Mapping[str, Price]
) -> dict[str, Price]:
    """Return the price of each column in a figure: from here, else from the nearest other place."""
    own = [one for one in place.own if _more(one, figure) is not None]
    borrowed = _borrowed(place, own, others, figure)
    least = {
        name: _LEAST.get(figure, 0.0) * price.value
        for name, price in registers.items()
        if name not in _GROWING
    }
    expected = {name: borrowed[name].value for name in _GROWING if name in borrowed}
    expected |= _EXPECTED.get(figure, {})
    if figure == "ff" and place.area == "area_ge":
        expected |= _EXPECTED_FLIPS_OF_CELLS
    found = {name: Price(v, place.name) for name, v in _sum(own, figure, expected, least).items()}
    return borrowed | found


def _sum(
    own: Sequence[Example],
    figure: str,
    expected: Mapping[str, float],
    least: Mapping[str, float],
) -> dict[str, float]:
    """Return the price of each column that is in some example."""
    if not own:
        return {}
    names = list(dict.fromkeys(name for one in own for name in terms(one.spec, figure)))
    rows = np.array([[terms(one.spec, figure).get(name, 0.0) for name in names] for one in own])
    whole = np.array([_size(one, figure) for one in own])
    more = np.array([_more(one, figure) for one in own], dtype=float)
    floor = np.array([least.get(name, 0.0) for name in names])
    sizes = rows.max(axis=0)
    # What is expected of a price is one equation more, of a core of the usual size.
    priors = [i for i, name in enumerate(names) if name in expected]
    weight = _WEIGHT * sizes / np.median(whole)
    extra = np.zeros((len(priors), len(names)))
    wanted = np.zeros(len(priors))
    for row, i in enumerate(priors):
        extra[row, i] = weight[i]
        wanted[row] = weight[i] * max(0.0, expected[names[i]] - floor[i])
    left = (more - rows @ floor) / whole
    equations = np.vstack([rows / whole[:, None], extra])
    found = _least_squares(equations / sizes, np.concatenate([left, wanted])) / sizes
    return {name: float(v) for name, v in zip(names, found + floor, strict=True)}


def _least_squares(rows: Vector, values: Vector) -> Vector:
    """Return the factors of a sum that are not negative."""
    from sklearn.linear_model import LinearRegression

    line = LinearRegression(positive=True, fit_intercept=False)
    return np.asarray(line.fit(rows, values).coef_)


def _size(one: Example, figure: str) -> float:
    """Return what an error counts relative to: the whole, but for memories, which may be none."""
    return 1.0 if figure == "block_ram" else float(getattr(one.record, figure))


def _more(one: Example, figure: str) -> float | None:
    whole, alone = getattr(one.record, figure), getattr(one.base, figure)
    return None if whole is None or alone is None else float(whole - alone)


# --- From another target ------------------------------------------------------------------------


@dataclass(frozen=True)
class _Ratio:
    """How a figure follows from those of another place, by so many cores that both have."""

    factors: Mapping[str, float]
    in_mode: int
    alone: int


def _borrowed(
    place: _Place, own: Sequence[Example], others: Sequence[_Place], figure: str
) -> dict[str, Price]:
    """Return the prices that other places have, each from the one that is most like this one.

    First from one with the same unit of area, then by way of such a one, then from any.
    """
    found: dict[str, Price] = {}

    def take(other: _Place, ratio: _Ratio, *, learnt: bool) -> None:
        for column in other.prices["ff"]:
            there = {name: other.prices.get(name, {}).get(column) for name in ratio.factors}
            prices = [price for price in there.values() if price is not None]
            is_own = all(price.source == other.name for price in prices)
            if column in found or len(prices) < len(there) or (learnt and not is_own):
                continue
            value = sum(f * p.value for f, p in zip(ratio.factors.values(), prices, strict=True))
            source, links = other.name, [ratio]
            if not is_own:
                source = f"{prices[0].source} by way of {other.name}"
                links.append(_Ratio({}, prices[0].in_mode, prices[0].alone))
            weakest = min(links, key=lambda link: link.in_mode + link.alone)
            found[column] = Price(value, source, weakest.in_mode, weakest.alone)

    known = [(other, ratio) for other in others if (ratio := _ratio(place, own, other, figure))]
    known.sort(key=lambda pair: (*_unlike(place, pair[0]), -pair[1].in_mode, -pair[1].alone))
    like = [pair for pair in known if pair[0].area == place.area]
    for pairs, learnt in ((like, True), (like, False), (known, True)):
        for other, ratio in pairs:
            take(other, ratio, learnt=learnt)
    return found


def _unlike(place: _Place, other: _Place) -> tuple[bool, bool]:
    """Return whether two places differ in the unit of area, and in what they are called first."""
    kind = other.name.partition(":")[0] != place.name.partition(":")[0]
    return (other.area != place.area, kind)


def _ratio(place: _Place, own: Sequence[Example], other: _Place, figure: str) -> _Ratio | None:
    """Return how a figure here follows from those there; None where no core was measured on both.

    Gate equivalents follow from LUTs and flip-flops, any other figure from its like. A core in a
    mode says how what it adds differs. All cores by themselves weigh as much as one of these; where
    there are none and the figures have one unit, one LUT is expected to be another.
    """
    like = figure if figure in {"ff", "block_ram"} else other.area
    names = (like, "ff") if figure == "area_ge" and like == "lut" else (like,)
    theirs = {one.spec.name: one for one in other.own}
    rows, values = [], []
    for one in own:
        pair = theirs.get(one.spec.name)
        adds = [] if pair is None else [_more(pair, name) for name in names]
        if adds and None not in adds:
            whole = _size(one, figure)
            rows.append([float(v or 0.0) / whole for v in adds])
            values.append((_more(one, figure) or 0.0) / whole)
    in_mode = len(rows)
    modes_of_both = {one.spec.name for one in (*own, *other.own)}
    alone = []
    for name in sorted(place.there.keys() & other.there.keys() - modes_of_both):
        here = getattr(place.there[name], figure)
        there = [getattr(other.there[name], each) for each in names]
        if here and all(there):
            alone.append([float(each) / here for each in there])
    share = 1 / max(1, len(alone)) ** 0.5
    rows += [[share * each for each in row] for row in alone]
    values += [share] * len(alone)
    if not alone and like == figure:
        rows.append([1.0])
        values.append(1.0)
    if not rows:
        return None
    factors = _least_squares(np.array(rows), np.array(values))
    return _Ratio(dict(zip(names, map(float, factors), strict=True)), in_mode, len(alone))


# --- The clock ----------------------------------------------------------------------------------


def _period(record: Measurement) -> float | None:
    return 1000 / record.fmax_mhz if record.fmax_mhz else record.cycle_ns


def _fastest(own: Sequence[Example]) -> dict[str, float]:
    """Return the shortest period that a core in each mode, and behind each bus, was measured at."""
    found: dict[str, float] = {}
    for one in own:
        period = _period(one.record)
        for word in words(one.spec) if period else ():
            found[word] = min(found.get(word, period or 0.0), period or 0.0)
    return found


def _limits(place: _Place, others: Sequence[_Place]) -> tuple[dict[str, Price], frozenset[str]]:
    """Return the periods of modes and buses that slowed down a core as fast as any that had them.

    That is the shortest period with them, where a core by itself is faster than that: two runs of a
    flow differ, so it need not be the very core that had it.
    The second value has all whose clock is known, those without a limit too. One that was timed
    nowhere here is borrowed, times the ratio of the periods of cores that both places have.
    Whatever was timed, and slowed nothing down, has no limit.
    """
    timed = _fastest(place.own)
    found: dict[str, Price] = {}
    # A bus stands around a mode: what that allows is no fault of the bus.
    for is_bus in (False, True):
        for one in place.own:
            period, alone = _period(one.record), _period(one.base)
            if not period or not alone or (is_bus and len(words(one.spec)) < 2):
                continue
            word, limit = words(one.spec)[-1 if is_bus else 0], found.get(words(one.spec)[0])
            allowed = max(alone, limit.value if is_bus and limit else 0.0)
            if period <= _ALIKE * timed[word] and timed[word] > _SLOWER * allowed:
                found[word] = Price(timed[word], place.name)
    for other in sorted(others, key=lambda one: _unlike(place, one)):
        ratio = _slower(place, other)
        for word in _fastest(other.own).keys() - timed.keys() if ratio else ():
            timed[word] = 0.0
            limit = other.limits.get(word)
            if ratio and limit and limit.source == other.name:
                found[word] = Price(limit.value * ratio[0], other.name, *ratio[1:])
    return found, frozenset(timed)


def _slower(place: _Place, other: _Place) -> tuple[float, int, int] | None:
    """Return by how much a period here is longer than there, in the median of so many cores.

    So many of them are in a mode, and so many alone.
    """
    shares = {
        name: a / b
        for name, record in place.there.items()
        if name in other.there and (a := _period(record)) and (b := _period(other.there[name]))
    }
    if shares:
        in_mode = len(shares.keys() & {one.spec.name for one in place.own})
        return float(np.median([*shares.values()])), in_mode, len(shares) - in_mode
    # Cells and LUTs have nothing in common; one FPGA is much like another.
    return (1.0, 0, 0) if place.area == other.area else None


# --- The error ----------------------------------------------------------------------------------


def _by_column(own: Sequence[Example]) -> Iterable[list[Example]]:
    """Yield for each mode and each bus all examples that have it."""
    for word in dict.fromkeys(word for one in own for word in words(one.spec)):
        yield [one for one in own if word in words(one.spec)]


def _errors(
    made: _Place, others: Sequence[_Place], parts: Iterable[list[Example]]
) -> dict[str, PriceError]:
    """Return how far off the figures of whole cores are when a part is foretold from the rest."""
    wrong: dict[str, list[float]] = {}
    for part in parts:
        rest = [one for one in made.own if one not in part]
        guess = _place(made.name, made.there, rest, others).prices
        for figure in made.prices.keys() & {*NEEDED}:
            for one in part:
                known = guess[figure]
                if _more(one, figure) is None or not terms(one.spec).keys() <= known.keys():
                    continue
                adds = sum(v * known[name].value for name, v in terms(one.spec).items())
                found = (getattr(one.base, figure) + adds) / getattr(one.record, figure)
                wrong.setdefault(figure, []).append(abs(found - 1))
    return {name: PriceError(float(np.median(all_)), len(all_)) for name, all_ in wrong.items()}
