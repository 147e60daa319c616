// SPDX-License-Identifier: Apache-2.0
//
// Bytes are gathered into beats. No byte is lost, repeated or reordered.
// Assumptions: reset in the first cycle only; an empty input beat is the last one.
// Parameters: none.
module rsm_mode_pack_proof import rsm_mode_pkg::*; (
  input logic clk_i, clear_i, in_valid_i, out_ready_i,
  input answer_t in_i
);

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic idle, in_ready, out_valid;
  answer_t out, out_q;

  rsm_mode_pack dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .in_valid_i, .in_ready_o(in_ready), .in_i,
    .out_valid_o(out_valid), .out_ready_i, .out_o(out)
  );

  logic some, taken, left;
  assign some  = in_i.keep[15];
  assign taken = in_valid_i & in_ready;
  assign left  = out_valid & out_ready_i;

  // Counters of bytes and of last beats; the followed byte; the newest part and status.
  logic [5:0] came_q, left_q, lasts_in_q, lasts_out_q, followed_q, waits, place;
  logic [7:0] byte_q;
  logic last_q;
  part_e part_q;
  status_t status_q;
  assign waits = came_q - left_q;
  assign place = followed_q - left_q;
  always_ff @(posedge clk_i) begin
    followed_q <= followed_q;
    if (!rst_ni || clear_i) begin
      {came_q, left_q, lasts_in_q, lasts_out_q, last_q} <= '0;
    end else begin
      came_q      <= came_q + 6'(taken & some);
      lasts_in_q  <= lasts_in_q + 6'(taken & in_i.last);
      left_q      <= left_q + (left ? 6'($countones(out.keep)) : 6'd0);
      lasts_out_q <= lasts_out_q + 6'(left & out.last);
      if (taken)     last_q <= in_i.last;
      else if (left) last_q <= 1'b0;
    end
    if (taken && some && came_q == followed_q) byte_q <= in_i.data[127:120];
    if (taken) {part_q, status_q} <= {in_i.part, in_i.status};
  end

  logic held_q, cleared_q;
  always_ff @(posedge clk_i) begin
    held_q    <= rst_ni & ~clear_i & out_valid & ~out_ready_i;
    out_q     <= out;
    cleared_q <= clear_i;
  end

  always_comb begin
    // An empty beat is the last one.
    assume (some || in_i.last);
    if (started_q) begin
      // Inside: the bytes that have come and not left.
      assert (waits <= 6'd16 && dut.keep_q == ~(16'hffff >> waits) && dut.last_q == last_q);
      assert (lasts_in_q - lasts_out_q == 6'(last_q));
      assert (idle == (waits == '0 && !last_q) && in_ready == !out_valid);
      if (place < waits) assert (dut.data_q[127 - 8*place[3:0] -: 8] == byte_q);
      if (waits != '0) begin
        for (int unsigned i = 0; i < 16; i++) begin
          if (i >= 32'(waits)) assert (dut.data_q[127 - 8*i -: 8] == '0);
        end
      end
      // A beat leaves when it is full or the last one, with all bytes inside.
      assert (out_valid == (waits == 6'd16 || last_q));
      if (out_valid) begin
        assert (out.keep == ~(16'hffff >> waits) && out.last == last_q);
        assert (out.part == part_q && out.status == status_q);
        if (place < waits) assert (out.data[127 - 8*place[3:0] -: 8] == byte_q);
        for (int unsigned i = 0; i < 16; i++) begin
          if (i >= 32'(waits)) assert (out.data[127 - 8*i -: 8] == '0);
        end
      end
      if (held_q) assert (out_valid && out == out_q);
      if (cleared_q) assert (dut.data_q == '0 && !out_valid);
    end
  end
endmodule
