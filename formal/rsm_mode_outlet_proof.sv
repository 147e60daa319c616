// SPDX-License-Identifier: Apache-2.0
//
// Results leave in order, each once, and the end of a message follows its last result. A waiting
// beat stays.
// Assumptions: reset in the first cycle only; a stream has at most two results outside the core,
// at least two cycles apart, and none while an end waits. An end stays until it is reported.
// Parameters: none; results of 8 bits.
module rsm_mode_outlet_proof import rsm_mode_pkg::*; (
  input logic clk_i, clear_i, due_i, last_i, end_i, end_refused_i, out_ready_i,
  input logic [7:0] result_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic idle, reported, valid, left;
  block_t kept;
  answer_t out, out_q;

  rsm_mode_outlet dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .due_i, .last_i, .result_i({120'd0, result_i}),
    .kept_o(kept), .end_i, .end_refused_i, .reported_o(reported), .out_valid_o(valid),
    .out_ready_i, .out_o(out), .left_o(left)
  );

  // The waiting results with their last flags, the oldest one at the right.
  logic [1:0][8:0] queue_q;
  logic [1:0] waits_q;
  logic due_q, left_q, end_q, refused_q, reported_q, wait_q;
  logic [7:0] newest_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      {waits_q, due_q, left_q, end_q, wait_q, reported_q} <= '0;
    end else begin
      waits_q    <= waits_q + 2'(due_i) - 2'(left);
      due_q      <= due_i;
      left_q     <= left;
      end_q      <= end_i;
      reported_q <= reported;
      wait_q     <= valid & ~out_ready_i;
    end
    out_q     <= out;
    refused_q <= end_refused_i;
    if (left) queue_q[0] <= queue_q[1];
    if (due_i) queue_q[waits_q[0] & ~left] <= {last_i, result_i};
    if (clear_i)    newest_q <= '0;
    else if (due_i) newest_q <= result_i;
  end

  always_comb begin
    if (due_i) assume (waits_q < 2'd2 && !due_q && !end_i && !end_q);
    if (end_q && !reported_q) assume (end_i && end_refused_i == refused_q);
    if (reported_q) assume (!end_i);
    if (started_q) begin
      if (wait_q) assert (valid && out == out_q);
      // A beat is the oldest result, or the end if no result waits.
      if (valid && waits_q != '0) begin
        assert (out.keep == '1 && out.status == '0 && out.data[127:8] == '0);
        assert ({out.last, out.data[7:0]} == queue_q[0]);
      end
      if (valid && waits_q == '0) begin
        assert (end_i && out.keep == '0 && out.data == '0 && out.last);
        assert (out.status == status_t'{spare: 1'b0, refused: end_refused_i, wrong_tag: 1'b0});
      end
      assert (left == (valid && out_ready_i && waits_q != '0));
      assert (reported == (valid && out_ready_i && waits_q == '0));
      // A result waits for the port only, and for one cycle after a beat has left.
      if (waits_q != '0 && !due_q && !left_q) assert (valid);
      assert (idle == (waits_q == '0 && !valid));
      // Inside.
      assert (waits_q == 2'(dut.pends_q) + 2'(dut.valid_q && !dut.empty_q));
      if (dut.valid_q && dut.empty_q) assert (!dut.pends_q && end_i);
      if (dut.pends_q) begin
        assert (kept == {120'd0, newest_q});
        assert ({dut.kept_last_q, kept[7:0]} == queue_q[dut.valid_q]);
      end
      if (due_q) assert (dut.pends_q && (!dut.valid_q || !dut.empty_q));
      if (dut.valid_q && dut.pends_q) assert (!dut.empty_q);
    end
  end
endmodule
