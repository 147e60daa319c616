"""Measure a core on a target: run the flow, work out the figures, store the records.

Area and clock of a record are always of one netlist. What is stored of the design as it is, a
measurement or a failure, is not made again.
"""

import re
from contextlib import suppress

from roundsmith import spec as formulas
from roundsmith.attribution import cell_components
from roundsmith.base.cache import claim
from roundsmith.base.errors import (
    DoesNotFit,
    DoesNotRoute,
    KnownFailure,
    TimedOut,
    ToolError,
    ToolMissing,
)
from roundsmith.flows.flow import Figures, Progress, Target
from roundsmith.measure import picture
from roundsmith.records import records
from roundsmith.records.records import Failure, FailureKind, Identity, Measurement, PathStep
from roundsmith.spec import Spec


def measure(
    spec: Spec, target: Target, *, progress: Progress, again: bool = False
) -> list[Measurement]:
    """Return the measurements of `spec` on `target`, measured now if they are not stored.

    An FPGA gives one, without a clock where it is only mapped; standard cells give two, one
    area-driven and one delay-driven.
    `progress` is told each step, how many are done and how many there are.

    A failure of a tool is stored, and raised. A design that failed before is not tried `again`
    unless that says so, but for a tool that was missing; nor is one measured again whose components
    were told by an older rule.
    """
    try:
        found = stored(spec, target, again)
        if found is None and not again:
            check_failed(spec, target)
        return found or _measured(spec, target, progress, again)
    except ToolMissing as missing:
        keep_failure(spec, target, missing)
        raise


def stored(spec: Spec, target: Target, again: bool = False) -> list[Measurement] | None:
    """Return the measurements of the design as it is, None if not all are there.

    Those of a narrow core must tell its components as the rule is now, those of others `again`.
    """
    found = records.current(spec, target)
    if spec.is_narrow or again:
        found = [m for m in found if cell_components.told(spec, m)]
    return found if len(found) == len(target.flow.aims) else None


def check_failed(spec: Spec, target: Target) -> None:
    """Raise KnownFailure where the design as it is failed before; not where a tool was missing."""
    known = records.failed(spec, target)
    if known is not None and known.kind != "tool missing":
        raise KnownFailure(
            f"{spec.name} on {target.name} failed before ({known.reason.rstrip('.')}); "
            "--again tries it once more."
        )


def _measured(spec: Spec, target: Target, progress: Progress, again: bool) -> list[Measurement]:
    target.flow.check(spec, target)
    with claim(spec.name, target.name, records.design_hash(spec, target)):
        records.forget()
        there = stored(spec, target, again)  # from another process, while this one waited
        if there is not None:
            return there
        try:
            with records.unchanged(spec, target):
                found = _figures(spec, target, progress)
        except ToolMissing:
            raise
        except ToolError as problem:
            keep_failure(spec, target, problem)
            raise
        for record in found:
            records.append(record)
    return found


_KINDS: dict[type[ToolError], FailureKind] = {
    DoesNotFit: "does not fit",
    DoesNotRoute: "does not route",
    ToolMissing: "tool missing",
    TimedOut: "timed out",
}


def keep_failure(spec: Spec, target: Target, problem: ToolError) -> None:
    """Store why `spec` could not be measured on `target`, unless the last record says the same."""
    missing = isinstance(problem, ToolMissing)
    failure = Failure(
        name=spec.name,
        target=target.name,
        kind=_KINDS.get(type(problem), "refused"),
        # A log is of this machine, and of this run.
        reason=re.sub(r" \(log: [^)]*\)", "", str(problem)),
        **records.identity(spec, None if missing else target),
        tools={} if missing else target.tools(),
    )
    if records.failed(spec, target) != failure:
        records.append(failure)


def _figures(spec: Spec, target: Target, progress: Progress) -> list[Measurement]:
    """Return a record for each aim of the flow, from what is stored as far as it is there."""
    found, there, aims = [], records.current(spec, target), target.flow.aims
    for done, aim in enumerate(aims):
        known = next((m for m in there if aim and m.flow.startswith(aim)), None)
        if known is not None:
            progress(f"{aim}-driven parts", done, len(aims))
            found.append(_told_again(spec, target, aim, known))
            continue
        figures = target.flow.measure(spec, target, aim, progress)
        found.append(record(spec, target, figures, records.identity(spec, target)))
    if len(aims) > 1:
        progress("done", len(aims), len(aims))
    return found


def _told_again(spec: Spec, target: Target, aim: str, known: Measurement) -> Measurement:
    """Return a record of the design as it is with its components told by the rule as it is.

    Nothing else of it can change: only the netlist that keeps the instances is made anew.
    """
    told = None
    # Where abc fails in this shape alone, nobody knows how large the instances are.
    with suppress(ToolError):
        told = cell_components.components(spec, target.flow.parts(spec, target, aim, known.flow))
    rule = cell_components.rule(spec)
    found = {"components": told, "components_rule": rule, **records.identity(spec, target)}
    return known.model_copy(update=found)


def record(spec: Spec, target: Target, found: Figures, identity: Identity) -> Measurement:
    """Return the record of what a flow found, and draw a placement."""
    if found.layout is not None:
        layout = found.layout
        picture.draw(layout.bels, layout.roles, records.picture_path(spec, target), layout.title)
    interval = formulas.cycles_per_block(spec)
    throughput = _throughput(found, interval)
    seeds = found.fmax_by_seed
    spread = None if seeds is None else (min(seeds.values()), max(seeds.values()))
    told = found.parts is not None
    return Measurement(
        name=spec.name,
        target=target.name,
        lut=found.lut,
        smallest_lut=found.smallest_lut,
        ff=found.ff,
        block_ram=found.block_ram,
        slices=found.slices,
        shift_registers=found.shift_registers,
        memory_luts=found.memory_luts,
        cells=None if found.cells is None else dict(found.cells),
        levels=found.levels,
        fmax_mhz=_rounded(found.fmax_mhz, 2),
        fmax_spread_mhz=None if spread is None else (round(spread[0], 2), round(spread[1], 2)),
        fmax_capped_mhz=_rounded(found.fmax_capped_mhz, 2),
        cycles_per_block=interval,
        throughput_mbps=_rounded(throughput, 1),
        mbps_per_klut=_per_thousand(throughput, found.lut),
        area_ge=_rounded(found.area_ge, 1),
        cycle_ns=_rounded(found.cycle_ns, 3),
        mbps_per_kge=_per_thousand(throughput, found.area_ge),
        flow=found.flow,
        **identity,
        tools={**target.tools(), **found.tools},
        seeds=None if seeds is None else sorted(seeds),
        components=cell_components.components(spec, found.parts) if found.parts else None,
        components_rule=cell_components.rule(spec) if told else None,
        critical_path=[
            PathStep(part=part, delay_ns=round(delay, 3)) for part, delay in found.critical_path
        ],
        from_inputs_ns=found.from_inputs_ns,
        to_outputs_ns=found.to_outputs_ns,
    )


def _throughput(found: Figures, interval: float) -> float | None:
    """Return Mbit/s at a block every `interval` cycles; None where no clock is told."""
    if found.cycle_ns is not None:
        return 128e3 / found.cycle_ns / interval
    return None if found.fmax_capped_mhz is None else 128 * found.fmax_capped_mhz / interval


def _per_thousand(throughput: float | None, area: float | None) -> float | None:
    """Return Mbit/s for each thousand LUTs or gate equivalents."""
    if throughput is None or area is None:
        return None
    return round(1000 * throughput / max(1, area), 1)


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
