// SPDX-License-Identifier: Apache-2.0
//
// The control of the bit-serial encryption core: counters of the bits of a byte, the bytes of a
// pass and the passes of a block, and what follows from them.
//
// Pass 0 loads, passes 1 to 10 are the rounds. The counter of passes runs down from 8 so that the
// round constant comes cheap: that of round p, p <= 8, is a single one in bit p - 1, which is sent
// in cycle 8 - p of the first byte, and 8 - p is the counter.
//
//   pass       0  1  2  3  4  5  6  7  8  9 10
//   round_q    8  7  6  5  4  3  2  1  0 15 14
//
// The counters stop at the beginning of pass 0 until a block comes. A clear starts there and lets
// one block's time go by: pass 0 overwrites everything with what stands on the ports.
//
// Latency: 0 from the counters.
module rsm_aes_serial_bit_control (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic clear_i,
  output logic idle_o,
  input  logic in_valid_i,
  output logic out_valid_o,
  // Of the pass: the block and its key are being given.
  output logic load_o,
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
  output logic constant_o  // A bit of the round constant.
);

  logic [2:0] bit_q;
  logic [3:0] byte_q, round_q;
  logic       clearing_q;
  logic       special, last, start, go, turn, restart;

  // Passes 0, 9 and 10.
  assign special = round_q[3];
  assign load_o  = special && !round_q[2];
  assign last    = special && round_q[2] && !round_q[0];

  assign start   = byte_q == 4'd0 && bit_q == 3'd0;
  assign turn    = byte_q == 4'd15 && bit_q == 3'd7;
  assign restart = !rst_ni || clear_i;

  assign idle_o      = load_o && start && !clearing_q;
  assign go          = in_valid_i || !idle_o;
  assign out_valid_o = last && byte_q == 4'd0 && bit_q == 3'd1 && !clearing_q;

  always_ff @(posedge clk_i) begin
    // Only the lowest bit has to wait: the others are zero at the beginning of a pass.
    bit_q  <= {bit_q[2:1] + {1'b0, bit_q[0]}, !bit_q[0] && go};
    byte_q <= byte_q + 4'(bit_q == 3'd7);
    if (turn) round_q <= last ? 4'd8 : round_q - 4'd1;
    if (restart) begin
      bit_q   <= 3'd0;
      byte_q  <= 4'd0;
      round_q <= 4'd8;
    end

    if (!rst_ni) clearing_q <= 1'b0;
    else         clearing_q <= clear_i || (clearing_q && !(turn && last));
  end

  assign sub_o    = bit_q == 3'd0;
  assign lsb_o    = bit_q == 3'd7;
  assign reduce_o = bit_q inside {3'd3, 3'd4, 3'd6, 3'd7};

  assign swap4_o = byte_q inside {4'd0, 4'd6, 4'd8, 4'd10, 4'd12, 4'd14};
  assign swap8_o = byte_q inside {4'd0, 4'd3, 4'd4, 4'd15};
  assign mix_o   = byte_q[1:0] == 2'd0 && !last;

  // In any cycle but that of the state.
  assign key_sub_o = bit_q == 3'd3 && byte_q inside {4'd14, 4'd15, 4'd0, 4'd1};
  assign ahead_o   = byte_q == 4'd12;
  assign behind_o  = byte_q == 4'd15;
  assign chain_o   = byte_q[3:2] != 2'd0;

  always_comb begin
    if (!special)        constant_o = bit_q == round_q[2:0];
    else if (round_q[0]) constant_o = bit_q inside {3'd3, 3'd4, 3'd6, 3'd7};  // 1b
    else                 constant_o = bit_q inside {3'd2, 3'd3, 3'd5, 3'd6};  // 36
    if (byte_q != 4'd0) constant_o = 1'b0;
  end

endmodule
