"""The hash of a design: what changes the hardware changes it, and a comment does not."""

from dataclasses import replace
from pathlib import Path

import pytest

from roundsmith import catalogue, generate

DESIGN = generate.design(catalogue.find("saggese-iterative"))


def hash_of(text: str, folder: Path) -> str:
    """Return the hash of the design with `text` in place of its last library file."""
    file = folder / "last.sv"
    file.write_text(text)
    return replace(DESIGN, library=(*DESIGN.library[:-1], file)).text_hash()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("wire a = b;", "wire a = b; // a copy"),
        ("wire a = b;", "/* a\n copy */ wire a\n    = b;"),
        ('$error("a /* b");', '$error("a /* b"); // */'),
    ],
)
def test_comments_and_lines_do_not_count(before: str, after: str, tmp_path: Path) -> None:
    assert hash_of(f"{before}\n", tmp_path) == hash_of(f"{after} \n", tmp_path)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("wire a = b;", "wire a = c;"),
        ("wire a = b;", "// wire a = b;"),
        ('$error("a // b");', '$error("a // c");'),
        ('$error("a  b");', '$error("a b");'),
        ("wire a = b / c;", "wire a = b /* / */ c;"),
    ],
)
def test_code_counts(before: str, after: str, tmp_path: Path) -> None:
    assert hash_of(before, tmp_path) != hash_of(after, tmp_path)
