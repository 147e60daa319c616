// SPDX-License-Identifier: Apache-2.0
//
// CMAC (NIST SP 800-38B) over a core that has one block at a time: the tag of a text; and CBC-MAC
// without its subkeys (`Plain`), which is safe only where all messages have one length, and takes
// whole blocks, one at least.
//
// It does what rsm_mode_cmac does, of a single key slot, and stands on the native port. A beat
// waits in a register of its own until it is known whether it is the last one, while the block
// before it is in the core. Bytes that do not count are cleared by the reset of that register, so
// that one addition of 128 bits makes the block of a beat, and the sum of the tag with the one that
// came. The encryption of zero, of which both subkeys are multiples, is computed with the first
// message after a key.
//
// The text does not come out: a generation answers with the tag, a verification with the verdict,
// all bytes compared at once. Refused are tags of no bytes or more than 16, parts other than text
// and tag, short beats inside the text, and a verification without tag.
//
// Latency: a block takes that of the core and a cycle; from the last beat, that of the core and 3
// cycles, and another one for a verdict.
module rsm_mode_cmac_oneblock
  import rsm_mode_pkg::*;
#(
  parameter bit Plain = 1'b0
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

  typedef enum logic [2:0] {
    StateIdle,
    StateKey,      // the encryption of zero is asked for
    StateKeyWait,
    StateRun,      // a beat is taken, or its block goes to the core
    StateWait,     // for the result
    StateTag,      // the tag is there; the one to verify is taken
    StateVerdict,  // the two are compared
    StateRefuse    // beats are dropped
  } state_e;

  state_e     state_d, state_q;
  logic       closed_q;       // nothing is ready right after a clear
  logic       decrypt_q;
  logic [3:0] tag_bytes_q;    // less one
  logic       held_q;         // a beat waits
  logic       whole_q;        // it has 16 bytes
  logic       final_q;        // the last block is in the core
  logic       ended_q;        // the last beat has come
  logic       unequal_q;      // the tag that came has other bytes
  block_t     sum_q;          // the result before
  block_t     beat_q, block;

  // --- What stands at the port, and what is done with it ---

  logic  start, legal, keyed, whole, is_text, is_tag, takes, skips;
  logic  at_end;       // nothing but the tag can follow
  logic  pads;         // there was no text at all: its block is nothing but padding
  logic  emit;         // a block goes to the core
  logic  fault, load, accept, write, result;
  keep_t keep, tag_keep;

  assign start   = msg_valid_i & msg_ready_o;
  assign legal   = (msg_i.tag_bytes != '0) & (msg_i.tag_bytes <= Full) & (msg_i.slot == '0);
  assign whole   = in_i.keep[0];
  assign is_text = in_valid_i & ~ended_q & (in_i.part == PartText) & ~(in_i.last & decrypt_q);
  assign is_tag  = in_valid_i & ~ended_q & (in_i.part == PartTag) & in_i.last & decrypt_q;
  assign takes   = is_text & in_i.keep[15] & (~Plain | whole);
  assign skips   = is_text & ~in_i.keep[15];
  assign at_end  = ended_q | is_tag;
  assign pads    = at_end & ~held_q & ~Plain;
  assign emit    = held_q & (at_end | (takes & whole_q));
  assign fault   = (in_valid_i & ~ended_q & ~is_tag & ~skips & ~(takes & (whole_q | ~held_q))) |
                   (at_end & ~held_q & Plain);
  assign result  = (state_q == StateWait) & core_out_valid_i;
  assign accept  = in_valid_i & in_ready_o;

  always_comb begin
    state_d    = state_q;
    in_ready_o = 1'b0;
    load       = 1'b0;
    write      = 1'b0;
    case (state_q)
      StateIdle: begin
        if (start) state_d = !legal ? StateRefuse : keyed ? StateRun : StateKey;
      end
      StateKey:     if (core_in_ready_i) state_d = StateKeyWait;
      StateKeyWait: if (core_out_valid_i) state_d = StateRun;
      StateRun: begin
        in_ready_o = skips | (takes & ~held_q);
        load       = ~held_q & (takes | pads);
        if (fault)                       state_d = StateRefuse;
        else if (emit & core_in_ready_i) state_d = StateWait;
      end
      StateWait: begin
        in_ready_o = takes & ~held_q & ~final_q;
        load       = in_ready_o;
        if (core_out_valid_i) state_d = final_q ? StateTag : StateRun;
      end
      StateTag: begin
        in_ready_o = decrypt_q;
        load       = accept;
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
    if (start) begin
      decrypt_q                             <= msg_i.decrypt;
      tag_bytes_q                           <= msg_i.tag_bytes[3:0] - 4'd1;
      {held_q, whole_q, final_q, ended_q}   <= '0;
    end else begin
      if (accept) ended_q <= in_i.last;
      if (load)   whole_q <= whole & ~pads;
      if (state_q == StateRun && emit) final_q <= at_end;
      if (load)                                              held_q <= 1'b1;
      else if (state_q == StateRun && emit && core_in_ready_i) held_q <= 1'b0;
    end
    if (clear_i)   unequal_q <= 1'b0;
    else if (load) unequal_q <= (in_i.keep != tag_keep);
  end

  // --- The beat that waits, with its padding ---

  assign keep = (is_text | (state_q == StateTag)) ? in_i.keep : '0;

  for (genvar i = 0; i < 32'(Full); i++) begin : gen_byte
    logic counts, resets;

    assign counts = keep[15-i];
    assign resets = clear_i | start | (load & ~counts);

    always_ff @(posedge clk_i) begin
      if (resets)    beat_q[126-8*i-:7] <= '0;
      else if (load) beat_q[126-8*i-:7] <= in_i.data[126-8*i-:7];
    end

    // The one of the padding is the first bit of the first byte that does not count.
    if (Plain) begin : gen_plain
      always_ff @(posedge clk_i) begin
        if (resets)    beat_q[127-8*i] <= 1'b0;
        else if (load) beat_q[127-8*i] <= in_i.data[127-8*i];
      end
    end else begin : gen_padded
      logic ahead, pad;

      assign ahead = (i == 0) | keep[16-((i == 0) ? 1 : i)];
      assign pad   = ahead & ~counts & (state_q != StateTag);

      always_ff @(posedge clk_i) begin
        if (clear_i || start) beat_q[127-8*i] <= 1'b0;
        else if (load)        beat_q[127-8*i] <= counts ? in_i.data[127-8*i] : pad;
      end
    end
  end

  // --- The subkeys: twice and four times the encryption of zero ---

  block_t key;   // for the last block, else zero

  if (Plain) begin : gen_no_keys
    assign key   = '0;
    assign keyed = 1'b1;
  end else begin : gen_keys
    logic   keyed_q, made, ends;
    block_t zero_q, once, twice;

    assign made  = (state_q == StateKeyWait) & core_out_valid_i;
    assign keyed = keyed_q & ~key_i.loaded;

    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i || key_i.loaded) keyed_q <= 1'b0;
      else if (made)                          keyed_q <= 1'b1;
      if (clear_i)   zero_q <= '0;
      else if (made) zero_q <= core_out_i.block;
    end

    assign once  = double(zero_q);
    assign twice = double(once);
    assign ends  = (state_q == StateRun) & at_end;
    assign key   = ({128{ends & whole_q}} & once) | ({128{ends & ~whole_q}} & twice);
  end

  // --- The core ---

  assign block = beat_q ^ sum_q ^ key;

  assign core_in_valid_o = (state_q == StateKey) | ((state_q == StateRun) & emit);
  assign core_in_o       = '{block: block, decrypt: 1'b0, slot: '0};

  always_ff @(posedge clk_i) begin
    if (clear_i || start) sum_q <= '0;
    else if (result)      sum_q <= core_out_i.block;
  end

  // --- The answer ---

  assign tag_keep = keep_of({1'b0, tag_bytes_q} + 5'd1);

  rsm_mode_tag_answer u_answer (
    .clk_i,
    .rst_ni,
    .clear_i,
    .write_i      (write),
    .data_i       (sum_q),
    .keep_i       (tag_keep),
    .empty_i      (state_q != StateTag),
    .last_i       (1'b1),
    .refused_i    (state_q == StateRefuse),
    .tag_i        (state_q == StateTag),
    .verdict_i    (state_q == StateVerdict),
    .tag_keep_i   (tag_keep),
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
