// SPDX-License-Identifier: Apache-2.0
//
// The key schedule of a folded core for keys of any length, in both directions, word by word
// (FIPS 197, 5.2). The round keys of the last laps stand in a line; w[i] is the sum of w[i-Nk] and
// w[i-1], backwards of w[i+Nk] and w[i+Nk-1], and the line had each of them a known number of
// cycles ago. No register has an enable: the line moves in every cycle.
//
// A lap gives a round key at `key_o`, `Columns` words in each of the cycles that `slot_i` numbers,
// with Pause after a cycle `pause_i`, in which the S-boxes are there for the word at `word_o`; it
// comes back as `subword_i` and waits in the line for its turn. With `compute_i` a lap goes on
// from the laps before, forwards or with `inverse_i` backwards; otherwise it gives the round key of
// two laps ago once more, which turns round where the schedule goes.
//
// A new key enters in two laps with `load_i`. With Pause its words behind the fourth one come a
// cycle too early; `fresh_i` marks the lap, two laps after them, that puts them right, and computes
// what round key 1 has beyond the key.
//
// While `take_i` is high, the words at `words_i` are those of this lap; after two such laps the
// schedule goes on from there. With Direct, keys come with blocks in this way, and no lap is given
// again; with `pause_i` the last word at `words_i` is then the sixth one of a 192-bit key. With
// neither `load_i` nor `keep_i` zeros enter; they fill the line in three laps.
//
// Latency: 0.
module rsm_aes_folded_line
  import rsm_aes_pkg::*;
#(
  parameter int unsigned Columns = 1,
  parameter bit          Pause   = 1'b1,
  parameter bit          Direct  = 1'b0,
  parameter lengths_t    Lengths = 3'b100,
  localparam int unsigned Width  = 32 * Columns
) (
  input  logic             clk_i,
  input  logic             load_i,
  input  logic             keep_i,
  input  logic             take_i,
  input  logic             pause_i,
  input  logic             compute_i,
  input  logic             fresh_i,
  input  logic             inverse_i,
  input  length_t          length_i,
  input  logic [3:0]       round_i,
  input  logic [1:0]       slot_i,
  input  logic [Width-1:0] key_i,
  input  logic [Width-1:0] words_i,
  output word_t            word_o,
  input  word_t            subword_i,
  output logic [Width-1:0] key_o
);

  // Cycles of a lap; that of the third word.
  localparam int unsigned Lap   = 4 / Columns + (Pause ? 1 : 0);
  localparam int unsigned Third = 2 / Columns;

  // The oldest words that somebody asks for: forwards those of a sum, otherwise those of two laps
  // ago, and the ones before them.
  localparam int unsigned Forward = Lengths[2] ? 2 * Lap : Lengths[1] ? 2 * Lap - Third : Lap;
  localparam int unsigned Around  = 2 * Lap + ((Lengths[1] && Columns == 1) ? 3 : 1);
  localparam int unsigned Places  = Direct ? Forward : Around;

  // Place k has what was given k cycles ago.
  logic [Places:1][Width-1:0] line_q;

  // Where a substituted word is due in this lap, and what was done to it.
  logic  first, third, rotate;
  byte_t constant;

  length_t length;
  logic    is_128, is_192, is_256, at_first, late, backwards;

  assign length = (Lengths == 3'b001) ? 2'd0
                : (Lengths == 3'b010) ? 2'd1
                : (Lengths == 3'b100) ? 2'd2
                : length_i;

  assign is_128    = Lengths[0] & (length == 2'd0);
  assign is_192    = Lengths[1] & (length == 2'd1);
  assign is_256    = Lengths[2] & (length == 2'd2);
  assign at_first  = (slot_i == 2'd0);
  assign late      = (slot_i >= 2'(Third));
  assign backwards = ~Direct & inverse_i;

  // --- The words that a sum starts from ---------------------------------------------------------

  // Nobody asks for the places of other lengths, or of the way back in a core that has none; they
  // are place 1 then.
  localparam bit Has128 = Lengths[0];
  localparam bit Has192 = Lengths[1];
  localparam bit Turns  = !Direct;

  localparam int unsigned Two    = (Turns || Lengths[2]) ? 2 * Lap : 1;
  localparam int unsigned Beyond = Turns ? 2 * Lap + 1 : 1;

  // With 192-bit keys, words 0 and 1 of a round key are sums with words 2 and 3 of two keys ago,
  // words 2 and 3 with words 0 and 1 of one key ago; backwards it is the other way round.
  localparam int unsigned Near   = Has192 ? Lap + Third : 1;
  localparam int unsigned Far    = Has192 ? 2 * Lap - Third : 1;
  localparam int unsigned Back   = (Has192 && Turns) ? Lap - Third : 1;
  localparam int unsigned Farter = (Has192 && Turns) ? 2 * Lap + Third : 1;

  logic [Width-1:0] from;

  assign from = is_128    ? line_q[Has128 ? Lap : 1]
              : is_256    ? line_q[Two]
              : backwards ? (late ? line_q[Farter] : line_q[Back])
              : late      ? line_q[Near]
                          : line_q[Far];

  // --- The word before them ---------------------------------------------------------------------

  // Before the first word it is behind the pause, if it did not pass the S-boxes there.
  localparam int unsigned Passed = (Has192 && Pause) ? 2 : 1;

  // The last word of the key that is computed, for the S-boxes; backwards it is a sum as well.
  word_t last, back_192, previous;

  if (Columns == 1) begin : gen_column
    localparam int unsigned Oldest = (Has192 && Turns) ? 2 * Lap + 3 : 1;
    localparam int unsigned Older  = (Has192 && Turns) ? Lap - 1 : 1;

    assign last     = line_q[1] ^ (line_q[2] & {32{is_128 & backwards}});
    assign back_192 = (slot_i == 2'd3) ? line_q[Oldest] : line_q[Older];
  end else begin : gen_columns
    assign last     = line_q[1][31:0] ^ (line_q[1][Width-1 -: 32] & {32{is_128 & backwards}});
    assign back_192 = line_q[Has192 ? Lap : 1][31:0];
  end

  assign previous = (~Pause & at_first & ~is_192) ? last
                  : (backwards & is_192) ? back_192
                  : (backwards & is_256) ? line_q[Beyond][31:0]
                  : backwards            ? line_q[(Has128 && Turns) ? Lap + 1 : 1][31:0]
                  : (at_first & is_192)  ? line_q[Passed][31:0]
                                         : line_q[1][31:0];

  // --- The word that passes the S-boxes ---------------------------------------------------------

  word_t word, sum;
  logic  substituted;

  rsm_aes_folded_steps #(
    .Lengths (Lengths)
  ) u_steps (
    .length_i   (length),
    .round_i,
    .inverse_i  (backwards),
    .first_o    (first),
    .third_o    (third),
    .rotate_o   (rotate),
    .constant_o (constant)
  );

  if (Pause) begin : gen_asked
    // Before the first word as ever; before the third word the second one, which is given only
    // later: a sum of three forwards, and as it came in a new key.
    localparam int unsigned New   = (Has192 && Turns) ? 2 * Lap - 2 + Columns : 1;
    localparam int unsigned Other = (Has192 && Turns) ? Lap - 3 + Columns : 1;

    word_t base, pair, given;
    logic  new_key;

    assign new_key = Direct ? take_i : fresh_i;
    assign given   = Direct ? words_i[31:0] : line_q[New][31:0];

    assign base = (is_192 & third & new_key)    ? given
                : (is_192 & ~third & backwards) ? line_q[Other][31:0]
                                                : last;

    if (Columns == 1) begin : gen_one
      assign pair = line_q[Has192 ? Far - 1 : 1] ^ line_q[Has192 ? Far - 2 : 1];
    end else begin : gen_two
      assign pair = line_q[Has192 ? Far - 1 : 1][63:32] ^ line_q[Has192 ? Far - 1 : 1][31:0];
    end

    assign word = base ^ (pair & {32{is_192 & third & ~new_key & ~backwards}});
  end else begin : gen_previous
    assign word = previous;
  end

  assign word_o      = rotate ? {word[23:0], word[31:24]} : word;
  assign sum         = subword_i ^ {constant, 24'h0};
  assign substituted = (first & at_first) | (third & (slot_i == 2'(Third)));

  // --- The words of this cycle ------------------------------------------------------------------

  logic [Width-1:0] start, added, entering;
  word_t            other;
  logic             compute;

  // A new key has round key 1, or half of it.
  assign compute = (compute_i | fresh_i) & ~(fresh_i & (is_256 | (is_192 & ~late)));

  if (Direct) begin : gen_direct
    assign start = from;
  end else begin : gen_around
    // Words that were given, or that came, two laps ago.
    assign start = compute ? from
                 : (Pause && fresh_i) ? line_q[2*Lap+1] : line_q[2*Lap];
  end

  if (Pause) begin : gen_waiting
    // A word that was substituted for the third one has waited for as long.
    assign other = (Lengths[1] && substituted && !at_first) ? line_q[Third+1][31:0]
                 : substituted ? line_q[1][31:0] : previous;
  end else begin : gen_own
    assign other = substituted ? sum : previous;
  end

  if (Columns == 1) begin : gen_one
    assign added = other;
  end else begin : gen_two
    word_t high;

    // The second word follows the first one, new or old.
    assign high  = start[Width-1 -: 32] ^ (other & {32{~backwards}});
    assign added = {other, high};
  end

  assign key_o    = take_i ? words_i : start ^ (added & {Width{compute}});
  assign entering = (key_i & {Width{load_i}})
                  | (key_o & {Width{keep_i & ~(Pause & pause_i)}})
                  | (Width'(sum) & {Width{keep_i & Pause & pause_i}});

  always_ff @(posedge clk_i) line_q <= {line_q[Places-1:1], entering};

  logic unused;

  assign unused = ^{take_i, pause_i, inverse_i, length_i, third, late, from, last, back_192};

endmodule
