"""What several files need: exported folders, and records, which must not land in our own."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from roundsmith.base import paths
from roundsmith.circuits import cells
from roundsmith.export import write
from roundsmith.records import records
from tests.support.exported import CORES, MORE


@pytest.fixture(scope="session", autouse=True)
def nobodys_records(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let what the user of this machine measured count in no test, and no test add to it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture
def own_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give the test a copy of the records that it may add to."""
    data = tmp_path / "data"
    shutil.copytree(paths.DATA, data)
    monkeypatch.setenv("ROUNDSMITH_RECORDS", str(data / "measured"))
    records.forget()
    yield data
    records.forget()


@pytest.fixture
def no_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Let the test begin with no records at all."""
    monkeypatch.setenv("ROUNDSMITH_RECORDS", str(tmp_path / "records"))
    records.forget()
    yield tmp_path / "records"
    records.forget()


@pytest.fixture
def two_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Map circuits to cells in two ways alone, which is fast."""
    names = ("written, dch amap -E 1", "written, map, sized")
    monkeypatch.setattr(cells, "SCRIPTS", {name: cells.SCRIPTS[name] for name in names})


@pytest.fixture(scope="module")
def still_records(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give a module a copy of the records that nobody adds to while it runs."""
    folder = tmp_path_factory.mktemp("still") / "measured"
    shutil.copytree(records.folders()[0], folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROUNDSMITH_RECORDS", str(folder))
        records.forget()
        yield folder
    records.forget()


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Export every core of the tests of `build`, once; return the folders by name."""
    root = tmp_path_factory.mktemp("build")
    for spec in [*CORES, *MORE]:
        write(spec, root / spec.name)
    return {spec.name: root / spec.name for spec in [*CORES, *MORE]}
