// SPDX-License-Identifier: Apache-2.0
//
// The state of a byte-serial core: a shift register of 16 bytes that does SubBytes, ShiftRows and
// MixColumns while the bytes move on by one place every cycle.
//
//          byte 15       14   ..   11   ..   3    2    1    0
//   tail -> S-box -+-> ...... -+-> ...... -+-> ............... -> head
//                  |           |           |    MixColumns
//                  +-- swap4 --+-- swap8 --+
//
// Byte b of the state enters in cycle b of a pass and leaves in cycle b of the next.
//
// ShiftRows: bytes that leave places 15 and 11, four apart and thus neighbours in a row, change
// places (`swap4_i`), and then those that leave places 11 and 3 (`swap8_i`). Three of the first
// kind are a row moved by one column, two of the second kind a row moved by two, and both together
// are a row moved by three. They fall on these cycles, 16 and more being in the next pass:
//
//   encrypting   row 1: swap4 at 6, 10, 14
//                row 2: swap8 at 15, 19
//                row 3: swap4 at 8, 12, 16, swap8 at 16, 20
//   decrypting   rows 1 and 3 change roles: row 1 has its swap8 at 14, 18
//
// In cycle 16 both happen at once, and byte 15 gets from the S-box to the head column in no time.
//
// MixColumns: in every fourth cycle a column is in places 0 to 3; its first mixed byte leaves, the
// others move on (`mix_i`).
//
// In DirectionBoth the S-box and MixColumns have a direction each (`sub_inverse_i`,
// `mix_inverse_i`), and a key byte can be added between ShiftRows and InvMixColumns, to the byte
// in place 3 (`add_i`). In DirectionForward nothing looks at these inputs.
//
// Latency: 16 cycles from tail_i to head_o; tail_o a cycle after tail_i.
module rsm_aes_serial_byte_state
  import rsm_aes_pkg::*;
#(
  parameter sbox_e      Sbox      = SboxCells,
  parameter direction_e Direction = DirectionForward
) (
  input  logic  clk_i,
  input  logic  sub_inverse_i,
  input  logic  swap4_i,
  input  logic  swap8_i,
  input  logic  add_i,
  input  byte_t key_i,
  input  logic  mix_i,
  input  logic  mix_inverse_i,
  output byte_t head_o,
  input  byte_t tail_i,
  // The byte that came in last.
  output byte_t tail_o
);

  localparam bit Both = Direction == DirectionBoth;

  byte_t [15:0] s_q;
  byte_t        sub, from_15, between, from_11, from_3;

  rsm_aes_sub_bytes #(
    .Bytes     (1),
    .Sbox      (Sbox),
    .Direction (Direction)
  ) u_sub_byte (
    .clk_i,
    .clear_i   (1'b0),
    .inverse_i (sub_inverse_i),
    .state_i   (s_q[15]),
    .state_o   (sub)
  );

  assign from_15 = swap4_i ? s_q[11] : sub;
  assign between = swap4_i ? sub : s_q[11];
  assign from_11 = swap8_i ? s_q[3] : between;
  assign from_3  = swap8_i ? between : s_q[3];

  byte_t [3:0] a, b, column;

  assign a = {(Both && add_i) ? from_3 ^ key_i : from_3, s_q[2:0]};

  if (Both) begin : gen_both
    rsm_aes_mix_minimal_both u_mix (
      .inverse_i (mix_inverse_i),
      .column_i  ({a[0], a[1], a[2], a[3]}),
      .column_o  ({b[0], b[1], b[2], b[3]})
    );
  end else begin : gen_forward
    logic unused_inverse;

    assign unused_inverse = mix_inverse_i ^ add_i ^ (^key_i);

    rsm_aes_mix_minimal u_mix (
      .column_i ({a[0], a[1], a[2], a[3]}),
      .column_o ({b[0], b[1], b[2], b[3]})
    );
  end

  assign column = mix_i ? b : a;
  assign head_o = column[0];
  assign tail_o = s_q[15];

  always_ff @(posedge clk_i) begin
    s_q     <= {tail_i, s_q[15:1]};
    s_q[14] <= from_15;
    s_q[10] <= from_11;
    s_q[2]  <= column[3];
    s_q[1]  <= column[2];
    s_q[0]  <= column[1];
  end

endmodule
