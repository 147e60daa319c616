// SPDX-License-Identifier: Apache-2.0
//
// One column behind the S-boxes in both directions: AddRoundKey, MixColumns or InvMixColumns with
// shared logic, AddRoundKey (Chodowiec and Gaj 2003, 3.3 and 3.4, Figs. 6 and 7).
//
// The key is added behind MixColumns with `decrypt_i` low and in front of InvMixColumns with it
// high. `inverse_i` multiplies by d^2(x) first, which makes MixColumns its inverse, equation (7).
// `bypass_i` leaves both out, for the first key addition and for the last round. `column_i` is
// added to the result: a block that enters, zero otherwise.
//
// Cut for 4-input lookup tables, five deep with the choice of the forwarded byte: with t the sum of
// a column, MixColumns is u(i) + t + 2 * (u(i) + u(i+1)), so whoever silences t and the sums of
// neighbours has the column itself. The multiplication by d^2(x) does not change t.
//
// Latency: 0.
module rsm_aes_compact_mix (
  input  logic        decrypt_i,
  input  logic        inverse_i,
  input  logic        bypass_i,
  input  logic [31:0] sub_i,
  input  logic [31:0] key_i,
  input  logic [31:0] column_i,
  output logic [31:0] column_o
);

  function automatic logic [7:0] twice(logic [7:0] a);
    return {a[6:0], 1'b0} ^ (a[7] ? 8'h1b : 8'h00);
  endfunction

  // Bytes of rows 0 to 3: element 3 is row 0.
  logic [3:0][7:0] sub, key, x, u, v, late, y;
  logic [1:0][7:0] pair;
  logic [7:0]      sub_sum, key_sum, sum;

  assign sub = sub_i;
  assign key = key_i;
  assign x   = sub_i ^ (key_i & {32{decrypt_i}});

  // {05} a + {04} b = a + {04} (a + b), for rows 0 and 2, and 1 and 3; only decryption inverts.
  assign pair[0] = sub[0] ^ sub[2] ^ key[0] ^ key[2];
  assign pair[1] = sub[1] ^ sub[3] ^ key[1] ^ key[3];

  assign sub_sum = sub[0] ^ sub[1] ^ sub[2] ^ sub[3];
  assign key_sum = key[0] ^ key[1] ^ key[2] ^ key[3];
  assign sum     = (sub_sum ^ (key_sum & {8{decrypt_i}})) & {8{~bypass_i}};

  // The key behind MixColumns, the block that enters, and t.
  assign late = (key_i & {32{~decrypt_i}}) ^ column_i ^ {4{sum}};

  for (genvar i = 0; i < 4; i++) begin : gen_row
    assign u[i] = x[i] ^ (twice(twice(pair[i % 2])) & {8{inverse_i}});
    assign v[i] = (u[i] ^ u[(i + 3) % 4]) & {8{~bypass_i}};
    assign y[i] = u[i] ^ twice(v[i]) ^ late[i];
  end

  assign column_o = y;

endmodule
