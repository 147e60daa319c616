"""Measure a core on a target: run the flow, work out the figures, store the records.

Area and clock of a record are always of one netlist. A record of the design as it is is not
measured again.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from roundsmith import asic, fpga, ice40, records, synthesize
from roundsmith import spec as formulas
from roundsmith.fpga import Placement
from roundsmith.records import Measurement, PathStep
from roundsmith.report import placement
from roundsmith.spec import Spec
from roundsmith.targets import Kind, Target

Progress = Callable[[str, int, int], None]

#: Components of a core in standard cells, by the names of the instances that make them up.
COMPONENTS = {
    "S-boxes of the state": ("u_sub_bytes",),
    "S-boxes of the key schedule": ("u_sub_word",),
    "key step": ("u_key_step",),
    "linear layer": ("u_linear", "u_mix_columns"),
    "registers of the round": ("u_cut_sub", "u_cut_mix", "u_cut_round", "u_delay"),
    "output register": ("u_cut_out", "u_cut_out_tag"),
    "port": ("u_flow",),
}
REST = "entry, key addition and control"


def measure(spec: Spec, target: Target, *, progress: Progress) -> list[Measurement]:
    """Return the measurements of `spec` on `target`, measured now if they are not stored.

    An FPGA gives one, without a clock where it is only mapped; standard cells give two, one
    area-driven and one delay-driven.
    `progress` is told each step, how many are done and how many there are.
    """
    stored = records.current(spec, target)
    wanted = len(asic.OBJECTIVES) if target.kind is Kind.ASIC else 1
    if len(stored) == wanted:
        return stored
    flows = {Kind.ECP5: _ecp5, Kind.ICE40: _ice40, Kind.MAPPED: _mapped, Kind.ASIC: _asic}
    found = flows[target.kind](spec, target, progress)
    for record in found:
        records.append(record)
    return found


def picture(spec: Spec, target: Target) -> Path:
    """Return where the placement of `spec` on `target` is drawn."""
    return records.folder() / "placements" / f"{spec.name}-{target.slug}.png"


def _ecp5(spec: Spec, target: Target, progress: Progress) -> list[Measurement]:
    placed = fpga.measure_ecp5(
        synthesize.sources(spec),
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
        synthesize.sources(spec),
        spec.module,
        target.size,
        synthesize.work(spec, target),
        floorplanned=target.floorplan,
        progress=progress,
    )
    return [_placed(spec, target, placed)]


def _placed(spec: Spec, target: Target, placed: Placement) -> Measurement:
    """Draw a placement and return its record."""
    placement.draw(
        placed.bels,
        placed.roles,
        picture(spec, target),
        f"{spec.module} on {placed.target}: {placed.fmax_mhz:.1f} MHz, {placed.netlist.lut:,} LUT4",
    )
    interval = formulas.cycles_per_block(spec)
    throughput = 128 * placed.fmax_capped_mhz / interval
    by_seed = placed.fmax_by_seed
    return Measurement(
        name=spec.name,
        target=target.name,
        lut=placed.netlist.lut,
        ff=placed.netlist.ff,
        block_ram=placed.netlist.block_ram,
        fmax_mhz=round(placed.fmax_mhz, 2),
        fmax_spread_mhz=(round(min(by_seed.values()), 2), round(max(by_seed.values()), 2)),
        fmax_capped_mhz=round(placed.fmax_capped_mhz, 2),
        cycles_per_block=interval,
        throughput_mbps=round(throughput, 1),
        mbps_per_klut=round(1000 * throughput / placed.netlist.lut, 1),
        flow=f"place and route: mapping {placed.netlist.mapping}, placer {placed.placer}",
        design_hash=records.design_hash(spec, target),
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
    made = synthesize.mapped_netlist(spec, target)
    return [
        Measurement(
            name=spec.name,
            target=target.name,
            lut=made.lut,
            ff=made.ff,
            block_ram=made.block_ram,
            slices=made.slices,
            cycles_per_block=formulas.cycles_per_block(spec),
            flow=f"mapped: area only, mapping {made.mapping}",
            design_hash=records.design_hash(spec, target),
            tools=target.tools(),
        )
    ]


def _asic(spec: Spec, target: Target, progress: Progress) -> list[Measurement]:
    from roundsmith.tools import opensta

    interval = formulas.cycles_per_block(spec)
    found = []
    for done, objective in enumerate(asic.OBJECTIVES):
        progress(f"{objective}-driven synthesis and timing", done, len(asic.OBJECTIVES))
        result = synthesize.standard_cells(spec, target, objective)
        throughput = 128e3 / result.timing.cycle / interval
        found.append(
            Measurement(
                name=spec.name,
                target=target.name,
                ff=_flip_flops(result.cells, target),
                cycles_per_block=interval,
                throughput_mbps=round(throughput, 1),
                area_ge=round(result.ge, 1),
                cycle_ns=round(result.timing.cycle, 3),
                mbps_per_kge=round(1000 * throughput / result.ge, 1),
                flow=f"{objective}-driven: {result.flow}",
                design_hash=records.design_hash(spec, target),
                tools={**target.tools(), "opensta": opensta.version()},
                components=components(result.components),
                critical_path=[
                    PathStep(part=f"{s.pin} ({s.cell})", delay_ns=round(s.arrival, 3))
                    for s in result.timing.path
                ],
                from_inputs_ns=result.timing.from_inputs,
                to_outputs_ns=result.timing.to_outputs,
            )
        )
    progress("done", len(asic.OBJECTIVES), len(asic.OBJECTIVES))
    return found


def _flip_flops(cells: Mapping[str, int], target: Target) -> int:
    library = target.library()
    return sum(count for name, count in cells.items() if library.cells[name].flop is not None)


def components(paths: Mapping[str, float]) -> dict[str, float]:
    """Sum the GE of every instance path into the components a designer names."""
    total = paths.get("", 0.0)
    sums = {}
    for label, instances in COMPONENTS.items():
        found = [ge for path, ge in paths.items() if path.rpartition(".")[2] in instances]
        # MixColumns inside a linear layer is counted with it.
        nested = [
            ge
            for path, ge in paths.items()
            if path.rpartition(".")[2] in instances
            and any(part in instances for part in path.split(".")[:-1])
        ]
        if found:
            sums[label] = round(sum(found) - sum(nested), 1)
    return {**sums, REST: round(total - sum(sums.values()), 1)}
