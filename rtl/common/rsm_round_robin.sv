// SPDX-License-Identifier: Apache-2.0
//
// Gives one of those that ask a turn: the first one after the last one that was given one, or else
// the first one of all. So nobody waits for more than one turn of each other.
//
// Example with four that ask. The first row is the order in which they stand, `after` marks those
// that stand after the last turn:
//
//    index   0  1  2  3
//    asks    1  0  1  1      index 2 had the last turn
//    after   0  0  0  1
//    given   0  0  0  1      next: after = 0, so index 0 is the first again
//
// Latency: 0.
module rsm_round_robin #(
  parameter int unsigned Width = 2
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             clear_i,
  input  logic [Width-1:0] asks_i,
  // The turn is taken at this edge.
  input  logic             take_i,
  // A one for one of those that ask, where any does.
  output logic [Width-1:0] given_o
);

  logic [Width-1:0] after_d, after_q;  // those after the last one that had a turn
  logic             first;

  // By what lies before each of them; a carry chain would be slower.
  always_comb begin
    // Nobody behind the last turn asks: begin at index 0.
    first = (asks_i & after_q) == '0;
    for (int unsigned i = 0; i < Width; i++) begin
      // A one for each that may have the turn, unless one before it may have it too.
      given_o[i] = asks_i[i] & (first | after_q[i]);
      for (int unsigned j = 0; j < i; j++) begin
        if (asks_i[j] & (first | after_q[j])) given_o[i] = 1'b0;
      end
    end
    // Ones behind the one that has the turn: a mask needs no decoder, as a number would.
    for (int unsigned i = 0; i < Width; i++) begin
      after_d[i] = 1'b0;
      for (int unsigned j = 0; j < i; j++) after_d[i] |= given_o[j];
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i)           after_q <= '0;
    // An offer that is not taken changes nothing, so it stays with the same one.
    else if (take_i && asks_i != '0) after_q <= after_d;
  end

`ifdef RSM_ASSERT
  // One of those that ask has the turn, where any asks.
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert ($onehot0(given_o)) else $error("rsm_round_robin: two turns at once");
      assert ((given_o & ~asks_i) == '0) else $error("rsm_round_robin: a turn nobody asked for");
      assert (asks_i == '0 || given_o != '0) else $error("rsm_round_robin: no turn");
    end
  end
`endif

endmodule
