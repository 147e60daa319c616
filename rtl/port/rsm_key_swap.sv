// SPDX-License-Identifier: Apache-2.0
//
// Several keys in front of a core that holds one: each has a slot, and a block that names another
// slot than the one before waits until the key of its slot is in the core.
//
// A block accepted after a key uses the new key; one accepted in the same cycle the old one. The
// core takes a key when the blocks inside no longer need theirs, so a key is accepted here at any
// time. No block of a slot is accepted before the first key of that slot. After `clear_i` a zero is
// written over every key, one a cycle.
//
//                                       +--> core_key_*   the key of the block, if it is not there
//    in_* --> is the key of in_slot_i --+
//             in the core?              +--> core_in_*    the block, if it is
//
// Latency: 0 for blocks whose key is in the core. Another key goes to the core in the cycle in
// which its block is offered, or as soon as the core takes it.
module rsm_key_swap #(
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
  output logic                 core_key_valid_o,
  input  logic                 core_key_ready_i,
  output logic [KeyWidth-1:0]  core_key_o,
  output logic [1:0]           core_key_len_o,
  output logic                 core_in_valid_o,
  input  logic                 core_in_ready_i
);

  typedef logic [SlotWidth-1:0] slot_t;

  if (KeySlots < 2) begin : gen_one
    $error("rsm_key_swap: a core that holds one key needs nothing in front of it");
  end

  logic [KeyWidth+1:0] key_in, key_out;
  // One bit a slot: there was a key since the last clear.
  logic [KeySlots-1:0] loaded_q;
  logic                clearing_q, accept;
  slot_t               sweep_q;

  // The core has the newest key of this slot.
  logic                there_q, fits, send;
  slot_t               slot_q;

  assign key_ready_o = ~clearing_q;
  assign accept      = key_valid_i & key_ready_o;

  // The block may enter: the core holds the newest key of its slot.
  assign fits = there_q & (slot_q == in_slot_i);
  // The core takes a key only when no block inside needs the old one. That wait is the price of a
  // change.
  assign send = core_key_valid_o & core_key_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      clearing_q <= 1'b0;
      sweep_q    <= '0;
      loaded_q   <= '0;
      there_q    <= 1'b0;
    end else if (clear_i) begin
      clearing_q <= 1'b1;
      sweep_q    <= '0;
      loaded_q   <= '0;
      there_q    <= 1'b0;
    end else begin
      if (clearing_q) begin
        clearing_q <= (sweep_q != slot_t'(KeySlots - 1));
        sweep_q    <= sweep_q + slot_t'(1);
      end
      if (accept) loaded_q[key_slot_i] <= 1'b1;
      // A new key of a slot takes the place of the one in the core, or on its way there.
      if (send)                                  there_q <= ~(accept & (key_slot_i == in_slot_i));
      else if (accept && (key_slot_i == slot_q)) there_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (clear_i)   slot_q <= '0;
    // Which slot the key in the core belongs to.
    else if (send) slot_q <= in_slot_i;
  end

  // --- The keys ---

  assign key_in                       = {key_len_i, key_i};
  assign {core_key_len_o, core_key_o} = key_out;

  if (KeySlots == 2) begin : gen_pair
    // Registers: they are cleared by their reset, and a choice of two is less than a memory.
    logic [1:0][KeyWidth+1:0] keys_q;

    for (genvar i = 0; i < 2; i++) begin : gen_key
      always_ff @(posedge clk_i) begin
        if (clearing_q && sweep_q == slot_t'(i))     keys_q[i] <= '0;
        else if (accept && key_slot_i == slot_t'(i)) keys_q[i] <= key_in;
      end
    end

    assign key_out = keys_q[in_slot_i];
  end else begin : gen_memory
    // From three keys on, a memory of LUTs is smaller than registers with a multiplexer.
    logic [KeyWidth+1:0] keys_q [KeySlots];
    slot_t               place;

    assign place = clearing_q ? sweep_q : key_slot_i;

    always_ff @(posedge clk_i) begin
      if (accept || clearing_q) keys_q[place] <= clearing_q ? '0 : key_in;
    end

    assign key_out = keys_q[in_slot_i];
  end

  // --- The core ---

  // A key is sent on demand: a block waits, has a key, and the core has another one.
  assign core_key_valid_o = in_valid_i & loaded_q[in_slot_i] & ~fits;
  assign in_ready_o       = fits & core_in_ready_i;
  assign core_in_valid_o  = fits & in_valid_i;
  assign idle_o           = core_idle_i & ~clearing_q;

endmodule
