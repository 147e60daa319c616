// SPDX-License-Identifier: Apache-2.0
//
// Whose block enters a rigid core next, of several streams each of which has one block in it at a
// time: the control of the c-slow technique (Saggese 2003, section 3), two cycles ahead of it.
//
// A stream is chosen in one cycle; in the next one its block is read and loaded into a register;
// and from there it enters. So nothing is chosen, read or compared on the way to the core. As that
// is rigid, a counter for each stream knows when its result comes, and a stream whose block is
// chained to a result is chosen two cycles before that: then the block enters in the very cycle in
// which the result is there, so a ring of as many slots as there are streams is never empty.
//
//    cycle        t          t + 1          t + 2
//    stream    asks, given   next_q         turn_q
//    block                   read, loaded   at the core, may enter
//
// A stream is chosen only when there is a place for the result, `Places` a stream. Those that can
// be chosen take turns, and a block that is loaded enters before all that were chosen after it.
//
// Latency: 2 cycles from a stream that is `ready_i` to its block at the core.
module rsm_stream_scheduler #(
  parameter int unsigned Streams = 2,
  parameter int unsigned Latency = 2,  // of the core: from the edge that accepts to the result
  parameter int unsigned Places  = 2
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               clear_i,
  // There is a block of this stream, but for the result that it may wait for.
  input  logic [Streams-1:0] ready_i,
  // A result of this stream has left its place.
  input  logic [Streams-1:0] left_i,
  // The block of this stream, a one for one of them, is loaded at this edge; the result before it
  // is at the core in this cycle; it will be in the next one.
  output logic               load_o,
  output logic [Streams-1:0] next_o,
  output logic               next_due_o,
  output logic               next_soon_o,
  // A block was chosen, and has not entered; it enters at this edge; its result is at the core.
  output logic [Streams-1:0] chosen_o,
  output logic [Streams-1:0] enter_o,
  output logic [Streams-1:0] flight_o,
  output logic [Streams-1:0] due_o,
  // The port of the core.
  output logic               core_in_valid_o,
  input  logic               core_in_ready_i
);

  localparam int unsigned CountWidth = $clog2(Latency);
  localparam int unsigned PlaceWidth = $clog2(Places + 1);

  typedef logic [CountWidth-1:0] count_t;
  typedef logic [PlaceWidth-1:0] place_t;

  if (Latency < 2) begin : gen_too_fast
    $error("rsm_stream_scheduler: a result must come two cycles after its block, or later");
  end

  // Two steps of a small pipeline of choices: `next` is read, `turn` stands at the core.
  logic [Streams-1:0] asks, given, next_q, turn_q, due_d;
  logic               free, any, next_valid_q, turn_valid_q;

  // --- Chosen, read, loaded ---

  // A step takes the next choice when it is empty or hands its own on.
  assign free = ~next_valid_q | load_o;
  assign any  = (asks != '0) & free;

  rsm_round_robin #(
    .Width (Streams)
  ) u_choice (
    .clk_i,
    .rst_ni,
    .clear_i,
    .asks_i  (asks),
    .take_i  (free),
    .given_o (given)
  );

  // The core holds up the pipeline only with a block in front of it.
  assign load_o          = next_valid_q & (~turn_valid_q | core_in_ready_i);
  assign next_o          = next_q;
  assign next_due_o      = |(next_q & due_o);
  assign next_soon_o     = |(next_q & due_d);
  assign core_in_valid_o = turn_valid_q;
  assign enter_o         = turn_q & {Streams{turn_valid_q & core_in_ready_i}};
  assign chosen_o        = (next_q & {Streams{next_valid_q}}) | (turn_q & {Streams{turn_valid_q}});

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      // The valid bits have a reset; the choices beside them mean nothing without these.
      next_valid_q <= 1'b0;
      turn_valid_q <= 1'b0;
    end else begin
      if (free) next_valid_q <= any;
      if (load_o)               turn_valid_q <= 1'b1;
      else if (core_in_ready_i) turn_valid_q <= 1'b0;
    end
    if (free)   next_q <= given;
    if (load_o) turn_q <= next_q;
  end

  // --- When the results come, and whether there is a place for them ---

  for (genvar i = 0; i < Streams; i++) begin : gen_stream
    // `flight_q`: a block is in the core. `due_q`: its result is at the core now. `rests_q`: the
    // stream may be chosen.
    logic   flight_q, due_q, rests_q, picked, wakes;
    count_t left_q;  // cycles until the result comes
    place_t places_q;

    // A place for the result is taken here, two cycles ahead, so no place is promised twice.
    assign picked      = free & given[i];
    assign flight_o[i] = flight_q;
    assign due_d[i]    = flight_q & (left_q == count_t'(1));
    assign due_o[i]    = due_q;

    // The result comes in two cycles at the latest from the next one on.
    assign wakes   = (Latency <= 3) ? enter_o[i] : flight_q & (left_q == count_t'(3));
    assign asks[i] = ready_i[i] & rests_q & (places_q != '0);

    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) begin
        flight_q <= 1'b0;
        due_q    <= 1'b0;
        rests_q  <= 1'b1;
        places_q <= place_t'(Places);
      end else begin
        // A block may enter in the cycle in which the result before it leaves, so entering wins.
        if (enter_o[i])   flight_q <= 1'b1;
        else if (due_q)   flight_q <= 1'b0;
        due_q <= due_d[i];
        // A stream that was chosen rests until its result is near: it has one block in the core at
        // most.
        if (picked)     rests_q <= 1'b0;
        else if (wakes) rests_q <= 1'b1;
        places_q <= places_q - place_t'(picked) + place_t'(left_i[i]);
      end
      // The core is rigid, so a counter knows when the result comes; no signal of the core is
      // needed.
      left_q <= enter_o[i] ? count_t'(Latency - 1) : left_q - count_t'(1);
    end
  end

`ifdef RSM_ASSERT
  // One stream enters at a time, with no block of its own inside.
  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      assert ($onehot0(enter_o)) else $error("rsm_stream_scheduler: two streams at once");
      assert ((enter_o & flight_o & ~due_o) == '0)
      else $error("rsm_stream_scheduler: a stream has two blocks");
      assert (!next_valid_q || $onehot(next_q))
      else $error("rsm_stream_scheduler: no stream is next");
    end
  end
`endif

endmodule
