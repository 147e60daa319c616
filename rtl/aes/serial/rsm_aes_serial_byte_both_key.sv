// SPDX-License-Identifier: Apache-2.0
//
// The key of the byte-serial core of both directions: a shift register of 16 bytes that makes of a
// round key the next one or the one before (FIPS 197, 5.2), one a pass. Byte b comes in cycle b.
//
// With k and k' two round keys of which k' is the later one,
//
//   k'_b = k_b + S(k_13, k_14, k_15, k_12)_b + the round constant   for b = 0 .. 3
//   k'_b = k_b + k'_(b-4)                                           for the others
//
// and the same sums lead from k' to k. Both ways the first word is made as its bytes leave place 3,
// in cycles 13 to 15 and 0 (`sub_i`): the byte that goes through the S-box is the one that comes in
// (`tail`), or, in the fourth, in place 12 (`wrap_i`).
//
// Forwards the other words are made as they leave, with the byte four before, which is in place 12
// (`chain_i` in cycles 4 to 15). Backwards the last word is made so (`chain_i` in cycles 12 to 15),
// in time for the S-box, and the middle ones as their bytes leave places 11 and 7 (`undo_i` in
// cycles 13 to 15 and 0).
//
// Where the direction turns, the last word that comes in has to be that of the key before, which
// is just leaving (`keep_i`).
//
// `head_o` is the later of the two keys, to be added to the byte that leaves the state, and
// `third_o` the earlier, to be added to the byte in place 3 of the state.
//
// Latency: 16 cycles from key_i to head_o, 13 to third_o.
module rsm_aes_serial_byte_both_key
  import rsm_aes_pkg::*;
#(
  parameter sbox_e Sbox = SboxCells
) (
  input  logic  clk_i,
  input  logic  load_i,
  input  byte_t key_i,
  input  logic  keep_i,
  input  logic  chain_i,
  input  logic  undo_i,
  input  logic  sub_i,
  input  logic  wrap_i,
  input  byte_t constant_i,
  output byte_t head_o,
  output byte_t third_o
);

  byte_t [15:0] k_q;
  byte_t        next, tail, sub;

  assign next   = chain_i ? k_q[0] ^ k_q[12] : k_q[0];
  assign head_o = load_i ? key_i : next;
  assign tail   = keep_i ? k_q[0] : head_o;

  rsm_aes_sub_bytes #(
    .Bytes (1),
    .Sbox  (Sbox)
  ) u_sub_byte (
    .clk_i,
    .clear_i   (1'b0),
    .inverse_i (1'b0),
    .state_i   (wrap_i ? k_q[12] : tail),
    .state_o   (sub)
  );

  assign third_o = sub_i ? k_q[3] ^ sub ^ constant_i : k_q[3];

  always_ff @(posedge clk_i) begin
    k_q     <= {tail, k_q[15:1]};
    k_q[10] <= undo_i ? k_q[11] ^ k_q[7] : k_q[11];
    k_q[6]  <= undo_i ? k_q[7] ^ k_q[3] : k_q[7];
    k_q[2]  <= third_o;
  end

endmodule
