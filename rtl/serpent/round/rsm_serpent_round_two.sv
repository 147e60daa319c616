// SPDX-License-Identifier: Apache-2.0
//
// A round with one data path for each direction and nothing shared (Lutz 2002, 4.1 and Fig. 8), and
// the order of steps of the submission:
//
//   encrypting, round i   round key i, S-box i mod 8, linear transformation (or round key 32)
//   decrypting, round i   inverse of the linear transformation (or round key 32), inverse of S-box
//                         i mod 8, round key i
//
// Round 31 has round key 32 in the place of the linear transformation: `last_i`, which counts in
// the last stage of a ring of Rounds when encrypting and in stage 0 when decrypting. `box_i` is i
// mod 8.
//
// Latency: 0.
module rsm_serpent_round_two
  import rsm_serpent_pkg::*;
#(
  parameter sbox_e       Sbox   = SboxTable,
  parameter int unsigned Stage  = 0,
  parameter int unsigned Rounds = 4
) (
  input  logic   inverse_i,
  input  logic   last_i,
  input  box_t   box_i,
  input  state_t state_i,
  input  state_t key_i,
  input  state_t last_key_i,
  output state_t state_o
);

  state_t sub, mixed, forward;
  state_t unmixed, straight, unsub;

  rsm_serpent_sub #(
    .Sbox  (Sbox),
    .Boxes (boxes(Stage, Rounds))
  ) u_sub (
    .box_i,
    .x_i (state_i ^ key_i),
    .y_o (sub)
  );

  rsm_serpent_linear u_linear (
    .clk_i           (1'b0),
    .clear_i         (1'b0),
    .first_bypass_i  (1'b0),
    .state_i         (sub),
    .second_bypass_i (1'b0),
    .state_o         (mixed)
  );

  rsm_serpent_linear #(
    .Inverse (1'b1)
  ) u_linear_inverse (
    .clk_i           (1'b0),
    .clear_i         (1'b0),
    .first_bypass_i  (1'b0),
    .state_i,
    .second_bypass_i (1'b0),
    .state_o         (unmixed)
  );

  rsm_serpent_sub #(
    .Sbox    (Sbox),
    .Inverse (1'b1),
    .Boxes   (boxes(31 - Stage, Rounds))
  ) u_sub_inverse (
    .box_i,
    .x_i (straight),
    .y_o (unsub)
  );

  assign forward  = (Stage == Rounds - 1 && last_i) ? sub ^ last_key_i : mixed;
  assign straight = (Stage == 0 && last_i) ? state_i ^ last_key_i : unmixed;
  assign state_o  = inverse_i ? unsub ^ key_i : forward;

  logic unused_last;

  assign unused_last = ^{last_i, last_key_i};

endmodule
