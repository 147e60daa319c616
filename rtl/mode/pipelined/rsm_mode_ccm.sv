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
  parameter int unsigned TagWidth = 1,
  parameter int unsigned Slots    = 1   // of keys; messages of others are refused
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  output logic                idle_o,
  // A message begins.
  input  logic                msg_valid_i,
  output logic                msg_ready_o,
  input  logic                msg_decrypt_i,
  input  logic [3:0]          msg_slot_i,
  input  logic [127:0]        msg_iv_i,
  input  logic [4:0]          msg_iv_bytes_i,
  input  logic [31:0]         msg_aad_bytes_i,
  input  logic [31:0]         msg_text_bytes_i,
  input  logic [4:0]          msg_tag_bytes_i,
  // What comes in.
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic [127:0]        in_data_i,
  input  logic [4:0]          in_bytes_i,
  input  logic [1:0]          in_part_i,
  input  logic                in_last_i,
  // What goes out.
  output logic                out_valid_o,
  input  logic                out_ready_i,
  output logic [127:0]        out_data_o,
  output logic [4:0]          out_bytes_o,
  output logic [1:0]          out_part_o,
  output logic                out_last_o,
  output logic [2:0]          out_status_o,
  // Keys go past, to the core.
  input  logic                key_loaded_i,
  input  logic [3:0]          key_loaded_slot_i,
  output logic                key_open_o,
  // The full port of the core, seen from here.
  input  logic                core_idle_i,
  output logic                core_in_valid_o,
  input  logic                core_in_ready_i,
  output logic [127:0]        core_in_block_o,
  output logic                core_in_decrypt_o,
  output logic [3:0]          core_in_slot_o,
  output logic [TagWidth-1:0] core_in_tag_o,
  input  logic                core_out_valid_i,
  output logic                core_out_ready_o,
  input  logic [127:0]        core_out_block_i,
  input  logic [TagWidth-1:0] core_out_tag_i
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
  block_t      first, nonce_q;        // the blocks of the counter, but for the counter
  logic [2:0]  size;                  // bytes of the length of the text, less one
  logic [31:0] aad_left_q, text_left_q;
  logic [28:0] counter_q;
  logic        ended_q, refused_q, wrong_q;

  assign size   = 3'(5'd14 - msg_iv_bytes_i);
  assign legal  = (msg_iv_bytes_i >= 5'd7) & (msg_iv_bytes_i <= 5'd13) &
                  ((msg_iv_bytes_i != 5'd13) | (msg_text_bytes_i[31:16] == '0)) &
                  ((msg_iv_bytes_i != 5'd12) | (msg_text_bytes_i[31:24] == '0)) &
                  ~msg_tag_bytes_i[0] & (msg_tag_bytes_i >= 5'd4) & (msg_tag_bytes_i <= Full) &
                  (32'(msg_slot_i) < Slots);
  assign begins = msg_valid_i & msg_ready_o;

  assign first  = first_bytes({5'd0, size, msg_iv_i[127:8]}, msg_iv_bytes_i + 5'd1);

  // --- What stands at the port ---

  part_e  part;
  logic   empty, fits_aad, fits_text;
  logic   skips;       // a beat of nothing
  logic   takes_aad, takes_text, takes_tag;
  logic   fault;
  logic   take;
  block_t data;

  assign part       = part_e'(in_part_i);
  assign empty      = (in_bytes_i == '0);
  assign data       = first_bytes(in_data_i, in_bytes_i);
  assign fits_aad   = (in_bytes_i == Full) ? (aad_left_q >= 32'd16)
                                           : (aad_left_q == 32'(in_bytes_i));
  assign fits_text  = (in_bytes_i == Full) ? (text_left_q >= 32'd16)
                                           : (text_left_q == 32'(in_bytes_i));
  assign skips      = in_valid_i & ~ended_q & empty & (part != PartTag) & ~(in_last_i & decrypt_q);
  assign takes_aad  = in_valid_i & ~ended_q & ~empty & (part == PartAad) & fits_aad &
                      ~(in_last_i & decrypt_q);
  assign takes_text = in_valid_i & ~ended_q & ~empty & (part == PartText) & fits_text &
                      ~(in_last_i & decrypt_q);
  assign takes_tag  = in_valid_i & ~ended_q & (part == PartTag) & in_last_i & decrypt_q;

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
  assign aad_final = (aad_left_q == 32'(in_bytes_i));
  assign aad_rest  = (in_bytes_i > (wide_q ? 5'd10 : 5'd14));

  // --- The core ---

  logic   pending_q, busy_q;    // the sum is to be encrypted, or in the core
  logic   held_q;               // a beat waits for its block
  logic   quiet;                // the sum may be added to
  logic   give_mac, give_text, give_tag, give;
  logic   given;
  logic   queue_ready, queue_idle, queue_valid, unused_single;
  kind_e  kind_in, kind;
  block_t sum_q, beat_q, counter, result;
  bytes_t beat_bytes_q;

  assign quiet     = ~pending_q & ~busy_q;
  assign give_mac  = pending_q & (state_q != StateRefuse);
  assign give_text = (state_q == StateText) & takes_text & ~held_q & ~pending_q;
  assign give_tag  = (state_q == StateTag) & ~held_q & ~pending_q;
  assign give      = give_mac | give_text | give_tag;
  assign given     = give & queue_ready & core_in_ready_i;
  assign counter   = nonce_q | 128'(give_tag ? '0 : counter_q);
  assign kind_in   = give_mac ? KindMac : give_tag ? KindTag : KindText;

  assign core_in_valid_o   = give & queue_ready;
  assign core_in_block_o   = give_mac ? sum_q : counter;
  assign core_in_decrypt_o = 1'b0;
  assign core_in_slot_o    = slot_q;
  assign core_in_tag_o     = '0;

  rsm_stream_fifo #(
    .Width ($bits(kind_e)),
    .Depth (2)
  ) u_kinds (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o      (queue_idle),
    .single_o    (unused_single),
    .in_valid_i  (given),
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
  assign result           = first_bytes(core_out_block_i ^ beat_q, beat_bytes_q);

  // --- The order of things ---

  always_comb begin
    state_d    = state_q;
    in_ready_o = 1'b0;
    case (state_q)
      StateIdle: begin
        if (begins) begin
          state_d = ~legal ? StateRefuse : (msg_aad_bytes_i != '0) ? StateAad : StateText;
        end
      end
      StateAad: begin
        in_ready_o = skips | (takes_aad & quiet);
        if (fault)                                state_d = StateRefuse;
        else if (takes_aad && quiet && aad_final) state_d = aad_rest ? StateAadEnd : StateText;
      end
      StateAadEnd: if (quiet) state_d = StateText;
      StateText: begin
        in_ready_o = skips | (give_text & queue_ready & core_in_ready_i);
        if (fault)                                              state_d = StateRefuse;
        else if (text_left_q == '0 && (ended_q || takes_tag)) state_d = StateTag;
      end
      StateTag:     if (give_tag && given) state_d = StateTagWait;
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
      if (given && give_mac) busy_q <= 1'b1;
      else if (mac_done)     busy_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      {decrypt_q, slot_q, tag_bytes_q, wide_q, nonce_q}      <= '0;
      {aad_left_q, text_left_q, counter_q, carry_q}          <= '0;
      {ended_q, refused_q, wrong_q, pending_q, held_q}       <= '0;
      {sum_q, beat_q, beat_bytes_q}                          <= '0;
    end else if (begins) begin
      {decrypt_q, slot_q, tag_bytes_q} <= {msg_decrypt_i, msg_slot_i, msg_tag_bytes_i};
      {aad_left_q, text_left_q}        <= {msg_aad_bytes_i, msg_text_bytes_i};
      wide_q    <= (msg_aad_bytes_i >= 32'hff00);
      carry_q   <= (msg_aad_bytes_i >= 32'hff00) ? {16'hfffe, msg_aad_bytes_i}
                                                 : {msg_aad_bytes_i[15:0], 32'd0};
      nonce_q   <= first;
      sum_q     <= {1'b0, msg_aad_bytes_i != '0, 3'(msg_tag_bytes_i[4:1] - 4'd1), size,
                    first[119:0]} | 128'(msg_text_bytes_i);
      pending_q <= legal;
      counter_q <= 29'd1;
      {ended_q, refused_q, wrong_q, held_q} <= '0;
    end else begin
      if (take) ended_q <= in_last_i;
      if (state_q == StateRefuse) {refused_q, pending_q} <= 2'b10;
      else if (given && give_mac) pending_q <= 1'b0;

      if (state_q == StateAad && takes_aad && quiet) begin
        sum_q      <= sum_q ^ pushed;
        pending_q  <= 1'b1;
        carry_q    <= wide_q ? data[47:0] : {data[15:0], 32'd0};
        aad_left_q <= aad_left_q - 32'(in_bytes_i);
      end
      if (state_q == StateAadEnd && quiet) begin
        sum_q     <= sum_q ^ {carry_q, 80'd0};
        pending_q <= 1'b1;
      end

      if (give_text && given) begin
        held_q                 <= 1'b1;
        {beat_q, beat_bytes_q} <= {data, in_bytes_i};
        text_left_q            <= text_left_q - 32'(in_bytes_i);
        counter_q              <= counter_q + 29'd1;
      end

      if (mac_done) sum_q <= core_out_block_i;
      if (text_done) begin
        sum_q     <= sum_q ^ (decrypt_q ? result : beat_q);
        pending_q <= (state_q != StateRefuse);
        held_q    <= 1'b0;
      end
      if (tag_done) sum_q <= first_bytes(sum_q ^ core_out_block_i, tag_bytes_q);
      if (state_q == StateCompare) begin
        wrong_q <= (in_bytes_i != tag_bytes_q) | (first_bytes(in_data_i, tag_bytes_q) != sum_q);
      end
    end
    if (!rst_ni) pending_q <= 1'b0;
  end

  // --- Beats out ---

  logic   answers, generates;

  assign answers      = (state_q == StateAnswer);
  assign generates    = answers & ~decrypt_q & ~refused_q;
  assign out_valid_o  = answers | (text_out & core_out_valid_i);
  assign out_last_o   = answers;
  assign out_part_o   = generates ? PartTag : PartText;
  assign out_bytes_o  = generates ? tag_bytes_q : answers ? '0 : beat_bytes_q;
  assign out_data_o   = generates ? sum_q : answers ? '0 : result;
  assign out_status_o = status_t'{spare: 1'b0, refused: answers & refused_q,
                                  wrong_tag: answers & wrong_q & ~refused_q};

  assign msg_ready_o = (state_q == StateIdle) & queue_idle;
  assign key_open_o  = (state_q == StateIdle) | (slot_q != key_loaded_slot_i);
  assign idle_o      = core_idle_i & queue_idle & (state_q == StateIdle);

  logic unused_in;

  assign unused_in = ^{msg_iv_i[7:0], key_loaded_i, core_out_tag_i, Depth == 0};

endmodule
