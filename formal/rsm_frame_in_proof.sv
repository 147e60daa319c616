// SPDX-License-Identifier: Apache-2.0
//
// A frame of words leaves as one block, whole and in order. A waiting block stays, and a clear
// leaves nothing.
// Assumptions: reset in the first cycle only; all inputs are free. The first word moves with a
// handshake, the others in the next cycles.
// Parameters: Words 4 and 6.
module rsm_frame_in_proof #(parameter int unsigned Words = 4) (
  input logic clk_i, clear_i, enable_i, valid_i, ready_i,
  input logic [31:0] word_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic busy, ready, valid;
  logic [32*Words-1:0] data;

  rsm_frame_in #(.Words(Words)) dut (
    .clk_i, .rst_ni, .clear_i, .enable_i, .busy_o(busy), .valid_i, .ready_o(ready), .word_i,
    .valid_o(valid), .ready_i, .data_o(data)
  );

  // The number of words that have come, and the words; a frame that waits.
  logic [3:0] count_q;
  logic [Words-1:0][31:0] words_q;
  logic cleared_q, held_q;
  logic [32*Words-1:0] was_q;
  always_ff @(posedge clk_i) begin
    cleared_q <= clear_i;
    held_q    <= rst_ni & ~clear_i & valid & ~ready_i;
    was_q     <= data;
    for (int unsigned i = 0; i < Words; i++) if (32'(count_q) == i) words_q[i] <= word_i;
    if (!rst_ni || clear_i)                               count_q <= '0;
    else if (count_q == '0)                               count_q <= 4'(valid_i & ready);
    else if (32'(count_q) < Words)                        count_q <= count_q + 4'd1;
    else if (ready_i)                                     count_q <= '0;
  end

  always_comb begin
    if (started_q) begin
      assert (32'(count_q) <= Words);
      assert (ready == (enable_i && count_q == '0) && busy == (count_q != '0));
      assert (valid == (32'(count_q) == Words) && 4'(dut.count_q) == count_q);
      for (int unsigned i = 0; i < Words; i++) begin
        if (valid) assert (data[32*(Words-1-i) +: 32] == words_q[i]);
        for (int unsigned j = 0; j <= i; j++) begin
          if (32'(count_q) == i + 1) assert (data[32*(i-j) +: 32] == words_q[j]);
        end
      end
      if (held_q) assert (valid && data == was_q);
      if (cleared_q) assert (data == '0 && !valid && !busy);
    end
  end
endmodule
