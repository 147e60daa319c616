// SPDX-License-Identifier: Apache-2.0
//
// A load brings the newest key of the named slot to the core. A clear writes zero over each key.
// Assumptions: reset in the first cycle only; a load names a slot that exists and does not come
// during reset.
// Parameters: KeySlots 3 and 4; keys of 2 bits.
module rsm_key_prefetch_proof #(parameter int unsigned KeySlots = 3) (
  input logic clk_i, clear_i, key_valid_i, load_i,
  input logic [1:0] key_i, key_len_i, key_slot_i, load_slot_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic idle, key_ready;
  logic [1:0] core_key, core_len;

  rsm_key_prefetch #(.KeyWidth(2), .KeySlots(KeySlots)) dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .key_valid_i, .key_ready_o(key_ready), .key_i,
    .key_len_i, .key_slot_i, .load_i, .load_slot_i, .core_idle_i(1'b1),
    .core_in_key_o(core_key), .core_in_len_o(core_len)
  );

  logic [KeySlots-1:0] known_q;
  logic [KeySlots-1:0][3:0] newest_q;
  logic [3:0] loaded_q;
  logic [2:0] since_q;
  logic holds_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < KeySlots; i++) begin
      if (key_valid_i && key_ready && 32'(key_slot_i) == i) begin
        known_q[i]  <= 1'b1;
        newest_q[i] <= {key_len_i, key_i};
      end
      if (load_i && 32'(load_slot_i) == i) begin
        loaded_q <= newest_q[i];
        holds_q  <= known_q[i];
      end
    end
    if (!rst_ni || clear_i) known_q <= '0;
    if (clear_i) loaded_q <= '0;
    if (clear_i) holds_q  <= 1'b1;
    if (!rst_ni) holds_q  <= 1'b0;
    if (!rst_ni)                       since_q <= 3'd7;
    else if (clear_i)                  since_q <= 3'd0;
    else if (32'(since_q) < KeySlots)  since_q <= since_q + 3'd1;
  end

  always_comb begin
    assume (32'(load_slot_i) < KeySlots);
    assume (started_q || !load_i);
    if (started_q) begin
      if (holds_q) assert ({core_len, core_key} == loaded_q);
      for (int unsigned i = 0; i < KeySlots; i++) begin
        if (known_q[i]) assert (dut.memory_q[i] == newest_q[i]);
        else if (since_q < 3'd7 && i < 32'(since_q)) assert (dut.memory_q[i] == '0);
      end
      assert (key_ready == (32'(since_q) >= KeySlots) && idle == key_ready);
      assert (dut.clearing_q == !key_ready);
      if (!key_ready) assert (3'(dut.sweep_q) == since_q && known_q == '0);
    end
  end
endmodule
