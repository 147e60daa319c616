// SPDX-License-Identifier: Apache-2.0
//
// AES-128 encryption, one bit a cycle, data and key through one S-box: as few gates as possible.
//
// A block takes eleven passes of 128 cycles. In each pass the state goes once round its shift
// register: what leaves it gets the key added and comes back in. Pass 0 adds the key to the block,
// both fresh from the port; a pass p of 1 to 10 is round p of the cipher, and what goes round in
// pass 10 is also the result. The key goes round beside the state and becomes the next round key as
// it leaves. Nothing ever stands still, so no register needs a multiplexer to keep its value.
//
// The S-box serves the state in the first cycle of every byte, and the key in the fourth of four
// bytes a pass.
//
// One bit a cycle, with few bits that can go two ways: Jean, Moradi, Peyrin, Sasdrich, Bit-Sliding
// (CHES 2017). Bits that change places on their way instead of a register that shifts rows, and a
// round in as many cycles as the block has bits: Banik, Balli, Regazzoni, Vaudenay, Swap and Rotate
// (ToSC 2020); Balli, Caforio, Banik, The Area-Latency Symbiosis (TCHES 2021).
//
// A clear overwrites the state and the key with what stands on in_block_i and in_key_i in the 128
// cycles that follow.
//
// Native port, Width 1, flow `free`, key with the block.
// Latency: 10 * 128 + 1 = 1281 cycles. Interval: 11 * 128 = 1408. Clear: 1408.
module rsm_aes_serial_bit
  import rsm_aes_pkg::*;
#(
  parameter sbox_e       Sbox     = SboxCells,
  parameter int unsigned TagWidth = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  output logic                idle_o,
  // There is no key channel.
  input  logic                key_valid_i,
  output logic                key_ready_o,
  input  logic                key_i,
  input  length_t             key_len_i,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic                in_block_i,
  input  logic                in_key_i,
  input  length_t             in_len_i,
  input  logic                in_decrypt_i,
  input  logic [TagWidth-1:0] in_tag_i,
  output logic                out_valid_o,
  output logic                out_block_o,
  output logic [TagWidth-1:0] out_tag_o
);

  logic  load, sub_state, lsb, reduce, swap4, swap8, mix, sub_key, ahead, behind, chain, constant;
  logic  head, next, key;
  byte_t state_byte, key_byte, sub;

  rsm_aes_serial_bit_control u_control (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o,
    .in_valid_i,
    .out_valid_o,
    .load_o     (load),
    .sub_o      (sub_state),
    .lsb_o      (lsb),
    .reduce_o   (reduce),
    .swap4_o    (swap4),
    .swap8_o    (swap8),
    .mix_o      (mix),
    .key_sub_o  (sub_key),
    .ahead_o    (ahead),
    .behind_o   (behind),
    .chain_o    (chain),
    .constant_o (constant)
  );

  // An idle core takes the next block at once, and no other does.
  assign in_ready_o  = idle_o;
  assign key_ready_o = 1'b0;

  rsm_aes_sub_bytes #(
    .Bytes (1),
    .Sbox  (Sbox)
  ) u_sub_byte (
    .clk_i,
    .clear_i   (1'b0),
    .inverse_i (1'b0),
    .state_i   (sub_state ? state_byte : key_byte),
    .state_o   (sub)
  );

  assign key = load ? in_key_i : next;

  rsm_aes_serial_bit_state u_state (
    .clk_i,
    .sub_i    (sub_state),
    .msb_i    (sub_state),
    .lsb_i    (lsb),
    .reduce_i (reduce),
    .swap4_i  (swap4),
    .swap8_i  (swap8),
    .mix_i    (mix),
    .byte_o   (state_byte),
    .byte_i   (sub),
    .head_o   (head),
    .tail_i   ((load ? in_block_i : head) ^ key),
    .tail_o   (out_block_o)
  );

  rsm_aes_serial_bit_key u_key (
    .clk_i,
    .sub_i      (sub_key),
    .ahead_i    (ahead),
    .behind_i   (behind),
    .chain_i    (chain),
    .undo_i     (1'b0),
    .constant_i (constant),
    .byte_o     (key_byte),
    .byte_i     (sub),
    .next_o     (next),
    .tail_i     (key)
  );

  // --- The tag ---------------------------------------------------------------------------------

  logic [TagWidth-1:0] tag_q;

  always_ff @(posedge clk_i) if (in_ready_o) tag_q <= in_tag_i;

  assign out_tag_o = tag_q;

  // --- What this core has no use for -----------------------------------------------------------

  logic unused_input;

  assign unused_input = key_valid_i ^ key_i ^ (^key_len_i) ^ (^in_len_i) ^ in_decrypt_i;

  if (sbox_latency(Sbox, '0) != 0) begin : gen_block_ram
    $error("rsm_aes_serial_bit: the S-box must answer in the same cycle; a block RAM does not");
  end

endmodule
