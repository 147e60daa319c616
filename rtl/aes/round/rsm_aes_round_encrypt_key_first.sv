// SPDX-License-Identifier: Apache-2.0
//
// One encryption round whose key addition comes first (Standaert 2003, Fig. 7(b)):
// AddRoundKey of key r-1, SubBytes, ShiftRows, MixColumns. The initial key addition is then
// that of round 1, and the last round needs no way around MixColumns: the ciphertext is taken
// before it, with one key addition of its own. This is the smaller form in standard cells.
//
// In:  the state before round key r-1 is added, round key r-1, the round number r.
// Out: the state before round key r is added, round key r, the round number r; and, valid in
//      round 10 alone, the ciphertext.
//
// Cuts, in order: `sbox` inside the S-boxes; `sub` after SubBytes and the key step; `round` at
// the end. There is no `mix`: no key addition follows MixColumns.
//
// `Linear` is one of the circuits of a column that rsm_aes_mix_columns offers.
//
// Latency: rsm_aes_pkg::round_latency(Sbox, Cuts) cycles.
module rsm_aes_round_encrypt_key_first
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
  output block_t state_o,
  output block_t key_o,
  output round_t round_o,
  output block_t result_o
);

  block_t sub_state, sub_state_q;
  block_t sub_key, sub_key_q;
  round_t sub_round, sub_round_q;
  block_t shifted;
  block_t mixed;

  if (Cuts.mix) begin : gen_no_mix
    $error("rsm_aes_round_encrypt_key_first: this round has no cut `mix`");
  end

  rsm_aes_sub_bytes #(
    .Bytes (16),
    .Sbox  (Sbox),
    .Cuts  (Cuts.sbox)
  ) u_sub_bytes (
    .clk_i,
    .clear_i,
    .inverse_i (1'b0),
    .state_i   (state_i ^ key_i),
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

  rsm_cut #(
    .Width  (128 + 128 + 4),
    .Enable (Cuts.sub)
  ) u_cut_sub (
    .clk_i,
    .clear_i,
    .d_i ({sub_state, sub_key, sub_round}),
    .q_o ({sub_state_q, sub_key_q, sub_round_q})
  );

  assign shifted = shift_rows(sub_state_q);

  rsm_aes_mix_columns #(
    .Linear (Linear)
  ) u_mix_columns (
    .inverse_i (1'b0),
    .state_i   (shifted),
    .state_o   (mixed)
  );

  // The ciphertext leaves beside the state, so a cut at the end of the round holds both.
  rsm_cut #(
    .Width  (128 + 128 + 4 + 128),
    .Enable (Cuts.round)
  ) u_cut_round (
    .clk_i,
    .clear_i,
    .d_i ({mixed, sub_key_q, sub_round_q, shifted ^ sub_key_q}),
    .q_o ({state_o, key_o, round_o, result_o})
  );

endmodule
