"""What found the changes that `make mutants` makes in the library, room by room."""

import hashlib
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from roundsmith.base.grid import Grid
from roundsmith.base.paths import DATA, RTL

RESULTS = DATA / "mutants.jsonl"

#: Of changes that nothing finds, why they change nothing that counts.
ARGUED = DATA / "mutants.toml"

#: The checks, the cheapest first, and what is known of a change that none of them finds.
CHECKS = ("read", "circuit", "proof", "verify", "tests")
EQUAL, NO_CORE, SURVIVED = "equal", "no core", "survived"


class Change(BaseModel):
    """One change of a file of the library, and what found it: a check and where."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str
    text: str
    line: int
    kind: str
    start: int
    end: int
    right: str
    wrong: str
    found: str

    @property
    def check(self) -> str:
        """The check that found it, or what is known of it; a run without end is a finding."""
        if self.found in {EQUAL, NO_CORE, SURVIVED}:
            return self.found
        return "verify" if self.found == "hangs" else self.found.partition(" ")[0]


def changes(results: Path = RESULTS) -> list[Change]:
    """Return the changes of the files as they are, without those of files edited since."""
    lines = results.read_text().splitlines() if results.exists() else []
    found = [Change.model_validate_json(line) for line in lines]
    states: dict[str, str] = {}
    for file in {change.file for change in found}:
        path = RTL / file
        states[file] = hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""
    return [change for change in found if change.text == states[change.file]]


def reasons(argued: Path = ARGUED) -> dict[tuple[str, str, str], str]:
    """Return why a change counts for nothing, by file, what stood there and what stands now."""
    data = tomllib.loads(argued.read_text()) if argued.exists() else {}
    return {
        (each["file"], each["right"], each["wrong"]): each["why"] for each in data.get("change", ())
    }


def table() -> str:
    """Return the table of rooms."""
    counted: dict[str, Counter[str]] = {}
    for change in changes():
        room = change.file.rpartition("/")[0]
        counted.setdefault(room, Counter())[change.check] += 1
    total = sum(counted.values(), Counter())
    columns = (*CHECKS, EQUAL, NO_CORE, SURVIVED)
    named = {f"`{room}`": counted[room] for room in sorted(counted)} | {"all": total}
    rows = tuple(
        (name, str(count.total()), *(str(count[column]) for column in columns))
        for name, count in named.items()
    )
    return Grid("", "", ("room of `rtl`", "changes", *columns), rows).markdown()


def _left() -> Iterator[tuple[str, ...]]:
    known = reasons()
    for change in sorted(changes(), key=lambda each: (each.file, each.start)):
        if change.check in {NO_CORE, SURVIVED}:
            why = known.get((change.file, change.right, change.wrong), "not explained")
            what = f"`{_short(change.right)}` → `{_short(change.wrong)}`"
            yield f"`{change.file}`:{change.line}", what, why


def left() -> str:
    """Return the changes that nothing found and no proof settles, with the reasons."""
    rows = tuple(_left())
    return Grid("", "", ("where", "change", "why"), rows, left=3).markdown() if rows else "None.\n"


def _short(text: str) -> str:
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= 60 else f"{text[:57]}…"


PARTS = {"mutants": table, "mutants left": left}
