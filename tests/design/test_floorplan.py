"""The floorplan: regions in the order of the data, and constraints that Tcl takes."""

import json
import shutil
import subprocess
import sys
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from roundsmith import catalogue, export
from roundsmith.design import floorplan, generate
from roundsmith.design.floorplan import Region
from roundsmith.export import verilog2005
from roundsmith.flows import targets
from roundsmith.spec import Spec
from roundsmith.tools import yosys

# What Vivado would do, as far as the file uses it: write down every call.
STUBS = """
proc create_pblock {name} { puts "create $name"; return $name }
proc get_pblocks {name} { return $name }
proc get_cells {names} { return $names }
proc resize_pblock {block flag range} { puts "range $block $flag $range" }
proc add_cells_to_pblock {block cells} { foreach cell $cells { puts "cell $block $cell" } }
"""

# The interpreter inside Python, for machines without tclsh.
_INSIDE = """
import sys, tkinter
tcl = tkinter.Tcl()
lines = []
tcl.createcommand("puts", lambda text: lines.append(text))
tcl.eval(open(sys.argv[1]).read())
print("\\n".join(lines))
"""


def _tcl(text: str, folder: Path) -> list[list[str]]:
    """Run the constraints in a Tcl interpreter; return the calls that they make."""
    script = folder / "floorplan.tcl"
    script.write_text(STUBS + text)
    shell = shutil.which("tclsh")
    if shell is not None:
        argv = [shell, str(script)]
    else:
        pytest.importorskip("tkinter", reason="there is no Tcl interpreter")
        argv = [sys.executable, "-c", _INSIDE, str(script)]
    run = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return [line.split() for line in run.stdout.splitlines()]


def _elaborated(spec: Spec, folder: Path) -> set[str]:
    """Return every instance of `spec`, as Yosys elaborates it."""
    files = generate.design(spec).write(folder)
    read = yosys.read_slang(files, spec.module).replace("slang", "slang --keep-hierarchy", 1)
    return _read(read, spec, folder)


def _read(read: str, spec: Spec, folder: Path) -> set[str]:
    """Return every instance of `spec` in what the commands `read` of Yosys read."""
    yosys.run([read, "write_json all.json"], what="Elaboration", folder=folder)
    modules = json.loads((folder / "all.json").read_text())["modules"]

    def below(module: str, prefix: str) -> set[str]:
        found = set()
        for name, cell in modules[module]["cells"].items():
            if cell["type"] in modules:
                found |= {prefix + name} | below(cell["type"], f"{prefix}{name}/")
        return found

    return below(spec.module, "")


def _box(span: str) -> tuple[int, int, int, int]:
    corners = [corner.split("_X")[1].split("Y") for corner in span.split(":")]
    (left, bottom), (right, top) = corners
    return int(left), int(bottom), int(right), int(top)


def _overlap(a: tuple[int, int, int, int], b: tuple[int, int, int, int]) -> bool:
    return a[0] <= b[2] and b[0] <= a[2] and a[1] <= b[3] and b[1] <= a[3]


def _touch(a: Region, b: Region) -> bool:
    return _overlap(
        (a.x, a.y, a.x + a.width, a.y + a.height), (b.x, b.y, b.x + b.width, b.y + b.height)
    )


@pytest.mark.parametrize(
    "name",
    [
        *("saggese-iterative", "saggese-unrolled-1", "saggese-tiled-2-full"),
        *("saggese-iterative-5-cbc5", "saggese-unrolled-1-gcm-axi4-stream"),
    ],
)
def test_the_constraints_run_in_tcl_and_name_what_is_there(name: str, tmp_path: Path) -> None:
    spec = catalogue.find(name)
    text = floorplan.xdc(spec)
    calls = _tcl(text, tmp_path)
    blocks = [call[1] for call in calls if call[0] == "create"]
    cells = [(call[1], call[2]) for call in calls if call[0] == "cell"]
    ranges = [(call[1], call[3]) for call in calls if call[0] == "range"]
    assert len(blocks) == len(set(blocks)) >= 2
    assert {block for block, _ in cells} == {block for block, _ in ranges} == set(blocks)
    there = _elaborated(spec, tmp_path)
    assert {cell for _, cell in cells} <= there
    assert len(cells) == len(set(cells))
    for (one, a), (other, b) in combinations(ranges, 2):
        if a.split("_")[0] == b.split("_")[0]:
            assert not _overlap(_box(a), _box(b)), (one, a, other, b)
    assert any(span.startswith("RAMB18") for _, span in ranges)
    # The same file moved elsewhere, inside a larger design.
    moved = text.replace('set rsm_core ""', 'set rsm_core "u_system/u_aes/"')
    again = _tcl(moved.replace("rsm_x0 0", "rsm_x0 36").replace("rsm_y0 0", "rsm_y0 50"), tmp_path)
    assert {call[2] for call in again if call[0] == "cell"} == {
        f"u_system/u_aes/{cell}" for _, cell in cells
    }
    before, after = (next(_box(c[3]) for c in got if c[0] == "range") for got in (calls, again))
    assert after == (before[0] + 36, before[1] + 50, before[2] + 36, before[3] + 50)


def test_components_stand_in_the_order_of_the_data() -> None:
    regions = floorplan.plan(catalogue.find("saggese-iterative"))
    assert [region.name for region in regions] == ["sub_bytes", "linear", "keys"]
    assert all(a.x + a.width == b.x for a, b in pairwise(regions))
    assert [region.rams for region in regions] == [1, 0, 1]
    # Eight block RAMs of 18 kbit are twenty slices high.
    assert {(region.y, region.height) for region in regions} == {(0, 20)}


def test_rounds_stand_in_a_serpentine() -> None:
    regions = floorplan.plan(catalogue.find("saggese-unrolled-5"))
    rounds = [region for region in regions if region.name.startswith("round")]
    assert [region.name for region in rounds] == [f"round_{i}" for i in range(1, 11)]
    assert all(_touch(a, b) for a, b in pairwise(rounds))
    assert {region.y for region in rounds[:5]} == {rounds[0].height}
    assert {region.y for region in rounds[5:]} == {0}
    assert rounds[0].x == rounds[9].x and rounds[4].x == rounds[5].x


@pytest.mark.parametrize("name", ["saggese-iterative", "saggese-unrolled-1-gcm-axi4-stream"])
def test_the_project_names_what_is_in_its_verilog(name: str, tmp_path: Path) -> None:
    """Vivado's project reads one file of Verilog-2005, whose instances have other names."""
    spec = catalogue.find(name)
    files = export.project(spec, targets.parse("vivado:xc7a200tfbg676-2"), [])
    calls = _tcl(files[f"vivado/{spec.module}_floorplan.xdc"].decode(), tmp_path)
    cells = {call[2] for call in calls if call[0] == "cell"}
    source = tmp_path / f"{spec.module}.v"
    source.write_text(verilog2005.convert(generate.design(spec)).text)
    assert cells and cells <= _read(f"read_verilog {source.name}\nproc", spec, tmp_path)
    assert not cells <= _elaborated(spec, tmp_path)


@pytest.mark.parametrize("name", sorted(catalogue.native()))
def test_every_core_has_a_floorplan_without_overlap(name: str) -> None:
    regions = floorplan.plan(catalogue.find(name))
    assert all(r.instances and r.width > 0 and r.height % 10 == 0 for r in regions)
    for a, b in combinations(regions, 2):
        apart = a.x + a.width <= b.x or b.x + b.width <= a.x
        assert apart or a.y + a.height <= b.y or b.y + b.height <= a.y, (a, b)


def test_regions_grow_with_the_luts_of_a_netlist(tmp_path: Path) -> None:
    spec = catalogue.find("iterative-lut4")
    paths = {region.name: region.instances for region in floorplan.plan(spec)}

    def netlist(luts: dict[str, int]) -> Path:
        cells = {
            f"{paths[part][0].replace('/', '.')}.x_LUT4_Z_{i}": {"type": "LUT4"}
            for part, count in luts.items()
            for i in range(count)
        }
        cells["u_core.other_LUT4_Z"] = {"type": "LUT4"}
        file = tmp_path / "netlist.json"
        top = {"attributes": {"top": "1"}, "cells": cells}
        file.write_text(json.dumps({"modules": {"top": top}}))
        return file

    luts = {"sub_bytes": 900, "linear": 300, "keys": 120}
    assert floorplan.luts_by_part(netlist(luts), paths) == luts
    small = {r.name: r.width * r.height for r in floorplan.plan(spec, netlist(luts))}
    large = {
        r.name: r.width * r.height for r in floorplan.plan(spec, netlist({**luts, "linear": 900}))
    }
    assert large["linear"] > small["linear"] and large["keys"] == small["keys"]
    assert small["linear"] < small["sub_bytes"]
    assert "counted in a mapped netlist" in floorplan.xdc(spec, netlist(luts))
