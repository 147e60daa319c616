"""Searches for short circuits: known minima are reached, and no wrong circuit passes the check."""

import shutil

import pytest

from roundsmith.circuits import boolean, norm
from roundsmith.circuits.boolean import Circuit, Gates, Step, Task
from roundsmith.circuits.program import Kind

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")

X = [sum((k >> i & 1) << k for k in range(16)) for i in range(4)]  # the inputs' tables
ONES = 0xFFFF
FULL_ADDER = (0b10010110, 0b11101000)  # sum and carry of three bits
INVERSION = tuple(next(iter(norm.inversions())).tables())

# Biham, Anderson, Knudsen, "Serpent", 1998: S0.
SERPENT = (3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12)
SERPENT_BITS = tuple(sum((y >> i & 1) << x for x, y in enumerate(SERPENT)) for i in range(4))


def test_check_refuses_what_is_wrong() -> None:
    task = Task((X[0] & X[1] ^ X[2],), gates=Gates.XOR_AND, depth=2)
    good = Circuit((Step(Kind.AND, (0, 1)), Step(Kind.XOR, (4, 2))), (5,))
    boolean.check(task, good)
    wrong = {
        "not its target": Circuit((good.steps[0], Step(Kind.XNOR, (4, 2))), (5,)),
        "uses a signal before": Circuit((Step(Kind.AND, (0, 5)), good.steps[1]), (5,)),
        "which 'xor-and' has not": Circuit(
            (Step(Kind.NAND, (0, 1)), Step(Kind.XNOR, (4, 2))), (5,)
        ),
        "has 1 operands": Circuit((Step(Kind.AND, (0,)), good.steps[1]), (5,)),
        "outputs for 1 targets": Circuit(good.steps, (5, 5)),
        "2 inputs": Circuit(good.steps, (5,), inputs=2),
    }
    for message, circuit in wrong.items():
        with pytest.raises(ValueError, match=message):
            boolean.check(task, circuit)
    with pytest.raises(ValueError, match="the depth is 2, more than 1"):
        boolean.check(Task(task.targets, depth=1), good)
    with pytest.raises(ValueError, match="the depth is 5, more than 4"):
        boolean.check(Task(task.targets, depth=4, arrivals=(3, 0, 0, 0)), good)


@pytest.mark.parametrize("task", [((0,), 4), ((ONES,), 4), ((16,), 2), ((2,), 5)])
def test_tasks_out_of_range_are_refused(task: tuple[tuple[int, ...], int]) -> None:
    with pytest.raises(ValueError):
        Task(task[0], task[1])


@pytest.mark.parametrize(
    ("targets", "inputs", "gates", "known"),
    [
        (FULL_ADDER, 3, Gates.XOR_AND, 5),
        (FULL_ADDER, 3, Gates.ALL, 5),
        (FULL_ADDER, 3, Gates.MUX, 3),
        (INVERSION, 4, Gates.XOR_AND, 21),
        (INVERSION, 4, Gates.MUX, 15),
        (SERPENT_BITS, 4, Gates.ALL, 18),
        # Inputs, complements of inputs and complements of each other.
        ((X[0], X[0] ^ ONES), 4, Gates.ALL, 1),
        ((X[0] & X[1], X[0] & X[1] ^ ONES), 4, Gates.ALL, 2),
        ((X[0] ^ X[1], X[0] ^ X[1] ^ ONES), 4, Gates.XOR_AND, 2),
        ((X[0] & X[1] | X[2] & ~X[0], ONES ^ (X[0] & X[1] | X[2] & ~X[0])), 4, Gates.MUX, 2),
        ((0b01,), 1, Gates.ALL, 1),
    ],
)
def test_known_sizes_are_reached(
    targets: tuple[int, ...], inputs: int, gates: Gates, known: int
) -> None:
    task = Task(targets, inputs, gates)
    found = boolean.minimise(task, seconds=20, stop_at=known)
    boolean.check(task, found)
    assert found.cost <= known


@pytest.mark.parametrize("gates", Gates)
def test_every_target_has_its_polarity(gates: Gates) -> None:
    # The check is exact; both polarities of the same functions must come out of it.
    for flips in (0b000000000, 0b111111111, 0b011010110):
        targets = tuple(t ^ (ONES if flips >> i & 1 else 0) for i, t in enumerate(INVERSION))
        task = Task(targets, gates=gates)
        found = boolean.minimise(task, seconds=0.4)
        tables = found.tables()
        assert tuple(tables[k] for k in found.outputs) == targets
        assert {step.kind for step in found.steps} <= gates.kinds
        if gates is Gates.MUX:
            assert any(step.kind is Kind.MUX for step in found.steps)


@pytest.mark.parametrize("gates", Gates)
def test_depth_bounds_and_arrivals_are_kept(gates: Gates) -> None:
    for depth, arrivals in ((4, ()), (5, ()), (7, (3, 0, 0, 0)), (6, (0, 2, 1, 0))):
        task = Task(INVERSION, gates=gates, depth=depth, arrivals=arrivals)
        found = boolean.minimise(task, seconds=0.4)
        assert found.depth(arrivals) <= depth


def test_impossible_depths_are_refused() -> None:
    for task in (
        Task(INVERSION, depth=1),
        Task((X[0],), depth=2, arrivals=(3, 0, 0, 0)),
        Task((X[0] ^ ONES,), depth=0),
    ):
        with pytest.raises(ValueError, match="depth"):
            boolean.minimise(task, seconds=0.2)


@pytest.mark.parametrize("gates", Gates)
def test_a_search_goes_on_from_its_start(gates: Gates) -> None:
    task = Task(INVERSION, gates=gates)
    first = boolean.minimise(task, seconds=0.5)
    seen: list[Circuit] = []
    second = boolean.minimise(task, seconds=0.2, seed=2, start=first, progress=seen.append)
    assert (second.cost, second.depth()) <= (first.cost, first.depth())
    assert all((c.cost, c.depth()) < (first.cost, first.depth()) for c in seen)
    assert boolean.minimise(task, seconds=9, start=first, stop_at=first.cost) is first
    with pytest.raises(ValueError, match="not its target"):
        boolean.minimise(Task(INVERSION[::-1], gates=gates), seconds=1, start=first)
