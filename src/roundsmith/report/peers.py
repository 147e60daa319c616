"""Other people's cores: public ones that were measured in one flow, and published records.

Neither stands beside figures of ours: a core of ours is in the README, measured by the tool.
"""

from collections.abc import Callable, Sequence

from roundsmith.base.grid import Grid, number
from roundsmith.report.published import TEXTS, figure, rows

#: The columns of the two tables: the key in the file, and the heading.
_CORES = (
    ("design", "core"),
    ("repository", "repository"),
    ("directions", "directions"),
    ("keys", "keys"),
    ("cycles", "cycles"),
    ("area_ge", "GE, area-driven"),
    ("fast_ge", "GE, delay-driven"),
    ("cycle_ns", "ns"),
    ("mbps_per_kge", "Mbit/s per kGE"),
    ("luts", "LUT4"),
    ("clock_mhz", "MHz"),
    ("throughput_mbps", "Mbit/s"),
    ("mbps_per_klut", "Mbit/s per kLUT"),
    ("note", "note"),
)
_RECORDS = (
    ("design", "core"),
    ("cipher", "cipher"),
    ("device", "device"),
    ("directions", "directions"),
    ("area_ge", "GE"),
    ("slices", "slices"),
    ("block_ram", "RAM"),
    ("cycles", "cycles"),
    ("throughput_mbps", "Mbit/s"),
    ("citation", "citation"),
    ("note", "note"),
)


def _grid(file: str, title: str, note: str, columns: Sequence[tuple[str, str]]) -> Grid:
    texts = frozenset(i for i, (key, _) in enumerate(columns) if key in TEXTS)
    return Grid(
        title=title,
        note=note,
        headings=tuple(heading for _, heading in columns),
        rows=tuple(
            tuple(row[key] if key in TEXTS else number(figure(row, key), ",") for key, _ in columns)
            for row in rows(file)
        ),
        left=0,
        texts=texts,
    )


def cores() -> Grid:
    """Return the public cores that were measured in one flow."""
    return _grid(
        "public-cores.csv",
        "Public AES-128 cores, measured",
        "Measured, not published, and not by this tool, so without records: OSU's 0.18 µm cells, "
        "and ECP5-85k, grade 6.",
        _CORES,
    )


def records() -> Grid:
    """Return published records of whole cores."""
    return _grid(
        "core-records.csv",
        "Published records of whole cores",
        "As their authors printed them, each in cells or on a device of its own: no two rows "
        "compare.",
        _RECORDS,
    )


def _part(make: Callable[[], Grid]) -> Callable[[], str]:
    def text() -> str:
        grid = make()
        return f"{grid.note}\n\n{grid.markdown()}"

    return text


#: The generated parts of docs/papers.md.
PARTS: dict[str, Callable[[], str]] = {
    "public cores": _part(cores),
    "core records": _part(records),
}
