"""Circuits of four-input lookup tables: right on every byte, to the last entry of every table."""

from dataclasses import replace

import pytest

from roundsmith.base.errors import RoundsmithError
from roundsmith.base.paths import RTL
from roundsmith.circuits import lut_circuit, lut_search, sbox_table
from roundsmith.circuits.lut_circuit import Lut, LutCircuit, LutStage
from roundsmith.circuits.proof import ProofFailed

CIRCUITS = lut_circuit.everything()
IDS = [circuit.name for circuit in CIRCUITS]
DIRECTIONS = {"forward": (False,), "inverse": (True,), "both": (False, True)}

every_circuit = pytest.mark.parametrize("circuit", CIRCUITS, ids=IDS)


def values(circuit: LutCircuit) -> tuple[dict[str, int], int]:
    """Every signal on every byte in every direction, and a one for each case."""
    cases = [(x, inverse) for inverse in DIRECTIONS[circuit.direction] for x in range(256)]
    ones = (1 << len(cases)) - 1
    found = {f"x[{i}]": sum((x >> i & 1) << k for k, (x, _) in enumerate(cases)) for i in range(8)}
    if circuit.direction == "both":
        found["inverse"] = sum(inverse << k for k, (_, inverse) in enumerate(cases))
    return circuit.evaluate(found, ones), ones


def changed(circuit: LutCircuit, signal: str, pattern: int) -> LutCircuit:
    """Return the circuit with one entry of the table of `signal` inverted."""
    stages = tuple(
        LutStage(
            stage.title,
            tuple(
                replace(lut, table=lut.table ^ 1 << pattern) if lut.signal == signal else lut
                for lut in stage.luts
            ),
        )
        for stage in circuit.stages
    )
    return replace(circuit, stages=stages)


def test_circuits_are_kept():
    assert {circuit.direction for circuit in CIRCUITS} >= {"inverse", "both"}


@every_circuit
def test_a_kept_circuit_is_right(circuit):
    lut_circuit.prove(circuit)
    found, _ = values(circuit)
    outputs = [
        sum((found[f"y[{i}]"] >> k & 1) << i for i in range(8))
        for k in range(256 * len(DIRECTIONS[circuit.direction]))
    ]
    tables = {
        "forward": sbox_table.sbox(),
        "inverse": sbox_table.inverse_sbox(),
        "both": sbox_table.sbox() + sbox_table.inverse_sbox(),
    }
    assert tuple(outputs) == tables[circuit.direction]


@every_circuit
def test_a_kept_circuit_is_as_small_as_it_was_found(circuit):
    assert circuit.cost <= {"forward": 45, "inverse": 44, "both": 56}[circuit.direction]


@every_circuit
def test_one_changed_entry_is_noticed(circuit):
    """Each entry matters, but the inverse of the norm zero, which is multiplied with zero."""
    found, ones = values(circuit)
    for lut in circuit.luts:
        for pattern in range(1 << len(lut.inputs)):
            match = ones
            for i, name in enumerate(lut.inputs):
                match &= found[name] if pattern >> i & 1 else ~found[name]
            free = match == 0 or (lut.signal.startswith("d[") and match.bit_count() <= 2)
            wrong = changed(circuit, lut.signal, pattern)
            if free:
                lut_circuit.prove(wrong)
            else:
                with pytest.raises(ProofFailed):
                    lut_circuit.prove(wrong)


@every_circuit
def test_few_entries_do_not_matter(circuit):
    found, ones = values(circuit)
    free = 0
    for lut in circuit.luts:
        for pattern in range(1 << len(lut.inputs)):
            match = ones
            for i, name in enumerate(lut.inputs):
                match &= found[name] if pattern >> i & 1 else ~found[name]
            free += match == 0
    assert free <= 8


@every_circuit
def test_the_file_is_what_the_circuit_says(circuit):
    assert lut_circuit.loads(circuit.dumps()) == circuit
    assert (lut_circuit.LUT_PROGRAMS / f"{circuit.name}.json").read_text() == circuit.dumps()
    name = lut_circuit.module_name(circuit)
    text = lut_search.modules()[name]
    assert (RTL / "aes" / "sbox" / f"{name}.sv").read_text() == text
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize("inverse", [False, True, None], ids=["forward", "inverse", "both"])
def test_a_short_search_finds_something_right(inverse):
    seen: list[LutCircuit] = []
    found = lut_search.search(inverse, seconds=5, seed=3, progress=seen.append)
    lut_circuit.prove(found)
    assert seen[-1] == found
    ranks = [(circuit.cost, circuit.depth) for circuit in seen]
    assert ranks == sorted(set(ranks), reverse=True)
    assert found.cost <= (70 if inverse is None else 52)


def test_what_is_no_circuit_is_refused():
    with pytest.raises(ValueError, match="one to four"):
        LutCircuit("a", "forward", "", (LutStage("", (Lut("s", (), 0),)),))
    with pytest.raises(ValueError, match="before"):
        LutCircuit("a", "forward", "", (LutStage("", (Lut("s", ("t",), 1),)),))
    with pytest.raises(ValueError, match="stages"):
        lut_circuit.loads('{"name": "a"}')
    with pytest.raises(RoundsmithError, match="no circuit"):
        lut_circuit.load("nothing")
