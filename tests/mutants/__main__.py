"""Break the library in many places, one at a time, and see what finds it.

    make mutants
    .venv/bin/python -m tests.mutants --count 1000 --seed 1

Each change is made in a copy of the checkout, where `checks` looks for it. What was found goes to
`data/mutants.jsonl` at once, a line each, so a run that was ended goes on where it was; a change of
a file that was edited since is looked for again. The table is in docs/verification.md.
"""

import argparse
import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from queue import SimpleQueue
from threading import Lock

from rich.console import Console
from rich.progress import Progress

from roundsmith.base.paths import DATA, RTL, library
from tests.mutants import checks, sites
from tests.mutants.sites import Site

_ABOUT = "Break the library in many places, one at a time, and see what finds it."

RESULTS = DATA / "mutants.jsonl"

#: Seconds that all checks of one change may take together.
PATIENCE = 3600

#: What a copy of the checkout has of its own, and what it shares.
_OWN = ("src", "rtl", "formal", "tests", "driver", "boards")
_SHARED = ("data", "docs", "pyproject.toml", "README.md")


class Copy:
    """A copy of the checkout in which one file of the library at a time is changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[str] | None = None
        for name in _OWN:
            shutil.copytree(
                RTL.parent / name, folder / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        for name in _SHARED:
            (folder / name).symlink_to(RTL.parent / name)

    def ask(self, *argv: str) -> str:
        """Run `checks` in the copy and return what it prints; "hangs" where it does not end."""
        own = {
            "PYTHONPATH": f"{self._folder / 'src'}{os.pathsep}{self._folder}",
            "ROUNDSMITH_RECORDS": str(self._folder / "records"),
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
            return "hangs"
        if process.returncode:
            raise SystemExit(f"checks {' '.join(argv)} failed:\n{complaint}")
        return said.splitlines()[-1]

    def stop(self) -> None:
        """End what runs in the copy."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    @contextlib.contextmanager
    def changed(self, file: str, site: Site) -> Iterator[None]:
        """Have the change in the copy for a while."""
        path = self._folder / "rtl" / file
        text = path.read_text("latin-1")
        path.write_text(sites.mutated(text, site), "latin-1")
        try:
            yield
        finally:
            path.write_text(text, "latin-1")


class Clean:
    """Asks what found a change whether it is silent without one: only then it found something."""

    def __init__(self) -> None:
        self._silent: set[str] = set()
        self._lock = Lock()

    def check(self, copy: Copy, found: str) -> None:
        """End the run where a check complains of the library as it is."""
        check, _, where = found.partition(" ")
        with self._lock:
            known = found in self._silent
        if where and not known:
            if copy.ask("passes", check, where) != "True":
                raise SystemExit(f"`{check}` of {where} fails without any change")
            with self._lock:
                self._silent.add(found)


def run(count: int, seed: int, jobs: int, only: str) -> None:
    """Look for `count` changes in files with `only` in their name, but not again for known ones."""
    texts = {
        str(path.relative_to(RTL)): path.read_text("latin-1")
        for path in library()
        if only in path.name
    }
    states = states_of(texts)
    known = {_key(line) for line in read()}
    asked = [
        (name, site)
        for name, site in sites.sample(texts, count, seed)
        if (name, states[name], site.start, site.end, site.wrong) not in known
    ]
    clean, copies = Clean(), SimpleQueue[Copy]()
    writing = Lock()
    with (
        tempfile.TemporaryDirectory(prefix="roundsmith-") as folder,
        Progress(console=Console(stderr=True)) as progress,
        ThreadPoolExecutor(jobs) as workers,
    ):
        every = [Copy(Path(folder) / str(number)) for number in range(jobs)]
        for copy in every:
            copies.put(copy)
        before = Path(folder) / "digests.json"
        copy = copies.get()
        before.write_text(copy.ask("digests"))
        copies.put(copy)
        task = progress.add_task("changes", total=len(asked))

        def look(name: str, site: Site) -> None:
            copy = copies.get()
            try:
                with copy.changed(name, site):
                    found = copy.ask("judge", name, str(before), str(RTL))
                clean.check(copy, found)
            finally:
                copies.put(copy)
            line = sites.line_of(texts[name], site)
            record = {"file": name, "text": states[name], "line": line, **asdict(site)}
            with writing, RESULTS.open("a") as results:
                results.write(json.dumps(record | {"found": found}) + "\n")
            progress.advance(task)
            if found in {checks.SURVIVED, checks.NO_CORE}:
                progress.console.print(f"{found}: {name}:{line} {site.right!r} -> {site.wrong!r}")

        looking = [workers.submit(look, name, site) for name, site in asked]
        try:
            for done in looking:
                done.result()
        except BaseException:
            # What was found is in the file; what is not done yet is left for the next run.
            workers.shutdown(wait=False, cancel_futures=True)
            for copy in every:
                copy.stop()
            raise


def states_of(files: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of each of these files of the library."""
    return {file: hashlib.sha256((RTL / file).read_bytes()).hexdigest() for file in files}


def read() -> list[dict[str, object]]:
    """Return what is known of every change that was looked for."""
    return (
        [json.loads(line) for line in RESULTS.read_text().splitlines()] if RESULTS.exists() else []
    )


def _key(record: dict[str, object]) -> tuple[object, ...]:
    return tuple(record[name] for name in ("file", "text", "start", "end", "wrong"))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants", description=__doc__.split("\n")[0]
    )
    parser.add_argument("--count", type=int, default=1000, help="changes to look for (1000)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (1)")
    parser.add_argument("--jobs", type=int, default=2, help="at a time (2)")
    parser.add_argument("--only", default="", help="in files with this in their name")
    given = parser.parse_args()
    try:
        run(given.count, given.seed, given.jobs, given.only)
    except KeyboardInterrupt:
        sys.exit("interrupted; what was found is kept, and the next run goes on from there")


if __name__ == "__main__":
    main()
