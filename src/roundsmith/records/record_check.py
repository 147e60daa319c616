"""Which stored records are true of the designs as they are, and which of earlier ones."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError
from roundsmith.flows import targets
from roundsmith.records import records
from roundsmith.records.records import Failure, Measurement, PowerEstimate, Verification

_OfCore = Measurement | Verification | Failure | PowerEstimate


@dataclass(frozen=True)
class Checked:
    """The records of one kind: how many lines there are, and the designs that they are of.

    A design is a core on a target, `NAME on TARGET`. `true` have a record of the design as it is,
    `stale` have records of earlier designs alone, `unknown` cannot be looked at: the core is no
    name, or its Liberty file is not here.
    """

    kind: str
    lines: int
    true: tuple[str, ...]
    stale: tuple[str, ...]
    unknown: tuple[str, ...]


def check() -> list[Checked]:
    """Hold every record against the design as it is; RoundsmithError where there is none."""
    kinds: dict[str, Iterable[_OfCore]] = {
        "measurements": records.measurements(),
        "verifications": records.verifications(),
        "failures": records.failures(),
        "energy estimates": records.power_estimates(),
    }
    found = [_checked(kind, stored) for kind, stored in kinds.items()]
    if not any(each.lines for each in found):
        raise RoundsmithError(
            f"There are no records in {records.folder()}; `roundsmith measure NAME` makes some."
        )
    return found


def _checked(kind: str, stored: Iterable[_OfCore]) -> Checked:
    hashes: dict[tuple[str, str | None], set[str]] = defaultdict(set)
    lines = 0
    for record in stored:
        lines += 1
        hashes[record.name, record.target].add(record.design_hash)
    sorts: dict[str, list[str]] = {"true": [], "stale": [], "unknown": []}
    for (name, target), known in hashes.items():
        sorts[_sort(name, target, known)].append(f"{name} on {target or 'rtl'}")
    return Checked(kind, lines, **{sort: tuple(sorted(names)) for sort, names in sorts.items()})


def _sort(name: str, target: str | None, known: set[str]) -> str:
    try:
        goal = None if target is None else targets.parse(target)
        digest = records.design_hash(catalogue.find(name), goal, wanted=True)
    except RoundsmithError:
        return "unknown"
    return "true" if digest in known else "stale"
