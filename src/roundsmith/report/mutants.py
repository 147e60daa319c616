"""The results of `make mutants` as tables: how many mutants of each RTL folder a check kills."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from roundsmith.base.errors import RoundsmithError
from roundsmith.base.grid import Grid
from roundsmith.base.paths import DATA, RTL

RESULTS = DATA / "mutants.jsonl"

#: The checks that kill a mutant, the cheapest first.
CHECKS = ("read", "circuit", "proof", "verify", "tests")

#: Mutants that no check kills. No core of the list contains the mutated code; or the mutated cores
#: are proved equivalent to the original ones; or neither.
UNREACHED, EQUIVALENT, SURVIVED = "unreached", "equivalent", "survived"

#: The checks of a mutant did not end in time: it is killed, by whichever of them.
TIMEOUT = "timeout"


class Mutant(BaseModel):
    """One mutation of a library file, and its verdict: the check that kills it and on what."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str
    sha256: str
    line: int
    kind: str
    start: int
    end: int
    right: str
    wrong: str
    verdict: str

    @property
    def outcome(self) -> str:
        """The check that kills the mutant, or why none does."""
        return self.verdict.partition(" ")[0]


def sha256(file: str) -> str:
    """Return the digest of a file of the library, empty where there is none."""
    path = RTL / file
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""


def read(results: Path = RESULTS) -> list[Mutant]:
    """Return the mutants of the present files; a verdict is void once its file was edited.

    Raises RoundsmithError where a line is no mutant.
    """
    found = []
    lines = results.read_text().splitlines() if results.exists() else []
    for number, line in enumerate(lines, start=1):
        try:
            found.append(Mutant.model_validate_json(line))
        except ValidationError:
            raise RoundsmithError(
                f"Line {number} of {results} is no mutant; delete the line, or the file."
            ) from None
    now = {file: sha256(file) for file in {mutant.file for mutant in found}}
    return [mutant for mutant in found if mutant.sha256 == now[mutant.file]]


def table(mutants: Sequence[Mutant]) -> Grid:
    """Return the number of mutants by folder and outcome."""
    counted: dict[str, Counter[str]] = {}
    for mutant in mutants:
        folder = mutant.file.rpartition("/")[0]
        counted.setdefault(folder, Counter())[mutant.outcome] += 1
    named = {f"`rtl/{name}`": counted[name] for name in sorted(counted)}
    named["all"] = sum(counted.values(), Counter())
    columns = (*CHECKS, TIMEOUT, EQUIVALENT, UNREACHED, SURVIVED)
    rows = tuple(
        (name, str(count.total()), *(str(count[column]) for column in columns))
        for name, count in named.items()
    )
    return Grid("Mutants by the check that kills them", "", ("folder", "mutants", *columns), rows)


def survivors(mutants: Sequence[Mutant]) -> Grid:
    """Return the mutants that no check kills and no proof settles."""
    left = [mutant for mutant in mutants if mutant.outcome in {UNREACHED, SURVIVED}]
    rows = tuple(
        (f"`rtl/{mutant.file}:{mutant.line}`", mutant.outcome, _short(mutant))
        for mutant in sorted(left, key=lambda each: (each.file, each.start))
    )
    return Grid("Mutants without an explanation", "", ("line", "outcome", "mutation"), rows, left=3)


def _short(mutant: Mutant) -> str:
    right, wrong = (" ".join(text.split())[:60] for text in (mutant.right, mutant.wrong))
    return f"`{right}` → `{wrong}`"
