// SPDX-License-Identifier: Apache-2.0
//
// One requester gets the turn whenever any of them asks. No requester is served twice while
// another one waits.
// Assumptions: reset in the first cycle only; all inputs are free.
// Parameters: Width 3 and 5.
module rsm_round_robin_proof #(parameter int unsigned Width = 3) (
  input logic clk_i, clear_i, take_i,
  input logic [Width-1:0] asks_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic [Width-1:0] given;

  rsm_round_robin #(.Width(Width)) dut (
    .clk_i, .rst_ni, .clear_i, .asks_i, .take_i, .given_o(given)
  );

  // passed_q[i][j]: requester i has asked ever since j had a turn.
  logic [Width-1:0][Width-1:0] passed_q;
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < Width; i++) begin
      for (int j = 0; j < Width; j++) begin
        if (!rst_ni || clear_i || !asks_i[i] || (take_i && given[i])) passed_q[i][j] <= 1'b0;
        else if (take_i && given[j]) passed_q[i][j] <= 1'b1;
      end
    end
  end

  always_comb begin
    if (started_q) begin
      assert ((given & ~asks_i) == '0 && (given & (given - Width'(1))) == '0);
      assert ((given == '0) == (asks_i == '0));
      // Inside: after_q marks the requesters behind the served one.
      assert ((~dut.after_q & (~dut.after_q + Width'(1))) == '0);
      for (int i = 0; i < Width; i++) begin
        for (int j = 0; j < Width; j++) begin
          if (passed_q[i][j] && asks_i[i]) assert (!given[j]);
          if (passed_q[i][j]) begin
            assert ((dut.after_q[i] == dut.after_q[j]) ? i < j : dut.after_q[i]);
          end
        end
      end
    end
  end
endmodule
