"""What a mode of operation and a bus add to a core, learnt from the records.

A core in a mode is compared with the record of the same core by itself. The difference in area
and in registers is a sum over what stands around the core, with prices that are not negative
(least squares of the error relative to the whole). The clock is the slower one of the core and of
the mode: the shortest period at which the mode was ever seen. The error is known: each record is
foretold from the others.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from roundsmith import catalogue, records
from roundsmith.cache import cache_dir
from roundsmith.errors import RoundsmithError
from roundsmith.records import Measurement
from roundsmith.spec import Bus, Mode, Spec, buses, modes
from roundsmith.targets import Kind, Target

#: Changes whenever what was kept would no longer be learnt as it was.
_VERSION = 1

#: The terms of the sum: a price for each mode and each bus, and for what grows with the core: the
#: bits of the blocks that are accounted for, the steps of GHASH, the words of a stream's beat.
MODES = tuple(mode for mode in Mode if mode is not Mode.NONE)
COLUMNS = (*MODES, *buses.MESSAGES, "blocks", "ghash", "narrow")

#: Figures that are a sum; the period of the clock is not.
SUMS = ("lut", "ff", "area_ge")


@dataclass(frozen=True)
class Example:
    """A core in a mode that was measured, and the same core by itself."""

    spec: Spec
    record: Measurement
    base: Measurement


@dataclass(frozen=True)
class Wrapping:
    """What is known of modes and buses on a target; `source` is where it was learnt.

    `prices` has a price for each of `COLUMNS`, for each figure; `periods` the shortest clock period
    in ns of each mode and bus; `errors` the median error of each figure of the whole core, as a
    share, and `cores` how many it was learnt from.
    """

    source: str
    prices: Mapping[str, Sequence[float]]
    periods: Mapping[str, float]
    errors: Mapping[str, float]
    cores: int

    def more(self, spec: Spec, figure: str) -> float:
        """Return by how much a figure of `spec` is more than that of its core."""
        return float(terms(spec) @ np.array(self.prices[figure]))

    def period(self, spec: Spec) -> float:
        """Return the shortest clock period that the mode and the bus of `spec` allow, in ns."""
        return max(self.periods.get(str(word), 0.0) for word in (spec.what.mode, spec.what.bus))


def terms(spec: Spec) -> NDArray[np.float64]:
    """Return what the sum is over, in the order of `COLUMNS`: a mode for each stream."""
    what, count = spec.what, spec.how.streams
    is_gcm = what.mode is Mode.GCM
    found: dict[str, float] = {
        what.mode: float(count),
        what.bus: 1.0,
        "blocks": 128.0 * modes.depth(spec) * count,
        "ghash": float(modes.ghash_bits(spec) * modes.ghash_lanes(spec)) if is_gcm else 0.0,
        "narrow": (
            float(128 / buses.stream_bits(spec) - 1) if what.bus is Bus.AXI4_STREAM else 0.0
        ),
    }
    return np.array([found.get(name, 0.0) for name in COLUMNS])


def examples(target: str, aim: str) -> list[Example]:
    """Return the cores in a mode that were measured on a target, with their cores' records."""
    last = {
        m.name: m
        for m in records.measurements()
        if m.target == target and (not aim or m.flow.startswith(f"{aim}-driven"))
    }
    found = []
    for name, record in last.items():
        try:
            spec = catalogue.find(name)
        except RoundsmithError:
            continue  # a core of somebody's own, or one that is no more
        # Several streams have a mode each: they say nothing of what one costs.
        base = last.get(spec.bare().name) if spec.has_mode and spec.how.streams == 1 else None
        if base is not None:
            found.append(Example(spec, record, base))
    return found


def known(target: Target, aim: str, digest: str) -> Wrapping:
    """Return what is known of modes and buses on `target`; `digest` is that of the records.

    RoundsmithError where no core in a mode was measured on a target of its kind.
    """
    key = hashlib.sha256(f"{target.name} {aim} {digest} {_VERSION}".encode()).hexdigest()[:40]
    return _known(target, aim, f"{key}.json")


@cache
def _known(target: Target, aim: str, name: str) -> Wrapping:
    kept = cache_dir() / "wrappers" / name
    if kept.exists():
        return Wrapping(**json.loads(kept.read_text()))
    made = _learn(target, aim)
    kept.parent.mkdir(parents=True, exist_ok=True)
    part = kept.with_suffix(f".{id(made)}")
    part.write_text(json.dumps(asdict(made)))
    part.replace(kept)
    return made


def _learn(target: Target, aim: str) -> Wrapping:
    source = _source(target, aim)
    found = examples(source, aim)
    prices, errors = {}, {}
    for figure in SUMS:
        own = [one for one in found if _more(one, figure) is not None]
        if own:
            prices[figure] = _prices(own, figure)
            wrong = [_wrong(one, [o for o in own if o is not one], figure) for one in own]
            errors[figure] = float(np.median(wrong))
    return Wrapping(source, prices, _periods(found), errors, len(found))


def _source(target: Target, aim: str) -> str:
    """Return the target to learn from: this one, or the richest one that is made alike."""
    first = {Kind.ASIC: "asic:", Kind.MAPPED: "mapped:"}.get(target.kind)
    # One FPGA with LUT4s is much like another.
    alike = (first,) if first else ("ecp5", "ice40", "nexus")
    names = {m.target for m in records.measurements() if m.target.startswith(alike)}
    counts = {name: len(examples(name, aim)) for name in sorted(names)}
    rich = max(counts.values(), default=0)
    if rich < len(MODES):
        raise RoundsmithError(
            f"Too few cores in a mode were measured on {target.name} or a target of its kind to "
            f"estimate one; `roundsmith measure iterative-lut4-ctr --target {target.name}` "
            "measures one."
        )
    own = counts.get(target.name, 0)
    return target.name if own >= len(MODES) else max(counts, key=lambda name: counts[name])


def _more(one: Example, figure: str) -> float | None:
    whole, alone = getattr(one.record, figure), getattr(one.base, figure)
    return None if whole is None or alone is None else float(whole - alone)


def _prices(some: Sequence[Example], figure: str) -> list[float]:
    from sklearn.linear_model import LinearRegression

    rows = np.stack([terms(one.spec) for one in some])
    whole = np.array([getattr(one.record, figure) for one in some], dtype=float)
    more = np.array([_more(one, figure) for one in some], dtype=float)
    sizes = np.maximum(rows.max(axis=0), 1e-9)
    line = LinearRegression(positive=True, fit_intercept=False)
    line.fit(rows / sizes / whole[:, None], more / whole)
    return [float(price) for price in line.coef_ / sizes]


def _wrong(one: Example, others: Sequence[Example], figure: str) -> float:
    """Return how far the figure of the whole core is off when foretold from the others."""
    whole = float(getattr(one.record, figure))
    guess = getattr(one.base, figure) + terms(one.spec) @ np.array(_prices(others, figure))
    return float(abs(guess / whole - 1))


def _periods(some: Sequence[Example]) -> dict[str, float]:
    found: dict[str, float] = {}
    for one in some:
        fmax, cycle = one.record.fmax_mhz, one.record.cycle_ns
        period = 1000 / fmax if fmax else cycle
        if period is None:
            continue
        # A bus was never seen without a mode: what the mode alone allows says nothing of it.
        word = str(one.spec.what.mode if one.spec.what.bus is Bus.NONE else one.spec.what.bus)
        found[word] = min(found.get(word, period), period)
    return found
