// SPDX-License-Identifier: Apache-2.0
//
// A key channel in front of a core that takes its key with the block: it holds one key, and
// hands it to the core with every block.
//
// A block accepted after a key uses the new key; one accepted in the same cycle the old one.
// Blocks in flight carry their own key, so a key is accepted at any time. No block is
// accepted before the first key.
//
//    key_i --> [key_q] --> core_in_key_o      in_* --> AND loaded --> core_in_*
//
// Latency: 0 for blocks; a key is in force in the cycle after the edge that accepts it.
module rsm_key_hold
  import rsm_port_pkg::*;
#(
  parameter int unsigned KeyWidth = 128
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  input  logic                key_valid_i,
  output logic                key_ready_o,
  input  logic [KeyWidth-1:0] key_i,
  input  length_t             key_len_i,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  // The native port of the core, seen from here.
  output logic                core_in_valid_o,
  input  logic                core_in_ready_i,
  output logic [KeyWidth-1:0] core_in_key_o,
  output length_t             core_in_len_o
);

  logic                closed_q;
  logic                accept;
  logic                loaded_q;
  logic [KeyWidth-1:0] key_q;
  length_t             len_q;

  // The blocks in flight have their own copy of the key, so a new key disturbs none.
  assign key_ready_o = ~closed_q;
  assign accept      = key_valid_i & key_ready_o;

  always_ff @(posedge clk_i) begin
    // No ready in the cycle after a clear: the port promises that a clear is over when it accepts
    // again.
    closed_q <= rst_ni & clear_i;
    if (!rst_ni || clear_i) loaded_q <= 1'b0;
    else if (accept)        loaded_q <= 1'b1;
  end

  always_ff @(posedge clk_i) begin
    // The clear wins over a key of the same cycle, or the key would survive it.
    if (clear_i)     {key_q, len_q} <= '0;
    else if (accept) {key_q, len_q} <= {key_i, key_len_i};
  end

  // Without a key no block enters: it would be encrypted under zeros.
  assign in_ready_o      = loaded_q & core_in_ready_i;
  assign core_in_valid_o = loaded_q & in_valid_i;
  assign core_in_key_o   = key_q;
  assign core_in_len_o   = len_q;

endmodule
