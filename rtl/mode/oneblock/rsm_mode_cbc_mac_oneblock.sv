// SPDX-License-Identifier: Apache-2.0
//
// CBC-MAC over a core that has one block at a time: rsm_mode_cmac_oneblock without subkeys. It is
// safe only where all messages of a key have the same length; for anything else there is CMAC.
// Texts have whole blocks, one at least.
//
// Latency: a block takes that of the core and a cycle; from the last beat, that of the core and 3
// cycles, and another one for a verdict.
module rsm_mode_cbc_mac_oneblock
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

  rsm_mode_cmac_oneblock #(
    .Plain (1'b1)
  ) u_cmac (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o,
    .msg_valid_i,
    .msg_ready_o,
    .msg_i,
    .in_valid_i,
    .in_ready_o,
    .in_i,
    .out_valid_o,
    .out_ready_i,
    .out_o,
    .key_i,
    .key_open_o,
    .core_idle_i,
    .core_in_valid_o,
    .core_in_ready_i,
    .core_in_o,
    .core_out_valid_i,
    .core_out_i
  );

endmodule
