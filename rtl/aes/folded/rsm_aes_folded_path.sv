// SPDX-License-Identifier: Apache-2.0
//
// The data path of a folded core: the state, the S-boxes and what is behind them (Satoh 2001,
// section 3, Fig. 2, 8). Columns are added to the key at `key_i` as they enter, with `load_i`, and
// again in every round, with `run_i`.
//
// The S-boxes of the key schedule are here: `word_i` comes back as `subword_o` in the same cycle.
// With KeySboxesBorrowed they are four of the data path, and `step_i` marks the cycle in which they
// are lent; a round has a cycle more for it, `pause_i`, in which no column leaves the state.
//
// Latency: 0, from the columns at `in_block_i` to the registers of the state.
module rsm_aes_folded_path
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
  localparam int unsigned Width    = 32 * Columns
) (
  input  logic             clk_i,
  input  logic             clear_i,
  input  logic             inverse_i,
  input  logic             load_i,
  input  logic             run_i,
  input  logic             pause_i,
  // The last columns of a block that enters, or of a round but the last one.
  input  logic             turn_i,
  input  logic [1:0]       count_i,
  // A round but the last one; keys are added.
  input  logic             mix_i,
  input  logic             key_on_i,
  input  logic [Width-1:0] in_block_i,
  input  logic [Width-1:0] key_i,
  output logic [Width-1:0] out_block_o,
  input  logic             step_i,
  input  word_t            word_i,
  output word_t            subword_o
);

  localparam bit Borrowed = KeySboxes == KeySboxesBorrowed;

  logic [Width-1:0] shifted, substituted, mixed;

  rsm_aes_folded_state #(
    .Rows      (Rows),
    .Columns   (Columns),
    .Direction (Direction),
    .Pause     (Borrowed)
  ) u_state (
    .clk_i,
    .run_i,
    .inverse_i,
    .pause_i,
    .turn_i,
    .count_i,
    .columns_i (mixed),
    .columns_o (shifted),
    .plain_o   (out_block_o)
  );

  if (Borrowed) begin : gen_borrowed
    // Decryption cores, too, substitute forwards in the schedule.
    localparam direction_e Shared =
        (Direction == DirectionForward) ? DirectionForward : DirectionBoth;

    word_t entering;

    // No block passes the S-boxes in a step.
    assign entering  = step_i ? word_i : shifted[Width-1 -: 32];
    assign subword_o = substituted[Width-1 -: 32];

    rsm_aes_sub_bytes #(
      .Bytes     (4),
      .Sbox      (Sbox),
      .Direction (Shared)
    ) u_sub_bytes (
      .clk_i,
      .clear_i,
      .inverse_i (inverse_i & ~step_i),
      .state_i   (entering),
      .state_o   (substituted[Width-1 -: 32])
    );

    if (Columns == 2) begin : gen_more
      rsm_aes_sub_bytes #(
        .Bytes     (4),
        .Sbox      (Sbox),
        .Direction (Direction)
      ) u_sub_bytes_more (
        .clk_i,
        .clear_i,
        .inverse_i,
        .state_i   (shifted[31:0]),
        .state_o   (substituted[31:0])
      );
    end
  end else begin : gen_own
    rsm_aes_sub_bytes #(
      .Bytes     (4 * Columns),
      .Sbox      (Sbox),
      .Direction (Direction)
    ) u_sub_bytes (
      .clk_i,
      .clear_i,
      .inverse_i,
      .state_i   (shifted),
      .state_o   (substituted)
    );

    rsm_aes_sub_bytes #(
      .Bytes     (4),
      .Sbox      (Sbox),
      .Direction (DirectionForward)
    ) u_sub_word (
      .clk_i,
      .clear_i,
      .inverse_i (1'b0),
      .state_i   (word_i),
      .state_o   (subword_o)
    );

    logic unused;

    assign unused = step_i;
  end

  rsm_aes_folded_mix #(
    .Columns   (Columns),
    .Direction (Direction),
    .Linear    (Linear),
    .Inverse   (Inverse)
  ) u_mix (
    .inverse_i,
    .load_i,
    .run_i,
    .mix_i,
    .key_on_i,
    .in_i      (in_block_i),
    .sub_i     (substituted),
    .key_i,
    .columns_o (mixed)
  );

endmodule
