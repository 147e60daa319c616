// SPDX-License-Identifier: Apache-2.0
//
// The Serpent core: a ring of rounds with its keys, behind the native port of rsm_aes.
//
// A rigid port, 128 bits wide: the consumer must take a result in the cycle in which it comes.
// rsm_flow makes the full port of it. Byte order: rsm_serpent_pkg.
//
// With ChannelWithBlock (encryption with keys on the fly), a block is accepted together with its
// key and the length of that. With ChannelHeld, keys come through a channel of their own. A block
// accepted after a key uses it; one accepted at the same edge uses the one before. `in_ready_o`,
// which is low until the key is usable in that direction, may depend on `in_decrypt_i`.
//
// `in_decrypt_i` counts where Direction is DirectionBoth, `in_len_i` and `key_len_i` (0, 1, 2 for
// 128, 192, 256 bits) where several lengths are built in. Results leave in the order in which
// blocks were accepted. `rst_ni` resets control bits only, synchronously. One cycle of `clear_i`
// drops the blocks and keys inside and overwrites every bit that depends on them; `idle_o` rises
// when that is done, and is low as well while a key is being expanded.
//
// Latency: that of rsm_serpent_loop.
module rsm_serpent
  import rsm_serpent_pkg::*;
#(
  parameter int unsigned Rounds    = 1,
  parameter sbox_e       Sbox      = SboxTable,
  parameter direction_e  Direction = DirectionForward,
  parameter schedule_e   Schedule  = ScheduleOnTheFly,
  parameter channel_e    Channel   = ChannelWithBlock,
  parameter lengths_t    Lengths   = 3'b001,
  parameter cuts_t       Cuts      = '{sub: 1'b0, half: 1'b0, round: 1'b1},
  parameter logic [31:0] Extra     = '0,
  parameter edges_t      Edges     = '0,
  parameter clear_e      Clear     = ClearFlush,
  parameter int unsigned TagWidth  = 1,
  localparam int unsigned KeyBits  = key_bits(Lengths)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  output logic                idle_o,
  input  logic                key_valid_i,
  output logic                key_ready_o,
  input  logic [KeyBits-1:0]  key_i,
  input  logic [1:0]          key_len_i,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic [127:0]        in_block_i,
  input  logic [KeyBits-1:0]  in_key_i,
  input  logic [1:0]          in_len_i,
  input  logic                in_decrypt_i,
  input  logic [TagWidth-1:0] in_tag_i,
  output logic                out_valid_o,
  output logic [127:0]        out_block_o,
  output logic [TagWidth-1:0] out_tag_o
);

  // The length of every key where there is but one.
  localparam bit      OneLength = $countones(Lengths) == 1;
  localparam length_t Only      = Lengths[2] ? 2'd2 : Lengths[1] ? 2'd1 : 2'd0;

  logic                  decrypt;
  logic                  enter_valid, enter_ready, enter_inverse, enter_walk;
  window_t               enter_window;
  state_t                enter_state, enter_key;
  logic                  walked;
  window_t               walked_window;
  logic                  loop_idle, keys_idle, keys_clearing;
  logic [255:0]          wide_key, wide_in_key;
  window_t               key_words;
  control_t [Rounds-1:0] key_control;
  state_t   [Rounds-1:0] key;

  assign decrypt     = (Direction == DirectionBoth) ? in_decrypt_i
                                                    : (Direction == DirectionInverse);
  assign key_words   = padded(wide_key, OneLength ? Only : key_len_i);
  assign idle_o      = loop_idle & keys_idle;
  assign enter_state = swapped(in_block_i) ^ enter_key;

  // Short keys are left-aligned.
  always_comb begin
    wide_key                    = '0;
    wide_key[255 -: KeyBits]    = key_i;
    wide_in_key                 = '0;
    wide_in_key[255 -: KeyBits] = in_key_i;
  end

  // --- Keys ------------------------------------------------------------------------------------

  if (Schedule == ScheduleOnTheFly) begin : gen_on_the_fly
    // Round keys 0 and 32 come from the same S-box.
    rsm_serpent_sbox #(
      .Sbox (Sbox),
      .Box  (3)
    ) u_sbox (
      .x_i (enter_window[7:4]),
      .y_o (enter_key)
    );

    assign key           = '0;
    assign keys_clearing = 1'b0;

    if (Channel == ChannelWithBlock) begin : gen_with_block
      logic unused_channel;

      rsm_serpent_key_step u_start (
        .inverse_i (1'b0),
        .index_i   (8'd0),
        .window_i  (padded(wide_in_key, OneLength ? Only : in_len_i)),
        .window_o  (enter_window)
      );

      assign key_ready_o    = 1'b0;
      assign keys_idle      = 1'b1;
      assign in_ready_o     = enter_ready;
      assign enter_valid    = in_valid_i;
      assign enter_inverse  = 1'b0;
      assign enter_walk     = 1'b0;
      assign unused_channel = ^{key_valid_i, key_words, decrypt};

      if (Direction != DirectionForward) begin : gen_needs_channel
        $error("rsm_serpent: a core that decrypts needs ChannelHeld");
      end
    end else begin : gen_held
      logic    encrypt_ready, decrypt_ready, usable, walk;
      window_t first, last;
      logic    unused_sideband;

      rsm_serpent_key_ends #(
        .Direction (Direction)
      ) u_key_ends (
        .clk_i,
        .rst_ni,
        .clear_i,
        .idle_o          (keys_idle),
        .key_valid_i,
        .key_ready_o,
        .key_i           (key_words),
        .encrypt_ready_o (encrypt_ready),
        .decrypt_ready_o (decrypt_ready),
        .first_o         (first),
        .last_o          (last),
        .walk_valid_o    (walk),
        .walk_ready_i    (enter_ready),
        .walked_i        (walked),
        .walked_window_i (walked_window)
      );

      assign usable          = decrypt ? decrypt_ready : encrypt_ready;
      assign in_ready_o      = enter_ready & usable & ~walk;
      assign enter_valid     = walk | (in_valid_i & usable);
      assign enter_walk      = walk;
      assign enter_inverse   = decrypt & ~walk;
      assign enter_window    = enter_inverse ? last : first;
      assign unused_sideband = ^{wide_in_key, in_len_i};
    end
  end else if (Schedule == ScheduleStored) begin : gen_stored
    state_t [32:0] keys;
    logic          usable;
    logic          unused_sideband;

    rsm_serpent_key_store #(
      .Sbox (Sbox)
    ) u_key_store (
      .clk_i,
      .rst_ni,
      .clear_i,
      .idle_o      (keys_idle),
      .key_valid_i,
      .key_ready_o,
      .key_i       (key_words),
      .empty_i     (loop_idle),
      .ready_o     (usable),
      .clearing_o  (keys_clearing),
      .keys_o      (keys)
    );

    // What each stage takes in each lap.
    for (genvar s = 0; s < Rounds; s++) begin : gen_stage
      localparam int unsigned Laps = 32 / Rounds;

      typedef logic [((Laps > 1) ? $clog2(Laps) : 1)-1:0] lap_t;

      state_t [Laps-1:0] forward, inverse;
      lap_t              lap;

      for (genvar l = 0; l < Laps; l++) begin : gen_lap
        assign forward[l] = keys[l * Rounds + s + 1];
        assign inverse[l] = keys[31 - l * Rounds - s];
      end

      assign lap = (Laps > 1) ? lap_t'(key_control[s].lap) : '0;

      assign key[s] = (Direction == DirectionForward) ? forward[lap]
                    : (Direction == DirectionInverse) ? inverse[lap]
                    : key_control[s].inverse ? inverse[lap] : forward[lap];
    end

    assign in_ready_o      = enter_ready & usable;
    assign enter_valid     = in_valid_i & usable;
    assign enter_walk      = 1'b0;
    assign enter_inverse   = decrypt;
    assign enter_window    = '0;
    assign enter_key       = decrypt ? keys[32] : keys[0];
    assign unused_sideband = ^{wide_in_key, in_len_i};

    if (Channel != ChannelHeld) begin : gen_needs_channel
      $error("rsm_serpent: stored keys need ChannelHeld");
    end
  end else begin : gen_unknown_schedule
    $error("rsm_serpent: Schedule names no key schedule");
  end

  // --- Rounds ----------------------------------------------------------------------------------

  rsm_serpent_loop #(
    .Rounds    (Rounds),
    .Sbox      (Sbox),
    .Direction (Direction),
    .Schedule  (Schedule),
    .Cuts      (Cuts),
    .Extra     (Extra),
    .Edges     (Edges),
    .Clear     (Clear),
    .TagWidth  (TagWidth)
  ) u_loop (
    .clk_i,
    .rst_ni,
    .clear_i,
    .clear_more_i    (keys_clearing),
    .idle_o          (loop_idle),
    .in_valid_i      (enter_valid),
    .in_ready_o      (enter_ready),
    .in_state_i      (enter_state),
    .in_window_i     (enter_window),
    .in_inverse_i    (enter_inverse),
    .in_walk_i       (enter_walk),
    .in_tag_i,
    .key_control_o   (key_control),
    .key_i           (key),
    .walked_o        (walked),
    .walked_window_o (walked_window),
    .out_valid_o,
    .out_block_o,
    .out_tag_o
  );

  // Some variants have no use for these.
  logic unused_signals;

  assign unused_signals = ^{key_len_i, in_len_i, walked, walked_window, key_control, key_words};

endmodule
