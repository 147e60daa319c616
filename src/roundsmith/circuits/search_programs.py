"""Whole circuits: the best parts of an S-box put together and shortened, and columns by their sums.

Every program is proved before it counts.
"""

import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from roundsmith.circuits import columns, linear, norm, proof
from roundsmith.circuits.boolean import Circuit
from roundsmith.circuits.norm import Inversion, Norm, Structure
from roundsmith.circuits.program import Kind, Program
from roundsmith.circuits.sbox_assembly import Merged, Parts, Shallow
from roundsmith.circuits.search_goal import SHORT, Goal, Job, Objective, State
from roundsmith.circuits.search_parts import (
    NO_NORM,
    NO_TASK,
    bases,
    circuit_of,
    inversions_at,
    least_depth,
)

_TWISTS = tuple((a, b, c) for a in range(3) for b in range(3) for c in range(3))
# --- Programs -------------------------------------------------------------------------------------


def program_jobs(goal: Goal, state: State) -> Iterator[Job]:
    """Give the structures from the cheapest on, in rounds that take longer and longer."""
    margin = 9 if goal.objective is Objective.DEPTH else 1
    inversions = inversions_at(state, margin)
    order = sorted(state.structures, key=lambda i: (sum(state.structures[i]), i))
    everything = norm.structures()
    tried = set(state.tried)
    least = sum(state.structures[order[0]]) if order else 0
    round_ = 0
    while inversions and order:
        seconds = SHORT * 2**round_
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
                found.append((cost, task, bits, circuit_of(steps)))
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
        at_forms = least_depth(mask for mask, _ in parts.forms)
        forms = linear.minimise(parts.forms_problem(at_forms), seconds=seconds, seed=seed)
        sums = linear.minimise(
            parts.norm_problem(least_depth(bits.sums)), seconds=seconds / 2, seed=seed
        )
        at_norm = at_forms + 1 + least_depth(bits.sums)
        arrivals = _arrivals(structure, task, inversion, at_norm)
        output = parts.output_problem()
        rows = [max(arrivals[j] for j in range(18) if row >> j & 1) for row in output.targets]
        depth = max(rows) + least_depth(output.targets)
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
        at_forms = least_depth(parts.input_problem(99).targets)
        forms = linear.minimise(parts.input_problem(at_forms), seconds=2 * seconds, seed=seed)
        two = least_depth(bits.sums)
        sums = linear.minimise(parts.norm_problem(two), seconds=seconds / 2, seed=seed)
        arrivals = _arrivals(structure, task, inversion, at_forms + 2 + two)
        depth = max(arrivals) + least_depth(parts.output_problem().targets)
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
    first = bases(structure)[:100]
    of = [Merged(structure, NO_TASK, NO_NORM, basis) for basis in first]
    costs = linear.estimate([m.input_problem() for m in of], tries=1, seed=seed)
    order = sorted(range(len(of)), key=lambda i: (costs[i].cost - sum(of[i].same), i))
    merged = [
        (Merged(structure, task, bits, first[i]), inversion, costs[i])
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


def columns_jobs(goal: Goal, end: float) -> Iterator[Job]:
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
