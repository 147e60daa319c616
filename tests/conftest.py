"""Records made by tests must not land in the repository's own."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from roundsmith import paths, records


@pytest.fixture
def own_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give the test a copy of the records that it may add to."""
    data = tmp_path / "data"
    shutil.copytree(paths.DATA, data)
    monkeypatch.setattr(records, "DATA", data)
    records._read.cache_clear()
    yield data
    records._read.cache_clear()
