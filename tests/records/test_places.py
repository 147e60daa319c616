"""What is measured here goes to the user's folder; what came with Roundsmith is only read."""

import hashlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from roundsmith import catalogue
from roundsmith.base import paths
from roundsmith.records import index, records
from roundsmith.records.records import Measurement, Verification
from roundsmith.tools import liberty

SPEC = catalogue.find("smallest-lut")
SHIPPED = paths.DATA / "measured"


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give the test a user who has measured nothing yet."""
    monkeypatch.delenv("ROUNDSMITH_RECORDS", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "user"))
    records.forget()
    yield tmp_path / "user/roundsmith/records"
    records.forget()


def contents(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(p): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def seen(blocks: int) -> Verification:
    digest = records.design_hash(SPEC, None)
    return Verification(name=SPEC.name, target=None, blocks=blocks, tools={}, design_hash=digest)


def test_a_new_record_goes_to_the_user(user: Path) -> None:
    before, known = contents(SHIPPED), len(records.verifications())
    assert known > 100
    records.append(seen(1))
    assert contents(SHIPPED) == before
    assert [path.name for path in user.iterdir()] == ["verifications.jsonl"]
    assert len(records.verifications()) == known + 1
    found = records.simulated(SPEC)
    assert found is not None and found.blocks == 1
    with index.opened() as store:
        last = store.cycles(SPEC)
        assert last is not None and last.blocks == 1


def test_another_user_does_not_see_it(
    user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = len(records.verifications())
    records.append(seen(1))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "other"))
    records.forget()
    assert len(records.verifications()) == known
    with index.opened() as store:
        last = store.cycles(SPEC)
        assert last is not None and last.blocks > 1


def test_a_named_folder_is_the_only_one(
    user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records.append(seen(1))
    monkeypatch.setenv("ROUNDSMITH_RECORDS", str(tmp_path / "named"))
    records.forget()
    assert records.verifications() == []
    records.append(seen(2))
    assert [v.blocks for v in records.verifications()] == [2]
    assert [path.name for path in (tmp_path / "named").iterdir()] == ["verifications.jsonl"]


def test_the_index_reads_either_folder_anew(user: Path) -> None:
    """A file that shrinks or goes takes its own records with it, and none of the other folder."""
    records.append(seen(1))
    records.append(seen(2))
    with index.opened() as store:
        shipped = len(store.verified(SPEC))
        last = store.cycles(SPEC)
        assert last is not None and last.blocks == 2
    file = user / "verifications.jsonl"
    file.write_text(file.read_text().splitlines(keepends=True)[0])
    with index.opened() as store:
        last = store.cycles(SPEC)
        assert last is not None and last.blocks == 1
        assert len(store.verified(SPEC)) == shipped > 1
    file.unlink()
    with index.opened() as store:
        last = store.cycles(SPEC)
        assert last is not None and last.blocks > 2  # a shipped one


def test_a_cell_library_of_ones_own_stays_with_its_user(
    user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command writes into neither the package nor the repository."""
    (tmp_path / "own.lib").write_bytes(liberty.osu("osu018").path.read_bytes())
    before = contents(paths.DATA)
    program = Path(sys.executable).with_name("roundsmith")
    words = [program, "measure", "smallest-ge", "--target", "asic:own.lib"]
    answer = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    assert contents(paths.DATA) == before
    lines = (user / "measurements.jsonl").read_text().splitlines()
    assert [Measurement.model_validate_json(line).target for line in lines] == ["asic:own.lib"] * 2
    assert any(m.target == "asic:own.lib" for m in records.measurements())
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "other"))
    records.forget()
    assert not any(m.target == "asic:own.lib" for m in records.measurements())
