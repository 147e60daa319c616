// SPDX-License-Identifier: Apache-2.0
//
// One row of the state of a core that takes two columns a cycle: registers that do ShiftRows by
// themselves (Satoh 2001, section 3.1, Fig. 2, twice as wide).
//
// Two pairs of bytes, of which the older one is `a`, move in every cycle; the two bytes that are
// read in a cycle may come from both. In the first of the two cycles of a round,
//
//   - turned by one column, the row gives a1 b0, and a0 waits for its turn behind b1;
//   - turned by two, it gives b, and a waits;
//   - turned by three, it gives b1 a0, and a1 waits before b0.
//
// With a pause, a cycle in which no byte is read, the pairs change places in it, which is a turn by
// two; row 0 has one more pair of places instead. While `run_i` is low the row only moves, and
// `plain_o` is the pair that entered two cycles ago.
//
// Latency: 0. A byte that is no longer needed is gone after three cycles without `run_i`.
module rsm_aes_folded_row_pair
  import rsm_aes_pkg::*;
#(
  parameter int unsigned Row       = 0,
  parameter direction_e  Direction = DirectionForward,
  parameter bit          Pause     = 1'b1
) (
  input  logic        clk_i,
  input  logic        run_i,
  input  logic        inverse_i,
  input  logic        pause_i,
  input  logic        count_i,
  input  byte_t [1:0] bytes_i,
  output byte_t [1:0] bytes_o,
  output byte_t [1:0] plain_o
);

  // Element 0 is the byte of the column that comes first.
  byte_t [1:0] a_q, b_q, a_d, b_d;
  logic        by_three;
  logic        first;

  // What is left to turn after a pause has turned by two.
  assign by_three = (Direction == DirectionBoth)
      ? (inverse_i ^ (Row == 3) ^ Pause)
      : ((Direction == DirectionInverse) ^ (Row == 3) ^ Pause);
  assign first   = run_i & ~pause_i & ~count_i;
  assign plain_o = a_q;

  if (Row == 0 && Pause) begin : gen_longer
    byte_t [1:0] last_q;

    always_ff @(posedge clk_i) last_q <= a_q;

    assign bytes_o = last_q;
    assign a_d     = b_q;
  end else if (Row == 0 || (Row == 2 && Pause)) begin : gen_straight
    assign bytes_o = a_q;
    assign a_d     = b_q;
  end else if (Row == 2) begin : gen_even
    assign bytes_o = first ? b_q : a_q;
    assign a_d     = first ? a_q : b_q;
  end else begin : gen_odd
    logic one, three;

    assign one        = first & ~by_three;
    assign three      = first & by_three;
    assign bytes_o[0] = three ? b_q[1] : a_q[1];
    assign bytes_o[1] = one ? b_q[0] : a_q[0];
    assign a_d[0]     = one ? a_q[0] : b_q[0];
    assign a_d[1]     = three ? a_q[1] : b_q[1];
  end

  assign b_d = (Pause && Row != 0 && (run_i & pause_i)) ? a_q : bytes_i;

  always_ff @(posedge clk_i) begin
    a_q <= a_d;
    b_q <= b_d;
  end

  // Some rows turn the same way always.
  logic unused;

  assign unused = ^{run_i, inverse_i, pause_i, count_i, by_three, first};

endmodule
