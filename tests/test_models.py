"""Our models of cells that Yosys ships as black boxes, against memories written in Verilog."""

from pathlib import Path

import pytest

from roundsmith.synthesize import MODELS
from roundsmith.tools import iverilog, yosys

#: Address bits, data bits, and what a port does with a word that it writes itself.
SHAPES = [
    (9, 16, "old"),
    (10, 18, "new"),
    (10, 18, "none"),
    (11, 9, "old"),
    (11, 8, "new"),
    (12, 4, "none"),
    (13, 2, "old"),
    (14, 1, "new"),
]


def memory(name: str, abits: int, dbits: int, mode: str) -> str:
    """Return a memory with two ports that read and write, with reset and enable."""
    ports = []
    for p in "ab":
        write = f"if (we_{p} && !rst_{p}) m[ad_{p}] <= di_{p};"  # as the block RAM has it
        read = {
            "old": f"do_{p} <= m[ad_{p}];",
            "new": f"do_{p} <= we_{p} ? di_{p} : m[ad_{p}];",
            "none": f"if (!we_{p}) do_{p} <= m[ad_{p}];",
        }[mode]
        ports.append(
            f"  always @(posedge clk) begin if (ce_{p}) begin {write} {read} end\n"
            f"    if (rst_{p}) do_{p} <= 0; end\n"
        )
    signals = ", ".join(
        f"input ce_{p}, input we_{p}, input rst_{p}, input [{abits - 1}:0] ad_{p}, "
        f"input [{dbits - 1}:0] di_{p}, output reg [{dbits - 1}:0] do_{p}"
        for p in "ab"
    )
    return (
        f"module {name} (input clk, {signals});\n"
        f'  (* ram_style = "block" *) reg [{dbits - 1}:0] m [0:{(1 << abits) - 1}];\n'
        "  integer i;\n"
        f"  initial for (i = 0; i < {1 << abits}; i = i + 1) m[i] = i * 40503 >> 3;\n"
        f"  initial begin do_a = 0; do_b = 0; end\n" + "".join(ports) + "endmodule\n"
    )


def bench(abits: int, dbits: int) -> str:
    """Drive both forms with the same random traffic; the two ports stay apart."""
    wires, connect = [], {"right": [], "tested": []}
    for p in "ab":
        wires.append(
            f"reg ce_{p}, we_{p}, rst_{p}; reg [{abits - 1}:0] ad_{p}; reg [{dbits - 1}:0] di_{p};"
            f" wire [{dbits - 1}:0] right_{p}, tested_{p};"
        )
        for form, pins in connect.items():
            pins += [f".{s}_{p}({s}_{p})" for s in ("ce", "we", "rst", "ad", "di")]
            pins.append(f".do_{p}({form}_{p})")
    drive = "\n".join(
        f"    ce_{p} = $random | $random; we_{p} = $random & $random; "
        f"rst_{p} = ($random & 15) == 0; ad_{p} = $random; di_{p} = $random;"
        for p in "ab"
    )
    return f"""
module bench;
  reg clk = 0; integer i, wrong = 0, moved = 0;
  {" ".join(wires)}
  right u_right (.clk(clk), {", ".join(connect["right"])});
  tested u_tested (.clk(clk), {", ".join(connect["tested"])});
  initial begin
    for (i = 0; i < 4000; i = i + 1) begin
{drive}
      // What a port reads while the other writes the same word is not defined.
      if (ad_a == ad_b) ad_b[{abits - 1}] = !ad_b[{abits - 1}];
      #1 clk = 1; #1 clk = 0;
      if (right_a !== tested_a || right_b !== tested_b) wrong = wrong + 1;
      if (right_a != 0) moved = moved + 1;
    end
    $display("%0d wrong, %0d moved", wrong, moved > 1000);
    $finish;
  end
endmodule
"""


@pytest.mark.parametrize(("abits", "dbits", "mode"), SHAPES)
def test_block_ram_of_ecp5(abits: int, dbits: int, mode: str, tmp_path: Path) -> None:
    (tmp_path / "tested.v").write_text(memory("tested", abits, dbits, mode))
    (tmp_path / "right.v").write_text(memory("right", abits, dbits, mode))
    (tmp_path / "bench.v").write_text(bench(abits, dbits))
    script = [
        "read_verilog tested.v",
        "synth_ecp5 -no-rw-check -top tested",
        "select -assert-min 1 t:DP16KD",
        "write_verilog -noattr netlist.v",
    ]
    yosys.run(script, what="Mapping a memory", folder=tmp_path)
    files = [tmp_path / "bench.v", tmp_path / "right.v", tmp_path / "netlist.v"]
    cells = _cells(tmp_path)
    program = tmp_path / "bench.vvp"
    iverilog.build([*files, MODELS / "ecp5_dp16kd.v", cells], program, top="bench")
    assert iverilog.run(program, cwd=tmp_path).splitlines()[-1].strip() == "0 wrong, 1 moved"


def _cells(folder: Path) -> Path:
    """Return the two cells besides the block RAM that these netlists hold."""
    path = folder / "cells.v"
    path.write_text(
        "module LUT4(input A, B, C, D, output Z); parameter [15:0] INIT = 0;\n"
        "  assign Z = INIT[{D, C, B, A}]; endmodule\n"
        "module TRELLIS_FF(input CLK, LSR, CE, DI, M, output reg Q);\n"
        '  parameter GSR = "", CEMUX = "1", CLKMUX = "CLK", LSRMUX = "LSR", SRMODE = "",\n'
        '    REGSET = "RESET", LSRMODE = "LSR";\n'
        '  initial Q = REGSET == "SET";\n'
        "  always @(posedge CLK)\n"
        '    if (LSR) Q <= REGSET == "SET";\n'
        '    else if (CEMUX == "1" || (CEMUX == "INV" ? !CE : CE)) Q <= DI;\n'
        "endmodule\n"
    )
    return path
