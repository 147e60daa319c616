"""Files that a user names are refused before the work, and written whole or not at all."""

import os
from pathlib import Path

import pytest

from roundsmith.base import output_file
from roundsmith.base.errors import RoundsmithError


def test_no_file_and_a_new_file_are_well(tmp_path: Path) -> None:
    output_file.check(None)
    output_file.check(tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(RoundsmithError, match="is a folder"):
        output_file.check(tmp_path)
    with pytest.raises(RoundsmithError, match="is not there; make it"):
        output_file.check(tmp_path / "no" / "file")
    # Who runs the tests may be allowed everything.
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(RoundsmithError, match="Nothing may be written"):
        output_file.check(tmp_path / "new")


def test_a_file_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    output_file.write(file, "before, µ")
    assert file.read_text() == "before, µ"

    def full(self: Path, _: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(RoundsmithError, match="cannot be written: No space left"):
        output_file.write(file, b"after")
    assert file.read_text() == "before, µ" and list(tmp_path.iterdir()) == [file]
