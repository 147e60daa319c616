"""The search for S-boxes with the fewest four-input lookup tables (LUT4).

Every structure of `norm` is five steps of lookup tables. Sums of input bits: f1 and f2 at three
points, two bits each. The norm: four sums of products of these. The inversion: D = N^-1 at three
points, six tables of four inputs. Twelve tables for two bits of six products f * D in GF(2^2); a
table has room for any basis. Sums of these for the output.

In a circuit of both directions the element that is inverted may be c * e^(2^j) when the direction
is inverse, e being the element that the structure would take: another 2,040 choices. A sum is then
a pair of sums, and a table that takes the direction selects among three signals.

The sums are searched for by `lut_sums.cpp`; `lut_norm` finds the tables of the norm, and
`lut_builder` makes the circuit.

Found circuits are kept in `lut_programs/`. Run as a program with the name of one, this writes its
module to standard output.
"""

import itertools
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from roundsmith.base.errors import ToolError
from roundsmith.circuits import lut_circuit, norm
from roundsmith.circuits.lut_builder import assembled, depth_of
from roundsmith.circuits.lut_circuit import LutCircuit
from roundsmith.circuits.lut_task import Group, Task, forms, input_groups, output_groups
from roundsmith.circuits.norm import GF4, times
from roundsmith.tools import compiler

_SOURCE = Path(__file__).with_name("lut_sums.cpp")

#: LUT4s of a circuit apart from its sums: norm, inversion and products.
_FIXED = 9 + 6 + 12


def _sums(
    problems: Sequence[Sequence[Group]], bits: int, dual: bool, tries: int, seed: int, limit: int
) -> list[list[int] | None]:
    """Return what the tables of each problem compute, in order; None without a program."""
    lines = [f"{bits} {int(dual)} {tries} {seed} {limit}"]
    for groups in problems:
        lines.append(str(len(groups)))
        lines += [" ".join(map(str, (need, len(s), *s))) for need, s in groups]
    done = subprocess.run(
        [compiler.build(_SOURCE)],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ToolError(f"The search for sums ended with {done.returncode}.")
    found = [[int(x) for x in line.split()] for line in done.stdout.splitlines()]
    return [None if numbers[0] < 0 else numbers[1:] for numbers in found]


def _single_tasks(inverse: bool, rng: random.Random) -> Iterator[list[Task]]:
    """Yield all structures, those with the cheapest sums of input bits first."""
    masks = forms(inverse)
    tasks = [Task(s, inverse) for s in norm.structures()]
    rng.shuffle(tasks)

    def tables(task: Task) -> float:
        """Two sums of each point, where a bit is free and more than four bits are deep."""
        cost = [
            (0.0, 1.0, 1.1)[(n > 1) + (n > 4)]
            for n in (masks[u].bit_count() for u in task.structure.labels)
        ]
        return sum(sum(sorted(cost[i : i + 3])[:2]) for i in range(0, 18, 3))

    tasks.sort(key=tables)
    for i in range(0, len(tasks), 20):
        yield tasks[i : i + 20]


def _both_tasks(rng: random.Random) -> Iterator[list[Task]]:
    """Yield the best structures for some c and j at a time.

    They are ranked by how many sums take one table and how many products each output needs.
    """
    structures = norm.structures()
    classes = [norm.EXP[i] for i in range(85)]
    place = {u: norm.LOG[u] % 85 for u in range(1, 256)}
    points = np.array([[place[s.labels[3 * i]] for i in range(6)] for s in structures])
    factors = np.array([[place[a] for a in Task(s, None).factors] for s in structures])
    twists = [(c, j) for c in range(1, 256) for j in range(8)]
    rng.shuffle(twists)
    # The first few at once, so that a short search finds something; then most of them, ranked.
    for chunk in (twists[:8], twists[8:160], twists[160:]):
        ranked: list[tuple[float, Task]] = []
        for c, j in chunk:
            task = Task(structures[0], None, c, j)
            sums = np.array([_sum_score(task, a) for a in classes])[points].sum(1)
            outputs = np.array([_outputs_of(task, a) for a in classes])[factors].sum(1)
            score = sums + 0.8 * outputs
            ranked += [
                (float(score[i]), Task(structures[int(i)], None, c, j))
                for i in np.argsort(score)[:40]
            ]
        ranked.sort(key=lambda item: item[0])
        for i in range(0, 5 * len(chunk), 20):
            yield [task for _, task in ranked[i : i + 20]]


def _sum_score(task: Task, a: int) -> float:
    """Return about how many tables the best two of the three sums at a point take."""
    scores = []
    for g in GF4:
        one, other = (task.label(times(a, g), inverse) for inverse in task.directions)
        width = (one | other).bit_count()
        free = one == other and width == 1
        scores.append(0.0 if free else (1.0, 1.35, 1.6, 1.8)[min(3, max(0, width - 3))])
    return sum(sorted(scores)[:2])


def _outputs_of(task: Task, a: int) -> int:
    """Return to how many outputs a product adds, in one direction or the other."""
    found = 0
    for g in GF4:
        for inverse in task.directions:
            found |= task.column(times(a, g), inverse)
    return found.bit_count()


def search(
    inverse: bool | None,
    *,
    seconds: float,
    seed: int = 1,
    progress: Callable[[LutCircuit], None] | None = None,
) -> LutCircuit:
    """Search for about `seconds` and return the smallest S-box found, proved on all bytes.

    `inverse` is the direction, None for a circuit of both. `progress` is called with each
    improvement. The search starts from nothing; it always returns a circuit, even if that takes
    a few seconds more.
    """
    end = time.monotonic() + seconds
    rng = random.Random(seed)
    best: LutCircuit | None = None
    tasks = itertools.chain.from_iterable(
        _both_tasks(rng) if inverse is None else _single_tasks(inverse, rng)
        for _ in itertools.count()
    )
    try:
        while best is None or time.monotonic() < end:
            for circuit in _circuits(next(tasks), best, rng):
                lut_circuit.prove(circuit)
                best = circuit
                if progress is not None:
                    progress(best)
                if time.monotonic() > end:
                    break
    except KeyboardInterrupt:
        if best is None:
            raise
    return best


def _circuits(
    tasks: Sequence[Task], best: LutCircuit | None, rng: random.Random
) -> Iterator[LutCircuit]:
    """Yield at most one circuit better than `best`: fewer tables, or as many and less depth."""
    dual = tasks[0].inverse is None
    limit = 40 if best is None else best.cost - _FIXED
    depth = 99 if best is None else best.depth
    problems = [input_groups(task) for task in tasks]
    found = _sums(problems, 8, dual, 12, rng.getrandbits(30), min(16, limit - 8))
    candidates = []
    for task, inputs in zip(tasks, found, strict=True):
        if inputs is None:
            continue
        choices = output_groups(task, 12 if dual else 24)
        problems = [groups for _, groups in choices]
        longest = min(20, limit - len(inputs))
        programs = _sums(problems, 12, dual, 4, rng.getrandbits(30), longest)
        for (omitted, _), outputs in zip(choices, programs, strict=True):
            if outputs is None or len(inputs) + len(outputs) > limit:
                continue
            # The norm is two tables deep, the inversion and the products one each.
            deep = 4 + depth_of(inputs, 8, dual) + depth_of(outputs, 12, dual)
            rank = len(inputs) + len(outputs), deep
            if rank < (limit, depth):
                limit = rank[0]
                candidates.append((rank, task, inputs, omitted, outputs))
    for _, task, inputs, omitted, outputs in sorted(candidates, key=lambda c: c[0]):
        made = assembled(task, inputs, omitted, outputs)
        if made is not None and (best is None or (made.cost, made.depth) < (best.cost, best.depth)):
            yield made
            return


def modules() -> dict[str, str]:
    """Return the text of every module that is kept, by the module's name."""
    return {
        lut_circuit.module_name(circuit): lut_circuit.module_text(
            circuit, f"python -m roundsmith.circuits.lut_search {circuit.name}"
        )
        for circuit in lut_circuit.everything()
    }


if __name__ == "__main__":
    sys.stdout.write(modules()[lut_circuit.module_name(lut_circuit.load(sys.argv[1]))])
