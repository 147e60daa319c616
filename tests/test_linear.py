"""Linear layers are proved equal to the textbook formula, for all states, by SAT."""

from pathlib import Path

import pytest

from roundsmith.errors import ToolError
from roundsmith.paths import RTL
from roundsmith.tools import yosys

FOLDER = RTL / "aes" / "linear"

#: ShiftRows, MixColumns as the matrix of FIPS 197, 5.1.3, and AddRoundKey, byte by byte.
TEXTBOOK = """
module textbook (
  input  logic [127:0] state_i, input logic last_i, input logic [127:0] key_i,
  output logic [127:0] state_o
);
  function automatic logic [7:0] times(logic [1:0] k, logic [7:0] a);
    logic [7:0] double;
    double = {a[6:0], 1'b0} ^ (a[7] ? 8'h1b : 8'h00);
    return (k[0] ? a : 8'h00) ^ (k[1] ? double : 8'h00);
  endfunction
  for (genvar c = 0; c < 4; c++) begin : gen_column
    logic [7:0] a0, a1, a2, a3;
    assign a0 = state_i[127 - 8*(4*c + 0) -: 8];
    assign a1 = state_i[127 - 8*(4*((c+1)%4) + 1) -: 8];
    assign a2 = state_i[127 - 8*(4*((c+2)%4) + 2) -: 8];
    assign a3 = state_i[127 - 8*(4*((c+3)%4) + 3) -: 8];
    assign state_o[127 - 32*c -: 32] = key_i[127 - 32*c -: 32] ^ (last_i ? {a0, a1, a2, a3} : {
      times(2, a0) ^ times(3, a1) ^ times(1, a2) ^ times(1, a3),
      times(1, a0) ^ times(2, a1) ^ times(3, a2) ^ times(1, a3),
      times(1, a0) ^ times(1, a1) ^ times(2, a2) ^ times(3, a3),
      times(3, a0) ^ times(1, a1) ^ times(1, a2) ^ times(2, a3)});
  end
endmodule
module wrapper (
  input  logic [127:0] state_i, input logic last_i, input logic [127:0] key_i,
  output logic [127:0] state_o
);
  VARIANT u_variant (.clk_i(1'b0), .clear_i(1'b0), .state_i, .last_i, .key_i, .state_o);
endmodule
module both (
  input  logic [127:0] state_i, input logic last_i, input logic [127:0] key_i,
  output logic [127:0] right_o, output logic [127:0] tested_o
);
  textbook u_right (.state_i, .last_i, .key_i, .state_o(right_o));
  wrapper u_tested (.state_i, .last_i, .key_i, .state_o(tested_o));
endmodule
"""


def variants() -> list[str]:
    names = [path.stem for path in sorted(FOLDER.glob("rsm_aes_linear_*.sv"))]
    assert len(names) >= 2
    return names


def prove(variant: str, folder: Path, sources: list[Path]) -> None:
    bench = folder / "both.sv"
    bench.write_text(TEXTBOOK.replace("VARIANT", variant))
    files = [RTL / "aes/pkg/rsm_aes_pkg.sv", RTL / "common/rsm_cut.sv", *sources, bench]
    script = [
        yosys.read_slang(files, "both"),
        "flatten",
        "opt -full",
        "sat -verify -prove tested_o right_o both",
    ]
    yosys.run(script, what=f"The proof of {variant}", folder=folder)


@pytest.mark.parametrize("variant", variants())
def test_equal_to_the_textbook(variant: str, tmp_path: Path) -> None:
    sources = [FOLDER / f"{variant}.sv", FOLDER / "rsm_aes_mix_columns.sv"]
    prove(variant, tmp_path, sources)


@pytest.mark.parametrize("variant", variants())
def test_the_proof_can_fail(variant: str, tmp_path: Path) -> None:
    wrong = tmp_path / f"{variant}.sv"
    text = (FOLDER / wrong.name).read_text()
    wrong.write_text(text.replace("last_i ?", "~last_i ?", 1))
    assert wrong.read_text() != text
    with pytest.raises(ToolError):
        prove(variant, tmp_path, [wrong, FOLDER / "rsm_aes_mix_columns.sv"])
