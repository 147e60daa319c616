// SPDX-License-Identifier: Apache-2.0
//
// A word of the state that goes round by a bit a cycle: when bit t stands in place 0, bit t + p
// stands in place p. What leaves place 0 comes back as `next_i`. With `jump_i`, in the cycle in
// which bit 31 stands in place 0, the word is rotated to the left by Jump as well.
//
// Latency: 32 cycles from `next_i` to place 0.
module rsm_serpent_serial_word
  import rsm_serpent_pkg::*;
#(
  parameter int unsigned Jump = 0
) (
  input  logic  clk_i,
  input  logic  jump_i,
  input  logic  next_i,
  output word_t word_o
);

  word_t word_q, word, jumped;

  assign word   = {word_q[31:1], next_i};
  assign jumped = rotate(word, Jump);
  assign word_o = word_q;

  // Shifting to the right by one is rotating to the left by 31; a jump is one step behind.
  always_ff @(posedge clk_i) begin
    word_q <= jump_i ? rotate(jumped, 31) : rotate(word, 31);
  end

endmodule
