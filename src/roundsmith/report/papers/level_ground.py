"""Rijndael and Serpent from the same parts on the same targets, beyond the chips of Lutz 2002."""

from roundsmith.report.papers.ours import CELLS, DELAY, FPGA, OLD_CELLS, Core
from roundsmith.report.papers.table import Row, Table, Value, ours, what

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
        remarks=(
            "Section 5 expects about 500 Mbit/s of both ciphers in feedback modes in 0.6 µm: that "
            "is a round a cycle without registers in it.",
        ),
    )


def _line(need: str, cipher: str, name: str, there: tuple[str, ...]) -> Row:
    core = Core(name)
    cells: list[Value] = [need, cipher, core.title, core.cycles("cycles_per_block")]
    for target in _EVERYWHERE:
        field, aim = ("lut", "") if target == FPGA else ("area_ge", DELAY)
        for figure in (field, "throughput_mbps"):
            cells.append(core.figure(target, figure, aim) if target in there else None)
    return core.row(*cells)


#: What the comparison weighs: the cores of the two chips, and a round of each cipher that only
#: encrypts and takes a key with every block.
_WEIGHED = (
    ("lutz-rijndael", "Rijndael"),
    ("lutz-serpent", "Serpent"),
    ("iterative-composite", "Rijndael"),
    ("serpent-iterative", "Serpent"),
)


def energies() -> Table:
    """Return what the paper leaves open: the energy of a block."""
    lines = []
    for name, cipher in _WEIGHED:
        core = Core(name)
        spent = core.energy(CELLS)
        lines.append(
            core.row(
                core.title or name,
                cipher,
                None if core.spec is None else core.spec.how.rounds,
                core.cycles("cycles_per_block"),
                None if spent is None else spent / 1000,
                None if spent is None else spent / 128,
            )
        )
    return Table(
        label="energy",
        title="what a block takes, of which the paper prints nothing",
        conditions="Ours: random blocks in a steady flow under one key through area-driven "
        "netlists of OSU's 0.18 µm cells at 1.8 V, without wires, hazards and leakage.",
        columns=(
            what("core", "core"),
            what("cipher", "cipher"),
            what("rounds", "rounds"),
            ours("cycles_per_block", "cycles a block", ",g"),
            ours("energy_nj", "nJ a block", ",.2f"),
            ours("energy_pj_per_bit", "pJ a bit", ",.0f"),
        ),
        rows=tuple(lines),
    )
