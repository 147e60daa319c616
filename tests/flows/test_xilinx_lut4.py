"""Mapping to the families of Xilinx: what is counted, what wins, and that the netlist is right."""

import json
from pathlib import Path

import pytest

from roundsmith.base.errors import ToolError
from roundsmith.flows import xilinx_lut4
from roundsmith.tools import iverilog, yosys

# Chains of five and three registers make shift registers, one with a reset does not; the three
# that a tap in the middle leaves of six are one more.
CHAINS = """
module chains (
  input  logic       clk_i, input logic clear_i, input logic [7:0] a_i, input logic [7:0] b_i,
  output logic [7:0] five_o, output logic [7:0] tapped_o, output logic [7:0] reset_o
);
  logic [4:0][7:0] five_q;
  logic [5:0][7:0] tapped_q;
  logic [3:0][7:0] reset_q;
  always_ff @(posedge clk_i) begin
    five_q   <= {five_q[3:0], a_i ^ b_i};
    tapped_q <= {tapped_q[4:0], a_i & ~b_i};
    if (clear_i) reset_q <= '0;
    else         reset_q <= {reset_q[2:0], a_i | b_i};
  end
  assign five_o   = five_q[4];
  assign tapped_o = tapped_q[5] ^ tapped_q[2];
  assign reset_o  = reset_q[3];
endmodule
"""

# A multiplexer of four inputs: ABC finds three LUTs.
FOUR = """
module four (input logic [3:0] d_i, input logic [1:0] s_i, output logic q_o);
  assign q_o = d_i[s_i];
endmodule
"""

BENCH = """
module bench;
  reg clk = 0, clear = 0; reg [7:0] a = 0, b = 0; integer i, wrong = 0, moved = 0;
  wire [7:0] five, tapped, reset; reg [7:0] t [0:5], f [0:4], r [0:3];
  chains u_chains (.clk_i(clk), .clear_i(clear), .a_i(a), .b_i(b),
    .five_o(five), .tapped_o(tapped), .reset_o(reset));
  initial begin
    for (i = 0; i < 300; i = i + 1) begin
      a = $random; b = $random; clear = ($random & 31) == 0;
      #1;
      f[4] = f[3]; f[3] = f[2]; f[2] = f[1]; f[1] = f[0]; f[0] = a ^ b;
      t[5] = t[4]; t[4] = t[3]; t[3] = t[2]; t[2] = t[1]; t[1] = t[0]; t[0] = a & ~b;
      r[3] = clear ? 0 : r[2]; r[2] = clear ? 0 : r[1]; r[1] = clear ? 0 : r[0];
      r[0] = clear ? 0 : a | b;
      clk = 1; #1 clk = 0; #1;
      if (i > 5 && (five !== f[4] || tapped !== (t[5] ^ t[2]) || reset !== r[3]))
        wrong = wrong + 1;
      if (five != 0 && tapped != 0 && reset != 0) moved = moved + 1;
    end
    $display("%0d wrong, %0d moved", wrong, moved > 100);
    $finish;
  end
endmodule
"""

CELLS = """
module LUT2(output O, input I0, I1); parameter [3:0] INIT = 0;
  assign O = INIT[{I1, I0}]; endmodule
module FDRE(output reg Q, input C, CE, D, R); parameter INIT = 0; initial Q = INIT;
  always @(posedge C) if (R) Q <= 0; else if (CE) Q <= D; endmodule
module SRL16E(output Q, input A0, A1, A2, A3, CE, CLK, D);
  parameter [15:0] INIT = 0; parameter IS_CLK_INVERTED = 0; reg [15:0] r = INIT;
  assign Q = r[{A3, A2, A1, A0}];
  always @(posedge CLK) if (CE) r <= {r[14:0], D}; endmodule
"""


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROUNDSMITH_CACHE", str(tmp_path / "cache"))
    return tmp_path


def _write(folder: Path, name: str, text: str) -> list[Path]:
    file = folder / f"{name}.sv"
    file.write_text(text)
    return [file]


def test_chains_of_registers_become_shift_registers_that_work(own_cache: Path) -> None:
    files = _write(own_cache, "chains", CHAINS)
    made = xilinx_lut4.synthesize(files, "chains", "xcve", own_cache / "out")
    assert made.mapping.endswith("-shift")
    # A chain's last register may be a flip-flop of its own.
    assert made.shift_registers == 24 and made.ff <= 32 + 24
    assert made.lut == 24 + 8 + 8 + 8 + 8
    assert made.slices == max(-(-made.lut // 2), -(-made.ff // 2))

    (own_cache / "bench.v").write_text(BENCH)
    (own_cache / "cells.v").write_text(CELLS)
    program = own_cache / "bench.vvp"
    iverilog.build(
        [own_cache / "bench.v", own_cache / "cells.v", made.verilog], program, top="bench"
    )
    assert iverilog.run(program, cwd=own_cache).splitlines()[-1].strip() == "0 wrong, 1 moved"


def test_a_plain_mapping_is_what_yosys_makes_by_itself(own_cache: Path) -> None:
    files = _write(own_cache, "chains", CHAINS)
    made = xilinx_lut4.synthesize(files, "chains", "xcve", own_cache / "out", plain=True)
    assert (made.mapping, made.shift_registers) == ("plain", 0)
    assert made.ff == 40 + 48 + 32


def test_a_second_call_runs_no_program(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = _write(own_cache, "four", FOUR)
    first = xilinx_lut4.synthesize(files, "four", "xcve", own_cache / "one")
    assert (first.lut, first.ff, first.slices) == (3, 0, 2)

    def refuse(*_args: object, **_kwargs: object) -> str:
        raise AssertionError("a cached step was run again")

    monkeypatch.setattr(yosys, "run", refuse)
    second = xilinx_lut4.synthesize(files, "four", "xcve", own_cache / "two")
    assert second.verilog.read_bytes() == first.verilog.read_bytes()


def test_an_input_of_a_multiplexer_without_a_lut_of_its_own_counts_as_one(tmp_path: Path) -> None:
    def lut(out: int) -> dict[str, object]:
        return {"type": "LUT4", "connections": {"O": [out], "I0": [1]}}

    def mux(low: object, high: object) -> dict[str, object]:
        connections = {"I0": [low], "I1": [high], "S": [2], "O": [9]}
        return {"type": "MUXF5", "connections": connections}

    cells = {"a": lut(10), "b": lut(11), "ram": {"type": "RAM16X1D", "connections": {}}}
    for name, extra, wanted in [
        ("both", {"m": mux(10, 11)}, 4),
        ("port", {"m": mux(10, 3)}, 5),
        ("constant", {"m": mux("1", 11)}, 5),
        ("shared", {"m": mux(10, 11), "n": mux(10, 11)}, 6),
    ]:
        design = {"modules": {"top": {"cells": {**cells, **extra}}}}
        (tmp_path / f"{name}.json").write_text(json.dumps(design))
        assert xilinx_lut4._counted(tmp_path, "top", name).lut == wanted, name


def test_the_bound_is_the_larger_half() -> None:
    assert xilinx_lut4.slice_bound(7, 4) == 4
    assert xilinx_lut4.slice_bound(4, 7) == 4
    assert xilinx_lut4.slice_bound(0, 0) == 0


def test_a_refused_design_is_one_sentence(own_cache: Path) -> None:
    files = _write(own_cache, "broken", "module broken (input logic a_i; endmodule")
    with pytest.raises(ToolError, match=r"synth_xilinx -family xc2v .*broken failed"):
        xilinx_lut4.synthesize(files, "broken", "xc2v", own_cache / "out")
