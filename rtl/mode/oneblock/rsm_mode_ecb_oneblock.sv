// SPDX-License-Identifier: Apache-2.0
//
// Electronic codebook (NIST SP 800-38A, 6.1) over a core that has one block at a time: a block goes
// from the port to the core, and by way of two registers to the answer (rsm_mode_oneblock_through).
//
// It does what rsm_mode_ecb does, of a single key slot, and stands on the native port.
//
// Latency: 2 cycles more than that of the core; a message begins one cycle after it is accepted.
module rsm_mode_ecb_oneblock
  import rsm_mode_pkg::*;
#(
  parameter bit Encrypts = 1'b1,
  parameter bit Decrypts = 1'b1
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
  input  logic [15:0]         in_keep_i,
  input  logic [1:0]          in_part_i,
  input  logic                in_last_i,
  // What goes out.
  output logic                out_valid_o,
  input  logic                out_ready_i,
  output logic [127:0]        out_data_o,
  output logic [15:0]         out_keep_o,
  output logic [1:0]          out_part_o,
  output logic                out_last_o,
  output logic [2:0]          out_status_o,
  // Keys go past, to the core.
  input  logic                key_loaded_i,
  input  logic [3:0]          key_loaded_slot_i,
  output logic                key_open_o,
  // The core, which cannot wait, seen from here.
  input  logic                core_idle_i,
  output logic                core_in_valid_o,
  input  logic                core_in_ready_i,
  output logic [127:0]        core_in_block_o,
  output logic                core_in_decrypt_o,
  output logic [3:0]          core_in_slot_o,
  input  logic                core_out_valid_i,
  input  logic [127:0]        core_out_block_i
);

  logic   start, active, busy, pending, enter, write, last, refused, empty;
  logic   decrypt_q;
  block_t result_q;

  always_ff @(posedge clk_i) begin
    if (clear_i)    decrypt_q <= 1'b0;
    else if (start) decrypt_q <= msg_decrypt_i;
  end

  assign core_in_block_o   = in_data_i;
  assign core_in_decrypt_o = decrypt_q;

  always_ff @(posedge clk_i) begin
    if (clear_i)               result_q <= '0;
    else if (core_out_valid_i) result_q <= core_out_block_i;
  end

  rsm_mode_oneblock_through u_through (
    .clk_i,
    .rst_ni,
    .clear_i,
    .msg_valid_i,
    .msg_ready_o,
    .msg_slot_i,
    .in_valid_i,
    .in_ready_o,
    .in_any_i    (in_keep_i[15]),
    .in_full_i   (in_keep_i[0]),
    .in_part_i,
    .in_last_i,
    .core_in_valid_o,
    .core_in_ready_i,
    .core_out_valid_i,
    .out_valid_i (out_valid_o),
    .start_o     (start),
    .active_o    (active),
    .busy_o      (busy),
    .pending_o   (pending),
    .enter_o     (enter),
    .refuse_i    (decrypt_q ? ~Decrypts : ~Encrypts),
    .wait_i      (1'b0),
    .write_o     (write),
    .empty_o     (empty),
    .last_o      (last),
    .refused_o   (refused)
  );

  rsm_mode_answer u_answer (
    .clk_i,
    .rst_ni,
    .clear_i,
    .write_i   (write),
    .data_i    (result_q),
    .keep_i    ('1),
    .empty_i   (empty),
    .last_i    (last),
    .refused_i (refused),
    .valid_o   (out_valid_o),
    .ready_i   (out_ready_i),
    .data_o    (out_data_o),
    .keep_o    (out_keep_o),
    .part_o    (out_part_o),
    .last_o    (out_last_o),
    .status_o  (out_status_o)
  );

  assign key_open_o     = ~active;
  assign idle_o         = core_idle_i & ~active & ~pending & ~out_valid_o;
  assign core_in_slot_o = '0;

  logic unused_in;

  assign unused_in = ^{msg_iv_bytes_i, msg_aad_bytes_i, msg_text_bytes_i, msg_tag_bytes_i,
                       key_loaded_i, key_loaded_slot_i, in_keep_i[14:1], msg_iv_i, busy, enter};

endmodule
