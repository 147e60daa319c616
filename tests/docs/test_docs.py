"""The documentation is true: its commands run, its tables are those of the records."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from roundsmith import catalogue
from roundsmith.base import paths
from roundsmith.design import elaborate
from roundsmith.records.records import Measurement
from roundsmith.report import cores, drawings, mode_cost, readme, rtl_table
from roundsmith.spec import Bus, Cipher, Mode, Spec
from roundsmith.tools import verilator

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "formal" / "README.md",
        ROOT / "rtl" / "README.md",
        *(ROOT / "docs").glob("*.md"),
    ]
)

#: The pages that name modules of the RTL one by one.
HANDBOOK = [ROOT / "CONTRIBUTING.md", ROOT / "rtl" / "README.md"]


def commands() -> list[str]:
    text = "\n".join(page.read_text() for page in PAGES)
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]


def test_generated_files_are_up_to_date() -> None:
    command = [sys.executable, "scripts/generate.py", "--check"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr + "`make docs` makes them again"


def test_a_stale_record_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "README.md").read_text()
    monkeypatch.setattr("roundsmith.flows.ecp5.FLOW", "another flow")
    assert readme.update(text) != text


def test_a_changed_figure_is_noticed() -> None:
    text = (ROOT / "README.md").read_text()
    changed = text.replace("| 10 | ", "| 11 | ", 1)
    assert changed != text
    assert readme.update(changed) == text


def test_what_is_best_is_the_best_of_the_named_cores() -> None:
    """Each row of the table against the records of all native cores on the same kind of target."""
    plans = [f"{readme.FPGA}:{grade}{plan}" for grade in (6, 8) for plan in readme.PLANS]
    placed = [(s, m) for target in plans for s, (m, *_) in readme._measured(target)]
    cells = [(s, m) for s, found in readme._measured(readme.CELLS) for m in found]
    small = [(s, m) for s, m in cells if m.flow.startswith("area")]
    fast = [(s, m) for s, m in cells if m.flow.startswith("delay")]
    cycles = {s.name: cores.describe(s) for s in catalogue.native().values()}
    single = [(s, m) for s, m in fast if cycles[s.name]["blocks_in_flight"] == 1]
    aes = [(s, m) for s, m in placed if s.what.cipher is Cipher.AES]
    best = {
        "least area in standard cells": min(small, key=lambda p: p[1].area_ge),
        "least area on an FPGA, no block RAM": min(
            (p for p in placed if p[1].block_ram == 0), key=lambda p: p[1].lut + p[1].ff
        ),
        "most a chip does": max(aes, key=lambda p: p[1].throughput_mbps),
        "most a pipeline does": max(
            (p for p in aes if p[0].how.tiles == 1),
            key=lambda p: p[1].throughput_mbps,
        ),
        "the same, Serpent": max(
            (p for p in placed if p[0].what.cipher is Cipher.SERPENT),
            key=lambda p: p[1].throughput_mbps,
        ),
        "most per LUT, no block RAM": max(
            (p for p in placed if p[1].block_ram == 0), key=lambda p: p[1].mbps_per_klut
        ),
        "most per gate equivalent": max(fast, key=lambda p: p[1].mbps_per_kge),
        "the same, a block at a time": max(single, key=lambda p: p[1].mbps_per_kge),
        "a block of CBC in least time": min(
            fast, key=lambda p: cycles[p[0].name]["latency_cycles"] * p[1].cycle_ns
        ),
    }
    told = {words: (name, target) for words, name, target, _ in readme.BEST}
    assert told == {words: (spec.name, m.target) for words, (spec, m) in best.items()}


@pytest.mark.parametrize("name", mode_cost.CORES)
def test_a_mode_behind_a_stream_costs_at_most_what_the_page_says(name: str) -> None:
    page = (ROOT / "docs/buses.md").read_text()
    (percent,) = re.findall(r"modes without keys or tags of their own take at most (\d+) %", page)
    core = catalogue.find(name)
    smallest = mode_cost.smallest(core)
    for mode in mode_cost.modes_of(name):
        streamed = core.with_mode(Mode(mode.word)).with_bus(Bus.AXI4_STREAM)
        assert (
            mode.is_larger or mode_cost.smallest(streamed) <= (1 + int(percent) / 100) * smallest
        ), mode.word


def test_the_commands_are_known() -> None:
    assert "make demo" in commands() and "make test" in commands()
    assert len(commands()) >= 7


def test_every_core_is_built_into_a_folder_of_its_own() -> None:
    """A folder with another core in it is refused, so a reader could not follow both pages."""
    builds: dict[str, set[str]] = {}
    for command in commands():
        if " build " in command and " -o " in command:
            builds.setdefault(command.split(" -o ")[1].split()[0], set()).add(command)
    assert builds and all(len(same) == 1 for same in builds.values())


#: Commands that a test of its own runs.
ELSEWHERE = {".venv/bin/python scripts/generate.py --check"}

#: Words of commands that measure or search for more than a minute.
SLOW = (" search ", " explore ", " pipeline ", " --minimise ", " every_sbox_")


def slow_apart(command: str) -> object:
    is_slow = any(word in command for word in SLOW)
    return pytest.param(command, marks=pytest.mark.long) if is_slow else command


@pytest.mark.parametrize(
    "command",
    [
        slow_apart(command)
        for command in dict.fromkeys(commands())
        if not command.startswith("make ") and command not in ELSEWHERE
    ],
)
def test_a_command_runs(command: str, own_records: Path) -> None:
    assert command.startswith(".venv/bin/")
    arguments = command.split()
    arguments[0] = str(Path(sys.executable).with_name(Path(arguments[0]).name))
    (ROOT / "build").mkdir(exist_ok=True)
    kept = {**os.environ, "ROUNDSMITH_RECORDS": str(own_records / "measured")}
    answer = subprocess.run(
        arguments, cwd=ROOT, env=kept, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr


def test_records_are_carried_over_as_the_page_says(own_records: Path, tmp_path: Path) -> None:
    """From this commit to itself."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    (block,) = re.findall(
        r"<!-- carry: a test runs these lines -->\n```\n(.*?)```", text, re.DOTALL
    )
    before = tmp_path / "before"
    script = block.replace("/tmp/before", str(before)).replace("COMMIT", "HEAD")
    script = script.replace("before.json", str(tmp_path / "before.json"))
    script = script.replace(".venv/bin/python", sys.executable)
    carried = own_records / "measured" / "carried.jsonl"
    known = carried.read_text()
    kept = {**os.environ, "ROUNDSMITH_RECORDS": str(carried.parent)}
    try:
        subprocess.run(["bash", "-ec", script], cwd=ROOT, env=kept, check=True)
    finally:
        command = ["git", "worktree", "remove", "--force", str(before)]
        subprocess.run(command, cwd=ROOT, check=False)
    assert len(json.loads((tmp_path / "before.json").read_text())) > 100
    assert carried.read_text().startswith(known)


@pytest.mark.long
def test_the_demo() -> None:
    command = [sys.executable, "scripts/demo.py"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert "byte for byte what OpenSSL gives" in answer.stdout


def test_the_spec_in_the_readme_is_legal() -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    spec = Spec.from_toml(block)
    assert spec.how.cuts == ("sub", "round")
    assert spec.full().what.key_bits == (128, 256)


# --- The pages of the RTL ----------------------------------------------------------------------

RTL_ROW = re.compile(r"^\| \[`[^`]+`\]\((\S+\.sv)\) \| (.*) \|$", re.MULTILINE)


def test_every_rtl_file_has_one_row_with_a_purpose_and_a_latency() -> None:
    rows = RTL_ROW.findall((ROOT / "rtl" / "README.md").read_text())
    files = [path.relative_to(paths.RTL).as_posix() for path in paths.RTL.rglob("*.sv")]
    assert sorted(file for file, _ in rows) == sorted(files)
    for file, row in rows:
        purpose, latency, *others = re.split(r" (?<!\\)\| ", row)
        assert purpose.endswith(".") and len(purpose.split()) >= 3, file
        assert latency.strip() and len(others) == 3, file


@pytest.mark.parametrize(
    ("text", "purpose", "latency", "sources"),
    [
        (
            "A box (FIPS 197, 5.1.1; Lutz 2002, Fig. 6(b)) that adds. More.\n\nLatency: 1. No.",
            "A box that adds.",
            "1",
            ["FIPS 197, 5.1.1", "Lutz 2002, Fig. 6(b)"],
        ),
        ("Lutz's core (2002, 4.2):", "Lutz's core (2002, 4.2).", "", ["Lutz 2002, 4.2"]),
        (
            "Fig. 2b of Chodowiec and Gaj 2003, the line.",
            "Fig. 2b of Chodowiec and Gaj 2003, the line.",
            "",
            ["Chodowiec and Gaj 2003, Fig. 2b"],
        ),
        ("A map.\n\nSource: search over XORs.", "A map.", "", ["our search"]),
    ],
)
def test_a_header_is_read(text: str, purpose: str, latency: str, sources: list[str]) -> None:
    assert rtl_table.purpose(text) == purpose
    assert rtl_table.latency(text) == latency
    assert rtl_table.sources(text) == sources


def test_the_example_of_the_rtl_is_clean(tmp_path: Path) -> None:
    text = (ROOT / "rtl" / "README.md").read_text()
    (example,) = re.findall(r"```systemverilog\n(.*?)```", text, re.DOTALL)
    top = tmp_path / "my_core.sv"
    top.write_text(example)
    used = elaborate.library("my_core", example).files
    printed = verilator.lint([*used, top], "my_core", ["-Wno-PINCONNECTEMPTY"])
    assert not [line for line in printed.splitlines() if line.startswith("%")]


# --- The drawings --------------------------------------------------------------------------------


def test_every_drawing_is_shown() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    shown = set(re.findall(r"!\[[^]]+\]\(drawings/(\w+)\.svg\)", text))
    assert shown == {path.stem for path in drawings.FOLDER.glob("*.svg")}
    assert shown == {path.stem for path in drawings.FOLDER.glob("*.typ")} - {"style"}


def test_the_pages_and_drawings_name_modules_that_exist() -> None:
    files = [*drawings.FOLDER.glob("*.typ"), ROOT / "docs" / "architecture.md", *HANDBOOK]
    rtl = [*paths.RTL.rglob("*.sv"), *(ROOT / "boards").rglob("*.sv")]
    modules = {path.stem for path in rtl}
    for file in files:
        named = re.findall(r"`(rsm_\w+)`", file.read_text())
        assert set(named) <= modules, f"{file.name}: {set(named) - modules}"


def test_a_path_over_other_rooms_stands_for_an_import() -> None:
    imports = {"top": {"middle", "low"}, "middle": {"low"}, "low": set()}
    assert drawings.reduced(imports) == {"top": {"middle"}, "middle": {"low"}, "low": set()}


def test_lanes_side_by_side_share_no_row() -> None:
    found = drawings.lanes("abcd", {"a": {"c"}, "b": {"d", "c"}, "c": {"d"}, "d": set()})
    assert [(lane.target, lane.joints, lane.lane) for lane in found] == [
        (2, (0, 1), 0),
        (3, (1, 2), 1),
    ]


def documented_keys(heading: str) -> set[str]:
    text = (ROOT / "docs" / "figures.md").read_text().partition(heading)[2]
    table = text.partition("| key | meaning |")[2].partition("\n\n")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return {key for cell in cells for key in re.findall(r"`(\w+)`", cell)}


def test_the_keys_of_the_json_are_documented() -> None:
    assert documented_keys("print an array of records") == set(Measurement.model_fields)
    described = cores.describe(catalogue.find("saggese-iterative"))
    assert documented_keys("`roundsmith list --json` prints") == set(described)


def anchors(page: Path) -> set[str]:
    """Return what a link behind `#` may name: the headings of a page, as GitHub writes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for link in re.findall(r"\]\(([^)]+)\)", page.read_text()):
            target, _, anchor = link.partition("#")
            if "://" in target:
                continue
            file = page.parent / target if target else page
            assert file.exists(), f"{page.name}: {link}"
            assert not anchor or anchor in anchors(file), f"{page.name}: {link}"


def test_every_core_is_verified() -> None:
    unverified = [s.name for s in catalogue.everything() if cores.verified_text(s) == "no"]
    assert not unverified, f"`roundsmith verify NAME --target rtl` for {', '.join(unverified)}"
