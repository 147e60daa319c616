"""The plane of Lutz 2002, Figure 3: both ciphers over rounds in hardware and stages in a round."""

from collections.abc import Callable

from roundsmith.report.papers.level_ground import FIGURE_3
from roundsmith.report.papers.ours import CELLS, DELAY, FPGA, OLD_CELLS, Core
from roundsmith.report.papers.table import Column, Table, Value, ours, theirs, what
from roundsmith.report.published import Row as Printed
from roundsmith.report.published import figure, notes, rows
from roundsmith.spec import Direction, Spec, formulas

#: What of a core is the data path of Figure 3: no keys, no control, no port.
DATA_PATH = (
    "S-boxes of the state",
    "linear layer",
    "key addition and choice",
    "registers of the round",
)

#: And what belongs to the keys, of either cipher.
SUBKEYS = (
    "S-boxes of the key schedule",
    "rest of the key schedule",
    "key schedule",
    "choice of stored keys, entry",
)


def _architecture(row: Printed) -> str:
    return f"{row['cipher']}, {row['rounds']} in hardware"


def _short_keys(core: Core, target: str, objective: str = "") -> float | None:
    """Return the throughput with the shortest keys that a core has, in Gbit/s."""
    record = core.measured(target, objective)
    if core.spec is None or record is None or record.throughput_mbps is None:
        return None
    a_cycle = record.throughput_mbps / 1000 * record.cycles_per_block
    return a_cycle / formulas.cycles_per_block(core.spec, min(core.spec.what.key_bits))


def architectures() -> Table:
    """Return Figure 3: throughput against the area of the data path."""
    lines = []
    for row in rows(FIGURE_3):
        core = Core(row["core"])
        lines.append(
            core.row(
                row["cipher"],
                row["rounds"],
                row["stages"],
                figure(row, "throughput_gbps"),
                figure(row, "area_mm2"),
                core.title,
                _short_keys(core, CELLS, DELAY),
                core.part(CELLS, DELAY, *DATA_PATH),
                _short_keys(core, OLD_CELLS, DELAY),
                core.part(OLD_CELLS, DELAY, *DATA_PATH),
                _short_keys(core, FPGA),
                core.figure(FPGA, "lut"),
            )
        )
    return Table(
        label="Figure 3",
        title="throughput against data path, over rounds and stages",
        conditions="Published: extrapolated from one round in AMS's 0.6 µm; only what the text "
        "says of the drawing. Ours: whole cores in OSU's 0.18 µm cells, delay-driven, without "
        "wires, in OSU's 0.5 µm cells likewise, and placed and routed on ECP5-85k, grade 6; the "
        "data path is S-boxes, linear layer, key addition and registers of the rounds, by the "
        "share of the area that they have in a netlist in which every instance is mapped by "
        "itself; LUT4 are those of the whole core.",
        columns=(
            what("cipher", "cipher"),
            what("rounds", "rounds"),
            what("stages", "stages"),
            theirs("throughput_gbps", "Gbit/s"),
            theirs("area_mm2", "mm²"),
            ours("core", "core"),
            ours("throughput_gbps", "0.18 µm: Gbit/s", ".2f"),
            ours("data_path_ge", "data path, GE", ",.0f"),
            ours("old_throughput_gbps", "0.5 µm: Gbit/s", ".2f"),
            ours("old_data_path_ge", "data path, GE", ",.0f"),
            ours("fpga_throughput_gbps", "ECP5: Gbit/s", ".2f"),
            ours("fpga_lut", "LUT4", ",.0f"),
        ),
        rows=tuple(lines),
        remarks=(
            "Published throughput is for 128-bit keys, on hardware for the 14 rounds of 256-bit "
            "keys, and so is ours. Where 7 rounds go round, a 128-bit key takes two laps as a "
            "256-bit key does: its blocks enter late. "
            "Serpent is as fast with keys of any length, and ours has 256-bit keys. mm² of one "
            "technology and GE of another have no ratio.",
            *notes(rows(FIGURE_3), _architecture),
        ),
    )


#: What the time of a core is made of: a heading, the key in the JSON, and its cycles with keys of
#: so many bits.
_TIMES: tuple[tuple[str, str, Callable[[Spec, int], int]], ...] = (
    ("latency", "latency", formulas.latency_cycles),
    (
        "encryption key",
        "encryption_key",
        lambda spec, bits: formulas.key_setup_cycles(spec, Direction.ENCRYPT, bits),
    ),
    (
        "decryption key",
        "decryption_key",
        lambda spec, bits: formulas.key_setup_cycles(spec, Direction.DECRYPT, bits),
    ),
    ("turn", "turn", lambda spec, bits: formulas.turn_cycles(spec)),
)


def _times(core: Core, period: float | None) -> list[Value]:
    """Return cycles and ns of each of these, of a core whose cycles a simulation has seen."""
    cells: list[Value] = []
    for _, _, of in _TIMES:
        seen = core.spec is not None and core.seen() is not None
        cycles = of(core.spec, min(core.spec.what.key_bits)) if core.spec and seen else None
        cells += [cycles, None if cycles is None or period is None else cycles * period]
    return cells


def _time_columns() -> list[Column]:
    return [
        column
        for heading, key, _ in _TIMES
        for column in (
            ours(f"{key}_cycles", f"{heading}, cycles"),
            ours(f"{key}_ns", "ns", ",.0f"),
        )
    ]


_COMPARED = (
    "Cores as in Figure 3, with its stages in a round, and 128-bit keys where a core has several. "
    "A turn is a change of direction in an empty core, under the same key; it takes no time where "
    "each block has a direction of its own."
)


def in_cells(target: str, process: str) -> Table:
    """Return what the cores of Figure 3 take in cells of a process: area, and time."""
    lines = []
    for row in rows(FIGURE_3):
        core = Core(row["core"])
        path, keys = (core.part(target, DELAY, *parts) for parts in (DATA_PATH, SUBKEYS))
        lines.append(
            core.row(
                *(row["cipher"], row["rounds"], row["stages"]),
                None if path is None else path / int(row["rounds"]),
                keys,
                core.figure(target, "area_ge", DELAY),
                _short_keys(core, target, DELAY),
                *_times(core, core.figure(target, "cycle_ns", DELAY)),
            )
        )
    return Table(
        label=f"level ground, {process}",
        title="area of a round and of the keys, and time",
        conditions=f"Ours: OSU's {process} cells, delay-driven, without wires. A round has its "
        "share of the data path, the key schedule what stores or makes round keys.",
        columns=(
            *(what("cipher", "cipher"), what("rounds", "rounds"), what("stages", "stages")),
            ours("round_ge", "a round, GE", ",.0f"),
            ours("subkeys_ge", "key schedule, GE", ",.0f"),
            ours("area_ge", "whole core, GE", ",.0f"),
            ours("throughput_gbps", "Gbit/s", ".2f"),
            *_time_columns(),
        ),
        rows=tuple(lines),
        remarks=(
            _COMPARED,
            "With 14 rounds of Rijndael, and 16 and 32 of Serpent, stored keys are chosen by "
            "direction and lap in the instance that lets a block in, and both are counted to the "
            "key schedule.",
        ),
    )


def on_fpga() -> Table:
    """Return what the same cores take on an FPGA."""
    lines = []
    for row in rows(FIGURE_3):
        core = Core(row["core"])
        fmax = core.figure(FPGA, "fmax_capped_mhz")
        lines.append(
            core.row(
                *(row["cipher"], row["rounds"], row["stages"]),
                core.figure(FPGA, "lut"),
                _short_keys(core, FPGA),
                *_times(core, 1000 / fmax if fmax else None),
            )
        )
    return Table(
        label="level ground, ECP5",
        title="LUTs and time",
        conditions="Ours: ECP5-85k, grade 6, placed and routed, without block RAM; LUT4 of the "
        "whole core.",
        columns=(
            *(what("cipher", "cipher"), what("rounds", "rounds"), what("stages", "stages")),
            ours("lut", "LUT4", ",.0f"),
            ours("throughput_gbps", "Gbit/s", ".2f"),
            *_time_columns(),
        ),
        rows=tuple(lines),
        remarks=(_COMPARED,),
    )


def tables() -> list[Table]:
    """Return Figure 3, and what else its cores take on each target."""
    return [
        architectures(),
        *(in_cells(CELLS, "0.18 µm"), in_cells(OLD_CELLS, "0.5 µm"), on_fpga()),
    ]
