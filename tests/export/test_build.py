"""The folder that `build` writes: every other tool takes it as it is."""

import hashlib
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pyslang
import pytest

from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError
from roundsmith.base.paths import RTL
from roundsmith.design import generate
from roundsmith.export import write
from roundsmith.export.folder import contents
from roundsmith.spec import Linear, Spec
from roundsmith.tools import verilator, yosys
from tests.support.exported import CORES, DEEP, MORE


def slang(folder: Path, arguments: str) -> pyslang.ast.Compilation:
    """Run slang's own driver on `arguments` inside `folder`; fail on any diagnostic."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        driver = pyslang.driver.Driver()
        driver.addStandardArgs()
        assert driver.parseCommandLine(f"slang {arguments}")
        assert driver.processOptions() and driver.parseAllSources()
        compilation = driver.createCompilation()
        driver.reportCompilation(compilation, True)
    finally:
        os.chdir(before)
    assert (driver.diagEngine.numErrors, driver.diagEngine.numWarnings) == (0, 0)
    return compilation


def instances(body: object) -> list[pyslang.ast.InstanceSymbol]:
    found: list[pyslang.ast.InstanceSymbol] = []

    def visit(symbol: object) -> None:
        if isinstance(symbol, pyslang.ast.InstanceSymbol):
            found.append(symbol)

    body.visit(visit)  # type: ignore[attr-defined]
    return found


# --- Other tools take it unchanged ------------------------------------------------------------


@pytest.mark.parametrize("spec", [*CORES, *MORE], ids=lambda spec: spec.name)
def test_verilator_reads_the_file_list(
    spec: Spec, built: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(built[spec.name])
    output = verilator.lint([], spec.module, ["-f", f"{spec.module}.f"])
    assert "%" not in output, output
    monkeypatch.chdir("/")
    file_list = str(built[spec.name] / f"{spec.module}.f")
    output = verilator.lint([], spec.module, ["-F", file_list])
    assert "%" not in output, output


@pytest.mark.parametrize("spec", [*CORES, *MORE], ids=lambda spec: spec.name)
def test_slang_reads_the_file_list_and_finds_what_the_datasheet_says(
    spec: Spec, built: dict[str, Path]
) -> None:
    folder = built[spec.name]
    compilation = slang(folder, f"-Wextra -f {spec.module}.f")
    (top,) = compilation.getRoot().topInstances
    assert top.name == spec.module

    elaborated = [
        (port.name, "input" if port.direction == pyslang.ast.ArgumentDirection.In else "output",
         port.type.bitWidth)
        for port in top.body.portList
    ]  # fmt: skip
    assert elaborated == [(p.name, p.direction, p.width) for p in generate.ports(spec)]
    text = (folder / f"{spec.module}.md").read_text()
    table = re.findall(r"^\| `(\w+)` \| (input|output) \| (\d+) \|", text, re.MULTILINE)
    assert [(name, direction, int(width)) for name, direction, width in table] == elaborated

    # No file is there that the core does not instantiate.
    used = {instance.definition.name for instance in instances(compilation.getRoot())}
    sources = list((folder / "rtl").rglob("*"))
    written = "\n".join(path.read_text() for path in sources if path.is_file())
    assert used == {spec.module, *re.findall(r"^module (\w+)", written, re.MULTILINE)}
    listed = [x for x in (folder / f"{spec.module}.f").read_text().split("\n") if x[:3] == "rtl"]
    assert sorted(listed) == sorted(
        str(path.relative_to(folder)) for path in sources if path.is_file()
    )


@pytest.mark.parametrize("spec", [*CORES, *MORE], ids=lambda spec: spec.name)
def test_the_verilog_2005_file_is_that(spec: Spec, built: dict[str, Path]) -> None:
    compilation = slang(built[spec.name], f"--std 1364-2005 {spec.module}.v")
    (top,) = compilation.getRoot().topInstances
    assert [p.name for p in top.body.portList] == [p.name for p in generate.ports(spec)]
    text = (built[spec.name] / f"{spec.module}.v").read_text()
    modules = re.findall(r"^module (\w+)", text, re.MULTILINE)
    assert all(name.startswith(spec.module) for name in modules)
    assert "src =" not in text and "\\" not in text
    # The S-boxes of a block RAM core stay memories, and nothing else has attributes.
    assert ('(* rom_style = "block" *)' in text) == (spec.how.sbox == "block_ram")
    assert ('(* ram_style = "block" *)' in text) == (spec.how.sbox == "block_ram")
    # A core without RAM and FIFO and without stored keys has no memory.
    memories = re.findall(r"^  reg \[\d+:0\] \w+ \[\d+:0\];", text, re.MULTILINE)
    if not spec.is_stored:
        block_ram = spec.how.sbox == "block_ram"
        roms = 1 + (spec.how.linear is Linear.IN_MEMORY) if block_ram else 0
        assert len(memories) == roms + spec.is_full


def test_the_verilog_2005_file_gives_block_rams(built: dict[str, Path], tmp_path: Path) -> None:
    source = built["saggese-iterative"] / "saggese_iterative.v"
    script = [
        f"read_verilog {source}",
        "synth_ecp5 -top saggese_iterative -run begin:map_ffs",
        "select -assert-count 10 t:DP16KD",
    ]
    yosys.run(script, what="Mapping the memories", folder=tmp_path)


@pytest.mark.parametrize("spec", CORES, ids=lambda spec: spec.name)
def test_fusesoc_takes_the_core_file(spec: Spec, built: dict[str, Path]) -> None:
    core2 = import_module("fusesoc.capi2.coreparser")
    core = import_module("fusesoc.core")
    folder = built[spec.name]
    parsed = core.Core(parser=core2.Core2Parser(), core_file=str(folder / f"{spec.module}.core"))
    assert str(parsed.name).startswith(f"roundsmith:{spec.what.cipher}:{spec.module}:")
    for target, expected in {
        "default": [f"{spec.module}.v"],
        "lint": [*generate.relative_sources(generate.design(spec).library), f"{spec.module}.sv"],
        "sim": [f"{spec.module}.v", f"tb/{spec.module}_tb.v", "tb/vectors.hex"],
    }.items():
        files = parsed.get_files({"target": target, "is_toplevel": True})
        assert [file["name"] for file in files] == expected
        assert all((folder / name).is_file() for name in expected)


# --- Every core of the catalogue ----------------------------------------------------------------


@pytest.mark.parametrize("spec", catalogue.everything(), ids=lambda spec: spec.name)
def test_the_library_of_a_core_is_what_it_uses(spec: Spec, tmp_path: Path) -> None:
    """slang elaborates the listed files alone, and instantiates a module of each."""
    design = generate.design(spec)
    files = " ".join(str(path) for path in design.write(tmp_path))
    compilation = slang(tmp_path, f"--top {spec.module} {files}")
    used = {instance.definition.name for instance in instances(compilation.getRoot())}
    listed = {path.stem for path in design.library if not path.stem.endswith("_pkg")}
    assert used == listed | {spec.module}


# --- The folder ---------------------------------------------------------------------------------


def test_the_same_bytes_every_time(tmp_path: Path) -> None:
    here = contents(DEEP.full())
    (tmp_path / "deep.toml").write_text(DEEP.full().to_toml())
    script = (
        "import hashlib\n"
        "from roundsmith import catalogue\n"
        "from roundsmith.export.folder import contents\n"
        "for name, text in contents(catalogue.find('deep.toml')).items():\n"
        "    print(name, hashlib.sha256(text).hexdigest())\n"
    )
    there = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONHASHSEED": "7", "TMPDIR": str(tmp_path), "TZ": "Asia/Tokyo"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    expected = [f"{name} {hashlib.sha256(text).hexdigest()}" for name, text in here.items()]
    assert there.splitlines() == expected
    for name, text in here.items():
        assert str(RTL).encode() not in text, name
        assert not re.search(rb"\bYosys \d|\b20[2-9]\d-\d\d-\d\d", text), name


def test_a_folder_of_ours_is_replaced(tmp_path: Path) -> None:
    spec = catalogue.find("iterative-table")
    folder = tmp_path / "a" / "core"
    files = write(spec, folder)
    assert sorted(path for path in folder.rglob("*") if path.is_file()) == files
    (folder / "iterative_table.v").write_text("edited")
    (folder / "tb" / "mine.txt").write_text("a note")
    assert write(spec, folder) == files
    assert (folder / "iterative_table.v").read_bytes() == contents(spec)["iterative_table.v"]
    assert (folder / "tb" / "mine.txt").read_text() == "a note"
    assert [path.name for path in folder.parent.iterdir()] == ["core"]


def test_a_folder_of_somebody_else_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = catalogue.find("iterative-table")
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(RoundsmithError, match="is not empty and holds something other than"):
        write(spec, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    with pytest.raises(RoundsmithError, match="is a file"):
        write(spec, tmp_path / "thesis.txt")
    write(spec, tmp_path / "core")
    with pytest.raises(RoundsmithError, match="something other than iterative_table_full"):
        write(spec.full(), tmp_path / "core")
    monkeypatch.chdir(tmp_path / "core" / "tb")
    with pytest.raises(RoundsmithError, match="in which this command runs"):
        write(spec, tmp_path / "core")
    empty = tmp_path / "empty"
    empty.mkdir()
    assert write(spec, empty)
