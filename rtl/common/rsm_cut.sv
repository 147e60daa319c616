// SPDX-License-Identifier: Apache-2.0
//
// One pipeline register that is a wire when it is off.
//
//    Enable = 1:  d_i --> [register] --> q_o        Enable = 0:  d_i ------------> q_o
//
// Every register that a designer may move or leave out is one of these, so a pipeline is no
// more than a mask of enables. Data registers have no reset: only control bits need one.
// A `clear_i` that is tied low costs nothing; one that is used overwrites the register with
// zero in one cycle (FPGA flip-flops do this without a LUT).
//
// To find the fastest pipeline, the tool tries masks: one bit for each `rsm_cut` of a round.
// Latency: 1 cycle when Enable is set, 0 otherwise.
module rsm_cut #(
  parameter int unsigned Width  = 1,
  parameter bit          Enable = 1'b1
) (
  input  logic             clk_i,
  input  logic             clear_i,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);

  if (Enable) begin : gen_register
    logic [Width-1:0] data_q;

    always_ff @(posedge clk_i) begin
      // A synchronous clear is a pin of the flip-flop, so it lengthens no path to `d_i`.
      if (clear_i) data_q <= '0;
      else         data_q <= d_i;
    end

    assign q_o = data_q;
  end else begin : gen_wire
    // A wire needs neither clock nor clear. This keeps linters from warning about them.
    logic unused_control;

    assign unused_control = clk_i ^ clear_i;
    assign q_o            = d_i;
  end

endmodule
