// SPDX-License-Identifier: Apache-2.0
//
// AES-128 encryption, one byte a cycle, with as few gates as possible.
//
// A block takes eleven passes of 16 cycles. In each pass the state goes once round its shift
// register: what leaves it gets the key added and comes back in. Pass 0 adds the key to the block,
// both fresh from the port; a pass p of 1 to 10 is round p of the cipher, and what goes round in
// pass 10 is also the result. The key goes round beside the state and becomes the next round key as
// it leaves. Nothing ever stands still, so no register needs a multiplexer to keep its value.
//
// State and key have an S-box each: ten rounds send 200 bytes through them, more than there are
// cycles.
//
// Bytes that change places on their way instead of a register that shifts rows: Banik, Balli,
// Regazzoni, Vaudenay, Swap and Rotate (ToSC 2020); Balli, Caforio, Banik, The Area-Latency
// Symbiosis (TCHES 2021), for 8 bits.
//
// A clear overwrites the state and the key with what stands on in_block_i and in_key_i in the 16
// cycles that follow.
//
// Native port, Width 8, flow `free`, key with the block.
// Latency: 10 * 16 + 1 = 161 cycles. Interval: 11 * 16 = 176. Clear: 176.
module rsm_aes_serial_byte
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

  logic  load, swap4, swap8, mix, first, wrap;
  byte_t constant, head, next, key;

  rsm_aes_serial_byte_control u_control (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o,
    .in_valid_i,
    .out_valid_o,
    .load_o     (load),
    .swap4_o    (swap4),
    .swap8_o    (swap8),
    .mix_o      (mix),
    .first_o    (first),
    .wrap_o     (wrap),
    .constant_o (constant)
  );

  // An idle core takes the next block at once, and no other does.
  assign in_ready_o  = idle_o;
  assign key_ready_o = 1'b0;

  assign key = load ? in_key_i : next;

  rsm_aes_serial_byte_state #(
    .Sbox (Sbox)
  ) u_state (
    .clk_i,
    .sub_inverse_i (1'b0),
    .swap4_i       (swap4),
    .swap8_i       (swap8),
    .add_i         (1'b0),
    .key_i         (8'h00),
    .mix_i         (mix),
    .mix_inverse_i (1'b0),
    .head_o        (head),
    .tail_i        ((load ? in_block_i : head) ^ key),
    .tail_o        (out_block_o)
  );

  rsm_aes_serial_byte_key #(
    .Sbox (Sbox)
  ) u_key (
    .clk_i,
    .first_i    (first),
    .wrap_i     (wrap),
    .constant_i (constant),
    .next_o     (next),
    .tail_i     (key)
  );

  // --- The tag ---------------------------------------------------------------------------------

  logic [TagWidth-1:0] tag_q;

  always_ff @(posedge clk_i) if (in_ready_o) tag_q <= in_tag_i;

  assign out_tag_o = tag_q;

  // --- What this core has no use for -----------------------------------------------------------

  logic unused_input;

  assign unused_input = key_valid_i ^ (^key_i) ^ (^key_len_i) ^ (^in_len_i) ^ in_decrypt_i;

  if (sbox_latency(Sbox, '0) != 0) begin : gen_block_ram
    $error("rsm_aes_serial_byte: the S-box must answer in the same cycle; a block RAM does not");
  end

endmodule
