"""Measure many cores on many targets, several at a time, and lose nothing when it is ended.

Each pair of a core and a target is measured in a process of its own, and what it finds is a record
the moment it is there. The records are the only memory: who starts again after a crash, a
power cut or Ctrl-C measures what has no record yet. A process whose starter is gone ends itself
and the programs that it runs, so nothing is computed twice at one time.
"""

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from multiprocessing.connection import Connection, wait
from typing import Any

from roundsmith.base.errors import KnownFailure, RoundsmithError, TimedOut
from roundsmith.flows.targets import Target
from roundsmith.measure import measure
from roundsmith.records import records
from roundsmith.records.records import Measurement
from roundsmith.spec import Spec
from roundsmith.tools import process


@dataclass(frozen=True)
class Pair:
    """A core and a target to measure it on."""

    spec: Spec
    target: Target


@dataclass(frozen=True)
class Outcome:
    """What became of a pair: its records, or the `reason` why there are none.

    `seconds` is how long it took now, 0 where it was stored.
    """

    pair: Pair
    found: Sequence[Measurement]
    reason: str
    seconds: float


#: Is told each outcome, how many there are, of how many, and the estimate of the seconds left.
Report = Callable[[Outcome, int, int, float | None], None]

# Seconds between two looks at the clock while nothing happens.
_TICK = 1.0


def run(
    pairs: Sequence[Pair],
    *,
    jobs: int,
    report: Report,
    again: bool = False,
    limit: float | None = None,
) -> list[Outcome]:
    """Measure `pairs`, `jobs` at a time; return their outcomes in the order in which they came.

    What is stored or failed before comes first. `again` tries what failed before, too. A pair that
    takes longer than `limit` seconds has failed.
    """
    there = [(pair, known(pair, again)) for pair in pairs]
    stored = [outcome for _, outcome in there if outcome is not None]
    waiting = deque(pair for pair, outcome in there if outcome is None)
    left = list(waiting)
    outcomes: list[Outcome] = []
    for outcome in chain(stored, _pool(waiting, jobs, again, limit)):
        outcomes.append(outcome)
        left = [pair for pair in left if pair is not outcome.pair]
        report(outcome, len(outcomes), len(pairs), seconds_left(outcomes, left, jobs))
    return outcomes


def seconds_left(outcomes: Sequence[Outcome], left: Sequence[Pair], jobs: int) -> float | None:
    """Return about how long the pairs that are `left` will take; None where nobody knows.

    Each is taken to need what those on its target needed in the mean, or else all.
    """
    took = [(o.pair.target.name, o.seconds) for o in outcomes if o.seconds]
    if left and not took:
        return None
    total = 0.0
    for pair in left:
        alike = [seconds for name, seconds in took if name == pair.target.name]
        like = alike or [seconds for _, seconds in took]
        total += sum(like) / len(like)
    return total / jobs


def known(pair: Pair, again: bool) -> Outcome | None:
    """Return the outcome of a pair that needs no measuring."""
    try:
        found = measure.stored(pair.spec, pair.target, again)
        if found is None and not again:
            measure.check_failed(pair.spec, pair.target)
    except KnownFailure as failure:
        return Outcome(pair, [], str(failure), 0.0)
    except RoundsmithError:
        return None  # a tool is missing: measuring says so, and keeps it
    return None if found is None else Outcome(pair, found, "", 0.0)


@dataclass(frozen=True)
class _Worker:
    """A process that measures one pair, and when it was started."""

    pair: Pair
    process: multiprocessing.process.BaseProcess
    started: float

    def outcome(self, found: Sequence[Measurement], reason: str) -> Outcome:
        return Outcome(self.pair, found, reason, max(0.001, time.monotonic() - self.started))

    def end(self) -> None:
        """End the process and the programs that it runs."""
        self.process.terminate()
        self.process.join(10)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _pool(waiting: deque[Pair], jobs: int, again: bool, limit: float | None) -> Iterator[Outcome]:
    """Measure what waits, and yield each outcome as it comes."""
    context = multiprocessing.get_context("spawn")
    threads = max(1, (os.cpu_count() or 1) // jobs)
    workers: dict[Connection, _Worker] = {}
    try:
        while waiting or workers:
            while waiting and len(workers) < jobs:
                pair = waiting.popleft()
                ours, theirs = context.Pipe(duplex=False)
                worker = context.Process(target=_work, args=(pair, again, threads, theirs))
                worker.start()
                theirs.close()
                workers[ours] = _Worker(pair, worker, time.monotonic())
            for pipe in wait(list(workers), timeout=_TICK):
                assert isinstance(pipe, Connection)
                yield _finished(workers.pop(pipe), pipe)
            for pipe, late in list(workers.items()):
                if limit is not None and time.monotonic() - late.started > limit:
                    del workers[pipe]
                    late.end()
                    yield late.outcome([], _keep_late(late.pair, limit))
    finally:
        for left in workers.values():
            left.end()
        records.forget()


def _finished(worker: _Worker, pipe: Connection) -> Outcome:
    try:
        found, reason = pipe.recv()
    except EOFError:
        worker.process.join()
        status = worker.process.exitcode or 0
        end = (
            f"was killed by signal {-status}, as when memory runs out"
            if status < 0
            else "ended by a fault of this program, which it told on stderr"
        )
        reason = f"{worker.pair.spec.name} on {worker.pair.target.name} {end}"
        found = []
    worker.process.join()
    return worker.outcome(found, reason)


def _keep_late(pair: Pair, limit: float) -> str:
    """Store that a pair took too long; return the sentence."""
    reason = f"The measurement did not finish within {limit / 60:g} minutes."
    measure.keep_failure(pair.spec, pair.target, TimedOut(reason))
    return reason


# --- In the process of a pair -------------------------------------------------------------------


def _work(pair: Pair, again: bool, threads: int, pipe: Connection) -> None:
    """Measure a pair and send what was found, or the reason why nothing was."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the starter, who ends us
    signal.signal(signal.SIGTERM, _end)
    threading.Thread(target=_end_with_starter, daemon=True).start()
    process.THREADS = threads
    try:
        found = measure.measure(pair.spec, pair.target, progress=_silent, again=again)
        pipe.send((found, ""))
    except RoundsmithError as problem:
        pipe.send(([], str(problem)))


def _silent(_step: str, _done: int, _total: int) -> None:
    pass


def _end_with_starter() -> None:
    starter = multiprocessing.parent_process()
    if starter is not None:
        starter.join()
        _end()


def _end(*_: Any) -> None:
    process.end_all()
    os._exit(1)
