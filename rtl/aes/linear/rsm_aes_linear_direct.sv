// SPDX-License-Identifier: Apache-2.0
//
// The linear half of an encryption round as FIPS 197 writes it: a multiplexer takes the state
// past MixColumns in the last round, then the round key is added.
//
// Latency: 1 cycle when Cut is set, else 0.
module rsm_aes_linear_direct
  import rsm_aes_pkg::*;
#(
  parameter bit Cut = 1'b0
) (
  input  logic   clk_i,
  input  logic   clear_i,
  input  block_t state_i,
  input  logic   last_i,
  input  block_t key_i,
  output block_t state_o
);

  block_t shifted;
  block_t mixed;
  block_t selected;
  block_t selected_q;

  assign shifted = shift_rows(state_i);

  rsm_aes_mix_columns u_mix_columns (
    .state_i (shifted),
    .state_o (mixed)
  );

  assign selected = last_i ? shifted : mixed;

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
