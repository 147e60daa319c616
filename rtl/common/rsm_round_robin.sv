// SPDX-License-Identifier: Apache-2.0
//
// Gives one of those that ask a turn: the first one after the last one that was given one, or else
// the first one of all. So nobody waits for more than one turn of each other.
//
// Latency: 0.
module rsm_round_robin #(
  parameter int unsigned Width = 2
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,
  input  logic [Width-1:0] asks_i,
  input  logic             take_i,   // the turn is taken at this edge
  output logic [Width-1:0] given_o   // a one for one of them, where any of them asks
);

  logic [Width-1:0] after_d, after_q;  // those after the last one that had a turn
  logic [Width-1:0] upper, first_upper, first;

  assign upper       = asks_i & after_q;
  assign first_upper = upper & (~upper + Width'(1));
  assign first       = asks_i & (~asks_i + Width'(1));
  assign given_o     = (upper != '0) ? first_upper : first;

  // All above the one that is given.
  assign after_d = ~(given_o | (given_o - Width'(1)));

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i)            after_q <= '0;
    else if (take_i && given_o != '0)  after_q <= after_d;
  end

endmodule
