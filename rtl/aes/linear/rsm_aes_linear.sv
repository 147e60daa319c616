// SPDX-License-Identifier: Apache-2.0
//
// The linear half of an encryption round: ShiftRows, MixColumns (not in the last round) and
// AddRoundKey, with the variant that the parameter names. It owns the key addition, so that
// a variant may merge it with MixColumns.
//
// Latency: 1 cycle when Cut is set (between MixColumns and the key addition), else 0. The
// caller delays `key_i` by as much.
module rsm_aes_linear
  import rsm_aes_pkg::*;
#(
  parameter linear_e Linear = LinearDirect,
  parameter bit      Cut    = 1'b0
) (
  input  logic   clk_i,
  input  logic   clear_i,
  input  block_t state_i,
  input  logic   last_i,
  input  block_t key_i,
  output block_t state_o
);

  if (Linear == LinearDirect) begin : gen_direct
    rsm_aes_linear_direct #(
      .Cut (Cut)
    ) u_linear (
      .clk_i,
      .clear_i,
      .state_i,
      .last_i,
      .key_i,
      .state_o
    );
  end else if (Linear == LinearGated) begin : gen_gated
    rsm_aes_linear_gated #(
      .Cut (Cut)
    ) u_linear (
      .clk_i,
      .clear_i,
      .state_i,
      .last_i,
      .key_i,
      .state_o
    );
  end else begin : gen_unknown
    $error("rsm_aes_linear: Linear names no linear layer");
  end

endmodule
