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
  parameter int unsigned TagWidth = 1,
  parameter int unsigned Slots    = 1   // of keys; messages of others are refused
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  output logic                idle_o,
  // A message begins.
  input  logic                msg_valid_i,
  output logic                msg_ready_o,
  input  logic                msg_decrypt_i,
  input  logic [3:0]          msg_slot_i,
  input  logic [127:0]        msg_iv_i,
  input  logic [4:0]          msg_iv_bytes_i,
  input  logic [31:0]         msg_aad_bytes_i,
  input  logic [31:0]         msg_text_bytes_i,
  input  logic [4:0]          msg_tag_bytes_i,
  // What comes in.
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic [127:0]        in_data_i,
  input  logic [4:0]          in_bytes_i,
  input  logic [1:0]          in_part_i,
  input  logic                in_last_i,
  // What goes out.
  output logic                out_valid_o,
  input  logic                out_ready_i,
  output logic [127:0]        out_data_o,
  output logic [4:0]          out_bytes_o,
  output logic [1:0]          out_part_o,
  output logic                out_last_o,
  output logic [2:0]          out_status_o,
  // Keys go past, to the core.
  input  logic                key_loaded_i,
  input  logic [3:0]          key_loaded_slot_i,
  output logic                key_open_o,
  // The full port of the core, seen from here.
  input  logic                core_idle_i,
  output logic                core_in_valid_o,
  input  logic                core_in_ready_i,
  output logic [127:0]        core_in_block_o,
  output logic                core_in_decrypt_o,
  output logic [3:0]          core_in_slot_o,
  output logic [TagWidth-1:0] core_in_tag_o,
  input  logic                core_out_valid_i,
  output logic                core_out_ready_o,
  input  logic [127:0]        core_out_block_i,
  input  logic [TagWidth-1:0] core_out_tag_i
);

  logic       start, step, decrypt;
  logic       empty, chained, result;
  block_t     start_iv, block, operand, chain_q;
  logic [7:0] ciphertext;
  // Beats of one byte, in and out.
  logic       byte_valid, byte_ready, byte_last;
  block_t     byte_data;
  bytes_t     byte_bytes;
  logic       done_valid, done_ready, done_last;
  block_t     done_data;
  bytes_t     done_bytes;
  logic [1:0] unused_done_part;
  status_t    done_status;
  logic       apart_idle, stream_idle, whole_idle;
  logic       unused_done, unused_settled;

  assign ciphertext = core_out_block_i[127:120] ^ operand[127:120];

  // The last 16 bytes of ciphertext: in the register, but for the one that just comes out.
  assign block = (chained & ~decrypt) ? {chain_q[119:0], ciphertext} : chain_q;

  always_ff @(posedge clk_i) begin
    if (clear_i)                 chain_q <= '0;
    else if (start)              chain_q <= start_iv;
    else if (decrypt && step)    chain_q <= {chain_q[119:0], byte_data[127:120]};
    else if (!decrypt && result) chain_q <= {chain_q[119:0], ciphertext};
  end

  rsm_mode_unpack u_apart (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o      (apart_idle),
    .in_valid_i,
    .in_ready_o,
    .in_data_i,
    .in_bytes_i,
    .in_last_i,
    .out_valid_o (byte_valid),
    .out_ready_i (byte_ready),
    .out_data_o  (byte_data),
    .out_bytes_o (byte_bytes),
    .out_last_o  (byte_last)
  );

  rsm_mode_stream #(
    .Depth        (Depth),
    .TagWidth     (TagWidth),
    .Slots        (Slots),
    .OperandWidth (8)
  ) u_stream (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o       (stream_idle),
    .msg_valid_i,
    .msg_ready_o,
    .msg_decrypt_i,
    .msg_slot_i,
    .msg_iv_i,
    .msg_iv_bytes_i,
    .msg_aad_bytes_i,
    .msg_text_bytes_i,
    .msg_tag_bytes_i,
    .in_valid_i   (byte_valid),
    .in_ready_o   (byte_ready),
    .in_data_i    (byte_data),
    .in_bytes_i   (byte_bytes),
    .in_part_i,
    .in_last_i    (byte_last),
    .out_valid_o  (done_valid),
    .out_ready_i  (done_ready),
    .out_data_o   (done_data),
    .out_bytes_o  (done_bytes),
    .out_part_o   (unused_done_part),
    .out_last_o   (done_last),
    .out_status_o (done_status),
    .key_loaded_i,
    .key_loaded_slot_i,
    .key_open_o,
    .core_idle_i,
    .core_in_valid_o,
    .core_in_ready_i,
    .core_in_block_o,
    .core_in_decrypt_o,
    .core_in_slot_o,
    .core_in_tag_o,
    .core_out_valid_i,
    .core_out_ready_o,
    .core_out_block_i,
    .core_out_tag_i,
    .start_o    (start),
    .start_iv_o (start_iv),
    .decrypt_o  (decrypt),
    .step_o     (step),
    .wait_i     (~decrypt & ~empty & ~chained),
    .refuse_i   (1'b0),
    .block_i    (block),
    .decrypt_i  (1'b0),
    .operand_i  (byte_data),
    .empty_o    (empty),
    .settled_o  (unused_settled),
    .chained_o  (chained),
    .operand_o  (operand),
    .result_o   (result)
  );

  rsm_mode_pack u_whole (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o      (whole_idle),
    .in_valid_i  (done_valid),
    .in_ready_o  (done_ready),
    .in_data_i   (done_data[127:120]),
    .in_bytes_i  (done_bytes),
    .in_last_i   (done_last),
    .in_status_i (done_status),
    .out_valid_o,
    .out_ready_i,
    .out_data_o,
    .out_bytes_o,
    .out_last_o,
    .out_status_o
  );

  assign out_part_o = PartText;
  assign idle_o     = stream_idle & apart_idle & whole_idle;

  assign unused_done = ^{done_data[119:0], operand[119:0]};

endmodule
