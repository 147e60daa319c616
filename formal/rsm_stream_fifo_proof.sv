// SPDX-License-Identifier: Apache-2.0
//
// The queue loses, repeats and reorders no word. It is empty after a clear.
// Assumptions: reset in the first cycle only; all inputs are free.
// Parameters: Depth 1, 2, 3 and 7; words of 3 bits.
module rsm_stream_fifo_proof #(parameter int unsigned Depth = 2) (
  input logic clk_i, clear_i, in_valid_i, out_ready_i,
  input logic [2:0] in_data_i
);

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic idle, single, in_ready, out_valid;
  logic [2:0] out_data;

  rsm_stream_fifo #(.Width(3), .Depth(Depth)) dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .single_o(single), .in_valid_i,
    .in_ready_o(in_ready), .in_data_i, .out_valid_o(out_valid), .out_ready_i,
    .out_data_o(out_data)
  );

  // Counters of words that have come and left; the followed word; cycles since a clear, up to
  // Depth, and whether a word has come since.
  logic [3:0] in_q, out_q, followed_q, here, place, since_q;
  logic [2:0] word_q, was_q;
  logic held_q, used_q;
  assign here = in_q - out_q;
  assign place  = followed_q - out_q;
  always_ff @(posedge clk_i) begin
    followed_q <= followed_q;
    held_q     <= rst_ni & ~clear_i & out_valid & ~out_ready_i;
    was_q      <= out_data;
    if (in_valid_i && in_ready && in_q == followed_q) word_q <= in_data_i;
    if (!rst_ni || clear_i) {in_q, out_q} <= '0;
    else begin
      in_q  <= in_q + 4'(in_valid_i & in_ready);
      out_q <= out_q + 4'(out_valid & out_ready_i);
    end
    if (!rst_ni)                          {since_q, used_q} <= {4'd15, 1'b1};
    else if (clear_i)                     {since_q, used_q} <= '0;
    else begin
      if (32'(since_q) < Depth)           since_q <= since_q + 4'd1;
      if (in_valid_i && in_ready)         used_q  <= 1'b1;
    end
  end

  logic open;
  assign open = 32'(since_q) >= Depth;

  always_comb begin
    if (started_q) begin
      // The queue holds the words that have not left, and never more than Depth.
      assert (32'(here) <= Depth && out_valid == (here != '0));
      assert (in_ready == (open && 32'(here) < Depth));
      assert (single == (here == 4'd1) && idle == (open && here == '0));
      // Words leave in order, and a waiting word stays.
      if (out_valid && place == '0) assert (out_data == word_q);
      if (held_q) assert (out_valid && out_data == was_q);
      // After a clear nothing is left.
      if (!open) assert (here == '0);
      // Inside.
      assert (32'(dut.room_q) == Depth - 32'(here));
      assert (4'(dut.u_fifo.count_q) == here && dut.u_fifo.clearing_q == !open);
      assert (32'(dut.u_fifo.read_q) < Depth && 32'(dut.u_fifo.write_q) < Depth);
      if (!open) assert (dut.u_fifo.read_q == '0 && 4'(dut.u_fifo.write_q) == since_q);
      else assert (32'(dut.u_fifo.write_q)
                   == (32'(dut.u_fifo.read_q) + 32'(here)) % Depth);
      for (int unsigned i = 0; i < Depth; i++) begin
        if (place < here && i == (32'(dut.u_fifo.read_q) + 32'(place)) % Depth) begin
          assert (dut.u_fifo.memory_q[i] == word_q);
        end
        if (!used_q && i < 32'(since_q)) assert (dut.u_fifo.memory_q[i] == '0);
      end
    end
  end
endmodule
