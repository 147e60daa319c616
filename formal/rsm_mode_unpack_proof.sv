// SPDX-License-Identifier: Apache-2.0
//
// Every byte of a beat leaves once, in order, and the last flag comes with the last byte.
// Assumptions: reset in the first cycle only; no beat has more than 16 bytes, and a
// waiting input beat stays as it is.
// Parameters: none.
module rsm_mode_unpack_proof import rsm_mode_pkg::*; (
  input logic clk_i, clear_i, in_valid_i, in_last_i, out_ready_i,
  input block_t in_data_i,
  input bytes_t in_bytes_i
);

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic idle, in_ready, out_valid, out_last;
  block_t out_data;
  bytes_t out_bytes;

  rsm_mode_unpack dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .in_valid_i, .in_ready_o(in_ready), .in_data_i,
    .in_bytes_i, .in_last_i, .out_valid_o(out_valid), .out_ready_i, .out_data_o(out_data),
    .out_bytes_o(out_bytes), .out_last_o(out_last)
  );

  // Bytes of the beat at the port that have left.
  logic taken, left;
  bytes_t gone_q, after;
  assign taken = in_valid_i & in_ready;
  assign left  = out_valid & out_ready_i;
  assign after = gone_q + out_bytes;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i || taken) gone_q <= '0;
    else if (left)                   gone_q <= after;
  end

  logic in_held_q, out_held_q;
  logic [133:0] in_was_q, in_is, out_was_q, out_is;
  assign in_is  = {in_data_i, in_bytes_i, in_last_i};
  assign out_is = {out_data, out_bytes, out_last};
  always_ff @(posedge clk_i) begin
    in_held_q  <= rst_ni & ~clear_i & in_valid_i & ~in_ready;
    in_was_q   <= in_is;
    out_held_q <= rst_ni & ~clear_i & out_valid & ~out_ready_i;
    out_was_q  <= out_is;
  end

  always_comb begin
    assume (in_bytes_i <= Full);
    if (in_held_q) assume (in_valid_i && in_is == in_was_q);
    if (started_q) begin
      assert (5'(dut.number_q) == gone_q && idle == (gone_q == '0));
      if (gone_q != '0) assert (in_held_q && gone_q < in_bytes_i);
      // An output beat has one byte, the next one of the input beat, and zeros behind it.
      assert (out_valid == in_valid_i);
      if (out_valid && in_bytes_i == '0) assert (out_bytes == '0);
      if (out_valid && in_bytes_i != '0) begin
        assert (out_bytes == 5'd1);
        assert (out_data == {in_data_i[127 - 8*gone_q[3:0] -: 8], 120'd0});
      end
      // The input beat is accepted with its last byte, which has the last flag.
      assert (taken == (left && after == in_bytes_i));
      if (out_valid) assert (out_last == (in_last_i && after == in_bytes_i));
      if (out_held_q) assert (out_valid && out_is == out_was_q);
    end
  end
endmodule
