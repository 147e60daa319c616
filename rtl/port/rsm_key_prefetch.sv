// SPDX-License-Identifier: Apache-2.0
//
// Several keys in front of a core that takes its key with the block: each has a slot, and the one
// that the next block needs is read a cycle before, into a register.
//
// A key is accepted at any time but while all are cleared, and can be loaded from the next cycle
// on. After `clear_i` a zero is written over every key, one a cycle.
//
//    key_i, key_slot_i --> memory_q --> [key_q] --> core_in_key_o
//                             ^            ^
//    load_slot_i -------------+   load_i --+
//
// Latency: a key that is loaded at one edge stands at the core after it, until the next one is.
module rsm_key_prefetch #(
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
  // The key of this slot is loaded at this edge.
  input  logic                 load_i,
  input  logic [SlotWidth-1:0] load_slot_i,
  // The native port of the core, seen from here.
  input  logic                 core_idle_i,
  output logic [KeyWidth-1:0]  core_in_key_o,
  output logic [1:0]           core_in_len_o
);

  typedef logic [SlotWidth-1:0] slot_t;

  if (KeySlots < 2) begin : gen_one
    $error("rsm_key_prefetch: one key is what rsm_key_hold is for");
  end

  // The key and, in the two bits on top, its length.
  logic [KeyWidth+1:0] memory_q [KeySlots];
  // This register takes the read of the memory out of the path to the core. That is possible
  // because rsm_stream_scheduler chooses the stream ahead of its block.
  logic [KeyWidth+1:0] key_q;
  logic                clearing_q, write;
  slot_t               sweep_q, place;

  assign key_ready_o = ~clearing_q;
  // One port to write: keys and the zeros of a clear share it, so no key is accepted meanwhile.
  assign write       = (key_valid_i & key_ready_o) | clearing_q;
  assign place       = clearing_q ? sweep_q : key_slot_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      clearing_q <= 1'b0;
      sweep_q    <= '0;
    end else if (clear_i) begin
      clearing_q <= 1'b1;
      sweep_q    <= '0;
    end else if (clearing_q) begin
      clearing_q <= (sweep_q != slot_t'(KeySlots - 1));
      sweep_q    <= sweep_q + slot_t'(1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (write) memory_q[place] <= clearing_q ? '0 : {key_len_i, key_i};
    if (clear_i)     key_q <= '0;
    else if (load_i) key_q <= memory_q[load_slot_i];
  end

  assign {core_in_len_o, core_in_key_o} = key_q;
  assign idle_o                         = core_idle_i & ~clearing_q;

endmodule
