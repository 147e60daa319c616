"""A table of a paper: published figures, ours and their ratio, in columns that never mix.

A row carries the records that ours were read from, and the commands that would make the missing
ones; so every figure of ours can be traced, in the JSON down to the hash of the design.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from roundsmith.base.grid import NONE, Grid

Value = str | int | float | Decimal | None


class Side(StrEnum):
    """Whose figure a column holds: what a row is about, the paper's, ours, or ours by theirs."""

    WHAT = "what"
    PUBLISHED = "published"
    OURS = "ours"
    RATIO = "ratio"


@dataclass(frozen=True)
class Column:
    """A column: whose, its key in the JSON, its heading, and how a figure of ours is written."""

    side: Side
    key: str
    heading: str
    style: str = ",d"

    @property
    def title(self) -> str:
        """The heading with the side, in two lines."""
        words = {Side.WHAT: "", Side.PUBLISHED: "published\n", Side.OURS: "our\n", Side.RATIO: ""}
        return (words[self.side] + self.heading).strip()

    def text(self, value: Value) -> str:
        """Return a cell; a published figure keeps the digits that were printed."""
        if value is None or value == "":
            return "" if self.side is Side.WHAT else NONE
        if isinstance(value, str):
            return value
        printed = isinstance(value, Decimal) or (
            self.side is Side.PUBLISHED and isinstance(value, int)
        )
        return format(value, "," if printed else self.style)


def what(key: str, heading: str) -> Column:
    """Return a column that says what a row is about."""
    return Column(Side.WHAT, key, heading)


def theirs(key: str, heading: str) -> Column:
    """Return a column of published figures."""
    return Column(Side.PUBLISHED, key, heading, ",.2f")


def ours(key: str, heading: str, style: str = ",d") -> Column:
    """Return a column of our figures."""
    return Column(Side.OURS, key, heading, style)


def by(key: str, heading: str) -> Column:
    """Return a column of ratios."""
    return Column(Side.RATIO, key, heading, ".2f")


def ratio(ours: Value, theirs: Value) -> float | None:
    """Return our figure by the published one, None where either is missing."""
    if ours is None or theirs is None or isinstance(ours, str) or isinstance(theirs, str):
        return None
    return float(ours) / float(theirs) if theirs else None


@dataclass(frozen=True)
class Source:
    """The record behind figures of ours: of what, on which target, by which flow."""

    name: str
    target: str
    flow: str
    design_hash: str


@dataclass(frozen=True)
class Row:
    """A row: a cell for each column, where ours came from, and what is known of its gaps.

    `missing` are the commands that would make records, `failed` why there can be none.
    """

    cells: tuple[Value, ...]
    sources: tuple[Source, ...] = ()
    missing: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """One table: which of the paper's, what stands in it, and what the figures mean."""

    label: str
    title: str
    conditions: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        assert all(len(row.cells) == len(self.columns) for row in self.rows), self.label

    @property
    def missing(self) -> tuple[str, ...]:
        """The commands that would fill the gaps, each once."""
        return tuple(dict.fromkeys(command for row in self.rows for command in row.missing))

    @property
    def records(self) -> str:
        """What our figures were read from, in short."""
        found = dict.fromkeys(
            f"{source.target} ({source.flow.partition(':')[0]})"
            for row in self.rows
            for source in row.sources
        )
        return ", ".join(found) or "none"

    def notes(self, known: Collection[str] = ()) -> list[str]:
        """Return what stands below the table: conditions, remarks but the known ones, records."""
        ours = any(column.side is Side.OURS for column in self.columns)
        records = [f"Records of ours: {self.records}."] if ours else []
        failed = dict.fromkeys(reason for row in self.rows for reason in row.failed)
        return [self.conditions, *(r for r in self.remarks if r not in known), *failed, *records]

    def grid(self, paper: str, known: Collection[str] = ()) -> Grid:
        """Return the table as it is shown, without the remarks that are known already."""
        texts = {
            i
            for i, column in enumerate(self.columns)
            if column.side is Side.WHAT or any(isinstance(r.cells[i], str) for r in self.rows)
        }
        return Grid(
            title=f"{paper}, {self.label}: {self.title}",
            note="\n".join(self.notes(known)),
            headings=tuple(column.title for column in self.columns),
            rows=tuple(
                tuple(c.text(v) for c, v in zip(self.columns, row.cells, strict=True))
                for row in self.rows
            ),
            left=0,
            texts=frozenset(texts),
        )

    def json(self) -> dict[str, object]:
        """Return the table with the documented, stable keys of the JSON."""
        return {
            "table": self.label,
            "title": self.title,
            "conditions": self.conditions,
            "remarks": list(self.remarks),
            "rows": [self._row(row) for row in self.rows],
        }

    def _row(self, row: Row) -> dict[str, object]:
        sides: dict[str, dict[str, object]] = {str(side): {} for side in Side}
        for column, value in zip(self.columns, row.cells, strict=True):
            sides[column.side][column.key] = _plain(value)
        return {
            **sides,
            "records": [_fields(source) for source in row.sources],
            "missing": list(row.missing),
            "failed": list(row.failed),
        }


def _plain(value: Value) -> object:
    """Return a value as JSON has it: names without marks, numbers as numbers."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value.replace("`", "") if isinstance(value, str) else value


def _fields(source: Source) -> Mapping[str, str]:
    return {
        "name": source.name,
        "target": source.target,
        "flow": source.flow,
        "design_hash": source.design_hash,
    }
