// SPDX-License-Identifier: Apache-2.0
//
// OCB3 (RFC 7253) over a core that has one block at a time: one block of the core for each block of
// text or associated data, and two for a message.
//
// It does what rsm_mode_ocb does, of a single key slot, and stands on the native port. One register
// works, and a memory of eight words keeps what else there is: offsets, the two sums, and what is
// made of a key. There is one addition of 128 bits, of the working register and either a word of
// the memory or the beat at the port. A block goes through it step by step while the core has the
// one before: its multiple of the key is fetched and doubled, the offset is made of it, the beat
// comes, is added to the checksum, and waits. Shifts by one bit double, and stretch the nonce as
// far as it says; shifts by one byte bring it to the right.
//
// The encryption of zero is asked for with the first message after a key, once the nonce has gone.
//
// Text is released as it comes, the verdict on the tag at the end: what a message with a wrong tag
// brought must be thrown away. All bytes of a tag are compared at once. Refused are tags of no
// bytes or more than 16, nonces of no bytes or more than 15, parts out of order or cut short
// inside, a verification without tag, and parts of more than 2^LimitWidth - 2 blocks.
//
// Latency: a block of text takes that of the core, or 8 cycles and one for each zero at the end of
// its number in binary, if they are more. A message takes up to 80 cycles to begin, beside that of
// the core, most of them for the nonce.
module rsm_mode_ocb_oneblock
  import rsm_mode_pkg::*;
#(
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
  // The core, which cannot wait, seen from here.
  input  logic      core_idle_i,
  output logic      core_in_valid_o,
  input  logic      core_in_ready_i,
  output core_req_t core_in_o,
  input  logic      core_out_valid_i,
  input  core_rsp_t core_out_i
);

  typedef enum logic [3:0] {
    StateIdle,
    StateNonce,     // the nonce moves to the right
    StateAsk,       // it goes to the core, and the zero of a new key
    StateZero,      // the result is awaited; sums and offset are zero
    StateShift,     // the first offset is made of it, or the multiples of a key
    StateBeat,      // a result or a beat is awaited
    StateFetch,     // the multiple for its block is here
    StateWalk,      // a multiple is doubled, and added to the offset
    StateLoad,      // the beat is taken
    StateSum,       // text is added to the checksum
    StateEnter,     // a block goes to the core
    StateTake,      // a result is here
    StateCompare,   // the tag is here, and the one to verify is added
    StateVerdict,   // it is told
    StateClear      // the memory is overwritten
  } state_e;

  // What a block is for; the result of a short text is added to a beat that stays at the port.
  typedef enum logic [1:0] {
    KindAad,
    KindText,
    KindShort,
    KindTag
  } kind_e;

  typedef logic [2:0]          word_t;
  typedef logic [LimitWidth:0] limit_t;   // the number of a block, and one

  // The memory: the multiples of a key for short blocks, for tags and for block 1, the offset ahead
  // of a text, the checksum, the sum of associated data, and two offsets that take turns.
  localparam word_t WordShort = 3'd0;
  localparam word_t WordTag   = 3'd1;
  localparam word_t WordFirst = 3'd2;
  localparam word_t WordStart = 3'd3;
  localparam word_t WordCheck = 3'd4;
  localparam word_t WordAad   = 3'd5;

  localparam logic [1:0] WordOffset = 2'b11;   // and which one

  state_e     state_d, state_q;
  logic       decrypt_q, decrypt;
  logic [3:0] tag_bytes_q;     // 16 is 0
  logic       keyed_q;         // the multiples of the key are there
  logic       key_q;           // and they are made with this message
  logic [5:0] count_q;
  logic       texted_q, short_q, ended_q, refused_q;
  part_e      before_q;
  logic       sent_q;          // the block of the beat at the port, or of the tag, has entered
  logic       begun_q;         // the text has an offset
  logic       side_q;          // where the last offset is
  logic       unequal_q;       // the tag has not the length that was said
  kind_e      kind_d, kind_q;  // of the block on its way to the core; in it; of the result
  kind_e      core_kind_q, result_kind_q;
  logic       core_side_q, result_side_q;
  logic       busy_q, result_valid_q;  // a block is in the core; its result is here

  // --- What stands at the port ---

  part_e  part;
  logic   start, legal, whole, empty, is_tag, bad, spent, accept;
  keep_t  tag_keep;
  limit_t number_q, probe_q;

  assign part   = in_i.part;
  assign start  = msg_valid_i & msg_ready_o;
  assign accept = in_valid_i & in_ready_o;
  assign legal  = (msg_i.decrypt ? Decrypts : Encrypts) & Encrypts & (msg_i.tag_bytes != '0) &
                  (msg_i.tag_bytes <= Full) & (msg_i.iv_bytes != '0) & (msg_i.iv_bytes < Full) &
                  (msg_i.slot == '0);
  assign empty  = ~in_i.keep[15];
  assign whole  = in_i.keep[15] & in_i.keep[0];
  assign is_tag = in_valid_i & (part == PartTag) & in_i.last & decrypt;

  // One block more would have the number of all ones; but text begins anew.
  assign spent = number_q[LimitWidth] & ~((part == PartText) & ~texted_q);

  always_comb begin
    case (part)
      PartAad:  bad = in_i.last & decrypt;
      PartText: bad = in_i.last & decrypt;
      default:  bad = 1'b1;
    endcase
    bad |= ((part == PartAad) & texted_q) | (short_q & (part == before_q) & ~empty) |
           (spent & ~empty);
  end

  // --- What is done ---

  logic  load, zero, masks, pads, from_port, write, blank, step, more;
  logic  enter, take, refuse, answer, is_text, ends, shifts_d, other_d;
  word_t read, to, prior, place;

  assign decrypt = decrypt_q & Decrypts;
  assign is_text = (kind_q == KindText) | (kind_q == KindShort);
  assign ends    = (&count_q[1:0]) & ((&count_q[5:2]) | key_q);

  // The offset before the block that is made, and its own.
  assign prior = ((kind_q != KindAad) & ~begun_q) ? WordStart : place;
  assign place = {WordOffset, side_q};

  // The multiple is doubled for each zero at the end of the number. In the number and one, the last
  // bit is a one for the first of them.
  assign more = (kind_q != KindTag) & in_i.keep[0] & ((|(number_q & probe_q)) ^ ~probe_q[0]);

  always_comb begin
    state_d    = state_q;
    kind_d     = kind_q;
    shifts_d   = 1'b0;
    other_d    = 1'b0;
    in_ready_o = 1'b0;
    from_port  = 1'b0;
    load       = 1'b0;
    zero       = 1'b0;
    masks      = 1'b0;
    pads       = 1'b0;
    read       = WordFirst;
    blank      = 1'b0;
    write      = 1'b0;
    to         = {WordOffset, ~side_q};
    step       = 1'b0;
    enter      = 1'b0;
    take       = 1'b0;
    refuse     = 1'b0;
    answer     = 1'b0;
    case (state_q)
      StateIdle: begin
        from_port = 1'b1;
        load      = 1'b1;
        zero      = ~start;
        blank     = 1'b1;
        if (start) state_d = legal ? StateNonce : StateBeat;
        shifts_d = start;
        other_d  = start;
      end
      StateNonce: begin
        load     = 1'b1;
        blank    = 1'b1;
        shifts_d = 1'b1;
        other_d  = 1'b1;
        if (ends) state_d = StateAsk;
      end
      StateAsk: begin
        blank   = 1'b1;
        enter   = 1'b1;
        other_d = 1'b1;
        if (core_in_ready_i) begin
          zero    = 1'b1;
          state_d = StateZero;
        end
      end
      StateZero: begin
        load     = result_valid_q;
        take     = result_valid_q;
        blank    = 1'b1;
        write    = ~result_valid_q;
        to       = {1'b1, number_q[1:0]};
        step     = 1'b1;
        shifts_d = result_valid_q;
        other_d  = ~result_valid_q;
        if (result_valid_q) state_d = StateShift;
      end
      StateShift: begin
        load     = 1'b1;
        zero     = ends;
        blank    = 1'b1;
        write    = key_q ^ ends;
        to       = {1'b0, count_q[1:0]};
        shifts_d = 1'b1;
        if (ends) state_d = (key_q | keyed_q) ? StateBeat : StateAsk;
      end
      StateBeat: begin
        other_d = 1'b1;
        if (result_valid_q) begin
          other_d = 1'b0;
          load    = 1'b1;
          take    = 1'b1;
          read    = (result_kind_q == KindText) ? {WordOffset, result_side_q} : WordAad;
          state_d = StateTake;
        end else if (refused_q) begin
          in_ready_o = ~ended_q;
          if (ended_q & ~busy_q & ~out_valid_o) begin
            answer  = 1'b1;
            zero    = 1'b1;
            other_d = 1'b0;
            state_d = StateIdle;
          end
        end else if (~sent_q) begin
          if (ended_q | is_tag) begin
            // The checksum of a text that is decrypted is there when its last block is.
            read   = WordTag;
            kind_d = KindTag;
            if (~decrypt | ~busy_q) begin
              other_d = 1'b0;
              state_d = StateFetch;
            end
          end else if (in_valid_i) begin
            if (~whole) read = WordShort;
            refuse     = bad;
            in_ready_o = ~bad & empty;
            kind_d     = (part == PartAad) ? KindAad : whole ? KindText : KindShort;
            if (~bad & ~empty) begin
              other_d = 1'b0;
              state_d = StateFetch;
            end
          end
        end
      end
      StateFetch: begin
        load     = 1'b1;
        read     = prior;
        shifts_d = 1'b1;
        state_d  = StateWalk;
      end
      StateWalk: begin
        load     = 1'b1;
        zero     = ~more;
        read     = more ? prior : WordCheck;
        write    = ~more;
        step     = ~more;
        shifts_d = more;
        if (~more) state_d = StateLoad;
      end
      StateLoad: begin
        from_port  = (kind_q != KindTag);
        load       = 1'b1;
        zero       = (kind_q == KindShort) & decrypt;
        masks      = from_port;
        pads       = from_port;
        read       = (is_text & ~decrypt) ? WordCheck : place;
        in_ready_o = (kind_q == KindAad) | (kind_q == KindText);
        state_d    = (is_text & ~decrypt) ? StateSum : StateEnter;
      end
      StateSum: begin
        write   = 1'b1;
        to      = WordCheck;
        zero    = decrypt | (kind_q == KindShort);
        read    = place;
        state_d = decrypt ? StateBeat : StateEnter;
        other_d = 1'b1;
      end
      StateEnter: begin
        enter   = ~out_valid_o;
        other_d = 1'b1;
        read    = place;
        if (enter & core_in_ready_i) begin
          zero    = 1'b1;
          state_d = StateBeat;
        end
      end
      StateTake: begin
        from_port = (result_kind_q == KindShort);
        masks     = from_port;
        pads      = from_port;
        case (result_kind_q)
          KindAad: begin
            write   = 1'b1;
            to      = WordAad;
            zero    = 1'b1;
            other_d = 1'b1;
            state_d = StateBeat;
          end
          KindTag: begin
            load   = decrypt;
            answer = ~decrypt & ~out_valid_o;
            zero   = answer;
            read   = WordAad;
            if (decrypt)     state_d = StateCompare;
            else if (answer) state_d = StateIdle;
          end
          default: begin
            answer     = ~out_valid_o;
            in_ready_o = answer & from_port;
            load       = answer;
            zero       = answer & ~decrypt;
            other_d    = answer;
            read       = answer ? WordCheck : {WordOffset, result_side_q};
            if (answer) state_d = decrypt ? StateSum : StateBeat;
          end
        endcase
      end
      StateCompare: begin
        from_port  = 1'b1;
        load       = 1'b1;
        masks      = 1'b1;
        in_ready_o = 1'b1;
        state_d    = StateVerdict;
      end
      StateVerdict: begin
        answer = ~out_valid_o;
        zero   = answer;
        if (answer) state_d = StateIdle;
      end
      default: begin
        blank = 1'b1;
        zero  = 1'b1;
        write = 1'b1;
        to    = number_q[2:0];
        step  = 1'b1;
        if (number_q[2:0] == 3'd1) state_d = StateIdle;
      end
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni)      state_q <= StateIdle;
    else if (clear_i) state_q <= StateClear;
    else              state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    if (start) begin
      {decrypt_q, tag_bytes_q}                      <= {msg_i.decrypt, msg_i.tag_bytes[3:0]};
      {texted_q, short_q, ended_q, sent_q, begun_q} <= '0;
      before_q                                      <= PartTag;
      refused_q                                     <= ~legal;
    end else begin
      if (accept) begin
        texted_q <= texted_q | (part == PartText);
        short_q  <= ~whole;
        ended_q  <= in_i.last;
        before_q <= part;
      end
      if (refuse) refused_q <= 1'b1;
      if (state_q == StateEnter) sent_q <= (kind_q == KindShort) | (kind_q == KindTag);
      else if (accept)           sent_q <= 1'b0;
      if (state_q == StateWalk) begun_q <= begun_q | (~more & (kind_q != KindAad));
    end
    if (clear_i || start)                   side_q <= 1'b0;
    else if (state_q == StateWalk && !more) side_q <= ~side_q;
  end

  // --- Blocks on their way, and their number ---

  logic   goes, decrypts;
  block_t block;

  assign goes = core_in_valid_o & core_in_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      {busy_q, result_valid_q} <= '0;
    end else begin
      busy_q <= goes | (busy_q & ~core_out_valid_i);
      result_valid_q <= core_out_valid_i | (result_valid_q & ~take);
    end
    if (state_q == StateBeat) kind_q <= kind_d;
    if (goes)                 {core_kind_q, core_side_q}     <= {kind_q, side_q};
    if (core_out_valid_i)     {result_kind_q, result_side_q} <= {core_kind_q, core_side_q};
  end

  always_ff @(posedge clk_i) begin
    if (clear_i || start || (state_q == StateZero && result_valid_q) ||
        (state_q == StateBeat && in_valid_i && part == PartText && !texted_q)) begin
      number_q <= limit_t'(2);
    end else if (step) begin
      number_q <= number_q + limit_t'(1);
    end
    if (state_q != StateWalk) probe_q <= limit_t'(1);
    else                      probe_q <= probe_q << 1;
  end

  // --- The memory, and the register that works ---

  block_t words_q [8];
  block_t word_q, work_q, result_q, operand, sum, left, right, next;
  logic   stretches;
  logic   first_q;     // the nonce gets a one in front of it

  always_ff @(posedge clk_i) begin
    if (write) words_q[to] <= sum;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i || blank) word_q <= '0;
    else                             word_q <= words_q[read];
    if (clear_i)                     result_q <= '0;
    else if (core_out_valid_i)       result_q <= core_out_i.block;
  end

  assign operand   = from_port ? ((state_q == StateIdle) ? msg_i.iv : in_i.data) : word_q;
  assign sum       = work_q ^ operand;
  assign stretches = (state_q == StateShift) & ~key_q;
  assign left      = {work_q[126:0], 1'b0} ^
                     {120'd0, {8{work_q[127]}} & (stretches ? 8'h01 : 8'h87)} ^
                     {127'd0, work_q[119] & stretches};
  assign right     = {tag_bytes_q & {4{ends}}, 3'd0, first_q, work_q[127:8]};

  // Where it gets its next value is known at the edge before. It takes two functions of four inputs
  // a bit: the first has the two sources without a shift, or tells which way the shift goes. It
  // knows that there is one from a register of its own: by the same one, a mapper would turn both
  // into three.
  (* keep *) logic shifts_q, shifted_q;
  logic            other_q;
  block_t          plain;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) {shifts_q, shifted_q, other_q} <= '0;
    else                    {shifts_q, shifted_q, other_q} <= {shifts_d, shifts_d, other_d};
  end

  assign plain = shifts_q ? {128{other_q}} : other_q ? result_q : sum;
  assign next  = shifted_q ? (plain & right) | (~plain & left) : plain;

  // Those of each byte, behind the one for all.
  logic [16:0] resets;

  assign resets[0] = !rst_ni | clear_i | zero;

  for (genvar i = 0; i < 32'(Full); i++) begin : gen_byte
    logic counts;

    assign counts      = in_i.keep[15-i];
    assign resets[i+1] = resets[0] | (masks & ~counts);

    // The one of the padding is the first bit of the first byte that does not count; the byte
    // before counts.
    always_ff @(posedge clk_i) begin
      if (resets[i]) work_q[127-8*i] <= 1'b0;
      else if (load) work_q[127-8*i] <= (masks & ~counts) ? pads : next[127-8*i];
    end

    if (i < 15) begin : gen_bits
      always_ff @(posedge clk_i) begin
        if (resets[i+1]) work_q[126-8*i-:7] <= '0;
        else if (load)   work_q[126-8*i-:7] <= next[126-8*i-:7];
      end
    end else begin : gen_last
      // The last bits of the nonce say how far its encryption is shifted, and count as zero there.
      always_ff @(posedge clk_i) begin
        if (resets[i+1]) work_q[6] <= 1'b0;
        else if (load)   work_q[6] <= next[6];
      end
      always_ff @(posedge clk_i) begin
        if (resets[i+1] || (state_q == StateNonce && ends)) work_q[5:0] <= '0;
        else if (load)                                      work_q[5:0] <= next[5:0];
      end
    end
  end

  // --- Keys, and how often the nonce is shifted ---

  always_ff @(posedge clk_i) begin
    first_q <= start;
    if (start)                              key_q <= 1'b0;
    else if (state_q == StateShift && ends) key_q <= 1'b1;
    if (!rst_ni || clear_i || key_i.loaded)          keyed_q <= 1'b0;
    else if (state_q == StateShift && ends && key_q) keyed_q <= 1'b1;
  end

  // It counts to all ones, and on from zero to three for the multiples of a key.
  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      count_q <= '0;
    end else if (start) begin
      count_q <= {2'b11, msg_i.iv_bytes[3:0]};
    end else if (state_q == StateNonce && ends) begin
      count_q <= ~work_q[13:8];
    end else if (state_q == StateNonce || state_q == StateShift) begin
      count_q <= count_q + 6'd1;
    end
  end

  // --- The core ---

  assign core_in_valid_o = enter;
  assign core_in_o       = '{block: block, decrypt: decrypts, slot: '0};

  // An addition by itself: with the entry of a core it is one function of four inputs.
  assign block    = work_q ^ word_q;
  assign decrypts = (state_q == StateEnter) & (kind_q == KindText) & decrypt;

  // --- The answer ---

  logic  makes_tag, makes_text;
  keep_t keep;

  assign makes_text = (state_q == StateTake);
  assign makes_tag  = makes_text & (result_kind_q == KindTag);
  assign tag_keep   = keep_of({tag_bytes_q == '0, tag_bytes_q});
  assign keep       = (result_kind_q == KindTag) ? tag_keep
                      : in_i.keep | {16{result_kind_q == KindText}};

  always_ff @(posedge clk_i) begin
    if (state_q == StateCompare) unequal_q <= (in_i.keep != tag_keep);
  end

  rsm_mode_tag_answer u_answer (
    .clk_i,
    .rst_ni,
    .clear_i,
    .write_i      (answer),
    .data_i       (sum),
    .keep_i       (keep),
    .empty_i      (~makes_text),
    .last_i       (~makes_text | makes_tag),
    .refused_i    (state_q == StateBeat),
    .tag_i        (makes_tag),
    .verdict_i    (state_q == StateVerdict),
    // Zero where the tag has no bytes.
    .tag_keep_i   ('1),
    .difference_i (work_q),
    .unequal_i    (unequal_q),
    .valid_o      (out_valid_o),
    .ready_i      (out_ready_i),
    .answer_o     (out_o)
  );

  assign msg_ready_o = (state_q == StateIdle);
  assign key_open_o  = (state_q == StateIdle);
  assign idle_o      = core_idle_i & (state_q == StateIdle) & ~out_valid_o;

  logic unused_in;

  assign unused_in = ^{msg_i, key_i};

endmodule
