// SPDX-License-Identifier: Apache-2.0
//
// The key of the byte-serial encryption core: a shift register of 16 bytes out of which a round
// key comes while the one before it moves on (FIPS 197, 5.2). Byte b leaves in cycle b of a pass.
//
// With k the old and k' the new round key,
//
//   k'_b = k_b + S(k_13, k_14, k_15, k_12)_b + the round constant   for b = 0 .. 3 (`first_i`)
//   k'_b = k_b + k'_(b-4)                                           for the others
//
// When k_b leaves, k'_(b-4) is in place 12. What goes through the S-box is in place 13, or, in the
// last of the four cycles, in place 9 (`wrap_i`).
//
// Latency: 16 cycles from tail_i to next_o.
module rsm_aes_serial_byte_key
  import rsm_aes_pkg::*;
#(
  parameter sbox_e Sbox = SboxCells
) (
  input  logic  clk_i,
  input  logic  first_i,
  input  logic  wrap_i,
  input  byte_t constant_i,
  // The round key as it leaves, and what comes in.
  output byte_t next_o,
  input  byte_t tail_i
);

  byte_t [15:0] k_q;
  byte_t        sub;

  rsm_aes_sub_bytes #(
    .Bytes (1),
    .Sbox  (Sbox)
  ) u_sub_byte (
    .clk_i,
    .clear_i   (1'b0),
    .inverse_i (1'b0),
    .state_i   (wrap_i ? k_q[9] : k_q[13]),
    .state_o   (sub)
  );

  assign next_o = k_q[0] ^ (first_i ? sub : k_q[12]) ^ constant_i;

  always_ff @(posedge clk_i) k_q <= {tail_i, k_q[15:1]};

endmodule
