// SPDX-License-Identifier: Apache-2.0
//
// The looped architecture: a ring of U rounds in which as many blocks go round as it has registers,
// each with its own key, direction, step and tag (Saggese 2003, section 4, iterative architectures;
// Standaert 2003, Fig. 7; Lutz 2002, Fig. 7).
//
//    in --> entry --> key add --> mux --> stage 0 --> ... --> stage U-1 --+--> exit --> out
//                                  ^                                      |
//                                  +------------- next lap ---------------+
//
// A block leaves at the end of the ring. Where U does not divide its rounds it enters late, at a
// stage from which whole laps remain. It enters whenever the slot that comes round there is free or
// has just finished, so the entry of one block overlaps the last round of another; with EntryBatch,
// Standaert's way, as many blocks as there are slots enter, and all leave before the next ones.
//
// Example: AES-128 in a ring of 4 rounds. Ten rounds are two laps and two rounds, so a block enters
// at stage 2 and leaves behind stage 3 two laps later.
// The ring is rigid: a result leaves when it is ready. A walk is an encryption without a block: its
// window of the key schedule leaves, and nothing else.
//
// Latency: the registers that a block passes on its laps, and one for each edge. With one round and
// no edges, rounds of the cipher * round_latency(Sbox, Cuts).
//
// While `out_valid_o` is low, `out_block_o` shows intermediate values.
module rsm_aes_loop
  import rsm_aes_pkg::*;
#(
  parameter int unsigned Rounds    = 1,
  parameter sbox_e       Sbox      = SboxTable,
  parameter linear_e     Linear    = LinearDirect,
  parameter key_add_e    KeyAdd    = KeyAddLast,
  parameter inverse_e    Inverse   = InverseReordered,
  parameter direction_e  Direction = DirectionForward,
  parameter schedule_e   Schedule  = ScheduleOnTheFly,
  parameter lengths_t    Lengths   = 3'b001,
  parameter cuts_t       Cuts      = '0,
  parameter extra_t      Extra     = '0,
  parameter edges_t      Edges     = '0,
  parameter entry_e      Entry     = EntryOverlap,
  parameter clear_e      Clear     = ClearFlush,
  parameter int unsigned TagWidth  = 1,
  localparam int unsigned KeyBits  = key_bits(Lengths)
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  output logic                  idle_o,
  // Keys on the fly: the window is where the schedule of this block starts, which is the key itself
  // to encrypt. Stored keys: only the round key that is added at the entry.
  // A block with the window of its first key, or the first round key in the top bits.
  input  logic                  in_valid_i,
  output logic                  in_ready_o,
  input  block_t                in_block_i,
  input  logic [KeyBits-1:0]    in_window_i,
  input  length_t               in_length_i,
  input  logic                  in_inverse_i,
  input  logic [3:0]            in_slot_i,
  input  logic                  in_walk_i,
  input  logic [TagWidth-1:0]   in_tag_i,
  // A store of keys answers each round in the cycle in which that round adds its key.
  // Stored keys: what each round asks for.
  output control_t [Rounds-1:0] key_control_o,
  input  block_t   [Rounds-1:0] key_i,
  // A block leaves the last round; its result may be a cycle later at the port.
  output logic                  leave_o,
  output logic [3:0]            leave_slot_o,
  output logic                  walked_o,
  output logic [KeyBits-1:0]    walked_window_o,
  output logic                  out_valid_o,
  output block_t                out_block_o,
  output logic [TagWidth-1:0]   out_tag_o
);

  // --- Where blocks enter, and how long they stay ----------------------------------------------

  // Registers in front of stage s; of the whole ring, `position(Rounds)`.
  function automatic int unsigned position(int unsigned s);
    return registers(Sbox, Cuts, Extra, s);
  endfunction

  // All blocks leave behind the last stage, whatever their number of rounds. So the exit needs no
  // multiplexer, and only the last stage leaves out MixColumns.
  // The stage at which a block of this key length enters.
  function automatic int unsigned entry_stage(length_t len);
    return (Rounds - rounds_of(len) % Rounds) % Rounds;
  endfunction

  // The laps are counted whole, and the stages in front of the entry are taken off.
  function automatic int unsigned ring_latency(length_t len);
    int unsigned laps = (rounds_of(len) + Rounds - 1) / Rounds;
    return laps * position(Rounds) - position(entry_stage(len));
  endfunction

  // A multiplexer for new blocks stands in front of these stages only.
  function automatic logic is_entry(int unsigned s);
    return (Lengths[0] && entry_stage(2'd0) == s) || (Lengths[1] && entry_stage(2'd1) == s)
        || (Lengths[2] && entry_stage(2'd2) == s);
  endfunction

  // As many blocks are in flight as the ring has registers: one slot for each of them.
  localparam int unsigned Slots = position(Rounds);

  // The direction of every slot where there is but one: a core that decrypts with keys on the fly
  // has walks, which go the other way.
  localparam bit OneWay = Direction == DirectionForward ||
                          (Direction == DirectionInverse && Schedule == ScheduleStored);

  // The length of every key where there is but one.
  localparam bit          OneLength = $countones(Lengths) == 1;
  localparam length_t     Only      = Lengths[2] ? 2'd2 : Lengths[1] ? 2'd1 : 2'd0;
  // With EntryBatch: cycles from a block at the port to its result at the port.
  localparam int unsigned Period    = ring_latency(Only) + $countones(Edges);

  // A flush takes one cycle for each register that the zeros pass through.
  localparam int unsigned ClearCycles = (Clear == ClearFlush)
      ? Slots + (Edges.out ? 32'd1 : 32'd0)
      : (Linear == LinearInMemory) ? 32'd1 : reset_cycles(Schedule, Sbox, Cuts);

  // A ring of wires would be a combinational loop.
  if (Slots == 0) begin : gen_no_register
    $error("rsm_aes_loop: a ring without a register oscillates; set at least one cut");
  end

  // --- The input edge --------------------------------------------------------------------------

  logic                accept;
  logic                clearing;
  logic                open;
  logic                enter;
  logic                entering;
  block_t              enter_block;
  logic [KeyBits-1:0]  enter_window;
  length_t             length, enter_length;
  logic                enter_inverse;
  logic [3:0]          enter_slot;
  logic                enter_walk;
  logic [TagWidth-1:0] enter_tag;

  // A constant here removes the logic of all other key lengths.
  assign length = OneLength ? Only : in_length_i;

  rsm_aes_entry #(
    .Lengths    (Lengths),
    .Latency128 (ring_latency(2'd0)),
    .Latency192 (ring_latency(2'd1)),
    .Latency256 (ring_latency(2'd2)),
    .Edge       (Edges.in),
    .TagWidth   (TagWidth)
  ) u_entry (
    .clk_i,
    .rst_ni,
    .clear_i,
    .open_i       (open),
    .in_valid_i,
    .in_ready_o,
    .in_block_i,
    .in_window_i,
    .in_length_i  (length),
    .in_inverse_i,
    .in_slot_i,
    .in_walk_i,
    .in_tag_i,
    .accept_o     (accept),
    .entering_o   (entering),
    .enter_o      (enter),
    .block_o      (enter_block),
    .window_o     (enter_window),
    .length_o     (enter_length),
    .inverse_o    (enter_inverse),
    .slot_o       (enter_slot),
    .walk_o       (enter_walk),
    .tag_o        (enter_tag)
  );

  // A block that waits in the edge enters one cycle after its acceptance. Only a batch makes sure
  // that the slot is still free then.
  if (Edges.in && Entry != EntryBatch) begin : gen_in_batch_only
    $error("rsm_aes_loop: the edge `in` needs EntryBatch: a slot must be free a cycle later");
  end

  // --- The ring --------------------------------------------------------------------------------

  // At the input of each stage; `more` tells that the slot is valid and not in its last lap.
  logic     [Rounds-1:0]              stage_valid;
  logic     [Rounds-1:0]              stage_more;
  // Behind each stage; the last one is the tail of the ring.
  block_t   [Rounds-1:0]              state;
  logic     [Rounds-1:0][KeyBits-1:0] window;
  control_t [Rounds-1:0]              control;
  logic     [Rounds-1:0][TagWidth:0]  tag;
  logic     [Rounds-1:0]              valid;
  logic     [Rounds-1:0]              more;
  control_t                           tail_control;
  logic     [TagWidth:0]              tail_tag;
  logic                               tail_valid;
  logic                               tail_more;
  block_t                             tail_result;
  block_t                             head_state;
  logic                               data_clear;
  logic     [ClearCycles-1:0]         clearing_d, clearing_q;

  // Bit i belongs to the slot behind register i of the ring.
  logic [Slots-1:0] valid_d, valid_q;
  logic [Slots-1:0] more_d, more_q;

  assign tail_control = control[Rounds-1];
  assign tail_tag     = tag[Rounds-1];
  assign tail_valid   = valid[Rounds-1];
  assign tail_more    = more[Rounds-1];

  // The ring takes no block while it is cleared, so what holds the reset harms none. It comes
  // from a register, for it reaches all others.
  // The reset lasts as long as zeros need to run through the registers without a reset of their own
  // (`reset_cycles` of the package).
  assign data_clear = (Clear == ClearReset) & clearing_q[0];

  // Whether the slot at the tail has one lap before it.
  logic last_lap;

  // The step at the tail is the round that was just made. Encryption counts 1 up to Nr, decryption
  // Nr down to 1. In both cases U rounds are left here.
  assign last_lap = tail_control.inverse
                  ? tail_control.step == round_t'(Rounds + 1)
                  : tail_control.step == round_t'(rounds_of(tail_control.length) - Rounds);

  for (genvar s = 0; s < Rounds; s++) begin : gen_stage
    localparam int unsigned First = position(s);
    localparam int unsigned Next  = position(s + 1);

    // The stage in front of stage 0 is the tail: that closes the ring.
    localparam int unsigned Before = (s == 0) ? Rounds - 1 : s - 1;

    logic              enter_here;
    logic              keep;
    control_t          stage_control;
    logic [TagWidth:0] stage_tag;

    // A block enters at the stage of its own key length.
    assign enter_here = enter && is_entry(s) && (OneLength || entry_stage(enter_length) == s);
    // At stage 0 only a block with laps left stays in the ring. Inside the ring every valid block
    // moves on.
    assign keep       = (s == 0) ? tail_more : valid[Before];

    assign stage_valid[s] = enter_here | keep;
    // A new block always has another lap to make; the mark goes when its last lap begins.
    assign stage_more[s]  = enter_here | (more[Before] & ~((s == 0) & last_lap));

    always_comb begin
      // The control bits travel beside the block, and each stage counts the step on. So no state
      // machine has to know where which block is.
      stage_control      = control[Before];
      stage_control.step = control[Before].inverse ? control[Before].step - round_t'(1)
                                                   : control[Before].step + round_t'(1);
      stage_tag          = tag[Before];
      if (is_entry(s) && enter_here) begin
        stage_control.step    = enter_inverse ? round_t'(rounds_of(enter_length)) : round_t'(1);
        stage_control.inverse = enter_inverse;
        stage_control.length  = enter_length;
        stage_control.slot    = enter_slot;
        stage_tag             = {enter_walk, enter_tag};
      end
      // Bits that are equal for all blocks are constants, so synthesis removes their registers.
      if (OneLength) stage_control.length = Only;
      if (OneWay) begin
        stage_control.inverse = Direction == DirectionInverse;
        stage_tag[TagWidth]   = 1'b0;
      end
    end

    // Registers of the control bits of this stage.
    for (genvar i = First; i < Next; i++) begin : gen_slot
      assign valid_d[i] = (i == First) ? stage_valid[s] : valid_q[(i == 0) ? 0 : i-1];
      assign more_d[i]  = (i == First) ? stage_more[s] : more_q[(i == 0) ? 0 : i-1];
    end

    // A stage without a register hands its bits on in the same cycle.
    if (Next > First) begin : gen_registered
      assign valid[s] = valid_q[Next-1];
      assign more[s]  = more_q[Next-1];
    end else begin : gen_through
      assign valid[s] = stage_valid[s];
      assign more[s]  = stage_more[s];
    end

    // The tag, with the mark of a walk on top, stays as long in the stage as the block does. It
    // needs no clearing, for it does not depend on data.
    rsm_delay #(
      .Width (TagWidth + 1),
      .Depth (Next - First)
    ) u_delay_tag (
      .clk_i,
      .clear_i (1'b0),
      .d_i     (stage_tag),
      .q_o     (tag[s])
    );

    if (Linear == LinearInMemory) begin : gen_in_memory
      // This round holds the entry of the ring, so its state and keys are inside it. A slot that is
      // empty must look like one in its last round, so here a reset clears the data as well.
      round_t step;

      rsm_aes_round_in_memory #(
        .Cut (Cuts.sub)
      ) u_round (
        .clk_i,
        .clear_i  (data_clear | ~rst_ni),
        .enter_i  (enter_here),
        .block_i  (enter_block),
        .key_i    (enter_window[KeyBits-1 -: 128]),
        .round_i  (stage_control.step),
        .last_i   (~stage_more[s]),
        .round_o  (step),
        .result_o (tail_result)
      );

      assign state[s]         = '0;
      assign window[s]        = '0;
      assign head_state       = '0;
      assign key_control_o[s] = '0;

      logic unused_control;

      assign unused_control = ^stage_control;
      assign control[s]     = '{step: step, inverse: 1'b0, length: Only, slot: '0};
    end else begin : gen_plain
      block_t             stage_state;
      logic [KeyBits-1:0] stage_window;
      block_t             stage_head;
      block_t             stage_result;

      if (is_entry(s)) begin : gen_entry
        block_t entry_state;
        logic   hold;

        // A round that adds the key first makes the initial key addition by itself.
        // The first AddRoundKey of FIPS 197, 5.1, stands in front of round 1, so it belongs to the
        // entry.
        assign entry_state = (KeyAdd == KeyAddFirst)
                           ? enter_block : enter_block ^ enter_window[KeyBits-1 -: 128];

        // With the edge `ring`, a result is held where it is shown.
        assign hold = keep | (Edges.ring & (s == 0) & tail_valid);

        if (Clear == ClearFlush) begin : gen_flush
          // Zeros enter wherever no block does, so a slot wipes itself once its block has left.
          assign stage_state  = ({128{enter_here}} & entry_state) | ({128{hold}} & state[Before]);
          assign stage_window = ({KeyBits{enter_here}} & enter_window)
                              | ({KeyBits{keep}} & window[Before]);
        end else if (Clear == ClearReset) begin : gen_reset
          logic unused_hold;

          // A reset clears the data, so empty slots may hold anything: one multiplexer is enough.
          assign unused_hold  = hold;
          assign stage_state  = enter_here ? entry_state : state[Before];
          assign stage_window = enter_here ? enter_window : window[Before];
        end else begin : gen_unknown_clear
          $error("rsm_aes_loop: Clear names no way to clear");
        end
      end else begin : gen_pass
        assign stage_state  = state[Before];
        assign stage_window = window[Before];
      end

      rsm_aes_stage #(
        .Sbox      (Sbox),
        .Linear    (Linear),
        .KeyAdd    (KeyAdd),
        .Inverse   (Inverse),
        .Direction (Direction),
        .Schedule  (Schedule),
        .Lengths   (Lengths),
        .Cuts      (Cuts),
        .Extra     (Extra[s+1])
      ) u_stage (
        .clk_i,
        .clear_i       (data_clear),
        .state_i       (stage_state),
        .window_i      (stage_window),
        .control_i     (stage_control),
        // Blocks that enter late make whole laps, so the last round of every block is in the last
        // stage.
        .last_i        ((s == Rounds - 1) & ~stage_more[s]),
        .key_control_o (key_control_o[s]),
        .key_i         (key_i[s]),
        .head_state_o  (stage_head),
        .state_o       (state[s]),
        .window_o      (window[s]),
        .control_o     (control[s]),
        .result_o      (stage_result)
      );

      // With the edge `ring` the result is read behind the cut `head` of stage 0, one cycle after
      // the tail.
      if (s == 0) begin : gen_head
        assign head_state = stage_head;
      end

      if (s == Rounds - 1) begin : gen_tail
        assign tail_result = stage_result;
      end

      logic unused_ends;

      assign unused_ends = ^{stage_head, stage_result};
    end
  end

  if (Linear == LinearInMemory &&
      (Rounds != 1 || Sbox != SboxBlockRam || KeyAdd != KeyAddLast || Clear != ClearReset ||
       Direction != DirectionForward || Schedule != ScheduleOnTheFly || Lengths != 3'b001 ||
       Inverse != InverseReordered ||
       {Cuts.head, Cuts.sbox, Cuts.mix, Cuts.round, Extra, Edges.ring} != '0))
  begin : gen_in_memory_only
    $error("rsm_aes_loop: LinearInMemory: one round, block RAM, AES-128 encryption on the fly");
  end

  // --- When the ring is open -------------------------------------------------------------------

  assign clearing_d = ClearCycles'({1'b0, clearing_q} >> 1);
  assign clearing   = clearing_q[0];

  // Whether the ring takes a block is known one cycle ahead, so that a single register steers the
  // many multiplexers of the entry.
  logic [Rounds-1:0] closed_d, closed_q;

  if (Entry == EntryBatch) begin : gen_batch
    typedef logic [$clog2(Period + 1)-1:0] phase_t;

    // One batch after the other (Standaert 2003, Fig. 7):
    //
    //    phase   0 1 2 ... Slots-1 | Slots ........ Period-1 | 0
    //    port    open: take blocks | closed: blocks go round | open
    //
    // Cycles since the first block of the batch; 0 before it.
    phase_t phase_d, phase_q;

    assign phase_d = (phase_q == '0) ? phase_t'(accept)
                   : (phase_q == phase_t'(Period - 1)) ? '0 : phase_q + phase_t'(1);

    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) phase_q <= '0;
      else                    phase_q <= phase_d;
    end

    // The ring is open for the first `Slots` cycles of a period, one for each slot.
    assign closed_d = {Rounds{clearing_d[0] | (phase_d >= phase_t'(Slots))}};
    assign open     = ~closed_q[0];

    if (!OneLength || !is_entry(0)) begin : gen_whole_laps_only
      $error("rsm_aes_loop: EntryBatch takes one key length, and Rounds that divide its rounds");
    end
  end else begin : gen_overlap
    logic [Rounds-1:0] open_at;

    // The slot that reaches the entry in the next cycle is free when no block is in it. At stage 0
    // it is also free when its block has made its last lap: `more` is low.
    for (genvar s = 0; s < Rounds; s++) begin : gen_entry
      if (!is_entry(s)) begin : gen_none
        assign closed_d[s] = 1'b0;
        assign open_at[s]  = 1'b0;
      end else begin : gen_one
        if (s == 0) begin : gen_tail
          assign closed_d[s] = clearing_d[0] | more_d[Slots-1];
        end else begin : gen_inside
          assign closed_d[s] = clearing_d[0] | valid_d[position(s)-1];
        end

        // A block waits for its own entry stage, which depends on its key length.
        assign open_at[s] = ~closed_q[s] & (OneLength || entry_stage(length) == s);
      end
    end

    assign open = |open_at;

    if (round_latency(Sbox, Cuts) == 0 && !(OneLength && is_entry(0))) begin : gen_no_cut
      $error("rsm_aes_loop: without a cut in the round, Rounds must divide those of the cipher");
    end

    if (Edges.ring) begin : gen_batch_only
      $error("rsm_aes_loop: the edge `ring` needs EntryBatch: the result holds its slot");
    end
  end

  // Control bits, the only registers with a reset.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      // After a reset the data registers may hold anything, but no slot is valid.
      valid_q    <= '0;
      more_q     <= '0;
      clearing_q <= '0;
      closed_q   <= '0;
    end else if (clear_i) begin
      valid_q    <= '0;
      more_q     <= '0;
      // A clear closes the entry as well, until the data is overwritten.
      clearing_q <= '1;
      closed_q   <= '1;
    end else begin
      valid_q    <= valid_d;
      more_q     <= more_d;
      clearing_q <= clearing_d;
      closed_q   <= closed_d;
    end
  end

  // --- The output edge -------------------------------------------------------------------------

  logic result_busy;

  // A block leaves when it is at the tail and has no lap left.
  assign leave_o         = tail_valid & ~tail_more;
  assign leave_slot_o    = tail_control.slot;
  assign walked_window_o = window[Rounds-1];

  rsm_aes_exit #(
    .Edge      (Edges.out || Edges.ring),
    .EdgeBlock (Edges.out),
    .TagWidth  (TagWidth)
  ) u_exit (
    .clk_i,
    .rst_ni,
    .clear_i,
    .data_clear_i (data_clear),
    .leave_i      (leave_o),
    .walk_i       (tail_tag[TagWidth]),
    .tag_i        (tail_tag[TagWidth-1:0]),
    .result_i     (Edges.ring ? head_state : tail_result),
    .walked_o,
    .busy_o       (result_busy),
    .out_valid_o,
    .out_block_o,
    .out_tag_o
  );

  if (Edges.ring && (!Cuts.head || KeyAdd != KeyAddLast || Extra[1])) begin : gen_no_head
    $error("rsm_aes_loop: the edge `ring` needs the cut `head` and KeyAddLast");
  end

  // Idle means that no register depends on a key or a block any more, the edges included.
  assign idle_o = ~clearing & ~entering & (valid_q == '0) & ~result_busy;

  // Some variants have no use for these.
  logic unused_signals;

  assign unused_signals = ^{key_i, state, control, closed_q, head_state, tail_result, accept};

endmodule
