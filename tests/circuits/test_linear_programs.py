"""The optimiser of XOR programs: what it returns is right, short, and within the depths."""

import random

import pytest

from roundsmith.base.errors import ToolError
from roundsmith.circuits import linear
from roundsmith.circuits.linear import Problem, Sums


def small_problems(count: int, inputs: int, targets: int) -> list[Problem]:
    rng = random.Random(1)
    return [
        Problem(inputs, tuple(rng.randrange(1, 1 << inputs) for _ in range(targets)))
        for _ in range(count)
    ]


#: a ^ b, a ^ b ^ c ^ d, and b ^ c ^ d: the last is the sum of the second and of input a.
PROBLEM = Problem(4, (0b0011, 0b1111, 0b1110))
SUMS = Sums(((0, 1), (2, 3), (4, 5), (6, 0)), (4, 6, 7))


def test_check_accepts_a_right_program_and_counts_it():
    linear.check(PROBLEM, SUMS)
    assert SUMS.cost == 4
    assert SUMS.depth(PROBLEM) == 3


@pytest.mark.parametrize(
    ("pairs", "outputs"),
    [
        (((0, 2), (2, 3), (4, 5), (6, 0)), (4, 6, 7)),  # another sum
        (((0, 1), (2, 3), (4, 7), (6, 0)), (4, 6, 7)),  # a signal of later
        (SUMS.pairs, (4, 6, 5)),  # another output
        (SUMS.pairs, (4, 6)),  # an output too few
    ],
)
def test_check_refuses_a_wrong_program(pairs, outputs):
    with pytest.raises(ValueError):
        linear.check(PROBLEM, Sums(pairs, outputs))


def test_check_refuses_a_target_that_is_too_deep():
    with pytest.raises(ValueError, match="depth 3"):
        linear.check(Problem(4, PROBLEM.targets, depth=2), SUMS)


def test_check_refuses_a_late_input_that_is_used_too_early():
    problem = Problem(3, (0b101,), late=((2, 0b011),))
    linear.check(problem, Sums(((0, 1), (0, 2)), (4, 3)))
    with pytest.raises(ValueError, match="too early"):
        linear.check(problem, Sums(((0, 2), (0, 1)), (3, 4)))


@pytest.mark.parametrize(
    "problem",
    [
        {"inputs": 65, "targets": (3,)},
        {"inputs": 2, "targets": (0,)},
        {"inputs": 2, "targets": (4,)},
        {"inputs": 2, "targets": (3,), "arrivals": (0,)},
        {"inputs": 3, "targets": (3,), "late": ((2, 3), (2, 1))},
    ],
)
def test_impossible_problems_are_refused(problem):
    with pytest.raises(ValueError):
        Problem(**problem)


@pytest.mark.parametrize(
    ("problem", "cost"),
    [
        (Problem(3, (0b001, 0b100)), 0),  # inputs are free
        (Problem(4, (0b1111, 0b1111)), 3),  # so is a second copy
        (PROBLEM, 4),
        # The example of Boyar, Matthews and Peralta: 5 with a cancellation, 6 without.
        (Problem(5, (0b00111, 0b01111, 0b11111, 0b11110)), 5),
        # All sums of three inputs, in Gray order, one addition each.
        (Problem(3, (0b011, 0b101, 0b110, 0b111)), 4),
        # 2 * x in the field of AES.
        (Problem(8, (128, 129, 2, 132, 136, 16, 32, 64)), 3),
    ],
)
def test_minimise_solves_what_is_known(problem, cost):
    found = linear.minimise(problem, seconds=0.1)
    linear.check(problem, found)
    assert found.cost == cost


def test_minimise_respects_the_depth_and_arrivals():
    chain = Problem(8, tuple((1 << k) - 1 for k in range(2, 9)))
    assert linear.minimise(chain, seconds=0.1).cost == 7
    bounded = Problem(8, chain.targets, depth=3)
    found = linear.minimise(bounded, seconds=0.3)
    assert found.depth(bounded) == 3
    assert found.cost == 12  # Sklansky's prefix circuit: 8 / 2 * 3
    late = Problem(4, (0b1111,), arrivals=(0, 0, 0, 2), depth=3)
    assert linear.minimise(late, seconds=0.1).depth(late) == 3
    with pytest.raises(ValueError, match="depths"):
        linear.minimise(Problem(4, (0b1111,), depth=1), seconds=0.1)


def test_minimise_respects_late_inputs():
    # Input 4 stands behind a gate on the sum of inputs 0 and 1.
    problem = Problem(5, (0b10100, 0b11111), late=((4, 0b00011),))
    found = linear.minimise(problem, seconds=0.1)
    assert found.cost == 4
    assert found.depth(problem) == 4
    assert found.pairs[0] == (0, 1)


def test_minimise_goes_on_from_a_start_and_never_gets_worse():
    problem = small_problems(1, 12, 12)[0]
    seen: list[int] = []
    first = linear.minimise(problem, seconds=0.2, progress=lambda sums: seen.append(sums.cost))
    assert seen == sorted(seen, reverse=True)
    assert seen[-1] == first.cost
    again = linear.minimise(problem, seconds=0.05, seed=2, start=first)
    assert again.cost <= first.cost


@pytest.mark.parametrize(("inputs", "targets"), [(8, 20), (18, 8)])
def test_estimate_is_near_a_longer_search(inputs, targets):
    problems = small_problems(5, inputs, targets)
    for problem, found in zip(problems, linear.estimate(problems, tries=2), strict=True):
        linear.check(problem, found)
        assert found.cost <= linear.minimise(problem, seconds=0.2).cost + 1


def test_estimate_takes_depths_and_late_inputs():
    problems = [
        Problem(8, ((1 << 8) - 1, 0b1111111), depth=3),
        Problem(5, (0b10100, 0b11111), late=((4, 0b00011),)),
        Problem(3, (0b100,)),
    ]
    costs = [sums.cost for sums in linear.estimate(problems, tries=3)]
    assert costs[1:] == [4, 0]


def test_a_missing_compiler_gives_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError, match="apt-get install g"):
        linear.minimise(PROBLEM, seconds=0.1)
