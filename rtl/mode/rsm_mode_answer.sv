// SPDX-License-Identifier: Apache-2.0
//
// The beat of an answer, until it is taken. A byte that does not count is zero, and so are all of
// them while there is no beat; registers with a synchronous reset do this without a multiplexer.
//
// A beat may be written only while `valid_o` is low.
//
// Latency: 1 cycle.
module rsm_mode_answer
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
  output logic    valid_o,
  input  logic    ready_i,
  output answer_t answer_o
);

  logic   valid_q, last_q, refused_q, stays, fills;
  keep_t  keep_q;
  block_t data_q;

  assign stays = valid_q & ~ready_i;
  assign fills = write_i & ~empty_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) valid_q <= 1'b0;
    else                    valid_q <= stays | write_i;
  end

  always_ff @(posedge clk_i) begin
    if (write_i) {last_q, refused_q} <= {last_i, refused_i};
  end

  always_ff @(posedge clk_i) begin
    if (write_i && empty_i) keep_q <= '0;
    else if (write_i)       keep_q <= keep_i;
  end

  for (genvar i = 0; i < 32'(Full); i++) begin : gen_byte
    logic counts;

    assign counts = fills & keep_i[15-i];

    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i || !(stays || counts)) data_q[127-8*i-:8] <= '0;
      else if (write_i)                             data_q[127-8*i-:8] <= data_i[127-8*i-:8];
    end
  end

  assign valid_o  = valid_q;
  assign answer_o = '{
    data:   data_q,
    keep:   keep_q,
    part:   PartText,
    last:   last_q,
    status: '{spare: 1'b0, refused: refused_q, wrong_tag: 1'b0}
  };

`ifdef RSM_ASSERT
  // A beat is written only where none waits, and an offered one stays until it is taken.
  logic    held_q;
  answer_t offered_q;

  always_ff @(posedge clk_i) begin
    held_q    <= rst_ni & ~clear_i & valid_o & ~ready_i;
    offered_q <= answer_o;
    if (rst_ni && !clear_i) begin
      assert (!(write_i && stays)) else $error("rsm_mode_answer: a waiting beat is overwritten");
      assert (!held_q || (valid_o && answer_o == offered_q))
      else $error("rsm_mode_answer: an offered beat changed");
    end
  end
`endif

endmodule
