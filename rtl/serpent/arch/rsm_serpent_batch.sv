// SPDX-License-Identifier: Apache-2.0
//
// Lutz's Serpent core (2002, 4.2, 4.3 and Fig. 9): a ring of four rounds with a register behind
// each, in which batches of four blocks share key and direction. Each round keeps its round key for
// the four cycles in which the blocks of a batch pass it; every cycle one of them gets the next
// from rsm_serpent_key_generator.
//
//    key generator --> round key, one a cycle, to the rounds in turn
//                        |        |        |        |
//    in --> mux --> round 0 -> round 1 -> round 2 -> round 3 --+--> out
//            ^                                                 |
//            +---------------- next lap (8 laps) --------------+
//
//    cycle    0         1         2         3         4
//    round 0  block 0   block 1   block 2   block 3   block 0 again, key 4
//    round 1            block 0   block 1   block 2   block 3
//
// Four blocks share a round key, so one generator is enough for four rounds.
// A batch begins with any block and takes up to three more, one in each of the next three cycles;
// what does not come then leaves its slot empty. The next one may begin 32 cycles later: four
// blocks in 32 cycles. A block of the other direction waits until the core is empty; it is accepted
// 21 cycles after the core turns. A key is accepted when the core is empty, and the first block 21
// cycles later; a block accepted at the same edge still uses the key before. Keys have 256 bits.
//
// The drawing takes a batch of four blocks that come without a pause.
// `key_ready_o` and `in_ready_o` are those of rsm_serpent; `in_ready_o` depends on `in_decrypt_i`.
// While `out_valid_o` is low, `out_block_o` shows intermediate values. `clear_i` overwrites
// everything in 8 cycles.
//
// Latency: 32 cycles.
module rsm_serpent_batch
  import rsm_serpent_pkg::*;
#(
  parameter sbox_e       Sbox     = SboxCircuit,
  parameter int unsigned TagWidth = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  output logic                idle_o,
  input  logic                key_valid_i,
  output logic                key_ready_o,
  input  logic [255:0]        key_i,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic [127:0]        in_block_i,
  input  logic                in_decrypt_i,
  input  logic [TagWidth-1:0] in_tag_i,
  output logic                out_valid_o,
  output logic [127:0]        out_block_o,
  output logic [TagWidth-1:0] out_tag_o
);

  // Lutz 2002, 4.2: four rounds, each with two of the eight S-boxes for each direction.
  localparam int unsigned Rounds = 4;

  // Rounds that the first block of the batch has behind it; 0 as well when no batch is there.
  round_t      phase_q;
  logic        loaded_q, waiting_q;
  logic  [3:0] clearing_q;
  logic        ready, busy, inverse, next;
  logic        drained, accept, load, start, turn, run;
  state_t      key, last_key;

  // A slot behind each stage; `step` counts its rounds.
  logic   [Rounds-1:0]               valid_q;
  state_t [Rounds-1:0]               state_q, state_d, key_q;
  round_t [Rounds-1:0]               step_q;
  logic   [Rounds-1:0][TagWidth-1:0] tag_q;

  // Nothing depends on the key that is here any more, so another key or direction may come.
  assign drained = (valid_q == '0) & (phase_q == '0) & ~busy & (clearing_q == '0);

  // The first block of a batch, or one of three more.
  // Only the first four phases take blocks: later the slots belong to the batch on its way.
  assign in_ready_o  = ready & (clearing_q == '0) & (phase_q < round_t'(4))
                     & (in_decrypt_i == inverse);
  assign accept      = in_valid_i & in_ready_o;
  assign key_ready_o = drained & ~waiting_q;
  // A key is taken in an empty core only, for all blocks of a batch share it.
  assign load        = key_valid_i & key_ready_o;
  // A new key goes before a change of direction, for it needs the same walk.
  assign turn        = key_ready_o & loaded_q & in_valid_i & (in_decrypt_i != inverse) & ~load;
  assign start       = (load & ~accept) | (waiting_q & drained) | turn;
  // The generator steps on with the first block and then for the 32 rounds of the batch.
  assign run         = accept | (phase_q != '0);
  assign idle_o      = key_ready_o;

  rsm_serpent_key_generator #(
    .Sbox (Sbox)
  ) u_key_generator (
    .clk_i,
    .rst_ni,
    .clear_i,
    .load_i     (load),
    .key_i      (padded(key_i, 2'd2)),
    .start_i    (start),
    .turn_i     (turn),
    .busy_o     (busy),
    .ready_o    (ready),
    .inverse_o  (inverse),
    .run_i      (run),
    .next_o     (next),
    .key_o      (key),
    .last_key_o (last_key)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      phase_q    <= '0;
      loaded_q   <= 1'b0;
      waiting_q  <= 1'b0;
      clearing_q <= '0;
      valid_q    <= '0;
    end else if (clear_i) begin
      phase_q    <= '0;
      loaded_q   <= 1'b0;
      // A key that came with a block waits until that block has left.
      waiting_q  <= 1'b0;
      clearing_q <= 4'd8;
      valid_q    <= '0;
    end else begin
      if (run)  phase_q  <= phase_q + round_t'(1);
      if (load) loaded_q <= 1'b1;
      waiting_q <= load ? accept : waiting_q & ~start;
      if (clearing_q != '0) clearing_q <= clearing_q - 4'd1;
      // A slot goes round until its step says 31; then the next lap finds it empty.
      valid_q <= {valid_q[2:0], accept | (valid_q[3] & (step_q[3] != '1))};
    end
  end

  for (genvar s = 0; s < Rounds; s++) begin : gen_stage
    state_t              state;
    round_t              step;
    logic [TagWidth-1:0] tag;
    logic                last;

    if (s == 0) begin : gen_entry
      logic keep;

      // Nothing but blocks enters: what has left is overwritten.
      assign keep  = valid_q[Rounds-1] & ~accept;
      assign state = ({128{accept}} & swapped(in_block_i)) | ({128{keep}} & state_q[Rounds-1]);
      assign step  = accept ? '0 : step_q[Rounds-1] + round_t'(1);
      assign tag   = accept ? in_tag_i : tag_q[Rounds-1];
    end else begin : gen_next
      assign state = state_q[s-1];
      // The lower two bits are the number of the stage, so only the number of the lap has
      // registers.
      assign step  = {step_q[s-1][4:2], 2'(s)};
      assign tag   = tag_q[s-1];
    end

    // There is no linear transformation in it, but round key 32 in its place.
    // Round 31 is the last one, and the first one backwards.
    assign last = step == (inverse ? round_t'(0) : round_t'(31));

    rsm_serpent_round_two #(
      .Sbox   (Sbox),
      .Stage  (s),
      .Rounds (Rounds)
    ) u_round (
      .inverse_i  (inverse),
      .last_i     (last),
      .box_i      (inverse ? ~step[2:0] : step[2:0]),
      .state_i    (state),
      .key_i      (key_q[s]),
      .last_key_i (last_key),
      .state_o    (state_d[s])
    );

    rsm_cut #(
      .Width  (128),
      .Enable (1'b1)
    ) u_cut_round (
      .clk_i,
      .clear_i (1'b0),
      .d_i     (state_d[s]),
      .q_o     (state_q[s])
    );

    always_ff @(posedge clk_i) begin
      // Step and tag stay beside the block.
      step_q[s]  <= {step[4:2], 2'(s)};
      tag_q[s]   <= tag;
      // While the first block is in the stage before, this one gets its key.
      if (next ? (s == 0 || clearing_q != '0) : (run && phase_q[1:0] == 2'(s + 3)))
        key_q[s] <= key;
    end
  end

  // Rigid: the result is there for this cycle only.
  assign out_valid_o = valid_q[Rounds-1] & (step_q[Rounds-1] == '1);
  assign out_block_o = swapped(state_q[Rounds-1]);
  assign out_tag_o   = tag_q[Rounds-1];

endmodule
