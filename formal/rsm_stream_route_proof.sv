// SPDX-License-Identifier: Apache-2.0
//
// Each transfer reaches the stream that its TID names, unchanged and in order. A transfer for
// a stream that does not exist is dropped. Only a full stream stalls the bus.
// Assumptions: reset in the first cycle only, no clear; a waiting input transfer stays as it is.
// Parameters: none; 3 streams with 2 places each, so TID 3 names no stream.
module rsm_stream_route_proof (
  input logic clk_i, in_valid_i, in_last_i,
  input logic [7:0] in_data_i,
  input logic [2:0] in_user_i, out_ready_i,
  input logic in_keep_i,
  input logic [1:0] in_tid_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic in_ready, idle;
  logic [2:0] out_valid, out_keep, out_last, header_here;
  logic [2:0][7:0] out_data;
  logic [2:0][2:0] out_user;

  rsm_stream_route #(.Streams(3), .Width(8), .Depth(2)) dut (
    .clk_i, .rst_ni, .clear_i(1'b0), .idle_o(idle), .header_here_o(header_here),
    .in_tvalid_i(in_valid_i), .in_tready_o(in_ready), .in_tdata_i(in_data_i),
    .in_tkeep_i(in_keep_i), .in_tlast_i(in_last_i), .in_tuser_i(in_user_i), .in_tid_i,
    .out_tvalid_o(out_valid), .out_tready_i(out_ready_i), .out_tdata_o(out_data),
    .out_tkeep_o(out_keep), .out_tlast_o(out_last), .out_tuser_o(out_user)
  );

  logic [12:0] in_is;
  assign in_is = {in_data_i, in_keep_i, in_last_i, in_user_i};

  // The queue of each stream, the oldest transfer first.
  logic [2:0][1:0][12:0] places;
  logic [2:0][1:0] count, room, headers;
  logic [2:0] odd, clearing;
  for (genvar i = 0; i < 3; i++) begin : gen_stream
    logic turn;
    assign turn        = dut.gen_stream[i].u_places.u_fifo.read_q;
    assign odd[i]      = turn ^ dut.gen_stream[i].u_places.u_fifo.write_q;
    assign clearing[i] = dut.gen_stream[i].u_places.u_fifo.clearing_q;
    assign count[i]    = dut.gen_stream[i].u_places.u_fifo.count_q;
    assign room[i]     = dut.gen_stream[i].u_places.room_q;
    assign headers[i]  = dut.gen_stream[i].headers_q;
    assign places[i]   = {dut.gen_stream[i].u_places.u_fifo.memory_q[~turn],
                          dut.gen_stream[i].u_places.u_fifo.memory_q[turn]};
  end

  // Counters of the transfers of each stream; the followed transfer.
  logic [2:0] taken, left;
  logic [2:0][3:0] in_q, out_q, followed_q;
  logic [2:0][12:0] transfer_q, out_is, out_was_q;
  logic [2:0] out_held_q;
  logic in_held_q;
  logic [14:0] in_was_q;

  always_comb begin
    for (int i = 0; i < 3; i++) begin
      taken[i]  = in_valid_i & in_ready & (32'(in_tid_i) == i);
      out_is[i] = {out_data[i], out_keep[i], out_last[i], out_user[i]};
    end
    left = out_valid & out_ready_i;
  end

  always_ff @(posedge clk_i) begin
    followed_q <= followed_q;
    in_held_q  <= rst_ni & in_valid_i & ~in_ready;
    in_was_q   <= {in_is, in_tid_i};
    out_held_q <= out_valid & ~out_ready_i & {3{rst_ni}};
    out_was_q  <= out_is;
    for (int i = 0; i < 3; i++) begin
      if (!rst_ni) {in_q[i], out_q[i]} <= '0;
      else begin
        in_q[i]  <= in_q[i] + 4'(taken[i]);
        out_q[i] <= out_q[i] + 4'(left[i]);
      end
      if (taken[i] && in_q[i] == followed_q[i]) transfer_q[i] <= in_is;
    end
  end

  always_comb begin
    if (in_held_q) assume (in_valid_i && {in_is, in_tid_i} == in_was_q);
    if (started_q) begin
      // Only a full stream stalls the bus.
      if (in_tid_i == 2'd3) assert (in_ready);
      else assert (in_ready == (count[in_tid_i] != 2'd2));
      assert (idle == (count == '0));
      for (int i = 0; i < 3; i++) begin
        assert (!clearing[i] && count[i] + room[i] == 2'd2 && odd[i] == count[i][0]);
        assert (count[i] <= 2'd2 && headers[i] == 2'(count[i] != '0 && places[i][0][2])
                                                + 2'(count[i] == 2'd2 && places[i][1][2]));
        // The queue of a stream holds the transfers that have not left, in order.
        assert (in_q[i] - out_q[i] == 4'(count[i]));
        if (4'(followed_q[i] - out_q[i]) < 4'(count[i]))
          assert (places[i][1'(followed_q[i] - out_q[i])] == transfer_q[i]);
        assert (out_valid[i] == (count[i] != '0));
        if (left[i] && out_q[i] == followed_q[i]) assert (out_is[i] == transfer_q[i]);
        if (out_held_q[i]) assert (out_valid[i] && out_is[i] == out_was_q[i]);
        assert (header_here[i] == ((count[i] != '0 && places[i][0][2])
                                   || (count[i] == 2'd2 && places[i][1][2])));
      end
    end
  end
endmodule
