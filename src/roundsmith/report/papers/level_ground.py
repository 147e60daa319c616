"""Rijndael and Serpent from the same parts on the same targets, beyond the chips of Lutz 2002."""

from roundsmith.report.papers.ours import CELLS, DELAY, FPGA, OLD_CELLS, Core
from roundsmith.report.papers.table import Row, Table, Value, ours, theirs, what
from roundsmith.report.published import figure, rows

FIGURE_3 = "lutz-2002-figure-3.csv"

#: Cores of both ciphers that answer the same need, and the targets that it is weighed on.
_EVERYWHERE = (OLD_CELLS, CELLS, FPGA)
_PAIRS = (
    ("any mode, a round a cycle", ("iterative-composite", "serpent-iterative"), _EVERYWHERE),
    ("the core of the chip", ("lutz-rijndael", "lutz-serpent"), _EVERYWHERE),
    ("a block a cycle", ("fastest-ecp5", "fastest-serpent-ecp5"), (FPGA,)),
    ("a bit a cycle", ("smallest-ge", "smallest-serpent"), _EVERYWHERE),
)
_CIPHERS = ("Rijndael", "Serpent")


def cores() -> Table:
    """Return both ciphers side by side on three targets, by what a core is for."""
    lines = [
        _line(need, cipher, name, there)
        for need, names, there in _PAIRS
        for cipher, name in zip(_CIPHERS, names, strict=True)
    ]
    return Table(
        label="level ground",
        title="both ciphers from the same parts on three targets",
        conditions="Ours: 128-bit keys where a core is for one length, encryption where it has "
        "one direction. OSU's cells, delay-driven, without wires; ECP5-85k, grade 6, placed and "
        "routed, without block RAM.",
        columns=(
            what("need", "for"),
            what("cipher", "cipher"),
            ours("core", "core"),
            ours("cycles_per_block", "cycles a block", ",g"),
            ours("old_ge", "0.5 µm: GE", ",.0f"),
            ours("old_mbps", "Mbit/s", ",.0f"),
            ours("ge", "0.18 µm: GE", ",.0f"),
            ours("mbps", "Mbit/s", ",.0f"),
            ours("lut", "ECP5: LUT4", ",.0f"),
            ours("fpga_mbps", "Mbit/s", ",.0f"),
        ),
        rows=tuple(lines),
    )


def _line(need: str, cipher: str, name: str, there: tuple[str, ...]) -> Row:
    core = Core(name)
    cells: list[Value] = [need, cipher, core.title, core.cycles("cycles_per_block")]
    for target in _EVERYWHERE:
        field, aim = ("lut", "") if target == FPGA else ("area_ge", DELAY)
        for each in (field, "throughput_mbps"):
            cells.append(core.figure(target, each, aim) if target in there else None)
    return core.row(*cells)


#: A round a cycle without a register in it: the cores of Figure 3 that go both ways, and smaller
#: ones that only encrypt, which is all that most feedback modes need.
_CHAINED = (
    ("both", ("lutz-figure-4", "serpent256-both-loop1-min-sep-cr")),
    ("encryption", ("iterative-composite", "serpent-iterative")),
)


def feedback() -> Table:
    """Return section 5: a round a cycle without registers in it, for feedback modes."""
    expected = {
        row["cipher"]: figure(row, "throughput_gbps")
        for row in rows(FIGURE_3)
        if (row["rounds"], row["stages"]) == ("1", "1")
    }
    lines: list[Row] = []
    old: list[float | None] = []
    for directions, names in _CHAINED:
        for cipher, name in zip(_CIPHERS, names, strict=True):
            core = Core(name)
            gbps = expected.get(cipher) if directions == "both" else None
            cycles = core.cycles("latency_cycles")
            cells: list[Value] = [directions, cipher, None if gbps is None else int(1000 * gbps)]
            cells += [core.title, cycles]
            for target in (OLD_CELLS, CELLS):
                period = core.figure(target, "cycle_ns", DELAY)
                mbps = 128_000 / (cycles * period) if cycles and period else None
                if target == OLD_CELLS:
                    old.append(mbps)
                cells += [core.figure(target, "area_ge", DELAY), period, mbps]
            lines.append(core.row(*cells))
    both = [f"{mbps:,.0f}" for mbps in old[:2] if mbps is not None]
    measured = (
        f" Of the cores that go both ways, ours have {both[0]} Mbit/s with Rijndael and {both[1]} "
        "with Serpent in 0.5 µm, without wires."
        if len(both) == len(_CIPHERS)
        else ""
    )
    return Table(
        label="section 5",
        title="feedback modes, a round a cycle without registers in it",
        conditions="Published: what the authors expect in AMS's 0.6 µm, in the order of. Ours: "
        "OSU's cells, delay-driven, without wires; the next block of a chain enters with the edge "
        "that shows the result of the one before.",
        columns=(
            what("directions", "directions"),
            what("cipher", "cipher"),
            theirs("mbps", "Mbit/s"),
            ours("core", "core"),
            ours("latency_cycles", "latency, cycles"),
            ours("old_ge", "0.5 µm: GE", ",.0f"),
            ours("old_ns", "ns", ".2f"),
            ours("old_mbps", "Mbit/s", ",.0f"),
            ours("ge", "0.18 µm: GE", ",.0f"),
            ours("ns", "ns", ".2f"),
            ours("mbps", "Mbit/s", ",.0f"),
        ),
        rows=tuple(lines),
        remarks=(
            "The paper expects about 500 Mbit/s of both ciphers from such a round." + measured,
            "The cores for encryption alone take a key with every block, of 128 bits.",
        ),
    )


#: What the comparison weighs: the cores of the two chips, a round of each cipher that only
#: encrypts and takes a key with every block, and a bit a cycle.
_WEIGHED = (
    ("lutz-rijndael", "Rijndael"),
    ("lutz-serpent", "Serpent"),
    ("iterative-composite", "Rijndael"),
    ("serpent-iterative", "Serpent"),
    ("smallest-ge", "Rijndael"),
    ("smallest-serpent", "Serpent"),
)


def energies() -> Table:
    """Return what the paper leaves open: the energy of a block.

    Other cores of Figure 3 stand there, too, once they have an estimate.
    """
    known = {name for name, _ in _WEIGHED}
    others = [(r["core"], r["cipher"]) for r in rows(FIGURE_3) if r["core"] not in known]
    lines = []
    for name, cipher in (*_WEIGHED, *others):
        core = Core(name)
        spent = core.energy(CELLS)
        if spent is None and name not in known:
            continue
        lines.append(
            core.row(
                core.title or name,
                cipher,
                None if core.spec is None or core.spec.is_narrow else core.spec.how.rounds,
                None if core.spec is None else core.spec.what.key_bits[-1],
                core.cycles("cycles_per_block"),
                None if spent is None else spent / 1000,
                None if spent is None else spent / 128,
            )
        )
    return Table(
        label="energy",
        title="what a block takes, of which the paper prints nothing",
        conditions="Ours: random blocks in a steady flow under one key, of the longest that a core "
        "has, through area-driven netlists of OSU's 0.18 µm cells at 1.8 V, without wires, hazards "
        "and leakage.",
        columns=(
            what("core", "core"),
            what("cipher", "cipher"),
            what("rounds", "rounds"),
            what("key_bits", "key bits"),
            ours("cycles_per_block", "cycles a block", ",g"),
            ours("energy_nj", "nJ a block", ",.2f"),
            ours("energy_pj_per_bit", "pJ a bit", ",.0f"),
        ),
        rows=tuple(lines),
    )
