// SPDX-License-Identifier: Apache-2.0
//
// A memory of 16 words with one port to write and one to read (Chodowiec and Gaj 2003, 3.1,
// dual-port RAM). On ECP5 four bits are one TRELLIS_DPR16X4, which takes three slices.
//
// Latency: a word written at one edge can be read from the next cycle on; reading needs no clock.
module rsm_tech_ram_16 #(
  parameter int unsigned Width = 8
) (
  input  logic             clk_i,
  input  logic             write_i,
  input  logic [3:0]       write_address_i,
  input  logic [Width-1:0] data_i,
  input  logic [3:0]       read_address_i,
  output logic [Width-1:0] data_o
);

  (* ram_style = "distributed" *)
  logic [Width-1:0] memory_q [16];

  always_ff @(posedge clk_i) begin
    if (write_i) memory_q[write_address_i] <= data_i;
  end

  assign data_o = memory_q[read_address_i];

endmodule
