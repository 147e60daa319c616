"""Our models of cells that Yosys ships as black boxes, against memories written in Verilog."""

import re
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from roundsmith.base.errors import ToolError
from roundsmith.flows.synthesize import MODELS
from roundsmith.tools import iverilog, yosys


def _long(*values: object) -> ParameterSet:
    """Mark a memory of many words, which takes long to synthesize, as a long test."""
    return pytest.param(*values, marks=pytest.mark.long)


#: Address bits, data bits, and what a port does with a word that it writes itself.
ECP5_SHAPES = [
    (9, 16, "old"),
    (10, 18, "new"),
    (10, 18, "none"),
    (11, 9, "old"),
    (11, 8, "new"),
    (12, 4, "none"),
    (13, 2, "old"),
    (14, 1, "new"),
]

#: The same of RAMB4 and RAMB16, with the family and the cell.
XILINX_SHAPES = [
    _long("xcve", 12, 1, "new", "RAMB4_S1_S1"),
    _long("xcve", 11, 2, "new", "RAMB4_S2_S2"),
    _long("xcve", 10, 4, "new", "RAMB4_S4_S4"),
    ("xcve", 9, 8, "new", "RAMB4_S8_S8"),
    ("xcve", 8, 16, "new", "RAMB4_S16_S16"),
    _long("xc2v", 14, 1, "old", "RAMB16_S1_S1"),
    _long("xc3s", 13, 2, "new", "RAMB16_S2_S2"),
    _long("xc2v", 12, 4, "none", "RAMB16_S4_S4"),
    ("xc3s", 11, 9, "old", "RAMB16_S9_S9"),
    ("xc2v", 10, 18, "new", "RAMB16_S18_S18"),
    ("xc3s", 9, 36, "none", "RAMB16_S36_S36"),
]

#: One port of each family, and a width and cell of it.
XILINX_SINGLE = [
    _long("xcve", 12, 1, "RAMB4_S1"),
    _long("xcve", 11, 2, "RAMB4_S2"),
    _long("xcve", 10, 4, "RAMB4_S4"),
    ("xcve", 9, 8, "RAMB4_S8"),
    ("xcve", 8, 16, "RAMB4_S16"),
    _long("xc2v", 14, 1, "RAMB16_S1"),
    _long("xc2v", 13, 2, "RAMB16_S2"),
    _long("xc2v", 12, 4, "RAMB16_S4"),
    ("xc2v", 11, 9, "RAMB16_S9"),
    ("xc2v", 10, 18, "RAMB16_S18"),
    ("xc2v", 9, 36, "RAMB16_S36"),
]


def memory(
    name: str, abits: int, dbits: int, mode: str, *, gated: bool = False, ports: str = "ab"
) -> str:
    """Return a memory with ports that read and write, with reset and enable.

    `gated` is the reset of Xilinx: it waits for the enable, and leaves the write alone.
    """
    texts = []
    for p in ports:
        # As the block RAM has it.
        write = f"if (we_{p}{'' if gated else f' && !rst_{p}'}) m[ad_{p}] <= di_{p};"
        read = {
            "old": f"do_{p} <= m[ad_{p}];",
            "new": f"do_{p} <= we_{p} ? di_{p} : m[ad_{p}];",
            "none": f"if (!we_{p}) do_{p} <= m[ad_{p}];",
        }[mode]
        reset = f"if (rst_{p}) do_{p} <= 0;"
        inside, outside = (reset, "") if gated else ("", reset)
        texts.append(
            f"  always @(posedge clk) begin if (ce_{p}) begin {write} {read} {inside} end\n"
            f"    {outside} end\n"
        )
    signals = ", ".join(
        f"input ce_{p}, input we_{p}, input rst_{p}, input [{abits - 1}:0] ad_{p}, "
        f"input [{dbits - 1}:0] di_{p}, output reg [{dbits - 1}:0] do_{p}"
        for p in ports
    )
    start = " ".join(f"do_{p} = 0;" for p in ports)
    return (
        f"module {name} (input clk, {signals});\n"
        f'  (* ram_style = "block", no_rw_check *) reg [{dbits - 1}:0] m [0:{(1 << abits) - 1}];\n'
        "  integer i;\n"
        f"  initial for (i = 0; i < {1 << abits}; i = i + 1) m[i] = i * 40503 >> 3;\n"
        f"  initial begin {start} end\n" + "".join(texts) + "endmodule\n"
    )


def bench(abits: int, dbits: int, ports: str = "ab") -> str:
    """Drive both forms with the same random traffic; the ports stay apart."""
    wires, connect = [], {"right": [], "tested": []}
    for p in ports:
        wires.append(
            f"reg ce_{p}, we_{p}, rst_{p}; reg [{abits - 1}:0] ad_{p}; reg [{dbits - 1}:0] di_{p};"
            f" wire [{dbits - 1}:0] right_{p}, tested_{p};"
        )
        for form, pins in connect.items():
            pins += [f".{s}_{p}({s}_{p})" for s in ("ce", "we", "rst", "ad", "di")]
            pins.append(f".do_{p}({form}_{p})")
    drive = "\n".join(
        f"    ce_{p} = $random | $random; we_{p} = $random & $random; "
        f"rst_{p} = ($random & 15) == 0; ad_{p} = $random; di_{p} = {{$random, $random}};"
        for p in ports
    )
    apart = f"if (ad_a == ad_b) ad_b[{abits - 1}] = !ad_b[{abits - 1}];" if "b" in ports else ""
    differ = " || ".join(f"right_{p} !== tested_{p}" for p in ports)
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
      {apart}
      #1 clk = 1; #1 clk = 0;
      if ({differ}) wrong = wrong + 1;
      if (right_a != 0) moved = moved + 1;
    end
    $display("%0d wrong, %0d moved", wrong, moved > 1000);
    $finish;
  end
endmodule
"""


@pytest.mark.parametrize(("abits", "dbits", "mode"), ECP5_SHAPES)
def test_block_ram_of_ecp5(abits: int, dbits: int, mode: str, tmp_path: Path) -> None:
    text = memory("{}", abits, dbits, mode)
    script = ["synth_ecp5 -top tested", "select -assert-min 1 t:DP16KD"]
    models = [MODELS / "ecp5_dp16kd.v", _ecp5_cells(tmp_path)]
    _compare(text, bench(abits, dbits), script, models, tmp_path)


def wide_memory(name: str, bytes_apart: bool) -> str:
    """Return a memory of 36 bits with a port that writes, words or parts, and one that reads."""
    write = (
        "for (i = 0; i < 4; i = i + 1) if (we_a[i]) m[ad_a][9*i +: 9] <= di_a[9*i +: 9];"
        if bytes_apart
        else "if (we_a[0]) m[ad_a] <= di_a;"
    )
    return f"""
module {name} (input clk, input ce_a, input [3:0] we_a, input [8:0] ad_a, input [35:0] di_a,
               input ce_b, input rst_b, input [8:0] ad_b, output reg [35:0] do_b);
  (* ram_style = "block", no_rw_check *) reg [35:0] m [0:511];
  integer i;
  initial for (i = 0; i < 512; i = i + 1) m[i] = i * 36'd16777619;
  initial do_b = 0;
  always @(posedge clk) if (ce_a) begin {write} end
  always @(posedge clk) begin if (ce_b) do_b <= m[ad_b]; if (rst_b) do_b <= 0; end
endmodule
"""


WIDE_BENCH = """
module bench;
  reg clk = 0, ce_a, ce_b, rst_b; reg [3:0] we_a; reg [8:0] ad_a, ad_b; reg [35:0] di_a;
  wire [35:0] right_b, tested_b; integer i, wrong = 0, moved = 0;
  right u_right (clk, ce_a, we_a, ad_a, di_a, ce_b, rst_b, ad_b, right_b);
  tested u_tested (clk, ce_a, we_a, ad_a, di_a, ce_b, rst_b, ad_b, tested_b);
  initial begin
    for (i = 0; i < 4000; i = i + 1) begin
      ce_a = $random; we_a = $random; ad_a = $random & 63; di_a = {$random, $random};
      ce_b = $random | $random; rst_b = ($random & 15) == 0; ad_b = $random & 63;
      if (ad_a == ad_b) ad_b[8] = 1;
      #1 clk = 1; #1 clk = 0;
      if (right_b !== tested_b) wrong = wrong + 1;
      if (right_b != 0) moved = moved + 1;
    end
    $display("%0d wrong, %0d moved", wrong, moved > 1000);
    $finish;
  end
endmodule
"""


@pytest.mark.parametrize("bytes_apart", [False, True], ids=["words", "bytes"])
def test_wide_block_ram_of_ecp5(bytes_apart: bool, tmp_path: Path) -> None:
    script = ["synth_ecp5 -top tested", "select -assert-count 1 t:DP16KD r:DATA_WIDTH_B=36 %i"]
    models = [MODELS / "ecp5_dp16kd.v", _ecp5_cells(tmp_path)]
    _compare(wide_memory("{}", bytes_apart), WIDE_BENCH, script, models, tmp_path)


@pytest.mark.parametrize(("family", "abits", "dbits", "mode", "cell"), XILINX_SHAPES)
def test_block_ram_of_xilinx(
    family: str, abits: int, dbits: int, mode: str, cell: str, tmp_path: Path
) -> None:
    text = memory("{}", abits, dbits, mode, gated=True)
    _compare(text, bench(abits, dbits), *_xilinx(family, cell, tmp_path), tmp_path)


@pytest.mark.parametrize(("family", "abits", "dbits", "cell"), XILINX_SINGLE)
def test_block_ram_of_xilinx_with_one_port(
    family: str, abits: int, dbits: int, cell: str, tmp_path: Path
) -> None:
    text = memory("{}", abits, dbits, "new", gated=True, ports="a")
    _compare(text, bench(abits, dbits, "a"), *_xilinx(family, cell, tmp_path), tmp_path)


def _xilinx(family: str, cell: str, folder: Path) -> tuple[list[str], list[Path]]:
    script = [
        f"synth_xilinx -family {family} -flatten -noiopad -noclkbuf -top tested",
        f"select -assert-count 1 t:{cell}",
    ]
    return script, [MODELS / "xilinx_block_ram.v", _xilinx_cells(folder)]


def _compare(
    text: str, bench_text: str, script: list[str], models: list[Path], folder: Path
) -> None:
    """Simulate a memory as it is written beside the netlist that `script` makes of it."""
    for name in ("right", "tested"):
        (folder / f"{name}.v").write_text(text.replace("{}", name))
    (folder / "bench.v").write_text(bench_text)
    whole = ["read_verilog tested.v", *script, "write_verilog -noattr netlist.v"]
    yosys.run(whole, what="Mapping a memory", folder=folder)
    files = [folder / f"{name}.v" for name in ("bench", "right", "netlist")]
    program = folder / "bench.vvp"
    iverilog.build([*files, *models], program, top="bench")
    assert iverilog.run(program, cwd=folder).splitlines()[-1].strip() == "0 wrong, 1 moved"


def _ecp5_cells(folder: Path) -> Path:
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


def _xilinx_cells(folder: Path) -> Path:
    """Return the cells besides the block RAM that the netlists of Xilinx hold."""
    path = folder / "cells.v"
    luts = [
        f"module LUT{n}(output O, input {', '.join(f'I{i}' for i in range(n))});\n"
        f"  parameter [{2**n - 1}:0] INIT = 0;\n"
        f"  assign O = INIT[{{{', '.join(f'I{i}' for i in reversed(range(n)))}}}]; endmodule\n"
        for n in range(1, 5)
    ]
    path.write_text(
        "".join(luts)
        + "module INV(output O, input I); assign O = !I; endmodule\n"
        + "".join(
            f"module {mux}(output O, input I0, I1, S); assign O = S ? I1 : I0; endmodule\n"
            for mux in ("MUXF5", "MUXF6")
        )
        + "module FDRE(output reg Q, input C, CE, D, R);\n"
        "  parameter INIT = 0; initial Q = INIT;\n"
        "  always @(posedge C) if (R) Q <= 0; else if (CE) Q <= D; endmodule\n"
        "module FDSE(output reg Q, input C, CE, D, S);\n"
        "  parameter INIT = 0; initial Q = INIT;\n"
        "  always @(posedge C) if (S) Q <= 1; else if (CE) Q <= D; endmodule\n"
    )
    return path


def test_block_ram_of_ecp5_refuses_what_it_does_not_know(tmp_path: Path) -> None:
    """It says so and ends, before anything is simulated."""
    model = MODELS / "ecp5_dp16kd.v"
    (header,) = re.findall(r"module DP16KD \((.*?)\);", model.read_text(), re.DOTALL)
    pins = [pin for line in re.findall(r"input ([^;]*?)(?=output|input|$)", header, re.DOTALL)
            for pin in re.findall(r"\w+", line)]  # fmt: skip
    for parameter, value, knows in (
        ("DATA_WIDTH_B", "36", True),
        ("DATA_WIDTH_B", "12", False),
        ("REGMODE_A", '"OUTREG"', False),
    ):
        bench_file = tmp_path / "bench.v"
        bench_file.write_text(
            f"module bench; DP16KD #(.{parameter}({value})) u_memory (\n"
            + ", ".join(f".{pin}(1'b0)" for pin in pins)
            + '); initial begin #1 $display("simulated"); $finish; end\nendmodule\n'
        )
        program = iverilog.build([bench_file, model], tmp_path / "bench.vvp", top="bench")
        if knows:
            assert "simulated" in iverilog.run(program, cwd=tmp_path)
        else:
            with pytest.raises(ToolError, match=r"status 1: .*bench\.u_memory"):
                iverilog.run(program, cwd=tmp_path)
