// SPDX-License-Identifier: Apache-2.0
//
// One AXI4-Stream to several streams: `TID` is the number of the stream that a transfer goes to,
// and transfers of different streams may come in any order. A transfer of a number that no stream
// has is taken and dropped.
//
// Each stream has places for `Depth` transfers, so that one that takes nothing does not at once
// stop the others: only a transfer of its own, offered when its places are full, holds the bus.
//
// Latency: 1 cycle.
module rsm_stream_route #(
  parameter int unsigned Streams  = 2,
  parameter int unsigned Width    = 128,  // of TDATA
  parameter int unsigned Depth    = 2,
  parameter int unsigned TidWidth = (Streams > 1) ? $clog2(Streams) : 1
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            clear_i,
  output logic                            idle_o,
  // Part of a header of this stream is here: its message has not begun.
  output logic [Streams-1:0]              header_here_o,
  input  logic                            in_tvalid_i,
  output logic                            in_tready_o,
  input  logic [Width-1:0]                in_tdata_i,
  input  logic [Width/8-1:0]              in_tkeep_i,
  input  logic                            in_tlast_i,
  input  logic [2:0]                      in_tuser_i,
  input  logic [TidWidth-1:0]             in_tid_i,
  output logic [Streams-1:0]              out_tvalid_o,
  input  logic [Streams-1:0]              out_tready_i,
  output logic [Streams-1:0][Width-1:0]   out_tdata_o,
  output logic [Streams-1:0][Width/8-1:0] out_tkeep_o,
  output logic [Streams-1:0]              out_tlast_o,
  output logic [Streams-1:0][2:0]         out_tuser_o
);

  localparam int unsigned CountWidth = $clog2(Depth + 1);

  typedef logic [CountWidth-1:0] count_t;

  logic [Streams-1:0] mine, ready, idle;

  assign in_tready_o = ((mine & ~ready) == '0);
  assign idle_o      = &idle;

  for (genvar i = 0; i < Streams; i++) begin : gen_stream
    count_t headers_q;
    logic   offered, header_in, header_out, unused_single;

    assign mine[i]    = (32'(in_tid_i) == i);
    assign offered    = in_tvalid_i & mine[i];
    assign header_in  = offered & ready[i] & in_tuser_i[2];
    assign header_out = out_tvalid_o[i] & out_tready_i[i] & out_tuser_o[i][2];

    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) headers_q <= '0;
      else headers_q <= headers_q + count_t'(header_in) - count_t'(header_out);
    end

    assign header_here_o[i] = (headers_q != '0);

    rsm_stream_fifo #(
      .Width (Width + Width / 8 + 4),
      .Depth (Depth)
    ) u_places (
      .clk_i,
      .rst_ni,
      .clear_i,
      .idle_o      (idle[i]),
      .single_o    (unused_single),
      .in_valid_i  (offered),
      .in_ready_o  (ready[i]),
      .in_data_i   ({in_tdata_i, in_tkeep_i, in_tlast_i, in_tuser_i}),
      .out_valid_o (out_tvalid_o[i]),
      .out_ready_i (out_tready_i[i]),
      .out_data_o  ({out_tdata_o[i], out_tkeep_o[i], out_tlast_o[i], out_tuser_o[i]})
    );
  end

endmodule
