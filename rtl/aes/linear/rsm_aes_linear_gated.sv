// SPDX-License-Identifier: Apache-2.0
//
// MixColumns, its inverse or both, and the key addition, in few four-input LUTs.
//
// MixColumns is written as the identity plus a correction,
//
//   b(i) = a(i) ^ t(i),   t(i) = p ^ xtime(a(i) ^ a(i+1)),   p = a(0) ^ a(1) ^ a(2) ^ a(3)
//
// (Daemen and Rijmen, "The Design of Rijndael", 4.1.2), so that the last round needs no
// multiplexer: it gates the correction. One LUT holds p for four bytes, one the gated
// correction, one the sum of a(i), correction and round key. The modular reduction of xtime
// touches three bits of a byte and is gated once a byte. For InvMixColumns, rsm_aes_mix_square
// stands in front, gated as well.
//
// `inverse_i` and `last_i` come with `state_i`, `key_i` leaves with `state_o`.
//
// Latency: 1 cycle when Cut is set, else 0.
module rsm_aes_linear_gated
  import rsm_aes_pkg::*;
#(
  parameter direction_e Direction = DirectionForward,
  parameter bit         Cut       = 1'b0
) (
  input  logic   clk_i,
  input  logic   clear_i,
  input  logic   inverse_i,
  input  logic   last_i,
  input  block_t state_i,
  input  block_t key_i,
  output block_t state_o
);

  block_t squared;
  block_t mixed;
  block_t mixed_q;

  if (Direction == DirectionForward) begin : gen_forward
    logic unused_inverse;

    assign unused_inverse = inverse_i;
    assign squared        = state_i;
  end else begin : gen_square
    logic square;

    assign square = ~last_i & (inverse_i || Direction == DirectionInverse);

    for (genvar c = 0; c < 4; c++) begin : gen_column
      rsm_aes_mix_square u_mix_square (
        .enable_i (square),
        .column_i (state_i[127 - 32*c -: 32]),
        .column_o (squared[127 - 32*c -: 32])
      );
    end
  end

  for (genvar c = 0; c < 4; c++) begin : gen_column
    byte_t a [4];
    byte_t parity;

    assign parity = a[0] ^ a[1] ^ a[2] ^ a[3];

    for (genvar r = 0; r < 4; r++) begin : gen_row
      byte_t neighbours;
      byte_t correction;
      logic  carry;

      assign a[r]       = squared[127 - 8 * (4 * c + r) -: 8];
      assign neighbours = {a[r][6:0] ^ a[(r+1)%4][6:0], 1'b0};
      assign correction = last_i ? '0 : parity ^ neighbours;
      assign carry      = ~last_i & (a[r][7] ^ a[(r+1)%4][7]);

      assign mixed[127 - 8 * (4 * c + r) -: 8] =
          a[r] ^ correction ^ {3'b000, carry, carry, 1'b0, carry, carry};
    end
  end

  rsm_cut #(
    .Width  (128),
    .Enable (Cut)
  ) u_cut (
    .clk_i,
    .clear_i,
    .d_i (mixed),
    .q_o (mixed_q)
  );

  assign state_o = mixed_q ^ key_i;

endmodule
