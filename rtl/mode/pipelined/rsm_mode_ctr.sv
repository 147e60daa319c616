// SPDX-License-Identifier: Apache-2.0
//
// Counter mode (NIST SP 800-38A, 6.5): the IV is the first counter block, and its last
// `CounterWidth` bits count. The last block may be shorter. Both directions are the same, and keep
// the core full.
//
// A counter does not wrap: a message that needs a block after the one with all ones is refused
// there.
//
// Latency: that of the core; a message begins one cycle after it is accepted.
module rsm_mode_ctr
  import rsm_mode_pkg::*;
#(
  parameter int unsigned Depth        = 2,  // blocks that may be in the core
  parameter int unsigned Slots        = 1,  // of keys; messages of others are refused
  parameter int unsigned CounterWidth = 128
) (
  input  logic      clk_i,
  input  logic      rst_ni,
  input  logic      clear_i,
  output logic      idle_o,
  // A message begins.
  input  logic      msg_valid_i,
  output logic      msg_ready_o,
  input  msg_t      msg_i,
  // What comes in.
  input  logic      in_valid_i,
  output logic      in_ready_o,
  input  beat_t     in_i,
  // What goes out.
  output logic      out_valid_o,
  input  logic      out_ready_i,
  output answer_t   out_o,
  // Keys go past, to the core.
  input  key_t      key_i,
  output logic      key_open_o,
  // The full port of the core, seen from here.
  input  logic      core_idle_i,
  output logic      core_in_valid_o,
  input  logic      core_in_ready_i,
  output core_req_t core_in_o,
  input  logic      core_out_valid_i,
  output logic      core_out_ready_o,
  input  core_rsp_t core_out_i
);

  localparam int unsigned Width = CounterWidth;

  typedef logic [Width-1:0] counter_t;

  logic   start, step;
  logic   unused_empty, unused_decrypt, unused_settled, unused_chained, unused_result;
  logic   spent_q;  // the counter has had its last value
  block_t start_iv, counter_q;
  block_t unused_operand;

  if (Width < 1 || Width > 128) begin : gen_no_width
    $error("CounterWidth is 1 to 128 bits");
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      counter_q <= '0;
    end else if (start) begin
      counter_q <= start_iv;
    end else if (step) begin
      counter_q[Width-1:0] <= counter_q[Width-1:0] + counter_t'(1);
    end
    if (start)     spent_q <= 1'b0;
    else if (step) spent_q <= spent_q | (&counter_q[Width-1:0]);
  end

  rsm_mode_stream #(
    .Depth    (Depth),
    .Slots    (Slots)
  ) u_stream (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o,
    .msg_valid_i,
    .msg_ready_o,
    .msg_i,
    .in_valid_i,
    .in_ready_o,
    .in_i,
    .out_valid_o,
    .out_ready_i,
    .out_o,
    .key_i,
    .key_open_o,
    .core_idle_i,
    .core_in_valid_o,
    .core_in_ready_i,
    .core_in_o,
    .core_out_valid_i,
    .core_out_ready_o,
    .core_out_i,
    .start_o    (start),
    .start_iv_o (start_iv),
    .decrypt_o  (unused_decrypt),
    .step_o     (step),
    .wait_i     (1'b0),
    .refuse_i   (spent_q),
    .block_i    (counter_q),
    .decrypt_i  (1'b0),
    .operand_i  (in_i.data),
    .empty_o    (unused_empty),
    .settled_o  (unused_settled),
    .chained_o  (unused_chained),
    .operand_o  (unused_operand),
    .result_o   (unused_result)
  );

endmodule
