// SPDX-License-Identifier: Apache-2.0
//
// The S-boxes of one round, Width copies of the one that `box_i` names, or of its inverse. Only
// those of the mask Boxes are there: a ring of eight rounds or more has one each, and no choice.
//
// Latency: 0.
module rsm_serpent_sub
  import rsm_serpent_pkg::*;
#(
  parameter sbox_e       Sbox    = SboxTable,
  parameter bit          Inverse = 1'b0,
  parameter logic [7:0]  Boxes   = '1,
  parameter int unsigned Width   = 32
) (
  input  box_t                  box_i,
  input  logic [3:0][Width-1:0] x_i,
  output logic [3:0][Width-1:0] y_o
);

  // What each S-box gives, zero where it is not the one of this round.
  logic [7:0][3:0][Width-1:0] chosen;

  for (genvar i = 0; i < 8; i++) begin : gen_box
    if (Boxes[i]) begin : gen_here
      logic [3:0][Width-1:0] y;

      rsm_serpent_sbox #(
        .Sbox    (Sbox),
        .Inverse (Inverse),
        .Box     (i),
        .Width   (Width)
      ) u_sbox (
        .x_i,
        .y_o (y)
      );

      assign chosen[i] = ($countones(Boxes) == 1 || box_i == box_t'(i)) ? y : '0;
    end else begin : gen_none
      assign chosen[i] = '0;
    end
  end

  assign y_o = chosen[0] | chosen[1] | chosen[2] | chosen[3]
             | chosen[4] | chosen[5] | chosen[6] | chosen[7];

  logic unused_box;

  assign unused_box = ^box_i;

endmodule
