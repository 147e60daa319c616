"""Several cores stand in one project: one file each, or their SystemVerilog on one library."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from roundsmith import catalogue, export
from roundsmith.base import paths
from roundsmith.base.errors import ToolError
from roundsmith.design import generate
from roundsmith.spec import Spec
from roundsmith.tools import iverilog, process, verilator, yosys
from tests.support import debian_tools
from tests.support.command import call

#: Two of AES that share most of their library, one with a mode and a bus, and Serpent.
CORES = [
    catalogue.find(name)
    for name in ("satoh-5-full", "iterative-lut4-ctr-axi4-stream", "serpent-folded")
]


def top(specs: list[Spec]) -> str:
    """Return a module that has every core inside, all pins outside."""
    pins, bodies = [], []
    for spec in specs:
        ports = generate.ports(spec)
        pins += [f"  {p.direction} {p.range} {spec.module}__{p.name}" for p in ports]
        links = ", ".join(f".{p.name}({spec.module}__{p.name})" for p in ports)
        bodies.append(f"  {spec.module} u_{spec.module} ({links});")
    return "\n".join(["module together (", ",\n".join(pins), ");", *bodies, "endmodule", ""])


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three cores, the library, and a top around them all."""
    root = tmp_path_factory.mktemp("project")
    for spec in CORES:
        export.write(spec, root / spec.module)
    export.library(root / "rsm_library")
    (root / "together.v").write_text(top(CORES))
    return root


def one_file_each(root: Path) -> list[Path]:
    return [root / spec.module / f"{spec.module}.v" for spec in CORES]


def systemverilog(root: Path) -> list[Path]:
    """The library once, and the top of each core."""
    lines = (root / "rsm_library/rsm_library.f").read_text().splitlines()
    library = [root / "rsm_library" / line for line in lines if not line.startswith("//")]
    return [*library, *(root / spec.module / f"{spec.module}.sv" for spec in CORES)]


# --- One file each --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec",
    # Icarus takes a minute for Serpent.
    [*CORES[:-1], pytest.param(CORES[-1], marks=pytest.mark.long)],
    ids=lambda spec: spec.name,
)
def test_every_bench_passes_beside_the_others(spec: Spec, project: Path, tmp_path: Path) -> None:
    """In Icarus Verilog, with the files of all cores."""
    folder = project / spec.module
    bench = folder / f"tb/{spec.module}_tb.v"
    files = [*one_file_each(project), bench]
    program = iverilog.build(files, tmp_path / "bench.vvp", top=f"{spec.module}_tb")
    last = iverilog.run(program, cwd=folder).splitlines()[-1]
    assert re.fullmatch(r"[1-9]\d* passed, 0 failed", last)


def test_the_same_core_twice_is_found(project: Path, tmp_path: Path) -> None:
    """The check can fail: two folders of one core do not go together."""
    files = [*one_file_each(project), one_file_each(project)[0]]
    with pytest.raises(ToolError):
        iverilog.build([*files, project / "together.v"], tmp_path / "x.vvp", top="together")


def test_verilator_takes_one_file_each(project: Path) -> None:
    quiet = ["-Wno-DECLFILENAME", "-Wno-UNUSEDSIGNAL", "-Wno-UNOPTFLAT", "-Wno-WIDTH"]
    said = verilator.lint([*one_file_each(project), project / "together.v"], "together", quiet)
    assert "%Warning" not in said and "%Error" not in said


def test_yosys_takes_one_file_each(project: Path, tmp_path: Path) -> None:
    files = " ".join(map(str, [*one_file_each(project), project / "together.v"]))
    script = [f"read_verilog {files}", "hierarchy -check -top together", "proc", "check -assert"]
    yosys.run(script, what="Reading three cores", folder=tmp_path)


def test_debians_tools_take_one_file_each(project: Path) -> None:
    files = [*one_file_each(project), project / "together.v"]
    program, env = debian_tools.verilator()
    argv = [program, "--lint-only", "-Wno-UNOPTFLAT", "-Wno-WIDTH", "--top-module", "together"]
    said = process.run([*argv, *files], what="Debian's Verilator", env=env)
    assert "%Warning" not in said
    program, env = debian_tools.yosys()
    names = " ".join(map(str, files))
    script = f"read_verilog {names}; hierarchy -check -top together; proc; check -assert"
    process.run([program, "-Q", "-p", script], what="Debian's Yosys", env=env)


def test_ghdl_takes_the_instances_together(project: Path, tmp_path: Path) -> None:
    """What `NAME_inst.vhd` says to copy, for three cores in one architecture."""
    blocks = []
    for spec in CORES:
        text = (project / spec.module / f"{spec.module}_inst.vhd").read_text()
        declared, body = text.split("-- In its body:")
        blocks.append(f"b_{spec.module} : block\n{declared}begin\n{body}end block;\n")
    lines = ["library ieee;", "use ieee.std_logic_1164.all;", "entity together is end entity;"]
    lines += ["architecture rtl of together is", "begin", *blocks, "end architecture;", ""]
    file = tmp_path / "together.vhd"
    file.write_text("\n".join(lines))
    program, env, library = debian_tools.ghdl(tmp_path / "ghdl")
    options = ["--std=08", f"--PREFIX={library}", f"--workdir={tmp_path}"]
    process.run([program, "-a", *options, file], what="GHDL", cwd=tmp_path, env=env)
    process.run([program, "-e", *options, "together"], what="GHDL", cwd=tmp_path, env=env)
    # A name that VHDL has taken is found.
    file.write_text("\n".join(lines).replace("satoh_5_full", "entity"))
    with pytest.raises(ToolError):
        process.run([program, "-a", *options, file], what="GHDL", cwd=tmp_path, env=env)


# --- SystemVerilog on one library -----------------------------------------------------------------


def test_the_library_is_whole(project: Path) -> None:
    folder = project / "rsm_library"
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*.sv")}
    assert files == set(generate.relative_sources(paths.library())) and len(files) > 100
    checked = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=folder, capture_output=True)
    assert checked.returncode == 0
    for spec in CORES:
        for path in (project / spec.module / "rtl").rglob("*.sv"):
            same = folder / path.relative_to(project / spec.module)
            assert same.read_bytes() == path.read_bytes()


def test_verilator_takes_the_library(project: Path) -> None:
    files = [*systemverilog(project), project / "together.v"]
    said = verilator.lint(files, "together", ["-Wno-DECLFILENAME", "-Wno-UNUSEDSIGNAL"])
    assert "%Warning" not in said and "%Error" not in said


def test_the_files_of_two_folders_are_refused(project: Path) -> None:
    """Which is why there is a library: their own copies of it have the same names."""
    lists = []
    for spec in CORES[:2]:
        folder = project / spec.module
        lines = (folder / f"{spec.module}.f").read_text().splitlines()
        lists += [folder / line for line in lines if not line.startswith("//")]
    with pytest.raises(ToolError):
        verilator.lint([*lists, project / "together.v"], "satoh_5_full", [])


def test_yosys_takes_the_library(project: Path, tmp_path: Path) -> None:
    files = [*systemverilog(project), project / "together.v"]
    script = [yosys.read_slang(files, "together"), "hierarchy -check -top together"]
    yosys.run(script, what="Reading three cores", folder=tmp_path)


def test_the_library_command_replaces_its_own_folder_alone(tmp_path: Path) -> None:
    folder = tmp_path / "lib"
    assert f"files in {folder}" in call("library", "--output", folder)
    first = (folder / "SHA256SUMS").read_text()
    call("library", "-o", folder)
    assert (folder / "SHA256SUMS").read_text() == first
    (tmp_path / "other").mkdir()
    (tmp_path / "other/file").write_text("")
    with pytest.raises(Exception, match="is not empty and holds something other"):
        call("library", "-o", tmp_path / "other")


# --- FuseSoC --------------------------------------------------------------------------------------

USER = """CAPI=2:
name: user:project:together:1.0.0
filesets:
  rtl:
    files: [together.v]
    file_type: verilogSource-2005
    depend:
{depend}
targets:
  lint:
    filesets: [rtl]
    toplevel: together
    flow: lint
    flow_options:
      tool: verilator
      verilator_options: [-Wno-UNOPTFLAT, -Wno-WIDTH, -Wno-MULTITOP]
"""


@pytest.mark.parametrize("library", [False, True], ids=["one file each", "library"])
def test_fusesoc_takes_three_cores(project: Path, tmp_path: Path, library: bool) -> None:
    names = []
    for spec in CORES:
        text = (project / spec.module / f"{spec.module}.core").read_text()
        found = re.search(r"^name: (\S+)$", text, re.MULTILINE)
        assert found is not None
        names.append(f'      - "{found[1]}"')
    (tmp_path / "together.core").write_text(USER.format(depend="\n".join(names)))
    (tmp_path / "together.v").write_text((project / "together.v").read_text())
    (tmp_path / "fusesoc.conf").write_text("")
    script = "import sys; from fusesoc.main import main; sys.exit(main())"
    argv = [sys.executable, "-c", script, "--config", tmp_path / "fusesoc.conf"]
    argv += ["--cores-root", project, "--cores-root", tmp_path, "run", "--target", "lint"]
    argv += ["--flag", "rsm_library"] * library
    argv += ["--work-root", tmp_path / "work", "user:project:together"]
    answer = subprocess.run(
        [str(word) for word in argv],
        cwd=tmp_path,
        env=os.environ | verilator.environment() | {"HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    said = answer.stdout + answer.stderr
    assert answer.returncode == 0 and "Verilator: Built from" in said, said
    (command,) = (tmp_path / "work").glob("*.vc")
    files = re.findall(r"^\S+\.s?v$", command.read_text(), re.MULTILINE)
    assert sum("rsm_cut.sv" in file for file in files) == int(library)
    assert sum(file.endswith("satoh_5_full.v") for file in files) == int(not library)
