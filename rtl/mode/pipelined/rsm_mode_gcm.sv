// SPDX-License-Identifier: Apache-2.0
//
// Galois/counter mode (NIST SP 800-38D); a message with associated data alone is GMAC.
//
// The front gives the core a block for every beat of text (the counter) and one for the tag, and
// writes down in a queue what each of them is for; the back meets the results with that queue,
// hashes, and sends text and tag. The core is kept full: a message of n blocks takes n + 1 of its
// cycles, and the next one follows without a gap. H, the encryption of zero, is computed with the
// first message after a key was loaded, and kept for each key slot with its powers.
//
// An IV of 12 bytes comes with the message; any other comes as beats of part `iv` before all else
// (and `msg_i.iv_bytes` is 0), and is hashed before the text begins.
//
// Text is released as it comes, the verdict on the tag at the end: what a message with a wrong tag
// brought must be thrown away. All bytes of a tag are compared at once. Refused are: tags of other
// lengths than 4, 8 and 12 to 16 bytes, IVs of no bytes, parts out of order or cut short inside, a
// verification without tag, and texts of more than 2^LimitWidth - 2 blocks (the standard's limit
// is that of 32).
//
// Latency: that of the core and one cycle for text; for a tag, that of the core and of rsm_ghash.
module rsm_mode_gcm
  import rsm_mode_pkg::*;
#(
  parameter int unsigned Depth      = 2,  // blocks that may be in the core
  parameter int unsigned Slots      = 1,
  parameter int unsigned Digit      = 8,  // of rsm_ghash
  parameter int unsigned Lanes      = 1,
  parameter int unsigned Wait       = 2,  // beats that may wait for a tag before them
  parameter int unsigned LimitWidth = 32
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

  typedef enum logic [2:0] {
    StateIdle,
    StateKey,      // H is asked for
    StateIv,       // beats of the IV
    StateIvEnd,    // its length
    StateIvHash,   // the hash of it is awaited
    StateRun,      // associated data, text, the tag to verify
    StateTag,      // the block for the tag of a generation
    StateRefuse    // beats are dropped
  } state_e;

  typedef enum logic [2:0] {
    KindKey,       // the result is H
    KindIv,        // the operand is hashed
    KindIvEnd,     // the same, and ends the hash
    KindAad,       // the operand is hashed and counted
    KindText,      // the result is added to the operand
    KindTag,       // the result is added to the hash
    KindRefused
  } kind_e;

  typedef struct packed {
    kind_e      kind;
    logic       decrypt;
    logic       unequal;   // the tag has not the length that was said
    logic [3:0] slot;
    keep_t      keep;      // the bytes of the operand, or of the tag
    block_t     operand;
  } entry_t;

  typedef logic [LimitWidth-1:0] limit_t;

  typedef enum logic [1:0] {
    SendText,
    SendTag,
    SendVerdict,
    SendRefusal
  } send_e;

  typedef struct packed {
    send_e  send;
    logic   unequal;
    keep_t  keep;
    block_t data;
  } result_t;

  // --- Messages ---

  msg_t   head;
  logic   head_valid, heads_idle, start, leave;
  state_e state_d, state_q, first_state;

  logic unused_heads_single;

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

  logic        tag_legal, iv_legal, slot_legal;
  logic [15:0] keyed_q;       // slots whose H is known, or on its way
  logic        decrypt_q;
  logic [3:0]  slot_q;
  bytes_t      tag_bytes_q;
  keep_t       tag_keep;
  logic        long_iv_q;

  assign tag_keep   = keep_of(tag_bytes_q);
  assign slot_legal = (32'(head.slot) < Slots);
  assign tag_legal  = (head.tag_bytes == 5'd4) | (head.tag_bytes == 5'd8) |
                      ((head.tag_bytes >= 5'd12) & (head.tag_bytes <= Full));
  assign iv_legal   = (head.iv_bytes == 5'd12) | (head.iv_bytes == '0);

  // What comes after the key of the message: its IV, or at once the rest.
  always_comb begin
    if (!tag_legal || !iv_legal || !slot_legal) first_state = StateRefuse;
    else if (!keyed_q[head.slot])               first_state = StateKey;
    else if (head.iv_bytes == '0)               first_state = StateIv;
    else                                        first_state = StateRun;
  end

  assign start = head_valid & ((state_q == StateIdle) | leave);

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      {decrypt_q, slot_q, tag_bytes_q, long_iv_q} <= '0;
    end else if (start) begin
      {decrypt_q, slot_q, tag_bytes_q} <= {head.decrypt, head.slot, head.tag_bytes};
      long_iv_q <= (head.iv_bytes == '0);
    end
    if (!rst_ni || clear_i) begin
      keyed_q <= '0;
    end else begin
      if (key_i.loaded) keyed_q[key_i.slot] <= 1'b0;
      if (state_q == StateKey) keyed_q[slot_q] <= 1'b1;
    end
  end

  assign key_open_o = ~(head_valid & (head.slot == key_i.slot)) &
                      ~((state_q != StateIdle) & (slot_q == key_i.slot));

  // --- Beats in, and blocks to the core ---

  part_e  part;
  logic   empty, out_of_order, bad;
  logic   texted_q;           // text has come
  logic   short_q;            // the beat before was short
  logic   ended_q;            // it was the last one
  part_e  before_q;           // its part
  logic   iv_seen_q;
  logic   spent;              // no counter is left
  logic   needs_core, needs_queue, takes_beat;
  logic   step, core_ready, queue_ready;
  logic   hash_valid, hash_ready;
  block_t hash;
  entry_t entry_in;
  logic [95:0] nonce_q;
  logic [31:0] base_q, counter_q;
  logic [35:0] iv_bytes_q;

  assign part         = in_i.part;
  assign empty        = ~in_i.keep[15];
  assign out_of_order = ((part == PartAad) & texted_q) | (short_q & (part == before_q) & ~empty);

  always_comb begin
    case (part)
      PartAad:  bad = in_i.last & decrypt_q;
      PartText: bad = (in_i.last & decrypt_q) | (spent & ~empty);
      PartTag:  bad = ~decrypt_q | ~in_i.last;
      default:  bad = 1'b1;
    endcase
    bad |= out_of_order;
  end

  assign spent = (counter_q[LimitWidth-1:0] == base_q[LimitWidth-1:0] - limit_t'(1));

  // What this cycle needs to happen, and what happens then.
  always_comb begin
    needs_core  = 1'b0;
    needs_queue = 1'b1;
    takes_beat  = 1'b0;
    state_d     = state_q;
    entry_in    = '{kind: KindRefused, decrypt: decrypt_q, unequal: 1'b0, slot: slot_q,
                    keep: in_i.keep, operand: kept_bytes(in_i.data, in_i.keep)};
    case (state_q)
      StateKey: begin
        needs_core    = 1'b1;
        entry_in.kind = KindKey;
        state_d       = long_iv_q ? StateIv : StateRun;
      end
      StateIv: begin
        if (part == PartIv) begin
          takes_beat    = 1'b1;
          entry_in.kind = KindIv;
          if ((in_i.last && decrypt_q) || out_of_order || empty) begin
            needs_queue   = in_i.last;
            entry_in.kind = KindRefused;
            state_d       = in_i.last ? StateIdle : StateRefuse;
          end else if (in_i.last) begin
            state_d = StateIvEnd;
          end
        end else begin
          // A beat of another part has come, and waits.
          needs_queue = 1'b0;
          state_d     = iv_seen_q ? StateIvEnd : StateRefuse;
        end
      end
      StateIvEnd: begin
        entry_in.kind    = KindIvEnd;
        entry_in.operand = {89'd0, iv_bytes_q, 3'd0};
        state_d          = StateIvHash;
      end
      StateIvHash: begin
        needs_queue = 1'b0;
        state_d     = ended_q ? StateTag : StateRun;
      end
      StateRun: begin
        takes_beat = 1'b1;
        if (bad) begin
          needs_queue = in_i.last;
          state_d     = in_i.last ? StateIdle : StateRefuse;
        end else if (part == PartTag) begin
          needs_core       = 1'b1;
          entry_in.kind    = KindTag;
          entry_in.keep    = tag_keep;
          entry_in.unequal = (in_i.keep != tag_keep);
          state_d          = StateIdle;
        end else begin
          needs_core    = (part == PartText) & ~empty;
          needs_queue   = ~empty;
          entry_in.kind = (part == PartText) ? KindText : KindAad;
          state_d       = in_i.last ? StateTag : StateRun;
        end
      end
      StateTag: begin
        needs_core       = 1'b1;
        entry_in.kind    = KindTag;
        entry_in.keep    = tag_keep;
        entry_in.operand = '0;
        state_d          = StateIdle;
      end
      StateRefuse: begin
        takes_beat  = 1'b1;
        needs_queue = in_i.last;
        state_d     = in_i.last ? StateIdle : StateRefuse;
      end
      default: needs_queue = 1'b0;
    endcase
  end

  // A state that looks at the beat waits for one.
  logic looks, able;

  assign looks      = (state_q == StateIv) | (state_q == StateRun) | (state_q == StateRefuse);
  assign core_ready = core_in_ready_i;
  assign able       = (state_q != StateIdle) & (~needs_queue | queue_ready) &
                      ((state_q != StateIvHash) | hash_ready);
  assign step       = able & (~looks | in_valid_i) & (~needs_core | core_ready);
  assign in_ready_o = able & takes_beat & (~needs_core | core_ready);
  assign leave      = step & (state_d == StateIdle);

  assign core_in_valid_o = able & (~looks | in_valid_i) & needs_core;
  assign core_in_o       = '{
    block:   (state_q == StateKey) ? '0
             : {nonce_q, (entry_in.kind == KindTag) ? base_q : counter_q},
    decrypt: 1'b0,
    slot:    slot_q
  };

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) state_q <= StateIdle;
    else if (start)         state_q <= first_state;
    else if (step)          state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      {texted_q, short_q, ended_q, iv_seen_q} <= '0;
      before_q   <= PartTag;
      iv_bytes_q <= '0;
    end else if (step && takes_beat) begin
      texted_q   <= texted_q | (part == PartText);
      short_q    <= ~in_i.keep[0];
      ended_q    <= in_i.last;
      before_q   <= part;
      iv_seen_q  <= 1'b1;
      iv_bytes_q <= iv_bytes_q + 36'(bytes_of(in_i.keep));
    end
    if (clear_i) begin
      {nonce_q, base_q, counter_q} <= '0;
    end else if (start) begin
      nonce_q   <= head.iv[127:32];
      base_q    <= 32'd1;
      counter_q <= 32'd2;
    end else if (state_q == StateIvHash) begin
      {nonce_q, base_q} <= hash;
      counter_q         <= hash[31:0] + 32'd1;
    end else if (step && needs_core && state_q == StateRun) begin
      counter_q <= counter_q + 32'd1;
    end
  end

  // --- Results ---

  entry_t entry;
  logic   entry_valid, entries_idle, unused_entries_single;
  logic   take, with_core, with_hash, with_beat;
  logic   ghash_valid, ghash_ready, ghash_last, key_valid, key_ready;
  logic   beat_ready, beat_valid, beats_idle, unused_beats_single;
  block_t result, hashed;
  result_t beat_in, beat;

  rsm_stream_fifo #(
    .Width ($bits(entry_t)),
    .Depth (Depth)
  ) u_entries (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o      (entries_idle),
    .single_o    (unused_entries_single),
    .in_valid_i  (step & needs_queue),
    .in_ready_o  (queue_ready),
    .in_data_i   (entry_in),
    .out_valid_o (entry_valid),
    .out_ready_i (take),
    .out_data_o  (entry)
  );

  assign with_core = (entry.kind == KindKey) | (entry.kind == KindText) | (entry.kind == KindTag);
  assign with_hash = (entry.kind != KindKey);
  assign with_beat = (entry.kind == KindText) | (entry.kind == KindTag) |
                     (entry.kind == KindRefused);

  // All that takes part is ready, each without asking the others.
  assign take = entry_valid & (core_out_valid_i | ~with_core) & (ghash_ready | ~with_hash) &
                (beat_ready | ~with_beat) & ((entry.kind != KindKey) | key_ready);
  assign core_out_ready_o = entry_valid & with_core & (ghash_ready | ~with_hash) &
                            (beat_ready | ~with_beat) & ((entry.kind != KindKey) | key_ready);
  assign ghash_valid = take & with_hash;
  assign key_valid   = entry_valid & (entry.kind == KindKey) & core_out_valid_i;

  assign result = kept_bytes(core_out_i.block ^ entry.operand, entry.keep);

  // What is hashed: ciphertext, associated data, an IV, or the lengths at the end.
  logic [60:0] aad_bytes_q;
  logic [35:0] text_bytes_q;

  always_comb begin
    case (entry.kind)
      KindText:             hashed = entry.decrypt ? entry.operand : result;
      KindTag, KindRefused: hashed = {aad_bytes_q, 3'd0, 25'd0, text_bytes_q, 3'd0};
      default:              hashed = entry.operand;
    endcase
  end

  assign ghash_last = (entry.kind == KindIvEnd) | (entry.kind == KindTag) |
                      (entry.kind == KindRefused);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i || (take && ghash_last)) begin
      aad_bytes_q  <= '0;
      text_bytes_q <= '0;
    end else if (take) begin
      if (entry.kind == KindAad)  aad_bytes_q  <= aad_bytes_q + 61'(bytes_of(entry.keep));
      if (entry.kind == KindText) text_bytes_q <= text_bytes_q + 36'(bytes_of(entry.keep));
    end
  end

  logic ghash_idle, tag_out_ready;

  rsm_ghash #(
    .Digit (Digit),
    .Lanes (Lanes),
    .Slots (Slots)
  ) u_ghash (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o      (ghash_idle),
    .key_valid_i (key_valid),
    .key_ready_o (key_ready),
    .key_slot_i  (entry.slot),
    .key_i       (core_out_i.block),
    .in_valid_i  (ghash_valid),
    .in_ready_o  (ghash_ready),
    .in_slot_i   (entry.slot),
    .in_block_i  (hashed),
    .in_last_i   (ghash_last),
    .out_valid_o (hash_valid),
    .out_ready_i (tag_out_ready | hash_ready),
    .out_hash_o  (hash)
  );

  // The hash of an IV, when all before it has left.
  assign hash_ready = (state_q == StateIvHash) & hash_valid & entries_idle & beats_idle;

  // --- Beats out ---

  always_comb begin
    beat_in = '{send: SendText, unequal: entry.unequal, keep: entry.keep, data: result};
    if (entry.kind == KindTag) begin
      beat_in.send = entry.decrypt ? SendVerdict : SendTag;
    end else if (entry.kind == KindRefused) begin
      beat_in.send = SendRefusal;
    end
  end

  rsm_stream_fifo #(
    .Width ($bits(result_t)),
    .Depth (Wait)
  ) u_beats (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o      (beats_idle),
    .single_o    (unused_beats_single),
    .in_valid_i  (take & with_beat),
    .in_ready_o  (beat_ready),
    .in_data_i   (beat_in),
    .out_valid_o (beat_valid),
    .out_ready_i (out_valid_o & out_ready_i),
    .out_data_o  (beat)
  );

  block_t tag;   // or its difference to the one that came

  assign tag           = kept_bytes(beat.data ^ hash, beat.keep);
  assign out_valid_o   = beat_valid & ((beat.send == SendText) | hash_valid);
  assign tag_out_ready = beat_valid & (beat.send != SendText) & out_ready_i;

  always_comb begin
    out_o = '{
      data:   '0,
      keep:   '0,
      part:   (beat.send == SendTag) ? PartTag : PartText,
      last:   (beat.send != SendText),
      status: '{
        spare:     1'b0,
        refused:   (beat.send == SendRefusal),
        wrong_tag: (beat.send == SendVerdict) & ((tag != '0) | beat.unequal)
      }
    };
    case (beat.send)
      SendText: {out_o.data, out_o.keep} = {beat.data, beat.keep};
      SendTag:  {out_o.data, out_o.keep} = {tag, beat.keep};
      default: ;
    endcase
  end

  assign idle_o = core_idle_i & heads_idle & entries_idle & beats_idle & ghash_idle &
                  (state_q == StateIdle);

  logic unused_in;

  assign unused_in = ^{head, in_i};

endmodule
