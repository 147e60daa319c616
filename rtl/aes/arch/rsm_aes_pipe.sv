// SPDX-License-Identifier: Apache-2.0
//
// The unrolled architecture: a straight line of all rounds that takes a block in every cycle, each
// with its own key, direction and tag (Saggese 2003, section 4, fully unrolled architectures;
// Standaert 2003, Fig. 6(b)).
//
//             AES-256        AES-192        AES-128
//             enters         enters         enters
//               |              |              |
//    in ----> stage 0 ... --> stage 2 ... --> stage 4 ... --> stage 13 --> out
//
// The drawing is of a line for all key lengths: the shorter the key, the later the entry.
// A block leaves behind the last round; one with a key shorter than the longest enters late. Keys
// travel down the line, a step of the key schedule in every round, or are stored and stand still.
//
// With ClearFlush, zeros enter wherever no block does. With ClearReset, all data registers have a
// reset.
// The line is rigid: a result leaves when it is ready. A walk is an encryption without a block: its
// window of the key schedule leaves, and nothing else.
//
// Latency: rounds of the key length * round_latency(Sbox, Cuts), one for each register of Extra on
// the way, and one for each edge.
//
// While `out_valid_o` is low, `out_block_o` shows intermediate values.
module rsm_aes_pipe
  import rsm_aes_pkg::*;
#(
  parameter sbox_e       Sbox      = SboxTable,
  parameter linear_e     Linear    = LinearDirect,
  parameter key_add_e    KeyAdd    = KeyAddLast,
  parameter inverse_e    Inverse   = InverseReordered,
  parameter direction_e  Direction = DirectionForward,
  parameter schedule_e   Schedule  = ScheduleOnTheFly,
  parameter lengths_t    Lengths   = 3'b001,
  parameter int unsigned KeySlots  = 1,
  parameter cuts_t       Cuts      = '0,
  parameter extra_t      Extra     = '0,
  parameter edges_t      Edges     = '0,
  parameter clear_e      Clear     = ClearFlush,
  parameter int unsigned TagWidth  = 1,
  localparam int unsigned KeyBits  = key_bits(Lengths)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  output logic                idle_o,
  // A block with the window of its first key, or the first round key in the top bits.
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  block_t              in_block_i,
  input  logic [KeyBits-1:0]  in_window_i,
  input  length_t             in_length_i,
  input  logic                in_inverse_i,
  input  logic [3:0]          in_slot_i,
  input  logic                in_walk_i,
  input  logic [TagWidth-1:0] in_tag_i,
  // All round keys stand at the line at once: each stage adds one of them in every cycle, so a
  // memory with one port cannot serve it.
  // Stored keys: round keys 0 to 14 of every slot; in a core that only encrypts the last one stands
  // where the last one of the longest key does, so that a round has one place for its key.
  input  block_t [KeySlots-1:0][MaxRounds:0] keys_i,
  // A block leaves the last round; its result may be a cycle later at the port.
  output logic                leave_o,
  output logic [3:0]          leave_slot_o,
  output logic                walked_o,
  output logic [KeyBits-1:0]  walked_window_o,
  output logic                out_valid_o,
  output block_t              out_block_o,
  output logic [TagWidth-1:0] out_tag_o
);

  // --- Where blocks enter ----------------------------------------------------------------------

  // One stage for each round of the longest key.
  localparam int unsigned Rounds = max_rounds(Lengths);

  // Registers in front of stage s; of the whole line, `position(Rounds)`.
  function automatic int unsigned position(int unsigned s);
    return registers(Sbox, Cuts, Extra, s);
  endfunction

  // The stage at which a block of this key length enters.
  function automatic int unsigned entry_stage(length_t len);
    return (rounds_of(len) > Rounds) ? 32'd0 : Rounds - rounds_of(len);
  endfunction

  // A multiplexer for new blocks stands in front of these stages only.
  function automatic logic is_entry(int unsigned s);
    return (Lengths[0] && entry_stage(2'd0) == s) || (Lengths[1] && entry_stage(2'd1) == s)
        || (Lengths[2] && entry_stage(2'd2) == s);
  endfunction

  // A block in each register: so many blocks are in flight.
  localparam int unsigned Slots = position(Rounds);

  // The length of every key, and the direction of every slot, where there is but one; a core that
  // decrypts with keys on the fly has walks, which go the other way.
  localparam bit      OneLength = $countones(Lengths) == 1;
  localparam length_t Only      = Lengths[2] ? 2'd2 : Lengths[1] ? 2'd1 : 2'd0;
  localparam bit      OneWay    = Direction == DirectionForward ||
                                  (Direction == DirectionInverse && Schedule == ScheduleStored);

  // A flush takes one cycle for each register that the zeros pass through.
  localparam int unsigned ClearCycles = (Clear == ClearFlush)
      ? Slots + (Edges.out ? 32'd1 : 32'd0) : reset_cycles(Schedule, Sbox, Cuts);

  // A counter is smaller here than a shift register of `Slots` bits would be.
  // Cycles of a clear, and blocks in the line.
  typedef logic [$clog2(ClearCycles+1)-1:0] cycles_t;
  typedef logic [$clog2(Slots+1)-1:0]       blocks_t;

  // Nothing would separate one block from the next.
  if (Slots == 0) begin : gen_no_register
    $error("rsm_aes_pipe: a line without a register has no clock; set at least one cut");
  end

  // --- The input edge --------------------------------------------------------------------------

  logic                accept;
  logic                closed_q;
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

  // `enter` once for each byte of a block. Where the first round has one more register, blocks are
  // gated behind that: then the copies come from a register too.
  localparam bit GateLate = Edges.in && Extra[1] && OneLength && Clear == ClearFlush;

  logic [15:0]         enter_bytes;

  // A constant here removes the logic of all other key lengths.
  assign length = OneLength ? Only : in_length_i;
  // A slot leaves the entry in every cycle, so a line is closed during a clear only.
  assign open   = ~closed_q;

  rsm_aes_entry #(
    .Lengths    (Lengths),
    .Latency128 (Slots - position(entry_stage(2'd0))),
    .Latency192 (Slots - position(entry_stage(2'd1))),
    .Latency256 (Slots - position(entry_stage(2'd2))),
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

  // The flush gates 128 bits of state and the window with `enter`. On a large FPGA one register for
  // them all would be the critical path, so each byte has a copy.
  if (Edges.in) begin : gen_spread
    rsm_replicate #(
      .Copies (16)
    ) u_spread (
      .clk_i,
      .clear_i (clear_i | ~rst_ni),
      .d_i     (GateLate ? enter : accept),
      .q_o     (enter_bytes)
    );
  end else begin : gen_no_spread
    assign enter_bytes = {16{enter}};
  end

  // --- The line --------------------------------------------------------------------------------

  // Behind each stage.
  block_t   [Rounds-1:0]              state;
  logic     [Rounds-1:0][KeyBits-1:0] window;
  control_t [Rounds-1:0]              control;
  logic     [Rounds-1:0][TagWidth:0]  tag;
  logic     [Rounds-1:0]              valid;
  block_t                             tail_result;
  logic                               data_clear;

  // Bit i belongs to the slot behind register i of the line. They are all over the chip; a count of
  // blocks tells whether the line is empty.
  logic [Slots-1:0] valid_d, valid_q;
  blocks_t          blocks_q;
  cycles_t          clearing_q;

  // The line takes no block while it is cleared, so what holds the reset harms none. It comes
  // from a register, for it reaches all others.
  assign data_clear = (Clear == ClearReset) & closed_q;

  for (genvar s = 0; s < Rounds; s++) begin : gen_stage
    localparam int unsigned First = position(s);
    localparam int unsigned Next  = position(s + 1);

    // The stage, from left to right: what comes from the stage before, what enters here, the choice
    // between the two.
    logic               here, enter_here;
    logic               keep;
    logic               stage_valid;
    control_t           stage_control;
    logic [TagWidth:0]  stage_tag;
    block_t             prev_state, stage_state;
    logic [KeyBits-1:0] prev_window, stage_window;
    control_t           gated_control;
    control_t           prev_control;
    logic [TagWidth:0]  prev_tag;

    // Nothing stands in front of the first stage.
    if (s == 0) begin : gen_first
      assign prev_state   = '0;
      assign prev_window  = '0;
      assign prev_control = '0;
      assign prev_tag     = '0;
      assign keep         = 1'b0;
    end else begin : gen_next
      assign prev_state   = state[s-1];
      assign prev_window  = window[s-1];
      assign prev_control = control[s-1];
      assign prev_tag     = tag[s-1];
      assign keep         = valid[s-1];
    end

    // A block enters at the stage of its own key length.
    assign here        = is_entry(s) && (OneLength || entry_stage(enter_length) == s);
    assign enter_here  = enter & here;
    assign stage_valid = enter_here | keep;

    always_comb begin
      stage_control = prev_control;
      stage_tag     = prev_tag;
      // In the first stage there is nothing else to choose, so it always takes the entry: one
      // multiplexer less.
      if (is_entry(s) && (s == 0 || enter_here)) begin
        stage_control.inverse = enter_inverse;
        stage_control.length  = enter_length;
        stage_control.slot    = enter_slot;
        stage_tag             = {enter_walk, enter_tag};
      end
      // Bits that are equal for all blocks are constants, so synthesis removes their registers.
      if (KeySlots == 1) stage_control.slot = '0;
      if (OneLength)     stage_control.length = Only;
      if (OneWay) begin
        stage_control.inverse = Direction == DirectionInverse;
        stage_tag[TagWidth]   = 1'b0;
      end
      // The step follows from the place: rounds are counted from the entry, or from the end.
      stage_control.step = stage_control.inverse
          ? round_t'(Rounds - s)
          : round_t'(s + 1 - entry_stage(stage_control.length));
    end

    if (is_entry(s)) begin : gen_entry
      localparam bit Late = s == 0 && GateLate;

      block_t             late_block, entry_state;
      logic [KeyBits-1:0] late_window;

      // The register of Extra, in front of the gates instead of in the stage.
      rsm_cut #(
        .Width  (128 + KeyBits),
        .Enable (Late)
      ) u_cut_late (
        .clk_i,
        .clear_i,
        .d_i ({enter_block, enter_window}),
        .q_o ({late_block, late_window})
      );

      rsm_cut #(
        .Width  ($bits(control_t)),
        .Enable (Late)
      ) u_cut_late_control (
        .clk_i,
        .clear_i (1'b0),
        .d_i     (stage_control),
        .q_o     (gated_control)
      );

      // A round that adds the key first makes the initial key addition by itself.
      // The first AddRoundKey of FIPS 197, 5.1, stands in front of round 1, so it belongs to the
      // entry.
      assign entry_state = (KeyAdd == KeyAddFirst)
                         ? late_block : late_block ^ late_window[KeyBits-1 -: 128];

      if (Clear == ClearFlush) begin : gen_flush
        // Zeros enter wherever no block does, so a slot wipes itself once its block has left.
        block_t             gate;
        logic [KeyBits-1:0] window_gate;

        // AND and OR instead of a multiplexer: an empty slot then carries zeros by itself.
        for (genvar i = 0; i < 16; i++) begin : gen_byte
          assign gate[8*i +: 8] = {8{enter_bytes[i] & here}};
        end

        // The window is longer than a block where keys are, so copies serve two bytes there.
        for (genvar i = 0; i < KeyBits / 8; i++) begin : gen_key_byte
          assign window_gate[8*i +: 8] = {8{enter_bytes[i%16] & here}};
        end

        assign stage_state  = (gate & entry_state) | ({128{keep}} & prev_state);
        assign stage_window = (window_gate & late_window) | ({KeyBits{keep}} & prev_window);
      end else if (Clear == ClearReset) begin : gen_reset
        // A reset clears the data, so empty slots may hold anything: one multiplexer is enough.
        assign stage_state  = (s == 0 || enter_here) ? entry_state : prev_state;
        assign stage_window = (s == 0 || enter_here) ? late_window : prev_window;
      end else begin : gen_unknown_clear
        $error("rsm_aes_pipe: Clear names no way to clear");
      end
    end else begin : gen_pass
      assign stage_state   = prev_state;
      assign stage_window  = prev_window;
      assign gated_control = stage_control;
    end

    // Registers of the control bits of this stage.
    for (genvar i = First; i < Next; i++) begin : gen_slot
      assign valid_d[i] = (i == First) ? stage_valid : valid_q[(i == 0) ? 0 : i-1];
    end

    // A stage without a register hands its bit on in the same cycle.
    if (Next > First) begin : gen_registered
      assign valid[s] = valid_q[Next-1];
    end else begin : gen_through
      assign valid[s] = stage_valid;
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

    // The stored key that this stage asks for, where its key is added.
    control_t key_control;
    block_t   stage_key;

    if (Schedule == ScheduleStored) begin : gen_stored
      // The key of this stage from every slot, then the slot of the block. Stage s makes round s +
      // 1 of the longest key, so without several lengths the choice is wiring.
      block_t [KeySlots-1:0] slot_key;

      for (genvar k = 0; k < KeySlots; k++) begin : gen_slot_key
        block_t forward_key;

        // A core that only encrypts has the round keys of short keys at the end of the memory,
        // beside those of long ones.
        if (OneLength || Direction == DirectionForward) begin : gen_aligned
          assign forward_key = keys_i[k][s+1];
        end else begin : gen_by_length
          // Index 0 stands for a length that has not entered yet, and is not used.
          // Round keys are counted from the entry of the block, which differs from length to
          // length.
          localparam int unsigned I0 = (s >= entry_stage(2'd0)) ? s + 1 - entry_stage(2'd0) : 0;
          localparam int unsigned I1 = (s >= entry_stage(2'd1)) ? s + 1 - entry_stage(2'd1) : 0;
          localparam int unsigned I2 = (s >= entry_stage(2'd2)) ? s + 1 - entry_stage(2'd2) : 0;

          always_comb begin
            forward_key = keys_i[k][s + 1 - entry_stage(Only)];
            if (Lengths[1] && key_control.length == 2'd1) forward_key = keys_i[k][I1];
            if (Lengths[0] && key_control.length == 2'd0) forward_key = keys_i[k][I0];
            if (Lengths[2] && key_control.length == 2'd2) forward_key = keys_i[k][I2];
          end
        end

        // Decryption takes the round keys from the last to the first.
        assign slot_key[k] = key_control.inverse ? keys_i[k][Rounds-1-s] : forward_key;
      end

      if (KeySlots == 1) begin : gen_one_slot
        assign stage_key = slot_key[0];
      end else begin : gen_slots
        assign stage_key = slot_key[key_control.slot[$clog2(KeySlots)-1:0]];
      end
    end else begin : gen_on_the_fly
      assign stage_key = '0;
    end

    block_t stage_result;
    block_t stage_head;
    logic   unused_ends;

    assign unused_ends = ^{stage_head, stage_result, key_control};

    rsm_aes_stage #(
      .Sbox      (Sbox),
      .Linear    (Linear),
      .KeyAdd    (KeyAdd),
      .Inverse   (Inverse),
      .Direction (Direction),
      .Schedule  (Schedule),
      .Lengths   (Lengths),
      .Cuts      (Cuts),
      // GateLate has used the register of Extra at the entry already.
      .Extra     (Extra[s+1] && !(s == 0 && GateLate))
    ) u_stage (
      .clk_i,
      .clear_i       (data_clear),
      .state_i       (stage_state),
      .window_i      (stage_window),
      .control_i     (gated_control),
      // Late entries make this stage the last round of every block.
      .last_i        (s == Rounds - 1),
      .key_control_o (key_control),
      .key_i         (stage_key),
      .head_state_o  (stage_head),
      .state_o       (state[s]),
      .window_o      (window[s]),
      .control_o     (control[s]),
      .result_o      (stage_result)
    );

    if (s == Rounds - 1) begin : gen_tail
      assign tail_result = stage_result;
    end
  end

  if (Linear == LinearInMemory) begin : gen_no_in_memory
    $error("rsm_aes_pipe: LinearInMemory is the round of a ring");
  end

  if (Edges.ring) begin : gen_no_ring
    $error("rsm_aes_pipe: a line has no edge `ring`");
  end

  // --- Control bits, the only registers with a reset -------------------------------------------

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q    <= '0;
      blocks_q   <= '0;
      clearing_q <= '0;
      closed_q   <= 1'b0;
    end else if (clear_i) begin
      valid_q    <= '0;
      blocks_q   <= '0;
      clearing_q <= cycles_t'(ClearCycles);
      closed_q   <= 1'b1;
    end else begin
      valid_q    <= valid_d;
      // The two counters: cycles that the clear still takes, and blocks in the line, which one
      // block enters and one leaves.
      closed_q   <= closed_q & (clearing_q != cycles_t'(1));
      blocks_q   <= blocks_q + {{$bits(blocks_t)-1{leave_o & ~enter}}, leave_o ^ enter};
      if (closed_q) clearing_q <= clearing_q - cycles_t'(1);
    end
  end

  // --- The output edge -------------------------------------------------------------------------

  logic result_busy;

  // A block leaves in each cycle in which the last slot is valid.
  assign leave_o         = valid[Rounds-1];
  assign leave_slot_o    = control[Rounds-1].slot;
  assign walked_window_o = window[Rounds-1];

  rsm_aes_exit #(
    .Edge      (Edges.out),
    .EdgeBlock (Edges.out),
    .TagWidth  (TagWidth)
  ) u_exit (
    .clk_i,
    .rst_ni,
    .clear_i,
    .data_clear_i (data_clear),
    .leave_i      (leave_o),
    .walk_i       (tag[Rounds-1][TagWidth]),
    .tag_i        (tag[Rounds-1][TagWidth-1:0]),
    .result_i     (tail_result),
    .walked_o,
    .busy_o       (result_busy),
    .out_valid_o,
    .out_block_o,
    .out_tag_o
  );

  assign idle_o = ~closed_q & ~entering & (blocks_q == '0) & ~result_busy;

  // Some variants have no use for these.
  logic unused_signals;

  assign unused_signals = ^{keys_i, state, accept, enter_bytes};

endmodule
