"""Data in the words that the records of measurements have for it."""

from dataclasses import fields
from typing import Any


def recorded(word: str, value: Any) -> str:
    """Return a dataclass as a text that is `word` and its fields, whatever the class is called.

    The hash of a record covers such texts, so that they stay as they were when it was made.
    """
    parts = (f"{field.name}={getattr(value, field.name)!r}" for field in fields(value))
    return f"{word}({', '.join(parts)})"
