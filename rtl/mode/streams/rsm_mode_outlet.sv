// SPDX-License-Identifier: Apache-2.0
//
// The results of one of several streams, on their way out: a register that takes what comes from a
// rigid core, and one that stands at the port until it is taken. So there are two places, where no
// two results of a stream come one cycle after the other.
//
// The first register keeps the last result, for a mode that chains its blocks. A message that ends
// without a block is told by an empty beat, when all results before it have left.
//
// Latency: 2 cycles from the result at the core to the beat.
module rsm_mode_outlet
  import rsm_mode_pkg::*;
(
  input  logic    clk_i,
  input  logic    rst_ni,
  input  logic    clear_i,
  output logic    idle_o,
  // A result of this stream is at the core, of the last block of its message.
  input  logic    due_i,
  input  logic    last_i,
  input  block_t  result_i,
  output block_t  kept_o,
  // A message is to end without a block, until that has been told.
  input  logic    end_i,
  input  logic    end_refused_i,
  output logic    reported_o,
  // What goes out; a result has left its place.
  output logic    out_valid_o,
  input  logic    out_ready_i,
  output answer_t out_o,
  output logic    left_o
);

  block_t kept_q, data_q;
  logic   kept_last_q, pends_q, moves;
  logic   valid_q, empty_q, last_q, refused_q, tells;

  // Not in the cycle in which another one leaves, so that the port reaches one register only.
  assign moves      = pends_q & ~valid_q;
  assign tells      = end_i & ~pends_q & ~valid_q;
  assign reported_o = valid_q & out_ready_i & empty_q;
  assign idle_o     = ~pends_q & ~valid_q;
  assign left_o     = valid_q & out_ready_i & ~empty_q;
  assign kept_o     = kept_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      pends_q <= 1'b0;
      valid_q <= 1'b0;
    end else begin
      if (due_i)      pends_q <= 1'b1;
      else if (moves) pends_q <= 1'b0;
      if (moves || tells)  valid_q <= 1'b1;
      else if (out_ready_i) valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i)    kept_q <= '0;
    else if (due_i) kept_q <= result_i;
    if (due_i) kept_last_q <= last_i;
    if (clear_i || tells) data_q <= '0;
    else if (moves)        data_q <= kept_q;
    if (moves || tells) begin
      empty_q   <= ~moves;
      last_q    <= ~moves | kept_last_q;
      refused_q <= ~moves & end_refused_i;
    end
  end

  assign out_valid_o = valid_q;
  assign out_o       = '{
    data:   data_q,
    keep:   {16{~empty_q}},
    part:   PartText,
    last:   last_q,
    status: '{spare: 1'b0, refused: refused_q, wrong_tag: 1'b0}
  };

`ifdef RSM_ASSERT
  // A result comes only where the one before it has moved on.
  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      assert (!due_i || !pends_q || moves) else $error("rsm_mode_outlet: a result is overwritten");
    end
  end
`endif

endmodule
