// SPDX-License-Identifier: Apache-2.0
//
// The looped architecture: a ring of one encryption round in which D blocks go round, each
// with its own key, round number and tag (Saggese 2003, section 4, iterative architectures;
// Standaert 2003, Fig. 7). D is the number of registers in the round, at least one.
//
// A block enters at the head of the ring whenever the slot that comes round is free or has
// just finished, so the entry of a block overlaps the last round of the one before: D blocks
// in 10 * D cycles without a lost one, and a new key for every block at no cost. The ring is
// rigid: a result leaves when it is ready.
//
// Latency: 10 * D cycles, and one for the cut `out` where Edges has it.
//
// While `out_valid_o` is low, `out_block_o` shows intermediate values.
module rsm_aes_loop
  import rsm_aes_pkg::*;
#(
  parameter sbox_e       Sbox     = SboxTable,
  parameter linear_e     Linear   = LinearDirect,
  parameter key_add_e    KeyAdd   = KeyAddLast,
  parameter clear_e      Clear    = ClearFlush,
  parameter cuts_t       Cuts     = '0,
  parameter edges_t      Edges    = '0,
  parameter int unsigned TagWidth = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  output logic                idle_o,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  block_t              in_block_i,
  input  block_t              in_key_i,
  input  logic [TagWidth-1:0] in_tag_i,
  output logic                out_valid_o,
  output block_t              out_block_o,
  output logic [TagWidth-1:0] out_tag_o
);

  localparam int unsigned Slots = round_latency(Sbox, Cuts);

  // A flush takes one cycle for each register that the zeros pass through.
  localparam int unsigned ClearCycles =
      (Clear == ClearFlush) ? Slots + $countones(Edges) : 32'd1;

  if (Slots == 0) begin : gen_no_register
    $error("rsm_aes_loop: a ring without a register oscillates; set at least one cut");
  end

  // The slot at the tail of the ring has just done round `tail_round`.
  logic                tail_valid;
  round_t              tail_round;
  block_t              tail_result;
  logic [TagWidth-1:0] tail_tag;

  // The slot at the head is about to do round `head_round`.
  logic                enter;
  logic                keep;
  logic                head_valid;
  logic                head_last;
  logic                head_more;
  round_t              head_round;
  logic [TagWidth-1:0] head_tag;

  // Bit i of valid and more belongs to the slot behind register i of the ring; more tells that
  // the slot is valid and has not done its last round.
  logic [Slots-1:0]       valid_d, valid_q;
  logic [Slots-1:0]       more_d, more_q;
  logic [ClearCycles-1:0] clearing_d, clearing_q;
  logic                   closed_d, closed_q;
  logic                   data_clear;

  assign tail_valid = valid_q[Slots-1];
  assign keep       = more_q[Slots-1];

  assign in_ready_o = ~closed_q;
  assign enter      = in_valid_i & in_ready_o;

  assign head_valid = enter | keep;
  assign head_round = enter ? round_t'(1) : tail_round + round_t'(1);
  assign head_last  = (head_round == round_t'(Rounds128));
  assign head_more  = head_valid & ~head_last;
  assign head_tag   = enter ? in_tag_i : tail_tag;

  assign data_clear = (Clear == ClearReset) & clear_i;

  if (Linear == LinearInMemory) begin : gen_in_memory
    // This round holds the entry of the ring, so the head is inside it. A slot that is empty
    // must look like one in its last round, so here a reset clears the data as well.
    rsm_aes_round_encrypt_in_memory #(
      .Cut (Cuts.sub)
    ) u_round (
      .clk_i,
      .clear_i  (data_clear | ~rst_ni),
      .enter_i  (enter),
      .block_i  (in_block_i),
      .key_i    (in_key_i),
      .round_i  (head_round),
      .last_i   (~head_more),
      .round_o  (tail_round),
      .result_o (tail_result)
    );

    if (Sbox != SboxBlockRam || KeyAdd != KeyAddLast || Clear != ClearReset ||
        {Cuts.sbox, Cuts.mix, Cuts.round} != '0) begin : gen_in_memory_only
      $error("rsm_aes_loop: LinearInMemory: SboxBlockRam, KeyAddLast, ClearReset, no cut but sub");
    end
  end else begin : gen_plain
    block_t entry_state;
    block_t head_state;
    block_t head_key;
    block_t tail_state;
    block_t tail_key;

    // A round that adds the key first makes the initial key addition by itself.
    assign entry_state = (KeyAdd == KeyAddFirst) ? in_block_i : in_block_i ^ in_key_i;

    if (Clear == ClearFlush) begin : gen_flush
      // Zeros enter wherever no block does, so a slot wipes itself once its block has left.
      assign head_state = ({128{enter}} & entry_state) | ({128{keep}} & tail_state);
      assign head_key   = ({128{enter}} & in_key_i) | ({128{keep}} & tail_key);
    end else if (Clear == ClearReset) begin : gen_reset
      assign head_state = enter ? entry_state : tail_state;
      assign head_key   = enter ? in_key_i : tail_key;
    end else begin : gen_unknown_clear
      $error("rsm_aes_loop: Clear names no way to clear");
    end

    if (KeyAdd == KeyAddLast) begin : gen_key_last
      rsm_aes_round_encrypt #(
        .Sbox   (Sbox),
        .Linear (Linear),
        .Cuts   (Cuts)
      ) u_round (
        .clk_i,
        .clear_i  (data_clear),
        .state_i  (head_state),
        .key_i    (head_key),
        .round_i  (head_round),
        .last_i   (head_last),
        .state_o  (tail_state),
        .key_o    (tail_key),
        .round_o  (tail_round),
        .result_o (tail_result)
      );
    end else if (KeyAdd == KeyAddFirst) begin : gen_key_first
      rsm_aes_round_encrypt_key_first #(
        .Sbox   (Sbox),
        .Linear (Linear),
        .Cuts   (Cuts)
      ) u_round (
        .clk_i,
        .clear_i  (data_clear),
        .state_i  (head_state),
        .key_i    (head_key),
        .round_i  (head_round),
        .state_o  (tail_state),
        .key_o    (tail_key),
        .round_o  (tail_round),
        .result_o (tail_result)
      );
    end else begin : gen_unknown_key_add
      $error("rsm_aes_loop: KeyAdd names no place for the key addition");
    end
  end

  rsm_delay #(
    .Width (TagWidth),
    .Depth (Slots)
  ) u_delay_tag (
    .clk_i,
    .clear_i (1'b0),
    .d_i     (head_tag),
    .q_o     (tail_tag)
  );

  // Control bits, the only registers with a reset. Whether the ring takes a block is known one
  // cycle ahead, so that a single register steers the many multiplexers of the entry.
  assign valid_d    = Slots'({valid_q, head_valid});
  assign more_d     = Slots'({more_q, head_more});
  assign clearing_d = ClearCycles'({1'b0, clearing_q} >> 1);
  assign closed_d   = more_d[Slots-1] | clearing_d[0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q    <= '0;
      more_q     <= '0;
      clearing_q <= '0;
      closed_q   <= 1'b0;
    end else if (clear_i) begin
      valid_q    <= '0;
      more_q     <= '0;
      clearing_q <= '1;
      closed_q   <= 1'b1;
    end else begin
      valid_q    <= valid_d;
      more_q     <= more_d;
      clearing_q <= clearing_d;
      closed_q   <= closed_d;
    end
  end

  // The output edge.
  logic result_valid;
  logic result_busy;

  assign result_valid = tail_valid & ~keep;

  if (Edges.out) begin : gen_out_valid
    logic out_valid_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) out_valid_q <= 1'b0;
      else                    out_valid_q <= result_valid;
    end

    assign out_valid_o = out_valid_q;
    assign result_busy = out_valid_q;
  end else begin : gen_out_direct
    assign out_valid_o = result_valid;
    assign result_busy = 1'b0;
  end

  rsm_cut #(
    .Width  (128),
    .Enable (Edges.out)
  ) u_cut_out (
    .clk_i,
    .clear_i (data_clear),
    .d_i     (tail_result),
    .q_o     (out_block_o)
  );

  rsm_cut #(
    .Width  (TagWidth),
    .Enable (Edges.out)
  ) u_cut_out_tag (
    .clk_i,
    .clear_i (1'b0),
    .d_i     (tail_tag),
    .q_o     (out_tag_o)
  );

  assign idle_o = ~clearing_q[0] & (valid_q == '0) & ~result_busy;

endmodule
