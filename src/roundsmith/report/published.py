"""Published figures: the tables of `data/published`."""

import csv
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from functools import cache

from roundsmith.base.paths import DATA

FOLDER = DATA / "published"

#: The columns that hold text, whatever the table; every other one holds numbers.
TEXTS = frozenset(
    ("area_unit", "block", "cipher", "circuits", "citation", "component", "core", "decryption",
     "design", "device", "directions", "encryption", "flow", "implementation", "inverse",
     "key_128", "key_192", "key_256", "keys", "memory_unit", "method", "note", "optimised_for",
     "part", "per", "remark", "repository", "rijndael", "rijndael_sign", "round", "serpent",
     "serpent_sign", "short", "storage", "subkeys", "technology")
)  # fmt: skip

Row = Mapping[str, str]


@cache
def rows(file: str) -> tuple[Row, ...]:
    """Return the rows of a table in `data/published`; the file says what and whose they are."""
    text = (FOLDER / file).read_text()
    return tuple(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


def figure(row: Row, key: str) -> Decimal | None:
    """Return a published figure with the digits that were printed, None where there is none."""
    return Decimal(row[key]) if row[key] else None


def title(row: Row) -> str:
    """Return what a row is about: our name for the core, or the printed one of another design."""
    return row["core"] or row["design"]


def notes(found: Iterable[Row], name: Callable[[Row], str]) -> tuple[str, ...]:
    """Return what a table notes of its rows, each once, behind what `name` calls the row."""
    return tuple(dict.fromkeys(f"{name(row)}: {row['note']}." for row in found if row["note"]))
