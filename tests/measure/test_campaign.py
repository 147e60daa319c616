"""Many cores on many targets: what is finished is kept, nothing is done twice, failures count."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from roundsmith import catalogue
from roundsmith.base.errors import (
    DoesNotFit,
    Killed,
    KnownFailure,
    RoundsmithError,
    TimedOut,
    ToolError,
    ToolMissing,
)
from roundsmith.design import generate, tech
from roundsmith.flows import targets
from roundsmith.flows.targets import Target
from roundsmith.measure import campaign, measure, power
from roundsmith.records import records
from roundsmith.records.records import Measurement
from roundsmith.spec import Spec
from roundsmith.tools import nextpnr, process
from roundsmith.verify import verify

PROGRAM = Path(sys.executable).with_name("roundsmith")
CORES = ("smallest-ge", "smallest-lut")
TARGET = "mapped:xcv:plain"  # the fastest one to measure on
SPEC = catalogue.find("smallest-lut")
XCV = targets.parse("mapped:xcv")


@pytest.fixture
def no_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give the test a folder of its own for records and caches."""
    monkeypatch.setenv("ROUNDSMITH_RECORDS", str(tmp_path / "records"))
    monkeypatch.setenv("ROUNDSMITH_CACHE", str(tmp_path / "cache"))
    records.forget()
    yield tmp_path
    records.forget()


def _quiet(_step: str, _done: int, _total: int) -> None:
    pass


def _start(*more: str) -> "subprocess.Popen[str]":
    command = [str(PROGRAM), "measure", *CORES, "--targets", TARGET, "--jobs", "1", *more]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def _lines(folder: Path) -> list[str]:
    file = folder / "records" / "measurements.jsonl"
    return file.read_text().splitlines() if file.exists() else []


def _until(condition: "object", seconds: float = 120) -> None:
    assert callable(condition)
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def _running(folder: Path, program: bytes = b"") -> list[int]:
    """Return the processes that were started for the test's own folder, by their environment."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            environment = (entry / "environ").read_bytes()
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        # Python's own tracker of shared memory lives as long as the test.
        if str(folder / "cache").encode() not in environment or b"resource_tracker" in command:
            continue
        if program in command:
            found.append(int(entry.name))
    return found


def test_a_run_that_is_killed_goes_on_where_it_was(no_records: Path) -> None:
    first = _start()
    # Yosys works on the second core when nothing but SIGKILL comes.
    _until(lambda: len(_lines(no_records)) == 1)
    _until(lambda: _running(no_records, b"libyosys"))
    os.kill(first.pid, signal.SIGKILL)
    first.communicate()
    # Nothing is left that could measure the second core behind our back.
    _until(lambda: not _running(no_records))
    kept = _lines(no_records)
    assert len(kept) == 1

    second = _start("--json")
    said, steps = second.communicate()
    assert second.returncode == 0
    assert [m["name"] for m in json.loads(said)] == list(CORES)
    assert f"[1/2] smallest-ge on {TARGET}: " in steps and "(stored)" in steps
    assert _lines(no_records)[:1] == kept and len(_lines(no_records)) == 2

    # And once more, when all is there.
    third = _start()
    said, steps = third.communicate()
    assert steps.count("(stored)") == 2 and len(_lines(no_records)) == 2


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_at_once_and_cleanly(ending: signal.Signals, no_records: Path) -> None:
    started = _start()
    _until(lambda: any((no_records / "cache").glob("mapped-*/.*/yosys.ys")))
    os.kill(started.pid, ending)
    _, said = started.communicate(timeout=120)
    assert started.returncode == 130
    assert said.strip().endswith("interrupted; finished steps are kept")
    assert "Traceback" not in said
    _until(lambda: not _running(no_records))
    assert _lines(no_records) == []


def test_too_long_is_a_failure_that_is_kept(no_records: Path) -> None:
    said: list[str] = []

    def report(outcome: campaign.Outcome, done: int, total: int, _left: float | None) -> None:
        said.append(f"{done}/{total} {outcome.reason}")

    pair = campaign.Pair(SPEC, XCV)
    (late,) = campaign.run([pair], jobs=1, report=report, limit=0.6)
    assert said == ["1/1 The measurement did not finish within 0.01 minutes."]
    assert not late.found
    assert not _running(no_records)
    failure = records.failed(SPEC, XCV)
    assert failure is not None and failure.kind == "timed out"
    # Known, so not even tried.
    (known,) = campaign.run([pair], jobs=1, report=report)
    assert known.seconds == 0 and "failed before" in known.reason and "--again" in known.reason


@pytest.mark.parametrize(
    ("status", "said"), [(-signal.SIGKILL, "killed by signal 9"), (1, "fault of this program")]
)
def test_a_process_that_says_nothing_is_told_of(status: int, said: str) -> None:
    process_ = MagicMock(exitcode=status)
    pipe = MagicMock(recv=MagicMock(side_effect=EOFError))
    worker = campaign._Worker(campaign.Pair(SPEC, XCV), process_, 0.0)
    outcome = campaign._finished(worker, pipe)
    assert outcome.found == [] and said in outcome.reason


def test_the_estimate_is_by_target() -> None:
    spec, slow = SPEC, targets.parse("mapped:xcve")

    def took(target: Target, seconds: float) -> campaign.Outcome:
        return campaign.Outcome(campaign.Pair(spec, target), [], "", seconds)

    left = [campaign.Pair(spec, XCV), campaign.Pair(spec, slow)]
    assert campaign.seconds_left([took(XCV, 0)], left, 1) is None
    assert campaign.seconds_left([took(XCV, 10), took(XCV, 20)], left, 1) == 30
    assert campaign.seconds_left([took(XCV, 10), took(slow, 100)], left, 2) == 55
    assert campaign.seconds_left([took(XCV, 10)], [], 2) == 0


# --- Failures of one measurement ----------------------------------------------------------------


def _failing(monkeypatch: pytest.MonkeyPatch, problem: Exception) -> list[Spec]:
    tried: list[Spec] = []

    def flow(spec: Spec, _target: Target, _progress: measure.Progress) -> list[Measurement]:
        tried.append(spec)
        raise problem

    monkeypatch.setattr(measure, "_figures", flow)
    return tried


@pytest.mark.parametrize(
    ("problem", "kind"),
    [
        (DoesNotFit("It is too large."), "does not fit"),
        (TimedOut("It took too long."), "timed out"),
        (ToolError("Yosys does not like it."), "refused"),
    ],
)
def test_a_failure_is_known_from_then_on(
    no_records: Path, monkeypatch: pytest.MonkeyPatch, problem: ToolError, kind: str
) -> None:
    tried = _failing(monkeypatch, problem)
    with pytest.raises(type(problem)):
        measure.measure(SPEC, XCV, progress=_quiet)
    (failure,) = records.failures()
    assert (failure.kind, failure.reason) == (kind, str(problem))
    assert failure.design_hash == records.design_hash(SPEC, XCV)
    sentence = rf"smallest-lut on mapped:xcv failed before \({str(problem)[:-1]}\)"
    with pytest.raises(KnownFailure, match=sentence):
        measure.measure(SPEC, XCV, progress=_quiet)
    assert len(tried) == 1
    with pytest.raises(type(problem)):
        measure.measure(SPEC, XCV, progress=_quiet, again=True)
    # The same failure is not stored twice.
    assert len(tried) == 2 and len(records.failures()) == 1
    # Another design, or the same one measured since, has not failed.
    monkeypatch.setattr("roundsmith.flows.xilinx_lut4.FLOW", "another flow")
    assert records.failed(SPEC, XCV) is None


def test_a_stored_reason_names_no_log(no_records: Path) -> None:
    measure.keep_failure(SPEC, XCV, ToolError("Yosys failed: no (x) (log: /tmp/a/yosys.log)"))
    failure = records.failed(SPEC, XCV)
    assert failure is not None and failure.reason == "Yosys failed: no (x)"


def _edited(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Callable[..., Any]:
    """Return a step that edits a file of the library; the hashes see it from then on."""
    file = folder / "last.sv"
    file.write_text("wire a = b;\n")
    designed = generate.design

    def design(spec: Spec, rooms: tech.Rooms = tech.GENERIC) -> generate.Design:
        made = designed(spec, rooms)
        return replace(made, digest=made.digest + file.read_text())

    def step(*_: object, **__: object) -> Any:
        file.write_text("wire a = c;\n")
        return MagicMock()

    monkeypatch.setattr(generate, "design", design)
    return step


def test_what_changed_under_a_run_is_not_stored(
    no_records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Figures of the old files would stand under the hash of the new ones."""
    osu = targets.parse("asic:osu018")
    for owner, name, run in (
        (measure, "_figures", lambda: measure.measure(SPEC, XCV, progress=_quiet)),
        (verify, "rtl", lambda: verify.verify(SPEC, None)),
        (power.asic, "standard_cells", lambda: power.estimate(SPEC, osu, progress=_quiet)),
    ):
        with monkeypatch.context() as patch:
            step = _edited(patch, no_records)
            patch.setattr(owner, name, step)
            patch.setattr(verify, "check", MagicMock())
            patch.setattr(power, "_Flow", MagicMock())
            patch.setattr(power.toggles, "load", MagicMock())
            with pytest.raises(RoundsmithError, match="The files of smallest-lut changed"):
                run()
    assert not (no_records / "records").exists()


def test_a_missing_tool_is_looked_for_again(
    no_records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = _failing(monkeypatch, ToolMissing("There is no Yosys."))
    for _ in range(2):
        with pytest.raises(ToolMissing):
            measure.measure(SPEC, XCV, progress=_quiet)
    assert len(tried) == 2
    (failure,) = records.failures()
    assert failure.kind == "tool missing"
    assert failure.design_hash == records.design_hash(SPEC, None)


def test_a_missing_package_is_a_failure_too(
    no_records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The flow has no hash without the version of its tool."""
    monkeypatch.setattr(nextpnr, "_ICE40", "yowasp-nextpnr-none")
    monkeypatch.setitem(nextpnr.REMEDIES, "yowasp-nextpnr-none", "nothing brings it")
    target = targets.parse("ice40-up5k")
    with pytest.raises(ToolMissing, match="yowasp-nextpnr-none"):
        measure.measure(SPEC, target, progress=_quiet)
    failure = records.failed(SPEC, target)
    assert failure is not None and failure.kind == "tool missing"


def test_a_mistake_of_the_user_is_no_failure(no_records: Path) -> None:
    (no_records / "x.lib").write_text("module a; endmodule")
    target = targets.parse(f"asic:{no_records / 'x.lib'}")
    with pytest.raises(RoundsmithError, match="not a Liberty file"):
        measure.measure(SPEC, target, progress=_quiet)
    assert records.failures() == []


def test_results_and_list_show_failures(no_records: Path) -> None:
    measure.keep_failure(SPEC, XCV, DoesNotFit("It is too large."))
    line = "smallest-lut on mapped:xcv does not fit: It is too large."
    for command in (["results"], ["list"], ["results", "--failures"]):
        answer = subprocess.run(
            [str(PROGRAM), *command], capture_output=True, text=True, check=True
        )
        assert line in answer.stdout.splitlines()
    command = [str(PROGRAM), "results", "--failures", "--json"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    (failure,) = json.loads(answer.stdout)
    assert failure["kind"] == "does not fit"


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Unable to place cell 'a', no BELs remaining to implement cell type 'DP16KD'", DoesNotFit),
        ("Unable to find legal placement for all cells, design is probably at limit", DoesNotFit),
        ("Failed to route arc 1 of net 'a'", nextpnr.DoesNotRoute),
        ("cell 'a' has an unknown type", ToolError),
    ],
)
def test_what_an_error_of_nextpnr_means(said: str, kind: type[ToolError]) -> None:
    assert nextpnr._kind_of(said) is kind


def test_an_end_ends_the_programs_of_all_threads() -> None:
    import threading

    said: list[str] = []

    def wait() -> None:
        try:
            process.run(["sleep", "60"], what="Sleeping")
        except Killed as error:
            said.append(str(error))

    thread = threading.Thread(target=wait)
    thread.start()
    _until(lambda: bool(process._running))
    process.end_all()
    thread.join(60)
    assert said and "Sleeping was ended from outside" in said[0]


def test_a_program_that_has_ended_can_be_ended_again() -> None:
    ended = subprocess.Popen(["true"], text=True, start_new_session=True)
    ended.wait()
    process._kill(ended)
