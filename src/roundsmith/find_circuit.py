"""A search for a circuit as the command line asks for it, and what it says of the result."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from roundsmith import targets
from roundsmith.circuits import lut_circuit, lut_search, search
from roundsmith.circuits.areas import areas
from roundsmith.circuits.program import DIRECTIONS, Kind
from roundsmith.circuits.search_goal import Goal, Objective
from roundsmith.errors import RoundsmithError

KINDS = ("sbox", "mix")
OBJECTIVES = (*Objective, "luts")

_WHAT = {
    ("sbox", "forward"): "the S-box of SubBytes (FIPS 197, 5.1.1)",
    ("sbox", "inverse"): "the S-box of InvSubBytes (FIPS 197, 5.3.2)",
    ("sbox", "both"): "both S-boxes (FIPS 197, 5.1.1 and 5.3.2)",
    ("mix", "forward"): "MixColumns (FIPS 197, 5.1.3)",
    ("mix", "inverse"): "InvMixColumns (FIPS 197, 5.3.3)",
    ("mix", "both"): "MixColumns and InvMixColumns (FIPS 197, 5.1.3 and 5.3.3)",
}
_PROOF = {"sbox": "on every byte", "mix": "for every column, as sums of its bits"}


@dataclass(frozen=True)
class Found:
    """The circuit as the text of its file, and what is to be said of it."""

    text: str
    lines: list[str]


def run(
    objective: str,
    kind: str,
    direction: str,
    minutes: float,
    library: str | None,
    *,
    jobs: int | None = None,
    fresh: bool = False,
    progress: Callable[[str, int, int], None],
) -> Found:
    """Search for `minutes` and return the best circuit, proved.

    Raises RoundsmithError when a word is not one of those that are legal, and when nothing was
    found in time.
    """
    for name, value, legal in (
        ("objective", objective, OBJECTIVES),
        ("kind", kind, KINDS),
        ("direction", direction, DIRECTIONS),
    ):
        if value not in legal:
            raise RoundsmithError(f"'{value}' is no {name} of a search; take {', '.join(legal)}.")
    if minutes <= 0 or (jobs is not None and jobs < 1):
        raise RoundsmithError("A search needs more than 0 minutes and at least one process.")
    equal = f"proved: equal to {_WHAT[kind, direction]} {_PROOF[kind]}"
    if objective == "luts":
        if kind != "sbox":
            raise RoundsmithError("The objective 'luts' is for S-boxes; take gates or depth.")
        return _luts(direction, minutes, equal, progress)
    cost: dict[Kind, float] = {}
    if objective == Objective.GE:
        target = "asic:osu018" if library is None else f"asic:{library}"
        cost = areas(targets.parse(target).library())
    goal = Goal(kind, direction, Objective(objective), cost)

    def show(step: str, done: int, total: int, best: str) -> None:
        progress(f"{step}{f', best {best}' if best else ''}", done, total)

    program = search.search(goal, minutes=minutes, jobs=jobs, fresh=fresh, progress=show)
    counts = ", ".join(f"{n} {k}" for k, n in sorted(program.counts().items()))
    text = program.dumps(command=_command(goal))
    return Found(text, [f"{goal.name}: {goal.describe(program)} ({counts})", equal])


def _command(goal: Goal) -> str:
    return (
        f"roundsmith circuits search --kind {goal.kind} --direction {goal.direction} "
        f"--objective {goal.objective}"
    )


def _luts(
    direction: str, minutes: float, equal: str, progress: Callable[[str, int, int], None]
) -> Found:
    inverse = {"forward": False, "inverse": True, "both": None}[direction]

    begin = time.monotonic()

    def show(best: lut_circuit.LutCircuit) -> None:
        over = round(min(time.monotonic() - begin, 60 * minutes))
        text = f"structures, best {best.cost} LUT4, depth {best.depth}"
        progress(text, over, round(60 * minutes))

    found = lut_search.search(inverse, seconds=60 * minutes, progress=show)
    lut_circuit.prove(found)
    return Found(found.dumps(), [f"{found.name}: {found.cost} LUT4, depth {found.depth}", equal])
