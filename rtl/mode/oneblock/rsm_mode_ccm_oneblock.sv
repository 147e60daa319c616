// SPDX-License-Identifier: Apache-2.0
//
// CCM (NIST SP 800-38C) over a core that has one block at a time: counter mode, and CBC-MAC over a
// first block with the lengths, the associated data behind their length, and the text.
//
// It does what rsm_mode_ccm does, of a single key slot, and stands on the native port. A beat of
// text stays at the port while its block of the counter is in the core, and is added to the sum in
// a second turn. What is added waits in one register (`add_q`): the text before encryption, or that
// after decryption, which differ only in when the beat is loaded, as the register of the result is
// zero before the result comes. Bytes that do not count are cleared by its reset.
//
// The length before associated data moves all of it by 2 or 6 bytes. The same register does that by
// turning: the first bytes of a beat are loaded in front of the last ones of the one before, turned
// behind them, and the whole beat is loaded once the sum is on its way.
//
// Text is released as it comes, the verdict on the tag at the end. All bytes of a tag are compared
// at once. What is refused is said in rsm_mode_ccm.
//
// Latency: a beat of text leaves 2 cycles after the core's result, and takes twice the core's
// interval and 3 cycles; a beat of associated data once, and 3 or 5 cycles; a tag follows on the
// last beat after twice the core's latency and 5 cycles, a verdict a cycle later.
module rsm_mode_ccm_oneblock
  import rsm_mode_pkg::*;
(
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
    StateFirst,     // the first block of the sum goes to the core
    StateSum,       // so does the sum with what is added
    StateSumWait,
    StateAad,       // a beat of associated data is awaited, or the last bytes of it are left
    StateAadTurn,
    StateBegin,     // the text begins
    StateBegun,     // what the first beat shall be is known a cycle later
    StateText,      // a beat of text is awaited, and its block of the counter goes to the core
    StateTextWait,
    StateTextOut,
    StateTag,       // the block for the tag goes to the core
    StateTagWait,
    StateTagOut,    // the tag leaves, or the one to verify is taken
    StateVerdict,   // the two are compared
    StateRefuse     // beats are dropped
  } state_e;

  state_e      state_d, state_q;
  logic        closed_q;      // nothing is ready right after a clear
  logic        decrypt_q;
  logic [3:0]  tag_bytes_q;   // 0 for 16
  logic        ended_q;       // the last beat has come
  logic        unequal_q;
  logic [127:16] nonce_q;     // the blocks of the counter, but for the counter
  block_t      add_q;
  block_t      sum_q;
  block_t      result_q;      // of the counter; zero when there is none
  logic        start, legal, accept, load, first, write;
  logic [2:0]  size;          // bytes of the length of the text, less one

  assign start  = msg_valid_i & msg_ready_o;
  assign accept = in_valid_i & in_ready_o;
  assign size   = 3'(5'd14 - msg_i.iv_bytes);
  assign legal  = (msg_i.iv_bytes >= 5'd7) & (msg_i.iv_bytes <= 5'd13) &
                  ((msg_i.iv_bytes != 5'd13) | (msg_i.text_bytes[31:16] == '0)) &
                  ((msg_i.iv_bytes != 5'd12) | (msg_i.text_bytes[31:24] == '0)) &
                  ~msg_i.tag_bytes[0] & (msg_i.tag_bytes >= 5'd4) & (msg_i.tag_bytes <= Full) &
                  (msg_i.slot == '0);

  // --- Lengths: how far the part is ---

  logic        aad_q;          // this is the associated data, then the text
  logic [31:0] aad_bytes_q, text_bytes_q;
  logic [27:0] blocks;         // whole ones of the part
  logic [3:0]  rest;           // its bytes behind them
  logic [28:0] counter_q;      // beats of the part, with the one to come
  logic        whole_gone_q;   // there is no whole block to come
  logic        rest_gone_q;
  logic        part_done_q;    // nothing of the part is to come
  logic        rewind, step, taken;

  assign blocks = aad_q ? aad_bytes_q[31:4] : text_bytes_q[31:4];
  assign rest   = aad_q ? aad_bytes_q[3:0] : text_bytes_q[3:0];
  assign step   = first | (state_q == StateBegin) | taken;

  always_ff @(posedge clk_i) begin
    if (start) {aad_bytes_q, text_bytes_q} <= {msg_i.aad_bytes, msg_i.text_bytes};
    if (start)       aad_q <= 1'b1;
    else if (rewind) aad_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i || start || rewind) counter_q <= '0;
    else if (step)                  counter_q <= counter_q + 29'd1;
  end

  // Registers: a turn of the core lies between a beat and the next one.
  always_ff @(posedge clk_i) begin
    part_done_q <= whole_gone_q & (rest_gone_q | (rest == '0));
    if (start || (rewind && aad_q)) begin
      {whole_gone_q, rest_gone_q} <= '0;
    end else begin
      if (step)  whole_gone_q <= (counter_q == {1'b0, blocks}) | (taken & whole_gone_q);
      if (taken) rest_gone_q  <= whole_gone_q;
    end
  end

  // --- What stands at the port ---

  logic       ends;        // the text is over: nothing but the tag can follow
  logic [3:0] bytes;       // of the beat to come, 0 for 16
  keep_t      keep_q;
  logic       fits, verdict, skips, takes, takes_tag, fault;

  assign ends    = ~aad_q & part_done_q;
  assign bytes   = ends ? tag_bytes_q : whole_gone_q ? rest : '0;
  assign fits    = (in_i.keep == keep_q);
  assign verdict = in_i.last & decrypt_q;

  for (genvar i = 0; i < 32'(Full); i++) begin : gen_keep
    always_ff @(posedge clk_i) keep_q[15-i] <= (bytes == '0) | ({1'b0, bytes} > 5'(i));
  end

  assign skips     = in_valid_i & ~ended_q & ~in_i.keep[15] & (in_i.part != PartTag) & ~verdict;
  assign takes     = in_valid_i & ~ended_q & (in_i.part == (aad_q ? PartAad : PartText)) & fits &
                     ~verdict & ~part_done_q;
  assign takes_tag = in_valid_i & ~ended_q & (in_i.part == PartTag) & verdict;
  assign fault     = part_done_q ? in_valid_i & ~ended_q & ~skips & ~takes_tag
                          : ended_q | (in_valid_i & ~skips & ~takes);

  // --- The order of things ---

  logic emit, turned, last_bytes_q;

  always_comb begin
    state_d    = state_q;
    in_ready_o = 1'b0;
    emit       = 1'b0;
    rewind     = 1'b0;
    load       = 1'b0;
    taken      = 1'b0;
    write      = 1'b0;
    case (state_q)
      StateIdle: if (start) state_d = legal ? StateFirst : StateRefuse;
      StateFirst: begin
        emit = 1'b1;
        if (core_in_ready_i) state_d = StateSumWait;
      end
      StateSum: begin
        emit       = 1'b1;
        taken      = aad_q & ~part_done_q & core_in_ready_i;
        load       = taken;
        in_ready_o = taken;
        if (core_in_ready_i) state_d = StateSumWait;
      end
      StateSumWait: begin
        rewind = core_out_valid_i & aad_q & part_done_q & ~last_bytes_q;
        if (core_out_valid_i) state_d = rewind ? StateBegin : aad_q ? StateAad : StateText;
      end
      StateAad: begin
        in_ready_o = skips & ~part_done_q;
        load       = part_done_q | takes;
        if (load)       state_d = StateAadTurn;
        else if (fault) state_d = StateRefuse;
      end
      StateAadTurn: if (turned) state_d = StateSum;
      StateBegin:   state_d = StateBegun;
      StateBegun:   state_d = StateText;
      StateText: begin
        in_ready_o = skips;
        emit       = takes;
        load       = takes;
        rewind     = part_done_q & (ended_q | takes_tag);
        if (fault)                      state_d = StateRefuse;
        else if (rewind)                state_d = StateTag;
        else if (takes && core_in_ready_i) state_d = StateTextWait;
      end
      StateTextWait: if (core_out_valid_i) state_d = StateTextOut;
      StateTextOut: begin
        write      = ~out_valid_o;
        in_ready_o = write;
        taken      = write;
        load       = write & decrypt_q;
        if (write) state_d = StateSum;
      end
      StateTag: begin
        emit = 1'b1;
        if (core_in_ready_i) state_d = StateTagWait;
      end
      StateTagWait: if (core_out_valid_i) state_d = StateTagOut;
      StateTagOut: begin
        in_ready_o = decrypt_q;
        load       = decrypt_q;
        write      = ~decrypt_q & ~out_valid_o;
        if (accept)     state_d = StateVerdict;
        else if (write) state_d = StateIdle;
      end
      StateVerdict: begin
        write = ~out_valid_o;
        if (write) state_d = StateIdle;
      end
      StateRefuse: begin
        in_ready_o = ~ended_q;
        write      = ended_q & ~out_valid_o;
        if (write) state_d = StateIdle;
      end
      default: state_d = StateIdle;
    endcase
  end

  always_ff @(posedge clk_i) begin
    closed_q <= rst_ni & clear_i;
    if (!rst_ni || clear_i) state_q <= StateIdle;
    else                    state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    if (start) {decrypt_q, tag_bytes_q} <= {msg_i.decrypt, msg_i.tag_bytes[3:0]};
    if (start)       ended_q <= 1'b0;
    else if (accept) ended_q <= in_i.last;
    if (clear_i || start) unequal_q <= 1'b0;
    else if (accept)      unequal_q <= ~fits;
  end

  // --- The blocks of the counter ---

  // The first block of the sum has the same nonce, and flags and the length of the text beside it.
  assign first = (state_q == StateFirst) & core_in_ready_i;

  for (genvar i = 0; i < 14; i++) begin : gen_nonce
    logic [7:0] value;

    if (i == 0) begin : gen_flags
      assign value = {1'b0, msg_i.aad_bytes != '0, 3'(msg_i.tag_bytes[4:1] - 4'd1), size};

      always_ff @(posedge clk_i) begin
        if (clear_i)    nonce_q[127-:8]  <= '0;
        else if (start) nonce_q[127-:8]  <= value;
        else if (first) nonce_q[127:123] <= '0;
      end
    end else begin : gen_byte
      logic counts;

      assign counts = (msg_i.iv_bytes >= 5'(i));
      assign value  = msg_i.iv[135-8*i-:8];

      if (i < 12) begin : gen_plain
        always_ff @(posedge clk_i) begin
          if (clear_i || (start && !counts)) nonce_q[127-8*i-:8] <= '0;
          else if (start)                    nonce_q[127-8*i-:8] <= value;
        end
      end else begin : gen_length
        // The length of the text goes with the first block where the nonce leaves room for it.
        always_ff @(posedge clk_i) begin
          if (clear_i || (first && nonce_q[122:120] > 3'(14 - i))) nonce_q[127-8*i-:8] <= '0;
          else if (start) begin
            nonce_q[127-8*i-:8] <= (counts ? value : '0) | msg_i.text_bytes[127-8*i-:8];
          end
        end
      end
    end
  end

  // --- What is added to the sum ---

  logic [1:0] turns_q;       // that are left
  logic       wide, turn, all;

  assign wide   = (aad_bytes_q[31:16] != '0) | (aad_bytes_q[15:8] == '1);
  assign turn   = (state_q == StateAadTurn);
  assign turned = (turns_q == '0);
  assign all    = load & (state_q != StateAad);

  always_ff @(posedge clk_i) begin
    turns_q <= turn ? turns_q - 2'd1 : {wide, 1'b0};
    // Bytes of the last beat are left for a block of their own.
    if (start)                                            last_bytes_q <= 1'b0;
    else if (state_q == StateSum && aad_q && core_in_ready_i) begin
      last_bytes_q <= ~part_done_q & (wide ? in_i.keep[5] : in_i.keep[1]);
    end
  end

  for (genvar i = 0; i < 32'(Full); i++) begin : gen_add
    localparam int unsigned Turned = (127 - 8 * i + 16) % 128;

    logic       sets, resets;
    logic [7:0] prefix, next;

    assign sets = all | (load & ((i < 10) | ((i < 14) & ~wide)));

    if (i < 10) begin : gen_no_prefix
      assign prefix = '0;
    end else if (i < 12) begin : gen_mark
      assign prefix = (i == 10) ? 8'hff : 8'hfe;
    end else begin : gen_prefix
      assign prefix = msg_i.aad_bytes[127-8*i-:8];
    end

    assign resets = clear_i | (sets & (~keep_q[15-i] | (part_done_q & aad_q))) |
                    ((i < 10) & start);
    assign next   = turn ? add_q[Turned-:8] : in_i.data[127-8*i-:8] ^ result_q[127-8*i-:8];

    always_ff @(posedge clk_i) begin
      if (resets)                   add_q[127-8*i-:8] <= '0;
      else if (start && (i >= 10))  add_q[127-8*i-:8] <= prefix;
      else if (sets || turn)        add_q[127-8*i-:8] <= next;
    end
  end

  // --- The core ---

  logic   counts, counts_low;
  block_t block;

  assign counts     = counts_low | (state_q == StateFirst);
  assign counts_low = (state_q == StateText) | (state_q == StateTag);

  assign block[127:16] = counts ? nonce_q[127:16] | 112'(counter_q[28:16])
                                : add_q[127:16] ^ sum_q[127:16];
  assign block[15:0]   = counts_low ? counter_q[15:0] : add_q[15:0] ^ sum_q[15:0];

  assign core_in_valid_o = emit;
  assign core_in_o       = '{block: block, decrypt: 1'b0, slot: '0};

  always_ff @(posedge clk_i) begin
    if (clear_i || start)                                sum_q[127:16] <= '0;
    else if (state_q == StateSumWait && core_out_valid_i) sum_q[127:16] <= core_out_i.block[127:16];
  end

  // In the first block the length of the text is here, and that of the associated data with it, as
  // this is added.
  always_ff @(posedge clk_i) begin
    if (clear_i)    sum_q[15:0] <= '0;
    else if (start) sum_q[15:0] <= msg_i.text_bytes[15:0] ^ msg_i.aad_bytes[15:0];
    else if (state_q == StateSumWait && core_out_valid_i) sum_q[15:0] <= core_out_i.block[15:0];
  end

  always_ff @(posedge clk_i) begin
    if (clear_i || start || (state_q == StateTextOut && write)) result_q <= '0;
    else if ((state_q == StateTextWait || state_q == StateTagWait) && core_out_valid_i) begin
      result_q <= core_out_i.block;
    end
  end

  // --- The answer ---

  block_t answer;

  assign answer = ((state_q == StateTextOut) ? in_i.data : sum_q) ^ result_q;

  rsm_mode_tag_answer u_answer (
    .clk_i,
    .rst_ni,
    .clear_i,
    .write_i      (write),
    .data_i       (answer),
    .keep_i       (keep_q),
    .empty_i      ((state_q == StateVerdict) | (state_q == StateRefuse)),
    .last_i       (state_q != StateTextOut),
    .refused_i    (state_q == StateRefuse),
    .tag_i        (state_q == StateTagOut),
    .verdict_i    (state_q == StateVerdict),
    .tag_keep_i   (keep_q),
    .difference_i (block),
    .unequal_i    (unequal_q),
    .valid_o      (out_valid_o),
    .ready_i      (out_ready_i),
    .answer_o     (out_o)
  );

  assign msg_ready_o = (state_q == StateIdle) & ~closed_q;
  assign key_open_o  = (state_q == StateIdle);
  assign idle_o      = core_idle_i & (state_q == StateIdle) & ~out_valid_o;

  logic unused_in;

  assign unused_in = ^{msg_i, key_i};

endmodule
