// SPDX-License-Identifier: Apache-2.0
//
// The multiples of a message are those of the key in force: the encryption of zero, doubled and
// doubled again. No result is lost, and a message ends when no block of it is in flight.
// Assumptions: reset in the first cycle only; keys load only while the mode is open for them;
// the core has one block at a time and gives any result, after Cycles cycles or more.
// Parameters: Cycles is the shortest interval of a core with this mode; LimitWidth is 4.
module rsm_mode_ocb_oneblock_proof import rsm_mode_pkg::*; #(
  parameter logic [2:0] Cycles = 3'd4
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
    Idle, Nonce, Ask, Zero, Shift, Beat, Fetch, Walk, Load, Sum, Enter, Take, Compare, Verdict
  } state_e;

  logic key_open, core_in_valid, core_in_ready, core_out_valid, out_valid, enters;
  key_t key;
  core_req_t core_in;
  block_t once, twice;

  rsm_mode_ocb_oneblock #(.LimitWidth (4)) dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(), .msg_valid_i, .msg_ready_o(), .msg_i, .in_valid_i,
    .in_ready_o(), .in_i, .out_valid_o(out_valid), .out_ready_i, .out_o(), .key_i(key),
    .key_open_o(key_open), .core_idle_i, .core_in_valid_o(core_in_valid),
    .core_in_ready_i(core_in_ready), .core_in_o(core_in), .core_out_valid_i(core_out_valid),
    .core_out_i
  );

  state_e state;
  assign state = state_e'(dut.state_q);

  // The core has a block; zero was sent to it under this key, and its result has come.
  logic busy_q, asked_q, known_q, done;
  logic [2:0] age_q;   // cycles of the block in the core
  block_t zero_q;
  assign key            = '{loaded: key_valid_i & key_open & rst_ni & ~clear_i, slot: '0};
  assign done           = core_done_i & (age_q == Cycles);
  assign core_out_valid = busy_q & done;
  assign core_in_ready  = core_open_i & (~busy_q | done);
  assign enters         = core_in_valid & core_in_ready;
  assign once           = double(zero_q);
  assign twice          = double(once);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      {busy_q, asked_q, known_q} <= '0;
    end else begin
      busy_q  <= enters | (busy_q & ~done);
      asked_q <= ~key.loaded & (asked_q | (enters & (state == Ask) & dut.key_q));
      known_q <= ~key.loaded & (known_q | (asked_q & core_out_valid));
    end
    age_q <= enters ? 3'd1 : (age_q == Cycles) ? age_q : age_q + 3'd1;
    if (core_out_valid && asked_q && !known_q) zero_q <= core_out_i.block;
  end

  // The last block of a message: a short last block of text, or the block of the tag.
  logic ends_in, ends_out, waits;
  assign ends_in  = dut.core_kind_q[1];
  assign ends_out = dut.result_kind_q[1];
  assign waits    = dut.sent_q & ~dut.refused_q;

  always_comb begin
    if (started_q) begin
      assert (dut.busy_q == busy_q);
      assert (!known_q || asked_q);
      assert (!asked_q || dut.keyed_q || (dut.key_q && (state == Zero || state == Shift)));
      // The memory has the multiples of the key in force.
      if (dut.keyed_q) begin
        assert (known_q && state <= Verdict);
        assert (dut.words_q[0] == zero_q && dut.words_q[1] == once && dut.words_q[2] == twice);
      end
      if ((state >= Fetch && state <= Verdict) || (state == Beat && !dut.refused_q)) begin
        assert (dut.keyed_q);
      end
      // The multiples: zero is sent to the core, and its result doubled twice.
      assert (dut.shifts_q == dut.shifted_q && (state != Nonce || !dut.key_q));
      if (state == Zero) assert (!dut.shifts_q && dut.other_q);
      if (state == Shift) assert (dut.shifts_q && !dut.other_q);
      if (dut.key_q && state >= Ask && state <= Shift) assert (!dut.keyed_q);
      if (dut.key_q && state >= Ask && state <= Zero) assert (dut.count_q == '0);
      if (state == Ask && dut.key_q) begin
        assert (core_in.block == '0 && dut.work_q == '0 && dut.word_q == '0);
      end
      if (state == Zero) assert (busy_q != dut.result_valid_q);
      if (state == Zero && dut.key_q) begin
        assert (asked_q && known_q == dut.result_valid_q && (!known_q || dut.result_q == zero_q));
      end
      if (state == Shift && dut.key_q) begin
        assert (known_q && dut.word_q == '0 && dut.count_q <= 6'd3);
        if (dut.count_q == 6'd0) assert (dut.work_q == zero_q);
        if (dut.count_q == 6'd1) assert (dut.work_q == once);
        if (dut.count_q == 6'd2) assert (dut.work_q == twice);
        if (dut.count_q >= 6'd1) assert (dut.words_q[0] == zero_q);
        if (dut.count_q >= 6'd2) assert (dut.words_q[1] == once);
        if (dut.count_q >= 6'd3) assert (dut.words_q[2] == twice);
      end
      // No result is lost: of two results, the first one moves on at once.
      if (busy_q) assert (age_q >= 3'd1 && age_q <= Cycles);
      if (busy_q && dut.result_valid_q) assert (state == Beat && dut.take && age_q == 3'd1);
      if (busy_q && state == Take) assert (age_q == 3'd2);
      if (busy_q && state == Sum && dut.decrypt) assert (age_q == 3'd3);
      if (busy_q && (dut.result_valid_q || state == Take)) assert (!out_valid);
      // A message ends when no block of it is in flight.
      if (!(state inside {Zero, [Beat:Take]})) assert (!busy_q && !dut.result_valid_q);
      if (state == Beat && !dut.keyed_q) assert (!busy_q && !dut.result_valid_q);
      if (state inside {[Fetch:Load], Enter} || (state == Sum && !dut.decrypt)) begin
        assert (!dut.refused_q);
      end
      if (busy_q && ends_in && state != Zero) begin
        assert (waits && (state == Beat || state == Take || (state == Sum && dut.decrypt)));
      end
      if (dut.result_valid_q && ends_out && state != Zero) begin
        assert (!busy_q && waits && state == Beat);
      end
      if (state == Take && ends_out) assert (!busy_q && !dut.result_valid_q && waits);
    end
  end
endmodule
