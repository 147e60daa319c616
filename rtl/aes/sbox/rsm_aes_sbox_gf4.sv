// SPDX-License-Identifier: Apache-2.0
//
// The forward S-box (FIPS 197, 5.1.1) as an inversion in the tower GF(((2^2)^2)^2), made for
// standard cells: 43 exclusive-or gates in the two linear maps, where the 113-gate circuit of
// Boyar and Peralta has 53, and NAND, NOR and multiplexers instead of AND gates.
//
// Field: with the norm N(x) = x^17, which lies in GF(2^4), the inverse of x is x^16 * N(x)^-1.
// Over the AES field, x^16 = d6 * f1 + 42 * f2 (hexadecimal), f1 = Tr(05 * x^16) and
// f2 = Tr(0a * x^16), Tr the trace to GF(2^4). A product in GF(2^4) is three products in
// GF(2^2), each of them three in GF(2) (Karatsuba's method, twice), so f1 and f2 are needed as
// nine bits each: the traces to GF(2^2) of three multiples, by 01, 0c and 50 for f1 and by 5c,
// 01 and 0c for f2, and of each trace the three linear functions to GF(2).
//
// Source: bases and points by search over all towers, for the fewest gates in both linear maps
// (a greedy search in the style of Boyar, Matthews and Peralta 2013; the output map is the
// transpose of such a circuit). The norm as twelve products follows from a search, too; its
// use of NOR for the squares is Canright's (2005). The inversion in GF(2^4) is the circuit with
// multiplexers of Maximov and Ekdahl, cited (New Circuit Minimization Techniques for Smaller
// and Faster AES SBoxes, CHES 2019).
//
// Meant for an area-driven mapper that keeps the structure it is given: rewriting sums of so
// many terms before the mapping costs more than it saves.
//
// Latency: $countones(Cuts) cycles. Cuts, in this order: after the input map (18 bits), after
// the norm (22), after the inversion in GF(2^4) (27), after the last products (18).
module rsm_aes_sbox_gf4 #(
  parameter logic [3:0] Cuts = '0
) (
  input  logic       clk_i,
  input  logic       clear_i,
  input  logic [7:0] x_i,
  output logic [7:0] y_o
);

  logic [1:0]  t;
  logic [8:0]  a_in, a_norm, a_inverse, a;
  logic [8:0]  b_in, b_norm, b_inverse, b;
  logic [11:0] n;
  logic [3:0]  norm, m;
  logic        pivot;
  logic [8:0]  d_in, d;
  logic [8:0]  product_a, product_b;
  logic [8:0]  pa, pb;
  logic [6:0]  s;
  logic [7:0]  y;

  // Input map: f1 (a) and f2 (b) at three points, three bits each; each bit is the sum of the
  // other two of its point.
  assign a_in[4] = x_i[7];
  assign b_in[6] = x_i[0];
  assign a_in[7] = x_i[4] ^ x_i[5];
  assign t[0] = x_i[1] ^ x_i[3];
  assign t[1] = x_i[6] ^ t[0];
  assign a_in[6] = x_i[4] ^ t[1];
  assign b_in[4] = x_i[2] ^ t[1];
  assign a_in[0] = x_i[7] ^ a_in[6];
  assign b_in[1] = x_i[0] ^ b_in[4];
  assign b_in[3] = x_i[5] ^ a_in[0];
  assign a_in[3] = x_i[1] ^ b_in[1];
  assign b_in[5] = b_in[4] ^ b_in[3];
  assign b_in[7] = x_i[6] ^ a_in[0];
  assign a_in[8] = x_i[5] ^ t[1];
  assign b_in[8] = x_i[0] ^ b_in[7];
  assign a_in[2] = a_in[3] ^ a_in[8];
  assign a_in[5] = x_i[7] ^ a_in[3];
  assign a_in[1] = a_in[7] ^ a_in[5];
  assign b_in[2] = b_in[5] ^ b_in[7];
  assign b_in[0] = b_in[1] ^ b_in[2];

  rsm_cut #(
    .Width  (18),
    .Enable (Cuts[0])
  ) u_cut_input (
    .clk_i,
    .clear_i,
    .d_i ({a_in, b_in}),
    .q_o ({a_norm, b_norm})
  );

  // Norm: a quadratic form of rank eight for each bit, so four products. A complemented factor
  // adds the other one to the product: so the squares cost nothing.
  assign n[0] = ~(b_norm[6] | a_norm[6]);
  assign n[1] = ~(a_norm[7] & b_norm[7]);
  assign n[2] = ~(a_norm[4] | b_norm[5]);
  assign n[3] = ~(a_norm[5] | b_norm[3]);
  assign n[4] = b_norm[6] & ~a_norm[7];
  assign n[5] = ~(a_norm[3] | b_norm[4]);
  assign n[6] = ~(a_norm[8] | b_norm[7]);
  assign n[7] = ~(a_norm[2] | b_norm[1]);
  assign n[8] = ~(b_norm[0] | a_norm[1]);
  assign n[9] = a_norm[4] & ~b_norm[5];
  assign n[10] = ~(b_norm[2] | a_norm[0]);
  assign n[11] = a_norm[3] & ~b_norm[4];
  assign norm[0] = (n[0] ^ n[1]) ^ (n[2] ^ n[3]);
  assign norm[1] = ~((n[4] ^ n[5]) ^ (n[6] ^ n[2]));
  assign norm[2] = ~(n[8] ^ (n[3] ^ (n[7] ^ n[9])));
  assign norm[3] = ~(n[8] ^ (n[10] ^ (n[11] ^ n[2])));

  rsm_cut #(
    .Width  (22),
    .Enable (Cuts[1])
  ) u_cut_norm (
    .clk_i,
    .clear_i,
    .d_i ({norm, a_norm, b_norm}),
    .q_o ({m, a_inverse, b_inverse})
  );

  // Inversion of the norm, where a multiplexer costs less than an exclusive-or gate. Zero has
  // no inverse: FIPS 197 maps it to zero, and so do these four bits.
  assign pivot   = ~(m[0] & m[2]) ^ (m[1] | m[3]);
  assign d_in[6] = m[2] ? pivot : m[3];
  assign d_in[7] = pivot ? m[3] : ~(m[1] & ~m[2]);
  assign d_in[0] = m[0] ? pivot : m[1];
  assign d_in[1] = pivot ? m[1] : ~(m[3] & ~m[0]);

  // The sums that Karatsuba's method needs, in GF(2^4) and in GF(2^2).
  assign d_in[8] = d_in[6] ^ d_in[7];
  assign d_in[2] = d_in[0] ^ d_in[1];
  assign d_in[4] = d_in[6] ^ d_in[0];
  assign d_in[5] = d_in[7] ^ d_in[1];
  assign d_in[3] = d_in[4] ^ d_in[5];

  rsm_cut #(
    .Width  (27),
    .Enable (Cuts[2])
  ) u_cut_inverse (
    .clk_i,
    .clear_i,
    .d_i ({d_in, a_inverse, b_inverse}),
    .q_o ({d, a, b})
  );

  // x^16 * N(x)^-1: nine products in GF(2) for each coordinate. Complements cancel in the sums
  // below, so NAND does for AND.
  assign product_a = ~(d & a);
  assign product_b = ~(d & b);

  rsm_cut #(
    .Width  (18),
    .Enable (Cuts[3])
  ) u_cut_product (
    .clk_i,
    .clear_i,
    .d_i ({product_a, product_b}),
    .q_o ({pa, pb})
  );

  // Output map: interpolation, the AES basis and the affine map of FIPS 197 in one. An output
  // bit serves as a partial sum of others.
  assign s[0] = pb[3] ^ (pb[5] ^ pb[8]);
  assign s[1] = s[0] ^ pb[6];
  assign s[2] = pa[3] ^ pa[5];
  assign y[4] = s[1] ^ ((pa[6] ^ pa[8]) ^ s[2]);
  assign s[3] = y[4] ^ pb[0];
  assign s[4] = s[2] ^ pa[2];
  assign s[5] = s[3] ^ pb[7];
  assign s[6] = s[4] ^ pa[1];
  assign y[1] = ~(s[4] ^ pa[0]);
  assign y[0] = y[1] ^ s[1];
  assign y[2] = s[6] ^ (pa[6] ^ pa[7]);
  assign y[3] = s[3] ^ (pb[4] ^ (pb[1] ^ pb[5]));
  assign y[5] = ~(s[6] ^ ((pa[4] ^ pa[3]) ^ s[1]));
  assign y[6] = ~(s[5] ^ (pb[2] ^ s[0]));
  assign y[7] = s[5] ^ (pb[1] ^ pb[8]);

  assign y_o = y;

endmodule
