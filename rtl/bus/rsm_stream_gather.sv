// SPDX-License-Identifier: Apache-2.0
//
// Narrow beats put together to wide ones, bytes from the left.
//
// A wide beat is complete when it is full, when a narrow one was not full or was the last one, and
// when the next one says something else in `user`: what a beat says is true of all its bytes.
// Beats of no bytes count only as the last one. Where a wide beat has no narrow one, it is zero.
//
// Latency: 1 cycle from the beat that completes a wide one; where the next one does, 0 from that.
module rsm_stream_gather #(
  parameter int unsigned Narrow    = 32,
  parameter int unsigned Wide      = 128,
  parameter int unsigned UserWidth = 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,
  output logic                 idle_o,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [Narrow-1:0]    in_data_i,
  input  logic [Narrow/8-1:0]  in_keep_i,   // a one for each byte that counts
  input  logic [UserWidth-1:0] in_user_i,
  input  logic                 in_last_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [Wide-1:0]      out_data_o,
  output logic [Wide/8-1:0]    out_keep_o,
  output logic [UserWidth-1:0] out_user_o,
  output logic                 out_last_o
);

  localparam int unsigned Lanes     = Wide / Narrow;
  localparam int unsigned LaneWidth = $clog2(Lanes);

  typedef logic [LaneWidth-1:0] lane_t;

  if (Lanes < 2 || Lanes * Narrow != Wide) begin : gen_no_such_width
    $error("rsm_stream_gather: a wide beat is two narrow ones or more");
  end

  logic                 begun_q;  // something is here
  logic                 whole_q;  // and nothing can join it
  logic                 last_q;
  lane_t                lane_q, lane;
  logic [Wide-1:0]      data_q;
  logic [Wide/8-1:0]    keep_q;
  logic [UserWidth-1:0] user_q;
  logic                 other, first, store, some;

  assign other = in_valid_i & (in_user_i != user_q);

  assign out_valid_o = begun_q & (whole_q | other);
  assign out_data_o  = data_q;
  assign out_keep_o  = keep_q;
  assign out_user_o  = user_q;
  assign out_last_o  = last_q;
  assign in_ready_o  = ~out_valid_o | out_ready_i;
  assign idle_o      = ~begun_q;

  // What comes opens a wide beat, or joins the one that is here.
  assign first = ~begun_q | out_valid_o;
  assign some  = in_keep_i[Narrow/8-1];
  assign store = in_valid_i & in_ready_o & (some | in_last_i);
  assign lane  = first ? '0 : lane_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i)              begun_q <= 1'b0;
    else if (store)                      begun_q <= 1'b1;
    else if (out_valid_o && out_ready_i) begun_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (store) begin
      whole_q <= in_last_i | ~in_keep_i[0] | (lane == lane_t'(Lanes - 1));
      last_q  <= in_last_i;
      lane_q  <= lane + lane_t'(1);
      user_q  <= in_user_i;
    end
  end

  // The first narrow beat overwrites all lanes.
  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    localparam int unsigned High     = Wide - 1 - i * Narrow;
    localparam int unsigned HighByte = Wide / 8 - 1 - i * (Narrow / 8);

    logic ours;

    assign ours = store & (lane == lane_t'(i));

    always_ff @(posedge clk_i) begin
      if (clear_i)              data_q[High -: Narrow] <= '0;
      else if (ours && some)    data_q[High -: Narrow] <= in_data_i;
      else if (store && first)  data_q[High -: Narrow] <= '0;
    end

    always_ff @(posedge clk_i) begin
      if (ours)                 keep_q[HighByte -: Narrow/8] <= in_keep_i;
      else if (store && first)  keep_q[HighByte -: Narrow/8] <= '0;
    end
  end

endmodule
