"""Circuits are listed, proved, measured and shown; what is stale does not count."""

import csv
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from roundsmith.base import svg
from roundsmith.base.errors import RoundsmithError
from roundsmith.base.paths import DATA
from roundsmith.circuits import cells, listing, luts, rtl_proof
from roundsmith.circuits.cells import Netlist
from roundsmith.circuits.listing import Circuit
from roundsmith.circuits.proof import ProofFailed
from roundsmith.flows import targets
from roundsmith.measure import measure_circuits as measure
from roundsmith.records import records
from roundsmith.records.records import CircuitMeasurement
from roundsmith.report import circuits as report
from roundsmith.report import papers, sboxes
from roundsmith.tools import liberty, opensta, process, yosys

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(sys.executable).with_name("roundsmith")
OSU = targets.parse("asic:osu018")
SMALL = "mix-direct"


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


def test_every_module_of_a_circuit_is_listed_once() -> None:
    names = [c.name for c in listing.everything()]
    assert len(names) == len(set(names))
    assert {"sbox-table", "sbox-mux-tree", "sbox-block-ram-both", "mix-direct"} <= set(names)
    assert not {"mix-columns", "mix-square", "sbox-mix-ram"} & set(names)
    for circuit in listing.everything():
        assert circuit.direction in circuit.name or circuit.direction == "forward"


def test_a_circuit_knows_its_files_bottom_up() -> None:
    stems = [path.stem for path in listing.find("mix-add").files]
    assert stems[-1] == "rsm_aes_linear_mix_add"
    assert stems.index("rsm_aes_pkg") < stems.index("rsm_aes_mix_square")
    assert list(listing.find("sbox-mux-tree").parameters(cut=True)) == ["Cuts=2'd3"]
    assert list(listing.find("mix-add").parameters(cut=True)) == ["Cut=1'd1"]
    assert list(listing.find("sbox-table").parameters(cut=True)) == []


# --- Proofs ---------------------------------------------------------------------------------

MODULES = [c.name for c in listing.everything() if c.program is None and c.cipher == "aes"]


@pytest.mark.parametrize("name", MODULES)
def test_a_module_without_a_program_is_right(name: str) -> None:
    rtl_proof.prove(listing.find(name))


@pytest.mark.parametrize(
    ("name", "text", "wrong", "sentence"),
    [
        ("sbox-table", "8'h77", "8'h76", "y_o is 76 instead of 77 for 02"),
        ("sbox-block-ram-inverse", "8'h6a", "8'h6b", "instead of 6a"),
        ("mix-add", "a[(r+1)%4]", "a[(r+2)%4]", "differs on bit|not linear"),
    ],
)
def test_a_wrong_module_is_found(
    name: str, text: str, wrong: str, sentence: str, tmp_path: Path
) -> None:
    circuit = listing.find(name)
    source = circuit.path.read_text()
    if text not in source:
        text, wrong = "^ key_i", "^ ~key_i"
    path = tmp_path / circuit.path.name
    path.write_text(source.replace(text, wrong, 1))
    assert path.read_text() != source
    with pytest.raises(ProofFailed, match=sentence):
        rtl_proof.prove(replace(circuit, path=path))


# --- Measuring ------------------------------------------------------------------------------


def test_one_circuit_from_end_to_end(no_records: Path, two_scripts: None) -> None:
    circuit = listing.find(SMALL)
    told: list[tuple[str, int, int]] = []
    measure.measure([circuit], OSU, again=False, progress=lambda *step: told.append(step))
    assert told[-1][1] == told[-1][2] > 0
    row = report.describe(circuit, OSU)
    assert row["proved"] is True
    assert row["luts"] == row["luts_uncut"] and row["registers"] == 0
    # 32 output bits of five inputs or more need two LUT4s each, shared or not.
    assert isinstance(row["luts"], int) and 32 < row["luts"] <= 96
    assert isinstance(row["ge"], float) and isinstance(row["delay_ns"], float)
    assert 92 * 2 < row["ge"] < 400 and 0.2 < row["delay_ns"] < 3

    before = (no_records / "circuits.jsonl").read_text()
    measure.measure([circuit], OSU, again=False, progress=quietly)
    assert (no_records / "circuits.jsonl").read_text() == before
    measure.measure([circuit], OSU, again=True, progress=quietly)
    assert (no_records / "circuits.jsonl").read_text() != before


def test_registers_and_multiplexers_are_those_of_the_paper(tmp_path: Path) -> None:
    found = luts.synthesize(listing.find("sbox-mux-tree"), tmp_path)["xcve"]
    best = luts.smallest(found, cut=True)
    assert best is not None
    assert (best.luts, best.registers) == (144, 42)
    assert best.multiplexers == {"MUXF5": 64, "MUXF6": 32}
    alone = luts.smallest(found, cut=False, wide=False)
    assert alone is not None and alone.registers == 0 and not alone.multiplexers


def test_the_timer_agrees_with_opensta(tmp_path: Path) -> None:
    """The same netlist, driven and loaded alike, to the picosecond."""
    library = liberty.osu018()
    name = "written, map, sized"
    cells._prepare(listing.find(SMALL), library, tmp_path)
    netlist = cells._map(name, library, tmp_path)
    assert netlist is not None
    process.run(
        [
            yosys.abc(),
            "-c",
            f"read_lib -w {library.path}; read_blif mapped.blif; write_verilog m.v",
        ],
        what="Writing Verilog",
        cwd=tmp_path,
    )
    module = re.search(r"module (\S+)", (tmp_path / "m.v").read_text())
    assert module is not None
    (tmp_path / "time.tcl").write_text(f"""
        read_liberty {library.path}
        read_verilog m.v
        link_design {module[1]}
        set_cmd_units -time ns
        create_clock -name c -period 100
        set_input_delay 0 -clock c [all_inputs]
        set_output_delay 0 -clock c [all_outputs]
        set_driving_cell -lib_cell {library.driver.name} [all_inputs]
        set_load 0.05 [all_outputs]
        report_checks -path_delay max -format full -digits 5
    """)
    program, env = opensta._program()
    log = process.run([program, "-exit", "time.tcl"], what="OpenSTA", cwd=tmp_path, env=dict(env))
    arrival = re.search(r"([\d.]+)\s+data arrival time", log)
    assert arrival is not None
    assert float(arrival[1]) == pytest.approx(netlist.delay_ns, abs=0.0015)


def test_a_netlist_that_another_beats_is_dropped() -> None:
    points = [Netlist("a", 10, 3), Netlist("b", 12, 3), Netlist("c", 12, 1), Netlist("d", 20, 2)]
    assert [n.script for n in cells.best(points)] == ["a", "c"]


def test_a_stale_record_does_not_count(no_records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    circuit = listing.find(SMALL)
    digest = measure.design_hash(circuit, luts.FLOW)
    records.append(
        CircuitMeasurement(name=SMALL, target=measure.LUTS, design_hash=digest, tools={})
    )
    assert measure.current(circuit, None) is not None
    monkeypatch.setattr(luts, "FLOW", "another flow")
    assert measure.current(circuit, None) is None


def test_a_changed_module_makes_its_record_stale(tmp_path: Path) -> None:
    circuit = listing.find("sbox-table")
    changed = Circuit(circuit.name, circuit.kind, "forward", "cited", tmp_path / circuit.path.name)
    changed.path.write_text(circuit.path.read_text().replace("8'h77", "8'h76"))
    assert measure.design_hash(changed, "x") != measure.design_hash(circuit, "x")


# --- Showing --------------------------------------------------------------------------------


def test_the_json_has_the_documented_keys(no_records: Path) -> None:
    answer = run("--json", ROUNDSMITH_RECORDS=str(no_records))
    assert answer.returncode == 0, answer.stderr
    rows = json.loads(answer.stdout)
    page = (ROOT / "docs" / "circuits.md").read_text().partition("## JSON")[2]
    table = page.partition("| key | meaning |")[2].partition("\n\n")[0]
    cells_ = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    documented = {key for cell in cells_ for key in re.findall(r"`(\w+)`", cell)}
    for row in rows:
        assert set(row) == documented
        assert row["origin"] in {"search", "cited"}
        assert row["luts"] is None and row["ge"] is None
        if row["gates"] is not None:
            assert row["gates"] == row["xor"] + row["and"] + row["other"]
            assert row["proved"] is (row["cipher"] == "aes"), "those of Serpent are by records"


def test_published_figures_are_those_of_the_files() -> None:
    text = "\n".join(grid.markdown() for grid in papers.circuit_grids())
    for name in ("satoh-2001-table-2", "standaert-2003-tables-1-2-3"):
        for row in report.rows(f"{name}.csv"):
            for key, value in row.items():
                if value and key not in {"table", "instances", "component", "method", "inverse"}:
                    assert f"| {value} |" in text, (name, key, value)
    assert "| 2,304 | 672 |" in text and "| 1,344 | 1,216 |" in text
    assert (
        "152 gates, 3 deep (Satoh 2001)"
        in report.overview([report.describe(listing.find("mix-direct"), OSU)]).markdown()
    )


def test_published_records_stand_beside_circuits_and_are_cited() -> None:
    with (DATA / "published" / "circuit-records.csv").open() as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    assert len(rows) > 15
    for row in rows:
        assert row["circuits"] and row["short"] and re.search(r"\d{4}|list", row["citation"])


def test_the_picture_is_the_same_twice() -> None:
    first = sboxes.picture()
    assert first == sboxes.picture()
    assert first.startswith("<?xml") and "SubBytes" not in first[:200]


def test_labels_are_moved_apart_and_stay_inside() -> None:
    found = svg.apart([0.1, 0.1, 0.11, 0.99, 0.99], sboxes._GAP)
    assert all(b - a >= sboxes._GAP - 1e-9 for a, b in pairwise(found))
    assert found[0] >= 0 and found[-1] <= 1


# --- Mistakes -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["measure", "sbox-tabel"], "error: There is no circuit 'sbox-tabel'; there are "),
        (["measure", "--library", "no.lib"], "error: The target 'asic:no.lib' names no file"),
        (["--library", "no.lib"], "error: The target 'asic:no.lib' names no file"),
    ],
)
def test_a_mistake_is_one_sentence(arguments: list[str], sentence: str, no_records: Path) -> None:
    answer = run(*arguments, ROUNDSMITH_RECORDS=str(no_records))
    assert answer.returncode == 2
    assert answer.stderr.startswith(sentence) and answer.stderr.count("\n") == 1


def test_a_program_without_a_module_says_what_writes_it(tmp_path: Path) -> None:
    lost = Circuit("sbox-lost", "sbox", "forward", "search", tmp_path / "rsm_aes_sbox_lost.sv")
    with pytest.raises(RoundsmithError, match=r"`make docs` writes rsm_aes_sbox_lost\.sv"):
        measure.measure([lost], OSU, again=True, progress=quietly)
