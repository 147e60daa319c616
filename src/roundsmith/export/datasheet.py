"""The datasheet of a core: everything that one must know to use it, on one page of Markdown."""

from collections.abc import Callable, Mapping, Sequence

from roundsmith import spec as formulas
from roundsmith.base.render import render
from roundsmith.design import generate
from roundsmith.design.generate import Design
from roundsmith.export.origin import Origin
from roundsmith.export.ready_paths import Paths
from roundsmith.export.timing import trace
from roundsmith.export.vectors import example
from roundsmith.simulate.key_frame import key_frame
from roundsmith.spec import Direction, KeyChannel, Spec, keys

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


def datasheet(
    design: Design, made: Origin, figures: Sequence[Mapping[str, object]], paths: Paths
) -> str:
    """Return the datasheet of `design`, with its `paths` and a table of `figures`, if any."""
    spec = design.spec
    moments = trace(spec)
    shown = example(spec)
    return render(
        "datasheet.md.j2",
        spec=spec,
        cipher=spec.cipher.name,
        made=made,
        ports=generate.ports(spec),
        toml=spec.to_toml().strip(),
        key_bits=spec.key_port_bits,
        key=key_frame(spec, shown.key),
        words=spec.bus.has_words,
        has_channel=spec.port.key_channel is KeyChannel.HELD,
        swapped=keys.are_swapped(spec),
        latency=_by_length(spec, formulas.latency_cycles),
        whole_latency=_by_length(spec, formulas.whole_latency_cycles),
        core_latency=_by_length(spec, formulas.core_latency_cycles),
        interval=_by_length(spec, formulas.cycles_per_block),
        setups={str(way): _by_length(spec, _setup(way)) for way in spec.what.directions},
        in_flight=formulas.blocks_in_flight(spec),
        clear=formulas.clear_cycles(spec),
        depth=formulas.fifo_depth(spec),
        accepted=moments.accepted,
        results=moments.results,
        example=shown,
        data=shown.plaintext if spec.encrypts else shown.ciphertext,
        result=shown.ciphertext if spec.encrypts else shown.plaintext,
        figures=table(figures),
        paths=paths,
        target=_FIRST_TARGET,
    )


def _setup(direction: Direction) -> Callable[[Spec, int], float]:
    return lambda spec, bits: formulas.key_setup_cycles(spec, direction, bits)


def _by_length(spec: Spec, formula: Callable[[Spec, int], float]) -> str:
    """Return a figure in words: one number, or one for each key length where they differ."""
    values = [f"{formula(spec, bits):.4g}" for bits in spec.what.key_bits]
    if len(set(values)) == 1:
        return values[0]
    lengths = ", ".join(map(str, spec.what.key_bits))
    return f"{', '.join(values)} (keys of {lengths} bits)"


def table(figures: Sequence[Mapping[str, object]]) -> str:
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
