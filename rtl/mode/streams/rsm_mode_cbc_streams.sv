// SPDX-License-Identifier: Apache-2.0
//
// Cipher block chaining (NIST SP 800-38A, 6.2), encryption, of several streams on one rigid core:
// the c-slow technique of Saggese 2003, section 3. As many streams as the core has slots keep it
// full, for a block enters in the cycle in which the result that it is chained to comes out.
//
// The streams have a message port each, and one mode for all of them: a memory of what waits, one
// addition, one register in front of the core. Whose turn it is, is known two cycles before
// (rsm_stream_scheduler), so between the result and the core there is nothing but the addition. The
// key of the block that is loaded must stand at the core one cycle later (rsm_key_prefetch), or be
// stored in it.
//
// Each stream sees its own results and nothing else, and none waits for another one longer than a
// turn of those that have a block and a place for its result.
//
// Texts have whole blocks; a message with any other, or one to be decrypted, is refused.
//
// Latency: that of the core, and 2 cycles to the port; a block can be chosen 4 cycles after it was
// offered.
module rsm_mode_cbc_streams
  import rsm_mode_pkg::*;
#(
  parameter int unsigned Streams  = 2,
  parameter int unsigned KeySlots = 1,  // of a stream
  parameter int unsigned Latency  = 2,  // of the core
  parameter int unsigned CoreSlot = (Streams * KeySlots > 1) ? $clog2(Streams * KeySlots) : 1
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  output logic [Streams-1:0]    idle_o,
  // Messages begin.
  input  logic [Streams-1:0]    msg_valid_i,
  output logic [Streams-1:0]    msg_ready_o,
  input  msg_t [Streams-1:0]    msg_i,
  // What comes in.
  input  logic [Streams-1:0]    in_valid_i,
  output logic [Streams-1:0]    in_ready_o,
  input  beat_t [Streams-1:0]   in_i,
  // What goes out.
  output logic [Streams-1:0]    out_valid_o,
  input  logic [Streams-1:0]    out_ready_i,
  output answer_t [Streams-1:0] out_o,
  // Keys go past: a slot of a stream, and the key that goes to the core at this edge.
  input  logic [3:0]            key_slot_i,
  output logic [Streams-1:0]    key_open_o,
  input  logic                  key_loaded_i,
  input  logic [CoreSlot-1:0]   key_loaded_slot_i,
  // The key of this slot is that of the block that is at the core from the next cycle on.
  output logic                  load_o,
  output logic [CoreSlot-1:0]   load_slot_o,
  // The native port of the core, seen from here.
  input  logic                  core_idle_i,
  output logic                  core_in_valid_o,
  input  logic                  core_in_ready_i,
  output logic [127:0]          core_in_block_o,
  output logic [CoreSlot-1:0]   core_in_slot_o,
  input  logic [127:0]          core_out_block_i
);

  typedef logic [CoreSlot-1:0] slot_t;

  logic [Streams-1:0] waits, keyed, chosen, next, enter, flight, due;
  logic [Streams-1:0] in_idle, out_idle, left, ends, ends_refused, reported;
  logic               load, next_due, next_soon, first, last;
  block_t             text, iv;

  logic [Streams-1:0][3:0]   stream_slot;
  logic [Streams-1:0][127:0] kept;
  slot_t [Streams-1:0]       slot;

  rsm_mode_intake #(
    .Streams (Streams),
    .Slots   (KeySlots)
  ) u_intake (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o        (in_idle),
    .msg_valid_i,
    .msg_ready_o,
    .msg_i,
    .in_valid_i,
    .in_ready_o,
    .in_i,
    .key_slot_i,
    .key_open_o,
    .waits_o       (waits),
    .slot_o        (stream_slot),
    .chosen_i      (chosen),
    .next_i        (next),
    .pop_i         (load),
    .text_o        (text),
    .iv_o          (iv),
    .first_o       (first),
    .last_o        (last),
    .end_o         (ends),
    .end_refused_o (ends_refused),
    .reported_i    (reported)
  );

  // --- Whose turn it is ---

  logic [Streams*KeySlots-1:0] loaded_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) loaded_q <= '0;
    else if (key_loaded_i)  loaded_q[key_loaded_slot_i] <= 1'b1;
  end

  always_comb begin
    for (int unsigned i = 0; i < Streams; i++) begin
      slot[i]  = slot_t'(i * KeySlots + ((KeySlots > 1) ? 32'(stream_slot[i]) : 32'd0));
      keyed[i] = loaded_q[slot[i]];
    end
  end

  rsm_stream_scheduler #(
    .Streams (Streams),
    .Latency (Latency),
    .Places  (2)
  ) u_scheduler (
    .clk_i,
    .rst_ni,
    .clear_i,
    .ready_i     (waits & keyed),
    .left_i      (left),
    .load_o      (load),
    .next_o      (next),
    .next_due_o  (next_due),
    .next_soon_o (next_soon),
    .chosen_o    (chosen),
    .enter_o     (enter),
    .flight_o    (flight),
    .due_o       (due),
    .core_in_valid_o,
    .core_in_ready_i
  );

  // --- The block: what waits, and what it is chained to ---

  block_t text_q, chain_q, next_kept, chain;
  slot_t  next_slot, slot_q;
  logic   last_q, now_q;

  always_comb begin
    next_kept = '0;
    next_slot = '0;
    for (int unsigned i = 0; i < Streams; i++) begin
      next_kept |= kept[i] & {128{next[i]}};
      next_slot |= slot[i] & {CoreSlot{next[i]}};
    end
  end

  // The result comes in the cycle after the one in which the block is loaded, in that same cycle,
  // or it has come before.
  assign chain = now_q ? core_out_block_i : chain_q;

  always_ff @(posedge clk_i) begin
    now_q <= load & next_soon & ~first;
    if (clear_i)   chain_q <= '0;
    else if (load) chain_q <= first ? iv : next_due ? core_out_block_i : next_kept;
    else           chain_q <= chain;
    if (clear_i) begin
      text_q <= '0;
      slot_q <= '0;
    end else if (load) begin
      text_q <= text;
      slot_q <= next_slot;
    end
    if (load) last_q <= last;
  end

  assign core_in_block_o = text_q ^ chain;
  assign core_in_slot_o  = slot_q;
  assign load_o          = load;
  assign load_slot_o     = next_slot;

  // --- Results ---

  for (genvar i = 0; i < Streams; i++) begin : gen_stream
    logic flight_last_q;

    always_ff @(posedge clk_i) begin
      if (enter[i]) flight_last_q <= last_q;
    end

    rsm_mode_outlet u_outlet (
      .clk_i,
      .rst_ni,
      .clear_i,
      .idle_o        (out_idle[i]),
      .due_i         (due[i]),
      .last_i        (flight_last_q),
      .result_i      (core_out_block_i),
      .kept_o        (kept[i]),
      .end_i         (ends[i] & ~waits[i] & ~chosen[i] & ~flight[i]),
      .end_refused_i (ends_refused[i]),
      .reported_o    (reported[i]),
      .out_valid_o   (out_valid_o[i]),
      .out_ready_i   (out_ready_i[i]),
      .out_o         (out_o[i]),
      .left_o        (left[i])
    );

    assign idle_o[i] = core_idle_i & in_idle[i] & out_idle[i] & ~chosen[i] & ~flight[i];
  end

endmodule
