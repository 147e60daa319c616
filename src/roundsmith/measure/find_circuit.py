"""A search for a circuit as the command line asks for it, and what it says of the result."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from roundsmith.base.errors import RoundsmithError
from roundsmith.circuits import listing, lut_circuit, lut_search, search, serpent
from roundsmith.circuits.areas import areas
from roundsmith.circuits.listing import Circuit
from roundsmith.circuits.program import DIRECTIONS, Kind, counts
from roundsmith.circuits.search_goal import Goal, Objective
from roundsmith.flows import targets

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
# The objective of each construction that our own search found, by its word in the name.
_NAMED = {"minimal": "gates", "fast": "depth", "cells": "ge", "lut4": "luts"}

_PROOF = {"sbox": "on every byte", "mix": "for every column, as sums of its bits"}


@dataclass(frozen=True)
class Found:
    """The circuit as the text of its file, and what is to be said of it."""

    text: str
    lines: list[str]


@dataclass(frozen=True)
class Wish:
    """What to search for: of AES by objective, kind and direction; of Serpent the S-boxes."""

    name: str
    objective: str
    kind: str
    direction: str
    boxes: tuple[Circuit, ...] = ()


def wish(name: str | None, objective: str | None, kind: str | None, direction: str | None) -> Wish:
    """Return what a name of the list means, or else the three words, each with its default.

    Raises RoundsmithError when a word is not one of those that are legal, when no search found what
    the name means, and when both are given.
    """
    if name is None:
        wanted = Wish("", objective or "gates", kind or "sbox", direction or "forward")
        for what, value, legal in (
            ("objective", wanted.objective, OBJECTIVES),
            ("kind", wanted.kind, KINDS),
            ("direction", wanted.direction, DIRECTIONS),
        ):
            if value not in legal:
                raise RoundsmithError(
                    f"'{value}' is no {what} of a search; take {', '.join(legal)}."
                )
        return wanted
    if objective or kind or direction:
        raise RoundsmithError(
            "A name says objective, kind and direction; leave these options out, or the name."
        )
    circuits = listing.named(name)
    first = circuits[0]
    if first.origin != "search":
        found = (c for c in listing.everything() if c.origin == "search")
        names = ", ".join(dict.fromkeys(c.group or c.name for c in found))
        raise RoundsmithError(f"{name} comes from no search; there is one for {names}.")
    word = name.removeprefix(f"{first.cipher}-").split("-")[1]
    boxes = () if first.box is None else tuple(circuits)
    return Wish(name, _NAMED[word], first.kind, first.direction, boxes)


def run(
    wanted: Wish,
    minutes: float,
    library: str | None,
    *,
    jobs: int | None = None,
    fresh: bool = False,
    progress: Callable[[str, int, int], None],
) -> Found:
    """Search for `minutes` and return the best circuit, proved.

    For AES the search begins with nothing, or goes on where the last one was; for Serpent it goes
    on from the circuit that the list has. With `fresh` it begins with nothing.

    Raises RoundsmithError when the options do not fit, and when nothing was found in time.
    """
    if minutes <= 0 or (jobs is not None and jobs < 1):
        raise RoundsmithError("A search needs more than 0 minutes and at least one process.")
    if wanted.boxes:
        if library is not None or jobs is not None:
            raise RoundsmithError(
                "A search for an S-box of Serpent is one process and knows no cells; leave out "
                "--jobs and --library."
            )
        return _serpent(wanted, minutes, fresh, progress)
    objective, kind, direction = wanted.objective, wanted.kind, wanted.direction
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
    kinds = ", ".join(f"{n} {k}" for k, n in sorted(program.counts().items()))
    text = program.dumps(command=_command(goal))
    return Found(text, [f"{goal.name}: {goal.describe(program)} ({kinds})", equal])


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


def _serpent(
    wanted: Wish, minutes: float, fresh: bool, progress: Callable[[str, int, int], None]
) -> Found:
    """Search for each of the S-boxes in turn, in its share of the time."""
    begin = time.monotonic()

    def show(best: serpent.Circuit) -> None:
        over = round(min(time.monotonic() - begin, 60 * minutes))
        text = f"{best.sbox.name}, best {best.gates} gates, depth {best.depth}"
        progress(text, over, round(60 * minutes))

    sboxes = [serpent.Sbox(c.box or 0, c.direction == "inverse") for c in wanted.boxes]
    seconds = 60 * minutes / len(sboxes)
    try:
        found = serpent.search(wanted.objective, seconds, sboxes=sboxes, fresh=fresh, progress=show)
    except ValueError:
        raise RoundsmithError(f"No {wanted.name} was found; give it more --minutes.") from None
    lines = []
    for circuit, best in zip(wanted.boxes, found, strict=True):
        kinds = ", ".join(f"{n} {k}" for k, n in sorted(counts(best.operations).items()))
        lines.append(f"{circuit.name}: {best.gates} gates, depth {best.depth} ({kinds})")
        what = f"{'the inverse of ' if best.sbox.inverse else ''}S-box {best.sbox.number}"
        lines.append(f"proved: equal to {what} of Serpent's submission on every input")
    text = serpent.dumps(found, command=f"roundsmith circuits search {wanted.name}")
    return Found(text, lines)
