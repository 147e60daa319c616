"""Run a program, keep its log, and turn a failure into one sentence."""

import os
import re
import resource
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from roundsmith.base.errors import Killed, TimedOut, ToolError, ToolMissing

#: How many programs a measurement may run at one time; a process of a pool has fewer.
THREADS = 2

# What a program prints when one that it started was killed (a shell's status: 128 and the signal),
# and when it got no memory.
_ENDED = re.compile(
    r"return code 1(?:29|[345]\d)\b|Killed signal|bad_alloc|MemoryError|[Oo]ut of memory"
    r"|Cannot allocate memory"
)

#: The programs that run now. Each leads a process group of its own, so that a signal from the
#: terminal does not reach it.
_running: set["subprocess.Popen[str]"] = set()


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
    long (ToolMissing, TimedOut); the sentence ends with the last line that the program printed
    and the log's path. Raises Killed when a signal or a lack of memory ended the program.
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
        raise ToolMissing(
            f"{what} needs the program '{command[0]}', which is not installed; "
            "`roundsmith doctor` names the command that brings it."
        ) from None
    _running.add(process)
    try:
        output, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        _kill(process)
        raise TimedOut(f"{what} did not finish within {timeout:.0f} seconds.") from None
    except BaseException:
        # An interrupted command must not leave its children running.
        _kill(process)
        raise
    finally:
        _running.discard(process)
    if log is not None:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(output)
    if process.returncode != 0:
        if _was_ended(process.returncode, output):
            raise Killed(
                f"{what} was ended from outside, or had no memory left, so nothing is known of its "
                "result; try again, with fewer programs at one time."
            )
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        last = next(
            (x for x in reversed(lines) if "error" in x.lower()), lines[-1] if lines else ""
        )
        where = f" (log: {log})" if log is not None else ""
        raise ToolError(f"{what} failed with status {process.returncode}: {last}{where}")
    return output


def _was_ended(status: int, output: str) -> bool:
    """Whether a signal or a lack of memory ended a program, or another one that it started.

    The signals of a failed assertion or a wrong address do not count: the program caused them.
    """
    number = -status if status < 0 else status - 128
    if number in {signal.SIGHUP, signal.SIGINT, signal.SIGKILL, signal.SIGTERM, signal.SIGXCPU}:
        return True
    return _ENDED.search(output) is not None


def cpu_seconds() -> float:
    """Return the CPU seconds of all programs that have run and ended."""
    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found.ru_utime + found.ru_stime


def end_all() -> None:
    """Kill every program that runs, whichever thread waits for it, for a command that ends now."""
    for process in list(_running):
        if process.poll() is None:
            _kill(process)


def _kill(process: "subprocess.Popen[str]") -> None:
    with suppress(ProcessLookupError):  # another thread may have ended it
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
