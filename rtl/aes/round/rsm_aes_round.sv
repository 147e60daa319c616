// SPDX-License-Identifier: Apache-2.0
//
// One round without its key schedule, on one path: SubBytes, then the linear layer in the order
// that the parameter names. It encrypts, decrypts, or does both with S-boxes that serve either
// direction. In OrderBoth it is Lutz's reorganised round (Lutz 2002, 3.2, Fig. 6): a decryption
// round starts with the S-boxes as an encryption round does, so that a register behind them cuts
// the longest path of both.
//
// In:  the state; `inverse_i` with it; `sub_inverse_i` and `sub_last_i` (no MixColumns) when it has
//      passed the cut `sub`; the round key, which in OrderEncrypt comes when it has passed the cut
//      `mix`, else when it has passed `sub`.
// Out: the state to which the round key is added (and in OrderDecrypt, InvMixColumns applied).
//
// Cuts, in order: `sbox` inside the S-boxes; `sub` behind them; `mix` between MixColumns and the
// key addition; `round` at the end. The cut `head` stands in front of the round, with the key.
//
// Latency: round_latency(Sbox, Cuts) cycles, without the one of `head`.
module rsm_aes_round
  import rsm_aes_pkg::*;
#(
  parameter sbox_e   Sbox   = SboxTable,
  parameter linear_e Linear = LinearDirect,
  parameter order_e  Order  = OrderEncrypt,
  parameter cuts_t   Cuts   = '0
) (
  input  logic   clk_i,
  input  logic   clear_i,
  input  logic   inverse_i,
  input  block_t state_i,
  input  logic   sub_inverse_i,
  input  logic   sub_last_i,
  input  block_t key_i,
  output block_t state_o
);

  localparam direction_e Direction =
      (Order == OrderEncrypt) ? DirectionForward :
      (Order == OrderBoth || Order == OrderBothEquivalent) ? DirectionBoth : DirectionInverse;

  block_t sub_state, sub_state_q;
  block_t late_key;
  block_t added;

  rsm_aes_sub_bytes #(
    .Bytes     (16),
    .Sbox      (Sbox),
    .Direction (Direction),
    .Cuts      (Cuts.sbox)
  ) u_sub_bytes (
    .clk_i,
    .clear_i,
    .inverse_i,
    .state_i,
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

  rsm_cut #(
    .Width  (128),
    .Enable (Cuts.mix && Order != OrderEncrypt && Order != OrderDecrypt)
  ) u_cut_key (
    .clk_i,
    .clear_i,
    .d_i (key_i),
    .q_o (late_key)
  );

  rsm_aes_linear #(
    .Linear (Linear),
    .Order  (Order),
    .Cut    (Cuts.mix)
  ) u_linear (
    .clk_i,
    .clear_i,
    .inverse_i   (sub_inverse_i),
    .last_i      (sub_last_i),
    .state_i     (sub_state_q),
    .early_key_i (key_i),
    .key_i       (late_key),
    .state_o     (added)
  );

  rsm_cut #(
    .Width  (128),
    .Enable (Cuts.round)
  ) u_cut_round (
    .clk_i,
    .clear_i,
    .d_i (added),
    .q_o (state_o)
  );

endmodule
