// SPDX-License-Identifier: Apache-2.0
//
// Bytes are gathered into beats. No byte is lost, repeated or reordered.
// Assumptions: reset in the first cycle only; an empty input beat is the last one.
// Parameters: none.
module rsm_mode_pack_proof import rsm_mode_pkg::*; (
  input logic clk_i, clear_i, in_valid_i, in_last_i, out_ready_i,
  input logic [7:0] in_data_i,
  input logic in_byte_i,
  input status_t in_status_i
);

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic idle, in_ready, out_valid, out_last;
  block_t out_data;
  bytes_t out_bytes;
  status_t out_status;

  rsm_mode_pack dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .in_valid_i, .in_ready_o(in_ready), .in_data_i,
    .in_bytes_i({4'd0, in_byte_i}), .in_last_i, .in_status_i, .out_valid_o(out_valid),
    .out_ready_i, .out_data_o(out_data), .out_bytes_o(out_bytes), .out_last_o(out_last),
    .out_status_o(out_status)
  );

  logic taken, left;
  assign taken = in_valid_i & in_ready;
  assign left  = out_valid & out_ready_i;

  // Counters of bytes and of last beats; the followed byte; the newest status.
  logic [5:0] in_q, out_q, lasts_in_q, lasts_out_q, followed_q, here, place;
  logic [7:0] byte_q;
  logic last_q;
  status_t status_q;
  assign here = in_q - out_q;
  assign place  = followed_q - out_q;
  always_ff @(posedge clk_i) begin
    followed_q <= followed_q;
    if (!rst_ni || clear_i) begin
      {in_q, out_q, lasts_in_q, lasts_out_q, last_q} <= '0;
    end else begin
      in_q        <= in_q + 6'(taken & in_byte_i);
      lasts_in_q  <= lasts_in_q + 6'(taken & in_last_i);
      out_q       <= out_q + (left ? 6'(out_bytes) : 6'd0);
      lasts_out_q <= lasts_out_q + 6'(left & out_last);
      if (taken)     last_q <= in_last_i;
      else if (left) last_q <= 1'b0;
    end
    if (taken && in_byte_i && in_q == followed_q) byte_q <= in_data_i;
    if (taken) status_q <= in_status_i;
  end

  logic held_q, cleared_q;
  logic [$bits(status_t)+133:0] was_q, is;
  assign is = {out_data, out_bytes, out_last, out_status};
  always_ff @(posedge clk_i) begin
    held_q    <= rst_ni & ~clear_i & out_valid & ~out_ready_i;
    was_q     <= is;
    cleared_q <= clear_i;
  end

  always_comb begin
    // An empty beat is the last one.
    assume (in_byte_i || in_last_i);
    if (started_q) begin
      // Inside: the bytes that have come and not left.
      assert (here <= 6'd16 && 6'(dut.bytes_q) == here && dut.last_q == last_q);
      assert (lasts_in_q - lasts_out_q == 6'(last_q));
      assert (idle == (here == '0 && !last_q) && in_ready == !out_valid);
      if (place < here) assert (dut.data_q[127 - 8*place[3:0] -: 8] == byte_q);
      if (here != '0) begin
        for (int unsigned i = 0; i < 16; i++) begin
          if (i >= 32'(here)) assert (dut.data_q[127 - 8*i -: 8] == '0);
        end
      end
      // A beat leaves when it is full or the last one, with all bytes inside.
      assert (out_valid == (here == 6'd16 || last_q));
      if (out_valid) begin
        assert (6'(out_bytes) == here && out_last == last_q && out_status == status_q);
        if (place < here) assert (out_data[127 - 8*place[3:0] -: 8] == byte_q);
        for (int unsigned i = 0; i < 16; i++) begin
          if (i >= 32'(here)) assert (out_data[127 - 8*i -: 8] == '0);
        end
      end
      if (held_q) assert (out_valid && is == was_q);
      if (cleared_q) assert (dut.data_q == '0 && !out_valid);
    end
  end
endmodule
