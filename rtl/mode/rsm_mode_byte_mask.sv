// SPDX-License-Identifier: Apache-2.0
//
// The number of bytes of a beat as a mask and back: the modes for a core that has one block at a
// time take and give a one for each byte that counts, from the left, as AXI4-Stream has it.
//
// Latency: 0.
module rsm_mode_byte_mask
  import rsm_mode_pkg::*;
(
  input  bytes_t in_bytes_i,
  output bytes_t out_bytes_o,
  output keep_t  core_in_keep_o,
  input  keep_t  core_out_keep_i
);

  always_comb begin
    out_bytes_o = '0;
    for (int unsigned i = 0; i < 32'(Full); i++) begin
      core_in_keep_o[15-i] = (in_bytes_i > bytes_t'(i));
      if (core_out_keep_i[15-i]) out_bytes_o = bytes_t'(i + 1);
    end
  end

endmodule
