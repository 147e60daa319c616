// SPDX-License-Identifier: Apache-2.0
//
// The number of bytes of a beat as a mask and back: modes take and give a one for each byte that
// counts, from the left, as AXI4-Stream has it.
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

  assign core_in_keep_o = keep_of(in_bytes_i);
  assign out_bytes_o    = bytes_of(core_out_keep_i);

endmodule
