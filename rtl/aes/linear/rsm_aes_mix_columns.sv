// SPDX-License-Identifier: Apache-2.0
//
// MixColumns (FIPS 197, 5.1.3) of the whole state, 108 XOR a column.
//
// With d(i) = a(i) ^ a(i+1), output byte i is xtime(d(i)) ^ a(i+1) ^ d(i+2): the sums of two
// neighbours are shared by two output bytes each.
//
// Latency: 0.
module rsm_aes_mix_columns
  import rsm_aes_pkg::*;
(
  input  block_t state_i,
  output block_t state_o
);

  for (genvar c = 0; c < 4; c++) begin : gen_column
    byte_t a [4];
    byte_t d [4];

    for (genvar r = 0; r < 4; r++) begin : gen_row
      assign a[r] = state_i[127 - 8 * (4 * c + r) -: 8];
      assign d[r] = a[r] ^ a[(r+1)%4];

      assign state_o[127 - 8 * (4 * c + r) -: 8] = xtime(d[r]) ^ a[(r+1)%4] ^ d[(r+2)%4];
    end
  end

endmodule
