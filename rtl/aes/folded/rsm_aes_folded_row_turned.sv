// SPDX-License-Identifier: Apache-2.0
//
// One row of the state of a folded core that does ShiftRows at once: every register chooses between
// the byte behind it and the one that comes to its place (Satoh 2001, section 3.1, Fig. 2).
//
// Bytes move towards place 0, `Columns` places a cycle, and are read there. With Pause the row
// turns in a cycle of its own, in which it does not move; otherwise it does with the last column of
// a round. `turn_i` marks that cycle, and that in which the last column of a new block enters.
//
// Latency: 0. A byte that is no longer needed is gone after 4/Columns cycles without `turn_i`.
module rsm_aes_folded_row_turned
  import rsm_aes_pkg::*;
#(
  parameter int unsigned Columns   = 1,
  parameter int unsigned Row       = 0,
  parameter direction_e  Direction = DirectionForward,
  parameter bit          Pause     = 1'b1
) (
  input  logic                clk_i,
  input  logic                inverse_i,
  input  logic                turn_i,
  input  byte_t [Columns-1:0] bytes_i,
  output byte_t [Columns-1:0] bytes_o
);

  byte_t [3:0] place_q, moved, row, turned;
  logic        inverse;

  assign inverse = (Direction == DirectionBoth) ? inverse_i : (Direction == DirectionInverse);
  assign moved   = {bytes_i, place_q[3:Columns]};
  assign row     = Pause ? place_q : moved;
  assign bytes_o = place_q[Columns-1:0];

  for (genvar i = 0; i < 4; i++) begin : gen_place
    assign turned[i] = inverse ? row[(i + 4 - Row) % 4] : row[(i + Row) % 4];
  end

  always_ff @(posedge clk_i) place_q <= turn_i ? turned : moved;

  // Some rows turn the same way always.
  logic unused;

  assign unused = ^{inverse_i, inverse};

endmodule
