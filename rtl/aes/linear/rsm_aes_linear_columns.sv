// SPDX-License-Identifier: Apache-2.0
//
// MixColumns, its inverse or both as FIPS 197 writes them, with any circuit of one column: a
// multiplexer takes the state past them in the last round, then the round key is added.
//
// `inverse_i` and `last_i` come with `state_i`, `key_i` leaves with `state_o`.
//
// Latency: 1 cycle when Cut is set, else 0.
module rsm_aes_linear_columns
  import rsm_aes_pkg::*;
#(
  parameter linear_e    Linear    = LinearDirect,
  parameter direction_e Direction = DirectionForward,
  parameter bit         Cut       = 1'b0
) (
  input  logic   clk_i,
  input  logic   clear_i,
  input  logic   inverse_i,
  input  logic   last_i,
  input  block_t state_i,
  input  block_t key_i,
  output block_t state_o
);

  block_t mixed;
  block_t selected;
  block_t selected_q;

  rsm_aes_mix_columns #(
    .Linear    (Linear),
    .Direction (Direction)
  ) u_mix_columns (
    .inverse_i,
    .state_i,
    .state_o (mixed)
  );

  assign selected = last_i ? state_i : mixed;

  rsm_cut #(
    .Width  (128),
    .Enable (Cut)
  ) u_cut (
    .clk_i,
    .clear_i,
    .d_i (selected),
    .q_o (selected_q)
  );

  assign state_o = selected_q ^ key_i;

endmodule
