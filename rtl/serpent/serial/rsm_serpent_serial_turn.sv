// SPDX-License-Identifier: Apache-2.0
//
// Turns the bits of every byte round: a byte goes in over one end of eight registers and comes out
// there again, last bit first, while the next one goes in over the other end. `side_i` changes with
// every byte.
//
// Latency: 8 cycles from byte to byte.
module rsm_serpent_serial_turn (
  input  logic clk_i,
  input  logic side_i,
  input  logic bit_i,
  output logic bit_o
);

  logic [7:0] byte_q;

  assign bit_o = side_i ? byte_q[7] : byte_q[0];

  always_ff @(posedge clk_i) begin
    byte_q <= side_i ? {byte_q[6:0], bit_i} : {bit_i, byte_q[7:1]};
  end

endmodule
