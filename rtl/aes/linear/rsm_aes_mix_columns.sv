// SPDX-License-Identifier: Apache-2.0
//
// MixColumns (FIPS 197, 5.1.3), InvMixColumns (5.3.3) or both, of the whole state, with the
// circuit of one column that the parameter names.
//
// In DirectionBoth `inverse_i` says which one; in the other directions nothing looks at it.
//
// Latency: 0.
module rsm_aes_mix_columns
  import rsm_aes_pkg::*;
#(
  parameter linear_e    Linear    = LinearDirect,
  parameter direction_e Direction = DirectionForward
) (
  input  logic   inverse_i,
  input  block_t state_i,
  output block_t state_o
);

  // A constant in the directions that go one way.
  logic inverse;

  assign inverse = (Direction == DirectionBoth) ? inverse_i : (Direction == DirectionInverse);

  for (genvar c = 0; c < 4; c++) begin : gen_column
    word_t a;
    word_t b;

    assign a                        = state_i[127 - 32*c -: 32];
    assign state_o[127 - 32*c -: 32] = b;

    if (Linear == LinearDirect && Direction == DirectionForward) begin : gen_direct
      rsm_aes_mix_direct u_mix (.column_i (a), .column_o (b));
    end else if (Linear == LinearDirect && Direction == DirectionInverse) begin : gen_direct_inverse
      rsm_aes_mix_direct_inverse u_mix (.column_i (a), .column_o (b));
    end else if (Linear == LinearDirect) begin : gen_direct_side_by_side
      word_t forward_b;
      word_t inverse_b;

      rsm_aes_mix_direct u_mix (.column_i (a), .column_o (forward_b));
      rsm_aes_mix_direct_inverse u_mix_inverse (.column_i (a), .column_o (inverse_b));

      assign b = inverse ? inverse_b : forward_b;
    end else if (Linear == LinearFactored) begin : gen_factored
      rsm_aes_mix_factored_both u_mix (.inverse_i (inverse), .column_i (a), .column_o (b));
    end else if (Linear == LinearSquared) begin : gen_squared
      rsm_aes_mix_squared_both u_mix (.inverse_i (inverse), .column_i (a), .column_o (b));
    end else if (Linear == LinearMinimal && Direction == DirectionForward) begin : gen_minimal
      rsm_aes_mix_minimal u_mix (.column_i (a), .column_o (b));
    end else if (Linear == LinearMinimal && Direction == DirectionInverse) begin : gen_minimal_inv
      rsm_aes_mix_minimal_inverse u_mix (.column_i (a), .column_o (b));
    end else if (Linear == LinearMinimal) begin : gen_minimal_both
      rsm_aes_mix_minimal_both u_mix (.inverse_i (inverse), .column_i (a), .column_o (b));
    end else if (Linear == LinearFast && Direction == DirectionForward) begin : gen_fast
      rsm_aes_mix_fast u_mix (.column_i (a), .column_o (b));
    end else if (Linear == LinearFast && Direction == DirectionInverse) begin : gen_fast_inverse
      rsm_aes_mix_fast_inverse u_mix (.column_i (a), .column_o (b));
    end else if (Linear == LinearFast) begin : gen_fast_both
      rsm_aes_mix_fast_both u_mix (.inverse_i (inverse), .column_i (a), .column_o (b));
    end else begin : gen_unknown
      $error("rsm_aes_mix_columns: Linear names no circuit of one column");
    end
  end

  // Where the circuit goes one way, nothing else looks at this.
  logic unused_inverse;

  assign unused_inverse = inverse ^ inverse_i;

endmodule
