// SPDX-License-Identifier: Apache-2.0
//
// OCB3 (RFC 7253): one block of the core for each block of text or associated data, and two for a
// message.
//
// The front adds an offset to every block, and writes down in a queue what it is for; the back adds
// the same offset to the result. What the offsets are made of, the encryption of zero doubled again
// and again, is computed with the first message after a key was loaded and kept for its slot; where
// the offsets of a message begin is computed while the message before runs. The core is kept full
// within a message; the tag of one that is decrypted waits for its text.
//
// Text is released as it comes, the verdict on the tag at the end: what a message with a wrong tag
// brought must be thrown away. All bytes of a tag are compared at once. Refused are tags of no
// bytes or more than 16, nonces of no bytes or more than 15, parts out of order or cut short
// inside, a verification without tag, and parts of more than 2^LimitWidth - 2 blocks.
//
// Latency: that of the core and one cycle; for the first message after a pause, twice that.
module rsm_mode_ocb
  import rsm_mode_pkg::*;
#(
  parameter int unsigned Depth      = 2,  // blocks that may be in the core
  parameter int unsigned Slots      = 1,
  parameter bit          Encrypts   = 1'b1,
  parameter bit          Decrypts   = 1'b1,
  parameter int unsigned LimitWidth = 30
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

  // Where the multiples of a key stand: that for short blocks, that for tags, and from 2 on those
  // that go with the zeros at the end of a block's number.
  localparam int unsigned Multiples = 32;
  localparam int unsigned SlotBits  = $clog2(Slots);
  localparam int unsigned Words     = Multiples * 2 ** SlotBits;
  localparam int unsigned WordBits  = 5 + SlotBits;

  typedef logic [WordBits-1:0]   word_t;
  typedef logic [4:0]            multiple_t;
  typedef logic [LimitWidth-1:0] limit_t;   // the number of a block

  localparam multiple_t Short  = 5'd0;
  localparam multiple_t ForTag = 5'd1;

  typedef enum logic [1:0] {
    StateIdle,
    StateRun,
    StateTag,       // the tag of a generation
    StateRefuse     // beats are dropped
  } state_e;

  // On the way to the next message.
  typedef enum logic [2:0] {
    NextNone,
    NextKey,        // the encryption of zero is on its way
    NextFill,       // its multiples are written
    NextNonce,      // the key is there
    NextTop,        // the encryption of the nonce is on its way
    NextReady
  } next_e;

  typedef enum logic [2:0] {
    KindKey,
    KindTop,
    KindAad,        // the result is added to the sum
    KindText,       // the result and the operand are text
    KindTag,
    KindRefused
  } kind_e;

  typedef struct packed {
    kind_e  kind;
    logic   decrypt;
    logic   unequal;   // the tag has not the length that was said
    keep_t  keep;
    block_t operand;
  } entry_t;

  function automatic multiple_t of_number(limit_t number);
    multiple_t found;
    found = 5'd31;
    for (int i = LimitWidth - 1; i >= 0; i--) begin
      if (number[i]) found = multiple_t'(i + 2);
    end
    return found;
  endfunction

  function automatic word_t place(logic [3:0] slot, multiple_t multiple);
    return word_t'({slot, multiple});
  endfunction

  // --- Messages ---

  msg_t       head;
  logic       head_valid, heads_idle, unused_heads_single;
  logic       legal, start, leave;
  state_e     state_d, state_q;
  logic       decrypt_q;
  logic [3:0] slot_q;
  bytes_t     tag_bytes_q;
  keep_t      tag_keep;

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

  assign tag_keep = keep_of(tag_bytes_q);

  assign legal = (head.decrypt ? Decrypts : Encrypts) & Encrypts & (head.tag_bytes != '0) &
                 (head.tag_bytes <= Full) & (head.iv_bytes != '0) & (head.iv_bytes < Full) &
                 (32'(head.slot) < Slots);

  assign key_open_o = ~(head_valid & (head.slot == key_i.slot)) &
                      ~((state_q != StateIdle) & (slot_q == key_i.slot));

  // --- What the results are for ---

  entry_t entry_in, step_entry, entry;
  logic   queue_ready, entry_valid, entries_idle, unused_entries_single;
  logic   push, take, with_core, with_beat;
  block_t result, released;

  // --- The next message: its key, and where its offsets begin ---

  next_e       next_q;
  logic [15:0] keyed_q;          // slots whose multiples are there
  logic        ask, asked, asks_key;
  logic        filled, clearing_q;
  multiple_t   fill_q;
  block_t      multiple_q, top_q;
  block_t      nonce, offset_first;
  block_t      multiples_q [Words];
  word_t       clear_q;

  // The length of the tag, a one, and the nonce at the right.
  assign nonce = {head.tag_bytes[3:0], 124'd0}
                 | (kept_bytes(head.iv, keep_of(head.iv_bytes)) >> {5'(Full - head.iv_bytes), 3'd0})
                 | (128'd1 << {head.iv_bytes, 3'd0});

  assign offset_first = block_t'(({top_q, top_q[127:64] ^ top_q[119:56]} << nonce[5:0]) >> 64);

  assign asks_key = (next_q == NextNone);
  assign ask      = head_valid & legal & ~clearing_q &
                    ((asks_key & ~keyed_q[head.slot]) | (next_q == NextNonce));
  assign asked    = ask & queue_ready & core_in_ready_i;
  assign filled   = (next_q == NextFill) & (fill_q == multiple_t'(Multiples - 1));
  assign start    = head_valid & (~legal | (next_q == NextReady)) &
                    ((state_q == StateIdle) | leave);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      next_q  <= NextNone;
      keyed_q <= '0;
    end else begin
      if (key_i.loaded) keyed_q[key_i.slot] <= 1'b0;
      case (next_q)
        NextNone: begin
          if (asked)                                                  next_q <= NextKey;
          else if (head_valid && legal && keyed_q[head.slot] && !start) next_q <= NextNonce;
        end
        NextKey:   if (take && entry.kind == KindKey) next_q <= NextFill;
        NextFill: begin
          if (filled) begin
            next_q              <= NextNonce;
            keyed_q[head.slot]  <= 1'b1;
          end
        end
        NextNonce: if (asked) next_q <= NextTop;
        NextTop:   if (take && entry.kind == KindTop) next_q <= NextReady;
        default:   if (start) next_q <= NextNone;
      endcase
    end
    fill_q <= (next_q == NextFill) ? fill_q + multiple_t'(1) : '0;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      {multiple_q, top_q} <= '0;
    end else begin
      if (take && entry.kind == KindKey) multiple_q <= core_out_i.block;
      else if (next_q == NextFill)       multiple_q <= double(multiple_q);
      if (take && entry.kind == KindTop) top_q <= core_out_i.block;
    end
    if (!rst_ni)                             clearing_q <= 1'b0;
    else if (clear_i)                        clearing_q <= 1'b1;
    else if (clear_q == word_t'(Words - 1))  clearing_q <= 1'b0;
    if (clear_i)         clear_q <= '0;
    else if (clearing_q) clear_q <= clear_q + word_t'(1);
  end

  always_ff @(posedge clk_i) begin
    if (clearing_q || next_q == NextFill) begin
      multiples_q[clearing_q ? clear_q : place(head.slot, fill_q)] <= clearing_q ? '0 : multiple_q;
    end
  end

  // --- Beats in, and blocks to the core ---

  part_e     part;
  logic      full, empty, out_of_order, bad, spent;
  logic      texted_q, short_q;
  part_e     before_q;
  logic      first_text;
  limit_t    number_q, number;
  block_t    data, given, offset_q, offset, offset_before, start_q, checksum_q, block;
  multiple_t multiple;
  logic      needs_core, needs_queue, takes, drained;
  logic      step, inverse;

  assign part         = in_i.part;
  assign full         = in_i.keep[0];
  assign empty        = ~in_i.keep[15];
  assign data         = kept_bytes(in_i.data, in_i.keep);
  assign given        = padded(in_i.data, in_i.keep);
  assign out_of_order = ((part == PartAad) & texted_q) | (short_q & (part == before_q) & ~empty);

  always_comb begin
    case (part)
      PartAad:  bad = in_i.last & decrypt_q;
      PartText: bad = in_i.last & decrypt_q;
      PartTag:  bad = ~decrypt_q | ~in_i.last;
      default:  bad = 1'b1;
    endcase
    bad |= out_of_order | (spent & ~empty & (part != PartTag));
  end

  // Text begins anew: with an offset of its own, and block 1.
  assign first_text    = ~texted_q & ((state_q == StateTag) | (part != PartAad));
  assign offset_before = first_text ? start_q : offset_q;
  assign number        = first_text ? limit_t'(1) : number_q;
  assign spent         = (&number_q) & ~first_text;

  always_comb begin
    state_d     = state_q;
    needs_core  = 1'b0;
    needs_queue = 1'b1;
    takes       = 1'b0;
    inverse     = 1'b0;
    multiple    = full ? of_number(number) : Short;
    block       = given ^ offset;
    step_entry  = '{kind: KindRefused, decrypt: decrypt_q, unequal: 1'b0, keep: in_i.keep,
                    operand: offset};
    case (state_q)
      StateRun: begin
        takes = 1'b1;
        if (bad) begin
          needs_queue = in_i.last;
          state_d     = in_i.last ? StateIdle : StateRefuse;
        end else if (part == PartTag) begin
          needs_core         = 1'b1;
          multiple           = ForTag;
          block              = checksum_q ^ offset;
          step_entry.kind    = KindTag;
          step_entry.keep    = tag_keep;
          step_entry.unequal = (in_i.keep != tag_keep);
          step_entry.operand = data;
          state_d            = StateIdle;
        end else begin
          needs_core  = ~empty;
          needs_queue = ~empty;
          if (part == PartText) begin
            step_entry.kind = KindText;
            inverse         = decrypt_q & full;
            if (!full) begin
              block              = offset;
              step_entry.operand = data;
            end
          end else begin
            step_entry.kind = KindAad;
          end
          if (in_i.last) state_d = StateTag;
        end
      end
      StateTag: begin
        needs_core         = 1'b1;
        multiple           = ForTag;
        block              = checksum_q ^ offset;
        step_entry.kind    = KindTag;
        step_entry.keep    = tag_keep;
        step_entry.operand = '0;
        state_d            = StateIdle;
      end
      StateRefuse: begin
        takes       = 1'b1;
        needs_queue = in_i.last;
        if (in_i.last) state_d = StateIdle;
      end
      default: needs_queue = 1'b0;
    endcase
  end

  // A decryption ends when its whole text is out of the core: its checksum is there then, and no
  // block of it comes into the checksum of the next message, also where it is refused.
  assign drained = ~decrypt_q | (state_d != StateIdle) | entries_idle;
  assign offset  = offset_before ^ multiples_q[place(slot_q, multiple)];

  logic able;

  assign able       = ~ask & (state_q != StateIdle) & drained & (~needs_queue | queue_ready) &
                      (~needs_core | core_in_ready_i);
  assign step       = able & (~takes | in_valid_i);
  assign in_ready_o = able & takes;
  assign leave      = step & (state_d == StateIdle);
  assign push       = asked | (step & needs_queue);

  assign core_in_valid_o = queue_ready & (ask | ((state_q != StateIdle) & needs_core & drained &
                                                 (~takes | in_valid_i)));
  assign core_in_o       = '{
    block:   ~ask ? block : asks_key ? '0 : {nonce[127:6], 6'd0},
    decrypt: ~ask & inverse,
    slot:    ask ? head.slot : slot_q
  };

  always_comb begin
    entry_in = step_entry;
    if (ask) entry_in.kind = asks_key ? KindKey : KindTop;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) state_q <= StateIdle;
    else if (start)         state_q <= legal ? StateRun : StateRefuse;
    else if (step)          state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      {texted_q, short_q} <= '0;
      before_q            <= PartTag;
    end else if (step && takes) begin
      texted_q <= texted_q | (part == PartText);
      short_q  <= ~full;
      before_q <= part;
    end
    if (clear_i) begin
      {decrypt_q, slot_q, tag_bytes_q}            <= '0;
      {number_q, offset_q, start_q, checksum_q} <= '0;
    end else if (start) begin
      {decrypt_q, slot_q, tag_bytes_q} <= {head.decrypt, head.slot, head.tag_bytes};
      number_q   <= limit_t'(1);
      offset_q   <= '0;
      start_q    <= offset_first;
      checksum_q <= '0;
    end else begin
      if (step && takes && part == PartText && !bad) begin
        offset_q <= empty ? offset_before : offset;
        number_q <= empty ? number : number + limit_t'(1);
        if (!empty && !decrypt_q) checksum_q <= checksum_q ^ given;
      end else if (step && takes && part == PartAad && !empty) begin
        offset_q <= offset;
        number_q <= number_q + limit_t'(1);
      end
      if (take && entry.kind == KindText && entry.decrypt) begin
        checksum_q <= checksum_q ^ released;
      end
    end
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
    .in_valid_i  (push),
    .in_ready_o  (queue_ready),
    .in_data_i   (entry_in),
    .out_valid_o (entry_valid),
    .out_ready_i (take),
    .out_data_o  (entry)
  );

  block_t sum_q, tag;   // the sum over associated data; the tag, or its difference to one

  assign with_core = (entry.kind != KindRefused);
  assign with_beat = (entry.kind == KindText) | (entry.kind == KindTag) |
                     (entry.kind == KindRefused);
  assign result    = kept_bytes(core_out_i.block ^ entry.operand, entry.keep);
  assign released  = padded(result, entry.keep);
  assign tag       = kept_bytes(core_out_i.block ^ entry.operand ^ sum_q, entry.keep);

  assign core_out_ready_o = entry_valid & with_core & (out_ready_i | ~with_beat);
  assign out_valid_o      = entry_valid & with_beat & (core_out_valid_i | ~with_core);
  assign take             = entry_valid & (core_out_valid_i | ~with_core) &
                            (out_ready_i | ~with_beat);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i || (take && (entry.kind == KindTag || entry.kind == KindRefused))) begin
      sum_q <= '0;
    end else if (take && entry.kind == KindAad) begin
      sum_q <= sum_q ^ core_out_i.block;
    end
  end

  logic ends, generates;

  assign ends      = (entry.kind == KindTag) | (entry.kind == KindRefused);
  assign generates = (entry.kind == KindTag) & ~entry.decrypt;
  assign out_o     = '{
    data:   generates ? tag : ends ? '0 : result,
    keep:   (ends & ~generates) ? '0 : entry.keep,
    part:   generates ? PartTag : PartText,
    last:   ends,
    status: '{
      spare:     1'b0,
      refused:   (entry.kind == KindRefused),
      wrong_tag: (entry.kind == KindTag) & entry.decrypt & ((tag != '0) | entry.unequal)
    }
  };

  assign idle_o = core_idle_i & heads_idle & entries_idle & (state_q == StateIdle) & ~clearing_q;

  logic unused_in;

  assign unused_in = ^head;

endmodule
