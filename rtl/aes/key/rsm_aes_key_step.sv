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

  word_t w0, w1, w2, w3;
  word_t n0, n1, n2, n3;

  assign {w0, w1, w2, w3} = key_i;

  // Words of their own, not one array: to Verilator an array that feeds itself is a loop.
  assign n0 = w0 ^ subword_i ^ {round_constant(round_i), 24'h0};
  assign n1 = w1 ^ n0;
  assign n2 = w2 ^ n1;
  assign n3 = w3 ^ n2;

  assign key_o = {n0, n1, n2, n3};

endmodule
