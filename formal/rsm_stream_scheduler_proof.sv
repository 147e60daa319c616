// SPDX-License-Identifier: Apache-2.0
//
// A loaded stream enters the core, and its result is expected when the core gives it. A stream
// has at most one block in flight, and a place for each result.
// Assumptions: reset in the first cycle only; the core accepts a block in any cycle and gives
// its result after Latency cycles; only a result that is there leaves.
// Parameters: Latency 2, 3 and 5; 3 streams with 2 places each.
module rsm_stream_scheduler_proof #(parameter int unsigned Latency = 5) (
  input logic clk_i, clear_i, core_in_ready_i,
  input logic [2:0] ready_i, left_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic load, next_due, next_soon, core_valid;
  logic [2:0] next, chosen, enter, flight, due;

  rsm_stream_scheduler #(.Streams(3), .Latency(Latency), .Places(2)) dut (
    .clk_i, .rst_ni, .clear_i, .ready_i, .left_i, .load_o(load), .next_o(next),
    .next_due_o(next_due), .next_soon_o(next_soon), .chosen_o(chosen), .enter_o(enter),
    .flight_o(flight), .due_o(due), .core_in_valid_o(core_valid), .core_in_ready_i
  );

  // The streams that entered in each of the last cycles; results that have not left; the stream
  // loaded last; the stream whose result was announced.
  logic [Latency-1:0][2:0] flown_q;
  logic [2:0][3:0] results_q, flying, places, left, rests;
  logic [2:0] loaded_q, soon_q, chosen_q;
  logic wait_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      {flown_q, results_q, wait_q, soon_q} <= '0;
    end else begin
      flown_q <= {flown_q[Latency-2:0], enter};
      for (int i = 0; i < 3; i++) begin
        results_q[i] <= results_q[i] + 4'(due[i]) - 4'(left_i[i]);
      end
      wait_q <= core_valid & ~core_in_ready_i;
      soon_q <= (load && next_soon) ? next : '0;
    end
    if (load) loaded_q <= next;
  end

  assign places = {4'(dut.gen_stream[2].places_q), 4'(dut.gen_stream[1].places_q),
                   4'(dut.gen_stream[0].places_q)};
  assign left   = {4'(dut.gen_stream[2].left_q), 4'(dut.gen_stream[1].left_q),
                   4'(dut.gen_stream[0].left_q)};
  assign rests  = {4'(dut.gen_stream[2].rests_q), 4'(dut.gen_stream[1].rests_q),
                   4'(dut.gen_stream[0].rests_q)};

  always_comb begin
    for (int i = 0; i < 3; i++) begin
      flying[i] = '0;
      for (int k = 0; k < Latency; k++) flying[i] += 4'(flown_q[k][i]);
      if (left_i[i]) assume (results_q[i] != '0);
    end
    if (started_q) begin
      // A result is due exactly Latency cycles after its block has entered.
      assert (due == flown_q[Latency-1]);
      // The loaded stream enters, and a block that waits at the core stays.
      assert (enter == ((core_valid && core_in_ready_i) ? loaded_q : '0));
      if (wait_q) assert (core_valid);
      // An announced result of the stream comes in the next cycle.
      assert ((soon_q & ~due) == '0);
      for (int i = 0; i < 3; i++) begin
        if (load && next[i]) assert (!flight[i] || next_soon || next_due);
        // A stream has at most one block in flight, and a place for its result.
        assert (flying[i] == 4'(flight[i]));
        assert (places[i] + 4'(chosen[i]) + flying[i] + results_q[i] == 4'd2);
        assert (results_q[i] <= 4'd2);
        // A stream can be chosen again two cycles before its result.
        assert (rests[i] == 4'(!chosen[i] && (!flight[i] || left[i] <= 4'd2)));
        if (dut.asks[i]) assert (ready_i[i] && !chosen[i] && places[i] != '0);
        // Inside: cycles until the result.
        for (int k = 0; k < Latency; k++) begin
          if (flown_q[k][i]) assert (left[i] == 4'(Latency - 1 - k));
        end
        if (dut.next_valid_q && next[i] && flight[i]) assert (left[i] <= 4'd1);
        if (core_valid && dut.turn_q[i] && flight[i]) assert (due[i]);
      end
      if (dut.next_valid_q) assert ((next & (next - 3'd1)) == '0 && next != '0);
      if (core_valid) assert (dut.turn_q == loaded_q && loaded_q != '0);
      if (core_valid) assert ((loaded_q & (loaded_q - 3'd1)) == '0);
      if (dut.next_valid_q && core_valid) assert ((next & dut.turn_q) == '0);
      // A stream is chosen if one asks and fewer than two wait.
      assert (dut.any == (dut.asks != '0 && (!dut.next_valid_q || load)));
    end
  end
endmodule
