"""Measure a core on a target: run the flow, work out the figures, store the records.

Area and clock of a record are always of one netlist. What is stored of the design as it is, a
measurement or a failure, is not made again.
"""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress

from roundsmith import spec as formulas
from roundsmith.attribution import cell_components
from roundsmith.base.cache import claim
from roundsmith.base.errors import (
    DoesNotFit,
    DoesNotRoute,
    KnownFailure,
    RoundsmithError,
    TimedOut,
    ToolError,
    ToolMissing,
)
from roundsmith.flows import asic, ecp5, ecp5_quarters, ecp5_refine, ice40, nexus, synthesize
from roundsmith.flows.asic import AsicResult
from roundsmith.flows.ecp5 import Placement
from roundsmith.flows.targets import Kind, Target
from roundsmith.measure import picture
from roundsmith.records import records
from roundsmith.records.records import Failure, FailureKind, Identity, Measurement, PathStep
from roundsmith.spec import Spec
from roundsmith.tools import opensta

Progress = Callable[[str, int, int], None]


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
    wanted = len(asic.OBJECTIVES) if target.kind is Kind.ASIC else 1
    return found if len(found) == wanted else None


def check_failed(spec: Spec, target: Target) -> None:
    """Raise KnownFailure where the design as it is failed before; not where a tool was missing."""
    known = records.failed(spec, target)
    if known is not None and known.kind != "tool missing":
        raise KnownFailure(
            f"{spec.name} on {target.name} failed before ({known.reason.rstrip('.')}); "
            "--again tries it once more."
        )


def _measured(spec: Spec, target: Target, progress: Progress, again: bool) -> list[Measurement]:
    if target.file is not None:
        target.library()  # a mistake in a user's own file is no failure of the core
    if target.kind is Kind.VENDOR:
        raise RoundsmithError(
            f"The tool of {target.name} is not called from here: `roundsmith build {spec.name} "
            f"--target {target.name}` writes its project, and `roundsmith measure {spec.name} "
            f"--target {target.name} --report FILE --report FILE` reads its reports."
        )
    flows = {
        Kind.ECP5: _ecp5,
        Kind.ICE40: _ice40,
        Kind.NEXUS: _nexus,
        Kind.MAPPED: _mapped,
        Kind.ASIC: _asic,
    }
    with claim(spec.name, target.name, records.design_hash(spec, target)):
        records.forget()
        there = stored(spec, target, again)  # from another process, while this one waited
        if there is not None:
            return there
        try:
            with records.unchanged(spec, target):
                found = flows[target.kind](spec, target, progress)
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


def _ecp5(spec: Spec, target: Target, progress: Progress) -> list[Measurement]:
    if target.floorplan:
        placed = ecp5_quarters.measure(
            synthesize.sources(spec, target),
            spec.module,
            target.grade,
            folder=synthesize.work(spec, target),
            progress=progress,
        )
        return [_placed(spec, target, placed)]
    if target.refined:
        placed = ecp5_refine.measure(
            synthesize.sources(spec, target),
            spec.module,
            target.size,
            target.grade,
            folder=synthesize.work(spec, target),
            progress=progress,
        )
        return [_placed(spec, target, placed)]
    placed = ecp5.measure_ecp5(
        synthesize.sources(spec, target),
        spec.module,
        target.size,
        target.grade,
        folder=synthesize.work(spec, target),
        progress=progress,
        plain=target.plain,
    )
    return [_placed(spec, target, placed)]


def _ice40(spec: Spec, target: Target, progress: Progress) -> list[Measurement]:
    placed = ice40.measure(
        synthesize.sources(spec, target),
        spec.module,
        target.size,
        synthesize.work(spec, target),
        floorplanned=target.floorplan,
        progress=progress,
    )
    return [_placed(spec, target, placed)]


def _nexus(spec: Spec, target: Target, progress: Progress) -> list[Measurement]:
    placed = nexus.measure(
        synthesize.sources(spec, target),
        spec.module,
        target.size,
        synthesize.work(spec, target),
        progress=progress,
    )
    return [_placed(spec, target, placed)]


def _placed(spec: Spec, target: Target, placed: Placement) -> Measurement:
    """Draw a placement and return its record."""
    picture.draw(
        placed.bels,
        placed.roles,
        records.picture(spec, target),
        f"{spec.module} on {placed.target}: {placed.fmax_mhz:.1f} MHz, {placed.netlist.lut:,} LUT4",
    )
    interval = formulas.cycles_per_block(spec)
    throughput = 128 * placed.fmax_capped_mhz / interval
    by_seed = placed.fmax_by_seed
    return Measurement(
        name=spec.name,
        target=target.name,
        lut=placed.netlist.lut,
        smallest_lut=placed.smallest_lut,
        ff=placed.netlist.ff,
        block_ram=placed.netlist.block_ram,
        fmax_mhz=round(placed.fmax_mhz, 2),
        fmax_spread_mhz=(round(min(by_seed.values()), 2), round(max(by_seed.values()), 2)),
        fmax_capped_mhz=round(placed.fmax_capped_mhz, 2),
        cycles_per_block=interval,
        throughput_mbps=round(throughput, 1),
        mbps_per_klut=round(1000 * throughput / placed.netlist.lut, 1),
        flow=f"place and route: mapping {placed.netlist.mapping}, placer {placed.placer}",
        **records.identity(spec, target),
        tools=target.tools(),
        seeds=sorted(by_seed),
        critical_path=[
            PathStep(
                part=s.start if s.start == s.end else f"{s.start} .. {s.end}",
                delay_ns=round(s.logic_ns + s.routing_ns, 3),
            )
            for s in placed.critical_path
        ],
        from_inputs_ns=placed.input_to_register_ns,
        to_outputs_ns=placed.register_to_output_ns,
    )


def _mapped(spec: Spec, target: Target, progress: Progress) -> list[Measurement]:
    progress(f"mapping to {target.size}", 0, 1)
    if target.family is not None:
        return [_fitted(spec, target)]
    made = synthesize.mapped_netlist(spec, target)
    return [
        Measurement(
            name=spec.name,
            target=target.name,
            lut=made.lut,
            ff=made.ff,
            block_ram=made.block_ram,
            slices=made.slices,
            shift_registers=made.shift_registers,
            memory_luts=made.memory_luts,
            cycles_per_block=formulas.cycles_per_block(spec),
            flow=f"mapped: area only, mapping {made.mapping}",
            **records.identity(spec, target),
            tools=target.tools(),
        )
    ]


def _fitted(spec: Spec, target: Target) -> Measurement:
    made = synthesize.family_netlist(spec, target)
    counts = dict(made.counts)
    return Measurement(
        name=spec.name,
        target=target.name,
        lut=counts.pop("lut"),
        ff=counts.pop("ff"),
        block_ram=counts.pop("block_ram"),
        slices=made.slices,
        cells=counts,
        levels=made.levels,
        cycles_per_block=formulas.cycles_per_block(spec),
        flow=f"mapped: area only, mapping {made.mapping}",
        **records.identity(spec, target),
        tools=target.tools(),
    )


def _asic(spec: Spec, target: Target, progress: Progress) -> list[Measurement]:
    found, there = [], records.current(spec, target)
    for done, objective in enumerate(asic.OBJECTIVES):
        known = next((m for m in there if m.flow.startswith(objective)), None)
        if known is not None:
            progress(f"{objective}-driven parts", done, len(asic.OBJECTIVES))
            found.append(_told_again(spec, target, objective, known))
            continue
        progress(f"{objective}-driven synthesis and timing", done, len(asic.OBJECTIVES))
        result = synthesize.standard_cells(spec, target, objective)
        identity = records.identity(spec, target)
        found.append(in_cells(spec, target, result, f"{objective}-driven", identity))
    progress("done", len(asic.OBJECTIVES), len(asic.OBJECTIVES))
    return found


def _told_again(
    spec: Spec, target: Target, objective: asic.Objective, known: Measurement
) -> Measurement:
    """Return a record of the design as it is with its components told by the rule as it is.

    Nothing else of it can change: only the netlist that keeps the instances is made anew.
    """
    told = None
    # Where abc fails in this shape alone, nobody knows how large the instances are.
    with suppress(ToolError):
        script = known.flow.split()[-1]
        paths = synthesize.standard_cell_parts(spec, target, objective, script)
        told = cell_components.components(spec, paths)
    rule = cell_components.rule(spec)
    found = {"components": told, "components_rule": rule, **records.identity(spec, target)}
    return known.model_copy(update=found)


def in_cells(
    spec: Spec, target: Target, result: AsicResult, aim: str, identity: Identity
) -> Measurement:
    """Return the record of one netlist in standard cells; `aim` is what it was made for."""
    interval = formulas.cycles_per_block(spec)
    throughput = 128e3 / result.timing.cycle / interval
    return Measurement(
        name=spec.name,
        target=target.name,
        ff=_flip_flops(result.cells, target),
        cycles_per_block=interval,
        throughput_mbps=round(throughput, 1),
        area_ge=round(result.ge, 1),
        cycle_ns=round(result.timing.cycle, 3),
        mbps_per_kge=round(1000 * throughput / result.ge, 1),
        flow=f"{aim}: {result.flow}",
        **identity,
        tools={**target.tools(), "opensta": opensta.version()},
        components=cell_components.components(spec, result.components)
        if result.components
        else None,
        components_rule=cell_components.rule(spec),
        critical_path=[
            PathStep(part=f"{s.pin} ({s.cell})", delay_ns=round(s.arrival, 3))
            for s in result.timing.path
        ],
        from_inputs_ns=result.timing.from_inputs,
        to_outputs_ns=result.timing.to_outputs,
    )


def _flip_flops(cells: Mapping[str, int], target: Target) -> int:
    library = target.library()
    return sum(count for name, count in cells.items() if library.cells[name].flop is not None)
