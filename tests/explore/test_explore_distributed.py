"""A sweep by Dask: several workers, one of them killed, nothing lost and nothing done twice."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError
from roundsmith.explore import distribute, sweep
from roundsmith.flows import targets
from roundsmith.measure.campaign import Outcome, Pair
from roundsmith.records import records
from roundsmith.spec import Spec

distributed = pytest.importorskip("distributed")

TARGET = targets.parse("mapped:xcv:plain")  # the fastest one to measure on
CORES = ("smallest-ge", "smallest-lut", "smallest-ge-8bit", "aes128-enc-serial8-lut4-shift")


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give the test a folder of its own for records and caches."""
    monkeypatch.setenv("ROUNDSMITH_RECORDS", str(tmp_path / "records"))
    monkeypatch.setenv("ROUNDSMITH_CACHE", str(tmp_path / "cache"))
    records.forget()
    yield tmp_path
    records.forget()


def _at_work(folder: Path) -> int | None:
    """Return the process of a worker that runs Yosys now, None while there is none."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes()
            environment = (entry / "environ").read_bytes()
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        if b"libyosys" in command and str(folder / "cache").encode() in environment:
            return parent
    return None


def test_a_killed_worker_loses_nothing_and_nothing_is_done_twice(own_folder: Path) -> None:
    killed: list[int] = []

    def kill_one() -> None:
        end = time.monotonic() + 240
        while time.monotonic() < end:
            worker = _at_work(own_folder)
            if worker is not None and worker != os.getpid():
                os.kill(worker, signal.SIGKILL)
                killed.append(worker)
                return
            time.sleep(0.02)

    specs = [catalogue.find(name) for name in CORES]
    seen: list[str] = []
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        killer = threading.Thread(target=kill_one, daemon=True)
        killer.start()
        found = sweep.run(
            specs,
            TARGET,
            jobs=1,
            report=lambda outcome, done, total, left: seen.append(outcome.pair.spec.name),
            scheduler=cluster.scheduler_address,
        )
        killer.join(10)
    assert killed, "no worker was at work, so the test shows nothing"
    assert sorted(seen) == sorted(CORES)
    assert all(outcome.reason == "" and len(outcome.found) == 1 for outcome in found)
    kept = [record.name for record in records.measurements()]
    assert sorted(kept) == sorted(CORES)

    # What is there is not even sent to the workers.
    again = distribute_known(specs)
    assert [outcome.seconds for outcome in again] == [0.0] * len(CORES)
    assert sorted(record.name for record in records.measurements()) == sorted(CORES)


def distribute_known(specs: list[Spec]) -> list[Outcome]:
    """Sweep once more, where all is known, over a cluster without a worker."""
    with distributed.LocalCluster(n_workers=0, dashboard_address=None) as cluster:
        pairs = [Pair(spec, TARGET) for spec in specs]
        return distribute.run(pairs, cluster.scheduler_address, report=lambda *_: None)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "tcp://nobody", "nothing"])
def test_an_address_where_nobody_answers_is_said(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr(distribute, "_PATIENCE", 0.5)
    with pytest.raises(RoundsmithError, match="No Dask scheduler answers"):
        distribute.run([], address, report=lambda *_: None)
