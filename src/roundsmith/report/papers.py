"""The papers' cores beside ours: what was printed, and what we measure, in columns of their own.

The device of the FPGA papers, Virtex-E, can be mapped to but not placed: area stands beside area.
A clock is that of an FPGA of today, which says how two cores compare and not who was faster.
"""

from collections.abc import Callable, Mapping

from roundsmith import catalogue, records, targets
from roundsmith import spec as formulas
from roundsmith.records import Measurement
from roundsmith.report.grid import NONE, Grid, number
from roundsmith.report.published import rows
from roundsmith.spec import Direction, Spec

MAPPED = "mapped:xcve"
PLAIN = "mapped:xcve:plain"
FPGA = "ecp5-85k:6"
FPGA_PLAIN = "ecp5-85k:6:plain"
CELLS = "asic:osu018"

#: Slices that a block RAM counts for where memory has to be built from logic (Saggese, section 5).
RAM_SLICES = 128

#: What placement and routing add to the least number of slices, in our estimate.
SLICE_MARGIN = 1.25


def _one(spec: Spec, target: str) -> Measurement | None:
    found = records.current(spec, targets.parse(target))
    return found[0] if found else None


def _cells(spec: Spec) -> dict[str, Measurement]:
    found = records.current(spec, targets.parse(CELLS))
    return {m.flow.partition("-")[0]: m for m in found}


def _get(record: Measurement | None, field: str) -> float | None:
    return None if record is None else getattr(record, field)


def _area(spec: Spec) -> tuple[str, ...]:
    record = _one(spec, MAPPED)
    return tuple(number(_get(record, key), ",d") for key in ("lut", "ff", "block_ram", "slices"))


def _speed(spec: Spec) -> tuple[str, ...]:
    record = _one(spec, FPGA)
    return (
        number(_get(record, "lut"), ",d"),
        number(_get(record, "fmax_mhz"), ".0f"),
        number(_get(record, "throughput_mbps"), ",.0f"),
    )


def _batch(spec: Spec) -> str:
    """Return what leaves in how many cycles, as the papers write it."""
    blocks = formulas.blocks_in_flight(spec)
    cycles = formulas.cycles_per_block(spec)
    return "1 / 1" if cycles == 1 else f"{blocks} / {round(blocks * cycles)}"


def _theirs(row: Mapping[str, str], *keys: str) -> tuple[str, ...]:
    return tuple(f"{float(row[key]):,g}" for key in keys)


def standaert() -> Grid:
    """Return Standaert's Tables 4 and 5 beside our cores."""
    table = []
    for row in rows("standaert-2003-tables-4-5.csv"):
        spec = catalogue.find(row["core"])
        table.append(
            (
                f"`{spec.name}`",
                *_theirs(row, "luts", "registers", "block_ram", "slices"),
                *_area(spec),
                f"{row['latency']}; {row['blocks']} / {row['cycles']}",
                f"{formulas.latency_cycles(spec)}; {_batch(spec)}",
                *_theirs(row, "clock_mhz", "throughput_mbps"),
                *_speed(spec),
            )
        )
    return Grid(
        title="Standaert et al. 2003, Tables 4 and 5",
        note="Published: XCV3200E-8 after implementation. Ours: mapped to Virtex-E; cycles of "
        "latency and blocks in cycles; placed on ECP5-85k, grade 6.",
        headings=("core", "published LUT", "registers", "RAM", "slices", "our LUT", "FF", "RAM",
                  "least slices", "published cycles", "our cycles", "published MHz", "Mbit/s",
                  "ECP5 LUT4", "MHz", "Mbit/s"),
        rows=tuple(table),
    )  # fmt: skip


def saggese() -> Grid:
    """Return Saggese's Figure 5 beside our cores."""
    table = []
    for row in rows("saggese-2003-figure-5.csv"):
        spec = catalogue.find(row["core"])
        mapped = _one(spec, MAPPED)
        slices = None if mapped is None or mapped.slices is None else SLICE_MARGIN * mapped.slices
        memory = RAM_SLICES * int(row["block_ram"])
        ours = None if slices is None or mapped is None or mapped.block_ram is None else (
            slices + RAM_SLICES * mapped.block_ram
        )  # fmt: skip
        table.append(
            (
                f"`{spec.name}`",
                *_theirs(row, "slices", "block_ram"),
                f"{int(row['slices']) + memory:,d}",
                number(slices, ",.0f"),
                number(_get(mapped, "block_ram"), "d"),
                number(ours, ",.0f"),
                *_theirs(row, "clock_mhz"),
                f"{1000 * float(row['throughput_gbps']):,.0f}",
                *_speed(spec),
            )
        )
    return Grid(
        title="Saggese et al. 2003, Figure 5",
        note=f"Published: XCV2000E-8 after placement. Ours: mapped to Virtex-E, {SLICE_MARGIN} "
        f"times the least slices; with each RAM counted as {RAM_SLICES} slices beside it; placed "
        "on ECP5-85k, grade 6.",
        headings=("core", "published slices", "RAM", "with RAM", "our slices", "RAM", "with RAM",
                  "published MHz", "Mbit/s", "ECP5 LUT4", "MHz", "Mbit/s"),
        rows=tuple(table),
    )  # fmt: skip


def baseline() -> Grid:
    """Return what optimisation and placement bring: Saggese's and ours."""
    spec = catalogue.find("saggese-iterative")
    paper = "Saggese et al. 2003, section 4"
    table = [
        (
            paper if index == 0 else "",
            row["flow"],
            f"{int(row['slices']):,} slices",
            f"{row['period_ns']} ns",
        )
        for index, row in enumerate(rows("saggese-2003-section-4.csv"))
    ]
    for label, mapped, placed in (
        ("as it comes", PLAIN, FPGA_PLAIN),
        ("with our flow", MAPPED, FPGA),
    ):
        area, clock = _one(spec, mapped), _one(spec, placed)
        mhz = _get(clock, "fmax_mhz")
        table.append(
            (
                f"`{spec.name}`" if label == "as it comes" else "",
                label,
                f"{number(_get(area, 'slices'), ',d')} slices at least",
                NONE if mhz is None else f"{1000 / mhz:.1f} ns",
            )
        )
    return Grid(
        title="With and without optimisation",
        note="Published: XCV2000E-8. Ours: area mapped to Virtex-E, clock placed on ECP5-85k; "
        "`as it comes` are the tools' own scripts and defaults on the same core.",
        headings=("core", "flow", "area", "period"),
        rows=tuple(table),
        left=4,
    )


def satoh() -> Grid:
    """Return the whole-state rows of Satoh's Table 4 beside our core."""
    spec = catalogue.find("satoh-1")
    found = _cells(spec)
    table = []
    for row in rows("satoh-2001-table-4.csv"):
        if row["core"] != spec.name:
            continue
        # An area-driven netlist has unbuffered wires: its period says nothing.
        ours = found.get("area" if row["optimised_for"] == "size" else "delay")
        fast = found.get("delay") if row["optimised_for"] == "speed" else None
        table.append(
            (
                f"`{spec.name}`",
                f"for {row['optimised_for']}",
                row["cycles"],
                *_theirs(row, "gates", "clock_mhz", "throughput_mbps"),
                f"{formulas.cycles_per_block(spec):g}",
                number(_get(ours, "area_ge"), ",.0f"),
                number(_get(fast, "cycle_ns"), ".2f"),
                number(_get(fast, "throughput_mbps"), ",.0f"),
            )
        )
    return Grid(
        title="Satoh et al. 2001, Table 4, one cycle a round",
        note="Published: IBM's 0.11 µm cells, worst case. Ours: OSU's 0.18 µm cells, typical, "
        "without wires; area and period are of one netlist.",
        headings=("core", "optimised", "published cycles", "gates", "MHz", "Mbit/s", "our cycles",
                  "GE", "ns", "Mbit/s"),
        rows=tuple(table),
        left=2,
    )  # fmt: skip


def lutz() -> Grid:
    """Return the Rijndael column of Lutz's Table 1 beside our core."""
    (row,) = (r for r in rows("lutz-2002-table-1.csv") if r["core"] == "lutz-rijndael-chip")
    chip, core = catalogue.find("lutz-rijndael-chip"), catalogue.find("lutz-rijndael")
    cells = _cells(core).get("delay")
    ff = _get(cells, "ff")
    table = (
        ("cycles, first word in to last word out", row["latency"],
         str(formulas.whole_latency_cycles(chip))),
        ("cycles of the core", NONE, str(formulas.latency_cycles(core))),
        ("cycles a block", "5", f"{formulas.cycles_per_block(core):g}"),
        ("key set-up of the core, encryption", row["encryption_key_cycles"],
         str(formulas.key_setup_cycles(core, Direction.ENCRYPT))),
        ("key set-up of the core, decryption", row["decryption_key_cycles"],
         str(formulas.key_setup_cycles(core, Direction.DECRYPT))),
        ("flip-flops", f"{int(row['flip_flops']):,}", number(ff, ",d")),
        ("clock", f"{row['clock_mhz']} MHz, 0.6 µm",
         NONE if cells is None or cells.cycle_ns is None
         else f"{1000 / cells.cycle_ns:.0f} MHz, 0.18 µm"),
        ("area", "300,000 transistors", f"{number(_get(cells, 'area_ge'), ',.0f')} GE"),
    )  # fmt: skip
    return Grid(
        title="Lutz et al. 2002, Table 1, Rijndael",
        note="Published: the chip, AMS's 0.6 µm, with its three 32-bit channels. Ours: cycles of "
        "`lutz-rijndael-chip` and its core `lutz-rijndael`, the latter in OSU's 0.18 µm cells, "
        "delay-driven, without wires.",
        headings=("figure", "published", "ours"),
        rows=table,
    )


def lutz_rounds() -> Grid:
    """Return one round after Lutz's Figure 4 beside one after his Figure 6."""
    table = []
    for row in rows("lutz-2002-section-3-2.csv"):
        cells = _cells(catalogue.find(row["core"])).get("delay")
        period, area = _get(cells, "cycle_ns"), _get(cells, "area_ge")
        table.append(
            (
                f"`{row['core']}`",
                row["round"],
                f"{row['longest_path_ns']} ns",
                NONE if period is None else f"{period:.2f} ns",
                number(area, ",.0f"),
            )
        )
    return Grid(
        title="Lutz et al. 2002, section 3.2: the longest path before and after",
        note="Published: AMS's 0.6 µm. Ours: one such round in a ring, OSU's 0.18 µm cells, "
        "delay-driven, without wires.",
        headings=("core", "round", "published", "ours", "GE"),
        rows=tuple(table),
        left=2,
    )


def _page(*grids: Callable[[], Grid]) -> Callable[[], str]:
    def text() -> str:
        made = [make() for make in grids]
        return "\n".join(f"**{g.title}**\n\n{g.note}\n\n{g.markdown()}" for g in made)

    return text


#: The generated parts of docs/papers.md.
PARTS: dict[str, Callable[[], str]] = {
    "standaert": _page(standaert),
    "saggese": _page(saggese, baseline),
    "satoh": _page(satoh),
    "lutz": _page(lutz, lutz_rounds),
}
