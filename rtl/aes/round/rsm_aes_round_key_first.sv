// SPDX-License-Identifier: Apache-2.0
//
// One round without its key schedule whose key addition comes first.
//
// Encryption (Standaert 2003, Fig. 7(b)): AddRoundKey of key t-1, SubBytes, ShiftRows, MixColumns.
// The initial key addition is that of round 1, and the last round needs no way around MixColumns:
// the ciphertext is taken before it, with one key addition of its own. This is the smaller form in
// standard cells.
//
// Both directions (Lutz 2002, Fig. 4): decryption begins with the key addition as well, then comes
// InvMixColumns (not in its first round), InvShiftRows and InvSubBytes. S-boxes and key addition
// serve both directions, but what stands around the S-boxes does so on either side of them: no
// place for a register cuts the longest path of both. rsm_aes_round in OrderBoth mends that.
//
// In:  the state, `inverse_i`, `first_i` (the first round of a block) and the key that is added,
//      `early_key_i`; when it has passed the cut `sub`, `sub_inverse_i` and the next key, `key_i`.
// Out: the state, and in the last round of a block alone, its result.
//
// Cuts, in order: `sbox` inside the S-boxes; `sub` behind them; `round` at the end. There is no
// `mix`: no key addition follows MixColumns.
//
// Latency: round_latency(Sbox, Cuts) cycles, without the one of `head`.
module rsm_aes_round_key_first
  import rsm_aes_pkg::*;
#(
  parameter sbox_e      Sbox      = SboxTable,
  parameter linear_e    Linear    = LinearDirect,
  parameter direction_e Direction = DirectionForward,
  parameter cuts_t      Cuts      = '0
) (
  input  logic   clk_i,
  input  logic   clear_i,
  input  logic   inverse_i,
  input  logic   first_i,
  input  block_t state_i,
  input  block_t early_key_i,
  input  logic   sub_inverse_i,
  input  block_t key_i,
  output block_t state_o,
  output block_t result_o
);

  block_t added;
  block_t sub_in;
  block_t sub_state, sub_state_q;
  block_t shifted;
  block_t mixed;
  block_t next;
  block_t unadded;

  if (Cuts.mix) begin : gen_no_mix
    $error("rsm_aes_round_key_first: this round has no cut `mix`");
  end

  assign added = state_i ^ early_key_i;

  if (Direction == DirectionBoth) begin : gen_both
    block_t unmixed;

    rsm_aes_mix_columns #(
      .Linear    (Linear),
      .Direction (DirectionInverse)
    ) u_inv_mix_columns (
      .inverse_i (1'b1),
      .state_i   (added),
      .state_o   (unmixed)
    );

    assign sub_in  = inverse_i ? inv_shift_rows(first_i ? added : unmixed) : added;
    assign unadded = sub_inverse_i ? sub_state_q : shifted;
    assign next    = sub_inverse_i ? sub_state_q : mixed;
  end else begin : gen_encrypt
    logic unused_control;

    assign unused_control = inverse_i ^ first_i ^ sub_inverse_i;
    assign sub_in         = added;
    assign unadded        = shifted;
    assign next           = mixed;

    if (Direction == DirectionInverse) begin : gen_no_decryption
      $error("rsm_aes_round_key_first: a core that only decrypts adds its key last");
    end
  end

  rsm_aes_sub_bytes #(
    .Bytes     (16),
    .Sbox      (Sbox),
    .Direction (Direction),
    .Cuts      (Cuts.sbox)
  ) u_sub_bytes (
    .clk_i,
    .clear_i,
    .inverse_i,
    .state_i (sub_in),
    .state_o (sub_state)
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

  assign shifted = shift_rows(sub_state_q);

  rsm_aes_mix_columns #(
    .Linear (Linear)
  ) u_mix_columns (
    .inverse_i (1'b0),
    .state_i   (shifted),
    .state_o   (mixed)
  );

  // The result leaves beside the state, so a cut at the end of the round holds both.
  rsm_cut #(
    .Width  (128 + 128),
    .Enable (Cuts.round)
  ) u_cut_round (
    .clk_i,
    .clear_i,
    .d_i ({next, unadded ^ key_i}),
    .q_o ({state_o, result_o})
  );

endmodule
