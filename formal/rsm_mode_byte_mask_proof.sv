// SPDX-License-Identifier: Apache-2.0
//
// Byte counts and byte enables are converted correctly in both directions.
// Assumptions: no count exceeds a full beat; the core's byte enables are ones from the left.
// Parameters: none.
module rsm_mode_byte_mask_proof import rsm_mode_pkg::*; (
  input logic clk_i,
  input bytes_t in_i, out_i
);
  bytes_t out;
  keep_t in_keep, out_keep;

  rsm_mode_byte_mask dut (
    .in_bytes_i(in_i), .out_bytes_o(out), .core_in_keep_o(in_keep), .core_out_keep_i(out_keep)
  );

  // Ones from the left.
  assign out_keep = ~(16'hffff >> out_i);

  always_comb begin
    assume (in_i <= Full && out_i <= Full);
    assert (in_keep == ~(16'hffff >> in_i));
    assert (out == out_i);
  end
endmodule
