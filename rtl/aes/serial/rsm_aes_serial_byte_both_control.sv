// SPDX-License-Identifier: Apache-2.0
//
// The control of the byte-serial core of both directions: counters of the bytes of a pass and the
// passes of a block, and what follows from them.
//
//   encrypting   pass     0  1  2  3 .. 10
//                round_q  0  1  2  3 .. 10
//   decrypting   pass     0  1  2  3 .. 10 | 11 12 .. 19 20    | back_q is set
//                round_q  0  1  2  3 .. 10 |  8  7 ..  0 15
//
// Decrypting, passes 1 to 10 find the last round key. SubBytes and ShiftRows do not stop for it:
// they change their direction with every pass, so that after ten the block is what it was. From
// pass 11 on the key goes back by one round a pass.
//
// A byte that came in with one pass is in the S-box a cycle later, and in the swaps of ShiftRows up
// to cycle 4 of the next pass; until then their direction is that of the pass before.
//
// The counters stop at the beginning of pass 0 until a block comes. A clear starts there and lets
// the time of one encryption go by: pass 0 overwrites everything with what stands on the ports.
//
// Latency: 0 from the counters.
module rsm_aes_serial_byte_both_control
  import rsm_aes_pkg::*;
(
  input  logic  clk_i,
  input  logic  rst_ni,
  input  logic  clear_i,
  output logic  idle_o,
  input  logic  in_valid_i,
  input  logic  in_decrypt_i,
  output logic  out_valid_o,
  // Of the pass: the block and its key are being given; the key is added to what leaves the state.
  output logic  load_o,
  output logic  head_add_o,
  // Of the state.
  output logic  sub_inverse_o,
  output logic  swap4_o,       // Neighbours in a row change places.
  output logic  swap8_o,       // Bytes two columns apart change places.
  output logic  third_add_o,   // The key is added before InvMixColumns.
  output logic  mix_o,         // A column goes through MixColumns.
  output logic  mix_inverse_o,
  // Of the key; see there.
  output logic  keep_o,
  output logic  chain_o,
  output logic  undo_o,
  output logic  key_sub_o,
  output logic  wrap_o,
  output byte_t constant_o
);

  logic [3:0] byte_q, round_q;
  logic       back_q, decrypt_q, clearing_q;
  logic       decrypt, start, first, turn, last, shown, quarter, late, turning, go, done;

  assign first   = byte_q == 4'd0;
  assign turn    = byte_q == 4'd15;
  assign quarter = byte_q[3:2] == 2'd3;
  assign late    = quarter && byte_q[1:0] != 2'd0;

  assign load_o  = round_q == 4'd0 && !back_q;
  assign last    = round_q[3] && round_q[1] && !round_q[2];  // pass 10
  assign shown   = round_q[3] && round_q[2];                 // pass 20
  assign turning = decrypt_q && last;

  assign start       = load_o && first;
  assign idle_o      = start && !clearing_q;
  assign go          = in_valid_i || !idle_o;
  assign done        = shown || (last && !decrypt_q);
  assign out_valid_o = done && byte_q == 4'd1 && !clearing_q;

  // A clear is an encryption.
  assign decrypt = start ? in_decrypt_i && !clearing_q : decrypt_q;

  always_ff @(posedge clk_i) begin
    // Only the lowest bit has to wait: the others are zero at the beginning of a pass.
    byte_q <= {byte_q[3:1] + {2'b00, byte_q[0]}, !byte_q[0] && go};
    if (turn) begin
      if (done) begin
        round_q <= 4'd0;
        back_q  <= 1'b0;
      end else if (last) begin
        round_q <= 4'd8;
        back_q  <= 1'b1;
      end else begin
        round_q <= back_q ? round_q - 4'd1 : round_q + 4'd1;
      end
    end
    if (!rst_ni || clear_i) begin
      byte_q  <= 4'd0;
      round_q <= 4'd0;
      back_q  <= 1'b0;
    end

    decrypt_q <= decrypt;

    if (!rst_ni) clearing_q <= 1'b0;
    else         clearing_q <= clear_i || (clearing_q && !(turn && done));
  end

  // --- The state -------------------------------------------------------------------------------

  logic rows_inverse;

  assign sub_inverse_o = decrypt_q && (back_q || last || round_q[0] != first);
  assign rows_inverse  = decrypt_q && (back_q || last || round_q[0] == byte_q[3]);

  assign swap4_o = byte_q inside {4'd0, 4'd6, 4'd8, 4'd10, 4'd12, 4'd14};
  assign swap8_o = byte_q inside {4'd3, 4'd15}
                || (rows_inverse ? byte_q inside {4'd2, 4'd14} : byte_q inside {4'd0, 4'd4});

  // The last round has no MixColumns, nor have the passes that look for the key.
  assign mix_o         = byte_q[1:0] == 2'd0 && (decrypt_q ? back_q && !shown : !last);
  assign mix_inverse_o = decrypt_q;

  // The key is added as it leaves to the block before the first round, and after every round of an
  // encryption; a decryption has its others added after ShiftRows, from the end of pass 10 on.
  assign head_add_o  = !back_q && (!decrypt || last);
  assign third_add_o = back_q || (turning && late);

  // --- The key ---------------------------------------------------------------------------------

  assign keep_o    = turning && quarter;
  assign chain_o   = back_q ? quarter : byte_q[3:2] != 2'd0;
  assign undo_o    = (late && (back_q || turning)) || (first && back_q);
  assign key_sub_o = late || first;
  assign wrap_o    = first;

  // Of the round whose number is one more; pass 10 turns with the constant that it came with.
  always_comb begin
    if (!round_q[3])                   constant_o = 8'h01 << round_q[2:0];
    else if (round_q[1] || round_q[0]) constant_o = 8'h36;
    else                               constant_o = 8'h1b;
    if (byte_q != 4'd13) constant_o = 8'h00;
  end

endmodule
