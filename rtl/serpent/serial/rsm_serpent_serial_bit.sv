// SPDX-License-Identifier: Apache-2.0
//
// Serpent encryption, one bit a cycle, data and key through one S-box: as few gates as possible.
//
// The words of the key schedule follow each other as one stream of bits, w[i] in period i of 32
// cycles, its least significant bit first. The rotation by 11 is a choice between two sets of taps,
// so the stream needs no register but its own. The four words of the state go round all the time,
// 32 cycles a turn, so none needs a multiplexer to keep its value. A round takes four periods:
//
//   period 4r      S-box r - 1 mod 8 of every bit of the four words
//   period 4r + 1  X1 and X3, then
//   period 4r + 2  X0 and X2 get sums of the two others, and at its end all words are rotated
//   period 4r + 3  round key r is added: the S-box (3 - r) mod 8 of four bits of the stream, a
//                  word apart
//
// r = 0 has the last period only; r = 32 ends the cipher, without a linear transformation. The key
// comes in in periods -8 to -1 and the block in the first four of them; the result goes out in
// periods 132 to 135. All three pass registers that turn their bytes round, for the port has the
// most significant bit of a byte first.
//
// Native port, Width 1, flow `free`, key with the block; a frame of the key has the bits of the
// longest key. An idle core takes the next block at once, and no other does. A clear overwrites all
// with what stands on in_block_i and in_key_i in the 280 cycles that follow.
//
// Latency: 4496 cycles. Interval: 4625. Clear: 281.
module rsm_serpent_serial_bit
  import rsm_serpent_pkg::*;
#(
  parameter sbox_e       Sbox     = SboxTable,
  parameter lengths_t    Lengths  = 3'b100,
  parameter int unsigned TagWidth = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  output logic                idle_o,
  // There is no key channel.
  input  logic                key_valid_i,
  output logic                key_ready_o,
  input  logic                key_i,
  input  length_t             key_len_i,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic                in_block_i,
  input  logic                in_key_i,
  input  length_t             in_len_i,
  input  logic                in_decrypt_i,
  input  logic [TagWidth-1:0] in_tag_i,
  output logic                out_valid_o,
  output logic                out_block_o,
  output logic [TagWidth-1:0] out_tag_o
);

  // Cycle 0 of a block: bits turn for 8 cycles until period -8 begins.
  localparam logic [12:0] Start = 13'd7928;

  // --- Control ---------------------------------------------------------------------------------

  logic                busy_q, clearing_q;
  logic [12:0]         count_q;
  logic [7:0]          period;
  logic [4:0]          t;
  logic                accept, done;
  logic                loading, chain, first, last, running;
  logic                sub, mix_13, mix_02, add_key;
  logic [TagWidth-1:0] tag_q;

  assign {period, t} = count_q;
  assign key_ready_o = 1'b0;
  assign idle_o      = ~busy_q;
  assign in_ready_o  = ~busy_q;
  assign accept      = in_valid_i & ~busy_q;

  // Period 136, when the last bits have been turned round; of a clear, period 0.
  assign done = clearing_q ? ~period[7] & t[4] : period[7] & period[3] & ~period[6] & t[3];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q     <= 1'b0;
      clearing_q <= 1'b0;
      count_q    <= Start;
    end else if (clear_i) begin
      busy_q     <= 1'b1;
      clearing_q <= 1'b1;
      count_q    <= Start;
    end else begin
      busy_q     <= accept | (busy_q & ~done);
      clearing_q <= clearing_q & ~done;
      count_q    <= (accept || (busy_q && !done)) ? count_q + 13'd1 : Start;
    end
    if (accept) tag_q <= in_tag_i;
  end

  // Periods -8 to -1; of these, and of those behind the last, the first four.
  assign loading = period[7] & period[6];
  assign chain   = (loading & ~period[2]) | (period[7] & ~period[6] & period[2]);
  assign first   = period[7:2] == 6'd0;
  assign last    = period[7:2] == 6'd32;
  assign running = ~period[7] | last;
  assign sub     = running & ~first & (period[1:0] == 2'd0);
  assign mix_13  = running & ~first & ~last & (period[1:0] == 2'd1);
  assign mix_02  = running & ~first & ~last & (period[1:0] == 2'd2);
  assign add_key = running & (period[1:0] == 2'd3);

  // --- Bytes turned round ----------------------------------------------------------------------

  word_t x0, x1, x2, x3;
  logic  block_bit, key_bit;

  // The same registers serve the block and the result.
  rsm_serpent_serial_turn u_turn_block (
    .clk_i,
    .side_i (t[3]),
    .bit_i  ((period[7] & ~period[6]) ? x0[0] : in_block_i),
    .bit_o  (block_bit)
  );

  rsm_serpent_serial_turn u_turn_key (
    .clk_i,
    .side_i (t[3]),
    .bit_i  (in_key_i),
    .bit_o  (key_bit)
  );

  assign out_valid_o = busy_q & (period == 8'd132) & (t == 5'd8);
  assign out_block_o = block_bit;
  assign out_tag_o   = tag_q;

  // --- The key schedule ------------------------------------------------------------------------

  // stream_q[i] came i + 1 cycles ago.
  logic [266:0] stream_q;
  logic         early, word_bit, loaded_bit, phi;
  logic [4:0]   u;

  // Bit t of a word comes from bit u of the sum: of this period's words, or of those before.
  assign u     = t - 5'd11;
  assign early = t < 5'd11;
  assign phi   = Phi[u] ^ ((u[4:3] == 2'd0) & period[u[2:0]]);

  assign word_bit = phi ^ (early ? stream_q[234] ^ stream_q[138] ^ stream_q[74] ^ stream_q[10]
                                 : stream_q[266] ^ stream_q[170] ^ stream_q[106] ^ stream_q[42]);

  if (Lengths == 3'b100) begin : gen_256
    logic unused_length;

    assign loaded_bit    = key_bit;
    assign unused_length = ^in_len_i;
  end else begin : gen_padded
    length_t length_q, length;
    logic    behind, one;

    always_ff @(posedge clk_i) begin
      if (accept) length_q <= in_len_i;
    end

    assign length     = ($countones(Lengths) > 1) ? length_q : Lengths[1] ? 2'd1 : 2'd0;
    assign behind     = period[2] & ((length == 2'd0) | (period[1] & (length == 2'd1)));
    assign one        = (t == 5'd0) & ~period[0] & (period[1] == (length == 2'd1));
    assign loaded_bit = behind ? one : key_bit;
  end

  always_ff @(posedge clk_i) begin
    stream_q <= {stream_q[265:0], loading ? loaded_bit : word_bit};
  end

  // --- The state -------------------------------------------------------------------------------

  logic [3:0] x, x_next, y;
  logic [3:0] sum;
  logic       jump;
  box_t       box;

  assign x   = {x3[0], x2[0], x1[0], x0[0]};
  assign box = add_key ? 3'd3 - period[4:2] : period[4:2] - 3'd1;

  rsm_serpent_sub #(
    .Sbox  (Sbox),
    .Width (1)
  ) u_sub (
    .box_i (box),
    .x_i   (add_key ? {word_bit, stream_q[31], stream_q[63], stream_q[95]} : x),
    .y_o   (y)
  );

  // What is added to each word in its period, of the others as they stand before all are rotated:
  // X0 by 13 and X2 by 3 in front of the sums, X1 by 1, X3 by 7, X0 by 5 and X2 by 22 behind them.
  assign sum[1] = mix_13 & (x0[19] ^ x2[29]);
  assign sum[3] = mix_13 & (x2[29] ^ (x0[16] & (t >= 5'd3)));
  assign sum[0] = mix_02 & (x1[12] ^ x3[6]);
  assign sum[2] = mix_02 & (x3[28] ^ (x1[27] & (t >= 5'd4) & (t <= 5'd28)));
  assign jump   = mix_02 & (t == 5'd31);

  assign x_next = chain ? {block_bit, x[3:1]}
                        : (x & {4{~sub}}) ^ (y & {4{sub | add_key}}) ^ sum;

  rsm_serpent_serial_word #(.Jump (18)) u_x0 (
    .clk_i,
    .jump_i (jump),
    .next_i (x_next[0]),
    .word_o (x0)
  );

  rsm_serpent_serial_word #(.Jump (1)) u_x1 (
    .clk_i,
    .jump_i (jump),
    .next_i (x_next[1]),
    .word_o (x1)
  );

  rsm_serpent_serial_word #(.Jump (25)) u_x2 (
    .clk_i,
    .jump_i (jump),
    .next_i (x_next[2]),
    .word_o (x2)
  );

  rsm_serpent_serial_word #(.Jump (7)) u_x3 (
    .clk_i,
    .jump_i (jump),
    .next_i (x_next[3]),
    .word_o (x3)
  );

  logic unused_signals;

  assign unused_signals = ^{key_valid_i, key_i, key_len_i, in_decrypt_i, x0, x1, x2, x3};

endmodule
