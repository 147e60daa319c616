// SPDX-License-Identifier: Apache-2.0
//
// Three 32-bit channels around a core with a key channel: blocks in, results out, keys in (the
// chip of Lutz 2002, section 2.2). Every transfer is a frame of words, the most significant first:
// valid and ready move word 0, the others follow on consecutive cycles without a handshake. The
// direction of a block is read with its word 0.
//
// A block goes to the core in the cycle after its last word, and waits there until a slot comes
// round free. A new frame begins when the one before has gone to the core, five cycles after it
// at the earliest: a ring of four slots that takes a block every fifth cycle finds each of them
// free.
//
// A key begins when the core is ready for one and no block is being collected. A block accepted
// after a key uses the new key; one accepted in the same cycle the old one, and then the key waits
// inside for it. From a key's word 0 on no block begins until the core has taken the key and can
// use it in the direction of that block.
//
// Latency: that of the core and 5 cycles (4 to collect the block, 1 at the output) from word 0 to
// word 0, and 3 cycles more until the last word; longer by the cycles that the block waits.
module rsm_channels32 #(
  parameter int unsigned KeyWidth = 128
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  output logic                idle_o,
  input  logic                key_valid_i,
  output logic                key_ready_o,
  input  logic [31:0]         key_i,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic [31:0]         in_block_i,
  input  logic                in_decrypt_i,
  output logic                out_valid_o,
  output logic [31:0]         out_block_o,
  // The native port of the core, seen from here.
  input  logic                core_idle_i,
  output logic                core_key_valid_o,
  input  logic                core_key_ready_i,
  output logic [KeyWidth-1:0] core_key_o,
  output logic                core_in_valid_o,
  input  logic                core_in_ready_i,
  output logic [127:0]        core_in_block_o,
  output logic                core_in_decrypt_o,
  input  logic                core_out_valid_i,
  input  logic [127:0]        core_out_block_i
);

  logic       key_busy, key_whole;
  logic       in_busy;
  logic       out_busy;
  logic       decrypt_q;
  logic [1:0] usable_q;  // the core was ready with this key, to encrypt and to decrypt

  rsm_frame_in #(
    .Words (KeyWidth / 32)
  ) u_key (
    .clk_i,
    .rst_ni,
    .clear_i,
    .enable_i (core_key_ready_i & ~in_busy),
    .busy_o   (key_busy),
    .valid_i  (key_valid_i),
    .ready_o  (key_ready_o),
    .word_i   (key_i),
    .valid_o  (key_whole),
    .ready_i  (core_key_ready_i & ~in_busy),
    .data_o   (core_key_o)
  );

  assign core_key_valid_o = key_whole & ~in_busy;

  rsm_frame_in #(
    .Words (4)
  ) u_in (
    .clk_i,
    .rst_ni,
    .clear_i,
    .enable_i (~key_busy & (usable_q[in_decrypt_i] | core_in_ready_i)),
    .busy_o   (in_busy),
    .valid_i  (in_valid_i),
    .ready_o  (in_ready_o),
    .word_i   (in_block_i),
    .valid_o  (core_in_valid_o),
    .ready_i  (core_in_ready_i),
    .data_o   (core_in_block_o)
  );

  // While no block is here, the core is asked about the direction of the next one.
  assign core_in_decrypt_o = in_busy ? decrypt_q : in_decrypt_i;

  always_ff @(posedge clk_i) begin
    if (!in_busy) decrypt_q <= in_decrypt_i;
    if (!rst_ni || clear_i || (core_key_valid_o && core_key_ready_i)) usable_q <= '0;
    else if (core_in_ready_i) usable_q[core_in_decrypt_o] <= 1'b1;
  end

  rsm_frame_out u_out (
    .clk_i,
    .rst_ni,
    .clear_i,
    .busy_o  (out_busy),
    .valid_i (core_out_valid_i),
    .block_i (core_out_block_i),
    .valid_o (out_valid_o),
    .word_o  (out_block_o)
  );

  assign idle_o = core_idle_i & ~key_busy & ~in_busy & ~out_busy;

endmodule
