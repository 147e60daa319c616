// SPDX-License-Identifier: Apache-2.0
//
// Wide beats taken apart to narrow ones, bytes from the left.
//
// The wide beat stays at the port until its last byte is taken. A beat of no bytes gives one of no
// bytes.
//
// Latency: 0.
module rsm_stream_split #(
  parameter int unsigned Wide      = 128,
  parameter int unsigned Narrow    = 32,
  parameter int unsigned UserWidth = 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  input  logic [Wide-1:0]      in_data_i,
  input  logic [Wide/8-1:0]    in_keep_i,   // a one for each byte that counts
  input  logic [UserWidth-1:0] in_user_i,
  input  logic                 in_last_i,
  output logic                 out_valid_o,
  input  logic                 out_ready_i,
  output logic [Narrow-1:0]    out_data_o,
  output logic [Narrow/8-1:0]  out_keep_o,
  output logic [UserWidth-1:0] out_user_o,
  output logic                 out_last_o
);

  localparam int unsigned Lanes       = Wide / Narrow;
  localparam int unsigned LaneWidth   = $clog2(Lanes);
  localparam int unsigned NarrowBytes = Narrow / 8;

  typedef logic [LaneWidth-1:0] lane_t;

  if (Lanes < 2 || Lanes * Narrow != Wide) begin : gen_no_such_width
    $error("rsm_stream_split: a wide beat is two narrow ones or more");
  end

  lane_t                             lane_q, lane;
  logic [Lanes-1:0][Narrow-1:0]      lanes;
  logic [Lanes-1:0][NarrowBytes-1:0] keeps;
  logic [Lanes-1:0]                  more;    // the lane behind has a byte that counts
  logic                              ends;

  // Lane 0 stands at the left.
  assign lanes = in_data_i;
  assign keeps = in_keep_i;
  assign lane  = lane_t'(Lanes - 1) - lane_q;
  assign ends  = ~more[lane];

  assign more[0] = 1'b0;
  for (genvar i = 1; i < Lanes; i++) begin : gen_more
    assign more[i] = keeps[i-1][NarrowBytes-1];
  end

  assign out_valid_o = in_valid_i;
  assign out_data_o  = lanes[lane];
  assign out_keep_o  = keeps[lane];
  assign out_user_o  = in_user_i;
  assign out_last_o  = in_last_i & ends;
  assign in_ready_o  = out_ready_i & ends;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i)              lane_q <= '0;
    else if (out_valid_o && out_ready_i) lane_q <= ends ? '0 : lane_q + lane_t'(1);
  end

endmodule
