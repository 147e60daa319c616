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
// started.
//
// With R rounds and laps of L cycles, L = 4/Columns + (borrowed ? 1 : 0):
//
//   latency     4/Columns + R * L: with 256-bit keys 74, 60, 44, 30 cycles
//   interval    (R + 2) * L where the direction changes, 2 * R * L where it stays
//   new key     2 * L, for decryption (R + 2) * L
//   clear       3 * L
//
// With ChannelWithBlock (encryption only) no key is looked for: the interval is the latency, and a
// block can start in one of 4/Columns cycles. 192-bit keys then need KeySboxesOwn, as borrowed ones
// would have to substitute the sixth word before it is there.
//
// Latency: 4/Columns + R * L. `idle_o` does not wait for the last beats of a result. While
// `out_valid_o` is low and no frame is under way, `out_block_o` shows intermediate values.
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
  localparam bit         Borrowed  = KeySboxes == KeySboxesBorrowed;
  localparam bit         Several   = Lengths != 3'b001 && Lengths != 3'b010 && Lengths != 3'b100;
  localparam logic [1:0] LastCount = (Columns == 1) ? 2'd3 : 2'd1;

  if (Columns != 1 && Columns != 2) begin : gen_columns
    $error("rsm_aes_folded_long: a folded core takes one or two columns a cycle");
  end

  if (Lengths == 3'b000) begin : gen_lengths
    $error("rsm_aes_folded_long: Lengths names no key length");
  end

  if (WithBlock != (Direction == DirectionForward)) begin : gen_channel
    $error("rsm_aes_folded_long: keys come with blocks in encryption only, and always there");
  end

  if (!WithBlock && Channel != ChannelHeld) begin : gen_no_channel
    $error("rsm_aes_folded_long: Channel must be ChannelHeld or ChannelWithBlock");
  end

  if (WithBlock && Borrowed && Lengths[1]) begin : gen_early
    $error("rsm_aes_folded_long: a 192-bit key with its block needs S-boxes of the schedule's own");
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

  logic       accept, key_accept, quiet, first_slot, last_slot, turning;
  logic       wanted, inverse, up, down, starting, ending, at_zero, at_last;
  logic       load, run, take;
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

  assign accept     = in_valid_i & in_ready_o;
  assign key_accept = key_valid_i & key_ready_o;

  // Whether the round key of this lap is that with which the block starts, or ends.
  assign starting = inverse ? at_last : at_zero;
  assign ending   = inverse ? at_zero : at_last;
  assign turning  = busy_q & ending & last_slot;

  assign load = ~clearing_q & (~busy_q | starting);
  assign run  = busy_q & ~starting;

  if (WithBlock) begin : gen_with_block
    // The words of a key that are left for the lap behind the first one.
    logic [1:0] rest;

    assign in_ready_o  = quiet & first_slot;
    assign key_ready_o = 1'b0;
    assign up          = 1'b1;
    assign down        = 1'b0;
    assign rest        = (length == 2'd2) ? LastCount : 2'(2 / Columns - 1);
    assign take        = at_zero
                       | ((round_q == 4'd1) & (length != 2'd0) & (count_q <= rest));
    assign round_d     = ((busy_q & ~ending) | (clearing_q & (round_q != 4'd2)))
                       ? round_q + 4'd1 : 4'd0;
  end else begin : gen_held
    assign in_ready_o  = quiet & keyed_q & first_slot & (wanted ? at_last : at_zero);
    assign key_ready_o = quiet & first_slot & ~at_zero & ~at_last & (free_q | ~keyed_q);
    assign up          = clearing_q | (taking_q ? at_zero : busy_q ? ~inverse : wanted);
    assign down        = at_last | (~at_zero & ~up);
    assign take        = 1'b0;
    assign round_d     = round_q + {{3{down}}, 1'b1};
  end

  always_ff @(posedge clk_i) begin
    done_q  <= turning;
    busy_q  <= accept | (busy_q & ~turning);
    keyed_q <= key_accept | keyed_q;
    // A key takes two laps, as round keys 0 and 1.
    taking_q   <= key_accept | (taking_q & ~(last_slot & ~at_zero));
    fresh_q    <= (taking_q & last_slot & ~at_zero)
                | (fresh_q & ~(last_slot & ~at_zero));
    clearing_q <= clearing_q & ~(last_slot & (round_q == 4'd2));
    pause_q    <= Borrowed & last_slot & (~WithBlock | (busy_q & ~ending) | clearing_q);
    if (!pause_q) count_q <= (count_q + 2'd1) & LastCount;
    if (key_accept) round_q <= 4'd0;
    else if (last_slot) round_q <= round_d;
    if (key_accept) down_q <= 1'b0;
    else if (last_slot) down_q <= down;
    if (last_slot) compute_q <= (down == down_q);
    if (last_slot) free_q <= ~in_valid_i | (wanted ? at_last : at_zero);
    if (!rst_ni || clear_i) begin
      done_q     <= 1'b0;
      busy_q     <= 1'b0;
      taking_q   <= 1'b0;
      keyed_q    <= 1'b0;
      fresh_q    <= 1'b0;
      clearing_q <= rst_ni;
      pause_q    <= Borrowed;
      count_q    <= '0;
      round_q    <= '0;
    end
  end

  always_ff @(posedge clk_i) if (!busy_q) inverse_q <= in_decrypt_i;

  assign idle_o      = quiet & ~done_q;
  assign out_valid_o = done_q;

  logic [TagWidth-1:0] tag_q;

  always_ff @(posedge clk_i) if (!busy_q) tag_q <= in_tag_i;

  // The tag is overwritten at the edge that ends the first beat of the result.
  assign out_tag_o = tag_q;

  if (Several) begin : gen_several
    length_t length_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) length_q <= '0;
      else if (WithBlock ? accept : key_accept) length_q <= WithBlock ? in_len_i : key_len_i;
    end

    // With its block, the length of a key stands at the port for a cycle.
    assign length = length_q;
  end else begin : gen_one_length
    assign length = Lengths[0] ? 2'd0 : Lengths[1] ? 2'd1 : 2'd2;
  end

  assign rounds = (length == 2'd0) ? 4'd10 : (length == 2'd1) ? 4'd12 : 4'd14;

  // --- The data path ----------------------------------------------------------------------------

  logic [Width-1:0] key, key_words;
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
    .inverse_i (inverse),
    .load_i    (load),
    .run_i     (run),
    .pause_i   (pause_q),
    .turn_i    (busy_q & last_slot & ~ending),
    .count_i   (count_q),
    .mix_i     (run & ~ending),
    .key_on_i  (~clearing_q),
    .in_block_i,
    .key_i     (key),
    .out_block_o,
    .step_i    (pause_q),
    .word_i    (word),
    .subword_o (subword)
  );

  // --- The key schedule -------------------------------------------------------------------------

  if (WithBlock && Borrowed) begin : gen_early_words
    // Words behind the first four come while the lap in which they are due pauses.
    logic [Width-1:0] early_q;

    always_ff @(posedge clk_i) early_q <= in_key_i & {Width{~clearing_q}};

    assign key_words = at_zero ? in_key_i : early_q;
  end else begin : gen_in_time
    assign key_words = WithBlock ? in_key_i : key_i;
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
    .key_i     (key_words),
    .word_o    (word),
    .subword_i (subword),
    .key_o     (key)
  );

  logic unused;

  assign unused = ^{key_len_i, in_len_i, in_key_i, key_i, key_valid_i, inverse_q, keyed_q, up,
                    free_q, taking_q, fresh_q, compute_q, down_q};

endmodule
