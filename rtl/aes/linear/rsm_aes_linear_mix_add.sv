// SPDX-License-Identifier: Apache-2.0
//
// MixColumns and the key addition merged so that nothing is deeper than two four-input LUTs, and
// a register fits between these (the Mixadd of Standaert 2003, 4.2 B3, Fig. 6(a)).
//
// For each column, with indices of bytes modulo 4 and of bits modulo 8,
//
//   parity[j] = a(0)[j] ^ a(1)[j] ^ a(2)[j] ^ a(3)[j]              8 LUTs
//   term(i)[j] = a(i)[j] ^ a(i)[j-1] ^ a(i+1)[j-1]                32 LUTs
//   carry(i) = a(i)[7] ^ a(i+1)[7]                                 4 LUTs
//   b(i)[j] = term(i)[j] ^ parity[j] ^ carry(i) ^ key             32 LUTs
//
// where carry(i) takes part for j = 1, 3 and 4 alone. That makes 76 LUTs a column, and with the
// cut, which holds term, parity and carry, and a register behind, 76 registers. The paper has a
// fifth input beside each LUT, the XOR of the carry chain, which this leaves alone.
//
// In the last round b(i) is a(i) and key. Term and carry have an input to spare for that. Parity
// has none: with the cut, the synchronous reset of its register does it for nothing; without,
// it costs up to a LUT for each bit of parity.
//
// For InvMixColumns, rsm_aes_mix_square stands in front, and the last round is gated there too.
//
// `inverse_i` and `last_i` come with `state_i`, `key_i` leaves with `state_o`.
//
// Latency: 1 cycle when Cut is set, else 0.
module rsm_aes_linear_mix_add
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
    byte_t parity, parity_q;
    byte_t [3:0] terms, terms_q;
    logic  [3:0] carries, carries_q;

    assign parity = last_i ? '0 : a[0] ^ a[1] ^ a[2] ^ a[3];

    rsm_cut #(
      .Width  (8 + 32 + 4),
      .Enable (Cut)
    ) u_cut (
      .clk_i,
      .clear_i,
      .d_i ({parity, terms, carries}),
      .q_o ({parity_q, terms_q, carries_q})
    );

    for (genvar r = 0; r < 4; r++) begin : gen_row
      byte_t neighbours;
      logic  carry;

      assign a[r]       = squared[127 - 8 * (4 * c + r) -: 8];
      assign neighbours = {a[r][6:0] ^ a[(r+1)%4][6:0], a[r][7] ^ a[(r+1)%4][7]};
      assign terms[r]   = last_i ? a[r] : a[r] ^ neighbours;
      assign carries[r] = ~last_i & neighbours[0];
      assign carry      = carries_q[r];

      assign state_o[127 - 8 * (4 * c + r) -: 8] =
          terms_q[r] ^ parity_q ^ {3'b000, carry, carry, 1'b0, carry, 1'b0}
          ^ key_i[127 - 8 * (4 * c + r) -: 8];
    end
  end

endmodule
