// SPDX-License-Identifier: Apache-2.0
//
// The key generator of Lutz's chip (2002, 4.3): a round key in every cycle, in either direction. A
// buffer keeps where the run starts, the user key or the end of its schedule; round key 32 is found
// ahead and kept.
//
// V[i] = w[4i-4] to w[4i+3] is the window that round key i comes from; the user key is V[-1], the
// end V[32]. A new key, or a change of direction, takes a walk from one end to the other, two round
// keys a cycle:
//
//   cycle 0        `start_i`; `key_i` is in the buffer, or goes there
//   1 to 16        V[31] (V[0] backwards)
//   17             the end
//   18             round key 32; the buffer gets the end where the run will start there
//   19             the first window of the run
//   20             the first round key
//   21             `ready_o`
//
//    buffer_q --+--> source --> 1 step, 2 steps, forwards, backwards --> next --> window_q
//               |      ^                                                            |
//               |      +------------------------------------------------------------+
//               +-- where the run starts: user key (encrypt), end (decrypt)
//
// With `run_i`, a round key moves into `key_o` in every cycle, and the next run follows without a
// gap (32 round keys a run: 0 to 31, or 31 to 0). `clear_i` overwrites everything in 3 cycles.
//
// Latency: 21 cycles from `start_i` to `ready_o`.
module rsm_serpent_key_generator
  import rsm_serpent_pkg::*;
#(
  parameter sbox_e Sbox = SboxTable
) (
  input  logic    clk_i,
  input  logic    rst_ni,
  input  logic    clear_i,
  // A key, which a run under way does not see.
  input  logic    load_i,
  input  window_t key_i,
  // Cycle 0 of a walk, with the key that is there; with `turn_i`, for the other direction.
  input  logic    start_i,
  input  logic    turn_i,
  output logic    busy_o,
  // The first round key is here.
  output logic    ready_o,
  output logic    inverse_o,
  // The next round key is computed: to be taken at this edge.
  input  logic    run_i,
  output logic    next_o,
  output state_t  key_o,
  output state_t  last_key_o
);

  typedef logic [4:0] count_t;
  typedef logic [5:0] place_t;

  // A number of its own keeps the index of the user key from being negative.
  // The place of V[i] is i + 1.
  localparam place_t End = 6'd33;

  // The cycle of the walk in the table above; 0 means that no walk is under way.
  count_t  count_q;
  logic    ready_q, inverse_q, at_end_q, flush_q, flushed_q;
  logic    walk, single, last, restart, first;
  logic    back, from_buffer;
  place_t  place_q, place;
  window_t buffer_q, window_q, source, once, once_back, twice, twice_back, next;
  state_t  last_key_q;

  // The five phases of the table.
  assign walk    = count_q >= 5'd1 && count_q <= 5'd16;
  assign single  = count_q == 5'd17;
  assign last    = count_q == 5'd18;
  assign restart = count_q == 5'd19;
  assign first   = count_q == 5'd20;

  assign busy_o    = count_q != '0 || flush_q || flushed_q;
  assign ready_o   = ready_q;
  assign inverse_o = inverse_q;
  assign next_o    = first | flushed_q;

  always_ff @(posedge clk_i) begin
    flush_q   <= rst_ni & clear_i;
    flushed_q <= rst_ni & flush_q & ~clear_i;
    if (!rst_ni || clear_i) begin
      count_q   <= '0;
      ready_q   <= 1'b0;
      inverse_q <= 1'b0;
      at_end_q  <= 1'b0;
    end else begin
      // A new walk may begin while none is under way only; the core sees to that.
      if (start_i) count_q <= 5'd1;
      else if (count_q != '0) count_q <= first ? '0 : count_q + 5'd1;
      // The round key that is ready belongs to the old key or the old direction.
      if (load_i || start_i) ready_q <= 1'b0;
      else if (first)       ready_q <= 1'b1;
      if (turn_i) inverse_q <= ~inverse_q;
      // `at_end_q`: the buffer has the end of the schedule, not the user key.
      if (load_i)    at_end_q <= 1'b0;
      else if (last) at_end_q <= inverse_q;
    end
  end

  // A walk starts from the buffer, and so does a run: its last step but one goes back there.
  assign from_buffer = count_q == 5'd1 || restart || flush_q || (run_i && place_q == (inverse_q
                     ? 6'd1 : 6'd32));
  assign back        = (walk || single) ? at_end_q : inverse_q;
  assign source      = from_buffer ? buffer_q : window_q;
  assign place       = from_buffer ? (at_end_q ? End : '0) : place_q;

  rsm_serpent_key_step u_once (
    .inverse_i (1'b0),
    .index_i   ({place, 2'b00}),
    .window_i  (source),
    .window_o  (once)
  );

  rsm_serpent_key_step u_twice (
    .inverse_i (1'b0),
    .index_i   ({place + 6'd1, 2'b00}),
    .window_i  (once),
    .window_o  (twice)
  );

  rsm_serpent_key_step #(
    .Direction (DirectionInverse)
  ) u_once_back (
    .inverse_i (1'b1),
    .index_i   ({place - 6'd1, 2'b11}),
    .window_i  (source),
    .window_o  (once_back)
  );

  rsm_serpent_key_step #(
    .Direction (DirectionInverse)
  ) u_twice_back (
    .inverse_i (1'b1),
    .index_i   ({place - 6'd2, 2'b11}),
    .window_i  (once_back),
    .window_o  (twice_back)
  );

  // A walk needs two steps a cycle to be done in 16 cycles; a run needs one.
  assign next = back ? (walk ? twice_back : once_back) : (walk ? twice : once);

  rsm_serpent_sub #(
    .Sbox (Sbox)
  ) u_sub (
    // Round key i comes from S-box (3 - i) mod 8, and the place is i + 1.
    .box_i (box_t'(3'd4 - place_q[2:0])),
    .x_i   (window_q[7:4]),
    .y_o   (key_o)
  );

  assign last_key_o = last_key_q;

  always_ff @(posedge clk_i) begin
    // The buffer holds where the run starts, so the next run begins without a walk.
    if (clear_i)                buffer_q <= '0;
    else if (load_i)            buffer_q <= key_i;
    else if (last && (inverse_q != at_end_q)) buffer_q <= window_q;

    if (walk || single || restart || first || flush_q || run_i) begin
      window_q <= next;
      place_q  <= back ? place - (walk ? 6'd2 : 6'd1) : place + (walk ? 6'd2 : 6'd1);
    end

    // A walk backwards ends at the user key, and leaves round key 32 as it is.
    if ((last && !at_end_q) || flushed_q) last_key_q <= key_o;
  end

endmodule
