"""A sweep: measure what a space holds, the cheapest first, without what cannot be on the front.

Who starts it again goes on where it was: what has a record is not measured twice, on one machine
or on many.
"""

from collections.abc import Sequence
from typing import Any

from roundsmith import catalogue
from roundsmith.explore import ciphers, estimator, space
from roundsmith.explore.estimator import Estimate
from roundsmith.explore.features import fabric, features
from roundsmith.explore.front import cost, front
from roundsmith.flows.flow import Target
from roundsmith.measure import campaign
from roundsmith.measure.campaign import Outcome, Pair, Report
from roundsmith.spec import Cipher, Spec
from roundsmith.spec.ciphers import DEFAULT

#: By how many median errors a core may be better than estimated before it is left out.
DOUBT = 2.0


def run(
    specs: Sequence[Spec],
    target: Target,
    *,
    jobs: int,
    report: Report,
    scheduler: str | None = None,
    again: bool = False,
    limit: float | None = None,
) -> list[Outcome]:
    """Measure `specs` on `target`: by processes here, or by the workers of a Dask scheduler."""
    pairs = [Pair(spec, target) for spec in cheapest_first(specs, target)]
    if scheduler is not None:
        from roundsmith.explore import distribute

        return distribute.run(pairs, scheduler, report=report, again=again)
    return campaign.run(pairs, jobs=jobs, report=report, again=again, limit=limit)


def cheapest_first(specs: Sequence[Spec], target: Target) -> list[Spec]:
    """Return `specs` by what their parts come to, so that what is small is measured soon.

    That takes no estimator, which a target without records does not have.
    """
    name = fabric(target, "area")

    def size(spec: Spec) -> float:
        return float(features(spec, name).terms.sum())

    return sorted(specs, key=lambda spec: (size(spec), spec.name))


def estimates(specs: Sequence[Spec], target: Target) -> list[Estimate]:
    """Return one estimate a core: in standard cells that of the netlist made for speed."""
    found = estimator.estimate(specs, target)
    return [e for e in found if e.aim in {"", "delay"}]


def area(item: Any) -> float:
    """Return the area of a record or an estimate: gate equivalents, or LUTs."""
    found = item.area_ge if item.area_ge is not None else item.lut
    return float("inf") if found is None else float(found)


def pruned(specs: Sequence[Spec], target: Target) -> list[Spec]:
    """Return those of `specs`, all of one cipher, that may be on the front of area and throughput.

    One is left out when the estimates of another are better in both, by more than `DOUBT` times
    the error that they have in the median. Where a target tells no clock, none is left out.
    """
    if not target.flow.is_timed or not specs:
        return list(specs)
    found = estimates(specs, target)
    cipher = specs[0].what.cipher
    in_mode = any(spec.has_mode for spec in specs)
    doubts = estimator.doubts(target, estimator.aims(target)[-1], cipher, in_mode=in_mode)
    in_area = DOUBT * doubts[target.flow.logic.area]
    in_time = DOUBT * doubts[target.flow.logic.period]
    best = front(found, area, cost("throughput_mbps"))

    def is_beaten(one: Estimate) -> bool:
        smallest, fastest = area(one) * (1 - in_area), (one.throughput_mbps or 0) * (1 + in_time)
        return any(area(b) < smallest and (b.throughput_mbps or 0) > fastest for b in best)

    return [one.spec for one in found if not is_beaten(one)]


# --- The shipped catalogue of measurements ------------------------------------------------------


def standard(target: Target, cipher: Cipher = DEFAULT) -> list[Spec]:
    """Return the cores of the sweep whose measurements are shipped: all over the plane.

    Named cores of the cipher, all that can stand on the target, and a grid around them; where each
    one is placed and routed, a part of it.
    """
    named = [
        spec
        for spec in catalogue.native().values()
        if spec.what.cipher is cipher and not spec.has_mode and space.stands_on(spec, target)
    ]
    found = {spec.name: spec for spec in named}
    for one in ciphers.of(cipher).sweep(target):
        found |= {spec.name: spec for spec in space.specs(one, target)}
    return cheapest_first(list(found.values()), target)
