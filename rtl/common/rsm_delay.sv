// SPDX-License-Identifier: Apache-2.0
//
// A delay line of Depth cycles: it keeps one signal aligned with another that passes through
// Depth registers. Depth 0 is a wire.
//
// Without a clear, FPGAs with shift registers in LUTs build a line of any length up to 16 in one
// LUT a bit. So tie `clear_i` low where the signal depends on no key and no block.
// Latency: Depth cycles.
module rsm_delay #(
  parameter int unsigned Width = 1,
  parameter int unsigned Depth = 0
) (
  input  logic             clk_i,
  input  logic             clear_i,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);

  // line[i] is the signal i cycles late.
  logic [Depth:0][Width-1:0] line;

  assign line[0] = d_i;
  assign q_o     = line[Depth];

  for (genvar i = 0; i < Depth; i++) begin : gen_stage
    rsm_cut #(
      .Width  (Width),
      .Enable (1'b1)
    ) u_cut (
      .clk_i,
      .clear_i,
      .d_i (line[i]),
      .q_o (line[i+1])
    );
  end

  if (Depth == 0) begin : gen_wire
    logic unused_control;

    assign unused_control = clk_i ^ clear_i;
  end

endmodule
