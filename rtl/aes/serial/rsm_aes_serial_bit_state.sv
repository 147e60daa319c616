// SPDX-License-Identifier: Apache-2.0
//
// The state of a bit-serial core: a shift register of 16 slots of 8 bits that does SubBytes,
// ShiftRows and MixColumns while the bits move on by one place every cycle.
//
//          slot 15       14   ..   11   ..   3    2    1    0
//   tail -> S-box -+-> ...... -+-> ...... -+-> ............... -> head
//                  |           |           |    MixColumns
//                  +-- swap4 --+-- swap8 --+
//
// Byte b of the state enters as number b of a pass and leaves as number b of the next, 128 cycles
// later. Cycle 0 of byte time t is when byte t begins to enter, most significant bit first.
//
// SubBytes: in cycle 0 the byte that has just come in fills slot 15 (`byte_o`), and goes on as
// `byte_i` if `sub_i`.
//
// ShiftRows: bytes that leave slots 15 and 11, four apart and thus neighbours in a row, change
// places (`swap4_i`), and then those that leave slots 11 and 3 (`swap8_i`). Three of the first kind
// are a row moved by one column, two of the second kind a row moved by two, and both together are a
// row moved by three. They fall on these byte times, 16 and more being in the next pass:
//
//   encrypting   row 1: swap4 at 6, 10, 14
//                row 2: swap8 at 15, 19
//                row 3: swap4 at 8, 12, 16, swap8 at 16, 20
//   decrypting   rows 1 and 3 change roles: row 1 has its swap8 at 14, 18
//
// At time 16 both happen at once, and byte 15 gets from the S-box to the head column in no time.
//
// MixColumns: at every fourth byte time a column leaves slots 0 to 3, bit by bit, as (a0, a1, a2,
// a3), and its mixed bits enter where the old ones would (`mix_i`). With x_j = 2 (a_j + a_(j+1)),
// whose sum over j is zero,
//
//   b0 = a1 + (a2 + a3) + x0      b1 = a0 + (a2 + a3) + x1
//   b2 = a3 + (a0 + a1) + x2      b3 = a2 + (a0 + a1) + x0 + x1 + x2
//
// A bit of x_j is the next bit of the sum, so all slots are tapped at two places, and, at the bits
// that the field polynomial says (`reduce_i`), its first bit, which is kept.
//
// Latency: 128 cycles from tail_i to head_o; tail_o a cycle after tail_i.
module rsm_aes_serial_bit_state
  import rsm_aes_pkg::*;
(
  input  logic  clk_i,
  input  logic  sub_i,
  input  logic  msb_i,
  input  logic  lsb_i,
  input  logic  reduce_i,
  input  logic  swap4_i,
  input  logic  swap8_i,
  input  logic  mix_i,
  output byte_t byte_o,
  input  byte_t byte_i,
  output logic  head_o,
  input  logic  tail_i,
  // The bit that came in last.
  output logic  tail_o
);

  logic [127:0] s_q;

  // --- SubBytes; the first bit of a byte, its highest, has the lowest place --------------------

  byte_t last_slot;

  for (genvar i = 0; i < 8; i++) begin : gen_bit
    assign byte_o[7-i]  = s_q[120+i];
    assign last_slot[i] = sub_i ? byte_i[7-i] : s_q[120+i];
  end

  // --- ShiftRows; a column needs the bits behind those that leave too --------------------------

  logic       from_15, from_11;
  logic [1:0] between, from_3;

  assign from_15 = swap4_i ? s_q[88] : last_slot[0];
  assign between = swap4_i ? last_slot[1:0] : s_q[89:88];
  assign from_11 = swap8_i ? s_q[24] : between[0];
  assign from_3  = swap8_i ? between : s_q[25:24];

  // --- MixColumns ------------------------------------------------------------------------------

  logic [3:0] a, next, b, x;
  logic [2:0] sum, sum_next, first_q;

  assign a        = {from_3[0], s_q[16], s_q[8], s_q[0]};
  assign next     = {from_3[1], s_q[17], s_q[9], s_q[1]};
  assign sum      = a[2:0] ^ a[3:1];
  assign sum_next = next[2:0] ^ next[3:1];

  assign x[2:0] = (lsb_i ? 3'd0 : sum_next) ^ (reduce_i ? first_q : 3'd0);
  assign x[3]   = x[0] ^ x[1] ^ x[2];

  assign b[0] = a[1] ^ sum[2] ^ x[0];
  assign b[1] = a[0] ^ sum[2] ^ x[1];
  assign b[2] = a[3] ^ sum[0] ^ x[2];
  assign b[3] = a[2] ^ sum[0] ^ x[3];

  // --- The shift register ----------------------------------------------------------------------

  logic [3:0] column;

  assign column = mix_i ? b : a;
  assign head_o = column[0];
  assign tail_o = s_q[127];

  always_ff @(posedge clk_i) begin
    s_q          <= {tail_i, s_q[127:1]};
    s_q[126:120] <= last_slot[7:1];
    s_q[119]     <= from_15;
    s_q[87]      <= from_11;
    s_q[23]      <= column[3];
    s_q[15]      <= column[2];
    s_q[7]       <= column[1];
    if (msb_i) first_q <= sum;
  end

endmodule
