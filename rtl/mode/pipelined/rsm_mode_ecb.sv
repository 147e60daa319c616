// SPDX-License-Identifier: Apache-2.0
//
// Electronic codebook (NIST SP 800-38A, 6.1): every block by itself.
//
// Texts have whole blocks; any other is refused. It does the directions that the core has.
//
// Latency: that of the core; a message begins one cycle after it is accepted.
module rsm_mode_ecb
  import rsm_mode_pkg::*;
#(
  parameter int unsigned Depth    = 2,  // blocks that may be in the core
  parameter int unsigned Slots    = 1,  // of keys; messages of others are refused
  parameter bit          Encrypts = 1'b1,
  parameter bit          Decrypts = 1'b1
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

  logic   decrypt;
  logic   unused_empty, unused_start, unused_step, unused_settled, unused_chained, unused_result;
  block_t unused_iv, unused_operand;

  rsm_mode_stream #(
    .Depth        (Depth),
    .Slots        (Slots),
    .OperandWidth (0),
    .Whole        (1'b1),
    .Encrypts     (Encrypts),
    .Decrypts     (Decrypts)
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
    .start_o    (unused_start),
    .start_iv_o (unused_iv),
    .decrypt_o  (decrypt),
    .step_o     (unused_step),
    .wait_i     (1'b0),
    .refuse_i   (1'b0),
    .block_i    (in_i.data),
    .decrypt_i  (decrypt),
    .operand_i  ('0),
    .empty_o    (unused_empty),
    .settled_o  (unused_settled),
    .chained_o  (unused_chained),
    .operand_o  (unused_operand),
    .result_o   (unused_result)
  );

endmodule
