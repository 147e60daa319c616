"""The area-time curve of a core in standard cells: its smallest netlist for each of some clocks.

The clocks are preferred numbers (ISO 3, R20: steps of 12 %), from just below the fastest netlist
that is known up to the clock at which the smallest one will do, so that the points of two cores
have the same clocks. Each point is a record, area and period from one netlist, and is not made
again. The ends of the curve are the delay-driven and the area-driven record of the core.
"""

import hashlib
import math
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from roundsmith.base.cache import cache_dir
from roundsmith.base.errors import RoundsmithError
from roundsmith.flows import asic, synthesize
from roundsmith.flows.asic import AsicResult
from roundsmith.flows.families.asic import figures, standard_cells
from roundsmith.flows.flow import CELLS, Target
from roundsmith.measure.measure import measure, record
from roundsmith.records import records
from roundsmith.records.records import Measurement
from roundsmith.spec import Spec

#: The numbers of ISO 3's series R20 in one decade.
_R20 = (1.0, 1.12, 1.25, 1.4, 1.6, 1.8, 2.0, 2.24, 2.5, 2.8,
        3.15, 3.55, 4.0, 4.5, 5.0, 5.6, 6.3, 7.1, 8.0, 9.0)  # fmt: skip

#: A point that is at most this much larger than the smallest netlist ends the curve.
_FLAT = 1.002

_AIM = "delay at {:g} ns"


def sweep(
    spec: Spec, target: Target, *, progress: Callable[[str, int, int], None]
) -> list[Measurement]:
    """Return the curve of `spec`: the two ends and a point for every clock between, by clock.

    What is not stored is measured now and stored point by point. `progress` is told each step,
    how many are done and how many there are at most.
    """
    if target.flow.logic is not CELLS:
        raise RoundsmithError(
            f"--sweep draws the area-time curve of a core in standard cells, and {target.name} "
            "has none; take asic:osu018 or asic:FILE.lib."
        )
    ends = {m.flow.partition("-")[0]: m for m in measure(spec, target, progress=progress)}
    fast = standard_cells(spec, target, "delay")
    smallest, fastest = ends["area"], ends["delay"]
    clocks = periods(fastest.cycle_ns or 0.0, smallest.cycle_ns or 0.0)
    stored = {m.flow.partition(":")[0]: m for m in points(spec, target)}
    found = []
    for done, period in enumerate(clocks):
        aim = _AIM.format(period)
        progress(f"the smallest netlist for {period:g} ns", done, len(clocks))
        point = stored.get(aim)
        if point is None:
            result = _netlist(spec, target, period, overhead(fast))
            identity = records.identity(spec, target)
            identity["design_hash"] = _hash(spec, target)
            point = record(spec, target, figures(target, result, aim), identity)
            records.append(point)
        found.append(point)
        if (point.area_ge or 0.0) <= _FLAT * (smallest.area_ge or 0.0):
            break
    progress("done", len(clocks), len(clocks))
    return [fastest, *found, smallest]


def points(spec: Spec, target: Target) -> list[Measurement]:
    """Return the stored points of the curve that are true of the design as it is."""
    wanted = _hash(spec, target)
    return [m for m in records.measurements() if (m.name, m.design_hash) == (spec.name, wanted)]


def front(found: Sequence[Measurement]) -> list[Measurement]:
    """Return the netlists of which none is both smaller and faster, the fastest first."""
    best: list[Measurement] = []
    for point in sorted(found, key=lambda m: (m.cycle_ns or 0.0, m.area_ge or 0.0)):
        if not best or (point.area_ge or 0.0) < (best[-1].area_ge or 0.0):
            best.append(point)
    return best


def periods(fastest: float, smallest: float) -> list[float]:
    """Return the preferred numbers from just below `fastest` to the first above `smallest`."""
    decade = math.floor(math.log10(fastest)) - 1
    numbers = [
        round(number * 10.0**exponent, 6) for exponent in range(decade, 9) for number in _R20
    ]
    first = max(i for i, number in enumerate(numbers) if number <= fastest)
    last = next(i for i, number in enumerate(numbers) if number >= smallest)
    return numbers[first : max(first, last) + 1]


def overhead(result: AsicResult) -> float:
    """Return what a flip-flop takes of the clock period: clock to output, and setup, in ns."""
    start, output = result.timing.path[0], result.timing.path[1]
    return output.arrival - start.arrival + result.timing.setup


def _hash(spec: Spec, target: Target) -> str:
    text = records.design_hash(spec, target) + asic.CURVE_FLOW
    return hashlib.sha256(text.encode()).hexdigest()


def _netlist(spec: Spec, target: Target, period: float, flop: float) -> AsicResult:
    with tempfile.TemporaryDirectory(dir=cache_dir(), prefix=".curve-") as scratch:
        files = synthesize.sources(spec, target)
        return asic.at_period(files, spec.module, target.library(), Path(scratch), period, flop)
