// SPDX-License-Identifier: Apache-2.0
//
// One row of the state of a core that takes one column a cycle: registers that do ShiftRows by
// themselves (Satoh 2001, section 3.1, Fig. 2).
//
// Bytes move towards place 0 in every cycle, so that no register needs an enable: a new byte enters
// at the last place, and `byte_o` is the one whose turn it is in the shifted row. Few bytes have
// to leave the line for that:
//
//   - With a pause, a cycle in which no byte is read, ShiftRows by one is what the line does when
//     its first byte goes back to its end. Row 0 has a place more instead: a byte of it enters in
//     vain, and the row comes out as it was.
//   - Two more columns: the first two bytes go round each other while the two behind them are read.
//   - One more column: the first byte waits while the three behind it are read.
//   - Three columns without a pause: the byte that came last is read first, and the others are read
//     a cycle later than they would be, from a place more.
//
// While `run_i` is low the line only moves; `plain_o` is the byte that entered four cycles ago.
//
// Latency: 0. A byte that is no longer needed is gone after five cycles without `run_i`.
module rsm_aes_folded_row
  import rsm_aes_pkg::*;
#(
  parameter int unsigned Row       = 0,
  parameter direction_e  Direction = DirectionForward,
  parameter bit          Pause     = 1'b1
) (
  input  logic       clk_i,
  input  logic       run_i,
  input  logic       inverse_i,
  input  logic       pause_i,
  input  logic [1:0] count_i,
  input  byte_t      byte_i,
  output byte_t      byte_o,
  output byte_t      plain_o
);

  // Columns by which the row turns in encryption and in decryption.
  localparam bit Odd   = (Row % 2) == 1;
  localparam bit One   = Odd && (Direction == DirectionBoth ||
                                 (Direction == DirectionForward) == (Row == 1));
  localparam bit Three = Odd && (Direction == DirectionBoth ||
                                 (Direction == DirectionForward) == (Row == 3));

  localparam int unsigned Places = (Pause ? Row == 0 : Three) ? 5 : 4;

  byte_t [Places-1:0] place_q, place_d;
  logic               by_three;
  logic               moving;

  assign by_three = (One && Three) ? (inverse_i ^ (Row == 3)) : Three;
  assign moving   = run_i & ~pause_i;
  assign plain_o  = place_q[Places-4];

  if (Row == 0) begin : gen_straight
    assign place_d = {byte_i, place_q[Places-1:1]};
    assign byte_o  = place_q[0];
  end else if (Pause && Odd) begin : gen_odd
    logic around;

    assign around  = moving & by_three & ~count_i[1];
    assign byte_o  = around ? place_q[2] : place_q[0];
    assign place_d = {
      (run_i & pause_i) ? place_q[0] : byte_i,
      place_q[3],
      around ? place_q[0] : place_q[2],
      place_q[1]
    };
  end else if (Pause) begin : gen_even
    logic wait_one;

    assign wait_one = moving & ~&count_i;
    assign byte_o   = wait_one ? place_q[1] : place_q[0];
    assign place_d  = {
      (run_i & pause_i) ? place_q[0] : byte_i,
      place_q[3],
      place_q[2],
      wait_one ? place_q[0] : place_q[1]
    };
  end else if (!Odd) begin : gen_around
    logic around;

    assign around  = run_i & ~count_i[1];
    assign byte_o  = around ? place_q[2] : place_q[0];
    assign place_d = {byte_i, place_q[3], around ? place_q[0] : place_q[2], place_q[1]};
  end else if (!Three) begin : gen_by_one
    logic wait_one;

    assign wait_one = run_i & ~&count_i;
    assign byte_o   = wait_one ? place_q[1] : place_q[0];
    assign place_d  = {byte_i, place_q[3:2], wait_one ? place_q[0] : place_q[1]};
  end else if (!One) begin : gen_by_three
    assign byte_o  = (count_i == 2'd0) ? place_q[4] : place_q[0];
    assign place_d = {byte_i, place_q[4:1]};
  end else begin : gen_by_one_or_three
    // The first byte of a row that turns by one waits at place 0, a place behind its turn.
    logic wait_two;
    byte_t early;

    assign wait_two = run_i & ~by_three & (count_i[1] ^ count_i[0]);
    assign early    = by_three ? place_q[4] : place_q[2];
    assign byte_o   = (by_three ? count_i == 2'd0 : count_i != 2'd3) ? early : place_q[0];
    assign place_d  = {byte_i, place_q[4:2], wait_two ? place_q[0] : place_q[1]};
  end

  always_ff @(posedge clk_i) place_q <= place_d;

  // Some rows turn the same way always.
  logic unused;

  assign unused = ^{run_i, inverse_i, pause_i, count_i, by_three, moving};

endmodule
