// SPDX-License-Identifier: Apache-2.0
//
// Each beat is answered with the result of its own block, in order. No result is lost, and none
// is left for the next message. Nothing is ready in the cycle after a clear.
// Assumptions: reset in the first cycle only; the core has one block at a time and returns it
// after two cycles or more; a waiting beat stays, until a clear. It may turn out to be rejected
// until the next block has entered.
// Parameters: Begun 0, and 1 where the first block enters with the message.
module rsm_mode_oneblock_ahead_proof import rsm_mode_pkg::*; #(parameter bit Begun = 1'b0) (
  input logic beside_i, alone_i,
  input logic clk_i, clear_i, msg_valid_i, in_valid_i, refuse_i, wait_i,
  input logic core_free_i, core_done_i, out_ready_i,
  input msg_t msg_i,
  input beat_t in_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic msg_ready, in_ready, core_valid, start, active, pending, enter, write, last, refused;
  logic empty;

  // The core has a block of number core_number_q. The mode's result belongs to block number_q.
  logic core_q, settled_q, answer_q, core_ready, core_gives;
  logic [3:0] core_number_q, number_q;
  assign core_gives = core_q & settled_q & core_done_i;
  assign core_ready = core_free_i & (~core_q | core_gives);

  always_ff @(posedge clk_i) begin
    settled_q <= core_q & ~core_gives;
    if (core_gives) number_q <= core_number_q;
    if (!rst_ni || clear_i) begin
      {core_q, answer_q} <= '0;
    end else begin
      core_q   <= (core_valid & core_ready) | (core_q & ~core_gives);
      answer_q <= write | (answer_q & ~out_ready_i);
    end
  end

  // Counters of messages that have begun and of messages that have ended.
  logic [3:0] begun_q, ended_q;
  logic in_held_q, cleared_q;
  logic refuse_q;
  beat_t in_q;

  logic taken, void_q, bad, bubble;
  assign taken  = in_valid_i & in_ready;
  assign bad    = (in_i.part != PartText) | refuse_i;
  assign bubble = void_q | bad | ~in_i.keep[15];

  always_ff @(posedge clk_i) begin
    cleared_q <= rst_ni & clear_i;
    in_held_q <= rst_ni & ~clear_i & in_valid_i & ~in_ready;
    in_q      <= in_i;
    refuse_q  <= refuse_i;
    if (start) void_q <= (msg_i.slot != '0);
    else if (taken) void_q <= void_q | bad;
    if (!rst_ni || clear_i) begin
      {begun_q, ended_q} <= '0;
    end else begin
      begun_q <= begun_q + 4'(start);
      ended_q <= ended_q + 4'(write & last);
    end
  end

  logic own, next;

  rsm_mode_oneblock_ahead #(.Begun(Begun)) dut (
    .clk_i, .rst_ni, .clear_i, .msg_valid_i, .msg_ready_o(msg_ready), .msg_i, .in_valid_i,
    .in_ready_o(in_ready), .in_i,
    .core_in_valid_o(core_valid), .core_in_ready_i(core_ready), .core_out_valid_i(core_gives),
    .out_valid_i(answer_q), .start_o(start), .active_o(active), .pending_o(pending),
    .enter_o(enter), .refuse_i, .wait_i, .write_o(write), .empty_o(empty), .last_o(last),
    .refused_o(refused),
    .own_o(own), .next_o(next), .beside_i, .alone_i
  );

  // Counters of the blocks of a message that have entered and of the beats that have left.
  logic [3:0] entered_q, left_q;

  always_ff @(posedge clk_i) begin
    if (enter) core_number_q <= start ? '0 : entered_q;
    if (start) begin
      entered_q <= 4'(Begun);
      left_q    <= '0;
    end else begin
      entered_q <= entered_q + 4'(enter);
      left_q    <= left_q + 4'(write);
    end
  end

  always_comb begin
    if (in_held_q) assume (in_valid_i && in_i == in_q);
    // A beat may turn out to be rejected until the next block has entered.
    if (in_held_q) assume (refuse_i >= refuse_q);
    if (next) assume (refuse_i == refuse_q);
    if (started_q) begin
      assert (dut.result_q == pending);
      assert (begun_q - ended_q == 4'(active));
      if (active) begin
        assert (dut.refused_q == void_q);
        assert (entered_q - left_q == 4'(own) + 4'(next));
        assert (4'(own) + 4'(next) == 4'(core_q) + 4'(pending));
        if (next) assert (own && in_held_q && !answer_q);
        if (next) assert (!void_q && in_q.keep[15] && in_q.part == PartText);
        if (next) assert (!in_q.last && !refuse_q);
        if (core_q) assert (core_number_q == entered_q - 4'd1);
        if (pending) assert (number_q == left_q);
      end else begin
        // Between messages the core and the registers are empty.
        assert (!core_q && !pending);
      end
      if (start) assert (!active && enter == Begun);
      if (taken) assert (active);
      if (taken) assert (write == (~bubble | in_i.last));
      if (core_gives) assert (!pending || write);
      // A beat leaves with its own result and its own flags.
      if (write) begin
        assert (taken && !answer_q && pending && number_q == left_q);
        assert (last == in_i.last && refused == (void_q | bad));
        assert (empty == bubble);
      end
      assert (dut.closed_q == cleared_q);
      if (cleared_q) assert (!msg_ready && !in_ready && !core_valid && !write);
    end
  end
endmodule
