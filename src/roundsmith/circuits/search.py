"""Search for circuits from nothing: S-boxes over all structures, column circuits by their sums.

A search is a row of jobs for all processors. What a job finds is kept at once, so a search can be
stopped at any time and goes on where it was. An S-box is searched in three steps: the inversion of
the norm for all of its bases, the linear maps of all structures in brief, and the best of both put
together and shortened. Every program is proved before it counts.
"""

import hashlib
import json
import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import combinations, product
from math import ceil, log2
from pathlib import Path
from typing import Any

from roundsmith.cache import cache_dir
from roundsmith.circuits import boolean, columns, linear, norm, proof
from roundsmith.circuits.boolean import Circuit, Gates, Step, Task
from roundsmith.circuits.norm import Inversion, Norm, Structure
from roundsmith.circuits.program import Kind, Program, loads
from roundsmith.circuits.sbox_assembly import Merged, Parts, Shallow
from roundsmith.errors import RoundsmithError


class Objective(StrEnum):
    """What a search makes small; where two circuits are alike, it looks at gates and depth."""

    GATES = "gates"  # XOR, XNOR, AND; multiplexers where a direction is selected
    DEPTH = "depth"  # every two-input gate
    GE = "ge"  # every two-input gate and multiplexers, by the areas of a library


#: Called with what is being done, the seconds that are over, those there are, and the best score.
Progress = Callable[[str, int, int, str], None]

_GATES = {Objective.GATES: Gates.XOR_AND, Objective.DEPTH: Gates.ALL, Objective.GE: Gates.MUX}
_INVERSION_DEPTH = 4
_TWISTS = tuple((a, b, c) for a in range(3) for b in range(3) for c in range(3))
_CHUNK = 100  # structures in one job
# How many seconds one search of a part takes; each next round takes more.
_SHORT = 0.5


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


def search(
    goal: Goal,
    *,
    minutes: float,
    jobs: int | None = None,
    fresh: bool = False,
    progress: Progress = lambda *_: None,
) -> Program:
    """Search for `minutes` with `jobs` processes and return the best program, proved.

    Goes on from an earlier search for the same goal unless `fresh`. When interrupted, it returns
    the best so far. Raises RoundsmithError when there is none yet.
    """
    runner = _Runner(goal, State.of(goal, fresh), 60 * minutes, progress)
    with ProcessPoolExecutor(jobs or os.cpu_count(), initializer=_ignore_interrupts) as pool:
        try:
            if goal.kind == "mix":
                runner.run(pool, _columns_jobs(goal, runner.end), 1.0)
            else:
                runner.run(pool, _inversion_jobs(goal, runner.state), 0.3)
                runner.run(pool, _structure_jobs(goal, runner.state), 0.5)
                runner.run(pool, _program_jobs(goal, runner.state), 1.0)
        except KeyboardInterrupt:
            for worker in multiprocessing.active_children():
                worker.terminate()
    runner.state.save()
    return runner.result()


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


#: A job: what it is called, its function, and the function's arguments.
_Job = tuple[str, Callable[..., Any], tuple[Any, ...]]


class _Runner:
    """Hands jobs to the processes and keeps what they find."""

    def __init__(self, goal: Goal, state: State, seconds: float, progress: Progress) -> None:
        self.goal, self.state = goal, state
        self._begin = time.monotonic()
        self.end = self._begin + seconds
        self._progress = progress
        self._shown = ("", 0.0)
        self.best = loads(state.best) if state.best else None

    def result(self) -> Program:
        """Return the best program, proved once more."""
        if self.best is None:
            raise RoundsmithError(
                f"The search for {self.goal.name} has found no circuit yet; give it more minutes, "
                "it goes on where it was."
            )
        proof.prove(self.best)
        return self.best

    def run(self, pool: ProcessPoolExecutor, jobs: Iterable[_Job], share: float) -> None:
        """Run `jobs` until there are no more or `share` of the time that is left is over."""
        now = time.monotonic()
        until = now + (self.end - now) * share
        source = iter(jobs)
        running: dict[Future[Any], str] = {}
        workers = getattr(pool, "_max_workers", 2)
        exhausted = False
        while True:
            while not exhausted and len(running) < workers and time.monotonic() < until:
                job = next(source, None)
                if job is None:
                    exhausted = True
                    break
                what, function, arguments = job
                running[pool.submit(function, *arguments)] = what
            if not running:
                return
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                what = running.pop(future)
                self._keep(what, future.result())
                self._show(what.partition(":")[0])

    def _show(self, step: str) -> None:
        """Report the progress, every two seconds and when there is news."""
        best = self.goal.describe(self.best) if self.best else ""
        now = time.monotonic()
        if step + best != self._shown[0] or now > self._shown[1] + 2:
            self._shown = (step + best, now)
            total = self.end - self._begin
            self._progress(step, round(min(now - self._begin, total)), round(total), best)

    def _keep(self, what: str, found: Any) -> None:
        step, _, key = what.partition(":")
        if step == "inversions":
            self.state.inversions[key] = found
        elif step == "linear maps":
            self.state.structures.update(found)
        elif found:
            program = loads(found)
            if self.best is None or self.goal.score(program) < self.goal.score(self.best):
                self.best = program
                self.state.best = found
            self.state.tried.append(key)
        self.state.save()


# --- Inversions of the norm -----------------------------------------------------------------------


def _inversion_jobs(goal: Goal, state: State) -> list[_Job]:
    tasks = [_key(task) for task in norm.inversions()]
    random.Random(goal.name).shuffle(tasks)
    gates = _GATES[goal.objective]
    depth = _INVERSION_DEPTH if goal.objective is Objective.DEPTH else None
    seconds = _SHORT * (2 if depth or gates is Gates.MUX else 1)
    return [
        (f"inversions:{key}", _find_inversion, (key, gates, depth, seconds))
        for key in tasks
        if key not in state.inversions
    ]


def _key(task: Inversion) -> str:
    return " ".join(map(str, (*task.inputs, *task.points)))


def _task(key: str) -> Inversion:
    a, b, c, d, *points = map(int, key.split())
    return Inversion((a, b, c, d), (points[0], points[1], points[2]))


def _find_inversion(key: str, gates: Gates, depth: int | None, seconds: float) -> list[Any]:
    """Return the gates of the shortest inversion found, as kinds with operands; none in vain."""
    task = Task(tuple(_task(key).tables()), gates=gates, depth=depth)
    try:
        found = boolean.minimise(task, seconds=seconds)
    except ValueError:  # so deep a task in so short a time
        return []
    return [[step.kind.value, list(step.operands)] for step in found.steps]


def _circuit(steps: list[Any]) -> Circuit:
    return Circuit(tuple(Step(Kind(kind), tuple(operands)) for kind, operands in steps), ())


def _inversions_at(state: State, margin: int) -> dict[frozenset[int], list[tuple[Inversion, Any]]]:
    """Return the short inversions by the points of D, each with its circuit."""
    least = min((len(steps) for steps in state.inversions.values() if steps), default=0)
    found: dict[frozenset[int], list[tuple[Inversion, Any]]] = {}
    for task, same in norm.inversions().items():
        steps = state.inversions.get(_key(task))
        if steps and len(steps) <= least + margin:
            for other in same:
                found.setdefault(frozenset(other.points), []).append((other, steps))
    return found


# --- Linear maps of all structures ----------------------------------------------------------------


def _structure_jobs(goal: Goal, state: State) -> list[_Job]:
    numbers = [i for i in range(len(norm.structures())) if str(i) not in state.structures]
    random.Random(goal.name).shuffle(numbers)
    return [
        ("linear maps:", _estimate, (goal.direction, goal.objective, numbers[i : i + _CHUNK]))
        for i in range(0, len(numbers), _CHUNK)
    ]


def _estimate(direction: str, objective: Objective, numbers: list[int]) -> dict[str, list[int]]:
    """Return what the linear maps of some structures cost about: input, output (and depth)."""
    everything = norm.structures()
    chosen = [everything[i] for i in numbers]
    if direction == "both" and objective is Objective.DEPTH:
        shallow = [Shallow(s, _NO_TASK, _NO_NORM) for s in chosen]
        return {
            str(i): [
                _least_depth(s.input_problem(99).targets),
                _least_depth(s.output_problem().targets),
            ]
            for i, s in zip(numbers, shallow, strict=True)
        }
    if direction == "both":
        into = [Merged(s, _NO_TASK, _NO_NORM, _light_basis(s)).input_problem() for s in chosen]
        out = [_merged_columns(s) for s in chosen]
    else:
        inverse = direction == "inverse"
        into = [
            linear.Problem(8, tuple(mask for mask, _ in norm.input_masks(s.forms, inverse)))
            for s in chosen
        ]
        # Transposed, the output map is a problem of the same size, and as hard.
        out = [linear.Problem(8, tuple(norm.output_columns(s.columns, inverse))) for s in chosen]
        if objective is Objective.DEPTH:
            return {
                str(i): [_least_depth(p.targets), _least_depth(_rows(q.targets))]
                for i, p, q in zip(numbers, into, out, strict=True)
            }
    costs = [sums.cost for sums in linear.estimate([*into, *out], tries=1)]
    return {
        str(i): [costs[k] + _raw_constants(s, direction), costs[k + len(chosen)]]
        for k, (i, s) in enumerate(zip(numbers, chosen, strict=True))
    }


_NO_TASK = Inversion((0, 0, 0, 0), (0, 1, 2))
_NO_NORM = Norm((), (), ())


def _merged_columns(structure: Structure) -> linear.Problem:
    both = zip(norm.output_columns(structure.columns, False), structure.columns, strict=True)
    return linear.Problem(16, tuple(forward | inverse << 8 for forward, inverse in both))


def _raw_constants(structure: Structure, direction: str) -> int:
    """Return how many bits of the input itself are needed complemented: each is a NOT."""
    if direction != "inverse":
        return 0
    masks = norm.input_masks(structure.forms, True)
    return sum(constant for mask, constant in masks if mask.bit_count() == 1)


def _rows(columns_: Iterable[int]) -> list[int]:
    listed = list(columns_)
    return [sum((c >> bit & 1) << j for j, c in enumerate(listed)) for bit in range(8)]


def _least_depth(vectors: Iterable[int]) -> int:
    return max(ceil(log2(vector.bit_count())) for vector in vectors)


def _weight(structure: Structure, i: int) -> int:
    """Return about how many XOR gates it takes to have form i in both directions."""
    mask, constant = norm.input_masks([structure.forms[i]], True)[0]
    forward = structure.forms[i]
    raw = constant if mask.bit_count() == 1 else 0
    return forward.bit_count() + mask.bit_count() - 3 * (forward == mask) + 2 * raw


def _light_basis(structure: Structure) -> tuple[int, ...]:
    """Return eight independent forms of few terms: two at each of two points of f1 and f2."""
    chosen: list[int] = []
    for first in (0, 9):
        points = []
        for k in range(3):
            bits = sorted(
                range(first + 3 * k, first + 3 * k + 3), key=lambda i: _weight(structure, i)
            )
            points.append((sum(_weight(structure, i) for i in bits[:2]), bits[:2]))
        points.sort()
        chosen += points[0][1] + points[1][1]
    return tuple(chosen)


def _bases(structure: Structure) -> list[tuple[int, ...]]:
    """Return all bases of two bits at each of two points of f1 and f2, light ones first."""
    weights = [_weight(structure, i) for i in range(18)]
    pairs = list(combinations(range(3), 2))
    found = [
        tuple(
            offset + 3 * k + bit
            for offset, ks, bits in ((0, k1, four[:2]), (9, k2, four[2:]))
            for k, two in zip(ks, bits, strict=True)
            for bit in two
        )
        for k1 in pairs
        for k2 in pairs
        for four in product(pairs, repeat=4)
    ]
    return sorted(found, key=lambda basis: sum(weights[i] for i in basis))


# --- Programs -------------------------------------------------------------------------------------


def _program_jobs(goal: Goal, state: State) -> Iterator[_Job]:
    """Give the structures from the cheapest on, in rounds that take longer and longer."""
    margin = 9 if goal.objective is Objective.DEPTH else 1
    inversions = _inversions_at(state, margin)
    order = sorted(state.structures, key=lambda i: (sum(state.structures[i]), i))
    everything = norm.structures()
    tried = set(state.tried)
    least = sum(state.structures[order[0]]) if order else 0
    round_ = 0
    while inversions and order:
        seconds = _SHORT * 2**round_
        for number in order:
            if sum(state.structures[number]) > least + 1 + round_:
                break
            key = f"{number} {round_}"
            if key in tried:
                continue
            structure = everything[int(number)]
            usable = inversions.get(frozenset(structure.triple), [])
            yield f"programs:{key}", _find_program, (goal, structure, usable, seconds, round_ + 1)
        round_ += 1


def _find_program(
    goal: Goal,
    structure: Structure,
    usable: list[tuple[Inversion, list[Any]]],
    seconds: float,
    seed: int,
) -> str:
    """Return the best program for one structure as text, or nothing."""
    make = {
        "forward": _one_direction,
        "inverse": _one_direction,
        "both": _both_directions,
    }[goal.direction]
    best: Program | None = None
    choices = _norms(goal, structure, usable)
    # A part may have no answer in so short a time; what came before it counts.
    with suppress(ValueError):
        for program in make(goal, structure, choices, seconds, seed):
            proof.prove(program)
            if best is None or goal.score(program) < goal.score(best):
                best = program
    return best.dumps() if best else ""


#: The norm with its inversion: what it costs about, the task, the norm's sums, the circuit.
_Choice = tuple[float, Inversion, Norm, Circuit]


def _norms(
    goal: Goal, structure: Structure, usable: list[tuple[Inversion, list[Any]]]
) -> list[_Choice]:
    """Return the cheapest choices of the norm's bits for a structure, by a rough count."""
    short = set(structure.short)
    inverse = goal.direction == "inverse"
    masks = {mask for mask, _ in norm.input_masks(structure.forms, inverse)}
    found: list[_Choice] = []
    for task, steps in usable:
        if not short.issuperset(task.inputs):
            continue
        kinds = (structure.norm, structure.norm_without_squares)
        for make in kinds[:1] if goal.objective is Objective.GATES else kinds[1:]:
            for twist in _TWISTS:
                bits = make(task.inputs, twist)
                squares = [mask for mask, _ in norm.input_masks(bits.squares, inverse) if mask]
                shared = len({sum_ >> 3 * k & 7 for sum_ in bits.sums for k in range(3)})
                pairs = shared if goal.objective is Objective.GATES else _pairs(bits)
                cost = len(bits.products) + pairs + len(steps) + len(squares)
                cost += sum(square not in masks for square in squares)
                found.append((cost, task, bits, _circuit(steps)))
    found.sort(key=lambda choice: choice[0])
    return found


def _pairs(bits: Norm) -> int:
    """Return how many sums of two products there are when each bit adds two pairs."""
    pairs: set[tuple[int, ...]] = set()
    for sum_ in bits.sums:
        at: dict[int, list[int]] = {}
        for j, (_, a, _) in enumerate(bits.products):
            if sum_ >> j & 1:
                at.setdefault(a // 3, []).append(j)
        pairs.update(tuple(pair) for pair in at.values())
    return len(pairs)


_TRIED_NORMS = 60


def _one_direction(
    goal: Goal, structure: Structure, choices: list[_Choice], seconds: float, seed: int
) -> Iterator[Program]:
    inverse = goal.direction == "inverse"
    gate = Kind.NAND if goal.objective is Objective.GE else Kind.AND
    if goal.objective is Objective.DEPTH:
        yield from _shallow(goal, structure, choices, seconds, seed)
        return
    parts = [Parts(structure, task, bits, inverse) for _, task, bits, _ in choices[:_TRIED_NORMS]]
    if not parts:
        return
    guesses = linear.estimate([p.input_problem() for p in parts], tries=1, seed=seed)
    order = sorted(range(len(parts)), key=lambda i: (guesses[i].cost + choices[i][3].cost, i))
    output_map = linear.minimise(parts[0].output_problem(), seconds=2 * seconds, seed=seed)
    for i in order[:2]:
        input_map = linear.minimise(
            parts[i].input_problem(), seconds=seconds, seed=seed, start=guesses[i]
        )
        try:
            yield parts[i].program(
                goal.name, goal.source, input_map, choices[i][3], output_map, gate=gate
            )
        except ValueError:
            continue  # a sum of the input was made from the norm's products


def _shallow(
    goal: Goal, structure: Structure, choices: list[_Choice], seconds: float, seed: int
) -> Iterator[Program]:
    """Give programs of the least depth: every part as shallow as it can be."""
    inverse = goal.direction == "inverse"
    for _, task, bits, inversion in choices[:3]:
        parts = Parts(structure, task, bits, inverse)
        at_forms = _least_depth(mask for mask, _ in parts.forms)
        forms = linear.minimise(parts.forms_problem(at_forms), seconds=seconds, seed=seed)
        sums = linear.minimise(
            parts.norm_problem(_least_depth(bits.sums)), seconds=seconds / 2, seed=seed
        )
        at_norm = at_forms + 1 + _least_depth(bits.sums)
        arrivals = _arrivals(structure, task, inversion, at_norm)
        output = parts.output_problem()
        rows = [max(arrivals[j] for j in range(18) if row >> j & 1) for row in output.targets]
        depth = max(rows) + _least_depth(output.targets)
        output_map = linear.minimise(
            parts.output_problem(arrivals, depth), seconds=2 * seconds, seed=seed
        )
        yield parts.program(goal.name, goal.source, (forms, sums), inversion, output_map)


def _shallow_both(
    goal: Goal, structure: Structure, choices: list[_Choice], seconds: float, seed: int
) -> Iterator[Program]:
    """Give programs for both directions of the least depth."""
    for _, task, bits, inversion in choices[:2]:
        parts = Shallow(structure, task, bits)
        at_forms = _least_depth(parts.input_problem(99).targets)
        forms = linear.minimise(parts.input_problem(at_forms), seconds=2 * seconds, seed=seed)
        two = _least_depth(bits.sums)
        sums = linear.minimise(parts.norm_problem(two), seconds=seconds / 2, seed=seed)
        arrivals = _arrivals(structure, task, inversion, at_forms + 2 + two)
        depth = max(arrivals) + _least_depth(parts.output_problem().targets)
        problem = parts.output_problem(arrivals, depth)
        output_map = linear.minimise(problem, seconds=4 * seconds, seed=seed)
        yield parts.program(goal.name, goal.source, forms, sums, inversion, output_map)


def _arrivals(structure: Structure, task: Inversion, inversion: Circuit, start: int) -> list[int]:
    """Return when each of the eighteen products is there if the norm is at `start`."""
    levels = _levels(inversion, start)
    tables = inversion.tables()
    wanted = task.tables_of(structure.inverse_labels)
    return [1 + levels[tables.index(table)] for table in wanted] * 2


def _levels(circuit: Circuit, start: int) -> list[int]:
    levels = [start] * circuit.inputs
    for step in circuit.steps:
        levels.append(1 + max(levels[k] for k in step.operands))
    return levels


def _both_directions(
    goal: Goal, structure: Structure, choices: list[_Choice], seconds: float, seed: int
) -> Iterator[Program]:
    if not choices:
        return
    if goal.objective is Objective.DEPTH:
        yield from _shallow_both(goal, structure, choices, seconds, seed)
        return
    gate = Kind.NAND if goal.objective is Objective.GE else Kind.AND
    bases = _bases(structure)[:100]
    of = [Merged(structure, _NO_TASK, _NO_NORM, basis) for basis in bases]
    costs = linear.estimate([m.input_problem() for m in of], tries=1, seed=seed)
    order = sorted(range(len(of)), key=lambda i: (costs[i].cost - sum(of[i].same), i))
    merged = [
        (Merged(structure, task, bits, bases[i]), inversion, costs[i])
        for i in order[:3]
        for _, task, bits, inversion in choices[: _TRIED_NORMS // 3]
    ]
    guesses = linear.estimate([m.shared_problem() for m, _, _ in merged], tries=1, seed=seed)
    ranking = sorted(
        range(len(merged)),
        key=lambda k: (
            guesses[k].cost + merged[k][1].cost + merged[k][2].cost - sum(merged[k][0].same),
            k,
        ),
    )
    output_map = linear.minimise(merged[0][0].output_problem(), seconds=4 * seconds, seed=seed)
    for k in ranking[:2]:
        parts, inversion, guess = merged[k]
        into = linear.minimise(parts.input_problem(), seconds=seconds / 2, seed=seed, start=guess)
        shared = linear.minimise(
            parts.shared_problem(), seconds=seconds, seed=seed, start=guesses[k]
        )
        try:
            yield parts.program(
                goal.name, goal.source, into, shared, inversion, output_map, gate=gate
            )
        except ValueError:
            continue


# --- Columns --------------------------------------------------------------------------------------


def _columns_jobs(goal: Goal, end: float) -> Iterator[_Job]:
    """Give searches of the column's sums with ever new seeds, each longer than the last."""
    depth = goal.objective is Objective.DEPTH
    seed = 0
    while True:
        seed += 1
        seconds = min(5.0 * 1.2**seed, 300.0, max(1.0, end - time.monotonic()))
        yield f"sums:{seed}", _find_columns, (goal, depth, seconds, seed)


def _find_columns(goal: Goal, shallow: bool, seconds: float, seed: int) -> str:
    form = columns.forms(goal.direction, shallow)
    chosen = form[seed % len(form)]
    found = linear.minimise(chosen.problem, seconds=seconds, seed=seed)
    program = chosen.program(goal.name, goal.source, found)
    proof.prove(program)
    return program.dumps()
