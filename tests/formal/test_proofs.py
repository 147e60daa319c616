"""Every proof of `formal/` holds, and fails with each of its mutants."""

from pathlib import Path

import pytest

from formal_proofs import FORMAL, Mutant, check, load
from roundsmith.errors import ToolError

NAMES = sorted(path.stem for path in FORMAL.glob("*.toml"))


def _marks(long: bool) -> list[pytest.MarkDecorator]:
    return [pytest.mark.long] if long else []


def test_each_proof_has_two_files() -> None:
    assert sorted(path.stem for path in FORMAL.glob("*_proof.sv")) == NAMES


@pytest.mark.parametrize(
    ("name", "values"),
    [
        pytest.param(name, each.values, id=f"{name}-{each.name}", marks=_marks(each.long))
        for name in NAMES
        for each in load(name).parameters
    ],
)
def test_the_proof_holds(name: str, values: list[str], tmp_path: Path) -> None:
    check(name, values, tmp_path)


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        pytest.param(name, each, id=f"{name}-{number}", marks=_marks(each.long))
        for name in NAMES
        for number, each in enumerate(load(name).mutant)
    ],
)
def test_the_mutant_is_refuted(name: str, mutant: Mutant, tmp_path: Path) -> None:
    values = load(name).values(mutant.parameters)
    with pytest.raises(ToolError, match="proof did fail"):
        check(name, values, tmp_path, mutant)
