// SPDX-License-Identifier: Apache-2.0
//
// A wide beat leaves as narrow ones. No byte is lost, repeated, reordered or changed, and the
// last flag comes with the last byte only.
// Assumptions: reset in the first cycle only, no clear; the bytes of a beat are at its left,
// and a waiting input beat stays as it is.
// Parameters: none; beats of 64 bits become beats of 16 bits.
module rsm_stream_split_proof (
  input logic clk_i, in_valid_i, in_last_i, in_user_i, out_ready_i,
  input logic [63:0] in_data_i,
  input logic [7:0] in_keep_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic in_ready, out_valid, out_last, out_user;
  logic [15:0] out_data;
  logic [1:0] out_keep;

  rsm_stream_split #(.Wide(64), .Narrow(16)) dut (
    .clk_i, .rst_ni, .clear_i(1'b0), .in_valid_i, .in_ready_o(in_ready), .in_data_i, .in_keep_i,
    .in_user_i, .in_last_i, .out_valid_o(out_valid), .out_ready_i, .out_data_o(out_data),
    .out_keep_o(out_keep), .out_user_o(out_user), .out_last_o(out_last)
  );

  logic taken, left;
  logic [3:0] in_bytes;
  logic [1:0] out_bytes;
  assign in_bytes  = 4'($countones(in_keep_i));
  assign out_bytes = 2'($countones(out_keep));
  assign taken = in_valid_i & in_ready;
  assign left  = out_valid & out_ready_i;

  // Counters of the bytes of accepted wide beats, and of bytes that have left.
  logic [5:0] in_q, out_q, begun;
  assign begun = out_q - in_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {in_q, out_q} <= '0;
    else begin
      if (taken) in_q <= in_q + 6'(in_bytes);
      if (left) out_q <= out_q + 6'(out_bytes);
    end
  end

  logic in_held_q, out_held_q;
  logic [73:0] in_was_q, in_is;
  logic [19:0] out_was_q, out_is;
  assign in_is  = {in_data_i, in_keep_i, in_user_i, in_last_i};
  assign out_is = {out_data, out_keep, out_user, out_last};
  always_ff @(posedge clk_i) begin
    in_held_q  <= rst_ni & in_valid_i & ~in_ready;
    in_was_q   <= in_is;
    out_held_q <= rst_ni & out_valid & ~out_ready_i;
    out_was_q  <= out_is;
  end

  always_comb begin
    assume ((in_keep_i & ~{1'b1, in_keep_i[7:1]}) == '0);
    if (in_held_q) assume (in_valid_i && in_is == in_was_q);
    if (started_q) begin
      // Bytes of the beat at the port have left, but not all of them.
      assert (begun == {3'b0, dut.lane_q, 1'b0});
      if (dut.lane_q != '0) assert (in_held_q && begun < 6'(in_bytes));
      if (out_held_q) assert (out_valid && out_is == out_was_q);
      if (left) begin
        assert (out_user == in_user_i && out_keep != 2'b01);
        if (out_bytes != '0) assert (out_data[15:8] == in_data_i[63 - 8*32'(begun[2:0]) -: 8]);
        if (out_bytes == 2'd2)
          assert (out_data[7:0] == in_data_i[55 - 8*32'(begun[2:0]) -: 8]);
        assert (out_bytes != '0 || in_bytes == '0);
        // The wide beat is accepted with its last byte, which has the last flag.
        assert (taken == (begun + 6'(out_bytes) == 6'(in_bytes)));
        assert (out_last == (taken & in_last_i));
      end else assert (!taken);
    end
  end
endmodule
