// SPDX-License-Identifier: Apache-2.0
//
// H is that of the key in force. The multiplier and the answer register are free when they are
// written, and no block of the counter is used twice.
// Assumptions: reset in the first cycle only; keys load only while the mode is open for them;
// the core has one block at a time and gives any result, after Interval cycles or more. A
// waiting beat stays, and the bytes of a beat are at its left. The multiplier gives any product.
// Parameters: Digit 128 (one step), 32 (as long as the core) and 16 (longer); Interval and
// LimitWidth are 4.
// A step of the multiplier. Its product is undriven, so it may be anything in each cycle.
module rsm_ghash_step #(parameter int unsigned Digit = 8) (
  input logic [127:0] product_i, factor_i, input logic [Digit-1:0] digit_i,
  output logic [127:0] product_o
);
endmodule

module rsm_mode_gcm_oneblock_proof import rsm_mode_pkg::*; #(
  parameter int unsigned Digit    = 32,
  parameter int unsigned Interval = 4
) (
  input logic clk_i, clear_i, msg_valid_i, in_valid_i, out_ready_i, key_valid_i,
  input logic core_idle_i, core_open_i, core_done_i,
  input msg_t msg_i,
  input beat_t in_i,
  input core_rsp_t core_out_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  typedef enum logic [3:0] {
    Idle, Zero, Key, KeyWait, Iv, IvEnd, IvHash, Aad, Begin, Text, TextWait, Lengths, TagBegin, Tag,
    TagWait, Refuse
  } state_e;

  logic key_open, core_in_valid, core_in_ready, core_out_valid, out_valid, enters;
  logic msg_ready, in_ready;
  key_t key;
  core_req_t core_in;

  rsm_mode_gcm_oneblock #(.Digit (Digit), .Interval (Interval), .LimitWidth (4)) dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(), .msg_valid_i, .msg_ready_o(msg_ready), .msg_i,
    .in_valid_i, .in_ready_o(in_ready), .in_i, .out_valid_o(out_valid), .out_ready_i, .out_o(),
    .key_i(key), .key_open_o(key_open), .core_idle_i, .core_in_valid_o(core_in_valid),
    .core_in_ready_i(core_in_ready), .core_in_o(core_in), .core_out_valid_i(core_out_valid),
    .core_out_i
  );

  state_e state;
  assign state = state_e'(dut.state_q);

  // The core has a block; zero was sent to it under this key, and its result has come.
  logic busy_q, asked_q, known_q, done;
  logic [7:0] age_q;   // cycles of the block in the core
  block_t zero_q;
  assign key            = '{loaded: key_valid_i & key_open & rst_ni & ~clear_i, slot: '0};
  assign done           = core_done_i & (32'(age_q) >= Interval);
  assign core_out_valid = busy_q & done;
  assign core_in_ready  = core_open_i & (~busy_q | done);
  assign enters         = core_in_valid & core_in_ready;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      {busy_q, asked_q, known_q} <= '0;
    end else begin
      busy_q  <= enters | (busy_q & ~done);
      asked_q <= ~key.loaded & (asked_q | (enters & (state == Key) & (core_in.block == '0)));
      known_q <= ~key.loaded & (known_q | (asked_q & core_out_valid));
    end
    age_q <= enters ? 8'd1 : (32'(age_q) >= Interval) ? age_q : age_q + 8'd1;
    if (core_out_valid && asked_q && !known_q) begin
      for (int i = 0; i < 128; i++) zero_q[i] <= core_out_i.block[127-i];
    end
  end

  // A waiting beat; the newest block of the counter in this message, and whether its beat is short.
  logic         held_q, texted_q, short_q, cut_q;
  logic [31:0]  last_q;
  beat_t        beat_q;
  always_ff @(posedge clk_i) begin
    held_q <= rst_ni & in_valid_i & ~in_ready & ~clear_i;
    beat_q <= in_i;
    if (state inside {Idle, Begin}) {texted_q, short_q} <= '0;
    else if (enters && state == Text) {texted_q, short_q} <= {1'b1, ~in_i.keep[0]};
    if (enters) last_q <= core_in.block[31:0];
    // A beat of this part was short: no beat of the part may follow.
    if (state inside {Idle, IvHash, Begin}) cut_q <= 1'b0;
    else if (in_valid_i && in_ready && !in_i.keep[0]) cut_q <= 1'b1;
  end

  logic [31:0] age, left, spare;
  block_t      sum;
  assign age   = 32'(age_q);
  assign left  = 32'(dut.left_q);
  assign spare = 32'(!dut.decrypt_q);
  always_comb begin
    for (int i = 0; i < 128; i++) sum[i] = in_i.data[127-i] ^ dut.product_q[127-i];
  end

  always_comb begin
    assume (!held_q || (in_valid_i && in_i == beat_q));
    assume ((in_i.keep & ~{1'b1, in_i.keep[15:1]}) == '0);   // bytes stand at the left
    if (started_q) begin
      assert (busy_q == (state inside {KeyWait, TextWait, TagWait}));
      if (busy_q) assert (age >= 1 && age <= Interval);
      // A message uses H of the key in force.
      if (dut.keyed_q) assert (known_q && dut.hash_key_q == zero_q);
      if (state > KeyWait) assert (dut.keyed_q);
      if (state inside {[Zero:KeyWait]}) assert (!dut.keyed_q && !known_q);
      if (msg_valid_i && msg_ready) assert (known_q && !key.loaded);
      if (state inside {Zero, Key}) assert ({dut.nonce_q, dut.base_q, dut.blocks_q} == '0);
      if (state == Key) assert (dut.counter_q == '0);
      if (state == KeyWait) assert (asked_q);
      // An answer is written into a free register. A hash step begins after the one before is done.
      if (!out_valid) assert (dut.answer == '0);
      if (dut.write) assert (!out_valid);
      assert (left <= 128 / Digit);
      if (dut.begins) assert (left == 0);
      if (dut.hash_q) assert (state == Text && out_valid && !dut.decrypt_q);
      if (dut.add_lengths || dut.add_beat) assert (!out_valid);
      if (state == TextWait) assert (!out_valid && (left == 0 || age + left <= Interval + spare));
      if (state inside {TagBegin, Tag, TagWait}) assert (!out_valid);
      // The hash is done a cycle before the tag is computed; a received tag is in the sum.
      if (state == TagWait) begin
        assert (left == 0 || age + left < Interval);
        for (int i = 0; i < 16; i++) begin
          if (dut.decrypt_q && core_out_valid && in_i.keep[i]) begin
            assert (dut.value_q[127-8*i-:8] == sum[127-8*i-:8]);
          end
        end
      end
      // The received tag stays at the port, and is the last beat.
      if (state inside {[Iv:TagWait]} && dut.decrypt_q) assert (!dut.ended_q);
      if (state inside {[Lengths:TagWait]} && dut.decrypt_q) assert (in_valid_i);
      if (dut.add_beat || (enters && state == Text)) assert (!cut_q);
      if (state inside {Iv, Aad, Text, TextWait}) assert (!cut_q || dut.short_q);
      // Counter blocks: the tag uses the first one, text uses the next ones, each once.
      if (state inside {Begin, TagBegin, Tag}) assert (dut.blocks_q == '0);
      if (state == Text || (state == TextWait && age >= 2)) begin
        assert (dut.counter_q == dut.base_q + dut.blocks_q + 1);
      end
      if (state == Tag) assert (dut.counter_q == dut.base_q);
      if (state == TextWait) assert (texted_q && in_valid_i && short_q == !in_i.keep[0]);
      if (state == Text && short_q) assert (dut.short_q);
      if (state inside {Text, TextWait}) begin
        if (texted_q) assert (last_q + 1 == dut.base_q + dut.blocks_q + 1 + 32'(short_q));
        else          assert (dut.blocks_q == '0 && !short_q);
        if (enters) assert (core_in.block == {dut.nonce_q, texted_q ? last_q + 1 : dut.base_q + 1});
      end
    end
  end
endmodule
