// SPDX-License-Identifier: Apache-2.0
//
// The folded architecture for keys of 192 and 256 bits, or of several lengths: one or two columns
// of the state a cycle (Satoh 2001, sections 3 and 5, Fig. 2, 8), with the key schedule on the fly
// in both directions from one line of round keys.
//
// Time goes in laps, one for each round key: 4/Columns cycles, and one more in front of them where
// the key schedule borrows the S-boxes of the data path. The line moves on in an idle core, too. A
// lap goes one round key up or down; turning round costs nothing, as the line still has the key of
// two laps ago. A block starts in the lap of the first round key, or to be decrypted in that of the
// last one. An idle core goes to the end from which the direction at `in_decrypt_i` starts, valid
// or not; there it goes to and fro, so that a block can start in one of two laps. A key can start
// in the laps of all other round keys, but where a block is offered only after it could have
// started. With StartKept a second line keeps the two round keys with which a block started; an
// idle core then stays at the end at which the block left it, and the next one, whatever its
// direction, starts there: in the lap of its first round key, or with the words of the second line.
//
// With R rounds and laps of L cycles, L = 4/Columns + (borrowed ? 1 : 0):
//
//   latency     4/Columns + R * L: with 256-bit keys 74, 60, 44, 30 cycles
//   interval    (R + 2) * L where the direction changes, or with StartKept; else 2 * R * L
//   new key     2 * L, for decryption (R + 2) * L
//   clear       3 * L
//
// With ChannelWithBlock (encryption only) no key is looked for: the interval is the latency, and a
// block can start in one of 4/Columns cycles. Where one column enters in a cycle, 192-bit keys are
// built in and S-boxes are borrowed, these would have to substitute the sixth word of a key before
// it is there. All that comes with a block waits a cycle in front of the core then: the latency is
// one more, and a block can start in every cycle.
//
// Latency: 4/Columns + R * L, or one more. `idle_o` does not wait for the last beats of a result.
// While `out_valid_o` is low and no frame is under way, `out_block_o` shows intermediate values.
module rsm_aes_folded_long
  import rsm_aes_pkg::*;
  import rsm_aes_folded_pkg::*;
#(
  parameter int unsigned Columns   = 1,
  parameter key_sboxes_e KeySboxes = KeySboxesBorrowed,
  parameter direction_e  Direction = DirectionBoth,
  parameter sbox_e       Sbox      = SboxCells,
  parameter linear_e     Linear    = LinearMinimal,
  parameter inverse_e    Inverse   = InverseReordered,
  parameter rows_e       Rows      = RowsTapped,
  parameter key_start_e  KeyStart  = StartWalked,
  parameter channel_e    Channel   = ChannelHeld,
  parameter lengths_t    Lengths   = 3'b100,
  parameter int unsigned TagWidth  = 1,
  localparam int unsigned Width    = 32 * Columns
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  output logic                idle_o,
  input  logic                key_valid_i,
  output logic                key_ready_o,
  input  logic [Width-1:0]    key_i,
  input  length_t             key_len_i,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic [Width-1:0]    in_block_i,
  input  logic [Width-1:0]    in_key_i,
  input  length_t             in_len_i,
  input  logic                in_decrypt_i,
  input  logic [TagWidth-1:0] in_tag_i,
  output logic                out_valid_o,
  output logic [Width-1:0]    out_block_o,
  output logic [TagWidth-1:0] out_tag_o
);

  localparam bit         WithBlock = Channel == ChannelWithBlock;
  localparam bit         Kept      = KeyStart == StartKept;
  localparam bit         Borrowed  = KeySboxes == KeySboxesBorrowed;
  localparam bit         Several   = Lengths != 3'b001 && Lengths != 3'b010 && Lengths != 3'b100;
  localparam logic [1:0] LastCount = (Columns == 1) ? 2'd3 : 2'd1;
  // The sixth word of a key would come too late.
  localparam bit         Late      = WithBlock && Borrowed && Columns == 1 && Lengths[1];

  if (Columns != 1 && Columns != 2) begin : gen_columns
    $error("rsm_aes_folded_long: a folded core takes one or two columns a cycle");
  end

  if (Lengths == 3'b000) begin : gen_lengths
    $error("rsm_aes_folded_long: Lengths names no key length");
  end

  if (WithBlock != (Direction == DirectionForward)) begin : gen_channel
    $error("rsm_aes_folded_long: keys come with blocks in encryption only, and always there");
  end

  if (WithBlock && KeyStart != StartWalked) begin : gen_none_kept
    $error("rsm_aes_folded_long: a key that comes with its block is not kept");
  end

  if (!WithBlock && Channel != ChannelHeld) begin : gen_no_channel
    $error("rsm_aes_folded_long: Channel must be ChannelHeld or ChannelWithBlock");
  end

  if (sbox_latency(Sbox, '0) != 0) begin : gen_sbox
    $error("rsm_aes_folded_long: the S-boxes must answer in the same cycle");
  end

  // --- Control ----------------------------------------------------------------------------------

  logic       busy_q, inverse_q, taking_q, keyed_q, done_q, clearing_q;
  // The place in a lap, and the round key of the lap.
  logic       pause_q;
  logic [1:0] count_q;
  logic [3:0] round_q, round_d;
  // This lap is one down; it computes its round key; it is the first of round key 1 after a key.
  logic       down_q, compute_q, fresh_q;
  // When this lap began, no block was offered, or the lap before was where it starts.
  logic       free_q;
  // The second line has a key, with which the block in work started; this is its second lap.
  logic       kept_q, other_q, second_q;

  logic       accept, enter, key_accept, quiet, first_slot, last_slot, turning;
  logic       wanted, inverse, up, down, starting, ending, at_zero, at_last;
  logic       load, run, take, there, other;
  logic [3:0] rounds;
  length_t    length;

  // The direction at the port, and of the block in work.
  assign wanted  = (Direction == DirectionBoth) ? in_decrypt_i : (Direction == DirectionInverse);
  assign inverse = (Direction == DirectionBoth) ? inverse_q : (Direction == DirectionInverse);

  assign quiet      = ~busy_q & ~taking_q & ~clearing_q;
  assign first_slot = ~pause_q & (count_q == 2'd0);
  assign last_slot  = ~pause_q & (count_q == LastCount);
  assign at_zero    = (round_q == 4'd0);
  assign at_last    = (round_q == rounds);

  // A block is taken at the port; its beat 0 enters the core.
  assign accept     = in_valid_i & in_ready_o;
  assign key_accept = key_valid_i & key_ready_o;

  // Whether a block can start in this lap; with the words of the second line, if not with these.
  assign other = wanted ? ~at_last : ~at_zero;
  assign there = ~other | (kept_q & (at_last | at_zero));

  // Whether the round key of this lap is that with which the block starts, or ends.
  assign starting = inverse ? at_last : at_zero;
  assign ending   = inverse ? at_zero : at_last;
  assign turning  = busy_q & ending & last_slot;

  assign load = ~clearing_q & (~busy_q | starting);
  assign run  = busy_q & ~starting;

  if (WithBlock) begin : gen_with_block
    // The words of a key that are left for the lap behind the first one.
    logic [1:0] rest;

    assign in_ready_o  = quiet & (Late ? ~enter : first_slot);
    assign key_ready_o = 1'b0;
    assign up          = 1'b1;
    assign down        = 1'b0;
    assign rest        = (length == 2'd2) ? LastCount : 2'(2 / Columns - 1);
    assign take        = at_zero
                       | ((round_q == 4'd1) & (length != 2'd0) & (count_q <= rest));
    assign round_d     = ((busy_q & ~ending) | (clearing_q & (round_q != 4'd2)))
                       ? round_q + 4'd1 : 4'd0;
  end else begin : gen_held
    assign in_ready_o  = quiet & keyed_q & first_slot & there;
    assign key_ready_o = quiet & first_slot & ~at_zero & ~at_last & (free_q | ~keyed_q);
    // With a key in the second line an idle core stays at its end of the schedule.
    assign up          = clearing_q
                       | (taking_q ? at_zero : busy_q ? ~inverse : kept_q ? |round_q[3:1] : wanted);
    assign down        = at_last | (~at_zero & ~up);
    assign take        = Kept & (busy_q ? other_q & (starting | second_q) : accept & other);
    assign round_d     = round_q + {{3{down}}, 1'b1};
  end

  always_ff @(posedge clk_i) begin
    done_q  <= turning;
    busy_q  <= enter | (busy_q & ~turning);
    keyed_q <= key_accept | keyed_q;
    // A key takes two laps, as round keys 0 and 1.
    taking_q   <= key_accept | (taking_q & ~(last_slot & ~at_zero));
    fresh_q    <= (taking_q & last_slot & ~at_zero)
                | (fresh_q & ~(last_slot & ~at_zero));
    clearing_q <= clearing_q & ~(last_slot & (round_q == 4'd2));
    pause_q    <= Borrowed & last_slot & (~WithBlock | (busy_q & ~ending) | clearing_q);
    if (!pause_q) count_q <= (Late && accept) ? 2'd0 : (count_q + 2'd1) & LastCount;
    if (key_accept) round_q <= 4'd0;
    else if (Kept && accept) round_q <= wanted ? rounds : 4'd0;
    else if (last_slot) round_q <= round_d;
    if (key_accept) down_q <= 1'b0;
    else if (last_slot) down_q <= down;
    if (last_slot) compute_q <= (down == down_q);
    if (last_slot) free_q <= ~in_valid_i | there;
    kept_q <= Kept & (accept | (kept_q & ~key_accept));
    if (accept) other_q <= Kept & other;
    if (last_slot) second_q <= Kept & busy_q & starting;
    if (!rst_ni || clear_i) begin
      done_q     <= 1'b0;
      busy_q     <= 1'b0;
      taking_q   <= 1'b0;
      keyed_q    <= 1'b0;
      fresh_q    <= 1'b0;
      kept_q     <= 1'b0;
      other_q    <= 1'b0;
      second_q   <= 1'b0;
      clearing_q <= rst_ni;
      pause_q    <= Borrowed;
      count_q    <= '0;
      round_q    <= '0;
    end
  end

  always_ff @(posedge clk_i) if (!busy_q) inverse_q <= in_decrypt_i;

  assign idle_o      = quiet & ~done_q & ~(Late & enter);
  assign out_valid_o = done_q;

  // --- What comes with a block ------------------------------------------------------------------

  logic [Width-1:0]    block, block_key;
  length_t             block_length;
  logic [TagWidth-1:0] tag, tag_q;

  if (Late) begin : gen_late
    logic                enter_q;
    logic [Width-1:0]    block_q, key_q;
    length_t             length_q;
    logic [TagWidth-1:0] entered_q;

    always_ff @(posedge clk_i) begin
      enter_q   <= accept & rst_ni & ~clear_i;
      block_q   <= in_block_i & {Width{~clearing_q}};
      key_q     <= in_key_i & {Width{~clearing_q}};
      length_q  <= in_len_i;
      entered_q <= in_tag_i;
    end

    assign {enter, block, block_key, block_length, tag} =
        {enter_q, block_q, key_q, length_q, entered_q};
  end else begin : gen_at_once
    assign {enter, block, block_key, block_length, tag} =
        {accept, in_block_i, in_key_i, in_len_i, in_tag_i};
  end

  always_ff @(posedge clk_i) if (!busy_q) tag_q <= tag;

  // The tag is overwritten at the edge that ends the first beat of the result.
  assign out_tag_o = tag_q;

  if (Several) begin : gen_several
    length_t length_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) length_q <= '0;
      else if (WithBlock ? enter : key_accept) length_q <= WithBlock ? block_length : key_len_i;
    end

    // With its block, the length of a key stands at the port for a cycle.
    assign length = length_q;
  end else begin : gen_one_length
    assign length = Lengths[0] ? 2'd0 : Lengths[1] ? 2'd1 : 2'd2;
  end

  assign rounds = (length == 2'd0) ? 4'd10 : (length == 2'd1) ? 4'd12 : 4'd14;

  // --- The data path ----------------------------------------------------------------------------

  logic [Width-1:0] key, words;
  word_t            word, subword;

  rsm_aes_folded_path #(
    .Columns   (Columns),
    .KeySboxes (KeySboxes),
    .Direction (Direction),
    .Sbox      (Sbox),
    .Linear    (Linear),
    .Inverse   (Inverse),
    .Rows      (Rows)
  ) u_path (
    .clk_i,
    .clear_i,
    .inverse_i  (inverse),
    .load_i     (load),
    .run_i      (run),
    .pause_i    (pause_q),
    .turn_i     (busy_q & last_slot & ~ending),
    .count_i    (count_q),
    .mix_i      (run & ~ending),
    .key_on_i   (~clearing_q),
    .in_block_i (block),
    .key_i      (key),
    .out_block_o,
    .step_i     (pause_q),
    .word_i     (word),
    .subword_o  (subword)
  );

  // --- The key schedule -------------------------------------------------------------------------

  if (WithBlock && Borrowed) begin : gen_early_words
    // Words behind the first four come while the lap in which they are due pauses. The last two
    // of a 192-bit key are at the port in this pause.
    logic [Width-1:0] early_q;

    always_ff @(posedge clk_i) early_q <= block_key & {Width{~clearing_q}};

    assign words = (Lengths[1] & pause_q) ? in_key_i : at_zero ? block_key : early_q;
  end else if (WithBlock) begin : gen_in_time
    assign words = in_key_i;
  end else if (Kept) begin : gen_kept
    // Words go round in two laps, as an idle core does; blocks have an even number of rounds.
    localparam int unsigned Places = 2 * (4 / Columns + (Borrowed ? 1 : 0));

    logic [Places-1:0][Width-1:0] place_q;
    logic [Width-1:0]             entered;
    logic                         store;

    assign store   = busy_q ? ~other_q & (starting | second_q) : accept & ~other;
    assign entered = (store ? key : words) & {Width{~clearing_q}};
    assign words   = place_q[0];

    always_ff @(posedge clk_i) place_q <= {entered, place_q[Places-1:1]};
  end else begin : gen_not_kept
    assign words = '0;
  end

  rsm_aes_folded_line #(
    .Columns (Columns),
    .Pause   (Borrowed),
    .Direct  (WithBlock),
    .Lengths (Lengths)
  ) u_key (
    .clk_i,
    .load_i    (key_accept | taking_q),
    .keep_i    (~(key_accept | taking_q | clearing_q)),
    .take_i    (take),
    .pause_i   (pause_q),
    .compute_i (WithBlock | compute_q),
    .fresh_i   (~WithBlock & fresh_q & ~at_zero),
    .inverse_i (WithBlock ? 1'b0 : down_q),
    .length_i  (length),
    .round_i   (round_q),
    .slot_i    (count_q),
    .key_i,
    .words_i   (words),
    .word_o    (word),
    .subword_i (subword),
    .key_o     (key)
  );

  logic unused;

  assign unused = ^{key_len_i, block_length, block_key, in_key_i, key_i, key_valid_i, inverse_q,
                    keyed_q, up, free_q, taking_q, fresh_q, compute_q, down_q, other_q, second_q};

endmodule
