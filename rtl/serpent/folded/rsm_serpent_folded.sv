// SPDX-License-Identifier: Apache-2.0
//
// Serpent with 32 bits a cycle: eight S-boxes serve the state and the round keys in turn, the
// linear transformation takes the state as a whole, and the key schedule makes a word a cycle. Time
// goes in laps of four cycles, which run on in an idle core:
//
//   load   two laps: the key; `take`, with it or alone: the block
//   step   the window of the key schedule moves on by a round key; meanwhile a block inside goes
//          through its S-boxes and, after the last of them, the linear transformation
//   add    a round key is made of the window and added
//
// An encryption adds round key 0, then steps and adds for each of the 32 rounds. A decryption is
// the same from round key 32 downwards: the inverse of the linear transformation then stands at the
// end of `add`, in front of the S-boxes. The last round encrypting, and the first one decrypting,
// have none.
//
// Native port, Width 32, flow `free`. A block is accepted in the first cycle of a lap, and the next
// one in the very cycle in which its result leaves.
//
// DirectionForward takes the key with the block (ChannelWithBlock); the frame of a key has the bits
// of the longest one. DirectionBoth has a key channel: a key is accepted in the third cycle of an
// idle lap and comes in 8 cycles. The window is where the last block has left it, at round key 0
// or 32; a block that goes the same way as that one makes the core step all the way back first.
// `in_ready_o` depends on `in_decrypt_i` there.
//
// One cycle of `clear_i` drops what is inside, and what stands at the ports of keys and blocks in
// the 8 cycles that follow overwrites it.
//
// Latency: 272 cycles with the key with the block, 264 cycles with a key channel. Interval: 272;
// with a key channel 264, and where the direction stays 264 + 128 = 392. New key: 12 cycles to
// encrypt, 140 to decrypt. Clear: 8. `idle_o` does not wait for the last beats of a result.
module rsm_serpent_folded
  import rsm_serpent_pkg::*;
#(
  parameter sbox_e       Sbox      = SboxTable,
  parameter direction_e  Direction = DirectionForward,
  parameter lengths_t    Lengths   = 3'b100,
  parameter int unsigned TagWidth  = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  output logic                idle_o,
  input  logic                key_valid_i,
  output logic                key_ready_o,
  input  word_t               key_i,
  input  length_t             key_len_i,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  word_t               in_block_i,
  input  word_t               in_key_i,
  input  length_t             in_len_i,
  input  logic                in_decrypt_i,
  input  logic [TagWidth-1:0] in_tag_i,
  output logic                out_valid_o,
  output word_t               out_block_o,
  output logic [TagWidth-1:0] out_tag_o
);

  localparam bit Held = Direction == DirectionBoth;

  // The window of the user key is V[-1]; blocks start at V[0] and V[32].
  typedef logic [5:0] place_t;
  localparam place_t User = '1;
  localparam place_t Low  = 6'd0;
  localparam place_t High = 6'd32;

  if (Direction == DirectionInverse) begin : gen_no_decryption_alone
    $error("rsm_serpent_folded: a folded core encrypts or does both");
  end

  if (Lengths == 3'b000) begin : gen_no_length
    $error("rsm_serpent_folded: Lengths names no key length");
  end

  // The first byte of a word is the most significant one at the port.
  function automatic word_t swapped_word(word_t word);
    return {word[7:0], word[15:8], word[23:16], word[31:24]};
  endfunction

  // --- Control ---------------------------------------------------------------------------------

  logic [1:0]          count_q;
  logic                busy_q, taking_q, loading_q, second_q, step_q, add_q, out_q;
  logic                clearing_q, keyed_q, down_q;
  place_t              place_q, place_d;
  logic                last, idle, accept, key_accept;
  logic                user, ending, finishing, resting, loaded, turn, walks;
  logic [TagWidth-1:0] tag_q;

  assign last   = count_q == 2'd3;
  assign idle   = ~busy_q & ~loading_q & ~step_q;
  assign idle_o = idle;
  assign user   = place_q == User;
  assign ending = place_q == (down_q ? Low : High);
  assign accept = in_valid_i & in_ready_o;

  // At the end of a lap: the block has its last round key; the key is complete; nothing is left to
  // do, but what the port asks for.
  assign finishing = last & add_q & ending;
  assign loaded    = last & loading_q & second_q & ~clearing_q;
  assign place_d   = step_q ? place_q + (down_q ? User : place_t'(1)) : place_q;
  assign walks     = step_q & ~busy_q & ~user & (place_d != (down_q ? Low : High));
  assign resting   = last & (idle | finishing | (step_q & ~busy_q & ~walks));

  if (Held) begin : gen_held
    assign in_ready_o  = idle & keyed_q & (count_q == 2'd0)
                       & (place_q == (in_decrypt_i ? High : Low));
    assign key_ready_o = idle & (count_q == 2'd2);
    assign key_accept  = key_valid_i & key_ready_o;
    assign turn        = resting & keyed_q & in_valid_i
                       & (place_d != (in_decrypt_i ? High : Low));
  end else begin : gen_with_block
    logic unused_resting;

    assign in_ready_o     = idle & (count_q == 2'd0);
    assign key_ready_o    = 1'b0;
    assign key_accept     = accept;
    assign turn           = 1'b0;
    assign unused_resting = ^{resting, keyed_q};
  end

  always_ff @(posedge clk_i) begin
    count_q <= key_accept ? 2'd1 : count_q + 2'd1;
    busy_q  <= accept | (busy_q & ~finishing);
    keyed_q <= keyed_q | key_accept;
    out_q   <= last ? finishing : out_q;

    taking_q   <= accept | (taking_q & ~last);
    loading_q  <= key_accept | (loading_q & ~(last & second_q));
    second_q   <= last ? loading_q & ~second_q : second_q;
    clearing_q <= clearing_q & ~(last & second_q);
    if (last) begin
      step_q <= loaded | (add_q & ~ending) | walks | turn;
      add_q  <= busy_q & (step_q | (Held & taking_q));
    end

    if (key_accept)  place_q <= User;
    else if (last)   place_q <= place_d;
    if (key_accept)  down_q <= 1'b0;
    else if (accept) down_q <= Held & in_decrypt_i;
    else if (turn)   down_q <= ~in_decrypt_i;
    if (accept)      tag_q <= in_tag_i;

    if (!rst_ni || clear_i) begin
      count_q    <= '0;
      busy_q     <= 1'b0;
      keyed_q    <= 1'b0;
      out_q      <= 1'b0;
      taking_q   <= 1'b0;
      loading_q  <= rst_ni;
      second_q   <= 1'b0;
      clearing_q <= rst_ni;
      step_q     <= 1'b0;
      add_q      <= 1'b0;
      place_q    <= User;
      down_q     <= 1'b0;
    end
  end

  // --- The key ---------------------------------------------------------------------------------

  word_t           port_key, key;
  length_t         port_length;
  logic [3:0][7:0] column;

  assign port_key    = swapped_word(Held ? key_i : in_key_i);
  assign port_length = Held ? key_len_i : in_len_i;

  if (Lengths == 3'b100) begin : gen_256
    logic unused_length;

    assign key           = port_key;
    assign unused_length = ^port_length;
  end else begin : gen_padded
    length_t length_q, length;
    logic    behind, one;

    always_ff @(posedge clk_i) begin
      if (key_accept) length_q <= port_length;
    end

    // A one stands behind a short key, then zeros.
    assign length = ($countones(Lengths) > 1) ? length_q : Lengths[1] ? 2'd1 : 2'd0;
    assign behind = second_q & ((length == 2'd0) | (count_q[1] & (length == 2'd1)));
    assign one    = count_q == {length == 2'd1, 1'b0};
    assign key    = behind ? {31'd0, one} : port_key;
  end

  rsm_serpent_folded_window #(
    .Direction (Direction)
  ) u_window (
    .clk_i,
    .count_i  (count_q),
    .load_i   (key_accept | loading_q),
    .step_i   (step_q),
    .down_i   (down_q),
    .place_i  (place_q),
    .key_i    (key),
    .column_o (column)
  );

  // --- The state -------------------------------------------------------------------------------

  logic  sub, mix;
  box_t  box;
  word_t result;

  // Encrypting, a step from V[i] is round i, which has no linear transformation if it is the last;
  // decrypting, one from V[i+1], and the round key in front of it is i + 1.
  assign sub = step_q & ~user;
  assign mix = last & (down_q ? add_q & (place_q != High) & (place_q != Low)
                              : sub & (place_q != place_t'(31)));
  assign box = add_q ? 3'd3 - place_q[2:0] : place_q[2:0] - {2'd0, down_q};

  rsm_serpent_folded_state #(
    .Sbox      (Sbox),
    .Direction (Direction)
  ) u_words (
    .clk_i,
    .shift_i   (accept | taking_q | clearing_q | out_q),
    .sub_i     (sub),
    .add_i     (add_q),
    .mix_i     (mix),
    .inverse_i (down_q),
    .box_i     (box),
    .column_i  (column),
    .word_i    (swapped_word(in_block_i)),
    .word_o    (result)
  );

  assign out_valid_o = out_q & (count_q == 2'd0);
  assign out_block_o = swapped_word(result);
  assign out_tag_o   = tag_q;

  logic unused_signals;

  assign unused_signals = ^{key_valid_i, key_i, key_len_i, in_key_i, in_len_i, in_decrypt_i};

endmodule
