"""Lutz et al. 2002: Rijndael and Serpent on two chips of 0.6 µm."""

from collections.abc import Callable, Sequence
from operator import itemgetter

from roundsmith.report.papers import level_ground, plane
from roundsmith.report.papers.ours import AREA, CELLS, DELAY, OLD_CELLS, Circuit, Core, square_mm
from roundsmith.report.papers.plane import DATA_PATH, SUBKEYS
from roundsmith.report.papers.table import Row, Table, Value, by, ours, ratio, theirs, what
from roundsmith.report.published import Row as Printed
from roundsmith.report.published import figure, notes, rows
from roundsmith.spec import Spec, formulas

NAME = "lutz"
SHORT = "Lutz et al. 2002"
CITATION = (
    "A.K. Lutz, J. Treichler, F.K. Gürkaynak, H. Kaeslin, G. Basler, A. Erni, S. Reichmuth, "
    "P. Rommens, S. Oetiker, W. Fichtner: 2Gbit/s Hardware Realizations of RIJNDAEL and SERPENT: "
    "A Comparative Analysis. CHES 2002"
)

_CELLS = "OSU's 0.18 µm cells, delay-driven, without wires"


#: What a gate equivalent has.
_TRANSISTORS = 4


class _Chip:
    """One column of ours in Table 1: a chip with its port, and the core inside."""

    def __init__(self, cipher: str) -> None:
        self.chip, self.core = Core(f"lutz-{cipher}-chip"), Core(f"lutz-{cipher}")

    def figures(self) -> dict[str, Value]:
        """Return our figures by the columns of the table; what is not there is left out."""
        chip, core = self.chip, self.core
        seen = chip.cycles("latency_cycles")
        if chip.spec is None or core.spec is None or core.seen() is None:
            return {}
        words = formulas.whole_latency_cycles(chip.spec) - formulas.latency_cycles(chip.spec)
        whole = None if seen is None else seen + words
        period = core.figure(CELLS, "cycle_ns", DELAY)
        old = core.figure(OLD_CELLS, "cycle_ns", DELAY)
        ways = {way: core.cycles(f"key_setup_{way}_cycles") for way in ("encrypt", "decrypt")}
        times = {way: _product(cycles, period) for way, cycles in ways.items()}
        path, old_path = (core.part(t, DELAY, *DATA_PATH) for t in (CELLS, OLD_CELLS))
        rounds = core.spec.how.rounds
        whole_ge = chip.figure(OLD_CELLS, "area_ge", DELAY)
        return {
            "rounds_in_algorithm": formulas.cipher_rounds(core.spec),
            "rounds_in_hardware": rounds,
            "key_bits": max(core.spec.what.key_bits),
            "subkeys": str(core.spec.how.key_schedule).replace("_", " "),
            "encryption_key_cycles": ways["encrypt"],
            "encryption_key_ns": times["encrypt"],
            "decryption_key_cycles": ways["decrypt"],
            "decryption_key_ns": times["decrypt"],
            "switch_cycles": formulas.turn_cycles(core.spec),
            "flip_flops": core.figure(CELLS, "ff", DELAY),
            "ge": core.figure(CELLS, "area_ge", DELAY),
            "round_ge": None if path is None else path / rounds,
            "subkeys_ge": core.part(CELLS, DELAY, *SUBKEYS),
            "throughput_gbps": core.gigabits(CELLS, DELAY),
            "clock_mhz": None if period is None else 1000 / period,
            "latency": whole,
            "latency_ns": _product(whole, period),
            "transistors": None if whole_ge is None else round(_TRANSISTORS * whole_ge),
            "round_mm2": square_mm(None if old_path is None else old_path / rounds, OLD_CELLS),
            "subkeys_mm2": square_mm(core.part(OLD_CELLS, DELAY, *SUBKEYS), OLD_CELLS),
            "chip_mm2": square_mm(whole_ge, OLD_CELLS),
            "chip_flip_flops": chip.figure(CELLS, "ff", DELAY),
            "chip_ge": chip.figure(CELLS, "area_ge", DELAY),
            "old_chip_ge": whole_ge,
            "old_ge": core.figure(OLD_CELLS, "area_ge", DELAY),
            "old_least_ge": core.figure(OLD_CELLS, "area_ge", AREA),
            "old_clock_mhz": None if old is None else 1000 / old,
            "old_gbps": core.gigabits(OLD_CELLS, DELAY),
        }

    def sources(self) -> tuple[Core, Core]:
        """Return what was read for the column."""
        return self.chip, self.core


def _row(cores: Sequence[Core], *cells: Value) -> Row:
    """Return a row with all that was read of `cores`."""
    read = dict.fromkeys(source for core in cores for source in core.read)
    missing = dict.fromkeys(command for core in cores for command in core.missing)
    failed = dict.fromkeys(reason for core in cores for reason in core.failed)
    return Row(cells, tuple(read), tuple(missing), tuple(failed))


def _product(cycles: Value, period: Value) -> float | None:
    if isinstance(cycles, int | float) and isinstance(period, int | float):
        return cycles * period
    return None


#: The rows of Table 1: what, the published column, ours, and whether a ratio means something.
_FIGURES = (
    ("rounds in the algorithm", "rounds_in_algorithm", "rounds_in_algorithm", True),
    ("rounds in hardware", "rounds_in_hardware", "rounds_in_hardware", True),
    ("key length, bits", "key_bits", "key_bits", True),
    ("subkeys", "subkeys", "subkeys", False),
    ("new encryption key, cycles", "encryption_key_cycles", "encryption_key_cycles", True),
    ("new encryption key, ns", "encryption_key_ns", "encryption_key_ns", False),
    ("new decryption key, cycles", "decryption_key_cycles", "decryption_key_cycles", True),
    ("new decryption key, ns", "decryption_key_ns", "decryption_key_ns", False),
    ("switch of direction, cycles", "switch_cycles", "switch_cycles", False),
    ("flip-flops", "flip_flops", "flip_flops", True),
    ("flip-flops, with channels", "flip_flops", "chip_flip_flops", True),
    ("transistors", "transistors", "transistors", True),
    ("area, GE", "", "ge", False),
    ("with channels, GE", "", "chip_ge", False),
    ("a round, mm²", "round_mm2", "round_mm2", False),
    ("a round's data path, GE", "", "round_ge", False),
    ("subkey generation, mm²", "subkeys_mm2", "subkeys_mm2", False),
    ("subkey generation, GE", "", "subkeys_ge", False),
    ("chip, estimated, mm²", "estimated_mm2", "chip_mm2", False),
    ("chip, laid out, mm²", "actual_mm2", "", False),
    ("throughput, Gbit/s", "throughput_gbps", "throughput_gbps", False),
    ("clock, MHz", "clock_mhz", "clock_mhz", False),
    ("latency, cycles", "latency", "latency", True),
    ("latency, ns", "latency_ns", "latency_ns", False),
    ("OSU 0.5 µm: area, GE", "", "old_ge", False),
    ("OSU 0.5 µm: with channels, GE", "", "old_chip_ge", False),
    ("OSU 0.5 µm: clock, MHz", "clock_mhz", "old_clock_mhz", False),
    ("OSU 0.5 µm: throughput, Gbit/s", "throughput_gbps", "old_gbps", False),
    ("OSU 0.5 µm: smallest netlist, GE", "", "old_least_ge", False),
)


def _printed(row: Printed, key: str) -> Value:
    return row[key] if key == "subkeys" else figure(row, key) if key else None


def _rounded(value: Value, key: str) -> Value:
    """Return a figure of the last column with as many digits as its row has room for."""
    if not isinstance(value, float):
        return value
    return round(value, 2) if key.endswith(("gbps", "mm2")) else round(value)


def chips() -> Table:
    """Return Table 1: the two chips."""
    rijndael, serpent = rows("lutz-2002-table-1.csv")
    chip, other = _Chip("rijndael"), _Chip("serpent")
    mine, others = chip.figures(), other.figures()
    lines = []
    for label, key, our_key, compares in _FIGURES:
        printed, also = _printed(rijndael, key), _printed(serpent, key)
        cells = (
            label,
            printed,
            _rounded(mine.get(our_key), our_key),
            ratio(mine.get(our_key), printed) if compares else None,
            also,
            _rounded(others.get(our_key), our_key),
            ratio(others.get(our_key), also) if compares else None,
        )
        cores = (*chip.sources(), *other.sources()) if our_key else ()
        lines.append(_row(cores, *cells))
    return Table(
        label="Table 1",
        title="the two chips",
        conditions="Published: AMS's 0.6 µm, fabricated, with three 32-bit channels. Ours: cycles "
        f"of the chips, which have the channels, and figures of their cores in {_CELLS}; "
        "the latency is from the first word in to the last word out.",
        columns=(
            what("figure", "figure"),
            theirs("rijndael", "Rijndael"),
            ours("rijndael", "Rijndael", ",g"),
            by("rijndael", "ours / published"),
            theirs("serpent", "Serpent"),
            ours("serpent", "Serpent", ",g"),
            by("serpent", "ours / published"),
        ),
        rows=tuple(lines),
        remarks=(
            "Cycles, flip-flops and transistors compare. Clock, ns and Gbit/s are of 0.6 µm with "
            "wires and of 0.18 µm without.",
            f"Our transistors are {_TRANSISTORS} a gate equivalent of the chip with its channels "
            "in OSU's 0.5 µm cells: that many has a NAND of two inputs. Our mm² are those of the "
            "cells alone in these cells, as OSU drew them, without wires, pads and room between "
            "cells; a round is its data path.",
            *notes((rijndael, serpent), itemgetter("cipher")),
        ),
    )


def judgement() -> Table:
    """Return Table 2: the ciphers from the point of view of an architect."""
    cores = Core("lutz-rijndael"), Core("lutz-serpent")
    lines = []
    for row in rows("lutz-2002-table-2.csv"):
        label, figures = _weighed(row["serpent"], cores)
        signs = (row["rijndael_sign"], row["rijndael"], row["serpent_sign"], row["serpent"])
        lines.append(_row(cores if label else (), *signs, label, *figures))
    return Table(
        label="Table 2",
        title="the ciphers as an architect sees them",
        conditions="Published: the authors' judgement, + good, - bad, o neither. Ours: what can be "
        f"counted of it, of `lutz-rijndael` and `lutz-serpent`; GE in {_CELLS}.",
        columns=(
            theirs("rijndael_sign", ""),
            theirs("rijndael", "Rijndael"),
            theirs("serpent_sign", ""),
            theirs("serpent", "Serpent"),
            what("counted", "counted"),
            ours("rijndael", "Rijndael"),
            ours("serpent", "Serpent"),
        ),
        rows=tuple(lines),
    )


#: The figure that a statement of Table 2 on Serpent is about, by how the statement begins.
_WEIGHED: dict[str, tuple[str, Callable[[Core, Spec], Value]]] = {
    "Large number of rounds": ("rounds", lambda core, spec: formulas.cipher_rounds(spec)),
    "Large number of subkeys": ("subkeys", lambda core, spec: formulas.cipher_rounds(spec) + 1),
    "Fixed number of rounds": (
        "rounds with 128, 192, 256 bits",
        lambda core, spec: ", ".join(
            str(formulas.cipher_rounds(spec, bits)) for bits in (128, 192, 256)
        ),
    ),
    "No complex": (
        "linear layers of a round, GE",
        lambda core, spec: _a_round(core, spec, "linear layer"),
    ),
    "Small S-boxes": (
        "S-boxes of a round, GE",
        lambda core, spec: _a_round(core, spec, "S-boxes of the state"),
    ),
    "No efficient way": (
        "cycles from a key to a decryption",
        lambda core, spec: core.cycles("key_setup_decrypt_cycles"),
    ),
}


def _weighed(statement: str, cores: Sequence[Core]) -> tuple[str | None, tuple[Value, ...]]:
    """Return what can be counted of a statement, and that of each core that was simulated."""
    for start, (label, of) in _WEIGHED.items():
        if statement.startswith(start):
            return label, tuple(of(c, c.spec) if c.spec and c.seen() else None for c in cores)
    return None, (None,) * len(cores)


def _a_round(core: Core, spec: Spec, part: str) -> int | None:
    """Return the GE of a part of one round, for both directions."""
    area = core.part(CELLS, DELAY, part)
    return None if area is None else round(area / spec.how.rounds)


def shared_inverse() -> Table:
    """Return section 3.1: what one table for the inversion saves."""
    (row,) = rows("lutz-2002-section-3-1.csv")
    apart, shared = Circuit("sbox-table", "sbox-table-inverse"), Circuit("sbox-shared-inverse-both")
    both, one = apart.cells("ge"), shared.cells("ge")
    saved = 100 * (1 - one / both) if one is not None and both is not None else None
    sources = (*apart.read, *shared.read)
    missing = (*apart.missing, *shared.missing)
    printed = f"{row['saved_low']} to {row['saved_high']}"
    cells = (figure(row, "share_of_round"), printed, both, one, saved)
    return Table(
        label="section 3.1",
        title="one inversion table for both directions",
        conditions="Published: AMS's 0.6 µm. Ours: OSU's 0.18 µm cells, the smallest netlists of "
        "`sbox-table` and `sbox-table-inverse`, and of `sbox-shared-inverse-both`.",
        columns=(
            theirs("share_of_round", "tables, % of a round"),
            theirs("saved_percent", "% saved"),
            ours("apart_ge", "two tables, GE", ",.0f"),
            ours("shared_ge", "one, GE", ",.0f"),
            ours("saved_percent", "% saved", ".0f"),
        ),
        rows=(Row(cells, sources, missing),),
        remarks=("A share of one library compares with a share of another.",),
    )


def paths() -> Table:
    """Return section 3.2: the longest path before and after the round was cut elsewhere."""
    lines = []
    for row in rows("lutz-2002-section-3-2.csv"):
        core = Core(row["core"])
        lines.append(
            core.row(
                core.title or row["core"],
                row["round"],
                figure(row, "longest_path_ns"),
                core.figure(CELLS, "cycle_ns", DELAY),
                core.figure(CELLS, "area_ge", DELAY),
            )
        )
    return Table(
        label="section 3.2",
        title="the longest path before and after",
        conditions=f"Published: AMS's 0.6 µm. Ours: one such round in a ring, {_CELLS}. The two "
        "rows of a column compare, the columns do not.",
        columns=(
            what("core", "core"),
            what("round", "round"),
            theirs("longest_path_ns", "ns"),
            ours("cycle_ns", "ns", ".2f"),
            ours("area_ge", "GE", ",.0f"),
        ),
        rows=tuple(lines),
    )


def tables() -> list[Table]:
    """Return the paper's tables."""
    return [
        *(chips(), judgement(), *plane.tables()),
        *(level_ground.feedback(), level_ground.cores(), level_ground.energies()),
        *(shared_inverse(), paths()),
    ]
