"""Saggese et al. 2003: unrolling, tiling and pipelining on Virtex-E."""

import math
from operator import itemgetter

from roundsmith.report.papers import slices
from roundsmith.report.papers.ours import (
    FPGA,
    FPGA_PLAIN,
    SMALL_FPGA,
    SMALL_FPGA_PLACED,
    VIRTEX_E,
    VIRTEX_E_PLAIN,
    Core,
)
from roundsmith.report.papers.table import Table, by, ours, ratio, theirs, what
from roundsmith.report.published import figure, notes, rows, title

NAME = "saggese"
SHORT = "Saggese et al. 2003"
CITATION = (
    "G.P. Saggese, A. Mazzeo, N. Mazzocca, A.G.M. Strollo: An FPGA-Based Performance Analysis of "
    "the Unrolling, Tiling, and Pipelining of the AES Algorithm. FPL 2003"
)

#: Slices that a block RAM counts for where memory has to be built from logic (section 5).
RAM_SLICES = 128

_FILE = "saggese-2003-figure-5.csv"

#: Ways to more blocks a cycle from one round: registers in it, copies of the core, more rounds.
_WAYS = ("iterative", "iterative-5", "tiled-2", "tiled-4", "unrolled-1", "unrolled-5")


def area() -> Table:
    """Return Figure 5: the area of all designs."""
    lines = []
    for row in rows(_FILE):
        core = Core(row["core"])
        printed, ram = int(row["slices"]), int(row["block_ram"])
        lut, ff, our_ram, fewest = (
            core.figure(VIRTEX_E, key) for key in ("lut", "ff", "block_ram", "slices")
        )
        guess = slices.estimate(fewest)
        factor = ratio(printed, fewest)
        known = guess is not None and our_ram is not None
        lines.append(
            core.row(
                core.title or title(row),
                row["device"],
                printed,
                ram,
                printed + RAM_SLICES * ram,
                lut,
                ff,
                our_ram,
                fewest,
                guess,
                (guess or 0) + RAM_SLICES * (our_ram or 0) if known else None,
                factor,
                slices.verdict(factor),
            )
        )
    return Table(
        label="Figure 5",
        title="area",
        conditions="Published: after placement. Ours: mapped to Virtex-E. `with RAM` counts "
        f"{RAM_SLICES} slices for a block RAM, as the paper does.",
        columns=(
            what("core", "core"),
            what("device", "published on"),
            theirs("slices", "slices"),
            theirs("block_ram", "RAM"),
            theirs("slices_with_ram", "with RAM"),
            ours("lut", "LUT"),
            ours("ff", "FF"),
            ours("block_ram", "RAM"),
            ours("slices_least", "slices at least"),
            ours("slices_estimate", f"{slices.MARGIN} times", ",.0f"),
            ours("slices_with_ram", "with RAM", ",.0f"),
            by("published_slices_by_least", "published slices / our least"),
            by("slices_say", "says"),
        ),
        rows=tuple(lines),
        remarks=(slices.rule(),),
    )


def speed() -> Table:
    """Return Figure 5: pipeline, clock and throughput of all designs."""
    lines = []
    for row in rows(_FILE):
        core = Core(row["core"])
        clock = figure(row, "clock_mhz")
        bits = ratio(1000 * float(row["throughput_gbps"]), clock)
        our_bits = core.bits_per_cycle()
        lines.append(
            core.row(
                core.title or title(row),
                figure(row, "pipeline_stages"),
                clock,
                figure(row, "throughput_gbps"),
                bits,
                figure(row, "mbps_per_slice"),
                figure(row, "mbps_per_slice_with_ram"),
                core.cycles("latency_cycles"),
                our_bits,
                core.figure(FPGA, "lut"),
                core.figure(FPGA, "fmax_mhz"),
                core.gigabits(FPGA, ""),
                ratio(our_bits, bits) if core.spec is not None else None,
            )
        )
    return Table(
        label="Figure 5",
        title="cycles and clock",
        conditions="Published: after placement. Ours: simulated cycles; clock placed on ECP5-85k, "
        "grade 6, which does not compare with a clock on Virtex-E.",
        columns=(
            what("core", "core"),
            theirs("stages", "stages"),
            theirs("clock_mhz", "MHz"),
            theirs("throughput_gbps", "Gbit/s"),
            theirs("bits_per_cycle", "bits a cycle"),
            theirs("mbps_per_slice", "Mbit/s a slice"),
            theirs("mbps_per_slice_with_ram", "with RAM"),
            ours("latency", "latency", ",g"),
            ours("bits_per_cycle", "bits a cycle", ".2f"),
            ours("fpga_lut", "ECP5 LUT4"),
            ours("fpga_mhz", "MHz", ".0f"),
            ours("fpga_gbps", "Gbit/s", ",.2f"),
            by("bits_per_cycle", "bits a cycle, ours / published"),
        ),
        rows=tuple(lines),
        remarks=(
            "Published bits a cycle are Gbit/s by MHz, as far as both were rounded.",
            *notes(rows(_FILE), title),
        ),
    )


def ways() -> Table:
    """Return section 3: tiling against unrolling, which the paper compares in words."""
    lines, by_clock, by_slice = [], {}, {}
    for way in _WAYS:
        core = Core(f"saggese-{way}")
        bits, mapped = core.bits_per_cycle(), core.figure(VIRTEX_E, "slices")
        lut, ff = core.figure(FPGA, "lut"), core.figure(FPGA, "ff")
        mbps = core.figure(FPGA, "throughput_mbps")
        placed = None
        if lut is not None and ff is not None:
            placed = math.ceil(slices.least(int(lut), int(ff)))
        by_clock[way], by_slice[way] = ratio(bits, mapped), ratio(mbps, placed)
        lines.append(
            core.row(
                core.title,
                core.cycles("cycles_per_block"),
                core.figure(VIRTEX_E, "lut"),
                core.figure(VIRTEX_E, "block_ram"),
                mapped,
                _thousand(by_clock[way]),
                lut,
                core.figure(FPGA, "block_ram"),
                placed,
                core.figure(FPGA, "fmax_mhz"),
                mbps,
                by_slice[way],
                ratio(mbps, lut),
            )
        )
    return Table(
        label="section 3",
        title="unrolling against tiling",
        conditions="Ours alone, for the paper prints no figures of tiles: area mapped to Virtex-E, "
        "and placed on ECP5-85k, grade 6, whose slices hold two LUTs and two flip-flops too. The "
        "paper says that an unrolled and pipelined core gives more throughput for its area than "
        "an iterative one, however often that is repeated.",
        columns=(
            what("core", "core"),
            ours("cycles_per_block", "cycles a block", ",g"),
            ours("lut", "Virtex-E LUT"),
            ours("block_ram", "RAM"),
            ours("slices_least", "slices at least"),
            ours("bits_per_cycle_per_1000_slices", "bits a cycle a 1,000 slices", ".1f"),
            ours("fpga_lut", "ECP5 LUT4"),
            ours("fpga_block_ram", "ECP5 RAM"),
            ours("fpga_slices_least", "ECP5 slices at least"),
            ours("fpga_mhz", "MHz", ".0f"),
            ours("fpga_mbps", "Mbit/s", ",.0f"),
            ours("fpga_mbps_per_slice", "Mbit/s a slice", ".2f"),
            ours("fpga_mbps_per_lut", "Mbit/s a LUT4", ".2f"),
        ),
        rows=tuple(lines),
        remarks=tuple(_verdict(by_clock, by_slice)),
    )


def _thousand(value: float | None) -> float | None:
    return None if value is None else 1000 * value


def _verdict(by_clock: dict[str, float | None], by_slice: dict[str, float | None]) -> list[str]:
    """Return what the comparison says, as far as there are records."""
    tiles = ratio(by_clock["tiled-4"], by_clock["iterative"])
    line = ratio(by_clock["unrolled-1"], by_clock["tiled-4"])
    if tiles is None or line is None:
        return []
    said = (
        f"At one clock, four tiles move {tiles:.2f} times the bits a slice of one core, and one "
        f"line of ten rounds {line:.2f} times those of four tiles, for a line has no multiplexers "
        "of a ring, no distributor and no collector"
    )
    deep = ratio(by_slice["unrolled-5"], by_slice["tiled-4"])
    if deep is not None:
        said += (
            f"; at the clock of each on ECP5, the line with five stages a round, which is mostly "
            f"registers, moves {deep:.2f} times the Mbit/s a slice of four tiles"
        )
    return [f"{said}."]


def flows() -> Table:
    """Return section 4: the same core with and without optimisation and placement."""
    plain, optimised = rows("saggese-2003-section-4.csv")
    lines = []
    for row, mapped, placed in (
        (plain, VIRTEX_E_PLAIN, FPGA_PLAIN),
        (optimised, VIRTEX_E, FPGA),
    ):
        core = Core(row["core"])
        mhz = core.figure(placed, "fmax_mhz")
        lines.append(
            core.row(
                core.title,
                row["flow"],
                figure(row, "slices"),
                figure(row, "period_ns"),
                core.figure(mapped, "slices"),
                None if mhz is None else 1000 / mhz,
            )
        )
    return Table(
        label="section 4",
        title="with and without optimisation",
        conditions="Published: XCV2000E-8. Ours: area mapped to Virtex-E, period placed on "
        "ECP5-85k; `as it comes` are the tools' own scripts and defaults on the same core. The two "
        "rows of a column compare, the columns do not.",
        columns=(
            what("core", "core"),
            what("flow", "flow"),
            theirs("slices", "slices"),
            theirs("period_ns", "ns"),
            ours("slices_least", "slices at least"),
            ours("period_ns", "ns", ".1f"),
        ),
        rows=tuple(lines),
        remarks=notes((plain, optimised), itemgetter("flow")),
    )


def placements() -> Table:
    """Return section 4 once more: the same netlist with and without a floorplan."""
    lines = []
    alone = Core("saggese-iterative").figure(SMALL_FPGA, "fmax_mhz")
    for placement, target in (
        ("the tools'", SMALL_FPGA),
        ("in the order of the data", SMALL_FPGA_PLACED),
    ):
        core = Core("saggese-iterative")
        mhz = core.figure(target, "fmax_mhz")
        lines.append(
            core.row(
                core.title,
                placement,
                core.figure(target, "lut"),
                core.figure(target, "ff"),
                core.figure(target, "block_ram"),
                mhz,
                ratio(mhz, alone),
            )
        )
    return Table(
        label="section 4",
        title="with and without placement",
        conditions="Ours alone: iCE40 HX8K, one mapping, of which only the placement differs; the "
        "paper's figures above are of placement and optimisation together.",
        columns=(
            what("core", "core"),
            what("placement", "placement"),
            ours("lut", "LUT"),
            ours("ff", "FF"),
            ours("block_ram", "RAM"),
            ours("mhz", "MHz", ".1f"),
            by("clock", "MHz by that of the tools' placement"),
        ),
        rows=tuple(lines),
    )


def tables() -> list[Table]:
    """Return the paper's tables."""
    return [area(), speed(), ways(), flows(), placements()]
