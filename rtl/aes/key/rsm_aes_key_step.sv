// SPDX-License-Identifier: Apache-2.0
//
// The part of a key step that comes after its four S-boxes (FIPS 197, 5.2; for 128 bits forwards
// the key round of Standaert 2003, Fig. 2). The S-boxes stand outside, so that they may be shared
// or have registers inside. `window_i` is what rsm_aes_key_word gives, and `subword_i` SubWord of
// its word; rsm_aes_key_travel tells what the windows are.
//
// Four words are new in every step, whatever the length: each is the sum of the one in its place
// and the one before it, which forwards is a new one too. SubWord takes part in the first of them
// and, with 192 bits, in the third.
//
//    128 bits, forwards (Standaert 2003, Fig. 2):
//
//    SubWord ^ constant --> ^ --> n0 --> ^ --> n1 --> ^ --> n2 --> ^ --> n3
//                          ^            ^            ^            ^
//                          w0           w1           w2           w3
//
// A word waits for the one before it. Shallow adds up in advance what is known already, for some
// more XORs: two levels of LUT4 instead of four, for 128 bits forwards.
//
// Latency: 0.
module rsm_aes_key_step
  import rsm_aes_pkg::*;
#(
  parameter direction_e Direction = DirectionForward,
  parameter lengths_t   Lengths   = 3'b001,
  parameter bit         Shallow   = 1'b0
) (
  input  logic                         inverse_i,
  input  length_t                      len_i,
  input  round_t                       step_i,
  input  logic [key_bits(Lengths)-1:0] window_i,
  input  word_t                        subword_i,
  output logic [key_bits(Lengths)-1:0] window_o
);

  localparam int unsigned KeyBits = key_bits(Lengths);

  logic  inverse;
  logic  is_192, is_256;
  logic  at_0, at_2;
  byte_t constant;
  word_t sum;
  word_t w0, w1, w2, x3, w4, w5, w6, w7;
  word_t n0, n1, n2, n3;

  // Words of the longest window; a shorter one leaves the last words zero.
  logic [255:0] words_in;

  // The round constant of each step (FIPS 197, 5.2). A step that is none has a known value all the
  // same: an empty slot must not carry an unknown one to the address of a memory.
  function automatic byte_t constant_128(round_t step);
    case (step)
      4'd1:    return 8'h01;
      4'd2:    return 8'h02;
      4'd3:    return 8'h04;
      4'd4:    return 8'h08;
      4'd5:    return 8'h10;
      4'd6:    return 8'h20;
      4'd7:    return 8'h40;
      4'd8:    return 8'h80;
      4'd9:    return 8'h1b;
      4'd10:   return 8'h36;
      default: return 8'h00;
    endcase
  endfunction

  // Either direction uses two steps of three: the first and the second of them forwards, the
  // first and the third backwards.
  function automatic byte_t constant_192(round_t step);
    case (step)
      4'd1:         return 8'h01;
      4'd2, 4'd3:   return 8'h02;
      4'd4:         return 8'h04;
      4'd5, 4'd6:   return 8'h08;
      4'd7:         return 8'h10;
      4'd8, 4'd9:   return 8'h20;
      4'd10:        return 8'h40;
      4'd11, 4'd12: return 8'h80;
      default:      return 8'h00;
    endcase
  endfunction

  function automatic byte_t constant_256(round_t step);
    case (step)
      4'd1, 4'd2:   return 8'h01;
      4'd3, 4'd4:   return 8'h02;
      4'd5, 4'd6:   return 8'h04;
      4'd7, 4'd8:   return 8'h08;
      4'd9, 4'd10:  return 8'h10;
      4'd11, 4'd12: return 8'h20;
      4'd13, 4'd14: return 8'h40;
      default:      return 8'h00;
    endcase
  endfunction

  // A direction or a length that is the only one is a constant here, which removes the logic of the
  // others.
  assign inverse = (Direction == DirectionBoth) ? inverse_i : (Direction == DirectionInverse);
  assign is_192  = Lengths[1] & (len_i[0] | (Lengths == 3'b010));
  assign is_256  = Lengths[2] & (len_i[1] | (Lengths == 3'b100));

  always_comb begin
    words_in                 = '0;
    words_in[255 -: KeyBits] = window_i;
  end

  assign {w0, w1, w2, x3, w4, w5, w6, w7} = words_in;

  always_comb begin
    // The constant counts steps of Nk words in the standard, but steps of four words here. So with
    // 192 bits two of three steps have one, with 256 bits every other step.
    constant = constant_128(step_i);
    if (is_192)      constant = constant_192(step_i);
    else if (is_256) constant = constant_256(step_i) & {8{step_i[0] ^ inverse}};
  end

  // The round constant touches the first byte of the word only.
  assign sum = subword_i ^ {constant, 24'h0};

  // Where SubWord takes part. Step 14 of 256 bits leaves it out where decryption is built in: its
  // new words are in no schedule, and so they keep those before them.
  always_comb begin
    at_0 = 1'b1;
    at_2 = 1'b0;
    // Nk = 6: multiples of six are word 0 of one step, word 2 of the next, and none of the third.
    if (is_192) begin
      case (step_i)
        4'd1, 4'd4, 4'd7, 4'd10: begin
          at_0 = ~inverse;
          at_2 = inverse;
        end
        4'd2, 4'd5, 4'd8, 4'd11: begin
          at_0 = 1'b0;
          at_2 = ~inverse;
        end
        default: at_0 = inverse;
      endcase
    end else if (is_256 && Direction != DirectionForward) begin
      at_0 = inverse | (step_i != 4'd14);
    end
  end

  // Words of their own, not one array: to Verilator an array that feeds itself is a loop.
  assign n0 = w0 ^ (at_0 ? sum : w5 & {32{is_192}});
  // Forwards the word before is a new one, backwards an old one of the window.
  assign n1 = w1 ^ (inverse ? w0 : n0);

  if (Shallow && Direction == DirectionForward && Lengths == 3'b001) begin : gen_shallow
    logic unused_at_2;

    // n2 = w2 ^ n1 = w2 ^ w1 ^ n0: what does not wait for SubWord is added first.
    assign n2          = (w2 ^ w1) ^ n0;
    assign n3          = (x3 ^ w2 ^ w1) ^ n0;
    assign unused_at_2 = at_2;
  end else begin : gen_chain
    // The chain of the standard: fewer gates, but each word waits for the one before it.
    assign n2 = w2 ^ (at_2 ? sum : inverse ? w1 : n1);
    // Backwards, rsm_aes_key_word has made word 3 already: `x3` is the result.
    assign n3 = x3 ^ (n2 & {32{~inverse}});
  end

  if (Lengths == 3'b001) begin : gen_128
    assign window_o = {n0, n1, n2, n3};
  end else begin : gen_longer
    logic  is_128;
    logic  turned;
    word_t y0, y1, y2, y3, y4, y5;

    logic [255:0] words_out;

    // With several lengths built in, the four new words go to different places of the window.
    assign is_128 = Lengths[0] & ~is_192 & ~is_256;
    assign turned = is_192 & inverse;

    // The words that are not new move to the front; with 192 bits and backwards, two move back.
    always_comb begin
      {y0, y1} = {w4, w5};
      {y2, y3} = {w6, w7};
      {y4, y5} = (is_192 & ~inverse) ? {n2, n3} : {n0, n1};
      if (is_128) begin
        {y0, y1} = {n0, n1};
        {y2, y3} = {n2, n3};
      end else if (turned) begin
        {y0, y1} = {n2, n3};
        {y2, y3} = {w4, w5};
      end else if (is_192) begin
        {y2, y3} = {n0, n1};
      end
    end

    assign words_out = {y0, y1, y2, y3, y4, y5, n2, n3};
    assign window_o  = words_out[255 -: KeyBits];

    logic unused_words;

    assign unused_words = ^words_out;
  end

  logic unused;

  assign unused = ^{inverse_i, len_i, w4, w5, w6, w7};

endmodule
