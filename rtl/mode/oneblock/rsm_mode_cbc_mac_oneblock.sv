// SPDX-License-Identifier: Apache-2.0
//
// CBC-MAC over a core that has one block at a time: rsm_mode_cmac_oneblock without subkeys. It is
// safe only where all messages of a key have the same length; for anything else there is CMAC.
// Texts have whole blocks, one at least.
//
// Latency: a block takes that of the core and a cycle; from the last beat, that of the core and 3
// cycles, and another one for a verdict.
module rsm_mode_cbc_mac_oneblock (
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

  rsm_mode_cmac_oneblock #(
    .Plain (1'b1)
  ) u_cmac (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o,
    .msg_valid_i,
    .msg_ready_o,
    .msg_decrypt_i,
    .msg_slot_i,
    .msg_iv_i,
    .msg_iv_bytes_i,
    .msg_aad_bytes_i,
    .msg_text_bytes_i,
    .msg_tag_bytes_i,
    .in_valid_i,
    .in_ready_o,
    .in_data_i,
    .in_keep_i,
    .in_part_i,
    .in_last_i,
    .out_valid_o,
    .out_ready_i,
    .out_data_o,
    .out_keep_o,
    .out_part_o,
    .out_last_o,
    .out_status_o,
    .key_loaded_i,
    .key_loaded_slot_i,
    .key_open_o,
    .core_idle_i,
    .core_in_valid_o,
    .core_in_ready_i,
    .core_in_block_o,
    .core_in_decrypt_o,
    .core_in_slot_o,
    .core_out_valid_i,
    .core_out_block_i
  );

endmodule
