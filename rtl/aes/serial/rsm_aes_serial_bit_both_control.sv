// SPDX-License-Identifier: Apache-2.0
//
// The control of the bit-serial core of both directions: counters of the bits of a byte, the bytes
// of a pass and the passes of a block, and what follows from them.
//
// Encrypting, pass 0 loads, passes 1 to 10 are the rounds. Decrypting, they find the last round
// key while the block goes round as it is; then every round key k_r, beginning with k_10 in pass
// 10, has four passes, of which the last two belong to the round that follows:
//
//   pass_q 0   k_r is added to what leaves the state; that of k_0 is the result
//          1   InvMixColumns is MixColumns three times, as its fourth power is nothing: here,
//          2   here
//          3   and here; none of them for k_10. What comes back in goes through InvSubBytes and
//              InvShiftRows
//
// From pass 1 to 2 the key goes back by one round. `back_q` is set from pass 1 of k_10 on.
//
// The number of the key is counted from 8 downwards, so that the round constant comes cheap: that
// of r, r <= 8, is a single one in bit r - 1, which is sent in cycle 8 - r of the first byte.
//
//   r          0  1  2  3  4  5  6  7  8  9 10
//   round_q    8  7  6  5  4  3  2  1  0 15 14
//
// The counters stop at the beginning of pass 0 until a block comes. A clear starts there and lets
// the time of one encryption go by: pass 0 overwrites everything with what stands on the ports.
//
// Latency: 0 from the counters.
module rsm_aes_serial_bit_both_control (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,
  output logic idle_o,
  input  logic in_valid_i,
  input  logic in_decrypt_i,
  output logic out_valid_o,
  // Of the pass: the block and its key are being given; the key is added to what leaves the state.
  output logic load_o,
  output logic add_o,
  // Of the S-box: it belongs to the state, and goes backwards.
  output logic msb_o,
  output logic inverse_o,
  // Of the state.
  output logic sub_o,      // The byte in the last slot goes through the S-box.
  output logic lsb_o,      // The last bit of a byte.
  output logic reduce_o,   // A bit at which x^8 has a one, modulo the field polynomial.
  output logic swap4_o,    // Neighbours in a row change places.
  output logic swap8_o,    // Bytes two columns apart change places.
  output logic mix_o,      // A column goes through MixColumns.
  // Of the key.
  output logic key_sub_o,  // A byte gets that of the S-box added.
  output logic ahead_o,    // The fourth of these goes ahead of its row.
  output logic behind_o,   // ... And comes back.
  output logic chain_o,    // A byte gets the one of the word before added.
  output logic undo_o,     // ... In the other direction.
  output logic constant_o  // A bit of the round constant.
);

  logic [2:0] bit_q;
  logic [3:0] byte_q, round_q;
  logic [1:0] pass_q;
  logic       back_q, decrypt_q, clearing_q;
  logic       decrypt, start, first, early, turn, special, zero, last, adding, done, go;

  assign first = byte_q == 4'd0;
  assign early = byte_q[3:2] == 2'd0;
  assign turn  = byte_q == 4'd15 && bit_q == 3'd7;

  // Keys 0, 9 and 10.
  assign special = round_q[3];
  assign zero    = special && !round_q[2];
  assign last    = special && round_q[2] && !round_q[0];

  assign load_o = zero && !back_q;
  assign adding = back_q && pass_q == 2'd0;
  assign done   = decrypt_q ? zero && adding : last;

  assign start       = load_o && first && bit_q == 3'd0;
  assign idle_o      = start && !clearing_q;
  assign go          = in_valid_i || !idle_o;
  assign out_valid_o = done && first && bit_q == 3'd1 && !clearing_q;

  // A clear is an encryption.
  assign decrypt = start ? in_decrypt_i && !clearing_q : decrypt_q;

  always_ff @(posedge clk_i) begin
    // Only the lowest bit has to wait: the others are zero at the beginning of a pass.
    bit_q  <= {bit_q[2:1] + {1'b0, bit_q[0]}, !bit_q[0] && go};
    byte_q <= byte_q + 4'(bit_q == 3'd7);
    if (turn) begin
      if (done) begin
        round_q <= 4'd8;
        back_q  <= 1'b0;
      end else if (back_q || last) begin
        pass_q <= pass_q + 2'd1;
        back_q <= 1'b1;
        if (pass_q == 2'd3) round_q <= round_q + 4'd1;
      end else begin
        round_q <= round_q - 4'd1;
      end
    end
    if (!rst_ni || clear_i) begin
      bit_q   <= 3'd0;
      byte_q  <= 4'd0;
      round_q <= 4'd8;
      pass_q  <= 2'd0;
      back_q  <= 1'b0;
    end

    decrypt_q <= decrypt;

    if (!rst_ni) clearing_q <= 1'b0;
    else         clearing_q <= clear_i || (clearing_q && !(turn && done));
  end

  // --- The state -------------------------------------------------------------------------------

  logic rows;

  assign msb_o     = bit_q == 3'd0;
  assign lsb_o     = bit_q == 3'd7;
  assign reduce_o  = bit_q inside {3'd3, 3'd4, 3'd6, 3'd7};
  assign inverse_o = decrypt_q && msb_o;

  // A byte that came in with one pass is in the S-box a byte time later, and in the swaps of
  // ShiftRows up to byte time 4 of the next pass.
  assign sub_o = msb_o && (!decrypt_q || (first ? adding : pass_q == 2'd3));
  assign rows  = !decrypt_q || (early ? adding : pass_q == 2'd3);

  assign swap4_o = rows && byte_q inside {4'd0, 4'd6, 4'd8, 4'd10, 4'd12, 4'd14};
  assign swap8_o = rows && (byte_q inside {4'd3, 4'd15}
                || (decrypt_q ? byte_q inside {4'd2, 4'd14} : byte_q inside {4'd0, 4'd4}));

  assign mix_o = byte_q[1:0] == 2'd0 && !last && (!decrypt_q || pass_q != 2'd0);
  assign add_o = !decrypt || (pass_q == 2'd0 && (back_q || last));

  // --- The key ---------------------------------------------------------------------------------

  logic step;

  // Forwards in every pass, but not from k_10 on; backwards from the end of pass 1 on.
  assign step = back_q ? pass_q[1] != pass_q[0] && pass_q[1] != byte_q[3] : !(last && byte_q[3]);

  // In any cycle but that of the state.
  assign key_sub_o = bit_q == 3'd3 && byte_q inside {4'd14, 4'd15, 4'd0, 4'd1} && step;
  assign ahead_o   = byte_q == 4'd12;
  assign behind_o  = byte_q == 4'd15;
  assign chain_o   = !early && !back_q;
  assign undo_o    = early && back_q && pass_q == 2'd1;

  always_comb begin
    if (!special)        constant_o = bit_q == round_q[2:0];
    else if (round_q[0]) constant_o = bit_q inside {3'd3, 3'd4, 3'd6, 3'd7};  // 1b
    else                 constant_o = bit_q inside {3'd2, 3'd3, 3'd5, 3'd6};  // 36
    if (!first || (back_q && pass_q != 2'd2)) constant_o = 1'b0;
  end

endmodule
