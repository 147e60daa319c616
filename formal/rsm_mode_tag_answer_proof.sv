// SPDX-License-Identifier: Apache-2.0
//
// The register holds the newest answer until it is taken. An answer reports a wrong tag only with
// a verdict, and exactly when a byte that counts differs or the tags have different bytes. The tag
// of a generation is marked as one. A clear leaves neither an answer nor a verdict.
// Assumptions: reset in the first cycle only; no write while an answer is there.
// Parameters: none.
module rsm_mode_tag_answer_proof import rsm_mode_pkg::*; (
  input logic clk_i, clear_i, write_i, empty_i, last_i, refused_i, ready_i,
  input logic tag_i, verdict_i, unequal_i,
  input block_t data_i, difference_i,
  input keep_t keep_i, tag_keep_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic valid;
  answer_t answer;

  rsm_mode_tag_answer dut (
    .clk_i, .rst_ni, .clear_i, .write_i, .data_i, .keep_i, .empty_i, .last_i, .refused_i, .tag_i,
    .verdict_i, .tag_keep_i, .difference_i, .unequal_i, .valid_o(valid), .ready_i,
    .answer_o(answer)
  );

  logic valid_q, cleared_q, wrong;
  block_t data;
  answer_t answer_q;

  always_comb begin
    wrong = unequal_i;
    data  = '0;
    for (int i = 0; i < 16; i++) begin
      if (tag_keep_i[15-i] && difference_i[127 - 8*i -: 8] != '0) wrong = 1'b1;
      if (keep_i[15-i] && !empty_i) data[127 - 8*i -: 8] = data_i[127 - 8*i -: 8];
    end
  end

  always_ff @(posedge clk_i) begin
    cleared_q <= clear_i;
    if (!rst_ni || clear_i) valid_q <= 1'b0;
    else if (write_i) valid_q <= 1'b1;
    else if (ready_i) valid_q <= 1'b0;
    if (write_i) begin
      answer_q <= '{
        data: data, keep: empty_i ? '0 : keep_i, part: tag_i ? PartTag : PartText, last: last_i,
        status: '{spare: 1'b0, refused: refused_i, wrong_tag: verdict_i && wrong}
      };
    end
  end

  always_comb begin
    if (valid) assume (!write_i);
    if (started_q) begin
      assert (valid == valid_q);
      if (valid) assert (answer == answer_q);
      else assert (answer.data == '0);
      if (cleared_q) assert (!valid && answer.part == PartText && !answer.status.wrong_tag);
    end
  end
endmodule
