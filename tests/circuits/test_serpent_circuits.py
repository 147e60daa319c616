"""Serpent's S-boxes and linear transformation as circuits of the command."""

import json
import os
import subprocess
import sys
import tomllib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from roundsmith.circuits import listing, rtl_proof, serpent
from roundsmith.circuits.program import Kind, operation
from roundsmith.circuits.proof import ProofFailed
from roundsmith.flows import targets
from roundsmith.measure import find_circuit
from roundsmith.measure import measure_circuits as measure
from roundsmith.reference import serpent as reference
from roundsmith.report import circuits as report
from roundsmith.report import groups, serpent_sboxes

PROGRAM = Path(sys.executable).with_name("roundsmith")
OSU = targets.parse("asic:osu018")
SERPENT = [c for c in listing.everything() if c.cipher == "serpent"]
SBOXES = [c for c in SERPENT if c.kind == "sbox"]


def run(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PROGRAM, "circuits", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **env},
    )


def quietly(_step: str, _done: int, _all: int) -> None:
    pass


# --- The list -------------------------------------------------------------------------------


def test_every_sbox_of_every_construction_is_listed() -> None:
    assert Counter(c.group for c in SBOXES) == {
        f"serpent-sbox-{word}{ending}": 8
        for word in ("table", "minimal", "fast", "osvik")
        for ending in ("", "-inverse")
    }
    assert {c.module for c in SERPENT} == {
        *(path.stem for path in serpent.modules()),
        "rsm_serpent_linear",
    }
    assert [c.name for c in SERPENT if c.kind == "linear"] == [
        "serpent-linear",
        "serpent-linear-inverse",
    ]
    one = listing.find("serpent-sbox-minimal-3-inverse")
    assert (one.box, one.direction, one.origin) == (3, "inverse", "search")
    assert one.parameters(cut=True) == ("Box=3", "Width=1")
    assert list(listing.find("serpent-linear-inverse").parameters(cut=True)) == [
        "Inverse=1'd1",
        "Cut=1'd1",
    ]


def test_a_group_is_its_eight() -> None:
    assert [c.box for c in listing.named("serpent-sbox-fast-inverse")] == list(range(8))
    assert [c.name for c in listing.named("sbox-table")] == ["sbox-table"]


@pytest.mark.parametrize("inverse", [False, True])
def test_the_sums_of_the_linear_transformation_are_right(inverse: bool) -> None:
    """On every state of a basis, as they are all exclusive-or."""
    circuit = listing.find("serpent-linear-inverse" if inverse else "serpent-linear")
    operations = circuit.operations or ()
    assert {o.kind for o in operations} == {Kind.XOR, Kind.ALIAS}
    # Case k has bit k of the state alone.
    values = {f"x{k // 32}[{k % 32}]": 1 << k for k in range(128)}
    for o in operations:
        values[o.target] = o.apply(values, (1 << 128) - 1)
    transform = reference.transform_back if inverse else reference.transform
    for k in range(128):
        x0, x1, x2, x3 = ((1 << k) >> 32 * i & 0xFFFFFFFF for i in range(4))
        for i, word in enumerate(transform((x0, x1, x2, x3))):
            got = sum((values[f"y{i}[{bit}]"] >> k & 1) << bit for bit in range(32))
            assert got == word, k


@pytest.mark.parametrize("name", ["serpent-linear", "serpent-linear-inverse"])
def test_the_module_of_the_linear_transformation_has_as_many_gates(
    name: str, tmp_path: Path
) -> None:
    circuit = listing.find(name)
    gates = rtl_proof._Gates(circuit, False, tmp_path).operations
    assert Counter(g.kind for g in gates if g.kind is not Kind.ALIAS) == {
        Kind.XOR: report.describe(circuit, OSU)["gates"]
    }


# --- Proofs ---------------------------------------------------------------------------------

#: One S-box of each module, and the linear transformation: `test_serpent` proves all of them.
SOME = [*(SBOXES[8 * i + i] for i in range(8)), *(c for c in SERPENT if c.kind == "linear")]


@pytest.mark.parametrize("name", [c.name for c in SOME])
def test_a_module_is_right(name: str) -> None:
    rtl_proof.prove(listing.find(name))


@pytest.mark.parametrize(
    ("name", "text", "wrong", "sentence"),
    [
        (
            "serpent-sbox-minimal-0",
            "assign t4 = t0 ^ x2",
            "assign t4 = t0 ^ x1",
            "y_o is . instead",
        ),
        ("serpent-sbox-table-2-inverse", "f", "e", "y_o is . instead of . for"),
        ("serpent-linear", "rotate(x0, 13)", "rotate(x0, 12)", "differs on bit 0 of state_i"),
        ("serpent-linear-inverse", "^ (x1 << 7)", "| (x1 << 7)", "is not linear"),
    ],
)
def test_a_wrong_module_is_found(
    name: str, text: str, wrong: str, sentence: str, tmp_path: Path
) -> None:
    circuit = listing.find(name)
    head, module, body = circuit.path.read_text().partition("module rsm")
    if "table" in name:
        head, module, body = circuit.path.read_text().partition("// 3\n")
    path = tmp_path / circuit.path.name
    path.write_text(head + module + body.replace(text, wrong, 1))
    assert path.read_text() != circuit.path.read_text()
    with pytest.raises(ProofFailed, match=sentence):
        rtl_proof.prove(replace(circuit, path=path))
    if circuit.box == 0:
        rtl_proof.prove(replace(listing.find("serpent-sbox-minimal-1"), path=path))


# --- Measuring ------------------------------------------------------------------------------


def test_one_circuit_from_end_to_end(no_records: Path, two_scripts: None) -> None:
    one, other = listing.find("serpent-sbox-minimal-3"), listing.find("serpent-sbox-minimal-4")
    measure.measure([one], OSU, again=False, progress=quietly)
    row = report.describe(one, OSU)
    assert row["proved"] is True
    # Four outputs of four inputs each.
    assert (row["luts"], row["levels"], row["registers"]) == (4, 1, 0)
    assert set(row["families"]) == {"xcve", "xc3s", "ecp5"}  # type: ignore[call-overload]
    assert isinstance(row["ge"], float) and 15 < row["ge"] < 40
    assert (row["gates"], row["xor"], row["and"], row["other"]) == (14, 8, 2, 4)
    assert measure.current(other, None) is None and not measure.proved(other)
    assert measure.design_hash(one, "x") != measure.design_hash(other, "x")

    before = (no_records / "circuits.jsonl").read_text()
    measure.measure([one], OSU, again=False, progress=quietly)
    assert (no_records / "circuits.jsonl").read_text() == before


def test_every_circuit_has_its_records() -> None:
    for circuit in SERPENT:
        assert measure.proved(circuit), circuit.name
        assert measure.current(circuit, None) is not None, circuit.name
        assert measure.current(circuit, OSU) is not None, circuit.name


# --- Showing --------------------------------------------------------------------------------


def test_the_eight_are_shown_together_and_apart() -> None:
    rows = {c.name: report.describe(c, OSU) for c in listing.named("serpent-sbox-fast")}
    (sums,) = groups.together(rows.values())
    ours = [c for c in serpent.circuits() if c.goal == "depth" and not c.sbox.inverse]
    his = [c for c in serpent.published() if not c.sbox.inverse]
    assert sums["name"] == "serpent-sbox-fast" and sums["kind"] == "8 sboxes"
    assert sums["gates"] == sum(c.gates for c in ours)
    assert sums["depth"] == max(c.depth for c in ours)
    assert sums["ge"] == pytest.approx(sum(row["ge"] for row in rows.values()))  # type: ignore[misc]
    text = report.overview([sums]).markdown()
    assert f"{sum(c.gates for c in his)} gates, 11 deep (Osvik 2000)" in text
    seven = list(rows.values())[1:]
    assert groups.together(seven) == seven
    assert (
        f"{his[1].gates} gates, {his[1].depth} deep (Osvik 2000)"
        in (report.overview(seven).markdown().splitlines()[2])
    )


def test_the_list_has_a_row_for_eight_and_the_json_has_all(no_records: Path) -> None:
    env = {"ROUNDSMITH_RECORDS": str(no_records)}
    rows = json.loads(run("--json", **env).stdout)
    assert {r["name"] for r in rows if r["cipher"] == "serpent"} == {c.name for c in SERPENT}
    shown = [line.split()[0] for line in run(**env).stdout.splitlines() if line.strip()]
    assert "serpent-sbox-osvik-inverse" in shown and "serpent-sbox-osvik-0-inverse" not in shown
    each = [line.split()[0] for line in run("--each", **env).stdout.splitlines() if line.strip()]
    assert each[1:] == [r["name"] for r in rows]


def test_the_table_has_every_sbox_and_its_sums() -> None:
    grid = serpent_sboxes.grid()
    assert len(grid.rows) == 18
    totals = [row for row in grid.rows if row[0].startswith("all")]
    assert [row[1] for row in totals] == ["105", "105"]
    for row in grid.rows:
        assert row[-1] == f"{int(row[7]) - int(row[1])} fewer gates"
        assert "–" not in row


# --- The search -----------------------------------------------------------------------------


def test_a_search_prints_what_it_found_and_changes_no_file(tmp_path: Path) -> None:
    before = serpent.DATA.read_text()
    out = tmp_path / "found.toml"
    name = "serpent-sbox-minimal-2-inverse"
    answer = run("search", name, "--minutes", "0.02", "--fresh", "-o", str(out))
    assert answer.returncode == 0, answer.stderr
    assert f"{name}: " in answer.stdout
    assert "proved: equal to the inverse of S-box 2 of Serpent" in answer.stdout
    lines = tomllib.loads(out.read_text())["gates"]["inverse-2"].strip().splitlines()
    found = serpent.Circuit(serpent.Sbox(2, True), "gates", tuple(map(operation, lines)))
    serpent.prove(found)
    # That of the list has 12; a second from nothing gives 14 at most, on any machine.
    assert found.gates <= 14
    assert serpent.DATA.read_text() == before


def test_a_search_goes_on_from_the_list() -> None:
    wanted = find_circuit.wish("serpent-sbox-fast-inverse", None, None, None)
    found = find_circuit.run(wanted, 0.01, None, progress=quietly)
    listed = [c for c in serpent.circuits() if c.goal == "depth" and c.sbox.inverse]
    circuits = tomllib.loads(found.text)["depth"]
    assert list(circuits) == [c.sbox.name for c in listed]
    for circuit in listed:
        lines = circuits[circuit.sbox.name].strip().splitlines()
        better = serpent.Circuit(circuit.sbox, "depth", tuple(map(operation, lines)))
        serpent.prove(better)
        assert (better.depth, better.gates) <= (circuit.depth, circuit.gates)
    assert len(found.lines) == 16


def test_a_name_says_what_the_options_of_aes_say() -> None:
    wanted = find_circuit.wish("sbox-cells-both", None, None, None)
    assert (wanted.objective, wanted.kind, wanted.direction) == ("ge", "sbox", "both")
    wanted = find_circuit.wish("mix-fast", None, None, None)
    assert (wanted.objective, wanted.kind, wanted.direction) == ("depth", "mix", "forward")


# --- Mistakes -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["measure", "serpent-sbox-minimal-8"], "There is no circuit 'serpent-sbox-minimal-8'; "),
        (["measure", "serpent-sbox"], "each S-box of Serpent by its number: serpent-sbox-min"),
        (["search", "serpent-sbox-minimal-8"], "There is no circuit 'serpent-sbox-minimal-8'; "),
        (["search", "serpent-sbox-osvik"], "serpent-sbox-osvik comes from no search; there is "),
        (["search", "serpent-sbox-fast", "--minutes", "0"], "A search needs more than 0 minutes"),
        (["search", "serpent-sbox-fast", "--jobs", "2"], "is one process and knows no cells; "),
        (["search", "sbox-fast", "--kind", "sbox"], "A name says objective, kind and direction; "),
    ],
)
def test_a_mistake_is_one_sentence(arguments: list[str], sentence: str) -> None:
    answer = run(*arguments)
    assert answer.returncode == 2
    assert answer.stderr.startswith("error: ") and sentence in answer.stderr
    assert answer.stderr.count("\n") == 1
