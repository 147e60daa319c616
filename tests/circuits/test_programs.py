"""Straight-line programs: each is proved, no operation of one can change unnoticed."""

import re
from collections import Counter
from dataclasses import replace
from itertools import product

import pytest

from roundsmith.base.errors import RoundsmithError
from roundsmith.circuits import program, proof, sbox_table, writer
from roundsmith.circuits.program import Kind, Operation, Program, Stage

PROGRAMS = program.everything()
NAMES = [p.name for p in PROGRAMS]

#: Each kind with what it might be mistaken for.
MISTAKES = {
    Kind.XOR: (Kind.XNOR, Kind.AND),
    Kind.XNOR: (Kind.XOR, Kind.NAND),
    Kind.AND: (Kind.NAND, Kind.XOR),
    Kind.NAND: (Kind.AND, Kind.XNOR),
    Kind.OR: (Kind.NOR, Kind.AND),
    Kind.NOR: (Kind.OR, Kind.NAND),
    Kind.ANDNOT: (Kind.ORNOT, Kind.AND),
    Kind.ORNOT: (Kind.ANDNOT, Kind.OR),
    Kind.NOT: (Kind.ALIAS,),
    Kind.ALIAS: (Kind.NOT,),
}


def find(name: str) -> Program:
    return next(p for p in PROGRAMS if p.name == name)


def with_operation(original: Program, index: int, changed: Operation) -> Program:
    stages = []
    for stage in original.stages:
        operations = list(stage.operations)
        if 0 <= index < len(operations):
            operations[index] = changed
        index -= len(operations)
        stages.append(Stage(stage.title, tuple(operations)))
    return replace(original, stages=tuple(stages))


@pytest.mark.parametrize("name", NAMES)
def test_every_program_is_proved(name: str) -> None:
    proof.prove(find(name))


@pytest.mark.parametrize("name", NAMES)
def test_no_operation_can_change_unnoticed(name: str) -> None:
    original = find(name)
    for index, operation in enumerate(original.operations):
        if operation.kind is Kind.MUX:
            select, one, zero = operation.operands
            changes = [replace(operation, operands=(select, zero, one))]
        else:
            changes = [replace(operation, kind=kind) for kind in MISTAKES[operation.kind]]
        for changed in changes:
            with pytest.raises(proof.ProofFailed):
                proof.prove(with_operation(original, index, changed))


@pytest.mark.parametrize("name", NAMES)
def test_the_module_is_that_of_the_program(name: str) -> None:
    p = find(name)
    text = writer.path(p).read_text()
    assert text == writer.module_text(p), "`make docs` writes it again"
    assert f"{p.gates} gates" in text.replace("\n//", "")


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_read_and_written_without_loss(name: str) -> None:
    p = find(name)
    assert program.loads(p.dumps()) == p


@pytest.mark.parametrize("name", NAMES)
def test_the_counts_are_those_of_the_lines(name: str) -> None:
    text = (program.PROGRAMS / f"{name}.toml").read_text()
    lines = [line for line in text.splitlines() if re.match(r"[a-z]\w*(\[\d+\])? = [^\"']*$", line)]
    wires = [line for line in lines if re.fullmatch(r"\S+ = \w+(\[\d+\])?", line)]
    p = find(name)
    assert len(lines) - len(wires) == p.gates
    counts: Counter[Kind] = p.counts()
    mixed = sum("^" in line for line in lines)
    assert counts[Kind.XOR] + counts[Kind.XNOR] == mixed


def test_every_kind_is_written_and_computed_alike() -> None:
    for kind in Kind:
        count = {Kind.NOT: 1, Kind.ALIAS: 1, Kind.MUX: 3}.get(kind, 2)
        operation = Operation("t", kind, ("a", "b", "c")[:count])
        assert program.operation(str(operation)) == operation
        python = operation.expression.replace("~", "1 ^ ")
        if kind is Kind.MUX:
            python = "b if a else c"
        for values in product((0, 1), repeat=count):
            signals = dict(zip("abc", values, strict=False))
            # `1 ^ b` must bind before `&` and `|`.
            python_ = re.sub(r"1 \^ (\w)\b", r"(1 ^ \1)", python)
            assert operation.apply(signals, 1) & 1 == eval(python_, {}, signals), kind


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("y[0] = x[0] + x[1]", "is no operation"),
        ("y[0] = x[0] ^ z[1]", "uses z[1] before"),
        ("x[0] = x[0] ^ x[1]", "a second time"),
    ],
)
def test_a_broken_line_gets_one_sentence(line: str, message: str) -> None:
    text = find("sbox-gf4").dumps().replace("program = '''\n", f"program = '''\n{line}\n", 1)
    with pytest.raises(ValueError, match=re.escape(message)):
        program.loads(text)


def test_a_broken_file_gets_one_sentence(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "broken.toml"
    path.write_text("kind = 'sbox'\n")
    with pytest.raises(RoundsmithError, match="is no program of a circuit: 'stage' is missing"):
        program.load(path)


def test_a_table_is_that_of_the_definition() -> None:
    assert proof.table(find("sbox-gf4"), False) == sbox_table.sbox()


def test_a_column_circuit_that_is_not_linear_is_refused() -> None:
    original = find("mix-direct")
    first = original.operations[0]
    with pytest.raises(proof.ProofFailed, match="is not linear"):
        proof.prove(with_operation(original, 0, replace(first, kind=Kind.AND)))
