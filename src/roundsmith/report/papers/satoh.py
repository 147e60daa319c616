"""Satoh et al. 2001: column circuits, S-boxes and five cores in standard cells."""

from roundsmith.report.papers.ours import AREA, CELLS, DELAY, Circuit, Core
from roundsmith.report.papers.table import Row, Table, Value, by, ours, ratio, theirs, what
from roundsmith.report.published import figure, notes, rows, title

NAME = "satoh"
SHORT = "Satoh et al. 2001"
CITATION = (
    "A. Satoh, S. Morioka, K. Takano, S. Munetoh: A Compact Rijndael Hardware Architecture with "
    "S-Box Optimization. ASIACRYPT 2001"
)

_LIBRARIES = (
    "Published: IBM's 0.11 µm cells, worst case, a gate is a 2-way NAND. Ours: OSU's 0.18 µm "
    "cells, typical, without wires; area and period are of one netlist."
)
_GE = (
    "GE / gates is OSU's NANDs by IBM's: it says how alike the circuits are, and is no gain or "
    "loss inside what two libraries differ. Clocks of two technologies do not compare."
)


def column_circuits() -> Table:
    """Return Table 1: MixColumns and InvMixColumns of one column."""
    original, shared = rows("satoh-2001-table-1.csv")
    lines = []
    for label, row, key, names in (
        ("MixColumns, original matrix", original, "mix", ("mix-direct",)),
        ("InvMixColumns, original matrix", original, "inverse_mix", ("mix-direct-inverse",)),
        ("one of each", original, "total", ("mix-direct", "mix-direct-inverse")),
        ("both in one, factored", shared, "total", ("mix-factored-both",)),
    ):
        circuit = Circuit(*names)
        xor, printed = circuit.counted("xor"), figure(row, f"{key}_xor")
        depth = circuit.counted("depth") if len(names) == 1 else None
        lines.append(
            circuit.row(
                label,
                printed,
                figure(row, f"{key}_delay"),
                circuit.title,
                xor,
                circuit.counted("gates"),
                depth,
                ratio(xor, printed),
            )
        )
    return Table(
        label="Table 1",
        title="one column of MixColumns",
        conditions="Published: XOR gates and depth in gates. Ours: of the program after the same "
        "formulas, with the selectors of the direction among the gates.",
        columns=(
            what("circuit", "circuit"),
            theirs("xor", "XOR"),
            theirs("depth", "depth"),
            ours("circuit", "circuit"),
            ours("xor", "XOR"),
            ours("gates", "gates"),
            ours("depth", "depth"),
            by("xor", "XOR, ours / published"),
        ),
        rows=tuple(lines),
        remarks=("Ours of the original matrices share what a column has twice; theirs do not.",),
    )


#: Our circuits for the rows of Table 2: inverter, S-box, inverse S-box.
_BOXES = {
    "Ours, Equation (8)": ("inverter-gf4", "sbox-gf4-both", ""),
    "Equation (9)": ("inverter-gf16", "sbox-gf16-both", ""),
    "Look-up Table": ("", "sbox-table", "sbox-table-inverse"),
}


def sboxes() -> Table:
    """Return Table 2: inverters and S-boxes."""
    lines = []
    for row in rows("satoh-2001-table-2.csv"):
        parts = zip(("inverter", "sbox", "inverse_sbox"), _BOXES[row["method"]], strict=True)
        for part, name in parts:
            if not name:
                continue
            label = {"inverter": "inverter", "inverse_sbox": "inverse S-box"}.get(part, "S-box")
            if part == "sbox" and row["inverse"] == "merged":
                label = "S-box, both merged"
            circuit = Circuit(name)
            gates, small = figure(row, f"{part}_gates"), circuit.cells("ge")
            lines.append(
                circuit.row(
                    row["method"].replace("Ours, ", ""),
                    label,
                    gates,
                    figure(row, f"{part}_ns"),
                    circuit.title,
                    small,
                    circuit.cells("ge_delay_ns"),
                    circuit.cells("delay_ge"),
                    circuit.cells("delay_ns"),
                    ratio(small, gates),
                )
            )
    return Table(
        label="Table 2",
        title="inverters and S-boxes",
        conditions=_LIBRARIES,
        columns=(
            what("method", "method"),
            what("part", "circuit"),
            theirs("gates", "gates"),
            theirs("delay_ns", "ns"),
            ours("circuit", "circuit"),
            ours("ge", "smallest GE", ",.0f"),
            ours("delay_ns", "its ns", ".2f"),
            ours("fast_ge", "fastest GE", ",.0f"),
            ours("fast_delay_ns", "its ns", ".2f"),
            by("ge", "GE (OSU) / gates (IBM)"),
        ),
        rows=tuple(lines),
        remarks=(_GE,),
    )


_DATA, _KEY = "Encryption/Decryption Block", "Key Expander"
_STATE = ("state registers", "shifting of rows", "S-boxes of the state", "linear layer")
_ADD = "key addition and entry"
_KEYS = ("key registers", "key step", "round constants")

#: Our components beside those of Table 3. Where ours has two of the paper's in one, it stands
#: beside the larger one.
_PARTS = {
    (_DATA, "whole block"): (*_STATE, _ADD),
    (_DATA, "Data Register"): _STATE[:1],
    (_DATA, "ShiftRows"): _STATE[1:2],
    (_DATA, "SubBytes"): _STATE[2:3],
    (_DATA, "MixColumns/InvMixColumns"): _STATE[3:],
    (_DATA, "Selector"): (_ADD,),
    (_KEY, "whole block"): _KEYS,
    (_KEY, "Key Register"): _KEYS[:1],
    (_KEY, "Selector"): _KEYS[1:2],
    (_KEY, "RC/RC^-1"): _KEYS[2:],
    ("Controller, Selector, Driver", "whole block"): ("control and selection",),
}
_JOINT = {(_DATA, "Selector"), (_KEY, "Selector")}


def components() -> Table:
    """Return Table 3: where the gates of the smallest core go."""
    lines = []
    for row in rows("satoh-2001-table-3.csv"):
        core, gates = Core(row["core"]), figure(row, "gates")
        part, total = (row["block"], row["component"]), row["block"] == "Total"
        ge: float | None = None
        if total:
            ge = core.figure(CELLS, "area_ge", AREA)
        elif part in _PARTS:
            ge = core.part(CELLS, AREA, *_PARTS[part])
        label = row["component"] if row["component"] != "whole block" else row["block"]
        whole = core.figure(CELLS, "area_ge", AREA)
        share = 100 * ge / whole if ge is not None and whole else None
        cells: tuple[Value, ...] = (label, gates, figure(row, "percent"), ge, share)
        by_theirs = None if part in _JOINT else ratio(ge, gates)
        lines.append(core.row(*cells, by_theirs) if ge is not None or total
                     else Row((*cells, None)))  # fmt: skip
    return Table(
        label="Table 3",
        title="components of the smallest core",
        conditions=_LIBRARIES + " Area-driven.",
        columns=(
            what("component", "component"),
            theirs("gates", "gates"),
            theirs("percent", "%"),
            ours("ge", "GE", ",.0f"),
            ours("percent", "%", ".2f"),
            by("ge", "GE (OSU) / gates (IBM)"),
        ),
        rows=tuple(lines),
        remarks=(
            _GE,
            "The Selector of the data path is ours with AddRoundKey and what lets a block in, that "
            "of the key expander ours with its XOR. Key registers are two in ours: the second one "
            "keeps the key that the next block starts from. InvMixColumns of the key expander "
            "stands in the data path of ours.",
            "Our components have the shares of the total that they have in a netlist in which "
            "every instance is mapped by itself.",
        ),
    )


#: Figure 7's parts, as far as they are printed, and how a step on our path is known.
_SBOX = ".u_sub_bytes."


def path() -> Table:
    """Return Figure 7: the longest path of the smallest core."""
    published = {row["part"]: row for row in rows("satoh-2001-figure-7.csv")}
    core = Core("satoh-5")
    record = core.measured(CELLS, AREA)
    steps = record.critical_path if record is not None else []
    inside = [i for i, step in enumerate(steps) if _SBOX in step.part]
    # A step tells when its signal arrives.
    at = [step.delay_ns for step in steps]
    ends = (0, inside[0] - 1, inside[-1], len(at) - 1) if inside and inside[0] > 0 else None
    whole = core.figure(CELLS, "cycle_ns", AREA)

    def ours_of(first: int, last: int) -> float | None:
        return None if ends is None else at[ends[last]] - at[ends[first]]

    setup = None if whole is None or not at else whole - at[-1]
    lines = (
        ("whole path", "whole path", whole),
        ("control, selectors and drivers before the S-boxes", "selectors and drivers",
         ours_of(0, 1)),
        ("S-box", "S-box", ours_of(1, 2)),
        ("columns, key addition and rows behind them", None, ours_of(2, 3)),
        ("set-up of the register", None, setup),
    )  # fmt: skip
    return Table(
        label="Figure 7",
        title="the longest path of the smallest core",
        conditions=_LIBRARIES + " Area-driven.",
        columns=(
            what("part", "part of the path"),
            theirs("ns", "ns"),
            ours("ns", "ns", ".2f"),
        ),
        rows=tuple(
            core.row(label, figure(published[key], "ns") if key else None, ns)
            for label, key, ns in lines
        ),
        remarks=(
            "The paper's figure prints no numbers that its text does not repeat. Our area-driven "
            "netlist has no drivers: selectors that switch all columns wait for one gate, which is "
            "most of its path; netlists for speed, whose parts have no names left, are in Table 4.",
            *notes(rows("satoh-2001-figure-7.csv"), lambda row: row["part"]),
        ),
    )


def cores() -> Table:
    """Return Table 4: five cores for size and for speed, and those of others."""
    table = rows("satoh-2001-table-4.csv")
    base = {r["optimised_for"]: figure(r, "gates") for r in table if r["core"] == "satoh-5"}
    smallest = Core("satoh-5")
    our_base = {
        "size": smallest.figure(CELLS, "area_ge", AREA),
        "speed": smallest.figure(CELLS, "area_ge", DELAY),
    }
    lines = []
    for row in table:
        core, goal = Core(row["core"]), row["optimised_for"]
        objective = AREA if goal == "size" else DELAY
        # An area-driven netlist has unbuffered wires: its period says nothing.
        fast = goal == "speed"
        gates, printed = figure(row, "gates"), figure(row, "cycles")
        area = core.figure(CELLS, "area_ge", objective)
        cycles = core.cycles("cycles_per_block")
        full = None if fast or core.spec is None else _behind_full_port(core)
        lines.append(
            core.row(
                core.title or title(row),
                row["technology"].replace("um", "µm"),
                f"for {goal}" if goal else None,
                figure(row, "sboxes"),
                printed,
                gates,
                figure(row, "area_mm2"),
                ratio(gates, base[goal]) if goal else None,
                *(figure(row, k) for k in ("clock_mhz", "throughput_mbps", "kbps_per_gate")),
                cycles,
                area,
                ratio(area, our_base[goal]) if goal else None,
                full,
                core.figure(CELLS, "cycle_ns", objective) if fast else None,
                core.figure(CELLS, "throughput_mbps", objective) if fast else None,
                core.figure(CELLS, "mbps_per_kge", objective) if fast else None,
                ratio(cycles, printed),
                None if fast else ratio(area, gates),
            )
        )
    return Table(
        label="Table 4",
        title="cores in standard cells",
        conditions=_LIBRARIES + " For size is area-driven, for speed delay-driven; the period of "
        "an area-driven netlist, whose wires are not buffered, is left out.",
        columns=(
            what("core", "core"),
            what("technology", "published in"),
            what("optimised", "optimised"),
            theirs("sboxes", "S-boxes"),
            theirs("cycles", "cycles"),
            theirs("gates", "gates"),
            theirs("area_mm2", "mm²"),
            theirs("of_satoh_5", "of satoh-5"),
            theirs("clock_mhz", "MHz"),
            theirs("throughput_mbps", "Mbit/s"),
            theirs("kbps_per_gate", "kbit/s per gate"),
            ours("cycles", "cycles", ",g"),
            ours("area_ge", "GE", ",.0f"),
            ours("of_satoh_5", "of satoh-5", ".2f"),
            ours("full_ge", "GE, full port", ",.0f"),
            ours("cycle_ns", "ns", ".2f"),
            ours("throughput_mbps", "Mbit/s", ",.0f"),
            ours("kbps_per_ge", "kbit/s per GE", ".1f"),
            by("cycles", "cycles, ours / published"),
            by("ge", "GE (OSU) / gates (IBM)"),
        ),
        rows=tuple(lines),
        remarks=(
            _GE,
            "Netlists for speed have no ratio: each is another point of area against time.",
            "`of satoh-5` is the area by that of the smallest core in the same column, which "
            "compares better across libraries than areas do.",
            "`GE, full port` is of the core with 128 bits at its ports, back pressure and a key "
            "channel around it; all other figures are of the core alone.",
            *notes(table, title),
        ),
    )


def _behind_full_port(core: Core) -> float | None:
    """Return the GE of the same core with its full port, its record among those of `core`."""
    full = Core(f"{core.name}-full")
    area = full.figure(CELLS, "area_ge", AREA)
    core.read |= full.read
    core.missing |= full.missing
    core.failed |= full.failed
    return area


def tables() -> list[Table]:
    """Return the paper's tables."""
    return [column_circuits(), sboxes(), components(), path(), cores()]
