"""Where the tool keeps what it can make again: fetched packages, prepared libraries, builds."""

import fcntl
import hashlib
import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any


def cache_dir() -> Path:
    """Return the cache folder, made if it is not there.

    `ROUNDSMITH_CACHE` names it; else it is `roundsmith` inside `XDG_CACHE_HOME`; else
    `~/.cache/roundsmith`.
    """
    own = os.environ.get("ROUNDSMITH_CACHE")
    shared = os.environ.get("XDG_CACHE_HOME")
    if own:
        folder = Path(own)
    elif shared:
        folder = Path(shared) / "roundsmith"
    else:
        folder = Path.home() / ".cache" / "roundsmith"
    folder = folder.expanduser().absolute()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def kept(
    room: str, words: Sequence[str], contents: Sequence[bytes], work: Callable[[Path], Any]
) -> Path:
    """Return the folder in `room` that `work` filled for this input, filling it if it is new.

    `words` and `contents` are all that decides the result; `work` is given an empty folder.
    """
    digest = hashlib.sha256(json.dumps(list(words)).encode())
    for content in contents:
        digest.update(hashlib.sha256(content).digest())
    folder = cache_dir() / room / digest.hexdigest()[:40]
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=".", dir=folder.parent))
    try:
        work(scratch)
        # Another process may have been faster with the same result.
        if not folder.is_dir():
            scratch.rename(folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return folder


def recall(room: str, key: str) -> str | None:
    """Return what was remembered under `key` in `room`, None if nothing was."""
    with _opened(room) as database:
        row = database.execute("select value from memory where key = ?", (key,)).fetchone()
    return None if row is None else str(row[0])


def remember(room: str, key: str, value: str) -> None:
    """Remember a short text under `key`, which must name all that decides it.

    Where another process writes for long, nothing is remembered.
    """
    with _opened(room) as database, suppress(sqlite3.OperationalError):
        database.execute("insert or ignore into memory values (?, ?)", (key, value))


@contextmanager
def _opened(room: str) -> Iterator[sqlite3.Connection]:
    path = cache_dir() / f"{room}.sqlite"
    with closing(sqlite3.connect(path, timeout=5, isolation_level=None)) as database:
        # It can be made again, so nothing has to reach the disk at once.
        database.execute("pragma synchronous = off")
        database.execute("create table if not exists memory (key text primary key, value text)")
        yield database


@contextmanager
def claim(*words: str) -> Iterator[None]:
    """Hold the work that `words` name; another process that claims it waits until it is free.

    The claim of a process that is killed ends with it.
    """
    name = hashlib.sha256(json.dumps(words).encode()).hexdigest()[:40]
    path = cache_dir() / "claims" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def clean() -> int:
    """Delete the whole cache and return how many bytes that freed."""
    folder = cache_dir()
    size = sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())
    shutil.rmtree(folder)
    return size
