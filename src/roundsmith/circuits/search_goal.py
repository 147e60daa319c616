"""What a search for a circuit is for, what it has found, and the jobs that it is made of."""

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from roundsmith.base.cache import cache_dir
from roundsmith.circuits import boolean, columns, linear, norm
from roundsmith.circuits.boolean import Gates
from roundsmith.circuits.program import Kind, Program


class Objective(StrEnum):
    """What a search makes small; where two circuits are alike, it looks at gates and depth."""

    GATES = "gates"  # XOR, XNOR, AND; multiplexers where a direction is selected
    DEPTH = "depth"  # every two-input gate
    GE = "ge"  # every two-input gate and multiplexers, by the areas of a library


@dataclass(frozen=True)
class Goal:
    """What is searched: the kind of circuit, its direction and the objective.

    `areas` are GE by kind of gate, for the objective `ge`.
    """

    kind: str
    direction: str
    objective: Objective
    areas: Mapping[Kind, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the program that is found."""
        suffix = "" if self.direction == "forward" else f"-{self.direction}"
        what = {Objective.GATES: "minimal", Objective.DEPTH: "fast", Objective.GE: "cells"}
        return f"{self.kind}-{what[self.objective]}{suffix}"

    def score(self, program: Program) -> tuple[float, int, int]:
        """Return what is compared: less is better."""
        gates, depth = program.gates, program.depth
        if self.objective is Objective.DEPTH:
            return depth, gates, 0
        if self.objective is Objective.GE:
            return round(self._ge(program), 2), gates, depth
        return gates, depth, 0

    def _ge(self, program: Program) -> float:
        return sum(self.areas[kind] * count for kind, count in program.counts().items())

    def describe(self, program: Program) -> str:
        """Return the score in words."""
        text = f"{program.gates} gates, depth {program.depth}"
        return f"{self._ge(program):.1f} GE, {text}" if self.areas else text

    @property
    def source(self) -> str:
        """Where the program comes from, for its header."""
        of = "the 6,800 ways to invert through the norm" if self.kind == "sbox" else "XOR programs"
        for_ = {
            Objective.GATES: "the fewest gates",
            Objective.DEPTH: "the least depth, then the fewest gates",
            Objective.GE: "the smallest area in standard cells",
        }[self.objective]
        return f"search over {of}, for {for_} (`roundsmith circuits search`)."


@dataclass
class State:
    """What a search has found so far, kept in a file."""

    path: Path
    inversions: dict[str, list[Any]] = field(default_factory=dict)
    structures: dict[str, list[int]] = field(default_factory=dict)
    tried: list[str] = field(default_factory=list)
    best: str = ""

    @classmethod
    def of(cls, goal: Goal, fresh: bool) -> "State":
        """Return the state of an earlier search for the same goal, or an empty one."""
        code = "".join(
            Path(module.__file__ or "").read_text() for module in (norm, boolean, linear, columns)
        )
        digest = hashlib.sha256(f"{goal.name} {dict(goal.areas)} {code}".encode()).hexdigest()
        path = cache_dir() / "search" / f"{goal.name}-{digest[:12]}.json"
        if fresh or not path.exists():
            return cls(path)
        return cls(path, **json.loads(path.read_text()))

    def save(self) -> None:
        """Write the state."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix(f".{os.getpid()}")
        values = {key: value for key, value in vars(self).items() if key != "path"}
        part.write_text(json.dumps(values))
        part.replace(self.path)


#: A job: what it is called, its function, and the function's arguments.
Job = tuple[str, Callable[..., Any], tuple[Any, ...]]

#: The gates that serve an objective.
GATES = {Objective.GATES: Gates.XOR_AND, Objective.DEPTH: Gates.ALL, Objective.GE: Gates.MUX}

#: How many seconds one search of a part takes; each next round takes more.
SHORT = 0.5
