"""Search for circuits from nothing: S-boxes over all structures, column circuits by their sums.

A search is a row of jobs for all processors. What a job finds is kept at once, so a search can be
stopped at any time and goes on where it was. An S-box is searched in three steps: the inversion of
the norm for all of its bases, the linear maps of all structures in brief, and the best of both put
together and shortened. Every program is proved before it counts.
"""

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from typing import Any

from roundsmith.base.errors import RoundsmithError
from roundsmith.circuits import proof
from roundsmith.circuits.program import Program, loads
from roundsmith.circuits.search_goal import Goal, Job, State
from roundsmith.circuits.search_parts import inversion_jobs, structure_jobs
from roundsmith.circuits.search_programs import columns_jobs, program_jobs

#: Called with what is being done, the seconds that are over, those there are, and the best score.
Progress = Callable[[str, int, int, str], None]


def search(
    goal: Goal,
    *,
    minutes: float,
    jobs: int | None = None,
    fresh: bool = False,
    progress: Progress = lambda *_: None,
) -> Program:
    """Search for `minutes` with `jobs` processes and return the best program, proved.

    Goes on from an earlier search for the same goal unless `fresh`. When interrupted, it returns
    the best so far. Raises RoundsmithError when there is none yet.
    """
    runner = _Runner(goal, State.of(goal, fresh), 60 * minutes, progress)
    with ProcessPoolExecutor(jobs or os.cpu_count(), initializer=_ignore_interrupts) as pool:
        try:
            if goal.kind == "mix":
                runner.run(pool, columns_jobs(goal, runner.end), 1.0)
            else:
                runner.run(pool, inversion_jobs(goal, runner.state), 0.3)
                runner.run(pool, structure_jobs(goal, runner.state), 0.5)
                runner.run(pool, program_jobs(goal, runner.state), 1.0)
        except KeyboardInterrupt:
            for worker in multiprocessing.active_children():
                worker.terminate()
    runner.state.save()
    return runner.result()


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class _Runner:
    """Hands jobs to the processes and keeps what they find."""

    def __init__(self, goal: Goal, state: State, seconds: float, progress: Progress) -> None:
        self.goal, self.state = goal, state
        self._begin = time.monotonic()
        self.end = self._begin + seconds
        self._progress = progress
        self._shown = ("", 0.0)
        self.best = loads(state.best) if state.best else None

    def result(self) -> Program:
        """Return the best program, proved once more."""
        if self.best is None:
            raise RoundsmithError(
                f"The search for {self.goal.name} has found no circuit yet; give it more minutes, "
                "it goes on where it was."
            )
        proof.prove(self.best)
        return self.best

    def run(self, pool: ProcessPoolExecutor, jobs: Iterable[Job], share: float) -> None:
        """Run `jobs` until there are no more or `share` of the time that is left is over."""
        now = time.monotonic()
        until = now + (self.end - now) * share
        source = iter(jobs)
        running: dict[Future[Any], str] = {}
        workers = getattr(pool, "_max_workers", 2)
        exhausted = False
        while True:
            while not exhausted and len(running) < workers and time.monotonic() < until:
                job = next(source, None)
                if job is None:
                    exhausted = True
                    break
                what, function, arguments = job
                running[pool.submit(function, *arguments)] = what
            if not running:
                return
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                what = running.pop(future)
                self._keep(what, future.result())
                self._show(what.partition(":")[0])

    def _show(self, step: str) -> None:
        """Report the progress, every two seconds and when there is news."""
        best = self.goal.describe(self.best) if self.best else ""
        now = time.monotonic()
        if step + best != self._shown[0] or now > self._shown[1] + 2:
            self._shown = (step + best, now)
            total = self.end - self._begin
            self._progress(step, round(min(now - self._begin, total)), round(total), best)

    def _keep(self, what: str, found: Any) -> None:
        step, _, key = what.partition(":")
        if step == "inversions":
            self.state.inversions[key] = found
        elif step == "linear maps":
            self.state.structures.update(found)
        elif found:
            program = loads(found)
            if self.best is None or self.goal.score(program) < self.goal.score(self.best):
                self.best = program
                self.state.best = found
            self.state.tried.append(key)
        self.state.save()
