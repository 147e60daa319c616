"""Lutz et al. 2002: Rijndael and Serpent on two chips of 0.6 µm."""

from operator import itemgetter

from roundsmith.report.papers.ours import CELLS, DELAY, Circuit, Core
from roundsmith.report.papers.table import Row, Table, Value, by, ours, ratio, theirs, what
from roundsmith.report.published import Row as Printed
from roundsmith.report.published import figure, notes, rows
from roundsmith.spec import formulas

NAME = "lutz"
SHORT = "Lutz et al. 2002"
CITATION = (
    "A.K. Lutz, J. Treichler, F.K. Gürkaynak, H. Kaeslin, G. Basler, A. Erni, S. Reichmuth, "
    "P. Rommens, S. Oetiker, W. Fichtner: 2Gbit/s Hardware Realizations of RIJNDAEL and SERPENT: "
    "A Comparative Analysis. CHES 2002"
)

#: What of a core is the data path of Figure 3: no keys, no control, no port.
DATA_PATH = ("S-boxes of the state", "linear layer", "registers of the round")

_CELLS = "OSU's 0.18 µm cells, delay-driven, without wires"


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
        ways = {way: core.cycles(f"key_setup_{way}_cycles") for way in ("encrypt", "decrypt")}
        times = {way: _product(cycles, period) for way, cycles in ways.items()}
        path = core.part(CELLS, DELAY, *DATA_PATH)
        rounds = core.spec.how.rounds
        return {
            "rounds_in_algorithm": formulas.cipher_rounds(core.spec),
            "rounds_in_hardware": rounds,
            "key_bits": max(core.spec.what.key_bits),
            "subkeys": str(core.spec.how.key_schedule).replace("_", " "),
            "encryption_key_cycles": ways["encrypt"],
            "encryption_key_ns": times["encrypt"],
            "decryption_key_cycles": ways["decrypt"],
            "decryption_key_ns": times["decrypt"],
            "flip_flops": core.figure(CELLS, "ff", DELAY),
            "ge": core.figure(CELLS, "area_ge", DELAY),
            "round_ge": None if path is None else path / rounds,
            "throughput_gbps": core.gigabits(CELLS, DELAY),
            "clock_mhz": None if period is None else 1000 / period,
            "latency": whole,
            "latency_ns": _product(whole, period),
        }

    def row(self, *cells: Value) -> Row:
        """Return a row with all that was read for the column."""
        read = (*self.chip.read, *self.core.read)
        missing = (*self.chip.missing, *self.core.missing)
        return Row(cells, tuple(read), missing, (*self.chip.failed, *self.core.failed))


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
    ("switch of direction, cycles", "switch_cycles", "", False),
    ("flip-flops", "flip_flops", "flip_flops", True),
    ("transistors", "transistors", "", False),
    ("area, GE", "", "ge", False),
    ("a round, mm²", "round_mm2", "", False),
    ("a round's data path, GE", "", "round_ge", False),
    ("subkey generation, mm²", "subkeys_mm2", "", False),
    ("chip, estimated, mm²", "estimated_mm2", "", False),
    ("chip, laid out, mm²", "actual_mm2", "", False),
    ("throughput, Gbit/s", "throughput_gbps", "throughput_gbps", False),
    ("clock, MHz", "clock_mhz", "clock_mhz", False),
    ("latency, cycles", "latency", "latency", True),
    ("latency, ns", "latency_ns", "latency_ns", False),
)


def _printed(row: Printed, key: str) -> Value:
    return row[key] if key == "subkeys" else figure(row, key) if key else None


def _rounded(value: Value, key: str) -> Value:
    """Return a figure of the last column with as many digits as its row has room for."""
    if not isinstance(value, float):
        return value
    return round(value, 2) if key == "throughput_gbps" else round(value)


def chips() -> Table:
    """Return Table 1: the two chips."""
    rijndael, serpent = rows("lutz-2002-table-1.csv")
    chip, other = _Chip("rijndael"), _Chip("serpent")
    mine, others = chip.figures(), other.figures()
    lines = []
    for label, key, our_key, compares in _FIGURES:
        row = chip if our_key else None
        printed = _printed(rijndael, key)
        cells = (
            label,
            printed,
            _rounded(mine.get(our_key), our_key),
            ratio(mine.get(our_key), printed) if compares else None,
            _printed(serpent, key),
            _rounded(others.get(our_key), our_key),
        )
        lines.append(row.row(*cells) if row is not None else Row(cells))
    return Table(
        label="Table 1",
        title="the two chips",
        conditions="Published: AMS's 0.6 µm, fabricated, with three 32-bit channels. Ours: cycles "
        f"of `lutz-rijndael-chip`, which has the channels, and figures of its core in {_CELLS}; "
        "the latency is from the first word in to the last word out.",
        columns=(
            what("figure", "figure"),
            theirs("rijndael", "Rijndael"),
            ours("rijndael", "Rijndael", ",g"),
            by("rijndael", "ours / published"),
            theirs("serpent", "Serpent"),
            ours("serpent", "Serpent", ",g"),
        ),
        rows=tuple(lines),
        remarks=(
            "Cycles and flip-flops compare. Clock, ns and Gbit/s are of 0.6 µm with wires and of "
            "0.18 µm without; mm² and transistors have no counterpart in GE.",
            *(() if others else ("There is no core of ours for Serpent with a record yet.",)),
            *notes((rijndael, serpent), itemgetter("cipher")),
        ),
    )


def judgement() -> Table:
    """Return Table 2: the ciphers from the point of view of an architect."""
    lines = [
        Row((row["rijndael_sign"], row["rijndael"], row["serpent_sign"], row["serpent"]))
        for row in rows("lutz-2002-table-2.csv")
    ]
    return Table(
        label="Table 2",
        title="the ciphers as an architect sees them",
        conditions="Published: the authors' judgement, + good, - bad, o neither. It has no "
        "figures, so there are none of ours.",
        columns=(
            theirs("rijndael_sign", ""),
            theirs("rijndael", "Rijndael"),
            theirs("serpent_sign", ""),
            theirs("serpent", "Serpent"),
        ),
        rows=tuple(lines),
    )


def _architecture(row: Printed) -> str:
    return f"{row['cipher']}, {row['rounds']} in hardware"


def architectures() -> Table:
    """Return Figure 3: throughput against the area of the data path."""
    lines = []
    for row in rows("lutz-2002-figure-3.csv"):
        core = Core(row["core"])
        lines.append(
            core.row(
                row["cipher"],
                row["rounds"],
                row["stages"],
                figure(row, "throughput_gbps"),
                figure(row, "area_mm2"),
                core.title,
                core.gigabits(CELLS, DELAY),
                core.part(CELLS, DELAY, *DATA_PATH),
            )
        )
    return Table(
        label="Figure 3",
        title="throughput against data path, over rounds and stages",
        conditions="Published: extrapolated from one round in AMS's 0.6 µm; only what the text "
        f"says of the drawing. Ours: whole cores in {_CELLS}; the data path is S-boxes, linear "
        "layer and registers of the rounds.",
        columns=(
            what("cipher", "cipher"),
            what("rounds", "rounds"),
            what("stages", "stages"),
            theirs("throughput_gbps", "Gbit/s"),
            theirs("area_mm2", "mm²"),
            ours("core", "core"),
            ours("throughput_gbps", "Gbit/s", ".2f"),
            ours("data_path_ge", "data path, GE", ",.0f"),
        ),
        rows=tuple(lines),
        remarks=(
            "Published throughput is for 128-bit keys, on hardware for the 14 rounds of 256-bit "
            "keys; ours is hardware for 128-bit keys. mm² of one technology and GE of another have "
            "no ratio. 7 and 14 rounds do not divide the ten of a 128-bit key: ours has none.",
            *notes(rows("lutz-2002-figure-3.csv"), _architecture),
        ),
    )


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
    return [chips(), judgement(), architectures(), shared_inverse(), paths()]
