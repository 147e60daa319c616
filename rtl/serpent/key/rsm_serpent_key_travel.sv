// SPDX-License-Identifier: Apache-2.0
//
// One round of the key schedule for a window that travels beside its block, at the pace of
// rsm_serpent_round and with the same cuts, so that every block may have another key and another
// direction (Lutz 2002, 4.3, computes keys on the fly for all blocks of a batch).
//
// In front of a round stands the window that ends in the words of the round key before it:
// encrypting and in round i, V[i] = w[4i-4] to w[4i+3], decrypting V[i+1]. Behind it stands that of
// its own key, V[i+1] or V[i]. A round key is the S-boxes (3 - i) mod 8 of the last four words of
// V[i].
//
//    window_i --> step (early) --> [cut] --> step (late) --> [cut] --+--> [round] --> window_o
//                                                                    |
//                                                                    +--> S-boxes --> key_o
//
// `key_o` belongs to the block behind the cuts `sub` and `half`, `window_o` to the end of the
// round.
//
// Latency: round_latency(Cuts) cycles.
module rsm_serpent_key_travel
  import rsm_serpent_pkg::*;
#(
  parameter sbox_e       Sbox      = SboxTable,
  parameter direction_e  Direction = DirectionForward,
  parameter int unsigned Stage     = 0,
  parameter int unsigned Rounds    = 1,
  parameter cuts_t       Cuts      = '0
) (
  input  logic    clk_i,
  input  logic    clear_i,
  input  round_t  step_i,
  input  logic    inverse_i,
  input  window_t window_i,
  output state_t  key_o,
  output window_t window_o
);

  // Registers before the key. With two, one of them stands in the middle of the words.
  localparam int unsigned Depth = $countones({Cuts.sub, Cuts.half});
  localparam int unsigned First = (Depth == 2) ? 2 : 4;

  // The S-boxes of either direction, as masks.
  // A stage of a ring sees only some rounds, thus only some S-boxes: the others are left out.
  localparam logic [7:0] ForwardBoxes = (Direction == DirectionInverse) ? '0
                                      : boxes(34 - Stage, Rounds);
  localparam logic [7:0] InverseBoxes = (Direction == DirectionForward) ? '0
                                      : boxes(Stage + 4, Rounds);

  logic       inverse;
  logic [7:0] index;
  window_t    early, early_q, late, late_q;
  round_t     step_q, step_end;
  logic       inverse_q, inverse_end;
  box_t       box;

  // A constant where there is one direction.
  assign inverse = (Direction == DirectionBoth) ? inverse_i : (Direction == DirectionInverse);

  // The first new word is w[4 step + 4]; backwards, the last word is w[4 (31 - step) + 7].
  assign index = inverse ? {1'b0, ~step_i, 2'b00} + 8'd7 : {1'b0, step_i, 2'b00} + 8'd4;

  // Four words in a row depend on each other. With two cuts, two of them are made before the first
  // cut and two behind it.
  rsm_serpent_key_step #(
    .Direction (Direction),
    .Words     (First)
  ) u_early (
    .inverse_i (inverse),
    .index_i   (index),
    .window_i,
    .window_o  (early)
  );

  rsm_cut #(
    .Width  (256),
    .Enable (Depth != 0)
  ) u_cut_early (
    .clk_i,
    .clear_i,
    .d_i (early),
    .q_o (early_q)
  );

  // The number of the round must belong to the same key as the window in front of it.
  rsm_cut #(
    .Width  (5 + 1),
    .Enable (Depth != 0)
  ) u_cut_control (
    .clk_i,
    .clear_i (1'b0),
    .d_i     ({step_i, inverse}),
    .q_o     ({step_q, inverse_q})
  );

  if (Depth == 2) begin : gen_late
    logic [7:0] late_index;

    assign late_index = inverse_q ? {1'b0, ~step_q, 2'b00} + 8'd5 : {1'b0, step_q, 2'b00} + 8'd6;

    rsm_serpent_key_step #(
      .Direction (Direction),
      .Words     (2)
    ) u_late (
      .inverse_i (inverse_q),
      .index_i   (late_index),
      .window_i  (early_q),
      .window_o  (late)
    );
  end else begin : gen_whole
    assign late = early_q;
  end

  rsm_cut #(
    .Width  (256),
    .Enable (Depth == 2)
  ) u_cut_late (
    .clk_i,
    .clear_i,
    .d_i (late),
    .q_o (late_q)
  );

  rsm_cut #(
    .Width  (5 + 1),
    .Enable (Depth == 2)
  ) u_cut_late_control (
    .clk_i,
    .clear_i (1'b0),
    .d_i     ({step_q, inverse_q}),
    .q_o     ({step_end, inverse_end})
  );

  // Round key i comes from S-box (3 - i) mod 8 (the submission of Serpent).
  assign box = inverse_end ? step_end[2:0] + 3'd4 : 3'd2 - step_end[2:0];

  rsm_serpent_sub #(
    .Sbox  (Sbox),
    .Boxes (ForwardBoxes | InverseBoxes)
  ) u_sub (
    .box_i (box),
    .x_i   (late_q[7:4]),
    .y_o   (key_o)
  );

  // The window goes on to the next stage with the block.
  rsm_cut #(
    .Width  (256),
    .Enable (Cuts.round)
  ) u_cut_round (
    .clk_i,
    .clear_i,
    .d_i (late_q),
    .q_o (window_o)
  );

  logic unused_step;

  assign unused_step = ^step_end;

endmodule
