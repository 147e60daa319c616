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
  input  logic  clk_i,
  input  logic  rst_ni,
  input  logic  clear_i,
  output logic  idle_o,
  input  logic  in_valid_i,
  output logic  in_ready_o,
  input  beat_t in_i,
  output logic  out_valid_o,
  input  logic  out_ready_i,
  output beat_t out_o
);

  logic [3:0] number_q;
  logic       final_byte;

  // No byte behind this one counts.
  assign final_byte = (number_q == '1) | ~in_i.keep[4'd14 - number_q];

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i)              number_q <= '0;
    else if (out_valid_o && out_ready_i) number_q <= final_byte ? '0 : number_q + 4'd1;
  end

  assign out_valid_o = in_valid_i;
  assign out_o       = '{
    data: {in_i.data[127-8*number_q-:8], 120'd0},
    keep: {in_i.keep[15], 15'd0},
    part: in_i.part,
    last: in_i.last & final_byte
  };
  assign in_ready_o  = out_ready_i & final_byte;
  assign idle_o      = (number_q == '0);

endmodule
