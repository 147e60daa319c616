"""Saggese et al. 2003: unrolling, tiling and pipelining on Virtex-E."""

from operator import itemgetter

from roundsmith.report.papers import slices
from roundsmith.report.papers.ours import (
    FPGA,
    FPGA_PLAIN,
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


def tables() -> list[Table]:
    """Return the paper's tables."""
    return [area(), speed(), flows()]
