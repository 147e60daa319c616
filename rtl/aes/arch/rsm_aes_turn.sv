// SPDX-License-Identifier: Apache-2.0
//
// Keeps results in order where key lengths differ: a block with a short key, which takes fewer
// rounds, may enter only when it cannot overtake one with a long key. It then meets no other block
// on its way either, however late in a line or a ring it enters.
//
//    cycle          0    1    2    3    4  ...
//    AES-256 block  in                          out at 14
//    AES-128 block       --- waits ---  in ---- out at 15
//
// The drawing is of one register a round: the short block may enter when its 10 cycles end behind
// the 14 of the long one.
// The time until the youngest block leaves is counted down; a block enters when it takes longer.
// With one key length every block does, and nothing is left of this.
//
// Latency: 0; `free_o` follows `length_i` at once.
module rsm_aes_turn
  import rsm_aes_pkg::*;
#(
  parameter lengths_t    Lengths    = 3'b001,
  parameter int unsigned Latency128 = 1,
  parameter int unsigned Latency192 = 1,
  parameter int unsigned Latency256 = 1
) (
  input  logic    clk_i,
  input  logic    rst_ni,
  input  logic    clear_i,
  input  length_t length_i,
  input  logic    enter_i,
  output logic    free_o
);

  if ($countones(Lengths) == 1) begin : gen_one_length
    logic unused_control;

    assign unused_control = clk_i ^ rst_ni ^ clear_i ^ enter_i ^ length_i[0] ^ length_i[1];
    assign free_o         = 1'b1;
  end else begin : gen_several
    // The counter must hold the latency of the longest key.
    localparam int unsigned Longest =
        Lengths[2] ? Latency256 : Lengths[1] ? Latency192 : Latency128;

    typedef logic [$clog2(Longest + 1)-1:0] count_t;

    // Cycles until the youngest block leaves.
    count_t rest_q;
    count_t latency;

    assign latency = (length_i == 2'd0) ? count_t'(Latency128)
                   : (length_i == 2'd1) ? count_t'(Latency192) : count_t'(Latency256);
    // Strictly less: two blocks must not leave in the same cycle.
    assign free_o  = rest_q < latency;

    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) rest_q <= '0;
      // This cycle counts already.
      else if (enter_i)       rest_q <= latency - count_t'(1);
      else if (rest_q != '0)  rest_q <= rest_q - count_t'(1);
    end
  end

endmodule
