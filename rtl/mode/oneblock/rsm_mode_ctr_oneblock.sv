// SPDX-License-Identifier: Apache-2.0
//
// Counter mode (NIST SP 800-38A, 6.5) over a core that has one block at a time: the IV is the first
// counter block, and its last `CounterWidth` bits count. A beat stays at the port until its block
// of the core is there (rsm_mode_oneblock_ahead).
//
// The counter counts `Digit` bits a cycle: it turns once around while the core works, and the digit
// at its low end gets the carry of the one before. So it is ready 128 / Digit + 1 cycles after a
// block has gone, one of them for the answer before: the load of the IV, the turns and the addition
// of the text are one function of four signals.
//
// A counter does not wrap: a message that needs a block after the one with all ones is refused
// there.
//
// It does what rsm_mode_ctr does, of a single key slot, and stands on the native port.
//
// Latency: 2 cycles more than that of the core; a message begins one cycle after it is accepted.
module rsm_mode_ctr_oneblock
  import rsm_mode_pkg::*;
#(
  parameter int unsigned CounterWidth = 128,
  parameter int unsigned Digit        = 16
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

  localparam int unsigned Digits  = 128 / Digit;
  localparam int unsigned Highest = (CounterWidth - 1) / Digit;        // the last digit that counts
  localparam int unsigned Counts  = CounterWidth - Digit * Highest;    // its bits that do

  typedef logic [Digits-1:0] place_t;

  logic   start, active, pending, own, enter, write, last, refused, empty;
  logic   unused_next;
  block_t result_q, sum;
  block_t counter_q;

  if (CounterWidth < 1 || CounterWidth > 128) begin : gen_no_width
    $error("CounterWidth is 1 to 128 bits");
  end
  if (Digit < 1 || Digit > 64 || 128 % Digit != 0) begin : gen_no_digit
    $error("Digit divides 128");
  end

  // --- The counter ---

  logic             turning_q, turn, carry_q, wraps, highest;
  place_t           place_q;  // a one for the digit that is at the low end
  logic [Digit-1:0] low, digit;
  logic [Digit:0]   counted;

  assign low     = counter_q[Digit-1:0];
  assign counted = {1'b0, low} + (Digit+1)'(carry_q);
  assign highest = place_q[Highest];

  if (Counts < Digit) begin : gen_part
    assign digit = highest ? {low[Digit-1:Counts], counted[Counts-1:0]} : counted[Digit-1:0];
    assign wraps = highest & carry_q & (&low[Counts-1:0]);
  end else begin : gen_whole
    assign digit = counted[Digit-1:0];
    assign wraps = highest & counted[Digit];
  end

  // The answer goes first.
  assign turn = turning_q & ~write;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i || start)    turning_q <= 1'b0;
    else if (enter)                     turning_q <= 1'b1;
    else if (turn && place_q[Digits-1]) turning_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    // Behind the last digit of all a carry is of no use, and needs no mask.
    if (enter) begin
      place_q <= place_t'(1);
      carry_q <= 1'b1;
    end else if (turn) begin
      place_q <= place_q << 1;
      carry_q <= counted[Digit] & ((Highest == Digits - 1) | ~highest);
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i)            counter_q <= '0;
    else if (start || turn) counter_q <= sum;
  end

  // The counter has had its last value; and it had when the block of the beat at the port entered,
  // which is refused then. Nothing enters ahead of its beat any more.
  logic spent_q, own_spent_q;

  always_ff @(posedge clk_i) begin
    if (start)              spent_q <= 1'b0;
    else if (turn && wraps) spent_q <= 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i || write) own_spent_q <= 1'b0;
    else if (enter)                  own_spent_q <= spent_q;
  end

  // --- Text ---

  // No result is here when a message begins, so this is its IV then.
  assign sum = turn ? {digit, counter_q[127:Digit]} : result_q ^ (active ? in_i.data : msg_i.iv);

  assign core_in_o = '{block: counter_q, decrypt: 1'b0, slot: '0};

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i || write) result_q <= '0;
    else if (core_out_valid_i)       result_q <= core_out_i.block;
  end

  rsm_mode_oneblock_ahead #(
    .Begun (1'b0)
  ) u_ahead (
    .clk_i,
    .rst_ni,
    .clear_i,
    .msg_valid_i,
    .msg_ready_o,
    .msg_i,
    .in_valid_i,
    .in_ready_o,
    .in_i,
    .core_in_valid_o,
    .core_in_ready_i,
    .core_out_valid_i,
    .out_valid_i (out_valid_o),
    .start_o     (start),
    .active_o    (active),
    .pending_o   (pending),
    .own_o       (own),
    .next_o      (unused_next),
    .enter_o     (enter),
    .refuse_i    (own_spent_q),
    .wait_i      (turning_q | (spent_q & own)),
    .beside_i    (1'b0),
    .alone_i     (1'b1),
    .write_o     (write),
    .empty_o     (empty),
    .last_o      (last),
    .refused_o   (refused)
  );

  rsm_mode_answer u_answer (
    .clk_i,
    .rst_ni,
    .clear_i,
    .write_i   (write),
    .data_i    (sum),
    .keep_i    (in_i.keep),
    .empty_i   (empty),
    .last_i    (last),
    .refused_i (refused),
    .valid_o   (out_valid_o),
    .ready_i   (out_ready_i),
    .answer_o  (out_o)
  );

  assign key_open_o = ~active;
  assign idle_o     = core_idle_i & ~active & ~pending & ~out_valid_o;

  logic unused_in;

  assign unused_in = ^{msg_i, key_i};

endmodule
