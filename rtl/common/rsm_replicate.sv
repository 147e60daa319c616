// SPDX-License-Identifier: Apache-2.0
//
// One control bit in Copies registers, for a bit that gates a whole block: each copy stands near
// the few bits that it gates, where one register would have to reach over half the chip.
//
//             +--> copy 0 --> byte 0
//    d_i --> -+--> copy 1 --> byte 1
//             +--> ...
//
// Tools merge equal registers unless they are told to `keep` them.
//
// Latency: 1 cycle.
module rsm_replicate #(
  parameter int unsigned Copies = 16
) (
  input  logic              clk_i,
  input  logic              clear_i,
  input  logic              d_i,
  output logic [Copies-1:0] q_o
);

  for (genvar i = 0; i < Copies; i++) begin : gen_copy
    (* keep *) logic copy_q;

    always_ff @(posedge clk_i) begin
      if (clear_i) copy_q <= 1'b0;
      else         copy_q <= d_i;
    end

    assign q_o[i] = copy_q;
  end

endmodule
