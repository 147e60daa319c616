// SPDX-License-Identifier: Apache-2.0
//
// A shift register with one output that reads any of its places: place 0 holds what was shifted in
// last (Chodowiec and Gaj 2003, 3.1, Fig. 4). For families without shift registers in LUTs: a
// memory of 16 words, in which the place of the last word moves round, whatever Depth is, so what
// is to be wiped needs 16 shifts. Where the memory of the family reads at the falling edge, the
// tap must not depend on what is read.
//
// Latency: a word shifted in at one edge can be read at place 0 from the next cycle on; the tap
// reads without a rising edge.
module rsm_tech_shift_tap #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 16
) (
  input  logic             clk_i,
  input  logic             enable_i,
  input  logic [Width-1:0] data_i,
  input  logic [3:0]       tap_i,
  output logic [Width-1:0] data_o
);

  if (Depth < 1 || Depth > 16) begin : gen_depth
    $error("rsm_tech_shift_tap: there are 1 to 16 places");
  end

  // Downwards, so that a tap is added: only differences between places count, so nothing has to
  // set the first one.
  logic [3:0] next_q;

  always_ff @(posedge clk_i) begin
    if (enable_i) next_q <= next_q - 4'd1;
  end

  rsm_tech_ram_16 #(
    .Width (Width)
  ) u_ram (
    .clk_i,
    .write_i         (enable_i),
    .write_address_i (next_q),
    .data_i,
    .read_address_i  (next_q + 4'd1 + tap_i),
    .data_o
  );

endmodule
