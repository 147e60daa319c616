// SPDX-License-Identifier: Apache-2.0
//
// Where blocks leave a ring or a line: results go to the port, walks to the key schedule.
//
// With Edge, a register stands in front of the port; with EdgeBlock as well, the block is in it
// too. Without that, `result_i` comes a cycle after `leave_i`, from a register that holds it.
//
// A walk is the way of a key through the core: it computes the last round key, from which
// decryption starts. It has no result.
// Latency: 1 cycle with Edge, 0 otherwise.
module rsm_aes_exit
  import rsm_aes_pkg::*;
#(
  parameter bit          Edge      = 1'b0,
  parameter bit          EdgeBlock = 1'b0,
  parameter int unsigned TagWidth  = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  // Clears the block, for as long as it is held.
  input  logic                data_clear_i,
  // A slot at its end, whether it is a walk, its tag and its result.
  input  logic                leave_i,
  input  logic                walk_i,
  input  logic [TagWidth-1:0] tag_i,
  input  block_t              result_i,
  output logic                walked_o,
  // A result is in the edge.
  output logic                busy_o,
  output logic                out_valid_o,
  output block_t              out_block_o,
  output logic [TagWidth-1:0] out_tag_o
);

  // The key schedule takes the window at once; the edge is for the port only.
  assign walked_o = leave_i & walk_i;

  // A walk must not look like a result.
  rsm_cut #(
    .Width  (1),
    .Enable (Edge)
  ) u_cut_out_valid (
    .clk_i,
    .clear_i (clear_i | ~rst_ni),
    .d_i     (leave_i & ~walk_i),
    .q_o     (out_valid_o)
  );

  // A result in the edge has left the architecture, so the idle signal has to look here.
  assign busy_o = Edge & out_valid_o;

  rsm_cut #(
    .Width  (TagWidth),
    .Enable (Edge)
  ) u_cut_out_tag (
    .clk_i,
    .clear_i (1'b0),
    .d_i     (tag_i),
    .q_o     (out_tag_o)
  );

  // Without EdgeBlock the ring holds the result for one more cycle, so 128 registers are saved.
  rsm_cut #(
    .Width  (128),
    .Enable (EdgeBlock)
  ) u_cut_out (
    .clk_i,
    .clear_i (data_clear_i),
    .d_i     (result_i),
    .q_o     (out_block_o)
  );

endmodule
