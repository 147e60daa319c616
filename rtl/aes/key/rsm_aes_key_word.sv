// SPDX-License-Identifier: Apache-2.0
//
// The part of a key step that comes before its four S-boxes (FIPS 197, 5.2): the word that enters
// them, RotWord done. rsm_aes_key_travel tells what the windows are.
//
// Backwards, the S-boxes of a 128-bit key wait for word 3 of the step before. That word is done
// here already: `window_o` is the window with it in its place, and rsm_aes_key_step goes on from
// there. Forwards it is the window itself.
//
//    128 bits, forwards:   w3 ---------------> RotWord --> S-boxes
//    128 bits, backwards:  w3 ^ w2 ----------> RotWord --> S-boxes
//    192 bits, forwards:   w5, or w1 ^ w0 ^ w5, a word that this very step makes
//    256 bits:             w7 ---------------> RotWord in every other step
//
// Latency: 0.
module rsm_aes_key_word
  import rsm_aes_pkg::*;
#(
  parameter direction_e Direction = DirectionForward,
  parameter lengths_t   Lengths   = 3'b001
) (
  input  logic                         inverse_i,
  input  length_t                      len_i,
  input  round_t                       step_i,
  input  logic [key_bits(Lengths)-1:0] window_i,
  output word_t                        word_o,
  output logic [key_bits(Lengths)-1:0] window_o
);

  localparam int unsigned KeyBits = key_bits(Lengths);

  logic  inverse;
  logic  is_192, is_256;
  logic  from_1;
  logic  rotate;
  word_t w0, w1, w2, w3, w4, w5, w6, w7;
  word_t x3;
  word_t word;

  logic [255:0] words_in, words_out;

  assign inverse = (Direction == DirectionBoth) ? inverse_i : (Direction == DirectionInverse);
  assign is_192  = Lengths[1] & (len_i[0] | (Lengths == 3'b010));
  assign is_256  = Lengths[2] & (len_i[1] | (Lengths == 3'b100));

  always_comb begin
    words_in                 = '0;
    words_in[255 -: KeyBits] = window_i;
  end

  assign {w0, w1, w2, w3, w4, w5, w6, w7} = words_in;

  // w[i] = w[i-4] ^ w[i-1] for a word without SubWord, so w[i-4] = w[i] ^ w[i-1]: backwards, a sum
  // of two words of the window.
  assign x3 = w3 ^ (w2 & {32{inverse}});

  // With 192 bits one of two words enters in two steps of three, and none in the third.
  always_comb begin
    case (step_i)
      4'd2, 4'd5, 4'd8, 4'd11: from_1 = ~inverse;
      4'd1, 4'd4, 4'd7, 4'd10: from_1 = inverse;
      default:                 from_1 = 1'b0;
    endcase
  end

  always_comb begin
    // Of the words of the window, the one that FIPS 197, 5.2, calls `temp` at i mod Nk = 0, and for
    // 256 bits at i mod 8 = 4 as well.
    word = x3;
    if (is_256)      word = w7;
    else if (is_192) word = from_1 ? w1 ^ ((w0 ^ w5) & {32{~inverse}}) : w5;
  end

  // With 256 bits, RotWord is in every other step.
  // FIPS 197, Fig. 11: at i mod 8 = 4 there is SubWord alone.
  assign rotate = ~is_256 | (step_i[0] ^ inverse);
  assign word_o = rotate ? {word[23:0], word[31:24]} : word;

  assign words_out = {w0, w1, w2, x3, w4, w5, w6, w7};
  assign window_o  = words_out[255 -: KeyBits];

  // Some parameters leave inputs without a reader.
  logic unused;

  assign unused = ^{inverse_i, len_i, step_i, words_out};

endmodule
