// SPDX-License-Identifier: Apache-2.0
//
// The key register of a folded core, a ring of four words, and the step of its schedule in both
// directions (Satoh 2001, section 3.2, Fig. 2; FIPS 197, 5.2), for 128-bit keys.
//
// The ring turns by `Columns` words a cycle, and `key_o` are its first ones, the round key of the
// columns in work. With `step_i` all words become those of the next round key, or of the one before
// with `inverse_i`; they must stand in their places then, word 0 first. `word_o` goes through four
// S-boxes and comes back as `subword_i` in the same cycle. With Pause the ring stands still in a
// step; otherwise it turns as well, unless `still_i`, and `key_o` is already the new key.
//
// A new key enters at the end of the ring while `load_i` is high. While `other_i` is high, the
// words at `words_i` take the place of the first ones, for `key_o` and in the ring. With neither
// `load_i` nor `keep_i` zeros enter, and fill the ring in 4/Columns cycles.
//
// Latency: 0.
module rsm_aes_folded_key
  import rsm_aes_pkg::*;
#(
  parameter int unsigned Columns = 1,
  parameter bit          Pause   = 1'b1
) (
  input  logic                  clk_i,
  input  logic                  load_i,
  input  logic                  keep_i,
  input  logic                  step_i,
  input  logic                  still_i,
  input  logic                  inverse_i,
  input  logic                  other_i,
  input  logic [32*Columns-1:0] words_i,
  input  logic [32*Columns-1:0] key_i,
  input  byte_t                 constant_i,
  output word_t                 word_o,
  input  word_t                 subword_i,
  output logic [32*Columns-1:0] key_o
);

  word_t w0_q, w1_q, w2_q, w3_q;
  // Behind the step, and behind the turn.
  word_t w0, w1, w2, w3;
  word_t t0, t1, t2, t3;
  word_t last, sum;
  logic  still;

  logic [32*Columns-1:0] entered;

  // Backwards, the S-boxes wait for the last word of the key before.
  assign last   = w3_q ^ (w2_q & {32{inverse_i}});
  assign word_o = {last[23:0], last[31:24]};
  assign sum    = subword_i ^ {constant_i, 24'h0};

  // A word of the next key is the sum of the word in its place and the new one before it; of the
  // last key, the sum of that word and the old one before it.
  if (Pause) begin : gen_pause
    assign still = step_i;
    assign w0    = w0_q ^ sum;
    assign w1    = w1_q ^ (inverse_i ? w0_q : w0);
    assign w2    = w2_q ^ (inverse_i ? w1_q : w1);
    assign w3    = last ^ (w2 & {32{~inverse_i}});
    assign {t0, t1, t2, t3} = {w0_q, w1_q, w2_q, w3_q};
  end else begin : gen_on_the_way
    logic forward, backward;

    assign forward  = step_i & ~inverse_i;
    assign backward = step_i & inverse_i;
    assign still    = still_i;
    assign w0       = w0_q ^ (sum & {32{step_i}});
    assign w1       = w1_q ^ ((w0 & {32{forward}}) | (w0_q & {32{backward}}));
    assign w2       = w2_q ^ ((w1 & {32{forward}}) | (w1_q & {32{backward}}));
    assign w3       = w3_q ^ ((w2 & {32{forward}}) | (w2_q & {32{backward}}));
    assign {t0, t1, t2, t3} = {w0, w1, w2, w3};
  end

  if (Columns == 1) begin : gen_one
    assign key_o   = other_i ? words_i : t0;
    assign entered = (key_i & {32{load_i}}) | (key_o & {32{keep_i}});

    always_ff @(posedge clk_i) begin
      w0_q <= still ? w0 : t1;
      w1_q <= still ? w1 : t2;
      w2_q <= still ? w2 : t3;
      w3_q <= still ? w3 : entered;
    end
  end else begin : gen_two
    assign key_o   = other_i ? words_i : {t0, t1};
    assign entered = (key_i & {64{load_i}}) | (key_o & {64{keep_i}});

    always_ff @(posedge clk_i) begin
      w0_q <= still ? w0 : t2;
      w1_q <= still ? w1 : t3;
      w2_q <= still ? w2 : entered[63:32];
      w3_q <= still ? w3 : entered[31:0];
    end
  end

  logic unused;

  assign unused = step_i ^ still_i;

endmodule
