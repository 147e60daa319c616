"""The papers' tables: published figures as printed, ours from records and from nothing else."""

import csv
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import pytest

from roundsmith import catalogue
from roundsmith.base import svg
from roundsmith.circuits import listing
from roundsmith.flows import targets
from roundsmith.records import records
from roundsmith.records.records import Measurement, Verification
from roundsmith.report import papers, peers, published
from roundsmith.report.papers import pictures, saggese, satoh, slices
from roundsmith.report.papers.table import Row, Table, by, ours, ratio, theirs, what
from roundsmith.spec import naming
from roundsmith.tools import nextpnr

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "data" / "published").glob("*.csv"))

#: Tables that no command shows: a figure's path, and others' cores, which stand in the docs.
APART = {"satoh-2001-figure-7", "public-cores", "core-records", "circuit-records"}

Json = dict[str, Any]


@pytest.fixture(scope="module")
def shown() -> list[Json]:
    return papers.json(None)


@pytest.fixture
def no_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder without records."""
    monkeypatch.setenv("ROUNDSMITH_RECORDS", str(tmp_path))
    records.forget()
    yield tmp_path
    monkeypatch.undo()
    records.forget()


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Json]]:
    """The papers as they are without records."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROUNDSMITH_RECORDS", str(tmp_path_factory.mktemp("none")))
        records.forget()
        found = papers.json(None)
    records.forget()
    yield found


def rows_of(found: list[Json]) -> list[Json]:
    return [row for paper in found for table in paper["tables"] for row in table["rows"]]


def table_rows(found: list[Json], paper: str, label: str) -> list[Json]:
    (one,) = (p for p in found if p["paper"] == paper)
    return [row for table in one["tables"] if table["table"] == label for row in table["rows"]]


def run(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("roundsmith")
    command = [str(program), "papers", *arguments]
    full = {**os.environ, **env}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=full)


# --- The data -------------------------------------------------------------------------------


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_published_table_is_well_formed(file: Path) -> None:
    lines = file.read_text().splitlines()
    comment = " ".join(line for line in lines if line.startswith("#"))
    heading, *rows = csv.reader(line for line in lines if not line.startswith("#"))
    assert rows and all(len(row) == len(heading) for row in rows)
    named = {"citation", "repository"} & set(heading)
    assert named or re.search(r"(ASIACRYPT|CHES|FPL) 200[123]", comment)
    circuits = {circuit.name for circuit in listing.everything()}
    for row in (dict(zip(heading, row, strict=True)) for row in rows):
        assert all(row[column] for column in named)
        core = row.get("core")
        assert not core or core in catalogue.native() or naming.parse(core) is not None
        assert all(name in circuits for name in row.get("circuits", "").split())
        for column, value in row.items():
            if column not in published.TEXTS and value:
                try:
                    assert Decimal(value) >= 0
                except InvalidOperation:
                    pytest.fail(f"{file.stem}: {column} is '{value}', which is no number")


def test_every_text_column_is_one() -> None:
    found = {column for file in FILES for row in published.rows(file.name) for column in row}
    assert found >= published.TEXTS


def test_public_cores_are_marked_as_measured() -> None:
    text = (ROOT / "data" / "published" / "public-cores.csv").read_text()
    assert text.startswith("# MEASURED, not published")
    assert peers.PARTS["public cores"]().startswith("Measured, not published")


@pytest.mark.parametrize(
    ("file", "cycles"),
    [
        ("satoh-2001-table-4", lambda r: r["cycles"]),
        ("standaert-2003-tables-4-5", lambda r: float(r["cycles"]) / float(r["blocks"])),
    ],
)
def test_throughput_follows_from_the_clock_or_the_row_says_so(
    file: str, cycles: Callable[[published.Row], Any]
) -> None:
    odd = []
    for row in published.rows(f"{file}.csv"):
        if not row["core"]:
            continue
        mbps = 128 * float(row["clock_mhz"]) / float(cycles(row))
        if abs(mbps / float(row["throughput_mbps"]) - 1) > 0.005:
            odd.append(row)
            assert f"{mbps:,.0f}" in row["note"]
    assert [row["core"] for row in odd] == (
        ["standaert-loop-mux"] if file.startswith("standaert") else []
    )


def test_the_parts_of_satohs_core_add_up() -> None:
    table = published.rows("satoh-2001-table-3.csv")
    whole = {r["block"]: int(r["gates"]) for r in table if r["component"] == "whole block"}
    total = whole.pop("Total")
    assert sum(whole.values()) == total == 5398
    for block in ("Encryption/Decryption Block", "Key Expander"):
        parts = [r for r in table if r["block"] == block and r["component"] != "whole block"]
        assert sum(int(r["gates"]) for r in parts) == whole[block]


# --- The tables -----------------------------------------------------------------------------


def test_every_published_figure_is_shown(shown: list[Json]) -> None:
    for file in FILES:
        if file.stem in APART:
            continue
        name = {"chodowiec": "chodowiec-gaj"}.get(file.stem.split("-")[0], file.stem.split("-")[0])
        (paper,) = (p for p in shown if p["paper"] == name)
        values = [v for row in rows_of([paper]) for v in row["published"].values()]
        numbers = {float(v) for v in values if isinstance(v, int | float)}
        texts = " ".join(str(v) for row in rows_of([paper]) for v in row["what"].values())
        texts += " ".join(str(v) for v in values)
        for row in published.rows(file.name):
            for column, value in row.items():
                # A figure that says what a row is, or that the table turns into another.
                if column in {"table", "instances", "blocks", "cycles"}:
                    continue
                if value and column not in published.TEXTS:
                    there = float(value) in numbers or re.search(rf"\b{re.escape(value)}\b", texts)
                    assert there, f"{file.stem}: {column} {value} is not shown"


def test_every_note_is_shown(shown: list[Json]) -> None:
    remarks = " ".join(r for p in shown for t in p["tables"] for r in t["remarks"])
    for file in FILES:
        for row in published.rows(file.name) if file.stem not in APART else ():
            note = row.get("note", "")
            is_shown = not note or note in remarks or file.stem in {
                "satoh-2001-table-3", "chodowiec-gaj-2003-table-2",
                "chodowiec-gaj-2003-section-3-1",
            }  # fmt: skip
            assert is_shown, f"{file.stem}: {note}"


def test_every_row_of_ours_has_its_records(shown: list[Json]) -> None:
    stored = {
        (r.name, r.design_hash)
        for found in (
            *(records.measurements(), records.verifications()),
            records.power_estimates(),
        )
        for r in found
    } | {(r.name, r.design_hash) for r in records.circuit_measurements()}
    for row in rows_of(shown):
        if any(isinstance(value, int | float) for value in row["ours"].values()):
            assert row["records"], row
        for source in row["records"]:
            assert source["target"] and source["flow"]
            is_stored = (source["name"], source["design_hash"]) in stored
            assert is_stored or source["target"] == "program"


def test_without_records_there_are_no_figures_of_ours(bare: list[Json]) -> None:
    for row in rows_of(bare):
        if {source["target"] for source in row["records"]} == {"program"}:
            continue
        assert not row["records"]
        figures = {k: v for k, v in row["ours"].items() if k not in {"core", "circuit"}}
        assert set(figures.values()) <= {None}, row
        assert set(row["ratio"].values()) <= {None}, row


def test_a_missing_record_is_named_by_its_command(bare: list[Json]) -> None:
    commands = {command for row in rows_of(bare) for command in row["missing"]}
    assert "roundsmith measure chodowiec-gaj --target mapped:xcv" in commands
    assert "roundsmith verify satoh-5 --target rtl" in commands
    assert "roundsmith circuits measure sbox-gf16" in commands
    circuits = {circuit.name for circuit in listing.everything()}
    for command in commands:
        words = command.removeprefix("roundsmith ").removeprefix("circuits ").split()
        if "--target" in command:
            assert catalogue.find(words[1]).name == words[1]
            assert words[3] == "rtl" or targets.parse(words[3])
        else:
            assert words[0] == "measure" and words[1] in circuits


def test_a_record_of_the_design_as_it_is_is_shown_and_no_other(no_records: Path) -> None:
    spec, target = catalogue.find("satoh-5"), targets.parse("asic:osu018")
    record = Measurement(
        name=spec.name,
        target=target.name,
        cycles_per_block=54,
        area_ge=2699.0,
        cycle_ns=5.0,
        throughput_mbps=474.1,
        flow="area-driven: test",
        design_hash=records.design_hash(spec, target),
        tools={},
    )
    fast = record.model_copy(update={"flow": "delay-driven: test", "area_ge": 3000.0})
    other = record.model_copy(update={"design_hash": "0" * 64, "area_ge": 1.0})
    for one in (record, fast, other):
        records.append(one)
    size, speed = table_rows(papers.json("satoh"), "satoh", "Table 4")[:2]
    assert (size["ours"]["area_ge"], size["published"]["gates"]) == (2699, 5398)
    assert size["ratio"]["ge"] == 0.5 and size["ours"]["cycle_ns"] is None
    assert (speed["ours"]["area_ge"], speed["ours"]["cycle_ns"]) == (3000, 5)
    assert [source["flow"] for source in size["records"]] == ["area-driven: test"]
    assert size["records"][0]["design_hash"] == record.design_hash
    assert size["missing"] == [
        "roundsmith verify satoh-5 --target rtl",
        "roundsmith measure satoh-5-full --target asic:osu018",
    ]


def test_a_failure_is_said_in_place_of_a_figure(no_records: Path) -> None:
    spec, target = catalogue.find("standaert-unrolled-mux"), targets.parse("ecp5-85k:6")
    failure = records.Failure(
        name=spec.name,
        target=target.name,
        kind="does not route",
        reason="Net 7 found no way.",
        design_hash=records.design_hash(spec, target),
        tools={},
    )
    records.append(failure)
    row = table_rows(papers.json("standaert"), "standaert", "Table 5")[3]
    assert row["what"]["core"] == spec.name
    assert row["failed"] == [f"{spec.name} on ecp5-85k:6 does not route: Net 7 found no way."]
    assert f"roundsmith measure {spec.name} --target ecp5-85k:6" not in row["missing"]
    unrolled = papers.PAPERS["standaert"].tables()[6]
    assert unrolled.label == "Table 5" and any("Net 7" in line for line in unrolled.notes())


def test_ratios() -> None:
    assert ratio(3, Decimal(2)) == 1.5
    assert ratio(None, 2) is None and ratio(3, None) is None and ratio("x", 2) is None
    assert ratio(3, 0) is None


def test_a_table_keeps_the_printed_digits_and_the_sides_apart() -> None:
    table = Table(
        "Table 9",
        "title",
        "conditions",
        (what("core", "core"), theirs("ns", "ns"), ours("ns", "ns", ".1f"), by("ns", "ratio")),
        (Row(("`a`", Decimal("2.50"), 1.25, 0.5)), Row(("b", Decimal("1250"), None, None))),
    )
    text = table.grid("Paper").markdown().splitlines()
    assert text[0] == "| core | published ns | our ns | ratio |"
    assert text[2:] == ["| `a` | 2.50 | 1.2 | 0.50 |", "| b | 1,250 | – | – |"]
    first, _ = (row for row in rows_of([{"tables": [table.json()]}]))
    assert first["what"] == {"core": "a"}
    assert (first["published"], first["ours"]) == ({"ns": 2.5}, {"ns": 1.25})


# --- Slices ---------------------------------------------------------------------------------


def test_slices_inside_the_range_say_nothing() -> None:
    low, high = slices.packing()
    assert (round(low, 2), round(high, 2)) == (1.13, 1.53)
    assert slices.verdict(low) == slices.verdict(high) == "nothing"
    assert slices.verdict(low - 0.01) == "ours more"
    assert slices.verdict(high + 0.01) == "ours fewer"
    assert slices.verdict(None) is None
    assert slices.least(10, 30) == slices.least(30, 10) == 15
    text = (ROOT / "docs" / "figures.md").read_text()
    for words in ("1.13 to 1.53 times", "1.25 times", "`nothing`", "`ours fewer`", "`ours more`"):
        assert words in text and "1.13 to 1.53 times" in slices.rule()


# --- Pictures -------------------------------------------------------------------------------


def test_a_picture_is_the_same_twice_and_shows_the_records(
    no_records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = svg.drawn(pictures.DRAWN["satoh-table-4"])
    assert empty == svg.drawn(pictures.DRAWN["satoh-table-4"])
    assert empty.startswith("<?xml") and "dc:date" not in empty
    monkeypatch.undo()
    records.forget()
    table = satoh.cores()
    if any(source.target == "asic:osu018" for row in table.rows for source in row.sources):
        assert svg.drawn(pictures.DRAWN["satoh-table-4"]) != empty


@pytest.mark.parametrize("name", pictures.DRAWN)
def test_a_picture_is_in_the_docs(name: str) -> None:
    assert (ROOT / "docs" / f"{name}.svg").exists()
    assert f"({name}.svg)" in (ROOT / "docs" / "papers.md").read_text()


# --- Saggese: tiles, lines and placement -------------------------------------------------------


def _store(name: str, target: str, **figures: Any) -> None:
    """Store an invented record of a core as it is."""
    spec, goal = catalogue.find(name), targets.parse(target)
    of = {"throughput_mbps": None, "cycles_per_block": 1, "flow": "test", "tools": {}, **figures}
    digest = records.design_hash(spec, goal, wanted=True)
    records.append(Measurement(name=name, target=goal.name, design_hash=digest, **of))


def test_tiles_are_compared_with_lines_from_records(no_records: Path) -> None:
    def said() -> tuple[list[Json], str]:
        table = saggese.ways()
        return table.json()["rows"], " ".join(table.remarks)  # type: ignore[return-value]

    rows, sentence = said()
    assert len(rows) == 6 and sentence == ""
    assert "roundsmith measure saggese-tiled-4 --target ecp5-85k:6" in rows[3]["missing"]
    for name, cycles, found in (
        ("iterative", 10, 320),
        ("tiled-4", 2.5, 1600),
        ("unrolled-1", 1, 2000),
        ("unrolled-5", 1, 4000),
    ):
        spec = catalogue.find(f"saggese-{name}")
        records.append(
            Verification(
                name=spec.name,
                target=None,
                design_hash=records.design_hash(spec, None),
                blocks=1,
                latency_cycles=1,
                cycles_per_block=cycles,
                tools={},
            )
        )
        _store(spec.name, "mapped:xcve", lut=2 * found, ff=1, block_ram=10, slices=found)
    rows, sentence = said()
    # 12.8 bits a cycle by 320 slices, 51.2 by 1,600 and 128 by 2,000.
    assert rows[0]["ours"]["bits_per_cycle_per_1000_slices"] == 40
    assert "0.80 times the bits a slice of one core" in sentence
    assert "2.00 times those of four tiles" in sentence and "ECP5" not in sentence
    _store("saggese-tiled-4", "ecp5-85k:6", lut=1001, ff=10, throughput_mbps=1002.0)
    _store("saggese-unrolled-5", "ecp5-85k:6", lut=1000, ff=4000, throughput_mbps=6000.0)
    rows, sentence = said()
    assert rows[3]["ours"]["fpga_slices_least"] == 501
    assert rows[5]["ours"]["fpga_mbps_per_slice"] == 3
    assert rows[5]["ours"]["fpga_mbps_per_lut"] == 6
    assert "moves 1.50 times the Mbit/s a slice of four tiles." in sentence


@pytest.mark.parametrize("is_here", [True, False])
def test_the_floorplan_is_shown_beside_the_tools_own_placement(
    is_here: bool, no_records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is the same where the tools for iCE40, 72 MB, are not installed."""

    def version(package: str) -> str:
        if is_here or "ice40" not in package:
            return nextpnr.version_of(package, wanted=True)
        raise nextpnr.PackageNotFoundError(package)

    monkeypatch.setattr(nextpnr, "package_version", version)
    rows = table_rows(papers.json("saggese"), "saggese", "section 4")[2:]
    assert [row["ours"]["mhz"] for row in rows] == [None, None]
    assert rows[1]["missing"][-1] == (
        "roundsmith measure saggese-iterative --target ice40-hx8k:floorplan"
    )
    for target, mhz in (("ice40-hx8k", 40.0), ("ice40-hx8k:floorplan", 44.0)):
        _store("saggese-iterative", target, lut=900, ff=300, block_ram=20, fmax_mhz=mhz)
    rows = table_rows(papers.json("saggese"), "saggese", "section 4")[2:]
    assert [row["ours"]["lut"] for row in rows] == [900, 900]
    assert [row["ratio"]["clock"] for row in rows] == [1, 1.1]


# --- The command ----------------------------------------------------------------------------


def test_the_command_shows_a_paper_and_what_is_missing(tmp_path: Path) -> None:
    answer = run("chodowiec-gaj", ROUNDSMITH_RECORDS=str(tmp_path))
    assert answer.returncode == 0, answer.stderr
    assert "Chodowiec and Gaj 2003, Table 1" in answer.stdout and "XC2S30-6" in answer.stdout
    assert "Satoh" not in answer.stdout.partition("Table 1")[0]
    assert "roundsmith measure chodowiec-gaj --target mapped:xcv" in answer.stdout
    assert "1.13 to 1.53 times" in answer.stdout


def test_the_json_has_the_documented_keys(shown: list[Json]) -> None:
    (paper,) = json.loads(run("saggese", "--json").stdout)
    assert paper == next(p for p in shown if p["paper"] == "saggese")
    text = (ROOT / "docs" / "figures.md").read_text()
    part = text.partition("`roundsmith papers --json` prints")[2].partition("\n\n`roundsmith")[0]
    documented = set(re.findall(r"`(\w+)`", part))
    table = paper["tables"][0]
    row = next(row for row in table["rows"] if row["records"])
    used = {*paper, *table, *row, *row["records"][0]}
    assert used <= documented
    assert documented - used <= {"nothing"}


def test_an_unknown_paper_is_refused_in_one_sentence() -> None:
    for name, hint in (("satho", "did you mean 'satoh'?"), ("x", "there are satoh, lutz")):
        answer = run(name)
        assert answer.returncode == 2
        assert answer.stderr.startswith("error: There is no paper") and hint in answer.stderr
        assert len(answer.stderr.splitlines()) == 1
