// SPDX-License-Identifier: Apache-2.0
//
// A block enters the core under the newest key of its slot, and none enters without a key. No
// block is lost or repeated. A clear writes zero over each key.
// Assumptions: reset in the first cycle only; no block names a slot that does not exist.
// Parameters: KeySlots 3 and 4; keys of 2 bits.
module rsm_key_slots_proof #(parameter int unsigned KeySlots = 3) (
  input logic clk_i, clear_i, key_valid_i, in_valid_i, core_in_ready_i,
  input logic [1:0] key_i, key_len_i, key_slot_i, in_slot_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic idle, key_ready, in_ready, core_valid;
  logic [1:0] core_key, core_len;

  rsm_key_slots #(.KeyWidth(2), .KeySlots(KeySlots)) dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .key_valid_i, .key_ready_o(key_ready), .key_i,
    .key_len_i, .key_slot_i, .in_valid_i, .in_ready_o(in_ready), .in_slot_i, .core_idle_i(1'b1),
    .core_in_valid_o(core_valid), .core_in_ready_i, .core_in_key_o(core_key),
    .core_in_len_o(core_len)
  );

  // Slots with a key, and their keys; cycles since a clear, up to KeySlots.
  logic [KeySlots-1:0] known_q;
  logic [KeySlots-1:0][3:0] newest_q;
  logic [2:0] since_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < KeySlots; i++) begin
      if (key_valid_i && key_ready && 32'(key_slot_i) == i) begin
        known_q[i]  <= 1'b1;
        newest_q[i] <= {key_len_i, key_i};
      end
    end
    if (!rst_ni || clear_i) known_q <= '0;
    if (!rst_ni)                       since_q <= 3'd7;
    else if (clear_i)                  since_q <= 3'd0;
    else if (32'(since_q) < KeySlots)  since_q <= since_q + 3'd1;
  end

  always_comb begin
    // A key for a slot that does not exist changes nothing; no block names such a slot.
    assume (32'(in_slot_i) < KeySlots);
    if (started_q) begin
      // No block is lost or repeated, and none enters without the newest key of its slot.
      assert ((in_valid_i & in_ready) == (core_valid & core_in_ready_i));
      for (int unsigned i = 0; i < KeySlots; i++) begin
        if (32'(in_slot_i) == i) begin
          assert (core_valid == (in_valid_i & known_q[i]));
          assert (in_ready == (core_in_ready_i & known_q[i]));
          if (core_valid) assert ({core_len, core_key} == newest_q[i]);
        end
        // Inside: the memory holds the known keys, and zeros where a clear has passed.
        assert (dut.loaded_q[i] == known_q[i]);
        if (known_q[i]) assert (dut.memory_q[i] == newest_q[i]);
        else if (since_q < 3'd7 && i < 32'(since_q)) assert (dut.memory_q[i] == '0);
      end
      // A key waits only while a clear writes zero over each key.
      assert (key_ready == (32'(since_q) >= KeySlots) && idle == key_ready);
      assert (dut.clearing_q == !key_ready);
      if (!key_ready) assert (3'(dut.sweep_q) == since_q && known_q == '0);
    end
  end
endmodule
