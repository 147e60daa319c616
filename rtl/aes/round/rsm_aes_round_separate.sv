// SPDX-License-Identifier: Apache-2.0
//
// One round without its key schedule, with a path of its own for each direction and a multiplexer
// behind them (the plain way, which Lutz 2002 calls separate look-up tables in 3.1 and takes for
// Serpent in 4.1). Nothing is shared, so each path is as short as in a core that goes one way.
//
// In:  the state; `sub_last_i` (no MixColumns) and the round key when it has passed the cut `sub`;
//      `mix_inverse_i` when it has passed the cut `mix`.
// Out: the state to which the round key is added (in decryption, InvMixColumns applied).
//
// Cuts, in order: `sbox` inside the S-boxes; `sub` behind them; `mix` between MixColumns and the
// key addition (in decryption, behind InvMixColumns); `round` at the end.
//
// Latency: round_latency(Sbox, Cuts) cycles, without the one of `head`.
module rsm_aes_round_separate
  import rsm_aes_pkg::*;
#(
  parameter sbox_e   Sbox   = SboxTable,
  parameter linear_e Linear = LinearDirect,
  parameter cuts_t   Cuts   = '0
) (
  input  logic   clk_i,
  input  logic   clear_i,
  input  block_t state_i,
  input  logic   sub_last_i,
  input  logic   mix_inverse_i,
  input  block_t key_i,
  output block_t state_o
);

  // Path 0 encrypts, path 1 decrypts.
  block_t [1:0] added;
  block_t       late_key;

  rsm_cut #(
    .Width  (128),
    .Enable (Cuts.mix)
  ) u_cut_key (
    .clk_i,
    .clear_i,
    .d_i (key_i),
    .q_o (late_key)
  );

  for (genvar i = 0; i < 2; i++) begin : gen_path
    block_t sub_state, sub_state_q;

    rsm_aes_sub_bytes #(
      .Bytes     (16),
      .Sbox      (Sbox),
      .Direction ((i == 0) ? DirectionForward : DirectionInverse),
      .Cuts      (Cuts.sbox)
    ) u_sub_bytes (
      .clk_i,
      .clear_i,
      .inverse_i (i == 1),
      .state_i,
      .state_o   (sub_state)
    );

    rsm_cut #(
      .Width  (128),
      .Enable (Cuts.sub)
    ) u_cut_sub (
      .clk_i,
      .clear_i,
      .d_i (sub_state),
      .q_o (sub_state_q)
    );

    rsm_aes_linear #(
      .Linear (Linear),
      .Order  ((i == 0) ? OrderEncrypt : OrderDecrypt),
      .Cut    (Cuts.mix)
    ) u_linear (
      .clk_i,
      .clear_i,
      .inverse_i   (i == 1),
      .last_i      (sub_last_i),
      .state_i     (sub_state_q),
      .early_key_i (key_i),
      .key_i       (late_key),
      .state_o     (added[i])
    );
  end

  rsm_cut #(
    .Width  (128),
    .Enable (Cuts.round)
  ) u_cut_round (
    .clk_i,
    .clear_i,
    .d_i (mix_inverse_i ? added[1] : added[0]),
    .q_o (state_o)
  );

endmodule
