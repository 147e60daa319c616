// SPDX-License-Identifier: Apache-2.0
//
// Cipher feedback with segments of 128 bits (NIST SP 800-38A, 6.3). Encryption has one block in
// the core at a time; decryption keeps the core full. The last segment may be shorter. The core
// encrypts in both directions.
//
// Latency: that of the core; a message begins one cycle after it is accepted.
module rsm_mode_cfb
  import rsm_mode_pkg::*;
#(
  parameter int unsigned Depth    = 2,  // blocks that may be in the core
  parameter int unsigned Slots    = 1   // of keys; messages of others are refused
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

  logic   start, step, decrypt;
  logic   settled, chained, result;
  logic   unused_empty;
  block_t start_iv, block, operand, chain_q, ciphertext;

  assign ciphertext = core_out_i.block ^ operand;

  // The ciphertext before: in the register, or just coming out.
  assign block = (chained & ~decrypt) ? ciphertext : chain_q;

  always_ff @(posedge clk_i) begin
    if (clear_i)                 chain_q <= '0;
    else if (start)              chain_q <= start_iv;
    else if (decrypt && step)    chain_q <= in_i.data;
    else if (!decrypt && result) chain_q <= ciphertext;
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
    .decrypt_o  (decrypt),
    .step_o     (step),
    .wait_i     (~decrypt & ~settled & ~chained),
    .refuse_i   (1'b0),
    .block_i    (block),
    .decrypt_i  (1'b0),
    .operand_i  (in_i.data),
    .empty_o    (unused_empty),
    .settled_o  (settled),
    .chained_o  (chained),
    .operand_o  (operand),
    .result_o   (result)
  );

endmodule
