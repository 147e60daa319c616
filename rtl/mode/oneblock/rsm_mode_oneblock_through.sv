// SPDX-License-Identifier: Apache-2.0
//
// The control of a mode that sends its text through a core that has one block at a time: a block
// for each beat. The mode has a register for the result, and one for the answer behind it, so there
// is room for two: a block enters when the one before it comes out and neither has to wait.
//
// Texts have whole blocks. A message that is refused goes no farther: its beats are taken, and one
// empty beat with the status ends it. So does an empty beat at the end of a message; both pass
// through the core like a block.
//
// Latency: a result moves on 1 cycle after it has come.
module rsm_mode_oneblock_through
  import rsm_mode_pkg::*;
(
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
  // A block is in the core; a result is here; a block enters at this edge.
  output logic  busy_o,
  output logic  pending_o,
  output logic  enter_o,
  input  logic  refuse_i,
  // The next block is not known yet.
  input  logic  wait_i,
  // A result moves on to the answer at this edge.
  output logic  write_o,
  output logic  empty_o,
  output logic  last_o,
  output logic  refused_o
);

  // What is said of a block on its way.
  typedef struct packed {
    logic whole;
    logic last;
    logic refused;
  } said_t;

  logic  active_q, refused_q;
  logic  closed_q;  // nothing is ready right after a clear
  logic  busy_q, result_q;
  logic  bad, bubble, skip, accept, open;
  said_t said_in, core_said_q, result_said_q;

  // --- Messages ---

  assign msg_ready_o = ~active_q & ~closed_q;
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

  assign bad     = (in_i.part != PartText) | refuse_i | (in_i.keep[15] & ~in_i.keep[0]);
  assign bubble  = refused_q | bad | ~in_i.keep[15];
  assign skip    = bubble & ~in_i.last;
  assign said_in = '{whole: ~bubble, last: in_i.last, refused: refused_q | bad};

  // --- Blocks into the core ---

  // A result that comes finds its register free: at most one is here, and it can go on.
  assign open = (~out_valid_i | (~busy_q & ~result_q)) & core_in_ready_i & ~wait_i;

  assign in_ready_o      = active_q & (skip | open);
  assign accept          = in_valid_i & in_ready_o;
  assign enter_o         = accept & ~skip;
  assign core_in_valid_o = enter_o;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      {busy_q, result_q} <= '0;
    end else begin
      busy_q   <= enter_o | (busy_q & ~core_out_valid_i);
      result_q <= core_out_valid_i | (result_q & ~write_o);
    end
  end

  always_ff @(posedge clk_i) begin
    if (enter_o)          core_said_q   <= said_in;
    if (core_out_valid_i) result_said_q <= core_said_q;
  end

  assign busy_o    = busy_q;
  assign pending_o = result_q;

  // --- Answers ---

  assign write_o   = result_q & ~out_valid_i;
  assign empty_o   = ~result_said_q.whole;
  assign last_o    = result_said_q.last;
  assign refused_o = result_said_q.refused;

  logic unused_in;

  assign unused_in = ^{msg_i, in_i};

endmodule
