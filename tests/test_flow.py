"""The flow wrapper never loses a result: proved by induction for every core behind it.

The core is any circuit that gives back no more results than it was given blocks. Then every
block that was accepted holds a place in the FIFO until its result is taken: places free, blocks
in flight and results waiting always add up to the depth, so a push never meets a full FIFO.
And a result that is not taken stays where it is.
"""

from pathlib import Path

import pytest

from roundsmith.errors import ToolError
from roundsmith.paths import RTL
from roundsmith.tools import yosys

PROOF = """
module proof #(parameter int unsigned Depth = 2) (
  input logic clk_i, rst_ni, clear_i, key_valid_i, in_valid_i, out_ready_i,
  input logic core_in_ready_i, core_out_valid_i
);
  logic core_in_valid, out_valid, in_ready, key_ready, idle, core_tag, out_tag;
  logic [7:0] core_key; logic [127:0] core_block, out_block;

  rsm_flow #(.KeyWidth(8), .TagWidth(1), .Depth(Depth)) u_flow (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .key_valid_i, .key_ready_o(key_ready),
    .key_i(8'h00), .in_valid_i, .in_ready_o(in_ready), .in_block_i(128'h0), .in_tag_i(1'b0),
    .out_valid_o(out_valid), .out_ready_i, .out_block_o(out_block), .out_tag_o(out_tag),
    .core_idle_i(1'b1), .core_in_valid_o(core_in_valid), .core_in_ready_i,
    .core_in_block_o(core_block), .core_in_key_o(core_key), .core_in_tag_o(core_tag),
    .core_out_valid_i(core_out_valid_i), .core_out_block_i(128'h0), .core_out_tag_i(1'b0)
  );

  // Blocks inside the core, as anybody outside would count them.
  logic [7:0] flight_q;
  logic accepted;
  assign accepted = core_in_valid & core_in_ready_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) flight_q <= '0;
    else flight_q <= flight_q + 8'(accepted) - 8'(core_out_valid_i);
  end

  // A result that was not taken.
  logic waited_q = 1'b0;
  logic [7:0] place_q;
  always_ff @(posedge clk_i) begin
    waited_q <= out_valid & ~out_ready_i & rst_ni & ~clear_i;
    place_q <= 8'(u_flow.u_fifo.read_q);
  end

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;

  always_comb begin
    if (!started_q) assume (!rst_ni);
    if (core_out_valid_i) assume (flight_q != '0);
    if (waited_q) assert (out_valid && 8'(u_flow.u_fifo.read_q) == place_q);
    if (started_q) begin
      assert (10'(u_flow.credits_q) + 10'(flight_q) + 10'(u_flow.u_fifo.count_q) == 10'(Depth));
      if (core_out_valid_i) assert (8'(u_flow.u_fifo.count_q) < 8'(Depth));
    end
  end
endmodule
"""


def prove(depth: int, folder: Path, flow: Path) -> None:
    bench = folder / "proof.sv"
    bench.write_text(PROOF.replace("Depth = 2", f"Depth = {depth}"))
    files = [RTL / "common/rsm_fifo.sv", flow, bench]
    script = [
        yosys.read_slang(files, "proof"),
        "prep -flatten -nordff -top proof",
        "memory_map",
        "opt_clean",
        "chformal -lower",
        "sat -verify -tempinduct -seq 1 -maxsteps 4 -prove-asserts -set-assumes proof",
    ]
    yosys.run(script, what="The proof of rsm_flow", folder=folder)


@pytest.mark.parametrize("depth", [1, 2, 3, 7])
def test_nothing_is_lost(depth: int, tmp_path: Path) -> None:
    prove(depth, tmp_path, RTL / "port/rsm_flow.sv")


def test_the_proof_can_fail(tmp_path: Path) -> None:
    text = (RTL / "port/rsm_flow.sv").read_text()
    wrong = tmp_path / "rsm_flow.sv"
    # A credit that comes back when the result is merely valid, not taken.
    right = "assign release_credit = out_valid_o & out_ready_i;"
    assert right in text
    wrong.write_text(text.replace(right, "assign release_credit = out_valid_o;"))
    with pytest.raises(ToolError):
        prove(2, tmp_path, wrong)
