// SPDX-License-Identifier: Apache-2.0
//
// The AES-128 key schedule on the fly, one round key a round: RotWord, four S-boxes of its
// own, and the key step. It keeps pace with a round that has the same S-box and the same cuts,
// so a key travels beside its block and may differ for every block.
//
// Latency: rsm_aes_pkg::sbox_latency(Sbox, Cuts) cycles; `round_i` comes with `key_i`.
module rsm_aes_key_forward
  import rsm_aes_pkg::*;
#(
  parameter sbox_e               Sbox = SboxTable,
  parameter logic [SboxCuts-1:0] Cuts = '0
) (
  input  logic   clk_i,
  input  logic   clear_i,
  input  block_t key_i,
  input  round_t round_i,
  output block_t key_o,
  output round_t round_o
);

  localparam int unsigned Latency = sbox_latency(Sbox, Cuts);

  word_t  rotated;
  word_t  subword;
  block_t key_q;

  assign rotated = {key_i[23:0], key_i[31:24]};

  rsm_aes_sub_bytes #(
    .Bytes (4),
    .Sbox  (Sbox),
    .Cuts  (Cuts)
  ) u_sub_word (
    .clk_i,
    .clear_i,
    .inverse_i (1'b0),
    .state_i   (rotated),
    .state_o   (subword)
  );

  rsm_delay #(
    .Width (128 + 4),
    .Depth (Latency)
  ) u_delay (
    .clk_i,
    .clear_i,
    .d_i ({key_i, round_i}),
    .q_o ({key_q, round_o})
  );

  rsm_aes_key_step u_key_step (
    .key_i     (key_q),
    .subword_i (subword),
    .round_i   (round_o),
    .key_o
  );

endmodule
