// SPDX-License-Identifier: Apache-2.0
//
// CMAC (NIST SP 800-38B): the tag of a text; and CBC-MAC without its subkeys (`Plain`), which is
// safe only where all messages have one length, and takes whole blocks, one at least.
//
// A block goes to the core when it is known whether it is the last one. Until then it waits, added
// to the result before, in the only register; so a block takes the core's latency and a cycle. The
// encryption of zero, of which both subkeys are multiples, is computed with the first message after
// a key was loaded and kept for its slot.
//
// The text does not come out: a generation answers with the tag, a verification with the verdict,
// all bytes compared at once. Refused are tags of no bytes or more than 16, parts other than text
// and tag, short beats inside the text, and a verification without tag.
//
// Latency: from the last beat, that of the core and 3 cycles.
module rsm_mode_cmac
  import rsm_mode_pkg::*;
#(
  parameter int unsigned Depth    = 2,  // blocks that may be in the core; here it is one
  parameter int unsigned Slots    = 1,
  parameter bit          Plain    = 1'b0
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
    StateKey,      // the encryption of zero is asked for
    StateKeyWait,
    StateRun,      // beats of text come in, and blocks go to the core
    StateWait,     // for the result
    StateTag,      // the tag is there, or awaited to be verified
    StateAnswer,
    StateRefuse    // beats are dropped
  } state_e;

  localparam int unsigned Keys     = Plain ? 1 : 2 ** $clog2(Slots);
  localparam int unsigned SlotBits = (Keys > 1) ? $clog2(Keys) : 1;

  typedef logic [SlotBits-1:0] slot_t;

  state_e      state_d, state_q;
  logic [15:0] keyed_q;        // slots whose key is in the memory
  logic        decrypt_q;
  logic [3:0]  slot_q;
  bytes_t      tag_bytes_q;
  block_t      sum_q;          // the result before, and the block that waits
  logic        held_q;         // a block waits
  logic        whole_q;        // it has 16 bytes
  logic        final_q;        // the last block is in the core
  logic        ended_q;        // the last beat has come
  logic        refused_q, wrong_q;
  logic        clearing_q;

  // --- What stands at the port, and what is done with it ---

  part_e  part;
  logic   legal, is_text, is_tag, empty;
  logic   takes;       // a beat of text that is added
  logic   skips;       // an empty one
  logic   at_end;      // nothing but the tag can follow
  logic   pads;        // there was no text at all: its block is nothing but padding
  logic   issues, fault;
  logic   emit;        // a block goes to the core
  logic   take;
  logic   result;
  logic   stays_keyed;
  block_t beat;

  assign legal   = (msg_i.tag_bytes != '0) & (msg_i.tag_bytes <= Full) & (32'(msg_i.slot) < Slots);
  assign part    = in_i.part;
  assign empty   = ~in_i.keep[15];
  assign is_text = in_valid_i & ~ended_q & (part == PartText) & ~(in_i.last & decrypt_q);
  assign is_tag  = in_valid_i & ~ended_q & (part == PartTag) & in_i.last & decrypt_q;
  assign beat    = padded(in_i.data, in_i.keep);

  // A key that comes in the same cycle is that of the message.
  assign stays_keyed = keyed_q[msg_i.slot] &
                       ~(key_i.loaded & (key_i.slot == msg_i.slot));

  assign takes   = is_text & ~empty & (~Plain | in_i.keep[0]);
  assign skips   = is_text & empty;
  assign at_end  = ended_q | is_tag;
  assign pads    = at_end & ~held_q & ~Plain;
  assign issues  = held_q & (at_end | (takes & whole_q));
  assign fault   = (in_valid_i & ~ended_q & ~is_tag & ~skips & ~(takes & (whole_q | ~held_q))) |
                   (at_end & ~held_q & Plain);
  assign emit    = (state_q == StateRun) & issues;
  assign result  = (state_q == StateWait) & core_out_valid_i;

  always_comb begin
    state_d    = state_q;
    in_ready_o = 1'b0;
    case (state_q)
      StateIdle: begin
        if (msg_valid_i && msg_ready_o) begin
          if (!legal)                    state_d = StateRefuse;
          else if (Plain || stays_keyed) state_d = StateRun;
          else                           state_d = StateKey;
        end
      end
      StateKey:     if (core_in_ready_i) state_d = StateKeyWait;
      StateKeyWait: if (core_out_valid_i) state_d = StateRun;
      StateRun: begin
        in_ready_o = skips | (takes & ~held_q);
        if (fault)                         state_d = StateRefuse;
        else if (issues & core_in_ready_i) state_d = StateWait;
      end
      StateWait: begin
        in_ready_o = takes & core_out_valid_i & ~final_q;
        if (core_out_valid_i) state_d = final_q ? StateTag : StateRun;
      end
      StateTag: begin
        in_ready_o = decrypt_q;
        if (!decrypt_q || in_valid_i) state_d = StateAnswer;
      end
      StateAnswer: if (out_ready_i) state_d = StateIdle;
      StateRefuse: begin
        in_ready_o = ~ended_q;
        if (ended_q || (in_valid_i && in_i.last)) state_d = StateAnswer;
      end
      default: state_d = StateIdle;
    endcase
  end

  keep_t  tag_keep;     // the bytes of the tag
  block_t difference;   // of the tag to the one that came

  assign take       = in_valid_i & in_ready_o;
  assign tag_keep   = keep_of(tag_bytes_q);
  assign difference = sum_q ^ in_i.data;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      state_q <= StateIdle;
      keyed_q <= '0;
    end else begin
      state_q <= state_d;
      if (key_i.loaded) keyed_q[key_i.slot] <= 1'b0;
      if (state_q == StateKeyWait) keyed_q[slot_q] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StateIdle) begin
      {decrypt_q, slot_q, tag_bytes_q} <= {msg_i.decrypt, msg_i.slot, msg_i.tag_bytes};
      {held_q, whole_q, final_q, ended_q, refused_q, wrong_q} <= '0;
    end else begin
      if (take) ended_q <= in_i.last;
      if (take && takes) begin
        {held_q, whole_q} <= {1'b1, in_i.keep[0]};
      end else if (state_q == StateRun && pads && !fault) begin
        {held_q, whole_q} <= 2'b10;
      end else if (result) begin
        held_q <= 1'b0;
      end
      if (emit) final_q <= at_end;
      if (state_q == StateRefuse) refused_q <= 1'b1;
      if (state_q == StateTag) begin
        wrong_q <= decrypt_q & ((in_i.keep != tag_keep) | differs(difference, tag_keep));
      end
    end
    if (clear_i || state_q == StateIdle) begin
      sum_q <= '0;
    end else if (result) begin
      sum_q <= core_out_i.block ^ (take ? beat : '0);
    end else if (state_q == StateRun && take && takes) begin
      sum_q <= sum_q ^ beat;
    end else if (state_q == StateRun && pads) begin
      sum_q <= padded('0, '0);
    end
  end

  // --- The core, and the subkeys: twice and four times the encryption of zero ---

  block_t keys_q [Keys];
  block_t block;
  block_t key, key_short;   // for a last block that is whole, and for one that is not
  slot_t  clear_q, key_place;
  logic   key_write;

  assign key       = Plain ? '0 : double(keys_q[slot_t'(slot_q & 4'(Keys - 1))]);
  assign key_short = double(key);

  assign block = (state_q == StateKey) ? '0
                 : sum_q ^ (~at_end ? '0 : whole_q ? key : key_short);

  assign core_in_valid_o = (state_q == StateKey) | emit;
  assign core_in_o       = '{block: block, decrypt: 1'b0, slot: slot_q};
  assign core_out_ready_o = (state_q == StateKeyWait) | (state_q == StateWait);

  assign key_write = clearing_q | ((state_q == StateKeyWait) & core_out_valid_i);
  assign key_place = clearing_q ? clear_q : slot_t'(slot_q & 4'(Keys - 1));

  always_ff @(posedge clk_i) begin
    if (!rst_ni)                           clearing_q <= 1'b0;
    else if (clear_i)                      clearing_q <= 1'b1;
    else if (clear_q == slot_t'(Keys - 1)) clearing_q <= 1'b0;
    if (clear_i)         clear_q <= '0;
    else if (clearing_q) clear_q <= clear_q + slot_t'(1);
  end

  always_ff @(posedge clk_i) begin
    if (key_write) keys_q[key_place] <= clearing_q ? '0 : core_out_i.block;
  end

  // --- The answer ---

  logic  generates;
  keep_t out_keep;

  assign generates   = ~refused_q & ~decrypt_q;
  assign msg_ready_o = (state_q == StateIdle) & ~clearing_q;
  assign key_open_o  = (state_q == StateIdle) | (slot_q != key_i.slot);
  assign out_valid_o = (state_q == StateAnswer);
  assign out_keep    = tag_keep & {16{generates}};
  assign out_o       = '{
    data:   kept_bytes(sum_q, out_keep),
    keep:   out_keep,
    part:   generates ? PartTag : PartText,
    last:   1'b1,
    status: '{spare: 1'b0, refused: refused_q, wrong_tag: wrong_q & ~refused_q}
  };
  assign idle_o      = core_idle_i & (state_q == StateIdle) & ~clearing_q;

  logic unused_in;

  assign unused_in = ^{msg_i, Depth == 0};

endmodule
