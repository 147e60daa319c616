"""A program that was ended from outside has said nothing of what it was given."""

import signal
import sys
from pathlib import Path

import pytest

from roundsmith import catalogue
from roundsmith.base.errors import Killed, ToolError
from roundsmith.flows import targets
from roundsmith.measure.measure import measure
from roundsmith.records import records
from roundsmith.tools import process, yosys

SPEC, TARGET = catalogue.find("iterative-table"), targets.parse("ecp5-85k:6")


def ends(code: str) -> None:
    process.run([sys.executable, "-c", code], what="The step")


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_is_no_verdict(name: str) -> None:
    # Who started the tests may have told their programs to ignore it, as nohup does.
    code = f"import os, signal; signal.signal(signal.{name}, signal.SIG_DFL)" * (name != "SIGKILL")
    code += f"\nimport os, signal; os.kill(os.getpid(), signal.{name})"
    with pytest.raises(Killed, match=r"^The step was ended from outside"):
        ends(code)
    with pytest.raises(Killed):  # as a shell tells it
        ends(f"raise SystemExit({128 + signal.Signals[name]})")


@pytest.mark.parametrize(
    "said",
    [
        "ERROR: ABC: execution of command failed: return code 137.",
        "c++: fatal error: Killed signal terminated program cc1plus",
        "terminate called after throwing an instance of 'std::bad_alloc'",
        "MemoryError",
    ],
)
def test_a_program_of_the_program_counts_too(said: str) -> None:
    with pytest.raises(Killed):
        ends(f"print({said!r}); raise SystemExit(1)")


@pytest.mark.parametrize("code", ["raise SystemExit(1)", "import os; os.abort()"])
def test_a_programs_own_end_is_a_verdict(code: str) -> None:
    with pytest.raises(ToolError, match=r"^The step failed with status"):
        ends(code)


def test_nothing_is_stored_of_a_killed_synthesis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the core is tried again the next time, where a refusal is kept."""
    monkeypatch.setenv("ROUNDSMITH_RECORDS", str(tmp_path / "records"))
    monkeypatch.setenv("ROUNDSMITH_CACHE", str(tmp_path / "cache"))
    records.forget()
    for code, error, kept in (
        ("import os; os.kill(os.getpid(), 9)", Killed, 0),
        ("raise SystemExit('ERROR: no')", ToolError, 1),
    ):
        monkeypatch.setattr(yosys, "_RUNNER", code)
        with pytest.raises(error):
            measure(SPEC, TARGET, progress=lambda *_: None)
        assert len(records.failures()) == kept
        assert (records.failed(SPEC, TARGET) is not None) == bool(kept)
    records.forget()
