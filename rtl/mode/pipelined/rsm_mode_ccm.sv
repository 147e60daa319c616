// SPDX-License-Identifier: Apache-2.0
//
// CCM (NIST SP 800-38C): counter mode, and CBC-MAC over a first block with the lengths, the
// associated data behind their length, and the text.
//
// The lengths come with the message, and it is refused if its parts do not have them. Each block
// of text takes two blocks of the core, of which the second waits for the first and runs beside
// the first of the next block: the core's latency and two cycles, or twice its interval where that
// is longer.
//
// Text is released as it comes, the verdict on the tag at the end: what a message with a wrong tag
// brought must be thrown away. All bytes of a tag are compared at once. Refused are also tags of
// other lengths than 4, 6, 8, 10, 12, 14 and 16 bytes, nonces of less than 7 bytes or more than 13,
// and texts whose length does not fit into what the nonce leaves of a block.
//
// Latency: that of the core and 1 cycle for text; for a tag, from the last beat, three times that
// of the core at most.
module rsm_mode_ccm
  import rsm_mode_pkg::*;
#(
  parameter int unsigned Depth    = 2,  // blocks that may be in the core; here there are two
  parameter int unsigned Slots    = 1   // of keys; messages of others are refused
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

  typedef enum logic [3:0] {
    StateIdle,
    StateAad,       // beats of associated data
    StateAadEnd,    // the last bytes of it
    StateText,      // beats of text
    StateTag,       // the block for the tag
    StateTagWait,
    StateCompare,   // the tag to verify is awaited
    StateAnswer,
    StateRefuse     // beats are dropped
  } state_e;

  typedef enum logic [1:0] {
    KindMac,        // the result is the sum
    KindText,       // it is added to the beat
    KindTag
  } kind_e;

  // --- Messages ---

  state_e      state_d, state_q;
  logic        legal, begins;
  logic        decrypt_q, wide_q;
  logic [3:0]  slot_q;
  bytes_t      tag_bytes_q;
  keep_t       tag_keep;
  block_t      first, nonce_q;        // the blocks of the counter, but for the counter
  logic [2:0]  size;                  // bytes of the length of the text, less one
  logic [31:0] aad_left_q, text_left_q;
  logic [28:0] counter_q;
  logic        ended_q, refused_q, wrong_q;

  assign size   = 3'(5'd14 - msg_i.iv_bytes);
  assign legal  = (msg_i.iv_bytes >= 5'd7) & (msg_i.iv_bytes <= 5'd13) &
                  ((msg_i.iv_bytes != 5'd13) | (msg_i.text_bytes[31:16] == '0)) &
                  ((msg_i.iv_bytes != 5'd12) | (msg_i.text_bytes[31:24] == '0)) &
                  ~msg_i.tag_bytes[0] & (msg_i.tag_bytes >= 5'd4) & (msg_i.tag_bytes <= Full) &
                  (32'(msg_i.slot) < Slots);
  assign begins = msg_valid_i & msg_ready_o;

  assign tag_keep = keep_of(tag_bytes_q);

  assign first  = kept_bytes({5'd0, size, msg_i.iv[127:8]}, keep_of(msg_i.iv_bytes + 5'd1));

  // --- What stands at the port ---

  part_e  part;
  logic   empty, fits_aad, fits_text;
  logic   skips;       // a beat of nothing
  logic   takes_aad, takes_text, takes_tag;
  logic   fault;
  logic   take;
  block_t data;
  bytes_t bytes;

  assign part       = in_i.part;
  assign bytes      = bytes_of(in_i.keep);
  assign empty      = ~in_i.keep[15];
  assign data       = kept_bytes(in_i.data, in_i.keep);
  assign fits_aad   = in_i.keep[0] ? (aad_left_q >= 32'd16) : (aad_left_q == 32'(bytes));
  assign fits_text  = in_i.keep[0] ? (text_left_q >= 32'd16) : (text_left_q == 32'(bytes));
  assign skips      = in_valid_i & ~ended_q & empty & (part != PartTag) & ~(in_i.last & decrypt_q);
  assign takes_aad  = in_valid_i & ~ended_q & ~empty & (part == PartAad) & fits_aad &
                      ~(in_i.last & decrypt_q);
  assign takes_text = in_valid_i & ~ended_q & ~empty & (part == PartText) & fits_text &
                      ~(in_i.last & decrypt_q);
  assign takes_tag  = in_valid_i & ~ended_q & (part == PartTag) & in_i.last & decrypt_q;

  always_comb begin
    case (state_q)
      StateAad:  fault = ended_q | (in_valid_i & ~skips & ~takes_aad);
      StateText: fault = (text_left_q != '0) ? ended_q | (in_valid_i & ~skips & ~takes_text)
                         : in_valid_i & ~ended_q & ~skips & ~takes_tag;
      default:   fault = 1'b0;
    endcase
  end

  // --- Associated data behind its length: 2 or 6 bytes that every beat pushes on ---

  logic [47:0] carry_q;
  block_t      pushed;
  logic        aad_final, aad_rest;

  assign pushed    = wide_q ? {carry_q, data[127:48]} : {carry_q[47:32], data[127:16]};
  assign aad_final = (aad_left_q == 32'(bytes));
  assign aad_rest  = wide_q ? in_i.keep[5] : in_i.keep[1];

  // --- The core ---

  logic   pending_q, busy_q;    // the sum is to be encrypted, or in the core
  logic   held_q;               // a beat waits for its block
  logic   quiet;                // the sum may be added to
  logic   emit_mac, emit_text, emit_tag, emit;
  logic   emitted;
  logic   queue_ready, queue_idle, queue_valid, unused_single;
  kind_e  kind_in, kind;
  block_t sum_q, beat_q, counter, result;
  keep_t  beat_keep_q;

  assign quiet     = ~pending_q & ~busy_q;
  assign emit_mac  = pending_q & (state_q != StateRefuse);
  assign emit_text = (state_q == StateText) & takes_text & ~held_q & ~pending_q;
  assign emit_tag  = (state_q == StateTag) & ~held_q & ~pending_q;
  assign emit      = emit_mac | emit_text | emit_tag;
  assign emitted     = emit & queue_ready & core_in_ready_i;
  assign counter   = nonce_q | 128'(emit_tag ? '0 : counter_q);
  assign kind_in   = emit_mac ? KindMac : emit_tag ? KindTag : KindText;

  assign core_in_valid_o = emit & queue_ready;
  assign core_in_o       = '{block: emit_mac ? sum_q : counter, decrypt: 1'b0, slot: slot_q};

  rsm_stream_fifo #(
    .Width ($bits(kind_e)),
    .Depth (2)
  ) u_kinds (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o      (queue_idle),
    .single_o    (unused_single),
    .in_valid_i  (emitted),
    .in_ready_o  (queue_ready),
    .in_data_i   (kind_in),
    .out_valid_o (queue_valid),
    .out_ready_i (core_out_valid_i & core_out_ready_o),
    .out_data_o  ({kind})
  );

  logic text_out, mac_done, text_done, tag_done;

  assign text_out         = queue_valid & (kind == KindText);
  assign core_out_ready_o = queue_valid & ((kind != KindText) | out_ready_i);
  assign mac_done         = core_out_valid_i & queue_valid & (kind == KindMac);
  assign text_done        = core_out_valid_i & text_out & out_ready_i;
  assign tag_done         = core_out_valid_i & queue_valid & (kind == KindTag);
  assign result           = kept_bytes(core_out_i.block ^ beat_q, beat_keep_q);

  // --- The order of things ---

  always_comb begin
    state_d    = state_q;
    in_ready_o = 1'b0;
    case (state_q)
      StateIdle: begin
        if (begins) begin
          state_d = ~legal ? StateRefuse : (msg_i.aad_bytes != '0) ? StateAad : StateText;
        end
      end
      StateAad: begin
        in_ready_o = skips | (takes_aad & quiet);
        if (fault)                                state_d = StateRefuse;
        else if (takes_aad && quiet && aad_final) state_d = aad_rest ? StateAadEnd : StateText;
      end
      StateAadEnd: if (quiet) state_d = StateText;
      StateText: begin
        in_ready_o = skips | (emit_text & queue_ready & core_in_ready_i);
        if (fault)                                              state_d = StateRefuse;
        else if (text_left_q == '0 && (ended_q || takes_tag)) state_d = StateTag;
      end
      StateTag:     if (emit_tag && emitted) state_d = StateTagWait;
      StateTagWait: if (tag_done) state_d = decrypt_q ? StateCompare : StateAnswer;
      StateCompare: begin
        in_ready_o = 1'b1;
        if (in_valid_i) state_d = StateAnswer;
      end
      StateAnswer: if (out_ready_i) state_d = StateIdle;
      StateRefuse: begin
        in_ready_o = ~ended_q;
        if (ended_q && queue_idle) state_d = StateAnswer;
      end
      default: state_d = StateIdle;
    endcase
  end

  assign take = in_valid_i & in_ready_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      state_q <= StateIdle;
      busy_q  <= 1'b0;
    end else begin
      state_q <= state_d;
      if (emitted && emit_mac) busy_q <= 1'b1;
      else if (mac_done)     busy_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      {decrypt_q, slot_q, tag_bytes_q, wide_q, nonce_q}      <= '0;
      {aad_left_q, text_left_q, counter_q, carry_q}          <= '0;
      {ended_q, refused_q, wrong_q, pending_q, held_q}       <= '0;
      {sum_q, beat_q, beat_keep_q}                          <= '0;
    end else if (begins) begin
      {decrypt_q, slot_q, tag_bytes_q} <= {msg_i.decrypt, msg_i.slot, msg_i.tag_bytes};
      {aad_left_q, text_left_q}        <= {msg_i.aad_bytes, msg_i.text_bytes};
      wide_q    <= (msg_i.aad_bytes >= 32'hff00);
      carry_q   <= (msg_i.aad_bytes >= 32'hff00) ? {16'hfffe, msg_i.aad_bytes}
                                                 : {msg_i.aad_bytes[15:0], 32'd0};
      nonce_q   <= first;
      sum_q     <= {1'b0, msg_i.aad_bytes != '0, 3'(msg_i.tag_bytes[4:1] - 4'd1), size,
                    first[119:0]} | 128'(msg_i.text_bytes);
      pending_q <= legal;
      counter_q <= 29'd1;
      {ended_q, refused_q, wrong_q, held_q} <= '0;
    end else begin
      if (take) ended_q <= in_i.last;
      if (state_q == StateRefuse) {refused_q, pending_q} <= 2'b10;
      else if (emitted && emit_mac) pending_q <= 1'b0;

      if (state_q == StateAad && takes_aad && quiet) begin
        sum_q      <= sum_q ^ pushed;
        pending_q  <= 1'b1;
        carry_q    <= wide_q ? data[47:0] : {data[15:0], 32'd0};
        aad_left_q <= aad_left_q - 32'(bytes);
      end
      if (state_q == StateAadEnd && quiet) begin
        sum_q     <= sum_q ^ {carry_q, 80'd0};
        pending_q <= 1'b1;
      end

      if (emit_text && emitted) begin
        held_q                 <= 1'b1;
        {beat_q, beat_keep_q} <= {data, in_i.keep};
        text_left_q            <= text_left_q - 32'(bytes);
        counter_q              <= counter_q + 29'd1;
      end

      if (mac_done) sum_q <= core_out_i.block;
      if (text_done) begin
        sum_q     <= sum_q ^ (decrypt_q ? result : beat_q);
        pending_q <= (state_q != StateRefuse);
        held_q    <= 1'b0;
      end
      if (tag_done) sum_q <= kept_bytes(sum_q ^ core_out_i.block, tag_keep);
      if (state_q == StateCompare) begin
        wrong_q <= (in_i.keep != tag_keep) | differs(in_i.data ^ sum_q, tag_keep);
      end
    end
    if (!rst_ni) pending_q <= 1'b0;
  end

  // --- Beats out ---

  logic answers, generates;

  assign answers     = (state_q == StateAnswer);
  assign generates   = answers & ~decrypt_q & ~refused_q;
  assign out_valid_o = answers | (text_out & core_out_valid_i);
  assign out_o       = '{
    data:   generates ? sum_q : answers ? '0 : result,
    keep:   generates ? tag_keep : answers ? '0 : beat_keep_q,
    part:   generates ? PartTag : PartText,
    last:   answers,
    status: '{spare: 1'b0, refused: answers & refused_q, wrong_tag: answers & wrong_q & ~refused_q}
  };

  assign msg_ready_o = (state_q == StateIdle) & queue_idle;
  assign key_open_o  = (state_q == StateIdle) | (slot_q != key_i.slot);
  assign idle_o      = core_idle_i & queue_idle & (state_q == StateIdle);

  logic unused_in;

  assign unused_in = ^{msg_i, key_i, Depth == 0};

endmodule
