// SPDX-License-Identifier: Apache-2.0
//
// The register holds the newest answer until it is taken, with zeros for bytes that do not
// count. It is zero while it holds none.
// Assumptions: reset in the first cycle only; no write while an answer is there.
// Parameters: none.
module rsm_mode_answer_proof import rsm_mode_pkg::*; (
  input logic clk_i, clear_i, write_i, last_i, refused_i, ready_i,
  input logic empty_i,
  input block_t data_i,
  input keep_t keep_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic valid;
  answer_t answer;

  rsm_mode_answer dut (
    .clk_i, .rst_ni, .clear_i, .write_i, .data_i, .keep_i, .empty_i, .last_i, .refused_i,
    .valid_o(valid), .ready_i, .answer_o(answer)
  );

  logic valid_q;
  block_t data_q;
  keep_t keep_q;
  logic last_q, refused_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) valid_q <= 1'b0;
    else if (write_i) valid_q <= 1'b1;
    else if (ready_i) valid_q <= 1'b0;
    if (write_i) begin
      data_q <= '0;
      for (int i = 0; i < 16; i++) begin
        if (keep_i[15-i] && !empty_i) data_q[127 - 8*i -: 8] <= data_i[127 - 8*i -: 8];
      end
      {keep_q, last_q, refused_q} <= {empty_i ? '0 : keep_i, last_i, refused_i};
    end
  end

  always_comb begin
    if (valid) assume (!write_i);
    if (started_q) begin
      assert (valid == valid_q);
      if (valid_q) begin
        assert (answer.data == data_q && answer.keep == keep_q && answer.last == last_q);
        assert (answer.status.refused == refused_q && !answer.status.wrong_tag);
        assert (answer.part == PartText);
      end else begin
        assert (answer.data == '0);
      end
    end
  end
endmodule
