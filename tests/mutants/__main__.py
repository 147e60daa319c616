"""Mutation testing of the RTL library: mutants, one at a time, and the check that kills each.

    make mutants
    .venv/bin/python -m tests.mutants --count 1000 --seed 1

Each mutant stands in a copy of the checkout, where `checks` tries to kill it. Verdicts are appended
to `data/mutants.jsonl` at once, so the next run continues an interrupted one. A verdict is void
once its file was edited. The run ends with tables of all verdicts.
"""

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from queue import SimpleQueue
from threading import Lock

from rich.console import Console
from rich.progress import Progress

from roundsmith.base.errors import RoundsmithError
from roundsmith.base.paths import RTL, library
from roundsmith.report import mutants
from roundsmith.report.mutants import RESULTS, SURVIVED, TIMEOUT, UNREACHED, Mutant
from tests.mutants import mutations
from tests.mutants.mutations import Mutation

#: Time limit in seconds for all checks of one mutant.
PATIENCE = 3600

#: Folders that are copied, and what the copies link to.
_COPIED = ("src", "rtl", "formal", "tests", "driver", "boards")
_LINKED = ("data", "docs", "pyproject.toml", "README.md")


class Copy:
    """A copy of the checkout, with a cache of its own, for one mutant at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[str] | None = None
        for name in _COPIED:
            shutil.copytree(
                RTL.parent / name, folder / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        for name in _LINKED:
            (folder / name).symlink_to(RTL.parent / name)

    def ask(self, *argv: str) -> str:
        """Run `checks` in the copy; return its last line, or TIMEOUT."""
        own = {
            "PYTHONPATH": f"{self._folder / 'src'}{os.pathsep}{self._folder}",
            "ROUNDSMITH_RECORDS": str(self._folder / "records"),
            "ROUNDSMITH_CACHE": str(self._folder / "cache"),
        }
        self._process = process = subprocess.Popen(
            [sys.executable, "-m", "tests.mutants.checks", *argv],
            cwd=self._folder,
            env=os.environ | own,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            said, complaint = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.stop()
            process.communicate()
            return TIMEOUT
        if process.returncode:
            raise SystemExit(f"checks {' '.join(argv)} failed:\n{complaint}")
        return said.splitlines()[-1]

    def stop(self) -> None:
        """Kill the checks that run in the copy."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    @contextlib.contextmanager
    def mutated(self, file: str, mutation: Mutation) -> Iterator[None]:
        """Hold the mutation in the copy; drop its simulations afterwards, which nobody needs."""
        path = self._folder / "rtl" / file
        text = path.read_text("latin-1")
        path.write_text(mutations.mutated(text, mutation), "latin-1")
        try:
            yield
        finally:
            path.write_text(text, "latin-1")
            shutil.rmtree(self._folder / "cache/simulations", ignore_errors=True)


class Baseline:
    """Makes sure that a check which kills a mutant passes without a mutation."""

    def __init__(self) -> None:
        self._passed: set[str] = set()

    def require(self, copy: Copy, verdict: str) -> None:
        """Stop the run if the check of a verdict fails in a copy without a mutation."""
        check, _, where = verdict.partition(" ")
        if where and verdict not in self._passed:
            if copy.ask("passes", check, where) != "True":
                raise SystemExit(f"`{check}` of {where} fails without any mutation")
            self._passed.add(verdict)


def run(count: int, seed: int, jobs: int, only: str) -> None:
    """Try to kill the first `count` mutants of a sample, except those that have a verdict."""
    texts = {
        str(path.relative_to(RTL)): path.read_text("latin-1")
        for path in library()
        if only in path.name
    }
    if not texts:
        raise RoundsmithError(f"No file of the library has {only!r} in its name.")
    known = {(each.file, each.start, each.end, each.wrong) for each in mutants.read()}
    asked = [
        (file, mutation)
        for file, mutation in islice(mutations.sample(texts, seed), count)
        if (file, mutation.start, mutation.end, mutation.wrong) not in known
    ]
    baseline, copies = Baseline(), SimpleQueue[Copy]()
    writing = Lock()
    with (
        tempfile.TemporaryDirectory(prefix="roundsmith-") as folder,
        Progress(console=Console(stderr=True)) as progress,
        ThreadPoolExecutor(jobs) as workers,
    ):
        every = [Copy(Path(folder) / str(number)) for number in range(jobs)]
        original = Path(folder) / "digests.json"
        original.write_text(every[0].ask("digests"))
        for copy in every:
            copies.put(copy)
        task = progress.add_task("mutants", total=len(asked))

        def judge(file: str, mutation: Mutation) -> None:
            copy = copies.get()
            try:
                with copy.mutated(file, mutation):
                    verdict = copy.ask("judge", file, str(original), str(RTL))
                baseline.require(copy, verdict)
            finally:
                copies.put(copy)
            mutant = Mutant(
                file=file,
                sha256=mutants.sha256(file),
                line=texts[file].count("\n", 0, mutation.start) + 1,
                **asdict(mutation),
                verdict=verdict,
            )
            with writing, RESULTS.open("a") as results:
                results.write(mutant.model_dump_json() + "\n")
            progress.advance(task)
            if mutant.outcome in {UNREACHED, SURVIVED}:
                where = f"rtl/{file}:{mutant.line}"
                progress.console.print(
                    f"{verdict}: {where}: {mutant.right!r} -> {mutant.wrong!r}", markup=False
                )

        judged = [workers.submit(judge, file, mutation) for file, mutation in asked]
        try:
            for each in judged:
                each.result()
        except BaseException:
            # Verdicts so far are stored.
            workers.shutdown(wait=False, cancel_futures=True)
            for copy in every:
                copy.stop()
            raise


def _positive(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number; take 1 or more")
    return number


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants", description="Mutation testing of the RTL library."
    )
    parser.add_argument("--count", type=_positive, default=1000, help="mutants (default: 1000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the sample (default: 1)")
    parser.add_argument("--jobs", type=_positive, default=2, help="mutants at a time (default: 2)")
    parser.add_argument("--only", default="", help="only files with this text in their name")
    given = parser.parse_args()
    try:
        run(given.count, given.seed, given.jobs, given.only)
    except RoundsmithError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit("Interrupted. The verdicts so far are stored; the next run continues.")
    console = Console()
    found = mutants.read()
    console.print(mutants.table(found).rich())
    console.print(mutants.survivors(found).rich())


if __name__ == "__main__":
    main()
