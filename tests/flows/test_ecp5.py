"""The ECP5 flow: synthesis, counting, place and route, reports, pictures and their errors."""

import json
import os
from pathlib import Path

import pytest
from matplotlib import image

from roundsmith.base.errors import ToolError
from roundsmith.flows import components, ecp5
from roundsmith.measure import picture
from roundsmith.tools import nextpnr, yosys

TINY = """
module tiny (input logic clk_i, input logic [7:0] d_i, output logic [7:0] q_o);
  logic [7:0] a_q, b_q;
  always_ff @(posedge clk_i) begin
    a_q <= d_i;
    b_q <= (a_q << 1) ^ {a_q[3:0], a_q[7:4]} ^ (b_q + 8'd3);
  end
  assign q_o = b_q;
endmodule
"""

RAM = """
module small_ram (
  input logic clk_i, input logic we_i, input logic [3:0] w_i, r_i,
  input logic [3:0] d_i, output logic [3:0] q_o
);
  (* ram_style = "distributed" *) logic [3:0] memory [16];
  logic [3:0] q_q;
  always_ff @(posedge clk_i) begin
    if (we_i) memory[w_i] <= d_i;
    q_q <= memory[r_i];
  end
  assign q_o = q_q;
endmodule
"""

REPORT = {
    "fmax": {"clk_i": {"achieved": 100.5, "constraint": 110.0}},
    "utilization": {
        "TRELLIS_COMB": {"used": 12, "available": 24288},
        "DP16KD": {"used": 0, "available": 56},
    },
    "critical_paths": [
        {
            "from": "posedge clk_i",
            "to": "posedge clk_i",
            "path": [
                {
                    "type": t,
                    "delay": d,
                    "from": {"cell": a, "port": "X"},
                    "to": {"cell": b, "port": "Y"},
                }
                for t, d, a, b in [
                    ("clk-to-q", 0.5, "reg", "reg"),
                    ("routing", 1.0, "reg", "mix0"),
                    ("logic", 0.25, "mix0", "mix0"),
                    ("routing", 0.75, "mix0", "mix1"),
                    ("logic", 0.25, "mix1", "mix1"),
                    ("routing", 0.5, "mix1", "sbox"),
                    ("setup", 0.0, "sbox", "sbox"),
                ]
            ],
        },
        {
            "from": "<async>",
            "to": "posedge clk_i",
            "path": [
                {
                    "type": "routing",
                    "delay": 2.0,
                    "from": {"cell": "port", "port": "O"},
                    "to": {"cell": "reg", "port": "D"},
                }
            ],
        },
    ],
}


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # The compiled WebAssembly stays where it is; only our own results go elsewhere.
    monkeypatch.setenv("ROUNDSMITH_CACHE", str(tmp_path / "cache"))
    return tmp_path


def _write(folder: Path, name: str, text: str) -> list[Path]:
    file = folder / f"{name}.sv"
    file.write_text(text)
    return [file]


def test_a_tiny_design_is_placed_and_drawn(own_cache: Path) -> None:
    files = _write(own_cache, "tiny", TINY)
    netlist = ecp5.synthesize_ecp5(files, "tiny", own_cache / "out")
    assert netlist.ff == 16 and netlist.lut >= 8 and netlist.block_ram == 0
    assert "module tiny" in netlist.verilog.read_text()

    told: list[tuple[str, int, int]] = []
    result = ecp5.place_ecp5(netlist, "25k", seeds=(1, 2), progress=lambda *step: told.append(step))
    assert set(result.fmax_by_seed) == {1, 2}
    assert min(result.fmax_by_seed.values()) <= result.fmax_mhz <= max(result.fmax_by_seed.values())
    assert result.fmax_capped_mhz == min(result.fmax_mhz, 257.0)
    assert result.target == "ecp5-25k:6"
    assert [done for _, done, _ in told] == [1, 2, 3] and told[-1][1] == told[-1][2]
    length = sum(step.logic_ns + step.routing_ns for step in result.critical_path)
    median_seed = min(result.fmax_by_seed.values(), key=lambda fmax: abs(fmax - result.fmax_mhz))
    assert length == pytest.approx(1000 / median_seed, rel=0.01)

    drawn = own_cache / "out" / "placement.png"
    picture.draw(result.bels, result.roles, drawn, "tiny")
    pixels = image.imread(drawn)
    assert pixels.shape[0] > 200 and pixels.std() > 0.05


def test_a_second_call_runs_no_program(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = _write(own_cache, "tiny", TINY)
    first = ecp5.synthesize_ecp5(files, "tiny", own_cache / "one")

    def refuse(*_args: object, **_kwargs: object) -> str:
        raise AssertionError("a cached step was run again")

    monkeypatch.setattr(yosys, "run", refuse)
    second = ecp5.synthesize_ecp5(files, "tiny", own_cache / "two")
    assert second.json.read_bytes() == first.json.read_bytes()


def test_distributed_ram_counts_the_luts_that_it_takes(own_cache: Path) -> None:
    files = _write(own_cache, "small_ram", RAM)
    netlist = ecp5.synthesize_ecp5(files, "small_ram", own_cache / "out")
    cells = json.loads(netlist.json.read_text())["modules"]["small_ram"]["cells"].values()
    kinds = [cell["type"] for cell in cells]
    assert kinds.count("TRELLIS_DPR16X4") == 1
    assert netlist.lut == 6 + kinds.count("LUT4")
    report = nextpnr.run(netlist.json, own_cache / "pnr", size="25k", grade=6, freq=100, seed=1)
    assert report.used["TRELLIS_RAMW"] == 1
    # nextpnr counts the same six, and up to two more that drive constants.
    assert netlist.lut <= report.used["TRELLIS_COMB"] <= netlist.lut + 2


@pytest.mark.parametrize(("instance", "ff"), [("u_tile_", 16), ("u_lane_", 16), ("u_core_", 8)])
def test_copies_of_a_core_keep_their_own_registers(own_cache: Path, instance: str, ff: int) -> None:
    # Both copies keep the same, so a synthesis of the whole would leave one register.
    keeper = """
module keeper #(parameter int unsigned Width = 8) (
  input logic clk_i, input logic [Width-1:0] d_i, output logic [Width-1:0] q_o
);
  always_ff @(posedge clk_i) q_o <= d_i;
endmodule
"""
    top = f"""
module twins (input logic clk_i, input logic [7:0] d_i, output logic [15:0] q_o);
  keeper #(
    .Width (8)
  ) {instance}0 (
    .clk_i, .d_i, .q_o (q_o[7:0])
  );
  keeper #(
    .Width (8)
  ) {instance}1 (
    .clk_i, .d_i, .q_o (q_o[15:8])
  );
endmodule
"""
    files = _write(own_cache, "keeper", keeper) + _write(own_cache, "twins", top)
    netlist = ecp5.synthesize_ecp5(files, "twins", own_cache / "out")
    assert netlist.ff == ff
    assert "keeper" not in json.loads(netlist.json.read_text())["modules"]


@pytest.mark.parametrize(("attribute", "ff"), [("(* keep *) ", 4), ("", 1)])
def test_registers_to_keep_are_kept(own_cache: Path, attribute: str, ff: int) -> None:
    equal = f"""
module equal (input logic clk_i, input logic d_i, output logic [3:0] q_o);
  for (genvar i = 0; i < 4; i++) begin : gen_copy
    {attribute}logic copy_q;
    always_ff @(posedge clk_i) copy_q <= d_i;
    assign q_o[i] = copy_q;
  end
endmodule
"""
    files = _write(own_cache, "equal", equal)
    assert ecp5.synthesize_ecp5(files, "equal", own_cache / "out").ff == ff


def test_luts_of_mixed_cells() -> None:
    kinds = {"LUT4": 5, "CCU2C": 2, "TRELLIS_DPR16X4": 1, "TRELLIS_FF": 9, "PFUMX": 1}
    assert ecp5.lut_count(kinds) == 5 + 4 + 6


def test_a_report_is_read() -> None:
    report = nextpnr.parse_report(json.dumps(REPORT))
    assert report.fmax == {"clk_i": 100.5}
    assert report.used == {"TRELLIS_COMB": 12}
    assert report.paths[0].delay == pytest.approx(3.25)
    assert report.paths[1].start == "<async>"
    with pytest.raises(ToolError, match="report cannot be read"):
        nextpnr.parse_report("{}")


def test_a_path_is_told_in_components() -> None:
    path = nextpnr.parse_report(json.dumps(REPORT)).paths[0]
    roles = {
        "reg": components.Role(components.LINEAR, "state register byte 7 bit 2"),
        "mix0": components.Role(components.LINEAR, "MixColumns"),
        "mix1": components.Role(components.LINEAR, "MixColumns"),
        "sbox": components.Role(components.SBOX, "S-box byte 3"),
    }
    steps = ecp5.path_steps(path, roles)
    assert [(s.component, s.start, s.end) for s in steps] == [
        (components.LINEAR, "state register byte 7 bit 2", "MixColumns"),
        (components.SBOX, "S-box byte 3", "S-box byte 3"),
    ]
    assert steps[0].logic_ns == pytest.approx(1.0)
    assert steps[0].routing_ns == pytest.approx(1.75)
    assert ecp5.path_text(steps).endswith("S-box byte 3 (0.50 ns)")


def test_median_and_spread() -> None:
    median, spread = ecp5.median_and_spread([90.0, 110.0, 100.0])
    assert median == 100.0
    assert spread == pytest.approx(0.2)


def test_the_target_is_a_little_above_what_was_reached() -> None:
    assert ecp5.target_mhz(81.3) == 89


def test_unknown_devices_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="no ECP5 of size '99k'; the sizes are 25k, 45k, 85k"):
        ecp5.measure_ecp5([], "tiny", "99k")
    with pytest.raises(ToolError, match="no speed grade 5"):
        nextpnr.run(tmp_path / "x.json", tmp_path, size="25k", grade=5, freq=100, seed=1)


def test_a_refused_netlist_is_one_sentence(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    with pytest.raises(ToolError, match=r"Place and route of bad\.json on ecp5-25k failed") as info:
        nextpnr.run(bad, tmp_path / "run", size="25k", grade=6, freq=100, seed=1)
    assert os.linesep not in str(info.value)


def _ff(out: int, data: int) -> dict[str, object]:
    directions = {"CLK": "input", "DI": "input", "Q": "output"}
    connections = {"CLK": [0], "DI": [data], "Q": [out]}
    return {"type": "TRELLIS_FF", "port_directions": directions, "connections": connections}


def _lut(out: int, *inputs: int) -> dict[str, object]:
    connections = {"Z": [out], **{p: [bit] for p, bit in zip("ABCD", inputs, strict=False)}}
    directions = {port: "output" if port == "Z" else "input" for port in connections}
    return {"type": "LUT4", "port_directions": directions, "connections": connections}


def test_a_lut_belongs_to_the_round_and_the_tile_that_it_drives(tmp_path: Path) -> None:
    line = "gen_tile[1].u_core.gen_pipe.u_pipe.gen_stage"
    names = {
        f"{line}[0].u_stage.gen_key_last.gen_one_path.u_round.u_cut_round.gen_register.data_q": 100,
        f"{line}[1].u_stage.gen_on_the_fly.u_cut_round.gen_register.data_q": 300,
        f"{line}[1].u_stage.u_cut_head.gen_register.data_q": 500,
        f"{line}[1].u_stage.u_cut_round_control.gen_register.data_q": 900,
    }
    widths = {100: 128, 300: 128, 500: 256, 900: 8}
    # The input of round 2 is a further name of what a register of round 1 holds.
    aliases = {f"{line}[1].u_stage.state_i": 100}
    design = {
        "attributes": {"top": "1"},
        "ports": {},
        "netnames": {
            name: {"bits": list(range(bit, bit + widths[bit]))}
            for name, bit in {**aliases, **names}.items()
        },
        "cells": {
            "state": _ff(100, 2),
            "key": _ff(300, 3),
            "head_state": _ff(500 + 255, 4),
            "head_key": _ff(500, 5),
            "control": _ff(900, 6),
            "drives_state": _lut(2, 300, 7),
            "drives_key": _lut(3, 8, 9),
            "drives_head": _lut(4, 100, 10),
            "drives_control": _lut(6, 100, 10),
        },
    }
    file = tmp_path / "netlist.json"
    file.write_text(json.dumps({"modules": {"top": design}}))
    role = components.roles(file)
    place = {name: (r.component, r.tile, r.stage) for name, r in role.items()}
    assert place["state"] == place["drives_state"] == (components.LINEAR, 1, 0)
    assert place["key"] == place["drives_key"] == (components.KEY, 1, 1)
    assert place["head_state"] == place["drives_head"] == (components.LINEAR, 1, 1)
    assert place["head_key"] == (components.KEY, 1, 1)
    assert place["control"][0] == place["drives_control"][0] == components.CONTROL
    assert place["drives_control"][2] is None
    assert role["state"].name == "state register byte 15 bit 0"


@pytest.mark.parametrize(
    ("tiles", "stages", "wanted"), [(1, 1, 3), (1, 10, 2 * 10 + 1), (4, 1, 2 * 4 + 1)]
)
def test_a_placement_is_coloured_by_what_there_is_several_of(
    tiles: int, stages: int, wanted: int, tmp_path: Path
) -> None:
    bels, roles = {}, {}
    for tile in range(tiles):
        for stage in range(stages):
            for component in (components.SBOX, components.KEY):
                name = f"{component} {tile} {stage}"
                row = 4 if component == components.KEY else 1
                bels[name] = ("TRELLIS_COMB", f"X{12 * tile + stage}/Y{row}/SLICE")
                roles[name] = components.Role(component, "x", stage, tile)
    bels["port"] = ("TRELLIS_FF", "X3/Y8/SLICE")
    roles["port"] = components.Role(components.CONTROL, "x")
    groups = {picture.group_of(roles)(role) for role in roles.values()}
    colours = picture.colours(groups)
    assert len(colours) == len(set(colours.values())) == wanted
    bels["memory"] = ("DP16KD", "X4/Y12/EBR")
    picture.draw(bels, roles, tmp_path / "drawn.png", "by round")
    assert image.imread(tmp_path / "drawn.png").std() > 0.02


def test_a_large_core_gets_one_netlist_and_one_placer(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = _write(own_cache, "tiny", TINY)
    everything = ecp5.candidates(files, "tiny", own_cache / "out")
    assert {n.mapping for n in everything} <= set(ecp5.MAPPINGS) and len(everything) > 1
    assert everything == sorted(everything, key=lambda n: n.lut)
    monkeypatch.setattr(ecp5, "LARGE", 5)
    (netlist,) = ecp5.candidates(files, "tiny", own_cache / "out")
    assert netlist.mapping in ecp5.LARGE_MAPPINGS
    result = ecp5.measure_ecp5(files, "tiny", "25k", seeds=(1, 2))
    assert (result.placer, result.target_mhz) == ("static", ecp5.LARGE_TARGET_MHZ)
    assert set(result.fmax_by_seed) == {1, 2}


def test_a_plain_measurement_takes_the_tools_as_they_come(own_cache: Path) -> None:
    files = _write(own_cache, "tiny", TINY)
    result = ecp5.measure_ecp5(files, "tiny", "25k", seeds=(1,), plain=True)
    assert (result.netlist.mapping, result.placer) == ("plain", "plain")
