"""The datasheet of a core: everything that one must know to use it, on one page of Markdown."""

from collections.abc import Mapping, Sequence

from roundsmith import generate
from roundsmith import spec as formulas
from roundsmith.export.origin import Origin
from roundsmith.export.timing import trace
from roundsmith.export.vectors import EXAMPLE
from roundsmith.generate import Design

#: The target that the datasheet names where no figure is known.
_FIRST_TARGET = "ecp5-85k"

# Columns of the table of figures: key of the record, heading, digits after the point.
_COLUMNS = (
    ("lut", "LUT4", 0),
    ("ff", "FF", 0),
    ("block_ram", "Block RAM", 0),
    ("area_ge", "GE", 0),
    ("cycle_ns", "Cycle, ns", 2),
    ("fmax_mhz", "fmax, MHz", 1),
    ("fmax_capped_mhz", "fmax, capped, MHz", 1),
    ("throughput_mbps", "Mbit/s", 0),
    ("mbps_per_klut", "Mbit/s per kLUT4", 0),
    ("mbps_per_kge", "Mbit/s per kGE", 0),
)


def datasheet(design: Design, made: Origin, figures: Sequence[Mapping[str, object]]) -> str:
    """Return the datasheet of `design`, with a table of `figures` where there are any."""
    spec = design.spec
    moments = trace(spec)
    return generate.render(
        "datasheet.md.j2",
        spec=spec,
        made=made,
        ports=generate.ports(spec),
        toml=spec.to_toml().strip(),
        key_bits=max(spec.what.key_bits),
        latency=formulas.latency_cycles(spec),
        core_latency=formulas.core_latency_cycles(spec),
        interval=f"{formulas.cycles_per_block(spec):g}",
        in_flight=formulas.blocks_in_flight(spec),
        key_setup=formulas.key_setup_cycles(spec),
        clear=formulas.clear_cycles(spec),
        depth=formulas.fifo_depth(spec),
        accepted=moments.accepted,
        results=moments.results,
        example=EXAMPLE,
        bits=[f"{127 - 8 * n}..{120 - 8 * n}" for n in range(16)],
        figures=_table(figures),
        target=_FIRST_TARGET,
    )


def _table(figures: Sequence[Mapping[str, object]]) -> str:
    """Return the records as a table; a column that is empty everywhere is left out."""
    columns = [c for c in _COLUMNS if any(record.get(c[0]) is not None for record in figures)]
    rows = [["Target", *(heading for _, heading, _ in columns)]]
    rows.append(["---", *("---:" for _ in columns)])
    for record in figures:
        cells = [_cell(record.get(key), digits) for key, _, digits in columns]
        rows.append([str(record.get("target")), *cells])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) if figures else ""


def _cell(value: object, digits: int) -> str:
    return f"{value:,.{digits}f}" if isinstance(value, int | float) else "–"
