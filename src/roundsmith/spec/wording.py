"""Values of a spec in the sentences that refuse it."""

from collections.abc import Iterable
from typing import Any


def plain(value: Any) -> str:
    """Return a value as a user writes it."""
    if isinstance(value, tuple):
        return ", ".join(str(v) for v in value)
    return "none" if value is None else str(value)


def words(values: Iterable[str]) -> str:
    """Return quoted words as a list in words."""
    quoted = [f"'{v}'" for v in values]
    if len(quoted) < 2:
        return "".join(quoted)
    return ", ".join(quoted[:-1]) + " or " + quoted[-1]
