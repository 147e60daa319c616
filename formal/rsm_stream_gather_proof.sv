// SPDX-License-Identifier: Apache-2.0
//
// Narrow beats are gathered into wide ones. No byte is lost, repeated, reordered or changed,
// and the user bit and the last flag stay with their bytes.
// Assumptions: reset in the first cycle only, no clear; the bytes of a beat are at its left,
// and a waiting input beat stays as it is.
// Parameters: none; beats of 16 bits become beats of 64 bits.
module rsm_stream_gather_proof (
  input logic clk_i, in_valid_i, in_last_i, out_ready_i,
  input logic [15:0] in_data_i,
  input logic [1:0] in_keep_i,
  input logic in_user_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic in_ready, out_valid, out_last, out_user, idle;
  logic [63:0] out_data;
  logic [7:0] out_keep;

  rsm_stream_gather #(.Narrow(16), .Wide(64)) dut (
    .clk_i, .rst_ni, .clear_i(1'b0), .idle_o(idle), .in_valid_i, .in_ready_o(in_ready),
    .in_data_i, .in_keep_i, .in_user_i, .in_last_i, .out_valid_o(out_valid), .out_ready_i,
    .out_data_o(out_data), .out_keep_o(out_keep), .out_user_o(out_user), .out_last_o(out_last)
  );

  logic taken, left;
  logic [1:0] in_bytes;
  logic [3:0] out_bytes;
  assign in_bytes  = 2'($countones(in_keep_i));
  assign out_bytes = 4'($countones(out_keep));
  assign taken = in_valid_i & in_ready;
  assign left  = out_valid & out_ready_i;

  // Counters of bytes and of last beats; the followed byte with its user bit and last flag.
  logic [5:0] in_q, out_q, lasts_in_q, lasts_out_q, followed_q;
  logic [7:0] byte_q;
  logic user_q, last_q, closes_q;
  logic [5:0] offset;
  assign offset = followed_q - in_q;

  always_ff @(posedge clk_i) begin
    followed_q <= followed_q;
    if (!rst_ni) begin
      {in_q, out_q, lasts_in_q, lasts_out_q} <= '0;
    end else begin
      if (taken) begin
        in_q       <= in_q + 6'(in_bytes);
        lasts_in_q <= lasts_in_q + 6'(in_last_i);
        if (offset < 6'(in_bytes)) begin
          byte_q <= (offset == '0) ? in_data_i[15:8] : in_data_i[7:0];
          user_q <= in_user_i;
          last_q <= in_last_i;
        end
      end
      if (left) begin
        out_q       <= out_q + 6'(out_bytes);
        lasts_out_q <= lasts_out_q + 6'(out_last);
      end
    end
  end

  // Beats that wait.
  logic in_held_q, out_held_q;
  logic [19:0] in_was_q;
  logic [73:0] out_was_q;
  logic [19:0] in_is;
  logic [73:0] out_is;
  assign in_is  = {in_data_i, in_keep_i, in_user_i, in_last_i};
  assign out_is = {out_data, out_keep, out_user, out_last};
  always_ff @(posedge clk_i) begin
    in_held_q  <= rst_ni & in_valid_i & ~in_ready;
    in_was_q   <= in_is;
    out_held_q <= rst_ni & out_valid & ~out_ready_i;
    out_was_q  <= out_is;
  end

  logic [5:0] place;
  assign place = followed_q - out_q;

  always_comb begin
    assume (in_keep_i != 2'b01);
    if (in_held_q) assume (in_valid_i && in_is == in_was_q);
    if (started_q) begin
      // The block holds the bytes that have come and not left.
      assert (in_q - out_q == (dut.begun_q ? 6'(out_bytes) : 6'd0));
      assert (lasts_in_q - lasts_out_q == 6'(dut.begun_q & dut.last_q));
      assert (out_keep == ~(8'hff >> out_bytes) || !dut.begun_q);
      if (dut.begun_q) begin
        if (dut.last_q) assert (dut.whole_q);
        if (!dut.whole_q) assert (out_bytes == {1'b0, dut.lane_q, 1'b0} && dut.lane_q != '0);
        // The followed byte is in its place, and its beat has its user bit and last flag.
        if (place < 6'(out_bytes)) begin
          assert (dut.data_q[63 - 8*32'(place[2:0]) -: 8] == byte_q);
          assert (dut.user_q == user_q);
          if (last_q) assert (dut.last_q);
        end
        for (int i = 0; i < 8; i += 2) begin
          if (i >= 32'(out_bytes)) assert (dut.data_q[63 - 8*i -: 16] == '0);
        end
      end
      if (out_held_q) assert (out_valid && out_is == out_was_q);
      if (left && place < 6'(out_bytes)) begin
        assert (out_data[63 - 8*32'(place[2:0]) -: 8] == byte_q);
        assert (out_user == user_q);
      end
    end
  end
endmodule
