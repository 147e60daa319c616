// SPDX-License-Identifier: Apache-2.0
//
// Each beat is answered with the result of its own block, in order, and with its own flags. No
// result is lost. Nothing is ready in the cycle after a clear.
// Assumptions: reset in the first cycle only; the core has one block at a time and returns it
// after two cycles or more; a waiting beat stays, until a clear.
// Parameters: none.
module rsm_mode_oneblock_through_proof import rsm_mode_pkg::*; (
  input logic clk_i, clear_i, msg_valid_i, in_valid_i, refuse_i, wait_i,
  input logic core_free_i, core_done_i, out_ready_i,
  input msg_t msg_i,
  input beat_t in_i
);
  logic odd;
  assign odd = in_i.keep[15] & ~in_i.keep[0];
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
  assign bad    = (in_i.part != PartText) | refuse_i | odd;
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

  logic busy;

  rsm_mode_oneblock_through dut (
    .clk_i, .rst_ni, .clear_i, .msg_valid_i, .msg_ready_o(msg_ready), .msg_i, .in_valid_i,
    .in_ready_o(in_ready), .in_i,
    .core_in_valid_o(core_valid), .core_in_ready_i(core_ready), .core_out_valid_i(core_gives),
    .out_valid_i(answer_q), .start_o(start), .active_o(active), .pending_o(pending),
    .enter_o(enter), .refuse_i, .wait_i, .write_o(write), .empty_o(empty), .last_o(last),
    .refused_o(refused),
    .busy_o(busy)
  );

  // Counters of beats that have entered and that have left; the flags of the followed beat.
  logic [3:0] entered_q, left_q, followed_q;
  logic whole_q, last_q, refused_q;

  always_ff @(posedge clk_i) begin
    followed_q <= followed_q;
    if (enter) core_number_q <= entered_q;
    if (enter && entered_q == followed_q) begin
      {whole_q, last_q, refused_q} <= {~bubble, in_i.last, void_q | bad};
    end
    if (!rst_ni || clear_i) begin
      {entered_q, left_q} <= '0;
    end else begin
      entered_q <= entered_q + 4'(enter);
      left_q    <= left_q + 4'(write);
    end
  end

  // Last beats in the core and in the result register.
  logic [1:0] lasts;
  assign lasts = 2'(core_q & dut.core_said_q.last) + 2'(pending & dut.result_said_q.last);

  always_comb begin
    if (in_held_q) assume (in_valid_i && in_i == in_q && refuse_i == refuse_q);
    if (started_q) begin
      assert (dut.busy_q == core_q && dut.result_q == pending && busy == core_q);
      assert (entered_q - left_q == 4'(core_q) + 4'(pending));
      assert (begun_q - ended_q == 4'(active) + 4'(lasts));
      // A block behind a result has just entered, and the result moves on at once.
      if (core_q && pending) assert (!settled_q && !answer_q);
      if (active) assert (dut.refused_q == void_q);
      if (core_q) assert (core_number_q == entered_q - 4'd1);
      if (pending) assert (number_q == left_q);
      if (core_q && core_number_q == followed_q) begin
        assert (dut.core_said_q == {whole_q, last_q, refused_q});
      end
      if (pending && number_q == followed_q) begin
        assert (dut.result_said_q == {whole_q, last_q, refused_q});
      end
      // Beats are accepted inside a message only. A block enters for each beat with text and for
      // the last beat, and for no other.
      if (taken) assert (active && enter == (~bubble | in_i.last));
      if (enter) assert (taken && core_valid && core_ready);
      // No result is lost: not in its register, not in the answer.
      if (core_gives) assert (!pending || write);
      if (write) assert (!answer_q && pending && number_q == left_q);
      if (write && left_q == followed_q) begin
        assert (last == last_q && refused == refused_q && empty == !whole_q);
      end
      assert (dut.closed_q == cleared_q);
      if (cleared_q) assert (!msg_ready && !in_ready && !core_valid && !write);
    end
  end
endmodule
