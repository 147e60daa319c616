// SPDX-License-Identifier: Apache-2.0
//
// Puts beats of one byte together: a beat goes out when it has 16 of them, or with the last one. An
// empty beat adds nothing, and is the last one.
//
// Latency: 1 cycle from the byte that completes a beat.
module rsm_mode_pack
  import rsm_mode_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       clear_i,
  output logic       idle_o,
  input  logic       in_valid_i,
  output logic       in_ready_o,
  input  logic [7:0] in_data_i,
  input  bytes_t     in_bytes_i,
  input  logic       in_last_i,
  input  status_t    in_status_i,
  output logic       out_valid_o,
  input  logic       out_ready_i,
  output block_t     out_data_o,
  output bytes_t     out_bytes_o,
  output logic       out_last_o,
  output status_t    out_status_o
);

  block_t  data_d, data_q;
  bytes_t  bytes_q;
  logic    last_q;
  status_t status_q;
  logic    accept, leave;

  assign out_valid_o  = last_q | (bytes_q == Full);
  assign out_data_o   = data_q;
  assign out_bytes_o  = bytes_q;
  assign out_last_o   = last_q;
  assign out_status_o = status_q;
  assign in_ready_o   = ~out_valid_o;
  assign accept       = in_valid_i & in_ready_o;
  assign leave        = out_valid_o & out_ready_i;
  assign idle_o       = (bytes_q == '0) & ~last_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      bytes_q <= '0;
      last_q  <= 1'b0;
    end else if (leave) begin
      bytes_q <= '0;
      last_q  <= 1'b0;
    end else if (accept) begin
      bytes_q <= bytes_q + in_bytes_i;
      last_q  <= in_last_i;
    end
  end

  always_comb begin
    data_d = (bytes_q == '0) ? '0 : data_q;
    if (in_bytes_i != '0) data_d[127-8*bytes_q[3:0]-:8] = in_data_i;
  end

  always_ff @(posedge clk_i) begin
    if (accept) status_q <= in_status_i;
    if (clear_i)     data_q <= '0;
    else if (accept) data_q <= data_d;
  end

endmodule
