"""Published figures: the tables of `data/published`."""

import csv
from collections.abc import Mapping
from functools import cache

from roundsmith.paths import DATA


@cache
def rows(file: str) -> tuple[Mapping[str, str], ...]:
    """Return the rows of a table in `data/published`; the file says what and whose they are."""
    text = (DATA / "published" / file).read_text()
    return tuple(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))
