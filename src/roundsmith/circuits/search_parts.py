"""Parts of S-boxes, searched one by one: the inversion of the norm, and linear maps.

The inversion is searched for all of its bases, each for a short time; the linear maps of all
structures are only estimated.
"""

import random
from collections.abc import Iterable
from itertools import combinations, product
from math import ceil, log2
from typing import Any

from roundsmith.circuits import boolean, linear, norm
from roundsmith.circuits.boolean import Circuit, Gates, Step, Task
from roundsmith.circuits.norm import Inversion, Norm, Structure
from roundsmith.circuits.program import Kind
from roundsmith.circuits.sbox_assembly import Merged, Shallow
from roundsmith.circuits.search_goal import GATES, SHORT, Goal, Job, Objective, State

#: In place of an inversion and a norm where only the linear maps beside them count.
NO_TASK = Inversion((0, 0, 0, 0), (0, 1, 2))
NO_NORM = Norm((), (), ())

_INVERSION_DEPTH = 4
_CHUNK = 100  # structures in one job


# --- Inversions of the norm -----------------------------------------------------------------------


def inversion_jobs(goal: Goal, state: State) -> list[Job]:
    """Return a search for each inversion that has none yet."""
    tasks = [_key(task) for task in norm.inversions()]
    random.Random(goal.name).shuffle(tasks)
    gates = GATES[goal.objective]
    depth = _INVERSION_DEPTH if goal.objective is Objective.DEPTH else None
    seconds = SHORT * (2 if depth or gates is Gates.MUX else 1)
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


def circuit_of(steps: list[Any]) -> Circuit:
    """Return the circuit of an inversion as it is kept."""
    return Circuit(tuple(Step(Kind(kind), tuple(operands)) for kind, operands in steps), ())


def inversions_at(state: State, margin: int) -> dict[frozenset[int], list[tuple[Inversion, Any]]]:
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


def structure_jobs(goal: Goal, state: State) -> list[Job]:
    """Return estimates of the structures that have none yet, some in each job."""
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
        shallow = [Shallow(s, NO_TASK, NO_NORM) for s in chosen]
        return {
            str(i): [
                least_depth(s.input_problem(99).targets),
                least_depth(s.output_problem().targets),
            ]
            for i, s in zip(numbers, shallow, strict=True)
        }
    if direction == "both":
        into = [Merged(s, NO_TASK, NO_NORM, _light_basis(s)).input_problem() for s in chosen]
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
                str(i): [least_depth(p.targets), least_depth(_rows(q.targets))]
                for i, p, q in zip(numbers, into, out, strict=True)
            }
    costs = [sums.cost for sums in linear.estimate([*into, *out], tries=1)]
    return {
        str(i): [costs[k] + _raw_constants(s, direction), costs[k + len(chosen)]]
        for k, (i, s) in enumerate(zip(numbers, chosen, strict=True))
    }


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


def least_depth(vectors: Iterable[int]) -> int:
    """Return the levels of XOR gates that the longest of some sums takes."""
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


def bases(structure: Structure) -> list[tuple[int, ...]]:
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
