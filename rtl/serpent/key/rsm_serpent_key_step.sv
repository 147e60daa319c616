// SPDX-License-Identifier: Apache-2.0
//
// Computes `Words` words of the key schedule in one cycle, forwards or backwards.
//
//   w[i] = (w[i-8] ^ w[i-5] ^ w[i-3] ^ w[i-1] ^ phi ^ i) <<< 11
//
// The step works on a window of eight words in a row. Forwards `index_i` is the i of the first new
// word; backwards, that of the last word in the window, which goes out.
//
//    window   w[i-8]  w[i-7]  ...  w[i-1]
//    forwards         w[i-7]  ...  w[i-1]  w[i]       one word goes out, one comes in
//
// The formula is that of the submission of Serpent. It can be solved for w[i-8], so the schedule
// runs backwards with the same gates.
// Latency: 0.
module rsm_serpent_key_step
  import rsm_serpent_pkg::*;
#(
  parameter direction_e  Direction = DirectionForward,
  parameter int unsigned Words     = 4
) (
  input  logic       inverse_i,
  input  logic [7:0] index_i,
  input  window_t    window_i,
  output window_t    window_o
);

  // Both are written down; the one that no direction needs has no gates.
  window_t forward, inverse;

  always_comb begin
    forward = window_i;
    for (int unsigned i = 0; i < Words; i++) forward = next_word(forward, index_i + 8'(i));
  end

  always_comb begin
    inverse = window_i;
    for (int unsigned i = 0; i < Words; i++) inverse = last_word(inverse, index_i - 8'(i));
  end

  assign window_o = (Direction == DirectionBoth) ? (inverse_i ? inverse : forward)
                  : (Direction == DirectionInverse) ? inverse : forward;

  logic unused_directions;

  assign unused_directions = ^{inverse_i, forward, inverse};

endmodule
