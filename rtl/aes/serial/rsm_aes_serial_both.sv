// SPDX-License-Identifier: Apache-2.0
//
// A serial AES-128 core of both directions, of the width that the parameter names: 8 bits a cycle
// with an S-box each for state and key, or 1 bit a cycle with one S-box.
//
// Native port, flow `free`, key with the block.
// Latency: that of rsm_aes_serial_byte_both or rsm_aes_serial_bit_both, which say also what the
// interval is and how a clear goes.
module rsm_aes_serial_both
  import rsm_aes_pkg::*;
#(
  parameter int unsigned Width    = 8,
  parameter sbox_e       Sbox     = SboxCells,
  parameter int unsigned TagWidth = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  output logic                idle_o,
  input  logic                key_valid_i,
  output logic                key_ready_o,
  input  logic [Width-1:0]    key_i,
  input  length_t             key_len_i,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic [Width-1:0]    in_block_i,
  input  logic [Width-1:0]    in_key_i,
  input  length_t             in_len_i,
  input  logic                in_decrypt_i,
  input  logic [TagWidth-1:0] in_tag_i,
  output logic                out_valid_o,
  output logic [Width-1:0]    out_block_o,
  output logic [TagWidth-1:0] out_tag_o
);

  if (Width == 8) begin : gen_byte
    rsm_aes_serial_byte_both #(
      .Sbox     (Sbox),
      .TagWidth (TagWidth)
    ) u_core (
      .clk_i, .rst_ni, .clear_i, .idle_o,
      .key_valid_i, .key_ready_o, .key_i, .key_len_i,
      .in_valid_i, .in_ready_o, .in_block_i, .in_key_i, .in_len_i, .in_decrypt_i, .in_tag_i,
      .out_valid_o, .out_block_o, .out_tag_o
    );
  end else if (Width == 1) begin : gen_bit
    rsm_aes_serial_bit_both #(
      .Sbox     (Sbox),
      .TagWidth (TagWidth)
    ) u_core (
      .clk_i, .rst_ni, .clear_i, .idle_o,
      .key_valid_i, .key_ready_o, .key_i, .key_len_i,
      .in_valid_i, .in_ready_o, .in_block_i, .in_key_i, .in_len_i, .in_decrypt_i, .in_tag_i,
      .out_valid_o, .out_block_o, .out_tag_o
    );
  end else begin : gen_no_such_width
    $error("rsm_aes_serial_both: a serial core is 1 or 8 bits wide");
  end

endmodule
