// SPDX-License-Identifier: Apache-2.0
//
// AES-128 in both directions, one byte a cycle, with few gates.
//
// A block takes passes of 16 cycles. In each pass the state goes once round its shift register:
// what leaves it comes back in. Encrypting, pass 0 adds the key to the block, both fresh from the
// port; a pass p of 1 to 10 is round p of the cipher, whose key is added as the bytes leave, and
// what goes round in pass 10 is also the result. Decrypting, passes 1 to 10 find the last round
// key, which pass 10 adds to the block. Passes 11 to 20 are the rounds of the inverse cipher (FIPS
// 197, 5.3); their keys are added before the bytes leave, since InvMixColumns comes after.
//
// The key goes round beside the state and becomes the next round key or the one before. Nothing
// ever stands still, so no register needs a multiplexer to keep its value. State and key have an
// S-box each: ten rounds send 200 bytes through them.
//
// Both directions and a key schedule that runs both ways on a byte-serial core: Banik, Bogdanov,
// Regazzoni, Atomic-AES (INDOCRYPT 2016). Bytes that change places on their way: see
// rsm_aes_serial_byte.
//
// A clear overwrites the state and the key with what stands on in_block_i and in_key_i in the 16
// cycles that follow.
//
// Native port, Width 8, flow `free`, key with the block.
// Latency: encrypting 10 * 16 + 1 = 161 cycles, decrypting 20 * 16 + 1 = 321.
// Interval: encrypting 11 * 16 = 176 cycles, decrypting 21 * 16 = 336. Clear: 176.
module rsm_aes_serial_byte_both
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
  input  byte_t               key_i,
  input  length_t             key_len_i,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  byte_t               in_block_i,
  input  byte_t               in_key_i,
  input  length_t             in_len_i,
  input  logic                in_decrypt_i,
  input  logic [TagWidth-1:0] in_tag_i,
  output logic                out_valid_o,
  output byte_t               out_block_o,
  output logic [TagWidth-1:0] out_tag_o
);

  logic  load, head_add, sub_inverse, swap4, swap8, third_add, mix, mix_inverse;
  logic  keep, chain, undo, sub_key, wrap;
  byte_t constant, head, head_key, third_key, block;

  rsm_aes_serial_byte_both_control u_control (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o,
    .in_valid_i,
    .in_decrypt_i,
    .out_valid_o,
    .load_o        (load),
    .head_add_o    (head_add),
    .sub_inverse_o (sub_inverse),
    .swap4_o       (swap4),
    .swap8_o       (swap8),
    .third_add_o   (third_add),
    .mix_o         (mix),
    .mix_inverse_o (mix_inverse),
    .keep_o        (keep),
    .chain_o       (chain),
    .undo_o        (undo),
    .key_sub_o     (sub_key),
    .wrap_o        (wrap),
    .constant_o    (constant)
  );

  // An idle core takes the next block at once, and no other does.
  assign in_ready_o  = idle_o;
  assign key_ready_o = 1'b0;

  assign block = load ? in_block_i : head;

  rsm_aes_serial_byte_state #(
    .Sbox      (Sbox),
    .Direction (DirectionBoth)
  ) u_state (
    .clk_i,
    .sub_inverse_i (sub_inverse),
    .swap4_i       (swap4),
    .swap8_i       (swap8),
    .add_i         (third_add),
    .key_i         (third_key),
    .mix_i         (mix),
    .mix_inverse_i (mix_inverse),
    .head_o        (head),
    .tail_i        (head_add ? block ^ head_key : block),
    .tail_o        (out_block_o)
  );

  rsm_aes_serial_byte_both_key #(
    .Sbox (Sbox)
  ) u_key (
    .clk_i,
    .load_i     (load),
    .key_i      (in_key_i),
    .keep_i     (keep),
    .chain_i    (chain),
    .undo_i     (undo),
    .sub_i      (sub_key),
    .wrap_i     (wrap),
    .constant_i (constant),
    .head_o     (head_key),
    .third_o    (third_key)
  );

  // --- The tag ---------------------------------------------------------------------------------

  logic [TagWidth-1:0] tag_q;

  always_ff @(posedge clk_i) if (in_ready_o) tag_q <= in_tag_i;

  assign out_tag_o = tag_q;

  // --- What this core has no use for -----------------------------------------------------------

  logic unused_input;

  assign unused_input = key_valid_i ^ (^key_i) ^ (^key_len_i) ^ (^in_len_i);

  if (sbox_latency(Sbox, '0) != 0) begin : gen_block_ram
    $error("rsm_aes_serial_byte_both: the S-box must answer in the same cycle");
  end

endmodule
