"""A sweep over many machines: the same measurements, by the workers of a Dask scheduler.

A worker measures as `roundsmith measure` does and sends its records back, so that it needs no
folder in common with who asked; where it has one, the record is there the moment it is made, and
a task that moves to another worker, because its own was killed, finds it. Dask hands the work of
a worker that is gone to another one.
"""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from roundsmith.base.errors import RoundsmithError, ToolMissing
from roundsmith.flows import targets
from roundsmith.flows.targets import Target
from roundsmith.measure import campaign, measure
from roundsmith.measure.campaign import Outcome, Pair, Report
from roundsmith.records import records
from roundsmith.records.records import Failure, Measurement
from roundsmith.spec import Spec

if TYPE_CHECKING:
    from distributed import Client

#: Seconds to wait for the scheduler.
_PATIENCE = 20


def run(
    pairs: Sequence[Pair], scheduler: str, *, report: Report, again: bool = False
) -> list[Outcome]:
    """Measure `pairs` by the workers of the scheduler at that address; see `campaign.run`."""
    from distributed import as_completed

    known = [(pair, campaign.known(pair, again)) for pair in pairs]
    outcomes: list[Outcome] = []
    left = [pair for pair, outcome in known if outcome is None]

    def tell(outcome: Outcome) -> None:
        outcomes.append(outcome)
        seconds = campaign.seconds_left(outcomes, left, workers)
        report(outcome, len(outcomes), len(pairs), seconds)

    with _client(scheduler) as client:
        workers = max(1, len(client.scheduler_info()["workers"]))
        waiting = {
            client.submit(
                _measure,
                pair.spec.model_dump(mode="json"),
                _text(pair.target),
                again,
                key=f"{pair.spec.name}-{pair.target.slug}-{time.time_ns()}",
                pure=False,
            ): pair
            for pair in left
        }
        for _, outcome in known:
            if outcome is not None:
                tell(outcome)
        for future in as_completed(list(waiting), loop=client.loop):
            pair = waiting[future]
            left = [other for other in left if other is not pair]
            tell(_taken(pair, future))
            future.release()
    records.forget()
    return outcomes


def _client(scheduler: str) -> "Client":
    try:
        from distributed import Client
        from distributed.comm.addressing import parse_address, parse_host_port
    except ImportError:
        raise ToolMissing(
            "A sweep over many machines needs Dask; `python3 scripts/bootstrap.py --extra cluster` "
            "installs it."
        ) from None
    try:
        # First, for a Client that cannot use its address prints a traceback when it is collected.
        parse_host_port(parse_address(scheduler)[1])
        return Client(scheduler, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as problem:
        raise RoundsmithError(
            f"No Dask scheduler answers at {scheduler} ({problem}); `dask scheduler` starts one "
            "and prints its address."
        ) from None


def _text(target: Target) -> str:
    """Return a target as it is written, with the path of a user's own file."""
    return target.name if target.file is None else f"asic:{target.file.absolute()}"


def _taken(pair: Pair, future: Any) -> Outcome:
    """Keep what a worker found, unless it is in the records already, and return the outcome."""
    try:
        found, failure, reason, seconds = future.result()
    except Exception as problem:  # what Dask raises when worker after worker was lost
        where = f"{pair.spec.name} on {pair.target.name}"
        return Outcome(pair, [], f"{where} ended with the workers that measured it: {problem}", 0.1)
    records.forget()
    there = records.measurements()
    kept = [Measurement.model_validate(data) for data in found]
    for record in kept:
        if record not in there:
            records.append(record)
    if failure is not None:
        failed = Failure.model_validate(failure)
        if failed not in records.failures():
            records.append(failed)
    return Outcome(pair, kept, reason, max(0.001, seconds))


def _measure(
    data: dict[str, Any], target: str, again: bool
) -> tuple[list[dict[str, Any]], dict[str, Any] | None, str, float]:
    """Measure a core, in a worker: its records, or the failure and the reason; and the seconds."""
    started = time.monotonic()
    spec, goal = Spec.from_data(data), targets.parse(target)
    records.forget()
    try:
        found = measure.measure(spec, goal, progress=lambda *_: None, again=again)
        return [m.model_dump(mode="json") for m in found], None, "", time.monotonic() - started
    except RoundsmithError as problem:
        failed = records.failed(spec, goal)
        failure = failed.model_dump(mode="json") if failed else None
        return [], failure, str(problem), time.monotonic() - started
