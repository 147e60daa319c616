// SPDX-License-Identifier: Apache-2.0
//
// A ring of Rounds rounds (1, 2, 4, 8, 16 or 32) in which as many blocks go round as it has
// registers, each with its own key, direction, step and tag. With 32 rounds it is a straight line,
// which every block leaves at the end of its first lap; it takes a block in every cycle.
//
//    in --> edge --> mux --> stage 0 --> ... --> stage Rounds-1 --+--> edge --> out
//                     ^                                           |
//                     +---------------- next lap -----------------+
//
// A block enters whenever the slot that comes round is free or has just finished. What enters has
// its first key added already (round key 0, or 32 to decrypt), and brings the window that this key
// came from (rsm_serpent_key_travel). The ring is rigid: a result leaves when it is ready. A walk
// is an encryption without a block: its window leaves, and nothing else.
//
// Latency: 32 / Rounds laps of Rounds * round_latency(Cuts) cycles and one for every register of
// Extra, by number of the stage; and one for each edge, of which only a line has `in`.
//
// While `out_valid_o` is low, `out_block_o` shows intermediate values.
module rsm_serpent_loop
  import rsm_serpent_pkg::*;
#(
  parameter int unsigned Rounds    = 1,
  parameter sbox_e       Sbox      = SboxTable,
  parameter direction_e  Direction = DirectionForward,
  parameter schedule_e   Schedule  = ScheduleOnTheFly,
  parameter cuts_t       Cuts      = '{sub: 1'b0, half: 1'b0, round: 1'b1},
  parameter logic [31:0] Extra     = '0,
  parameter edges_t      Edges     = '0,
  parameter clear_e      Clear     = ClearFlush,
  parameter int unsigned TagWidth  = 1
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    clear_i,
  // Keeps a clear under way, until what stands at `key_i` is cleared too.
  input  logic                    clear_more_i,
  output logic                    idle_o,
  input  logic                    in_valid_i,
  output logic                    in_ready_o,
  input  state_t                  in_state_i,
  input  window_t                 in_window_i,
  input  logic                    in_inverse_i,
  input  logic                    in_walk_i,
  input  logic [TagWidth-1:0]     in_tag_i,
  // Stored keys: what each round asks for.
  output control_t [Rounds-1:0]   key_control_o,
  input  state_t   [Rounds-1:0]   key_i,
  output logic                    walked_o,
  output window_t                 walked_window_o,
  output logic                    out_valid_o,
  output block_t                  out_block_o,
  output logic [TagWidth-1:0]     out_tag_o
);

  // All rounds stand in hardware: nothing comes back to the entry.
  localparam bit Line = Rounds == 32;

  // Registers in front of stage s; of the whole ring, `position(Rounds)`.
  function automatic int unsigned position(int unsigned s);
    int unsigned sum = s * round_latency(Cuts);
    for (int unsigned i = 0; i < s; i++) sum += Extra[i] ? 32'd1 : 32'd0;
    return sum;
  endfunction

  // At least one, so that a ring without any gets a sentence.
  localparam int unsigned Slots   = (position(Rounds) == 0) ? 32'd1 : position(Rounds);
  // Rounds divides 32, so all blocks make whole laps and enter at stage 0.
  localparam round_t      LastLap = round_t'(32 / Rounds - 1);

  // The direction of every slot where there is but one.
  localparam bit OneWay = Direction == DirectionForward ||
                          (Direction == DirectionInverse && Schedule == ScheduleStored);

  // A flush takes one cycle for each register that it has to pass.
  localparam int unsigned ClearCycles = (Clear == ClearFlush)
      ? Slots + (Edges.out ? 32'd1 : 32'd0) : 32'd1;

  // Cycles of a clear.
  typedef logic [$clog2(ClearCycles+1)-1:0] cycles_t;

  if (Rounds == 0 || 32 % Rounds != 0) begin : gen_no_divisor
    $error("rsm_serpent_loop: Rounds must divide 32");
  end

  if (position(Rounds) == 0) begin : gen_no_register
    $error("rsm_serpent_loop: a ring without a register oscillates; set at least one cut");
  end

  if (Edges.in && !Line) begin : gen_no_edge
    $error("rsm_serpent_loop: the edge `in` is for a line: in a ring a slot must be free");
  end

  // --- The entry -------------------------------------------------------------------------------

  // `accept`: a block at the port is taken. `enter`: it is at stage 0, later than that by the edge.
  logic                   open, accept, enter;
  logic [15:0]            enter_bytes;
  logic                   data_clear;
  cycles_t                clearing_q;
  logic                   closed_q, ending_q;
  state_t                 enter_state;
  window_t                enter_window;
  logic                   enter_inverse;
  logic [TagWidth:0]      enter_tag;

  // Bit i belongs to the slot behind register i.
  logic [Slots-1:0] valid_q;

  // Behind each stage.
  state_t   [Rounds-1:0]             state;
  window_t  [Rounds-1:0]             window;
  control_t [Rounds-1:0]             control;
  logic     [Rounds-1:0][TagWidth:0] tag;
  logic                              leave, keep;

  // A slot that is not in its last lap goes on.
  assign leave      = valid_q[Slots-1] & (control[Rounds-1].lap == LastLap);
  // A block with laps left goes before one at the port: the ring cannot wait.
  assign keep       = ~Line & valid_q[Slots-1] & ~leave;
  // Stored keys are there long after a clear, and no block is offered without them; a line then has
  // nothing to ask.
  assign open       = (Line && Schedule == ScheduleStored) ? 1'b1 : ~closed_q & ~keep;
  // Valid is not part of ready, so a producer may wait for ready.
  assign accept     = in_valid_i & open;
  assign in_ready_o = open;

  // What depends on a key or a block has a clear; the control bits below are public.
  rsm_cut #(
    .Width  (128 + 256),
    .Enable (Edges.in)
  ) u_cut_in (
    .clk_i,
    .clear_i,
    .d_i ({in_state_i, in_window_i}),
    .q_o ({enter_state, enter_window})
  );

  rsm_cut #(
    .Width  (1 + 1 + TagWidth),
    .Enable (Edges.in)
  ) u_cut_in_control (
    .clk_i,
    .clear_i (1'b0),
    .d_i     ({in_inverse_i, in_walk_i, in_tag_i}),
    .q_o     ({enter_inverse, enter_tag})
  );

  rsm_cut #(
    .Width  (1),
    .Enable (Edges.in)
  ) u_cut_in_valid (
    .clk_i,
    .clear_i (clear_i | ~rst_ni),
    .d_i     (accept),
    .q_o     (enter)
  );

  // `enter` once for each byte of a block.
  // A line on an FPGA is wide: 16 copies of `enter` gate a byte each.
  if (Edges.in) begin : gen_spread
    rsm_replicate #(
      .Copies (16)
    ) u_spread (
      .clk_i,
      .clear_i (clear_i | ~rst_ni),
      .d_i     (accept),
      .q_o     (enter_bytes)
    );
  end else begin : gen_no_spread
    assign enter_bytes = {16{enter}};
  end

  // --- The ring --------------------------------------------------------------------------------

  // The ring takes no block while it is cleared, so what holds the reset harms none.
  assign data_clear = (Clear == ClearReset) & closed_q;

  for (genvar s = 0; s < Rounds; s++) begin : gen_stage
    state_t            stage_state;
    window_t           stage_window;
    control_t          stage_control;
    logic [TagWidth:0] stage_tag;

    if (s == 0) begin : gen_entry
      if (Clear == ClearFlush) begin : gen_flush
        // Zeros enter wherever no block does.
        logic [15:0][7:0] gate;

        for (genvar i = 0; i < 16; i++) begin : gen_byte
          assign gate[i] = {8{enter_bytes[i]}};
        end

        assign stage_state  = (gate & enter_state) | ({128{keep}} & state[Rounds-1]);

        // The window has twice the bits of a block, so each copy gates two bytes of it.
        for (genvar i = 0; i < 2; i++) begin : gen_half
          assign stage_window[4*i +: 4] = (gate & enter_window[4*i +: 4])
                                        | ({128{keep}} & window[Rounds-1][4*i +: 4]);
        end
      end else if (Clear == ClearReset) begin : gen_reset
        logic unused_bytes;

        assign unused_bytes = ^enter_bytes;
        // A reset clears the data, so empty slots may hold anything: one multiplexer is enough.
        assign stage_state  = keep ? state[Rounds-1] : enter_state;
        assign stage_window = keep ? window[Rounds-1] : enter_window;
      end else begin : gen_unknown_clear
        $error("rsm_serpent_loop: Clear names no way to clear");
      end

      always_comb begin
        // The laps are counted in the slot itself, so no state machine has to know where which
        // block is.
        stage_control.lap     = keep ? control[Rounds-1].lap + round_t'(1) : '0;
        stage_control.inverse = keep ? control[Rounds-1].inverse : enter_inverse;
        stage_tag             = keep ? tag[Rounds-1] : enter_tag;
        // Bits that are equal for all blocks are constants, so synthesis removes their registers.
        if (OneWay) stage_control.inverse = Direction == DirectionInverse;
        if (OneWay) stage_tag[TagWidth]   = 1'b0;
      end
    end else begin : gen_next
      assign stage_state  = state[s-1];
      assign stage_window = window[s-1];

      always_comb begin
        // Bits that no lap has are no registers.
        stage_control.lap     = control[s-1].lap & LastLap;
        stage_control.inverse = OneWay ? Direction == DirectionInverse : control[s-1].inverse;
        stage_tag             = tag[s-1];
        if (OneWay) stage_tag[TagWidth] = 1'b0;
      end
    end

    rsm_serpent_stage #(
      .Sbox      (Sbox),
      .Direction (Direction),
      .Schedule  (Schedule),
      .Stage     (s),
      .Rounds    (Rounds),
      .Cuts      (Cuts),
      .Extra     (Extra[s]),
      .TagWidth  (TagWidth + 1)
    ) u_stage (
      .clk_i,
      .clear_i       (data_clear),
      .state_i       (stage_state),
      .window_i      (stage_window),
      .control_i     (stage_control),
      .tag_i         (stage_tag),
      .key_control_o (key_control_o[s]),
      .key_i         (key_i[s]),
      .state_o       (state[s]),
      .window_o      (window[s]),
      .control_o     (control[s]),
      .tag_o         (tag[s])
    );
  end

  // Control bits, the only registers with a reset.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q    <= '0;
      clearing_q <= '0;
      closed_q   <= 1'b0;
      ending_q   <= 1'b0;
    end else if (clear_i) begin
      valid_q    <= '0;
      clearing_q <= cycles_t'(ClearCycles);
      closed_q   <= 1'b1;
      ending_q   <= ClearCycles == 1;
    end else begin
      // The valid bits move with the slots; what stays at stage 0 or enters there is new.
      valid_q    <= Slots'({1'b0, valid_q, keep | enter});
      closed_q   <= clear_more_i | (closed_q & ~ending_q);
      // The store of keys takes longer to clear than the ring; the ring starts over until that is
      // done.
      if (clear_more_i) begin
        clearing_q <= cycles_t'(ClearCycles);
        ending_q   <= ClearCycles == 1;
      end else if (closed_q) begin
        clearing_q <= clearing_q - cycles_t'(1);
        ending_q   <= clearing_q == cycles_t'(2);
      end
    end
  end

  // --- The exit --------------------------------------------------------------------------------

  logic   busy, empty;
  state_t out_state;

  // A walk has no result: its window is what the key channel waits for.
  assign walked_o        = leave & tag[Rounds-1][TagWidth];
  assign walked_window_o = window[Rounds-1];

  // A walk must not look like a result at the port.
  rsm_cut #(
    .Width  (1),
    .Enable (Edges.out)
  ) u_cut_out_valid (
    .clk_i,
    .clear_i (clear_i | ~rst_ni),
    .d_i     (leave & ~tag[Rounds-1][TagWidth]),
    .q_o     (out_valid_o)
  );

  rsm_cut #(
    .Width  (TagWidth),
    .Enable (Edges.out)
  ) u_cut_out_tag (
    .clk_i,
    .clear_i (1'b0),
    .d_i     (tag[Rounds-1][TagWidth-1:0]),
    .q_o     (out_tag_o)
  );

  rsm_cut #(
    .Width  (128),
    .Enable (Edges.out)
  ) u_cut_out (
    .clk_i,
    .clear_i (data_clear),
    .d_i     (state[Rounds-1]),
    .q_o     (out_state)
  );

  assign out_block_o = swapped(out_state);
  // A result in the edge has left the ring, so the idle signal has to look here.
  assign busy        = Edges.out & out_valid_o;
  assign idle_o      = ~closed_q & empty & ~busy;

  if (Line) begin : gen_count
    // The valid bits of a line are all over the chip; a count of blocks tells the same.
    typedef logic [$clog2(Slots+1)-1:0] count_t;

    // What a cycle changes counts in the next one, for a sum of two registers is quick; meanwhile
    // whatever is on its way in tells.
    count_t change_q, count_q;
    logic   none_q, empty_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) begin
        change_q <= '0;
        count_q  <= '0;
        none_q   <= 1'b1;
        empty_q  <= 1'b1;
      end else begin
        change_q <= {{$bits(count_t)-1{leave & ~enter}}, leave ^ enter};
        count_q  <= count_q + change_q;
        none_q   <= count_q == '0 && !change_q[0];
        empty_q  <= none_q && !change_q[0] && !enter && !accept;
      end
    end

    assign empty = empty_q;
  end else begin : gen_no_count
    // A ring has few slots: a comparison of their bits is enough.
    assign empty = valid_q == '0;
  end

endmodule
