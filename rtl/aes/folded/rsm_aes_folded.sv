// SPDX-License-Identifier: Apache-2.0
//
// The folded architecture: one or two columns of the state a cycle, with the key schedule on the
// fly in both directions from one 128-bit register (Satoh 2001, sections 3 and 5, Fig. 2, 3, 8).
//
// A round takes 4/Columns cycles, and one more in front of them where the key schedule borrows the
// S-boxes of the data path. The key is added to a block as it enters. No register has an enable:
// the columns of the state and the words of the key move in every cycle, also in an idle core, and
// a frame starts in a cycle in which the key stands in its place.
//
// After an encryption the register holds the last round key, with which decryption starts, and the
// other way round. With StartWalked, and for the first block of a key, an idle core takes the key
// to the end from which the direction at `in_decrypt_i` starts, valid or not, in 10 cycles;
// `in_ready_o` is low until it is there. With StartKept a second register has the other end.
//
//   Columns  KeySboxes  S-boxes  latency  Satoh's Table 4
//      1     borrowed      4        54    5 cycles a round
//      1     own           8        44    4
//      2     borrowed      8        32    3
//      2     own          12        22    2
//
// Latency: 4/Columns + 10 * (4/Columns + (borrowed ? 1 : 0)). Interval: the same; with StartWalked
// 10 more where the direction stays. A new key takes 4/Columns cycles, and for decryption 10 more.
// In an idle core, `in_ready_o` is high in one of 8/Columns cycles, `key_ready_o` in another one.
// With ChannelWithBlock (encryption only) it is one of 4/Columns. Clear: 8/Columns cycles.
//
// `idle_o` does not wait for the last beats of a result. While `out_valid_o` is low and no frame
// is under way, `out_block_o` shows intermediate values.
module rsm_aes_folded
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
  parameter lengths_t    Lengths   = 3'b001,
  parameter channel_e    Channel   = ChannelHeld,
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
  // The key goes backwards to be where encryption starts, and in decryption.
  localparam bit         OneWay    = Direction == DirectionForward && (WithBlock || Kept);
  localparam bit         Borrowed  = KeySboxes == KeySboxesBorrowed;
  localparam logic [1:0] LastCount = (Columns == 1) ? 2'd3 : 2'd1;

  if (Columns != 1 && Columns != 2) begin : gen_columns
    $error("rsm_aes_folded: a folded core takes one or two columns a cycle");
  end

  if (Lengths != 3'b001) begin : gen_lengths
    $error("rsm_aes_folded: the key register holds 128 bits; Lengths must be 3'b001");
  end

  if (WithBlock && (Direction != DirectionForward || KeyStart != StartWalked)) begin : gen_channel
    $error("rsm_aes_folded: keys come with blocks in encryption only, and none is kept");
  end

  if (!WithBlock && Channel != ChannelHeld) begin : gen_no_channel
    $error("rsm_aes_folded: Channel must be ChannelHeld or ChannelWithBlock");
  end

  if (sbox_latency(Sbox, '0) != 0) begin : gen_sbox
    $error("rsm_aes_folded: the S-boxes must answer in the same cycle");
  end

  // --- Control ----------------------------------------------------------------------------------

  logic       busy_q, inverse_q, taking_q, keyed_q, done_q, clearing_q;
  // In a block, whether the key step of the round is done; otherwise whether keys have their turn.
  logic       turn_q;
  logic [1:0] count_q;

  // The second register has a key; the block that enters starts with it, or with the one beside it.
  logic       kept_q, other_q;

  logic accept, key_accept;
  logic at_first, at_last, at_first_next, at_last_next, at_zero, at_ten;
  logic wanted, quiet, place, last_count, there, starting, ending;
  logic opening, walk, pause, lent, step, backwards, other;
  logic load, run;

  // The direction at the port, and of the block in work.
  logic inverse;

  assign wanted  = (Direction == DirectionBoth) ? in_decrypt_i : (Direction == DirectionInverse);
  assign inverse = (Direction == DirectionBoth) ? inverse_q : (Direction == DirectionInverse);

  assign quiet      = ~busy_q & ~taking_q & ~clearing_q;
  assign place      = (count_q == 2'd0);
  assign last_count = (count_q == LastCount);
  // Where a block may start; in a block the pause of a round.
  assign opening    = place & ~turn_q;
  assign there      = wanted ? at_last : at_first;

  assign in_ready_o  = quiet & opening & (WithBlock | (keyed_q & (there | kept_q)));
  assign key_ready_o = ~WithBlock & quiet & place & turn_q;
  assign accept      = in_valid_i & in_ready_o;
  assign key_accept  = key_valid_i & key_ready_o;
  assign other       = (accept & ~there) | (WithBlock & accept) | other_q;

  assign walk      = ~OneWay & quiet & keyed_q & opening & ~there & ~kept_q;
  assign pause     = Borrowed & busy_q & opening;
  assign step      = walk | (Borrowed ? pause : busy_q & place);
  assign backwards = ~OneWay & (busy_q ? inverse : ~wanted);

  // Borrowed S-boxes are the schedule's wherever no column passes them, so that the data need not
  // wait for the one signal that says whether it steps.
  assign lent = ~busy_q | opening;

  // Whether the round key in work is that with which a block starts, or ends; without pauses it is
  // the one that this cycle steps to.
  assign at_zero  = Borrowed ? at_first : at_first_next;
  assign at_ten   = Borrowed ? at_last : at_last_next;
  assign starting = inverse ? at_ten : at_zero;
  assign ending   = inverse ? at_zero : at_ten;

  // In a pause the rows turn, and what enters them is in vain.
  assign load = ~clearing_q & (~busy_q | starting);
  assign run  = pause | (busy_q & ~starting);

  always_ff @(posedge clk_i) begin
    done_q     <= busy_q & ending & last_count;
    busy_q     <= accept | (busy_q & ~(ending & last_count));
    taking_q   <= (key_accept | taking_q) & ~last_count;
    keyed_q    <= key_accept | keyed_q;
    kept_q     <= Kept & (accept | (kept_q & ~key_accept));
    other_q    <= (Kept | WithBlock) & other & ~last_count;
    clearing_q <= clearing_q & ~(turn_q & last_count);
    if (!(walk | pause)) count_q <= (count_q + 2'd1) & LastCount;
    if (pause) turn_q <= 1'b1;
    else if (last_count) turn_q <= ~busy_q & ~turn_q & (~WithBlock | clearing_q);
    if (!rst_ni || clear_i) begin
      done_q     <= 1'b0;
      busy_q     <= 1'b0;
      taking_q   <= 1'b0;
      keyed_q    <= 1'b0;
      kept_q     <= 1'b0;
      other_q    <= 1'b0;
      clearing_q <= rst_ni;
      count_q    <= '0;
      turn_q     <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) if (!busy_q) inverse_q <= in_decrypt_i;

  assign idle_o      = quiet & ~done_q;
  assign out_valid_o = done_q;

  logic [TagWidth-1:0] tag_q;

  always_ff @(posedge clk_i) if (!busy_q) tag_q <= in_tag_i;

  // The tag is overwritten at the edge that ends the first beat of the result.
  assign out_tag_o = tag_q;

  // --- The data path ----------------------------------------------------------------------------

  logic [Width-1:0] key, kept;
  word_t            word, subword;
  byte_t            constant;

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
    .pause_i   (pause),
    .turn_i    (busy_q & last_count & ~ending),
    .count_i   (count_q),
    .mix_i     (run & ~ending),
    .key_on_i  (~clearing_q),
    .in_block_i,
    .key_i     (key),
    .out_block_o,
    .step_i    (lent),
    .word_i    (word),
    .subword_o (subword)
  );

  // --- The key schedule -------------------------------------------------------------------------

  // A new key starts at its first round, a block with another key than that in the ring at either.
  logic start, from_last, replaced;

  assign replaced  = (Kept | WithBlock) & other;
  assign start     = key_accept | replaced;
  assign from_last = Kept & ~key_accept & (busy_q ? inverse : wanted);

  rsm_aes_folded_rcon u_rcon (
    .clk_i,
    .start_i       (start),
    .from_last_i   (from_last),
    .step_i        (step),
    .inverse_i     (backwards),
    .constant_o    (constant),
    .first_o       (at_first),
    .last_o        (at_last),
    .first_next_o  (at_first_next),
    .last_next_o   (at_last_next)
  );

  rsm_aes_folded_key #(
    .Columns (Columns),
    .Pause   (Borrowed)
  ) u_key (
    .clk_i,
    .load_i     (key_accept | taking_q),
    .keep_i     (~(key_accept | taking_q | clearing_q)),
    .step_i     (step),
    .still_i    (walk),
    .inverse_i  (backwards),
    .other_i    (replaced),
    .words_i    (WithBlock ? in_key_i : kept),
    .key_i,
    .constant_i (constant),
    .word_o     (word),
    .subword_i  (subword),
    .key_o      (key)
  );

  // The second register takes the words of a block that starts with those in the ring.
  if (Kept) begin : gen_kept
    logic begins;

    assign begins = accept | (busy_q & ~run);

    rsm_aes_folded_kept #(
      .Columns (Columns),
      .Pause   (Borrowed)
    ) u_kept (
      .clk_i,
      .take_i  (begins & ~other),
      .lap_i   (~clearing_q & ~(begins & ~other) & ~run),
      .round_i (run),
      .words_i (key),
      .words_o (kept)
    );
  end else begin : gen_not_kept
    assign kept = '0;
  end

  // Keys of one length through a channel of their own.
  logic unused;

  assign unused = ^{key_len_i, in_key_i, in_len_i, in_decrypt_i, inverse_q, kept_q, other_q};

endmodule
