"""Run a program, keep its log, and turn a failure into one sentence."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from roundsmith.errors import ToolError


def run(
    argv: Sequence[str | Path],
    *,
    what: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    log: Path | None = None,
    timeout: float | None = None,
) -> str:
    """Run `argv` to its end and return what it printed (stdout and stderr together).

    `what` names the step for the error sentence; `log` receives the output whatever happens;
    `timeout` is in seconds. Raises ToolError when the program is missing, fails or takes too
    long; the sentence ends with the last line that the program printed and the log's path.
    """
    command = [str(a) for a in argv]
    try:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except FileNotFoundError:
        raise ToolError(
            f"{what} needs the program '{command[0]}', which is not installed; "
            "`roundsmith doctor` names the command that brings it."
        ) from None
    try:
        output, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        _kill(process)
        raise ToolError(f"{what} did not finish within {timeout:.0f} seconds.") from None
    except BaseException:
        # An interrupted command must not leave its children running.
        _kill(process)
        raise
    if log is not None:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(output)
    if process.returncode != 0:
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        last = next(
            (x for x in reversed(lines) if "error" in x.lower()), lines[-1] if lines else ""
        )
        where = f" (log: {log})" if log is not None else ""
        raise ToolError(f"{what} failed with status {process.returncode}: {last}{where}")
    return output


def _kill(process: "subprocess.Popen[str]") -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
