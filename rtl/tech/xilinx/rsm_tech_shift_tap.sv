// SPDX-License-Identifier: Apache-2.0
//
// A shift register with one output that reads any of its places: place 0 holds what was shifted in
// last (Chodowiec and Gaj 2003, 3.1, Fig. 4). On Xilinx each bit is one lookup table used as a
// shift register of 16 places, whatever Depth is, so what is to be wiped needs 16 shifts.
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

  for (genvar i = 0; i < Width; i++) begin : gen_bit
    SRL16E u_shift (
      .Q   (data_o[i]),
      .A0  (tap_i[0]),
      .A1  (tap_i[1]),
      .A2  (tap_i[2]),
      .A3  (tap_i[3]),
      .CE  (enable_i),
      .CLK (clk_i),
      .D   (data_i[i])
    );
  end

endmodule
