"""Compare the flow of each target with others, on six cores; what is tried already stays.

    .venv/bin/python scripts/tune_flow.py [BENCH...]

BENCH is the beginning of a name, such as `LUT4`; all of them without one. Every trial is stored at
once, so a run that was ended goes on where it was. `make docs` puts the tables on the page.
"""

import signal
import sys
import time

from rich.console import Console

from roundsmith.base.errors import RoundsmithError
from roundsmith.measure import tuning
from roundsmith.measure.tuning_benches import BENCHES
from roundsmith.report import tuning as report
from roundsmith.tools import process


def main() -> None:
    """Try what is missing on the benches that are named, then print their tables."""
    signal.signal(signal.SIGINT, _interrupt)
    signal.signal(signal.SIGTERM, _interrupt)
    wanted = sys.argv[1:]
    strange = [word for word in wanted if not any(b.name.startswith(word) for b in BENCHES)]
    if strange:
        names = ", ".join(f"'{bench.name}'" for bench in BENCHES)
        print(f"error: there is no bench '{strange[0]}'; there are {names}.", file=sys.stderr)
        sys.exit(2)
    chosen = [b for b in BENCHES if not wanted or any(b.name.startswith(w) for w in wanted)]
    start = time.monotonic()

    def show(line: str, done: int, total: int) -> None:
        print(f"[{time.monotonic() - start:6.0f} s, {done}/{total}] {line}", flush=True)

    try:
        for bench in chosen:
            print(f"{bench.name}: {len(bench.settings)} settings on {len(bench.cores)} cores")
            tuning.run(bench, show)
        for bench in chosen:
            Console(width=160).print(report.grid(bench).rich())
    except RoundsmithError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)


def _interrupt(*_: object) -> None:
    process.end_all()
    print("interrupted; what is tried is stored", file=sys.stderr)
    sys.exit(130)


if __name__ == "__main__":
    main()
