// SPDX-License-Identifier: Apache-2.0
//
// The control of the byte-serial encryption core: counters of the bytes of a pass and the passes of
// a block, and what follows from them.
//
// Pass 0 loads, passes 1 to 10 are the rounds. The counter of passes runs down from 8, so that its
// highest bit tells the passes whose round constant is a single one.
//
//   pass       0  1  2  3  4  5  6  7  8  9 10
//   round_q    8  7  6  5  4  3  2  1  0 15 14
//
// The counters stop at the beginning of pass 0 until a block comes. A clear starts there and lets
// one block's time go by: pass 0 overwrites everything with what stands on the ports.
//
// Latency: 0 from the counters.
module rsm_aes_serial_byte_control
  import rsm_aes_pkg::*;
(
  input  logic  clk_i,
  input  logic  rst_ni,
  input  logic  clear_i,
  output logic  idle_o,
  input  logic  in_valid_i,
  output logic  out_valid_o,
  // Of the pass: the block and its key are being given.
  output logic  load_o,
  // Of the state.
  output logic  swap4_o,    // Neighbours in a row change places.
  output logic  swap8_o,    // Bytes two columns apart change places.
  output logic  mix_o,      // A column goes through MixColumns.
  // Of the key.
  output logic  first_o,    // The first word gets what comes from the S-box.
  output logic  wrap_o,     // ... Its fourth byte.
  output byte_t constant_o  // The round constant, in the time of the first byte.
);

  logic [3:0] byte_q, round_q;
  logic       clearing_q;
  logic       special, last, go, turn;

  // Passes 0, 9 and 10.
  assign special = round_q[3];
  assign load_o  = special && !round_q[2];
  assign last    = special && round_q[2] && !round_q[0];

  assign turn        = byte_q == 4'd15;
  assign idle_o      = load_o && byte_q == 4'd0 && !clearing_q;
  assign go          = in_valid_i || !idle_o;
  assign out_valid_o = last && byte_q == 4'd1 && !clearing_q;

  always_ff @(posedge clk_i) begin
    // Only the lowest bit has to wait: the others are zero at the beginning of a pass.
    byte_q <= {byte_q[3:1] + {2'b00, byte_q[0]}, !byte_q[0] && go};
    if (turn) round_q <= last ? 4'd8 : round_q - 4'd1;
    if (!rst_ni || clear_i) begin
      byte_q  <= 4'd0;
      round_q <= 4'd8;
    end

    if (!rst_ni) clearing_q <= 1'b0;
    else         clearing_q <= clear_i || (clearing_q && !(turn && last));
  end

  assign swap4_o = byte_q inside {4'd0, 4'd6, 4'd8, 4'd10, 4'd12, 4'd14};
  assign swap8_o = byte_q inside {4'd0, 4'd3, 4'd4, 4'd15};
  assign mix_o   = byte_q[1:0] == 2'd0 && !last;

  assign first_o = byte_q[3:2] == 2'd0;
  // What it says in other words does not matter.
  assign wrap_o  = byte_q[1:0] == 2'd3;

  always_comb begin
    if (!special)        constant_o = 8'h80 >> round_q[2:0];
    else if (round_q[0]) constant_o = 8'h1b;
    else                 constant_o = 8'h36;
    if (byte_q != 4'd0) constant_o = 8'h00;
  end

endmodule
