// SPDX-License-Identifier: Apache-2.0
//
// The forward S-box (FIPS 197, 5.1.1) as an inversion in GF((2^4)^2), cut to fit 4-input lookup
// tables: every assignment below is one LUT4, 46 in all, and y_o[7] lies seven LUTs deep.
//
// Field: with the norm N(x) = x^17, which lies in GF(2^4), the inverse of x is x^16 * N(x)^-1.
// Over the AES field (x^8 + x^4 + x^3 + x + 1), x^16 = 84 * f1 + 82 (hexadecimal) * f2 with
// f1 = Tr(05 * x^16), f2 = Tr(07 * x^16), Tr the trace to GF(2^4). A product in GF(2^4) takes
// three products in GF(2^2) (Karatsuba's method); a product bit there has four inputs. So no
// coordinate of f1 or f2 itself is needed, only their values at three points: traces to
// GF(2^2) of 5c, 50, 0c times f1 and of 0d, 0c, 01 times f2, two bits each. The bits are
// coordinates in bases of GF(2^2) that differ from signal to signal: with a lookup table a
// change of basis is free.
//
// Source: found by search over all pairs of coordinates, points of evaluation and bases, for
// the fewest LUT4. Field inversion through the norm: Itoh and Tsujii 1988; its use in the AES
// S-box: Rijmen 2000, Satoh et al. 2001.
//
// Meant for mapping to single LUT4s. A mapper that may join them to wider functions through the
// slice multiplexers takes them, and more than twice the area, to save a level or two.
//
// Latency: $countones(Cuts) cycles. Cuts, in this order: after the input map (12 bits), after
// the norm (16), after the inversion in GF(2^4) (18), after the last products (12).
module rsm_aes_sbox_lut4 #(
  parameter logic [3:0] Cuts = '0
) (
  input  logic       clk_i,
  input  logic       clear_i,
  input  logic [7:0] x_i,
  output logic [7:0] y_o
);

  // N(x)^-1 at its three points, by the norm. Zero has no inverse: FIPS 197 maps it to zero.
  localparam logic [15:0][5:0] InverseOfNorm = {
    6'b110110, 6'b101101, 6'b100100, 6'b010010, 6'b001001, 6'b100011, 6'b011100, 6'b001110,
    6'b010101, 6'b110001, 6'b111111, 6'b111000, 6'b000111, 6'b101010, 6'b011011, 6'b000000
  };

  logic [5:0] a_in, a_norm, a_inverse, a;
  logic [5:0] b_in, b_norm, b_inverse, b;
  logic [5:0] n;
  logic [3:0] norm, norm_q;
  logic [5:0] d_in, d;
  logic [5:0] product_a, product_b;
  logic [5:0] pa, pb;
  logic [7:0] y;

  // Input map: f1 (a) and f2 (b) at three points, bits [1:0], [3:2] and [5:4] each.
  assign a_in[0] = x_i[7] ^ x_i[5] ^ x_i[4];
  assign a_in[1] = x_i[4] ^ x_i[2] ^ x_i[1] ^ x_i[0];
  assign a_in[2] = x_i[5] ^ x_i[4];
  assign a_in[3] = x_i[6] ^ x_i[4] ^ x_i[3] ^ x_i[1];
  assign a_in[4] = x_i[7];
  assign a_in[5] = x_i[6] ^ x_i[3] ^ x_i[2] ^ x_i[0];
  assign b_in[0] = x_i[7] ^ x_i[3] ^ x_i[1] ^ x_i[0];
  assign b_in[1] = x_i[6] ^ x_i[4] ^ x_i[1] ^ x_i[0];
  assign b_in[2] = x_i[7] ^ x_i[4] ^ x_i[3];
  assign b_in[3] = x_i[5] ^ x_i[4] ^ x_i[2] ^ x_i[0];
  assign b_in[4] = x_i[6];
  assign b_in[5] = x_i[5] ^ x_i[2] ^ x_i[1];

  rsm_cut #(
    .Width  (12),
    .Enable (Cuts[0])
  ) u_cut_input (
    .clk_i,
    .clear_i,
    .d_i ({a_in, b_in}),
    .q_o ({a_norm, b_norm})
  );

  // Norm: f1 * f2 plus the squares of both. Squaring is linear, so the squares ride along in
  // the lookup tables of the three products.
  assign n[0] = (a_norm[0] & b_norm[0]) ^ (a_norm[1] & b_norm[1]) ^ a_norm[0] ^ b_norm[0];
  assign n[1] = (a_norm[0] & (b_norm[0] ^ b_norm[1])) ^ (a_norm[1] & b_norm[0]) ^ a_norm[1];
  assign n[2] = (a_norm[2] & (b_norm[2] ^ b_norm[3])) ^ (a_norm[3] & b_norm[3])
              ^ b_norm[2] ^ b_norm[3];
  assign n[3] = (a_norm[2] & b_norm[2]) ^ (a_norm[3] & (b_norm[2] ^ b_norm[3]))
              ^ a_norm[2] ^ b_norm[2] ^ b_norm[3];
  assign n[4] = (a_norm[4] & b_norm[4]) ^ (a_norm[5] & b_norm[5]) ^ b_norm[4];
  assign n[5] = (a_norm[4] & (b_norm[4] ^ b_norm[5])) ^ (a_norm[5] & b_norm[4]) ^ b_norm[5];

  assign norm[0] = n[1] ^ n[2] ^ n[4] ^ a_norm[2];
  assign norm[1] = n[0] ^ n[2] ^ n[5] ^ b_norm[1];
  assign norm[2] = n[0] ^ n[4] ^ a_norm[3];
  assign norm[3] = n[0] ^ n[3] ^ b_norm[4];

  rsm_cut #(
    .Width  (16),
    .Enable (Cuts[1])
  ) u_cut_norm (
    .clk_i,
    .clear_i,
    .d_i ({norm, a_norm, b_norm}),
    .q_o ({norm_q, a_inverse, b_inverse})
  );

  // Inversion: four bits in, so a bit more at the output costs one LUT4 and no delay.
  assign d_in = InverseOfNorm[norm_q];

  rsm_cut #(
    .Width  (18),
    .Enable (Cuts[2])
  ) u_cut_inverse (
    .clk_i,
    .clear_i,
    .d_i ({d_in, a_inverse, b_inverse}),
    .q_o ({d, a, b})
  );

  // x^16 * N(x)^-1: a product in GF(2^2) at each point of both coordinates.
  assign product_a[0] = (d[0] & (a[0] ^ a[1])) ^ (d[1] & a[1]);
  assign product_a[1] = (d[0] & a[0]) ^ (d[1] & (a[0] ^ a[1]));
  assign product_a[2] = (d[2] & (a[2] ^ a[3])) ^ (d[3] & a[3]);
  assign product_a[3] = (d[2] & a[2]) ^ (d[3] & (a[2] ^ a[3]));
  assign product_a[4] = (d[4] & a[5]) ^ (d[5] & a[4]);
  assign product_a[5] = (d[4] & a[4]) ^ (d[5] & (a[4] ^ a[5]));
  assign product_b[0] = (d[0] & b[1]) ^ (d[1] & b[0]);
  assign product_b[1] = (d[0] & (b[0] ^ b[1])) ^ (d[1] & b[1]);
  assign product_b[2] = (d[2] & (b[2] ^ b[3])) ^ (d[3] & b[2]);
  assign product_b[3] = (d[2] & b[2]) ^ (d[3] & b[3]);
  assign product_b[4] = (d[4] & (b[4] ^ b[5])) ^ (d[5] & b[5]);
  assign product_b[5] = (d[4] & b[5]) ^ (d[5] & b[4]);

  rsm_cut #(
    .Width  (12),
    .Enable (Cuts[3])
  ) u_cut_product (
    .clk_i,
    .clear_i,
    .d_i ({product_a, product_b}),
    .q_o ({pa, pb})
  );

  // Output map: interpolation, the AES basis and the affine map of FIPS 197 in one. Seven bits
  // have at most four terms; the last one has five and takes two of them from y[1].
  assign y[0] = ~(pa[0] ^ pa[5] ^ pb[1] ^ pb[3]);
  assign y[1] = ~(pa[1] ^ pa[4]);
  assign y[2] = pa[3] ^ pa[4];
  assign y[3] = pb[2] ^ pb[4];
  assign y[4] = pa[2] ^ pa[5] ^ pb[1] ^ pb[3];
  assign y[5] = ~(pa[1] ^ pa[4] ^ pb[1] ^ pb[3]);
  assign y[6] = ~(pa[1] ^ pa[3] ^ pb[1] ^ pb[5]);
  assign y[7] = ~(y[1] ^ pb[0] ^ pb[3] ^ pb[4]);

  assign y_o = y;

endmodule
