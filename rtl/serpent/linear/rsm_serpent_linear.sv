// SPDX-License-Identifier: Apache-2.0
//
// The linear transformation of Serpent, or its inverse, 246 two-input XORs each, with a cut in its
// middle: each half adds to two words what the other two give.
//
// With Bypass, `first_bypass_i` leaves the first half out and `second_bypass_i`, which belongs to
// the block behind the cut, the second: the last round of the cipher has no linear transformation.
//
// No half is shorter: its targets are one word each and sums of two bits that no others are sums
// of, so it takes the 61 or 57 XORs of these sums and one for each bit of the two words.
//
// Latency: 1 cycle with Cut, 0 otherwise.
module rsm_serpent_linear
  import rsm_serpent_pkg::*;
#(
  parameter bit Inverse = 1'b0,
  parameter bit Bypass  = 1'b0,
  parameter bit Cut     = 1'b0
) (
  input  logic   clk_i,
  input  logic   clear_i,
  input  logic   first_bypass_i,
  input  state_t state_i,
  input  logic   second_bypass_i,
  output state_t state_o
);

  // x: at the input. h: behind the first half. c: behind the cut. y: behind the second half.
  word_t  x0, x1, x2, x3, y0, y1, y2, y3;
  word_t  c0, c1, c2, c3;
  state_t half, half_q, middle, whole;

  assign {x3, x2, x1, x0} = state_i;
  assign {c3, c2, c1, c0} = half_q;
  assign whole            = {y3, y2, y1, y0};

  if (!Inverse) begin : gen_forward
    word_t a, c;

    // The rotations of X0 and X2 stand in front of the cut, as wires.
    assign a    = rotate(x0, 13);
    assign c    = rotate(x2, 3);
    assign half = {rotate(x3 ^ c ^ (a << 3), 7), c, rotate(x1 ^ a ^ c, 1), a};

    assign y0 = rotate(c0 ^ c1 ^ c3, 5);
    assign y1 = c1;
    assign y2 = rotate(c2 ^ c3 ^ (c1 << 7), 22);
    assign y3 = c3;
  end else begin : gen_inverse
    assign half = {x3, rotate(x2, 10) ^ x3 ^ (x1 << 7), x1, rotate(x0, 27) ^ x1 ^ x3};

    assign y0 = rotate(c0, 19);
    assign y1 = rotate(c1, 31) ^ c0 ^ c2;
    assign y2 = rotate(c2, 29);
    assign y3 = rotate(c3, 25) ^ c2 ^ (c0 << 3);
  end

  assign middle = (Bypass && first_bypass_i) ? state_i : half;

  rsm_cut #(
    .Width  (128),
    .Enable (Cut)
  ) u_cut_half (
    .clk_i,
    .clear_i,
    .d_i (middle),
    .q_o (half_q)
  );

  assign state_o = (Bypass && second_bypass_i) ? half_q : whole;

  logic unused_bypass;

  assign unused_bypass = first_bypass_i ^ second_bypass_i;

endmodule
