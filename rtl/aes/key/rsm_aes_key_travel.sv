// SPDX-License-Identifier: Apache-2.0
//
// One step of the key schedule for a window of keys that travels beside its block, with four
// S-boxes of its own. It keeps pace with a round that has the same S-box and the same cuts, so
// that every block may have another key, another length and another direction.
//
// A window is as long as the key, Nk words, left-aligned; the round key is always its top 128
// bits. With w[i] the words of FIPS 197, 5.2:
//
//   encrypting   W_t = w[4t] .. w[4t+3], then the words that follow:  w[4t+4] .. w[4t+Nk-1]
//   decrypting   V_t = w[4t] .. w[4t+3], then the words before them:  w[4t+4-Nk] .. w[4t-1]
//
// Step t makes W_t of W_(t-1), or V_(t-1) of V_t. Either way a new word is the sum of the words at
// the same places, so none has to be fetched from elsewhere. W_0 is the cipher key. W_t and V_t are
// the same for 128 bits; for the others rsm_aes_key_ends makes V_Nr of what step Nr gives when it
// encrypts. That is W_Nr, but for step 14 of a 256-bit key where decryption is built in: it leaves
// the S-boxes out, lest words of V_14 be lost. Its own new words are in no schedule.
//
//    window_i --> key_word --+--> S-boxes (Cuts) --> [SubCut] --> key_step --> window_o
//                            |                                    ^
//                            +--> delay -------------> [SubCut] --+
//
// `window_clear_i` overwrites the window on its way, `clear_i` what is in the S-boxes.
//
// Latency: rsm_aes_pkg::sbox_latency(Sbox, Cuts) cycles, and one with SubCut, a register between
// the S-boxes and the step, which `clear_i` overwrites.
module rsm_aes_key_travel
  import rsm_aes_pkg::*;
#(
  parameter sbox_e               Sbox      = SboxTable,
  parameter direction_e          Direction = DirectionForward,
  parameter lengths_t            Lengths   = 3'b001,
  parameter logic [SboxCuts-1:0] Cuts      = '0,
  parameter bit                  SubCut    = 1'b0
) (
  input  logic                         clk_i,
  input  logic                         clear_i,
  input  logic                         window_clear_i,
  input  logic                         inverse_i,
  input  length_t                      len_i,
  input  round_t                       step_i,
  input  logic [key_bits(Lengths)-1:0] window_i,
  output logic [key_bits(Lengths)-1:0] window_o
);

  localparam int unsigned KeyBits = key_bits(Lengths);
  localparam int unsigned Latency = sbox_latency(Sbox, Cuts);

  // Signals ending in `_q` are behind the cut SubCut, if it is on.
  word_t              word;
  word_t              subword, subword_q;
  logic [KeyBits-1:0] window, delayed, window_q;
  logic               inverse_q;
  length_t            len_q;
  round_t             step_q;

  rsm_aes_key_word #(
    .Direction (Direction),
    .Lengths   (Lengths)
  ) u_word (
    .inverse_i,
    .len_i,
    .step_i,
    .window_i,
    .word_o   (word),
    .window_o (window)
  );

  // SubWord is SubBytes in both directions: decryption runs the key schedule backwards, but never
  // uses an inverse S-box for it (FIPS 197, 5.2).
  rsm_aes_sub_bytes #(
    .Bytes (4),
    .Sbox  (Sbox),
    .Cuts  (Cuts)
  ) u_sub_word (
    .clk_i,
    .clear_i,
    .inverse_i (1'b0),
    .state_i   (word),
    .state_o   (subword)
  );

  // The words that pass beside the S-boxes wait for them.
  rsm_delay #(
    .Width (KeyBits),
    .Depth (Latency)
  ) u_delay (
    .clk_i,
    .clear_i (window_clear_i),
    .d_i     (window),
    .q_o     (delayed)
  );

  // A register here moves the sums of the step out of the path of the S-boxes.
  rsm_cut #(
    .Width  (32 + KeyBits),
    .Enable (SubCut)
  ) u_cut_sub (
    .clk_i,
    .clear_i,
    .d_i ({subword, delayed}),
    .q_o ({subword_q, window_q})
  );

  // What steers the step must belong to the same key as the window in front of it.
  rsm_delay #(
    .Width (1 + 2 + 4),
    .Depth (Latency + (SubCut ? 32'd1 : 32'd0))
  ) u_delay_control (
    .clk_i,
    .clear_i (1'b0),
    .d_i     ({inverse_i, len_i, step_i}),
    .q_o     ({inverse_q, len_q, step_q})
  );

  rsm_aes_key_step #(
    .Direction (Direction),
    .Lengths   (Lengths),
    .Shallow   (SubCut)
  ) u_step (
    .inverse_i (inverse_q),
    .len_i     (len_q),
    .step_i    (step_q),
    .window_i  (window_q),
    .subword_i (subword_q),
    .window_o
  );

endmodule
