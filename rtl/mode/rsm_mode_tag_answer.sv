// SPDX-License-Identifier: Apache-2.0
//
// The beat of an answer of a mode with a tag (rsm_mode_answer): text, the tag of a generation, or
// the verdict on the tag that came.
//
// All bytes of a tag are compared at once, in the cycle in which the verdict is written: nothing
// tells how many of them are right.
//
// Latency: 1 cycle.
module rsm_mode_tag_answer
  import rsm_mode_pkg::*;
(
  input  logic    clk_i,
  input  logic    rst_ni,
  input  logic    clear_i,
  input  logic    write_i,
  input  block_t  data_i,
  // The bytes of it that count, unless there are none.
  input  keep_t   keep_i,
  input  logic    empty_i,
  input  logic    last_i,
  input  logic    refused_i,
  // This is the tag of a generation; or the verdict on one.
  input  logic    tag_i,
  input  logic    verdict_i,
  // The bytes of a tag, its difference to the one that came; that one has other bytes.
  input  keep_t   tag_keep_i,
  input  block_t  difference_i,
  input  logic    unequal_i,
  output logic    valid_o,
  input  logic    ready_i,
  output answer_t answer_o
);

  answer_t answer;
  logic    tag_q, wrong_tag_q, unused_answer;

  rsm_mode_answer u_answer (
    .clk_i,
    .rst_ni,
    .clear_i,
    .write_i,
    .data_i,
    .keep_i,
    .empty_i,
    .last_i,
    .refused_i,
    .valid_o,
    .ready_i,
    .answer_o (answer)
  );

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      {tag_q, wrong_tag_q} <= '0;
    end else if (write_i) begin
      tag_q       <= tag_i;
      wrong_tag_q <= verdict_i & (unequal_i | differs(difference_i, tag_keep_i));
    end
  end

  assign answer_o = '{
    data:   answer.data,
    keep:   answer.keep,
    part:   tag_q ? PartTag : PartText,
    last:   answer.last,
    status: '{spare: 1'b0, refused: answer.status.refused, wrong_tag: wrong_tag_q}
  };

  assign unused_answer = ^{answer.part, answer.status};

endmodule
