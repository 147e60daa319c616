// SPDX-License-Identifier: Apache-2.0
//
// One hardware round of a ring or a line: the round, its step of the key schedule or its access to
// stored keys, and the control that travels with the block, all cut at the same points.
//
// On the fly, the window of the key schedule comes with the block: the round key of the step before
// is its top 128 bits. Stored keys come in through `key_i`, combinationally, for what
// `key_control_o` asks; the window is not looked at.
//
// In:  state, window, control and `last_i` (the last round of a block; no MixColumns).
// Out: the state behind the round, the window of its step, its control; in the last round of a
// block
//      `result_o`; and `head_state_o`, the state behind the cut `head`.
//
//             Extra   head             sub         mix             round
//    state ----|-------|---- S-boxes ---|- linear --|--- key add ----|--- state
//    window ---|-------|---- key step --|-----------|------+---------|--- window
//    control --|-------|----------------|-----------|----------------|--- control
//
// Every line of the drawing has the same registers. So a block, its key and its control bits are
// always in the same cycle of their way. The drawing is of encryption; the other orders add the key
// in front of the linear layer.
// Cuts, in order: one more register of the whole slot with Extra; `head`; then those of the round
// (rsm_aes_round), which the key step and the control have as well.
//
// Latency: round_latency(Sbox, Cuts) cycles, and one with Extra.
module rsm_aes_stage
  import rsm_aes_pkg::*;
#(
  parameter sbox_e      Sbox      = SboxTable,
  parameter linear_e    Linear    = LinearDirect,
  parameter key_add_e   KeyAdd    = KeyAddLast,
  parameter inverse_e   Inverse   = InverseReordered,
  parameter direction_e Direction = DirectionForward,
  parameter schedule_e  Schedule  = ScheduleOnTheFly,
  parameter lengths_t   Lengths   = 3'b001,
  parameter cuts_t      Cuts      = '0,
  parameter bit         Extra     = 1'b0,
  localparam int unsigned KeyBits = key_bits(Lengths)
) (
  input  logic               clk_i,
  input  logic               clear_i,
  input  block_t             state_i,
  input  logic [KeyBits-1:0] window_i,
  input  control_t           control_i,
  input  logic               last_i,
  output control_t           key_control_o,
  input  block_t             key_i,
  output block_t             head_state_o,
  output block_t             state_o,
  output logic [KeyBits-1:0] window_o,
  output control_t           control_o,
  output block_t             result_o
);

  // The order of the steps decides where the round key is needed: behind the linear layer to
  // encrypt, in front of it otherwise.
  localparam order_e      Order       = round_order(Direction, Inverse);
  localparam int unsigned SboxLatency = sbox_latency(Sbox, Cuts.sbox);
  localparam int unsigned ControlBits = $bits(control_t) + 1;
  localparam bit          OnTheFly    = Schedule == ScheduleOnTheFly;
  // FIPS 197, 5.3.5: the equivalent inverse cipher has the order of steps of encryption. Its round
  // keys go through InvMixColumns.
  localparam bit          Equivalent  = Order == OrderEquivalent || Order == OrderBothEquivalent;

  // The rest of the key step then moves behind the register that stands between its S-boxes and its
  // sums, which shortens the longest path of the key schedule.
  // The key step has a stage to itself where the key is not needed before the cut `mix`.
  localparam bit StepBehindSub =
      Cuts.sub && Cuts.mix && Order == OrderEncrypt && KeyAdd == KeyAddLast;

  // The state at the head of the round, the window and the control at all its cuts.
  block_t             extra_state, head_state;
  logic [KeyBits-1:0] extra_window, head_window, sub_window, sub_window_q, mix_window_q;
  control_t           extra_control, head_control, sub_control, sub_control_q, mix_control_q;
  logic               extra_last, head_last, sub_last, sub_last_q;

  // One register for the whole slot, so it lengthens no path but the wires on both sides. It helps
  // where the stages of a line lie far apart.
  rsm_cut #(
    .Width  (128 + KeyBits + ControlBits),
    .Enable (Extra)
  ) u_cut_extra (
    .clk_i,
    .clear_i,
    .d_i ({state_i, window_i, control_i, last_i}),
    .q_o ({extra_state, extra_window, extra_control, extra_last})
  );

  // The S-boxes begin behind this register.
  rsm_cut #(
    .Width  (128),
    .Enable (Cuts.head)
  ) u_cut_head (
    .clk_i,
    .clear_i,
    .d_i (extra_state),
    .q_o (head_state)
  );

  // Registers of the window in a row need no reset where others behind them have one: while
  // these are held, zeros run through. Such a row fits into a shift register of few LUTs.
  localparam bit  RunsEmpty    = window_registers(Sbox, Cuts) != 0;
  logic           window_clear;

  assign window_clear = clear_i & ~RunsEmpty;

  rsm_cut #(
    .Width  (KeyBits),
    .Enable (Cuts.head)
  ) u_cut_head_window (
    .clk_i,
    .clear_i (window_clear),
    .d_i     (extra_window),
    .q_o     (head_window)
  );

  // Control needs no clearing: it does not depend on keys or blocks.
  rsm_cut #(
    .Width  (ControlBits),
    .Enable (Cuts.head)
  ) u_cut_head_control (
    .clk_i,
    .clear_i (1'b0),
    .d_i     ({extra_control, extra_last}),
    .q_o     ({head_control, head_last})
  );

  // Registers inside the S-boxes delay the block, so control waits as long.
  rsm_delay #(
    .Width (ControlBits),
    .Depth (SboxLatency)
  ) u_delay_control (
    .clk_i,
    .clear_i (1'b0),
    .d_i     ({head_control, head_last}),
    .q_o     ({sub_control, sub_last})
  );

  rsm_cut #(
    .Width  (ControlBits),
    .Enable (Cuts.sub)
  ) u_cut_sub_control (
    .clk_i,
    .clear_i (1'b0),
    .d_i     ({sub_control, sub_last}),
    .q_o     ({sub_control_q, sub_last_q})
  );

  rsm_cut #(
    .Width  (ControlBits - 1),
    .Enable (Cuts.mix)
  ) u_cut_mix_control (
    .clk_i,
    .clear_i (1'b0),
    .d_i     (sub_control_q),
    .q_o     (mix_control_q)
  );

  rsm_cut #(
    .Width  (ControlBits - 1),
    .Enable (Cuts.round)
  ) u_cut_round_control (
    .clk_i,
    .clear_i (1'b0),
    .d_i     (mix_control_q),
    .q_o     (control_o)
  );

  // The key of this round.
  if (OnTheFly) begin : gen_on_the_fly
    // Walks take the schedule forwards in a core that only decrypts.
    rsm_aes_key_travel #(
      .Sbox      (Sbox),
      .Direction ((Direction == DirectionForward) ? DirectionForward : DirectionBoth),
      .Lengths   (Lengths),
      .Cuts      (Cuts.sbox),
      .SubCut    (StepBehindSub)
    ) u_key_travel (
      .clk_i,
      .clear_i,
      .window_clear_i (window_clear),
      .inverse_i      (head_control.inverse),
      .len_i          (head_control.length),
      .step_i         (head_control.step),
      .window_i       (head_window),
      .window_o       (sub_window)
    );

    rsm_cut #(
      .Width  (KeyBits),
      .Enable (Cuts.sub && !StepBehindSub)
    ) u_cut_sub (
      .clk_i,
      .clear_i,
      .d_i (sub_window),
      .q_o (sub_window_q)
    );

    rsm_cut #(
      .Width  (KeyBits),
      .Enable (Cuts.mix)
    ) u_cut_mix (
      .clk_i,
      .clear_i,
      .d_i (sub_window_q),
      .q_o (mix_window_q)
    );

    rsm_cut #(
      .Width  (KeyBits),
      .Enable (Cuts.round)
    ) u_cut_round (
      .clk_i,
      .clear_i,
      .d_i (mix_window_q),
      .q_o (window_o)
    );
  end else begin : gen_stored
    assign sub_window    = '0;
    assign sub_window_q  = '0;
    assign mix_window_q  = '0;
    assign window_o      = '0;
  end

  // A key that comes with the cut `sub` is asked for there, else at the cut `mix`.
  assign key_control_o = (Order == OrderEncrypt) ? mix_control_q : sub_control_q;

  if (KeyAdd == KeyAddFirst) begin : gen_key_first
    logic   first;

    // The first round of a decryption has the number of the last step.
    assign first = head_control.step == round_t'(rounds_of(head_control.length));

    rsm_aes_round_key_first #(
      .Sbox      (Sbox),
      .Linear    (Linear),
      .Direction (Direction),
      .Cuts      (Cuts)
    ) u_round (
      .clk_i,
      .clear_i,
      .inverse_i     (head_control.inverse),
      .first_i       (first),
      .state_i       (head_state),
      .early_key_i   (head_window[KeyBits-1 -: 128]),
      .sub_inverse_i (sub_control_q.inverse),
      .key_i         (sub_window_q[KeyBits-1 -: 128]),
      .state_o,
      .result_o
    );

    if (!OnTheFly) begin : gen_stored_first
      $error("rsm_aes_stage: KeyAddFirst takes its keys on the fly");
    end
  end else begin : gen_key_last
    block_t round_key;
    block_t key;

    if (OnTheFly && Order == OrderEncrypt) begin : gen_late_key
      assign round_key = mix_window_q[KeyBits-1 -: 128];
    end else if (OnTheFly) begin : gen_early_key
      assign round_key = sub_window_q[KeyBits-1 -: 128];
    end else begin : gen_stored_key
      assign round_key = key_i;
    end

    if (Equivalent) begin : gen_transformed
      block_t transformed;

      // Layers that are no circuit of a column have none for the keys either.
      rsm_aes_mix_columns #(
        .Linear    ((Linear == LinearGated || Linear == LinearMixAdd) ? LinearDirect : Linear),
        .Direction (DirectionInverse)
      ) u_transform (
        .inverse_i (1'b1),
        .state_i   (round_key),
        .state_o   (transformed)
      );

      assign key = ((Order == OrderEquivalent || sub_control_q.inverse) && !sub_last_q)
                 ? transformed : round_key;
    end else begin : gen_plain
      assign key = round_key;
    end

    if (Direction == DirectionBoth && Inverse == InverseSeparate) begin : gen_separate
      rsm_aes_round_separate #(
        .Sbox   (Sbox),
        .Linear (Linear),
        .Cuts   (Cuts)
      ) u_round (
        .clk_i,
        .clear_i,
        .state_i       (head_state),
        .sub_last_i    (sub_last_q),
        .mix_inverse_i (mix_control_q.inverse),
        .key_i         (key),
        .state_o
      );
    end else begin : gen_one_path
      rsm_aes_round #(
        .Sbox   (Sbox),
        .Linear (Linear),
        .Order  (Order),
        .Cuts   (Cuts)
      ) u_round (
        .clk_i,
        .clear_i,
        .inverse_i     (head_control.inverse),
        .state_i       (head_state),
        .sub_inverse_i (sub_control_q.inverse),
        .sub_last_i    (sub_last_q),
        .key_i         (key),
        .state_o
      );
    end

    assign result_o = state_o;
  end

  assign head_state_o = head_state;

  // Some variants have no use for these.
  logic unused_signals;

  assign unused_signals =
      ^{sub_last_q, key_i, head_window, sub_window, sub_window_q, mix_window_q};

  if (Direction == DirectionBoth && Inverse == InverseMirrored && KeyAdd != KeyAddFirst)
  begin : gen_not_mirrored
    $error("rsm_aes_stage: InverseMirrored is the round with KeyAddFirst");
  end

endmodule
