"""Standaert et al. 2003: loops and pipelines with three S-boxes on Virtex-E."""

from collections.abc import Iterable
from operator import itemgetter

from roundsmith.report.papers import slices
from roundsmith.report.papers.ours import FPGA, VIRTEX, VIRTEX_E, Circuit, Core
from roundsmith.report.papers.table import Table, by, ours, ratio, theirs, what
from roundsmith.report.published import Row as Printed
from roundsmith.report.published import figure, notes, rows, title

NAME = "standaert"
SHORT = "Standaert et al. 2003"
CITATION = (
    "F.-X. Standaert, G. Rouvroy, J.-J. Quisquater, J.-D. Legat: Efficient Implementation of "
    "Rijndael Encryption in Reconfigurable Hardware: Improvements and Design Tradeoffs. CHES 2003"
)

#: Our circuits for the components of Tables 1 to 3, and registers that stand behind them.
_CIRCUITS = {"1": ("sbox-mux-tree", 0), "2": ("sbox-gf16", 0), "3": ("mix-add", 128)}

_PLACED = "clock placed on ECP5-85k, grade 6, which does not compare with a clock on Virtex"


def components() -> list[Table]:
    """Return Tables 1, 2 and 3: S-box layer and Mixadd."""
    found = []
    for row in rows("standaert-2003-tables-1-2-3.csv"):
        name, behind = _CIRCUITS[row["table"]]
        count = int(row["instances"])
        lines = []
        for label, times in (("one", 1), ("the layer", count))[: 1 + (count > 1)]:
            circuit = Circuit(name)
            luts, registers = circuit.luts("luts_cut"), circuit.luts("registers")
            our_luts = None if luts is None else times * luts
            our_registers = None if registers is None else times * (registers + behind)
            printed = [times * int(row[key]) for key in ("luts", "registers")]
            lines.append(
                circuit.row(
                    label,
                    *printed,
                    circuit.title,
                    our_luts,
                    our_registers,
                    ratio(our_luts, printed[0]),
                    ratio(our_registers, printed[1]),
                )
            )
        remarks = []
        if count > 1:
            remarks.append(f"The layer is {count} S-boxes: as in the paper, one times {count}.")
        if behind:
            remarks.append(f"Ours counts the {behind} registers behind it, as the paper does.")
        found.append(
            Table(
                label=f"Table {row['table']}",
                title=row["component"],
                conditions="Published: Virtex-E. Ours: mapped to Virtex-E, every register on.",
                columns=(
                    what("size", "size"),
                    theirs("luts", "LUT"),
                    theirs("registers", "registers"),
                    ours("circuit", "circuit"),
                    ours("luts", "LUT4"),
                    ours("registers", "registers"),
                    by("luts", "LUT, ours / published"),
                    by("registers", "registers, ours / published"),
                ),
                rows=tuple(lines),
                remarks=tuple(remarks),
            )
        )
    return found


def _cores(number: str) -> Iterable[tuple[Printed, Core]]:
    for row in rows("standaert-2003-tables-4-5.csv"):
        if row["table"] == number:
            yield row, Core(row["core"])


def _area(number: str, title: str) -> Table:
    lines = []
    for row, core in _cores(number):
        luts, registers, ram, placed = (
            figure(row, key) for key in ("luts", "registers", "block_ram", "slices")
        )
        our_luts, our_registers, our_ram, fewest = (
            core.figure(VIRTEX_E, key) for key in ("lut", "ff", "block_ram", "slices")
        )
        factor = ratio(placed, fewest)
        packed = ratio(placed, slices.least(int(row["luts"]), int(row["registers"])))
        lines.append(
            core.row(
                core.title or row["core"],
                luts,
                registers,
                ram,
                placed,
                packed,
                our_luts,
                our_registers,
                our_ram,
                fewest,
                ratio(our_luts, luts),
                ratio(our_registers, registers),
                factor,
                slices.verdict(factor),
            )
        )
    return Table(
        label=f"Table {number}",
        title=f"{title}, area",
        conditions="Published: XCV3200E-8 after implementation. Ours: mapped to Virtex-E.",
        columns=(
            what("core", "core"),
            theirs("luts", "LUT"),
            theirs("registers", "registers"),
            theirs("block_ram", "RAM"),
            theirs("slices", "slices"),
            theirs("slices_by_least", "slices / least"),
            ours("lut", "LUT"),
            ours("ff", "FF"),
            ours("block_ram", "RAM"),
            ours("slices_least", "slices at least"),
            by("luts", "LUT, ours / published"),
            by("registers", "registers, ours / published"),
            by("published_slices_by_least", "published slices / our least"),
            by("slices_say", "says"),
        ),
        rows=tuple(lines),
        remarks=(slices.rule(),),
    )


def _speed(number: str, title: str) -> Table:
    lines = []
    for row, core in _cores(number):
        printed = float(row["cycles"]) / float(row["blocks"])
        latency = figure(row, "latency")
        our_latency, cycles = core.cycles("latency_cycles"), core.cycles("cycles_per_block")
        lines.append(
            core.row(
                core.title or row["core"],
                latency,
                printed,
                figure(row, "clock_mhz"),
                figure(row, "throughput_mbps"),
                our_latency,
                cycles,
                core.figure(FPGA, "lut"),
                core.figure(FPGA, "fmax_mhz"),
                core.figure(FPGA, "throughput_mbps"),
                ratio(our_latency, latency),
                ratio(cycles, printed),
            )
        )
    return Table(
        label=f"Table {number}",
        title=f"{title}, cycles and clock",
        conditions="Published: XCV3200E-8 after implementation. Ours: simulated cycles; "
        f"{_PLACED}.",
        columns=(
            what("core", "core"),
            theirs("latency", "latency"),
            theirs("cycles_per_block", "cycles a block"),
            theirs("clock_mhz", "MHz"),
            theirs("throughput_mbps", "Mbit/s"),
            ours("latency", "latency"),
            ours("cycles_per_block", "cycles a block", ",g"),
            ours("fpga_lut", "ECP5 LUT4"),
            ours("fpga_mhz", "MHz", ".0f"),
            ours("fpga_mbps", "Mbit/s", ",.0f"),
            by("latency", "latency, ours / published"),
            by("cycles_per_block", "cycles a block, ours / published"),
        ),
        rows=tuple(lines),
        remarks=notes((row for row, _ in _cores(number)), itemgetter("core")),
    )


def _compared(number: str, file: str, fabric: str, device: str) -> Table:
    """Return a table of designs by several authors, ours mapped to the fabric of theirs."""
    lines = []
    for row in rows(file):
        core = Core(row["core"])
        placed, luts = figure(row, "slices"), figure(row, "luts") if "luts" in row else None
        our_luts, ram, fewest = (core.figure(fabric, k) for k in ("lut", "block_ram", "slices"))
        factor = ratio(placed, fewest)
        lines.append(
            core.row(
                core.title or title(row),
                luts,
                placed,
                figure(row, "block_ram") if "block_ram" in row else None,
                figure(row, "throughput_mbps"),
                figure(row, "throughput_per_area"),
                row.get("per", "slice"),
                our_luts,
                ram,
                fewest,
                core.bits_per_cycle(),
                core.figure(FPGA, "throughput_mbps"),
                core.figure(FPGA, "mbps_per_klut"),
                ratio(our_luts, luts),
                factor,
                slices.verdict(factor),
            )
        )
    return Table(
        label=f"Table {number}",
        title=f"designs on {device}",
        conditions=f"Published: {device} after implementation. Ours: mapped to the same fabric; "
        f"{_PLACED}.",
        columns=(
            what("core", "core"),
            theirs("luts", "LUT"),
            theirs("slices", "slices"),
            theirs("block_ram", "RAM"),
            theirs("throughput_mbps", "Mbit/s"),
            theirs("throughput_per_area", "Mbit/s by area"),
            theirs("per", "of a"),
            ours("lut", "LUT"),
            ours("block_ram", "RAM"),
            ours("slices_least", "slices at least"),
            ours("bits_per_cycle", "bits a cycle", ".2f"),
            ours("fpga_mbps", "ECP5 Mbit/s", ",.0f"),
            ours("fpga_mbps_per_klut", "per kLUT", ",.0f"),
            by("luts", "LUT, ours / published"),
            by("published_slices_by_least", "published slices / our least"),
            by("slices_say", "says"),
        ),
        rows=tuple(lines),
        remarks=(
            slices.rule(),
            "Throughput by area compares designs of one column; block RAMs are not in it.",
            *notes(rows(file), title),
        ),
    )


def tables() -> list[Table]:
    """Return the paper's tables."""
    return [
        *components(),
        _area("4", "loops"),
        _speed("4", "loops"),
        _area("5", "unrolled"),
        _speed("5", "unrolled"),
        _compared("6", "standaert-2003-table-6.csv", VIRTEX_E, "Virtex-E"),
        _compared("7", "standaert-2003-table-7.csv", VIRTEX, "Virtex"),
    ]
