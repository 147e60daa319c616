// SPDX-License-Identifier: Apache-2.0
//
// Takes beats of up to 16 bytes apart into beats of one byte; an empty beat stays as it is.
//
// The beat waits at the port until its last byte has gone.
//
// Latency: 0 for the first byte.
module rsm_mode_unpack
  import rsm_mode_pkg::*;
(
  input  logic   clk_i,
  input  logic   rst_ni,
  input  logic   clear_i,
  output logic   idle_o,
  input  logic   in_valid_i,
  output logic   in_ready_o,
  input  block_t in_data_i,
  input  bytes_t in_bytes_i,
  input  logic   in_last_i,
  output logic   out_valid_o,
  input  logic   out_ready_i,
  output block_t out_data_o,
  output bytes_t out_bytes_o,
  output logic   out_last_o
);

  logic [3:0] number_q;
  logic       final_byte;

  assign final_byte = (in_bytes_i <= {1'b0, number_q} + 5'd1);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i)              number_q <= '0;
    else if (out_valid_o && out_ready_i) number_q <= final_byte ? '0 : number_q + 4'd1;
  end

  assign out_valid_o = in_valid_i;
  assign out_data_o  = {in_data_i[127-8*number_q-:8], 120'd0};
  assign out_bytes_o = (in_bytes_i == '0) ? '0 : 5'd1;
  assign out_last_o  = in_last_i & final_byte;
  assign in_ready_o  = out_ready_i & final_byte;
  assign idle_o      = (number_q == '0);

endmodule
