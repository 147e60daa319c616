// SPDX-License-Identifier: Apache-2.0
//
// Cipher feedback with segments of 8 bits (NIST SP 800-38A, 6.3): a block of the core for every
// byte. Encryption has one in the core at a time; decryption keeps the core full. The core
// encrypts in both directions.
//
// Beats of 16 bytes are taken apart into beats of one byte, which the rest of the mode sees, and
// put together again.
//
// Latency: that of the core and 16 cycles for a full beat; a message begins one cycle after it is
// accepted.
module rsm_mode_cfb8
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

  logic       start, step, decrypt;
  logic       empty, chained, result;
  block_t     start_iv, block, operand, chain_q;
  logic [7:0] ciphertext;
  // Beats of one byte, in and out.
  logic       byte_valid, byte_ready, done_valid, done_ready;
  beat_t      byte_in;
  answer_t    done;
  logic       unpack_idle, stream_idle, pack_idle;
  logic       unused_operand, unused_settled;

  assign ciphertext = core_out_i.block[127:120] ^ operand[127:120];

  // The last 16 bytes of ciphertext: in the register, but for the one that just comes out.
  assign block = (chained & ~decrypt) ? {chain_q[119:0], ciphertext} : chain_q;

  always_ff @(posedge clk_i) begin
    if (clear_i)                 chain_q <= '0;
    else if (start)              chain_q <= start_iv;
    else if (decrypt && step)    chain_q <= {chain_q[119:0], byte_in.data[127:120]};
    else if (!decrypt && result) chain_q <= {chain_q[119:0], ciphertext};
  end

  rsm_mode_unpack u_unpack (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o      (unpack_idle),
    .in_valid_i,
    .in_ready_o,
    .in_i,
    .out_valid_o (byte_valid),
    .out_ready_i (byte_ready),
    .out_o       (byte_in)
  );

  rsm_mode_stream #(
    .Depth        (Depth),
    .Slots        (Slots),
    .OperandWidth (8)
  ) u_stream (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o      (stream_idle),
    .msg_valid_i,
    .msg_ready_o,
    .msg_i,
    .in_valid_i  (byte_valid),
    .in_ready_o  (byte_ready),
    .in_i        (byte_in),
    .out_valid_o (done_valid),
    .out_ready_i (done_ready),
    .out_o       (done),
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
    .wait_i     (~decrypt & ~empty & ~chained),
    .refuse_i   (1'b0),
    .block_i    (block),
    .decrypt_i  (1'b0),
    .operand_i  (byte_in.data),
    .empty_o    (empty),
    .settled_o  (unused_settled),
    .chained_o  (chained),
    .operand_o  (operand),
    .result_o   (result)
  );

  rsm_mode_pack u_pack (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o     (pack_idle),
    .in_valid_i (done_valid),
    .in_ready_o (done_ready),
    .in_i       (done),
    .out_valid_o,
    .out_ready_i,
    .out_o
  );

  assign idle_o = stream_idle & unpack_idle & pack_idle;

  assign unused_operand = ^operand[119:0];

endmodule
