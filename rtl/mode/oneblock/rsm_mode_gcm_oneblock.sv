// SPDX-License-Identifier: Apache-2.0
//
// Galois/counter mode (NIST SP 800-38D) over a core that has one block at a time; a message with
// associated data alone is GMAC.
//
// It does what rsm_mode_gcm does, of a single key slot, and stands on the native port. H, the
// encryption of zero, is computed as soon as a key was loaded; no message begins before. A beat of
// text stays at the port while its block of the counter is in the core, and the result goes
// straight to the answer: the core gets a block only when its answer has room.
//
// One multiplier makes the hash (elements as in rsm_ghash_step). What it takes is the beat at the
// port, or the answer, which is the ciphertext of an encryption. Bytes that do not count are zero
// there, and all of them are while there is no answer, so one choice of two for each bit is enough.
// One counter counts the whole beats of each part: of an IV, of associated data, and of text, whose
// blocks of the counter are its sum with that of the IV.
//
// Text is released as it comes, the verdict on the tag at the end. All bytes of a tag are compared
// at once. What is refused is said in rsm_mode_gcm; each part has 2^LimitWidth - 2 blocks at most.
//
// Latency: a beat of text leaves a cycle after the core's result and takes the core's interval and
// a cycle, or ceil(128 / Digit) and a cycle where that is longer; a beat of associated data always
// takes the latter. A tag or a verdict follows on the last beat after the core's latency and
// ceil(128 / Digit) + 5 cycles, or up to twice the latter where that is longer than the interval.
module rsm_mode_gcm_oneblock
  import rsm_mode_pkg::*;
#(
  parameter int unsigned Digit      = 13,  // bits that the multiplier takes a cycle
  parameter int unsigned Interval   = 10,  // the fewest cycles of a block in the core
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
  // The core, which cannot wait, seen from here.
  input  logic      core_idle_i,
  output logic      core_in_valid_o,
  input  logic      core_in_ready_i,
  output core_req_t core_in_o,
  input  logic      core_out_valid_i,
  input  core_rsp_t core_out_i
);

  localparam int unsigned Steps     = (127 + Digit) / Digit;
  localparam int unsigned Room      = Steps * Digit;
  localparam int unsigned LeftWidth = $clog2(Steps + 1);

  typedef enum logic [3:0] {
    StateIdle,
    StateZero,       // a key was loaded; the block of the counter becomes zero
    StateKey,        // H is asked for
    StateKeyWait,
    StateIv,         // beats of the IV
    StateIvEnd,      // its length
    StateIvHash,     // the hash of it is awaited
    StateAad,        // beats of associated data
    StateBegin,      // the first block of the counter is made
    StateText,       // a beat of text is awaited, and its block of the counter goes to the core
    StateTextWait,
    StateLengths,    // the lengths are hashed
    StateTagBegin,   // the block for the tag is made
    StateTag,        // it goes to the core
    StateTagWait,
    StateRefuse      // beats are dropped
  } state_e;

  typedef logic [LeftWidth-1:0]  left_t;
  typedef logic [LimitWidth-1:0] limit_t;

  state_e     state_d, state_q;
  logic       keyed_q;       // H is that of the key in the core
  logic       decrypt_q;
  logic [3:0] tag_bytes_q;   // 0 for 16
  logic       ended_q;       // the last beat has come
  logic       short_q;       // the beat before, of the same part, was short
  logic       some_q;        // a beat has come
  logic       hash_q;        // the answer was written a cycle ago, and is hashed
  left_t      left_q;        // steps of the multiplier that are left
  block_t     product_q;     // the hash

  // --- Messages ---

  logic start, legal, tag_legal, accept;

  assign start     = msg_valid_i & msg_ready_o;
  assign accept    = in_valid_i & in_ready_o;
  assign tag_legal = (msg_i.tag_bytes == 5'd4) | (msg_i.tag_bytes == 5'd8) |
                     ((msg_i.tag_bytes >= 5'd12) & (msg_i.tag_bytes <= Full));
  assign legal     = tag_legal & ((msg_i.iv_bytes == 5'd12) | (msg_i.iv_bytes == '0)) &
                     (msg_i.slot == '0);

  // --- What stands at the port ---

  part_e part;
  logic  whole, empty, verdict, is_tag;
  logic  spent_q;     // no block is left for the part
  logic  bad;         // the beat cannot be one of the part

  assign whole   = in_i.keep[0];
  assign empty   = ~in_i.keep[15];
  assign verdict = in_i.last & decrypt_q;
  assign is_tag  = in_valid_i & (in_i.part == PartTag) & verdict;
  assign bad     = verdict | (~empty & (short_q | spent_q));

  always_comb begin
    case (state_q)
      StateIv:  part = PartIv;
      StateAad: part = PartAad;
      default:  part = PartText;
    endcase
  end

  // --- The order of things ---

  logic beat_valid;  // a beat of the part is at the port
  logic part_done;   // the part is
  logic hash_idle;   // the multiplier and the answer are done
  logic room;        // for the answer of a block that enters now, and the multiplier will be done
  logic emit, write;
  logic add_beat, add_text, add_lengths;   // to the hash
  logic leave_aad, take_iv;

  assign beat_valid = in_valid_i & ~ended_q & (in_i.part == part);
  assign part_done  = ended_q | (in_valid_i & (in_i.part != part));
  assign hash_idle  = (left_q == '0) & ~hash_q & ~out_valid_o;
  assign room       = (~out_valid_o | out_ready_i) &
                      ((Steps <= Interval) |
                       (~hash_q & (32'(left_q) <= Interval + 32'(!decrypt_q))));

  always_comb begin
    state_d     = state_q;
    in_ready_o  = 1'b0;
    emit        = 1'b0;
    write       = 1'b0;
    add_beat    = 1'b0;
    add_text    = hash_q;
    add_lengths = 1'b0;
    leave_aad   = 1'b0;
    take_iv     = 1'b0;
    case (state_q)
      StateIdle: begin
        if (start)             state_d = !legal ? StateRefuse
                                         : (msg_i.iv_bytes == '0) ? StateIv : StateAad;
        else if (key_i.loaded) state_d = StateZero;
      end
      StateZero: state_d = StateKey;
      StateKey: begin
        emit = 1'b1;
        if (core_in_ready_i) state_d = StateKeyWait;
      end
      StateKeyWait: if (core_out_valid_i) state_d = StateIdle;
      StateIv: begin
        add_beat   = beat_valid & ~bad & ~empty & hash_idle;
        in_ready_o = add_beat;
        if (part_done)                         state_d = some_q ? StateIvEnd : StateRefuse;
        else if (beat_valid && (bad || empty)) state_d = StateRefuse;
      end
      StateIvEnd: begin
        add_lengths = hash_idle;
        if (hash_idle) state_d = StateIvHash;
      end
      StateIvHash: begin
        take_iv = hash_idle;
        if (hash_idle) state_d = StateAad;
      end
      StateAad: begin
        add_beat   = beat_valid & ~bad & ~empty & hash_idle;
        in_ready_o = add_beat | (beat_valid & ~bad & empty);
        leave_aad  = part_done;
        if (part_done)              state_d = StateBegin;
        else if (beat_valid && bad) state_d = StateRefuse;
      end
      StateBegin: state_d = StateText;
      StateText: begin
        emit       = beat_valid & ~bad & ~empty & room;
        in_ready_o = beat_valid & ~bad & empty;
        if (ended_q || is_tag)                     state_d = StateLengths;
        else if (part_done || (beat_valid && bad)) state_d = StateRefuse;
        else if (emit && core_in_ready_i)          state_d = StateTextWait;
      end
      StateTextWait: begin
        write      = core_out_valid_i;
        in_ready_o = core_out_valid_i;
        add_text   = core_out_valid_i & decrypt_q;
        if (core_out_valid_i) state_d = StateText;
      end
      StateLengths: begin
        add_lengths = hash_idle;
        if (hash_idle) state_d = StateTagBegin;
      end
      StateTagBegin: state_d = StateTag;
      StateTag: begin
        emit = (32'(left_q) < Interval);
        if (emit && core_in_ready_i) state_d = StateTagWait;
      end
      StateTagWait: begin
        write      = core_out_valid_i;
        in_ready_o = core_out_valid_i & decrypt_q;
        if (core_out_valid_i) state_d = StateIdle;
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
    if (!rst_ni || clear_i) begin
      state_q <= StateIdle;
      keyed_q <= 1'b0;
      hash_q  <= 1'b0;
    end else begin
      state_q <= state_d;
      if (key_i.loaded)                                     keyed_q <= 1'b0;
      else if (state_q == StateKeyWait && core_out_valid_i) keyed_q <= 1'b1;
      hash_q <= (state_q == StateTextWait) & core_out_valid_i & ~decrypt_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (start) {decrypt_q, tag_bytes_q} <= {msg_i.decrypt, msg_i.tag_bytes[3:0]};
    if (start)       {ended_q, some_q} <= '0;
    else if (accept) {ended_q, some_q} <= {in_i.last, 1'b1};
    if (start || take_iv || leave_aad) short_q <= 1'b0;
    else if (accept)                   short_q <= ~whole;
  end

  // --- Lengths: whole beats of a part, and bytes behind them ---

  logic        count, restart;
  logic [31:0] blocks_q;
  logic [3:0]  rest_q;
  logic [35:0] aad_q;        // the length of the associated data, in bytes

  assign count   = add_beat | ((state_q == StateText) & emit & core_in_ready_i);
  assign restart = clear_i | start | key_i.loaded | add_lengths | leave_aad;

  always_ff @(posedge clk_i) begin
    if (restart) begin
      {blocks_q, rest_q} <= '0;
    end else if (count) begin
      if (whole) blocks_q <= blocks_q + 32'd1;
      rest_q <= 4'(bytes_of(in_i.keep));
    end
    if (clear_i || start) aad_q <= '0;
    else if (leave_aad)   aad_q <= {blocks_q, rest_q};
    // The multiplier or the core is busy for a while after each beat that counts.
    spent_q <= ~restart & (limit_t'(blocks_q) == limit_t'(0) - limit_t'(2));
  end

  // --- The blocks of the counter ---

  logic        more;        // a block of text: the one for the tag comes before it
  logic [95:0] nonce_q;
  logic [31:0] base_q, counter_q;

  assign more = (state_q == StateBegin) | (state_q == StateText) | (state_q == StateTextWait);

  always_ff @(posedge clk_i) begin
    if (clear_i || key_i.loaded) {nonce_q, base_q} <= '0;
    else if (start)              {nonce_q, base_q} <= {msg_i.iv[127:32], 32'd1};
    else if (take_iv)            {nonce_q, base_q} <= product_q;
    if (clear_i) counter_q <= '0;
    else         counter_q <= base_q + blocks_q + 32'(more);
  end

  assign core_in_valid_o = emit;
  assign core_in_o       = '{block: {nonce_q, counter_q}, decrypt: 1'b0, slot: '0};

  // --- The hash ---

  // The first bit of a block is the coefficient of x^0.
  function automatic block_t turned(block_t block);
    block_t found;
    for (int i = 0; i < 128; i++) found[i] = block[127-i];
    return found;
  endfunction

  logic            begins, compares;
  block_t          hash_key_q;    // turned
  block_t          answer, added, lengths, value, result, stepped, product;
  logic [Room-1:0] value_q, rest; // what is multiplied, turned; the next digit is at its high end

  assign begins   = add_beat | add_text | add_lengths;
  assign compares = (state_q == StateTagWait) & (left_q == '0);
  assign lengths  = {25'd0, aad_q, 3'd0, 25'd0, blocks_q, rest_q, 3'd0};

  for (genvar i = 0; i < 32'(Full); i++) begin : gen_byte
    logic ours;

    assign ours = in_i.keep[15-i] & ~hash_q & ~add_lengths;
    assign added[127-8*i-:8] = (ours ? in_i.data[127-8*i-:8] : answer[127-8*i-:8]) ^
                               product_q[127-8*i-:8];
  end

  assign value   = turned(added ^ (add_lengths ? lengths : '0));
  assign result  = turned(core_out_i.block);
  assign product = turned(stepped);

  if (Steps > 1) begin : gen_rest
    assign rest = value_q << Digit;
  end else begin : gen_no_rest
    assign rest = '0;
  end

  rsm_ghash_step #(
    .Digit (Digit)
  ) u_step (
    .product_i (turned(product_q)),
    .digit_i   (value_q[Room-1-:Digit]),
    .factor_i  (hash_key_q),
    .product_o (stepped)
  );

  always_ff @(posedge clk_i) begin
    if (clear_i)                                          hash_key_q <= '0;
    else if (state_q == StateKeyWait && core_out_valid_i) hash_key_q <= result;

    if (!rst_ni || clear_i || start) left_q <= '0;
    else if (begins)                 left_q <= left_t'(Steps);
    else if (left_q != '0)           left_q <= left_q - left_t'(1);

    if (clear_i) begin
      value_q <= '0;
    end else if (begins || compares) begin
      value_q <= Room'(value);
    end else if (left_q != '0) begin
      value_q <= rest;
    end

    if (clear_i || start || begins || take_iv) product_q <= '0;
    else if (left_q != '0)                     product_q <= product;
  end

  // --- The answer ---

  logic    text;
  keep_t   tag_keep;
  answer_t out;

  assign text     = (state_q == StateTextWait);
  assign tag_keep = keep_of({tag_bytes_q == '0, tag_bytes_q});
  assign answer   = out.data;
  assign out_o    = out;

  rsm_mode_tag_answer u_answer (
    .clk_i,
    .rst_ni,
    .clear_i,
    .write_i      (write),
    .data_i       ((text ? in_i.data : product_q) ^ core_out_i.block),
    .keep_i       (text ? in_i.keep : tag_keep),
    .empty_i      ((state_q == StateRefuse) | (~text & decrypt_q)),
    .last_i       (~text),
    .refused_i    (state_q == StateRefuse),
    .tag_i        ((state_q == StateTagWait) & ~decrypt_q),
    .verdict_i    ((state_q == StateTagWait) & decrypt_q),
    .tag_keep_i   (tag_keep),
    // The tag that came is in the sum already.
    .difference_i (turned(value_q[127:0]) ^ core_out_i.block),
    .unequal_i    (in_i.keep != tag_keep),
    .valid_o      (out_valid_o),
    .ready_i      (out_ready_i),
    .answer_o     (out)
  );

  assign msg_ready_o = (state_q == StateIdle) & keyed_q;
  assign key_open_o  = (state_q == StateIdle) & ~start;
  assign idle_o      = core_idle_i & (state_q == StateIdle) & ~out_valid_o;

  logic unused_in;

  assign unused_in = ^{msg_i, key_i};

endmodule
