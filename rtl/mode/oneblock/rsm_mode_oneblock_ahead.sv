// SPDX-License-Identifier: Apache-2.0
//
// The control of a mode that adds results to text, over a core that has one block at a time. Each
// beat of text has a block of the core; the mode has a register for its result, and one for the
// answer.
//
// A beat stays at the port until its result is there, so nothing keeps it meanwhile. The block of
// the next beat enters before that, when the core takes it: there is a next beat when this one is
// not the last. It enters only while the answer register is free. So the result before it has left
// when its own one comes, and a core is kept busy unless an answer waits for longer than a block
// takes. The last beat of a message may turn out to be empty or refused: its result is thrown away.
//
// With `Begun` the first block enters with the message itself. The mode says in each cycle whether
// the next block is not known yet (`wait_i`), and whether a beat can leave in the cycle in which
// the block after it enters (`beside_i`), or even before that (`alone_i`); if not, it leaves later.
//
// A message that is refused goes no farther: its beats are taken, and one empty beat with the
// status ends it.
//
// Latency: a beat can leave 1 cycle after its result has come.
module rsm_mode_oneblock_ahead
  import rsm_mode_pkg::*;
#(
  parameter bit Begun = 1'b0
) (
  input  logic  clk_i,
  input  logic  rst_ni,
  input  logic  clear_i,
  input  logic  msg_valid_i,
  output logic  msg_ready_o,
  input  msg_t  msg_i,
  input  logic  in_valid_i,
  output logic  in_ready_o,
  input  beat_t in_i,
  output logic  core_in_valid_o,
  input  logic  core_in_ready_i,
  input  logic  core_out_valid_i,
  // An answer waits.
  input  logic  out_valid_i,
  // A message begins at this edge; one is here.
  output logic  start_o,
  output logic  active_o,
  // A result is here; the block of the beat at the port has entered, and the one behind that; one
  // enters at this edge.
  output logic  pending_o,
  output logic  own_o,
  output logic  next_o,
  output logic  enter_o,
  input  logic  refuse_i,
  input  logic  wait_i,
  input  logic  beside_i,
  input  logic  alone_i,
  // A beat leaves at this edge.
  output logic  write_o,
  output logic  empty_o,
  output logic  last_o,
  output logic  refused_o
);

  logic active_q, refused_q;
  logic closed_q;           // nothing is ready right after a clear
  logic own_q, next_q;      // blocks that have entered: that of the beat at the port, and one more
  logic result_q;           // a result is ready
  logic bad, bubble, skip, accept;
  logic may_enter, next_enters;

  // --- Messages ---

  assign msg_ready_o = ~active_q & ~closed_q & (~Begun | core_in_ready_i);
  assign start_o     = msg_valid_i & msg_ready_o;
  assign active_o    = active_q;

  always_ff @(posedge clk_i) begin
    closed_q <= rst_ni & clear_i;
    if (!rst_ni || clear_i)       active_q <= 1'b0;
    else if (start_o)             active_q <= 1'b1;
    else if (accept && in_i.last) active_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (start_o)     refused_q <= (msg_i.slot != '0);
    else if (accept) refused_q <= refused_q | bad;
  end

  assign bad    = (in_i.part != PartText) | refuse_i;
  assign bubble = refused_q | bad | ~in_i.keep[15];
  assign skip   = bubble & ~in_i.last;

  // --- Blocks into the core ---

  assign may_enter   = active_q & ~wait_i;
  assign next_enters = own_q & ~next_q & in_valid_i & ~bubble & ~in_i.last & ~out_valid_i;

  assign core_in_valid_o = (may_enter & (~own_q | next_enters)) |
                           (Begun & msg_valid_i & ~active_q & ~closed_q);
  assign enter_o         = core_in_valid_o & core_in_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) result_q <= 1'b0;
    else                    result_q <= core_out_valid_i | (result_q & ~write_o);
  end

  always_ff @(posedge clk_i) begin
    if (start_o) begin
      own_q  <= Begun;
      next_q <= 1'b0;
    end else if (write_o) begin
      own_q  <= next_q | enter_o;
      next_q <= 1'b0;
    end else if (enter_o) begin
      own_q  <= 1'b1;
      next_q <= own_q;
    end
  end

  assign pending_o = result_q;
  assign own_o     = own_q;
  assign next_o    = next_q;

  // --- Beats out ---

  assign in_ready_o = active_q & (skip | (result_q & ~out_valid_i & (alone_i | next_q | in_i.last |
                                          (beside_i & may_enter & core_in_ready_i))));
  assign accept     = in_valid_i & in_ready_o;
  assign write_o    = accept & ~skip;
  assign empty_o    = bubble;
  assign last_o     = in_i.last;
  assign refused_o  = refused_q | bad;

  logic unused_in;

  assign unused_in = ^{msg_i, in_i};

endmodule
