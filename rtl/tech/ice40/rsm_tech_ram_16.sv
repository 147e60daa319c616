// SPDX-License-Identifier: Apache-2.0
//
// A memory of 16 words with one port to write and one to read (Chodowiec and Gaj 2003, 3.1,
// dual-port RAM). On iCE40 it is block RAM, which has no port that reads without a clock: so it
// reads at the falling edge, and whoever looks at the rising one cannot tell the difference. The
// address must have come half a cycle earlier, and must not depend on what is read.
//
// Latency: a word written at one edge can be read from the next cycle on; reading needs no rising
// edge.
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

  (* ram_style = "block", no_rw_check *)
  logic [Width-1:0] memory_q [16];

  logic [Width-1:0] data_q;

  always_ff @(posedge clk_i) begin
    if (write_i) memory_q[write_address_i] <= data_i;
  end

  always_ff @(negedge clk_i) begin
    data_q <= memory_q[read_address_i];
  end

  assign data_o = data_q;

endmodule
