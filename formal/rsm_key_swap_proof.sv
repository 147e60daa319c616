// SPDX-License-Identifier: Apache-2.0
//
// A block enters the core while the core has the newest key of its slot. A key goes to the core
// once, for a block that waits for it. A clear writes zero over each key.
// Assumptions: reset in the first cycle only; the core accepts keys and blocks in any cycle; a
// waiting block stays until a clear, and no input names a slot that does not exist.
// Parameters: Slots 2 (registers) and 3 (memory); keys of 2 bits.
module rsm_key_swap_proof #(parameter int unsigned Slots = 2) (
  input logic clk_i, clear_i, key_valid_i, in_valid_i, core_key_ready_i, core_in_ready_i,
  input logic [1:0] key_i, key_len_i, key_slot_i, in_slot_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  localparam int unsigned SlotWidth = $clog2(Slots);

  logic idle, key_ready, in_ready, core_key_valid, core_in_valid;
  logic [1:0] core_key, core_key_len;

  rsm_key_swap #(.KeyWidth(2), .KeySlots(Slots)) dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .key_valid_i, .key_ready_o(key_ready), .key_i,
    .key_len_i, .key_slot_i(SlotWidth'(key_slot_i)), .in_valid_i, .in_ready_o(in_ready),
    .in_slot_i(SlotWidth'(in_slot_i)), .core_idle_i(1'b1),
    .core_key_valid_o(core_key_valid), .core_key_ready_i, .core_key_o(core_key),
    .core_key_len_o(core_key_len), .core_in_valid_o(core_in_valid), .core_in_ready_i
  );

  // The keys inside: two are in registers, more in a memory.
  logic [Slots-1:0][3:0] keys;
  if (Slots == 2) begin : gen_pair
    assign keys = dut.gen_pair.keys_q;
  end else begin : gen_memory
    for (genvar i = 0; i < Slots; i++) begin : gen_key
      assign keys[i] = dut.gen_memory.keys_q[i];
    end
  end

  // The newest key of each slot, and the key in the core.
  logic [Slots-1:0] known_q;
  logic [Slots-1:0][3:0] newest_q;
  logic has_q;
  logic [3:0] core_q;
  logic accept, send;
  assign accept = key_valid_i & key_ready;
  assign send   = core_key_valid & core_key_ready_i;

  // Cycles since a clear, up to Slots; a key that waits at the core.
  logic [2:0] since_q;
  logic offered_q, sent_q, renewed_q;
  logic [1:0] slot_was_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      {known_q, has_q} <= '0;
    end else begin
      if (accept) known_q[key_slot_i] <= 1'b1;
      if (send)   has_q <= 1'b1;
    end
    if (accept) newest_q[key_slot_i] <= {key_len_i, key_i};
    if (send)   core_q <= {core_key_len, core_key};
    if (!rst_ni)                  since_q <= 3'd7;
    else if (clear_i)             since_q <= 3'd0;
    else if (since_q < 3'(Slots)) since_q <= since_q + 3'd1;
    offered_q  <= rst_ni & ~clear_i & core_key_valid & ~core_key_ready_i;
    sent_q     <= rst_ni & ~clear_i & send;
    renewed_q  <= accept & (key_slot_i == in_slot_i);
    slot_was_q <= in_slot_i;
  end

  always_comb begin
    assume (key_slot_i < 2'(Slots) && in_slot_i < 2'(Slots));
    // A block whose key waits stays, until a clear.
    if (offered_q) assume (in_valid_i && in_slot_i == slot_was_q);
    if (started_q) begin
      // No block is lost or repeated.
      assert ((in_valid_i & in_ready) == (core_in_valid & core_in_ready_i));
      // A block enters under the newest key of its slot, which is in the core.
      if (core_in_valid) assert (in_valid_i && known_q[in_slot_i] && has_q);
      if (core_in_valid) assert (core_q == newest_q[in_slot_i]);
      // A key goes to the core only for a block that waits for that key.
      if (core_key_valid) assert (in_valid_i && known_q[in_slot_i] && !core_in_valid && !in_ready);
      if (core_key_valid) assert ({core_key_len, core_key} == newest_q[in_slot_i]);
      if (offered_q) assert (core_key_valid);
      // A key goes to the core once.
      if (sent_q && !renewed_q && in_slot_i == slot_was_q) begin
        assert (in_ready == core_in_ready_i && !core_key_valid);
      end
      // A block of a slot with a key waits for the core only.
      if (in_valid_i && known_q[in_slot_i]) assert (core_key_valid | core_in_valid);
      // A key is accepted in any cycle, except while a clear writes zero over each key.
      assert (key_ready == (since_q >= 3'(Slots)) && idle == key_ready);
      assert (dut.clearing_q == (since_q < 3'(Slots)));
      if (dut.clearing_q) assert (3'(dut.sweep_q) == since_q);
      for (int i = 0; i < Slots; i++) begin
        if (since_q < 3'd7 && !known_q[i] && 3'(i) < since_q) assert (keys[i] == '0);
        if (known_q[i]) assert (keys[i] == newest_q[i]);
      end
      assert (dut.loaded_q == known_q);
      if (dut.there_q) begin
        assert (2'(dut.slot_q) < 2'(Slots) && has_q && known_q[dut.slot_q]);
        assert (core_q == newest_q[dut.slot_q]);
      end
    end
  end
endmodule
