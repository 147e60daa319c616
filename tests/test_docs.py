"""The documentation is true: its commands run, its tables are those of the records."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from roundsmith import catalogue
from roundsmith.records.records import Measurement
from roundsmith.report import cores, mode_cost, readme
from roundsmith.spec import Bus, Mode, Spec, serpent

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


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
    aes = [(s, m) for s, m in placed if not serpent.is_serpent(s)]
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
            (p for p in placed if serpent.is_serpent(p[0])), key=lambda p: p[1].throughput_mbps
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
def test_a_mode_behind_a_stream_costs_at_most_15_percent(name: str) -> None:
    core = catalogue.find(name)
    smallest = mode_cost.smallest(core)
    for mode in mode_cost.modes_of(name):
        streamed = core.with_mode(Mode(mode.word)).with_bus(Bus.AXI4_STREAM)
        assert mode.is_larger or mode_cost.smallest(streamed) <= 1.15 * smallest, mode.word


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


#: Words of commands that measure or search for more than a minute.
SLOW = (" search ", " explore ", " pipeline ", " --minimise ")


def slow_apart(command: str) -> object:
    is_slow = any(word in command for word in SLOW)
    return pytest.param(command, marks=pytest.mark.long) if is_slow else command


@pytest.mark.parametrize(
    "command", [slow_apart(c) for c in commands() if not c.startswith("make ")]
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


def documented_keys(heading: str) -> set[str]:
    text = (ROOT / "docs" / "figures.md").read_text().partition(heading)[2]
    table = text.partition("| key | meaning |")[2].partition("\n\n")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return {key for cell in cells for key in re.findall(r"`(\w+)`", cell)}


def test_the_keys_of_the_json_are_documented() -> None:
    assert documented_keys("print an array of records") == set(Measurement.model_fields)
    described = cores.describe(catalogue.find("saggese-iterative"))
    assert documented_keys("`roundsmith list --json` prints") == set(described)


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            assert "://" in target or (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_core_is_verified() -> None:
    unverified = [s.name for s in catalogue.everything() if cores.verified_text(s) == "no"]
    assert not unverified, f"`roundsmith verify NAME --target rtl` for {', '.join(unverified)}"
