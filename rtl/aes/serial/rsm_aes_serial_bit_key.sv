// SPDX-License-Identifier: Apache-2.0
//
// The key of a bit-serial core: a shift register of 16 slots of 8 bits, out of which a round key
// comes while the one before it moves on (FIPS 197, 5.2). Byte b leaves at byte time b of a pass.
//
// With k the old and k' the new round key,
//
//   k'_b = k_b + S(k_13, k_14, k_15, k_12)_b + the round constant   for b = 0 .. 3
//   k'_b = k_b + k'_(b-4)                                           for the others
//
// The byte four before is just leaving slot 12 (`chain_i`). What comes from the S-box is added
// before k_b leaves, all eight bits at once, in cycle `At` of a byte time (`sub_i`, at byte times
// 14, 15, 0 and 1): k_b is then in slot 1 and what it needs in slot 14. k_13, k_14 and k_15 find
// k_0, k_1 and k_2 there. k_12, which comes first, finds k_3 because that has changed places with
// k_15, four bytes ahead of it, as they left slots 7 and 3 (`ahead_i`, at byte time 12); they
// change back as they leave slots 4 and 0 (`behind_i`, at byte time 15).
//
// Backwards, k_b = k'_b + k'_(b-4) for all of b = 4 .. 15 at once, as those of one row leave slots
// 12, 8, 4 and 0 together (`undo_i`, at byte times 0 to 3); what comes from the S-box follows at
// the times above, and the round constant after it.
//
// Latency: 128 cycles from tail_i to next_o.
module rsm_aes_serial_bit_key
  import rsm_aes_pkg::*;
#(
  // The cycle of a byte time in which `sub_i` may come: the bits have moved on by so much.
  parameter int unsigned At = 3
) (
  input  logic  clk_i,
  input  logic  sub_i,
  input  logic  ahead_i,
  input  logic  behind_i,
  input  logic  chain_i,
  input  logic  undo_i,
  input  logic  constant_i,
  output byte_t byte_o,
  input  byte_t byte_i,
  // The round key as it leaves, and what comes in.
  output logic  next_o,
  input  logic  tail_i
);

  logic [127:0] k_q;

  for (genvar i = 0; i < 8; i++) begin : gen_bit
    assign byte_o[7-i] = k_q[8*14-At+i];
  end

  logic head, from_3, from_4, from_7;

  assign from_7 = ahead_i ? k_q[8*3] : k_q[8*7];
  assign from_3 = ahead_i ? k_q[8*7] : k_q[8*3];
  assign from_4 = behind_i ? k_q[0] : k_q[8*4];
  assign head   = behind_i ? k_q[8*4] : k_q[0];

  assign next_o = head ^ (k_q[8*12] & chain_i) ^ constant_i;

  always_ff @(posedge clk_i) begin
    k_q         <= {tail_i, k_q[127:1]};
    k_q[8*12-1] <= k_q[8*12] ^ (k_q[8*8] & undo_i);
    k_q[8*8-1]  <= k_q[8*8] ^ (k_q[8*4] & undo_i);
    k_q[8*7-1]  <= from_7;
    k_q[8*4-1]  <= from_4 ^ (k_q[0] & undo_i);
    k_q[8*3-1]  <= from_3;
    for (int unsigned i = 0; i < 8; i++) begin
      k_q[8-At+i-1] <= k_q[8-At+i] ^ (byte_i[7-i] & sub_i);
    end
  end

  if (At == 0 || At > 7) begin : gen_no_such_cycle
    $error("rsm_aes_serial_bit_key: At must be a cycle of a byte, and not that of the state");
  end

endmodule
