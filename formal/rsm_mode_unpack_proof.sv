// SPDX-License-Identifier: Apache-2.0
//
// Every byte of a beat leaves once, in order, and the last flag comes with the last byte.
// Assumptions: reset in the first cycle only; the bytes of a beat are at its left,
// and a waiting input beat stays as it is.
// Parameters: none.
module rsm_mode_unpack_proof import rsm_mode_pkg::*; (
  input logic clk_i, clear_i, in_valid_i, out_ready_i,
  input beat_t in_i
);

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic idle, in_ready, out_valid;
  beat_t out;

  rsm_mode_unpack dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .in_valid_i, .in_ready_o(in_ready), .in_i,
    .out_valid_o(out_valid), .out_ready_i, .out_o(out)
  );

  // Bytes of the beat at the port that have left.
  logic taken, left;
  bytes_t bytes, gone_q, after;
  assign bytes = 5'($countones(in_i.keep));
  assign taken = in_valid_i & in_ready;
  assign left  = out_valid & out_ready_i;
  assign after = gone_q + 5'(out.keep[15]);
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i || taken) gone_q <= '0;
    else if (left)                   gone_q <= after;
  end

  logic in_held_q, out_held_q;
  beat_t in_q, out_q;
  always_ff @(posedge clk_i) begin
    in_held_q  <= rst_ni & ~clear_i & in_valid_i & ~in_ready;
    in_q       <= in_i;
    out_held_q <= rst_ni & ~clear_i & out_valid & ~out_ready_i;
    out_q      <= out;
  end

  always_comb begin
    assume ((in_i.keep & ~{1'b1, in_i.keep[15:1]}) == '0);   // bytes stand at the left
    if (in_held_q) assume (in_valid_i && in_i == in_q);
    if (started_q) begin
      assert (5'(dut.number_q) == gone_q && idle == (gone_q == '0));
      if (gone_q != '0) assert (in_held_q && gone_q < bytes);
      // An output beat has one byte, the next one of the input beat, and zeros behind it.
      assert (out_valid == in_valid_i);
      if (out_valid) begin
        assert (out.keep == {bytes != '0, 15'd0} && out.part == in_i.part);
        if (bytes != '0) assert (out.data == {in_i.data[127 - 8*gone_q[3:0] -: 8], 120'd0});
      end
      // The input beat is accepted with its last byte, which has the last flag.
      assert (taken == (left && after == bytes));
      if (out_valid) assert (out.last == (in_i.last && after == bytes));
      if (out_held_q) assert (out_valid && out == out_q);
    end
  end
endmodule
