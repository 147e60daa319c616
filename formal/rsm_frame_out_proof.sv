// SPDX-License-Identifier: Apache-2.0
//
// A block leaves as a frame of four words, whole and in order. Nothing stays after the last one.
// Assumptions: reset in the first cycle only; blocks are at least four cycles apart.
// Parameters: none.
module rsm_frame_out_proof (
  input logic clk_i, clear_i, valid_i,
  input logic [127:0] block_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic busy, valid;
  logic [31:0] word;

  rsm_frame_out dut (
    .clk_i, .rst_ni, .clear_i, .busy_o(busy), .valid_i, .block_i, .valid_o(valid), .word_o(word)
  );

  // The number of the word at the output, 4 for none; the block; a block or a clear has come.
  logic [2:0] place_q;
  logic [127:0] block_q;
  logic known_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i)   place_q <= 3'd4;
    else if (valid_i)         place_q <= 3'd0;
    else if (place_q != 3'd4) place_q <= place_q + 3'd1;
    if (valid_i) block_q <= block_i;
    known_q <= known_q | clear_i | (rst_ni & valid_i);
  end

  always_comb begin
    // Blocks are four cycles apart.
    if (place_q < 3'd3) assume (!valid_i);
    if (started_q) begin
      assert (place_q <= 3'd4 && busy == (place_q != 3'd4) && valid == (place_q == 3'd0));
      for (int unsigned i = 0; i < 4; i++) begin
        assert (dut.word_q[i] == (32'(place_q) == i));
        if (32'(place_q) == i) begin
          assert (word == block_q[127 - 32*i -: 32]);
          assert (dut.data_q == block_q << 32*i);
        end
      end
      // Nothing follows the last word.
      if (known_q && place_q == 3'd4) assert (dut.data_q == '0 && word == '0);
    end
  end
endmodule
