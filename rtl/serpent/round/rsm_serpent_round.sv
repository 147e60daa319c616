// SPDX-License-Identifier: Apache-2.0
//
// A round without its key schedule: S-boxes, linear transformation, key addition, and the same
// backwards, on separate paths (Lutz 2002, Fig. 8) that share the key addition at the end.
//
//   encrypting, round i   S-box i mod 8, linear transformation, round key i + 1
//   decrypting, round i   inverse of the linear transformation, of S-box i mod 8, round key i
//
// The addition that comes before the first round belongs to the entry of the core. Round 31 has no
// linear transformation. `step_i` counts rounds: i when encrypting, 31 - i when decrypting. The
// stage is number Stage of a ring of Rounds; a line has 32.
//
// `key_i` and what decides of it belong to the block behind the cuts `sub` and `half`.
//
// Latency: round_latency(Cuts) cycles.
module rsm_serpent_round
  import rsm_serpent_pkg::*;
#(
  parameter sbox_e       Sbox      = SboxTable,
  parameter direction_e  Direction = DirectionForward,
  parameter int unsigned Stage     = 0,
  parameter int unsigned Rounds    = 1,
  parameter cuts_t       Cuts      = '0
) (
  input  logic   clk_i,
  input  logic   clear_i,
  input  round_t step_i,
  input  logic   inverse_i,
  input  state_t state_i,
  input  state_t key_i,
  output state_t state_o
);

  state_t forward, inverse, chosen;
  round_t step_end;
  logic   inverse_end;

  rsm_delay #(
    .Width (5 + 1),
    .Depth ($countones({Cuts.sub, Cuts.half}))
  ) u_delay_control (
    .clk_i,
    .clear_i (1'b0),
    .d_i     ({step_i, inverse_i}),
    .q_o     ({step_end, inverse_end})
  );

  if (Direction != DirectionInverse) begin : gen_forward
    state_t sub, sub_q;
    round_t step_q;

    rsm_serpent_sub #(
      .Sbox  (Sbox),
      .Boxes (boxes(Stage, Rounds))
    ) u_sub (
      .box_i (step_i[2:0]),
      .x_i   (state_i),
      .y_o   (sub)
    );

    rsm_cut #(
      .Width  (128),
      .Enable (Cuts.sub)
    ) u_cut_sub (
      .clk_i,
      .clear_i,
      .d_i (sub),
      .q_o (sub_q)
    );

    rsm_cut #(
      .Width  (5),
      .Enable (Cuts.sub)
    ) u_cut_step (
      .clk_i,
      .clear_i (1'b0),
      .d_i     (step_i),
      .q_o     (step_q)
    );

    if (Rounds == 32 && Stage == 31) begin : gen_last
      logic unused_step;

      rsm_cut #(
        .Width  (128),
        .Enable (Cuts.half)
      ) u_cut_half (
        .clk_i,
        .clear_i,
        .d_i (sub_q),
        .q_o (forward)
      );

      assign unused_step = ^step_q;
    end else begin : gen_linear
      rsm_serpent_linear #(
        .Bypass (Stage == Rounds - 1),
        .Cut    (Cuts.half)
      ) u_linear (
        .clk_i,
        .clear_i,
        .first_bypass_i  (&step_q),
        .state_i         (sub_q),
        .second_bypass_i (&step_end),
        .state_o         (forward)
      );
    end
  end else begin : gen_no_forward
    assign forward = '0;
  end

  if (Direction != DirectionForward) begin : gen_inverse
    state_t straight, straight_q;
    round_t step_q;

    rsm_cut #(
      .Width  (5),
      .Enable (Cuts.half)
    ) u_cut_step (
      .clk_i,
      .clear_i (1'b0),
      .d_i     (step_i),
      .q_o     (step_q)
    );

    if (Rounds == 32 && Stage == 0) begin : gen_first
      logic unused_step;

      rsm_cut #(
        .Width  (128),
        .Enable (Cuts.half)
      ) u_cut_half (
        .clk_i,
        .clear_i,
        .d_i (state_i),
        .q_o (straight)
      );

      assign unused_step = ^step_q;
    end else begin : gen_linear
      rsm_serpent_linear #(
        .Inverse (1'b1),
        .Bypass  (Stage == 0),
        .Cut     (Cuts.half)
      ) u_linear (
        .clk_i,
        .clear_i,
        .first_bypass_i  (step_i == '0),
        .state_i,
        .second_bypass_i (step_q == '0),
        .state_o         (straight)
      );
    end

    rsm_cut #(
      .Width  (128),
      .Enable (Cuts.sub)
    ) u_cut_sub (
      .clk_i,
      .clear_i,
      .d_i (straight),
      .q_o (straight_q)
    );

    rsm_serpent_sub #(
      .Sbox    (Sbox),
      .Inverse (1'b1),
      .Boxes   (boxes(31 - Stage, Rounds))
    ) u_sub (
      .box_i (~step_end[2:0]),
      .x_i   (straight_q),
      .y_o   (inverse)
    );
  end else begin : gen_no_inverse
    assign inverse = '0;
  end

  assign chosen = (Direction == DirectionBoth) ? (inverse_end ? inverse : forward)
                : (Direction == DirectionInverse) ? inverse : forward;

  rsm_cut #(
    .Width  (128),
    .Enable (Cuts.round)
  ) u_cut_round (
    .clk_i,
    .clear_i,
    .d_i (chosen ^ key_i),
    .q_o (state_o)
  );

  // Some directions have no use for these.
  logic unused_ends;

  assign unused_ends = ^{step_end, inverse_end, forward, inverse};

endmodule
