// SPDX-License-Identifier: Apache-2.0
//
// One step of a multiplication in the field of GHASH: product * x^Digit + digit * factor.
//
// Elements stand as polynomials, bit i the coefficient of x^i, so a block of GCM is turned around
// (its first bit is x^0). The field is that of x^128 + x^7 + x^2 + x + 1. Steps over all digits of
// an element, the one with the highest powers first, give its product with the factor.
//
// Latency: 0.
module rsm_ghash_step #(
  parameter int unsigned Digit = 8
) (
  input  logic [127:0]     product_i,
  input  logic [Digit-1:0] digit_i,
  input  logic [127:0]     factor_i,
  output logic [127:0]     product_o
);

  if (Digit < 1 || Digit > 128) begin : gen_no_digit
    $error("Digit is 1 to 128 bits");
  end

  logic [127+Digit:0] wide;       // before it is reduced
  logic [Digit-1:0]   over;
  logic [127+7:0]     once;       // its highest powers replaced by 1 + x + x^2 + x^7
  logic [6:0]         over_again;

  // The sum is a tree and not a chain: node k is the sum of nodes 2k and 2k+1.
  always_comb begin
    logic [127+Digit:0] node [2*Digit];

    node[0] = '0;
    for (int i = 0; i < Digit; i++) begin
      node[Digit+i] = digit_i[i] ? {{Digit{1'b0}}, factor_i} << i : '0;
    end
    for (int k = Digit - 1; k >= 1; k--) node[k] = node[2*k] ^ node[2*k+1];
    wide = {product_i, {Digit{1'b0}}} ^ node[1];
  end

  assign over       = wide[127+Digit:128];
  assign once       = 135'(wide[127:0]) ^ 135'(over) ^ (135'(over) << 1) ^ (135'(over) << 2)
                      ^ (135'(over) << 7);
  assign over_again = once[134:128];
  assign product_o  = once[127:0] ^ 128'(over_again) ^ (128'(over_again) << 1)
                      ^ (128'(over_again) << 2) ^ (128'(over_again) << 7);

endmodule
