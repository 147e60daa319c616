// SPDX-License-Identifier: Apache-2.0
//
// XTS with ciphertext stealing (IEEE 1619, NIST SP 800-38E), for storage: the IV is the number of
// the sector, 16 bytes, the least significant one first.
//
// A message of slot s has two keys: that of the text in key slot 2s, that of the tweak in 2s + 1.
// The tweak of the next message is computed while the one before runs, and the core is kept full
// but for the last two blocks of a text that has not whole blocks: the second of them needs the
// result of the first. A beat is held until it is known whether it is one of those.
//
// Refused are texts of less than 16 bytes or more than 2^LimitWidth blocks (the standard's limit is
// that of 20), and directions that the core does not have.
//
// Latency: that of the core and one cycle; it is longer for the first message after a pause, by the
// tweak.
module rsm_mode_xts
  import rsm_mode_pkg::*;
#(
  parameter int unsigned Depth      = 2,  // blocks that may be in the core
  parameter int unsigned Slots      = 1,  // of pairs of keys; messages of others are refused
  parameter bit          Encrypts   = 1'b1,
  parameter bit          Decrypts   = 1'b1,
  parameter int unsigned LimitWidth = 20
) (
  input  logic      clk_i,
  input  logic      rst_ni,
  input  logic      clear_i,
  output logic      idle_o,
  // A message begins.
  input  logic      msg_valid_i,
  output logic      msg_ready_o,
  input  msg_t      msg_i,
  // What comes in.
  input  logic      in_valid_i,
  output logic      in_ready_o,
  input  beat_t     in_i,
  // What goes out.
  output logic      out_valid_o,
  input  logic      out_ready_i,
  output answer_t   out_o,
  // Keys go past, to the core.
  input  key_t      key_i,
  output logic      key_open_o,
  // The full port of the core, seen from here.
  input  logic      core_idle_i,
  output logic      core_in_valid_o,
  input  logic      core_in_ready_i,
  output core_req_t core_in_o,
  input  logic      core_out_valid_i,
  output logic      core_out_ready_o,
  input  core_rsp_t core_out_i
);

  typedef logic [LimitWidth:0] count_t;

  typedef enum logic [2:0] {
    StateIdle,
    StateRun,
    StateSteal,     // the result of the block before the last is awaited
    StateLast,      // the last block of the core, in place of the one before
    StateEnd,       // the bytes that it was stolen from
    StateRefuse     // beats are dropped
  } state_e;

  typedef enum logic [2:0] {
    KindTweak,      // the result is the tweak of the next message
    KindText,       // the result and the operand are text
    KindSteal,      // they are what the last block takes from
    KindKept,       // the operand is text
    KindRefused
  } kind_e;

  typedef enum logic [1:0] {
    NextNone,
    NextAsked,
    NextReady
  } next_e;

  typedef struct packed {
    kind_e  kind;
    logic   last;
    keep_t  keep;
    block_t operand;
  } entry_t;

  // Twice a tweak: its first byte is the least significant one.
  function automatic block_t doubled(block_t tweak);
    block_t number, twice, found;
    for (int i = 0; i < 16; i++) number[8*i+:8] = tweak[127-8*i-:8];
    twice = double(number);
    for (int i = 0; i < 16; i++) found[127-8*i-:8] = twice[8*i+:8];
    return found;
  endfunction

  // --- Messages, and the tweak of the next one ---

  msg_t   head;
  logic   head_valid, heads_idle, unused_heads_single;
  logic   head_legal, ask, start, leave;
  next_e  next_q;
  block_t next_tweak_q;
  state_e state_d, state_q;
  logic   decrypt_q;
  logic [2:0] slot_q;

  rsm_stream_fifo #(
    .Width ($bits(msg_t)),
    .Depth (1)
  ) u_heads (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o      (heads_idle),
    .single_o    (unused_heads_single),
    .in_valid_i  (msg_valid_i),
    .in_ready_o  (msg_ready_o),
    .in_data_i   (msg_i),
    .out_valid_o (head_valid),
    .out_ready_i (start),
    .out_data_o  (head)
  );

  assign head_legal = (head.decrypt ? Decrypts : Encrypts) & (head.iv_bytes == Full) &
                      (32'(head.slot) < Slots);
  assign ask        = head_valid & head_legal & (next_q == NextNone);
  assign start      = head_valid & (~head_legal | (next_q == NextReady)) &
                      ((state_q == StateIdle) | leave);
  assign key_open_o = ~(head_valid & (head.slot[2:0] == key_i.slot[3:1])) &
                      ~((state_q != StateIdle) & (slot_q == key_i.slot[3:1]));

  // --- Beats in, and blocks to the core ---

  logic   text, full, empty;
  logic   held_q, held_last_q;   // a beat waits; it is the last one
  block_t beat_q;
  block_t tweak_q, tweak, twice, stolen_q;
  block_t given, stolen_first;   // the bytes of a beat, and those that it takes the place of
  block_t stolen_rest;           // what is given out of the block that was stolen from
  keep_t  stolen_keep_q;
  logic   twist;                 // the two tweaks of the last blocks change places
  logic   gives, needs_queue, takes, advances, holds;
  logic   step, asked, queue_ready;
  count_t blocks_q;              // whole blocks of the text
  logic   spent;                 // there may be no byte more
  logic   stolen_known_q;        // the result that is stolen from is here
  block_t block;
  entry_t entry_in, step_entry;

  // What the results are for.
  entry_t entry;
  logic   entry_valid, entries_idle, unused_entries_single;
  logic   take, with_core, with_beat;
  block_t result;

  assign given        = kept_bytes(in_i.data, in_i.keep);
  assign stolen_first = kept_bytes(stolen_q, in_i.keep);
  assign stolen_rest  = kept_bytes(stolen_q, stolen_keep_q);
  assign twice        = doubled(tweak_q);

  assign text  = (in_i.part == PartText);
  assign full  = in_i.keep[0];
  assign empty = ~in_i.keep[15];
  assign spent = blocks_q[LimitWidth];

  always_comb begin
    state_d     = state_q;
    gives       = 1'b0;   // a block to the core
    needs_queue = 1'b0;
    takes       = 1'b0;   // the beat at the port
    holds       = 1'b0;   // and keeps it
    advances    = 1'b0;   // the tweak
    twist       = 1'b0;
    block       = beat_q;
    step_entry  = '{kind: KindText, last: 1'b0, keep: '1, operand: tweak};
    case (state_q)
      StateRun: begin
        if (held_q && held_last_q) begin
          {gives, needs_queue, advances} = '1;
          step_entry.last = 1'b1;
          state_d         = StateIdle;
        end else if (in_valid_i) begin
          if (text && full && !spent) begin
            {takes, holds}  = '1;
            gives           = held_q;
            needs_queue     = held_q;
            advances        = held_q;
          end else if (text && empty && (held_q || !in_i.last)) begin
            takes = 1'b1;
          end else if (text && in_i.last && held_q && !spent) begin
            {gives, needs_queue} = '1;
            step_entry.kind = KindSteal;
            twist           = decrypt_q;
            state_d         = StateSteal;
          end else begin
            state_d = StateRefuse;
          end
        end
      end
      StateSteal: if (stolen_known_q) state_d = StateLast;
      StateLast: begin
        {gives, needs_queue, takes} = '1;
        twist   = ~decrypt_q;
        block   = given ^ stolen_q ^ stolen_first;
        state_d = StateEnd;
      end
      StateEnd: begin
        needs_queue = 1'b1;
        step_entry  = '{kind: KindKept, last: 1'b1, keep: stolen_keep_q, operand: stolen_rest};
        state_d     = StateIdle;
      end
      StateRefuse: begin
        takes       = 1'b1;
        needs_queue = in_i.last;
        step_entry  = '{kind: KindRefused, last: 1'b1, keep: '0, operand: '0};
        if (in_valid_i && in_i.last) state_d = StateIdle;
      end
      default: ;
    endcase
  end

  // The tweak of the next message goes first.
  assign asked = ask & queue_ready & core_in_ready_i;
  assign step  = ~ask & (~takes | in_valid_i) & (~gives | core_in_ready_i) &
                 (~needs_queue | queue_ready);
  assign leave = step & (state_q != StateIdle) & (state_d == StateIdle);

  assign in_ready_o        = ~ask & takes & (~gives | core_in_ready_i) &
                             (~needs_queue | queue_ready);
  assign tweak             = twist ? twice : tweak_q;
  assign core_in_valid_o = (ask | (gives & (~takes | in_valid_i))) & queue_ready;
  assign core_in_o       = '{
    block:   ask ? head.iv : block ^ tweak,
    decrypt: ~ask & decrypt_q,
    slot:    ask ? {head.slot[2:0], 1'b1} : {slot_q, 1'b0}
  };

  always_comb begin
    entry_in = step_entry;
    if (ask) entry_in = '{kind: KindTweak, last: 1'b0, keep: '0, operand: '0};
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i)              state_q <= StateIdle;
    else if (start)                      state_q <= head_legal ? StateRun : StateRefuse;
    else if (step)                       state_q <= state_d;
    if (!rst_ni || clear_i)              next_q <= NextNone;
    else if (asked)                      next_q <= NextAsked;
    else if (start)                      next_q <= NextNone;
    else if (take && entry.kind == KindTweak) next_q <= NextReady;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i || start) begin
      {held_q, held_last_q, blocks_q} <= '0;
    end else if (step) begin
      if (holds) blocks_q <= blocks_q + count_t'(1);
      if (holds)      held_q <= 1'b1;
      else if (gives) held_q <= 1'b0;
      if (takes) held_last_q <= in_i.last;
    end
    if (clear_i) begin
      {decrypt_q, slot_q, tweak_q, beat_q} <= '0;
    end else begin
      if (start) begin
        {decrypt_q, slot_q, tweak_q} <= {head.decrypt, head.slot[2:0], next_tweak_q};
      end else if (step && advances) begin
        tweak_q <= twice;
      end
      if (step && holds) beat_q <= in_i.data;
    end
    if (start)                                 stolen_known_q <= 1'b0;
    else if (take && entry.kind == KindSteal)  stolen_known_q <= 1'b1;
    if (step && state_q == StateLast) stolen_keep_q <= in_i.keep;
  end

  // --- Results ---

  rsm_stream_fifo #(
    .Width ($bits(entry_t)),
    .Depth (Depth)
  ) u_entries (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o      (entries_idle),
    .single_o    (unused_entries_single),
    .in_valid_i  (asked | (step & needs_queue)),
    .in_ready_o  (queue_ready),
    .in_data_i   (entry_in),
    .out_valid_o (entry_valid),
    .out_ready_i (take),
    .out_data_o  (entry)
  );

  assign with_core = (entry.kind == KindTweak) | (entry.kind == KindText) |
                     (entry.kind == KindSteal);
  assign with_beat = (entry.kind != KindTweak) & (entry.kind != KindSteal);
  assign result    = core_out_i.block ^ entry.operand;

  assign core_out_ready_o = entry_valid & with_core & (out_ready_i | ~with_beat);
  assign out_valid_o      = entry_valid & with_beat & (core_out_valid_i | ~with_core);
  assign take             = entry_valid & (core_out_valid_i | ~with_core) &
                            (out_ready_i | ~with_beat);

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      {next_tweak_q, stolen_q} <= '0;
    end else if (take) begin
      if (entry.kind == KindTweak) next_tweak_q <= core_out_i.block;
      if (entry.kind == KindSteal) stolen_q     <= result;
    end
  end

  assign out_o = '{
    data:   (entry.kind == KindText) ? result : entry.operand,
    keep:   entry.keep,
    part:   PartText,
    last:   entry.last,
    status: '{spare: 1'b0, refused: (entry.kind == KindRefused), wrong_tag: 1'b0}
  };

  assign idle_o = core_idle_i & heads_idle & entries_idle & (state_q == StateIdle);

  logic unused_in;

  assign unused_in = ^{head, key_i};

endmodule
