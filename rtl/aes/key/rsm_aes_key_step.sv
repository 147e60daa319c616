// SPDX-License-Identifier: Apache-2.0
//
// One step of the AES-128 key schedule, forwards (FIPS 197, 5.2; the key round of Standaert
// 2003, Fig. 2): from round key r-1 and SubWord(RotWord(w3)) of it to round key r. The four
// S-boxes stand outside, so that they may be shared or have registers inside.
//
// Latency: 0.
module rsm_aes_key_step
  import rsm_aes_pkg::*;
(
  input  block_t key_i,
  input  word_t  subword_i,
  input  round_t round_i,
  output block_t key_o
);

  word_t w [4];
  word_t n [4];

  assign {w[0], w[1], w[2], w[3]} = key_i;

  assign n[0] = w[0] ^ subword_i ^ {round_constant(round_i), 24'h0};
  assign n[1] = w[1] ^ n[0];
  assign n[2] = w[2] ^ n[1];
  assign n[3] = w[3] ^ n[2];

  assign key_o = {n[0], n[1], n[2], n[3]};

endmodule
