// SPDX-License-Identifier: Apache-2.0
//
// Output feedback (NIST SP 800-38A, 6.4) over a core that has one block at a time. A beat stays at
// the port until its block of the core is there (rsm_mode_oneblock_ahead). First that goes to the
// core again, a cycle later with the beat to the answer, both through one addition.
//
// It does what rsm_mode_ofb does, of a single key slot, and stands on the native port.
//
// Latency: 3 cycles more than that of the core; a message gives its first block at once.
module rsm_mode_ofb_oneblock
  import rsm_mode_pkg::*;
(
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

  logic   start, active, pending, next, write, last, refused, empty;
  logic   unused_own, unused_enter;
  logic   text;
  block_t result_q, sum;

  // The IV, the result before, or the answer.
  assign text = ~active | next | in_i.last;
  assign sum  = ({128{text}} & (active ? in_i.data : msg_i.iv)) ^ ({128{active}} & result_q);

  assign core_in_o = '{block: sum, decrypt: 1'b0, slot: '0};

  always_ff @(posedge clk_i) begin
    if (clear_i)               result_q <= '0;
    else if (core_out_valid_i) result_q <= core_out_i.block;
  end

  rsm_mode_oneblock_ahead #(
    .Begun (1'b1)
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
    .own_o       (unused_own),
    .next_o      (next),
    .enter_o     (unused_enter),
    .refuse_i    (1'b0),
    .wait_i      (~pending),
    .beside_i    (1'b0),
    .alone_i     (1'b0),
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

  // The first block enters with the message, and a key in this cycle would be that of the next.
  assign key_open_o = ~active & ~start;
  assign idle_o     = core_idle_i & ~active & ~pending & ~out_valid_o;

  logic unused_in;

  assign unused_in = ^{msg_i, key_i};

endmodule
