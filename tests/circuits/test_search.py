"""The search for circuits: its parts give programs that are proved, and it resumes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from roundsmith.base.errors import RoundsmithError
from roundsmith.circuits import norm, proof, search, search_goal, search_parts, search_programs
from roundsmith.circuits.program import Kind, Program, loads
from roundsmith.circuits.search_goal import GATES, Goal, Objective, State

AREAS = dict.fromkeys(Kind, 1.0) | {Kind.XOR: 2.25, Kind.XNOR: 2.25, Kind.MUX: 2.0}

#: A structure whose linear maps are short in every direction, and an inversion that fits it.
NUMBER = 4367


def find(direction: str, objective: Objective) -> Program:
    """Put one S-box together as a job of the search does, with the first inversion that fits."""
    goal = Goal("sbox", direction, objective, AREAS if objective is Objective.GE else {})
    structure = norm.structures()[NUMBER]
    short = set(structure.short)
    key, task = next(
        (search_parts._key(first), same)
        for first, all_ in norm.inversions().items()
        for same in all_
        if set(same.points) == set(structure.triple) and short.issuperset(same.inputs)
    )
    depth = 5 if objective is Objective.DEPTH else None
    steps = search_parts._find_inversion(key, GATES[objective], depth, 1.0)
    text = search_programs._find_program(goal, structure, [(task, steps)], 0.2, 1)
    return loads(text)


@pytest.mark.parametrize("direction", ["forward", "inverse", "both"])
def test_the_parts_make_an_sbox_of_few_gates(direction: str) -> None:
    program = find(direction, Objective.GATES)
    proof.prove(program)
    assert program.direction == direction
    allowed = {Kind.XOR, Kind.XNOR, Kind.AND, Kind.NOT, Kind.MUX}
    assert set(program.counts()) <= allowed
    assert program.gates < {"forward": 118, "inverse": 122, "both": 155}[direction]


@pytest.mark.parametrize("direction", ["forward", "inverse"])
def test_the_parts_make_a_shallow_sbox(direction: str) -> None:
    program = find(direction, Objective.DEPTH)
    proof.prove(program)
    assert program.depth <= 17


def test_the_parts_make_an_sbox_for_cells() -> None:
    program = find("forward", Objective.GE)
    proof.prove(program)
    assert Kind.NAND in program.counts()


@pytest.mark.parametrize("direction", ["forward", "inverse", "both"])
def test_columns_of_few_gates(direction: str) -> None:
    goal = Goal("mix", direction, Objective.GATES)
    program = loads(search_programs._find_columns(goal, False, 1.0, 1))
    proof.prove(program)


def test_a_shallow_column() -> None:
    program = loads(
        search_programs._find_columns(Goal("mix", "forward", Objective.DEPTH), True, 1.0, 1)
    )
    assert program.depth == 3


def test_every_norm_is_right_with_and_without_squares() -> None:
    structure = norm.structures()[NUMBER]
    eta = structure.short[:1]
    for twist in ((0, 0, 0), (1, 2, 0)):
        for bits in (structure.norm(eta, twist), structure.norm_without_squares(eta, twist)):
            for x in range(256):
                values = [(mask & x).bit_count() & 1 for mask in structure.forms]
                total = (bits.squares[0] & x).bit_count() & 1
                for j, (kind, a, b) in enumerate(bits.products):
                    if bits.sums[0] >> j & 1:
                        p, q = values[a], values[b]
                        total ^= {
                            Kind.AND: p & q,
                            Kind.ANDNOT: p & (1 - q),
                            Kind.OR: p | q,
                        }[kind]
                assert total == norm.trace(norm.times(eta[0], norm.power(x, 17)), 4)


def test_the_inversions_are_all_and_the_structures_too() -> None:
    tasks = norm.inversions()
    assert sum(map(len, tasks.values())) == 840 * 10
    for first, same in tasks.items():
        assert all(sorted(other.tables()) == sorted(first.tables()) for other in same[:3])
    assert len(set(norm.structures())) == 6800


def test_a_search_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_goal, "cache_dir", lambda: tmp_path)
    goal = Goal("mix", "forward", Objective.GATES)
    first = search.search(goal, minutes=0.05, jobs=1)
    (state,) = (tmp_path / "search").iterdir()
    assert json.loads(state.read_text())["best"] == first.dumps()
    again = search.search(goal, minutes=0.001, jobs=1)
    assert goal.score(again) <= goal.score(first)
    assert State.of(goal, fresh=True).best == ""


def test_nothing_found_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_goal, "cache_dir", lambda: tmp_path)
    with pytest.raises(RoundsmithError, match="has found no circuit yet"):
        search.search(Goal("sbox", "both", Objective.GATES), minutes=0.0001, jobs=1)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--objective", "beauty"], "'beauty' is no objective of a search"),
        (["--kind", "sbx"], "'sbx' is no kind of a search"),
        (["--direction", "up"], "'up' is no direction of a search"),
        (["--minutes", "0"], "needs more than 0 minutes"),
        (["--objective", "luts", "--kind", "mix"], "'luts' is for S-boxes"),
        (["-o", "no/such/folder/found.toml"], "is not there; make it, or name another"),
    ],
)
def test_bad_options_get_one_sentence(option: list[str], message: str) -> None:
    command = [Path(sys.executable).with_name("roundsmith"), "circuits", "search", *option]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 2
    assert message in answer.stderr
    assert "Traceback" not in answer.stderr


@pytest.mark.long
def test_two_minutes_from_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_goal, "cache_dir", lambda: tmp_path)
    goal = Goal("sbox", "forward", Objective.GATES)
    assert search.search(goal, minutes=2).gates <= 113
