"""What was measured, in an embedded database: which records are true of the cores as they are.

The folders of records are the truth, as lines of text that are only added to; this is an index of
them in SQLite, in the cache, that reads what is new and can be deleted at any time.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from roundsmith import catalogue
from roundsmith.base.cache import cache_dir
from roundsmith.base.errors import RoundsmithError, ToolMissing
from roundsmith.flows import targets
from roundsmith.flows.targets import Target
from roundsmith.records import records
from roundsmith.records.records import Failure, Measurement, Verification
from roundsmith.spec import Spec

#: Changes with the tables.
_VERSION = 5

_SCHEMA = """
create table if not exists measurement (
  name text, target text, flow text, hash text, record text, file text);
create table if not exists failure (name text, target text, hash text, record text, file text);
create table if not exists verification (name text, target text, hash text, record text, file text);
create index if not exists by_core on measurement (target, name);
create index if not exists by_failed on failure (target, name);
create index if not exists by_verified on verification (name);
create table if not exists loaded (file text primary key, size integer, digest text);
"""

_TABLES = {
    "measurements.jsonl": "measurement",
    "failures.jsonl": "failure",
    "verifications.jsonl": "verification",
}


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


@dataclass(frozen=True)
class Result:
    """A core as it is, one record of it, and the names of what it was verified as.

    `verified` has `RTL`, and the names of the targets whose netlists passed.
    """

    spec: Spec
    record: Measurement
    verified: tuple[str, ...]

    def __getattr__(self, name: str) -> object:
        """Return a figure of the record, so that fronts take results and estimates alike."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.record, name)


class Store:
    """The database of the folders of records."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection

    def refresh(self) -> None:
        """Read the records that are new since the last time."""
        for place, (file, table) in product(records.folders(), _TABLES.items()):
            # Nobody else may read the same lines meanwhile.
            self._db.execute("begin immediate")
            try:
                self._load(place / file, table)
                self._db.execute("commit")
            except BaseException:
                self._db.execute("rollback")
                raise

    def _load(self, path: Path, table: str) -> None:
        text = path.read_bytes() if path.exists() else b""  # a file may have been deleted
        text = text[: text.rfind(b"\n") + 1]  # the last line may still be on its way
        row = self._db.execute(
            "select size, digest from loaded where file = ?", (str(path),)
        ).fetchone()
        size, digest = row or (0, "")
        if size == len(text) and digest == _digest(text):
            return
        if digest != _digest(text[:size]):
            size = 0  # not what was read before with something added: another file
        if size == 0:
            self._db.execute(f"delete from {table} where file = ?", (str(path),))
        for line in text[size:].decode().splitlines():
            try:
                data = json.loads(line)
                data["design_hash"] = records.carried(data["design_hash"])
                values = [data["name"], data["target"], data["design_hash"]]
                values += [json.dumps(data), str(path)]
                if table == "measurement":
                    values.insert(2, data["flow"].partition(":")[0])
            except (ValueError, KeyError):
                raise RoundsmithError(
                    f"{path} has a line that is not a record; restore the file or delete the line "
                    f"that begins with {line[:40]}."
                ) from None
            marks = ", ".join("?" * len(values))
            self._db.execute(f"insert into {table} values ({marks})", values)
        self._db.execute(
            "insert or replace into loaded values (?, ?, ?)",
            (str(path), len(text), _digest(text)),
        )

    def results(self, names: Iterable[str] | None = None) -> list[Result]:
        """Return the records that are true of the cores as they are; of some targets, or all.

        The records of a core follow each other, and of each flow the last one counts.
        """
        wanted = self.measured_targets() if names is None else list(names)
        found: list[Result] = []
        for name in wanted:
            with suppress(RoundsmithError):  # a Liberty file that is not here
                found += self._of_target(targets.parse(name))
        return found

    def measured_targets(self) -> list[str]:
        """Return the names of all targets that something was measured on."""
        return [row[0] for row in self._db.execute("select distinct target from measurement")]

    def _of_target(self, target: Target) -> list[Result]:
        rows = self._db.execute(
            "select name, flow, hash, record from measurement where target = ? order by rowid",
            (target.name,),
        ).fetchall()
        found: list[Result] = []
        for name in sorted({row[0] for row in rows}):
            try:
                spec = catalogue.find(name)
                wanted = self.design_hash(spec, target)
            except RoundsmithError:
                continue  # a core of somebody's own, or one that is no more
            last = {row[1]: row[3] for row in rows if row[0] == name and row[2] == wanted}
            verified = self.verified(spec) if last else ()
            found += [
                Result(spec, Measurement.model_validate_json(text), verified)
                for text in last.values()
            ]
        return found

    def of(self, spec: Spec, target: Target) -> list[Result]:
        """Return the records of one core on one target."""
        return [r for r in self._of_target(target) if r.spec.name == spec.name]

    def failure(self, spec: Spec, target: Target) -> Failure | None:
        """Return why a core as it is could not be measured on a target, None if it was not so."""
        rows = self._db.execute(
            "select hash, record from failure where target = ? and name = ? order by rowid desc",
            (target.name, spec.name),
        ).fetchall()
        if not rows:
            return None  # nothing to hold against the core as it is
        wanted = self.design_hash(spec, target)
        return next((Failure.model_validate_json(r[1]) for r in rows if r[0] == wanted), None)

    def verified(self, spec: Spec) -> tuple[str, ...]:
        """Return as what a core, as it is, answered everything right: `RTL`, names of targets."""
        rows = self._db.execute(
            "select target, hash, record from verification where name = ?", (spec.name,)
        ).fetchall()
        found: dict[str, None] = {}
        for name, digest, _ in rows:
            with suppress(RoundsmithError):
                target = None if name is None else targets.parse(name)
                if self.design_hash(spec, target) == digest:
                    found.setdefault(name or "RTL")
        return tuple(found)

    def cycles(self, spec: Spec) -> Verification | None:
        """Return what the last simulation of the RTL saw, None if it was of another core."""
        rows = self._db.execute(
            "select hash, record from verification where name = ? and target is null "
            "order by rowid desc",
            (spec.name,),
        ).fetchall()
        wanted = self.design_hash(spec, None)
        return next((Verification.model_validate_json(r[1]) for r in rows if r[0] == wanted), None)

    def design_hash(self, spec: Spec, target: Target | None) -> str:
        """Return the same as `records.design_hash`, a missing Liberty file as a missing tool."""
        _check(target)
        return records.design_hash(spec, target)


def _check(target: Target | None) -> None:
    if target is not None and target.file is not None and not target.file.exists():
        raise ToolMissing(f"{target.file} is not there.")


@contextmanager
def opened() -> Iterator[Store]:
    """Open the database of the folders of records, with all records in it."""
    carried = records.carried_path()
    places = "\n".join(str(place.resolve()) for place in records.folders()).encode()
    where = _digest(places + (carried.read_bytes() if carried.exists() else b""))[:16]
    path = cache_dir() / "explorer" / f"{where}-{_VERSION}.sqlite"
    path.parent.mkdir(parents=True, exist_ok=True)
    # Each statement is a transaction of its own, so that nobody waits for us while we look for
    # what is not here yet. The file can be made again, so nothing has to reach the disk at once.
    with closing(sqlite3.connect(path, timeout=60, isolation_level=None)) as connection:
        connection.execute("pragma synchronous = off")
        for statement in _SCHEMA.split(";"):
            connection.execute(statement)
        store = Store(connection)
        store.refresh()
        yield store
