// SPDX-License-Identifier: Apache-2.0
//
// The second key register of a folded core: it keeps the round key with which a block started, in
// encryption or in decryption, until one starts from the other end of the schedule.
//
// The words go round in step with the key register, in laps of 4/Columns cycles, which begin when
// `word_o` is the first one. Rounds with a pause last a cycle more, so `round_i` lets the words
// pass through a place more. The words at `words_i` take their places while `take_i` is high. With
// `take_i`, `lap_i` and `round_i` low, zeros enter.
//
// Latency: 0.
module rsm_aes_folded_kept
  import rsm_aes_pkg::*;
#(
  parameter int unsigned Columns = 1,
  parameter bit          Pause   = 1'b1
) (
  input  logic                  clk_i,
  input  logic                  take_i,
  input  logic                  lap_i,
  input  logic                  round_i,
  input  logic [32*Columns-1:0] words_i,
  output logic [32*Columns-1:0] words_o
);

  localparam int unsigned Width  = 32 * Columns;
  localparam int unsigned Places = 4 / Columns + (Pause ? 1 : 0);
  localparam int unsigned Lap    = Pause ? 1 : 0;

  logic [Places-1:0][Width-1:0] place_q;
  logic [Width-1:0]             entered;

  assign words_o = place_q[Lap];

  // One of them at most is high.
  assign entered = (words_i & {Width{take_i}}) | (place_q[Lap] & {Width{lap_i}})
                 | (place_q[0] & {Width{round_i}});

  always_ff @(posedge clk_i) place_q <= {entered, place_q[Places-1:1]};

endmodule
