// SPDX-License-Identifier: Apache-2.0
//
// One encryption round with its step of the key schedule, as FIPS 197 orders it (Saggese
// 2003, Fig. 3: Round and KeyGen): SubBytes, ShiftRows, MixColumns, AddRoundKey.
//
// In:  the state to which round key r-1 is added, round key r-1, the round number r, and whether
//      round r is the last one.
// Out: the state to which round key r is added, round key r, the round number r. In round 10
//      that state is the ciphertext.
//
// Cuts, in order: `sbox` inside the S-boxes; `sub` after SubBytes and the key step; `mix`
// between MixColumns and the key addition; `round` at the end.
//
// Latency: rsm_aes_pkg::round_latency(Sbox, Cuts) cycles.
module rsm_aes_round_encrypt
  import rsm_aes_pkg::*;
#(
  parameter sbox_e   Sbox   = SboxTable,
  parameter linear_e Linear = LinearDirect,
  parameter cuts_t   Cuts   = '0
) (
  input  logic   clk_i,
  input  logic   clear_i,
  input  block_t state_i,
  input  block_t key_i,
  input  round_t round_i,
  input  logic   last_i,
  output block_t state_o,
  output block_t key_o,
  output round_t round_o,
  output block_t result_o
);

  block_t sub_state, sub_state_q;
  block_t sub_key, sub_key_q;
  round_t sub_round, sub_round_q;
  block_t mix_key_q;
  round_t mix_round_q;
  logic   sub_last, sub_last_q;
  block_t added;

  rsm_aes_sub_bytes #(
    .Bytes (16),
    .Sbox  (Sbox),
    .Cuts  (Cuts.sbox)
  ) u_sub_bytes (
    .clk_i,
    .clear_i,
    .inverse_i (1'b0),
    .state_i,
    .state_o   (sub_state)
  );

  rsm_aes_key_forward #(
    .Sbox (Sbox),
    .Cuts (Cuts.sbox)
  ) u_key_forward (
    .clk_i,
    .clear_i,
    .key_i,
    .round_i,
    .key_o   (sub_key),
    .round_o (sub_round)
  );

  // The last round is known when the round number is, so the linear layer need not look at it.
  rsm_delay #(
    .Width (1),
    .Depth (sbox_latency(Sbox, Cuts.sbox))
  ) u_delay_last (
    .clk_i,
    .clear_i (1'b0),
    .d_i     (last_i),
    .q_o     (sub_last)
  );

  rsm_cut #(
    .Width  (128 + 128 + 4 + 1),
    .Enable (Cuts.sub)
  ) u_cut_sub (
    .clk_i,
    .clear_i,
    .d_i ({sub_state, sub_key, sub_round, sub_last}),
    .q_o ({sub_state_q, sub_key_q, sub_round_q, sub_last_q})
  );

  rsm_aes_linear #(
    .Linear (Linear),
    .Cut    (Cuts.mix)
  ) u_linear (
    .clk_i,
    .clear_i,
    .inverse_i   (1'b0),
    .last_i      (sub_last_q),
    .state_i     (sub_state_q),
    .early_key_i ('0),
    .key_i       (mix_key_q),
    .state_o     (added)
  );

  rsm_cut #(
    .Width  (128 + 4),
    .Enable (Cuts.mix)
  ) u_cut_mix (
    .clk_i,
    .clear_i,
    .d_i ({sub_key_q, sub_round_q}),
    .q_o ({mix_key_q, mix_round_q})
  );

  rsm_cut #(
    .Width  (128 + 128 + 4),
    .Enable (Cuts.round)
  ) u_cut_round (
    .clk_i,
    .clear_i,
    .d_i ({added, mix_key_q, mix_round_q}),
    .q_o ({state_o, key_o, round_o})
  );

  assign result_o = state_o;

endmodule
