"""Measured figures as tables and lines, from records only."""

from collections.abc import Iterable, Sequence

from rich.table import Table

from roundsmith import spec as formulas
from roundsmith.attribution import cell_components
from roundsmith.base.errors import RoundsmithError
from roundsmith.flows import targets
from roundsmith.flows.targets import Target
from roundsmith.measure.campaign import Outcome
from roundsmith.records import records
from roundsmith.records.records import Failure, Measurement, PowerEstimate
from roundsmith.spec import Spec


def of(spec: Spec) -> list[Measurement]:
    """Return the measurements of `spec` that are true of the design as it is."""
    found: list[Measurement] = []
    for name in dict.fromkeys(m.target for m in records.measurements() if m.name == spec.name):
        try:
            target = targets.parse(name)
        except RoundsmithError:
            continue  # a user's Liberty file that is not here
        found += records.current(spec, target)
    return found


def table(rows: Sequence[Measurement]) -> Table:
    """Return a table with a row for each record and only the columns that apply to one."""
    cells = [_cells(row) for row in rows]
    headings = ["name", "target", "flow"]
    for row in cells:
        headings += [h for h in row if h not in headings]
    result = Table(box=None, pad_edge=False)
    for heading in headings:
        left = heading in {"name", "target", "flow"}
        result.add_column(heading, justify="left" if left else "right")
    for record, row in zip(rows, cells, strict=True):
        flow = record.flow.partition(":")[0]
        values = {"name": record.name, "target": record.target, "flow": flow, **row}
        result.add_row(*(values.get(heading, "") for heading in headings))
    return result


def pace(spec: Spec, cycles: float) -> str:
    """Return how fast streams go together, at `cycles` a block, and how full the core is."""
    filled = formulas.filled_slots(spec, cycles)
    return (
        f"{spec.how.streams} streams, a block every {cycles:.4g} cycles, "
        f"{filled:.1%} of the slots filled"
    )


def _cells(record: Measurement) -> dict[str, str]:
    shown: list[tuple[str, float | int | None, str]] = [
        ("LUT4" if record.cells is None else "LUT", record.lut, ",d"),
        ("FF", record.ff, ",d"),
        ("EBR" if record.cells is None else "RAM", record.block_ram, "d"),
        ("slices", record.slices, ",d"),
        ("levels", record.levels, "d"),
        ("fmax MHz", record.fmax_mhz, ".1f"),
        ("Mbit/s", record.throughput_mbps, ",.0f"),
        ("per kLUT", record.mbps_per_klut, ".0f"),
        ("GE", record.area_ge, ",.0f"),
        ("ns", record.cycle_ns, ".2f"),
        ("per kGE", record.mbps_per_kge, ".0f"),
    ]
    return {heading: format(value, style) for heading, value, style in shown if value is not None}


def details(rows: Iterable[Measurement], spec: Spec, target: Target) -> list[str]:
    """Return what a table has no room for: spread, components, critical path, picture."""
    lines = []
    for record in rows:
        lines.append("")
        lines.append(record.flow)
        if record.fmax_spread_mhz is not None and record.seeds is not None:
            low, high = record.fmax_spread_mhz
            lines.append(
                f"  fmax {low:.1f} to {high:.1f} MHz over {len(record.seeds)} seeds, "
                f"{record.fmax_capped_mhz:.1f} MHz under the limit of the clock tree"
            )
        if record.shift_registers is not None:
            lines.append(
                f"  of the LUTs {record.shift_registers:,} are shift registers (SRL16) and "
                f"{record.memory_luts:,} distributed RAM; slices are the fewest that hold all LUTs "
                "and flip-flops, two of each in one"
            )
        rule = target.flow.rule(target)
        if record.cells is not None and rule:
            counts = ", ".join(
                f"{n:,} {kind.replace('_', ' ')}" for kind, n in record.cells.items()
            )
            lines.append(f"  {counts}")
            lines.append(f"  {rule}")
        for part, ge in cell_components.shown(spec, record).items():
            lines.append(f"  {ge:8,.0f} GE  {part}")
        if record.critical_path and record.area_ge is None:
            lines.append("  critical path:")
            lines += [f"  {s.delay_ns:8.2f} ns  {s.part}" for s in record.critical_path]
        elif record.critical_path:
            first, last = record.critical_path[0].part, record.critical_path[-1].part
            cells = len(record.critical_path)
            lines.append(f"  critical path: {first} to {last}, {cells} pins")
    drawn = records.picture(spec, target) if target.is_placed else None
    if drawn is not None:
        lines.append(f"  placement: {drawn}")
    return lines


def outcome_line(outcome: Outcome, left: float | None) -> str:
    """Return what became of a pair, and about how long the others will take, on one line."""
    pair = outcome.pair
    if outcome.reason:
        said = outcome.reason.rstrip(".")
    else:
        said = "; ".join(
            ", ".join(f"{value} {heading}" for heading, value in _cells(record).items())
            for record in outcome.found
        )
    line = f"{pair.spec.name} on {pair.target.name}: {said}"
    line += f" ({outcome.seconds:.0f} s)" if outcome.seconds else " (stored)"
    return line + (f"; about {_duration(left)} left" if left else "")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def failure_line(failure: Failure) -> str:
    """Return why a core could not be measured on a target, on one line."""
    return f"{failure.name} on {failure.target} {failure.kind}: {failure.reason}"


def energy(found: PowerEstimate) -> list[str]:
    """Return an estimate of energy as lines."""
    parts = {
        "switching": found.switching_pj,
        "internal": found.internal_pj,
        "clock": found.clock_pj,
    }
    shares = ", ".join(
        f"{name} {value:,.1f} ({value / found.energy_pj:.0%})" for name, value in parts.items()
    )
    return [
        f"{found.name} on {found.target} at {found.voltage:g} V: "
        f"{found.energy_pj:,.1f} pJ a block, {found.energy_pj_per_bit:.3f} pJ a bit",
        f"  {shares}",
        f"  an estimate without wires and hazards, from {found.blocks} blocks of "
        f"{found.cycles_per_block:g} cycles, all right",
    ]
