// SPDX-License-Identifier: Apache-2.0
//
// Several keys in front of a core that takes its key with the block: each has a slot, and a block
// takes that of the slot that it names.
//
// A block accepted after a key uses the new key; one accepted in the same cycle the old one. Blocks
// in flight carry their own key, so a key is accepted at any time. No block of a slot is accepted
// before the first key of that slot. After `clear_i` a zero is written over every key, one a cycle.
//
//    key_i, key_slot_i --> memory_q --> core_in_key_o
//                             ^
//    in_slot_i ---------------+
//
// Latency: 0 for blocks; a key is in force in the cycle after the edge that accepts it.
module rsm_key_slots #(
  parameter int unsigned KeyWidth  = 128,
  parameter int unsigned KeySlots  = 2,
  parameter int unsigned SlotWidth = $clog2(KeySlots)
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
  input  logic [SlotWidth-1:0] in_slot_i,
  // The native port of the core, seen from here.
  input  logic                 core_idle_i,
  output logic                 core_in_valid_o,
  input  logic                 core_in_ready_i,
  output logic [KeyWidth-1:0]  core_in_key_o,
  output logic [1:0]           core_in_len_o
);

  typedef logic [SlotWidth-1:0] slot_t;

  if (KeySlots < 2) begin : gen_one
    $error("rsm_key_slots: one key is what rsm_key_hold is for");
  end

  // The key and, in the two bits on top, its length.
  logic [KeyWidth+1:0] memory_q [KeySlots];
  // Memories have no reset, so one bit a slot says whether its word is a key.
  logic [KeySlots-1:0] loaded_q;
  logic                clearing_q, accept, write;
  slot_t               sweep_q, place;

  assign key_ready_o = ~clearing_q;
  assign accept      = key_valid_i & key_ready_o;
  // One port to write: keys and the zeros of a clear share it, so no key is accepted meanwhile.
  assign write       = accept | clearing_q;
  assign place       = clearing_q ? sweep_q : key_slot_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      clearing_q <= 1'b0;
      sweep_q    <= '0;
      loaded_q   <= '0;
    end else if (clear_i) begin
      clearing_q <= 1'b1;
      sweep_q    <= '0;
      loaded_q   <= '0;
    end else begin
      if (clearing_q) begin
        clearing_q <= (sweep_q != slot_t'(KeySlots - 1));
        sweep_q    <= sweep_q + slot_t'(1);
      end
      if (accept) loaded_q[key_slot_i] <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (write) memory_q[place] <= clearing_q ? '0 : {key_len_i, key_i};
  end

  // Read without a clock: a block may name another slot in every cycle.
  assign in_ready_o                     = loaded_q[in_slot_i] & core_in_ready_i;
  assign core_in_valid_o                = loaded_q[in_slot_i] & in_valid_i;
  assign {core_in_len_o, core_in_key_o} = memory_q[in_slot_i];
  assign idle_o                         = core_idle_i & ~clearing_q;

endmodule
