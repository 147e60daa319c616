// SPDX-License-Identifier: Apache-2.0
//
// A register on the key channel of cores that stand side by side: a key has a cycle for the way
// from its port to wherever they are on the chip.
//
// A key is taken when the core is ready for it. A block accepted at that very edge has the old key;
// the next one waits until the core has taken the key from here, which says when it may go on.
//
// With `clear_i` the key is dropped, and overwritten at the next edge.
//
// Latency: 0 for blocks; a key is a cycle later at the core.
module rsm_key_relay #(
  parameter int unsigned KeyWidth  = 128,
  parameter int unsigned SlotWidth = 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,
  output logic                 idle_o,
  input  logic                 key_valid_i,
  output logic                 key_ready_o,
  input  logic [KeyWidth-1:0]  key_i,
  input  logic [1:0]           key_len_i,
  input  logic [SlotWidth-1:0] key_slot_i,
  input  logic                 in_valid_i,
  output logic                 in_ready_o,
  // The native port of the core, seen from here.
  input  logic                 core_idle_i,
  output logic                 core_key_valid_o,
  input  logic                 core_key_ready_i,
  output logic [KeyWidth-1:0]  core_key_o,
  output logic [1:0]           core_key_len_o,
  output logic [SlotWidth-1:0] core_key_slot_o,
  output logic                 core_in_valid_o,
  input  logic                 core_in_ready_i
);

  typedef logic [SlotWidth-1:0] slot_t;

  logic                full_q;
  logic [KeyWidth-1:0] key_q;
  logic [1:0]          len_q;
  slot_t               slot_q;

  assign key_ready_o = ~full_q & core_key_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) full_q <= 1'b0;
    else                    full_q <= full_q ? ~core_key_ready_i : key_valid_i & core_key_ready_i;
  end

  // What is on the channel without a key is taken too: the enable is wide and does not wait for it.
  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      key_q  <= '0;
      len_q  <= '0;
      slot_q <= '0;
    end else if (!full_q) begin
      key_q  <= key_i;
      len_q  <= key_len_i;
      slot_q <= key_slot_i;
    end
  end

  assign core_key_valid_o = full_q;
  assign core_key_o       = key_q;
  assign core_key_len_o   = len_q;
  // The core tells of the slot that is asked for whether it is ready.
  assign core_key_slot_o  = full_q ? slot_q : key_slot_i;

  assign in_ready_o      = core_in_ready_i & ~full_q;
  assign core_in_valid_o = in_valid_i & ~full_q;
  assign idle_o          = core_idle_i & ~full_q;

endmodule
