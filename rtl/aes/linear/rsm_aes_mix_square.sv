// SPDX-License-Identifier: Apache-2.0
//
// What turns MixColumns of one column into InvMixColumns (Chodowiec and Gaj 2003, 3.3): with c(x)
// for the polynomial of MixColumns and d(x) for its inverse, d(x) = c(x) * d(x)^2, and d(x)^2 is
// {04}x^2 + {05}. While `enable_i` is high the column is multiplied by d(x)^2, so MixColumns
// behind it gives InvMixColumns; else it passes as it is.
//
// A byte and the one two rows on get the same term, 4 * (a(0) ^ a(2)) or 4 * (a(1) ^ a(3)).
//
// Latency: 0.
module rsm_aes_mix_square
  import rsm_aes_pkg::*;
(
  input  logic        enable_i,
  input  logic [31:0] column_i,
  output logic [31:0] column_o
);

  word_t half;

  for (genvar r = 0; r < 2; r++) begin : gen_row
    byte_t sum;

    assign sum = enable_i ? column_i[31 - 8*r -: 8] ^ column_i[15 - 8*r -: 8] : '0;
    assign half[31 - 8*r -: 8] = xtime(xtime(sum));
    assign half[15 - 8*r -: 8] = xtime(xtime(sum));
  end

  assign column_o = column_i ^ half;

endmodule
