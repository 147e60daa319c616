"""Chodowiec and Gaj 2003: one column a cycle on Spartan-II, beside other designs."""

from operator import itemgetter

from roundsmith.report.papers import slices
from roundsmith.report.papers.ours import FPGA, VIRTEX, Core
from roundsmith.report.papers.table import Table, Value, by, ours, ratio, theirs, what
from roundsmith.report.published import figure, notes, rows

NAME = "chodowiec-gaj"
SHORT = "Chodowiec and Gaj 2003"
CITATION = "P. Chodowiec, K. Gaj: Very Compact FPGA Implementation of the AES Algorithm. CHES 2003"

_FABRICS = (
    "Ours: area mapped to Virtex, whose slices are those of Spartan-II; clock placed on ECP5-85k, "
    "grade 6, bare core, which says nothing about a clock on Spartan-II."
)


def _area(core: Core) -> tuple[Value, ...]:
    """Return LUT, flip-flops, block RAMs, the fewest slices and the estimate."""
    found = [core.figure(VIRTEX, key) for key in ("lut", "ff", "block_ram", "slices")]
    return (*found, slices.estimate(found[-1]))


_AREA = (
    ours("lut", "LUT"),
    ours("ff", "FF"),
    ours("block_ram", "RAM"),
    ours("slices_least", "slices at least"),
    ours("slices_estimate", f"{slices.MARGIN} times", ",.0f"),
)
_FACTOR = (
    by("published_slices_by_least", "published slices / our least"),
    by("slices_say", "says"),
)


def _factor(printed: Value, area: tuple[Value, ...]) -> tuple[Value, Value]:
    """Return published slices by our fewest, and what that says."""
    factor = ratio(printed, area[3])
    return factor, slices.verdict(factor)


def results() -> Table:
    """Return Table 1: the implementation on two speed grades."""
    lines = []
    for row in rows("chodowiec-gaj-2003-table-1.csv"):
        core = Core(row["core"])
        area = _area(core)
        clock, mbps = figure(row, "clock_mhz"), figure(row, "throughput_mbps")
        bits = ratio(mbps, clock)
        our_bits = core.bits_per_cycle()
        lines.append(
            core.row(
                core.title,
                row["device"],
                figure(row, "slices"),
                figure(row, "block_ram"),
                clock,
                mbps,
                bits,
                *area,
                core.cycles("cycles_per_block"),
                our_bits,
                core.figure(FPGA, "lut"),
                core.figure(FPGA, "fmax_mhz"),
                core.figure(FPGA, "throughput_mbps"),
                *_factor(figure(row, "slices"), area),
                ratio(our_bits, bits),
            )
        )
    return Table(
        label="Table 1",
        title="implementation results",
        conditions="Published: Spartan-II after placement and routing. " + _FABRICS,
        columns=(
            what("core", "core"),
            what("device", "device"),
            theirs("slices", "slices"),
            theirs("block_ram", "RAM"),
            theirs("clock_mhz", "MHz"),
            theirs("throughput_mbps", "Mbit/s"),
            theirs("bits_per_cycle", "bits a cycle"),
            *_AREA,
            ours("cycles_per_block", "cycles a block", ",g"),
            ours("bits_per_cycle", "bits a cycle", ".2f"),
            ours("fpga_lut", "ECP5 LUT4"),
            ours("fpga_mhz", "MHz", ".0f"),
            ours("fpga_mbps", "Mbit/s", ",.0f"),
            *_FACTOR,
            by("bits_per_cycle", "bits a cycle, ours / published"),
        ),
        rows=tuple(lines),
        remarks=(
            slices.rule(),
            *notes(rows("chodowiec-gaj-2003-table-1.csv"), itemgetter("device")),
        ),
    )


def _directions(core: Core) -> str | None:
    """Return what a core of ours does; its simulation is the record of it."""
    if core.spec is None or core.seen() is None:
        return None
    return ", ".join(str(direction) for direction in core.spec.what.directions)


def _keys(core: Core) -> str | None:
    if core.spec is None or core.seen() is None:
        return None
    return ", ".join(str(bits) for bits in core.spec.what.key_bits)


def features() -> Table:
    """Return Table 2: what each design does."""
    lines = []
    for row in rows("chodowiec-gaj-2003-table-2.csv"):
        core = Core(row["core"])
        ways = [f"{way}" for way in ("encrypt", "decrypt") if row[f"{way}ion"]]
        keys = [bits for bits in ("128", "192", "256") if row[f"key_{bits}"]]
        lines.append(
            core.row(
                row["design"],
                row["device"],
                ", ".join(ways),
                ", ".join(keys) or "no key schedule",
                core.title,
                _directions(core),
                _keys(core),
            )
        )
    return Table(
        label="Table 2",
        title="features of the designs",
        conditions="Published: directions and the keys whose schedule is built. Ours: the cores of "
        "the same architecture, as their simulation was checked. Nothing here has a ratio.",
        columns=(
            what("design", "design"),
            what("device", "device"),
            theirs("directions", "directions"),
            theirs("keys", "keys"),
            ours("core", "core"),
            ours("directions", "directions"),
            ours("keys", "keys"),
        ),
        rows=tuple(lines),
    )


def comparison() -> Table:
    """Return Table 3: size and throughput of all designs."""
    lines = []
    for row in rows("chodowiec-gaj-2003-table-3.csv"):
        core, printed = Core(row["core"]), figure(row, "area")
        area = _area(core)
        lines.append(
            core.row(
                row["design"],
                row["technology_um"] + " µm",
                printed,
                row["area_unit"],
                figure(row, "memories"),
                row["memory_unit"],
                figure(row, "throughput_mbps"),
                figure(row, "cycles_per_round"),
                core.title,
                *area,
                core.cycles("cycles_per_block"),
                core.figure(FPGA, "lut"),
                core.figure(FPGA, "throughput_mbps"),
                *_factor(printed, area),
            )
        )
    return Table(
        label="Table 3",
        title="all designs compared",
        conditions="Published: each on its own device (Table 2). " + _FABRICS,
        columns=(
            what("design", "design"),
            what("technology", "technology"),
            theirs("area", "area"),
            theirs("area_unit", "in"),
            theirs("memories", "memories"),
            theirs("memory_unit", "of"),
            theirs("throughput_mbps", "Mbit/s"),
            theirs("cycles_per_round", "cycles a round"),
            ours("core", "core"),
            *_AREA,
            ours("cycles_per_block", "cycles a block", ",g"),
            ours("fpga_lut", "ECP5 LUT4"),
            ours("fpga_mbps", "Mbit/s", ",.0f"),
            *_FACTOR,
        ),
        rows=tuple(lines),
        remarks=(
            slices.rule(),
            "The paper counts 2 LE = 2 LUT = 1 slice, 1 EAB = 2 ESB = 1 block RAM, and gives no "
            "throughput by area, since memories have no common measure with slices.",
            *notes(rows("chodowiec-gaj-2003-table-3.csv"), itemgetter("design")),
        ),
    )


def stores() -> Table:
    """Return section 3.1: three ways to keep the state."""
    lines = []
    for row in rows("chodowiec-gaj-2003-section-3-1.csv"):
        core = Core(row["core"])
        lines.append(
            core.row(core.title or row["core"], row["storage"], figure(row, "slices_of_a_row"),
                     *_area(core))
        )  # fmt: skip
    return Table(
        label="section 3.1",
        title="the store of the state",
        conditions="Published: slices of the store of one row of the state, as the text counts "
        "them. Ours: whole cores that differ in the store, mapped to Virtex.",
        columns=(
            what("core", "core"),
            what("storage", "state in"),
            theirs("slices_of_a_row", "slices of a row"),
            *_AREA,
        ),
        rows=tuple(lines),
        remarks=("A row of the paper and a core of ours have no ratio.",),
    )


def tables() -> list[Table]:
    """Return the paper's tables."""
    return [results(), features(), comparison(), stores()]
