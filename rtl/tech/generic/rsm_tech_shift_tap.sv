// SPDX-License-Identifier: Apache-2.0
//
// A shift register with one output that reads any of its places: place 0 holds what was shifted in
// last (Chodowiec and Gaj 2003, 3.1, Fig. 4). The generic form: flip-flops and a multiplexer.
//
// Depth is the number of places, at most 16; a tap behind the last one reads anything. A form made
// of a family's cells may be deeper than Depth, so what is to be wiped needs 16 shifts.
//
// Latency: a word shifted in at one edge can be read at place 0 from the next cycle on; the tap
// reads without a clock.
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

  logic [Depth:0][Width-1:0] places;
  logic [15:0][Width-1:0]    reach;

  assign places[0] = data_i;

  for (genvar i = 0; i < Depth; i++) begin : gen_place
    logic [Width-1:0] place_q;

    always_ff @(posedge clk_i) begin
      if (enable_i) place_q <= places[i];
    end

    assign places[i+1] = place_q;
  end

  // Behind the last place, the last places once more: what is read there does not count.
  for (genvar i = 0; i < 16; i++) begin : gen_reach
    if (i < Depth) begin : gen_place
      assign reach[i] = places[i+1];
    end else begin : gen_behind
      assign reach[i] = places[(i % Depth) + 1];
    end
  end

  assign data_o = reach[tap_i];

endmodule
