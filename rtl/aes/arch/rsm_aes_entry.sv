// SPDX-License-Identifier: Apache-2.0
//
// Where blocks enter a ring or a line: when it is their turn, and the edge `in`.
//
// A block is accepted when the architecture is open, and when no block before it would be
// overtaken (rsm_aes_turn; Latency128 to Latency256 are the cycles from the entry to the end). With
// Edge, a register stands between the port and the architecture. What may hold a key or a block is
// cleared at once.
//
//    in_valid_i ---+                        +--> enter_o
//                  AND --> accept_o --> edge
//    in_ready_o ---+                        +--> block, window, control
//    = open_i AND turn of rsm_aes_turn
//
// Latency: 1 cycle with Edge, 0 otherwise.
module rsm_aes_entry
  import rsm_aes_pkg::*;
#(
  parameter lengths_t    Lengths    = 3'b001,
  parameter int unsigned Latency128 = 0,
  parameter int unsigned Latency192 = 0,
  parameter int unsigned Latency256 = 0,
  parameter bit          Edge       = 1'b0,
  parameter int unsigned TagWidth   = 1,
  localparam int unsigned KeyBits   = key_bits(Lengths)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  // The architecture takes a block in this cycle, which must not depend on `in_valid_i`.
  input  logic                open_i,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  block_t              in_block_i,
  input  logic [KeyBits-1:0]  in_window_i,
  input  length_t             in_length_i,
  input  logic                in_inverse_i,
  input  logic [3:0]          in_slot_i,
  input  logic                in_walk_i,
  input  logic [TagWidth-1:0] in_tag_i,
  // A block is accepted, is in the edge, enters.
  output logic                accept_o,
  output logic                entering_o,
  output logic                enter_o,
  output block_t              block_o,
  output logic [KeyBits-1:0]  window_o,
  output length_t             length_o,
  output logic                inverse_o,
  output logic [3:0]          slot_o,
  output logic                walk_o,
  output logic [TagWidth-1:0] tag_o
);

  logic turn;

  // Ready does not depend on valid: a producer may wait for ready before it offers a block.
  assign in_ready_o = open_i & turn;
  assign accept_o   = in_valid_i & in_ready_o;

  // With one key length this is a constant one.
  rsm_aes_turn #(
    .Lengths    (Lengths),
    .Latency128 (Latency128),
    .Latency192 (Latency192),
    .Latency256 (Latency256)
  ) u_turn (
    .clk_i,
    .rst_ni,
    .clear_i,
    .length_i (in_length_i),
    .enter_i  (accept_o),
    .free_o   (turn)
  );

  // What depends on a key or a block has a clear.
  rsm_cut #(
    .Width  (128 + KeyBits),
    .Enable (Edge)
  ) u_cut_in (
    .clk_i,
    .clear_i,
    .d_i ({in_block_i, in_window_i}),
    .q_o ({block_o, window_o})
  );

  // Length, direction, slot and tag are public, so they need none.
  rsm_cut #(
    .Width  (2 + 1 + 4 + 1 + TagWidth),
    .Enable (Edge)
  ) u_cut_in_control (
    .clk_i,
    .clear_i (1'b0),
    .d_i     ({in_length_i, in_inverse_i, in_slot_i, in_walk_i, in_tag_i}),
    .q_o     ({length_o, inverse_o, slot_o, walk_o, tag_o})
  );

  // Only the valid bit has a reset: without it the other registers mean nothing.
  rsm_cut #(
    .Width  (1),
    .Enable (Edge)
  ) u_cut_in_valid (
    .clk_i,
    .clear_i (clear_i | ~rst_ni),
    .d_i     (accept_o),
    .q_o     (enter_o)
  );

  // A block in the edge is not in the architecture yet, so the idle signal has to look here.
  assign entering_o = Edge & enter_o;

endmodule
