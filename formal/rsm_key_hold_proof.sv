// SPDX-License-Identifier: Apache-2.0
//
// A block enters the core under the newest key, and none enters without a key. A clear leaves
// no key.
// Assumptions: reset in the first cycle only; a waiting block stays.
// Parameters: none; keys of 2 bits.
module rsm_key_hold_proof (
  input logic clk_i, clear_i, key_valid_i, in_valid_i, core_in_ready_i,
  input logic [1:0] key_i, key_len_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic key_ready, in_ready, core_valid;
  logic [1:0] core_key, core_len;

  rsm_key_hold #(.KeyWidth(2)) dut (
    .clk_i, .rst_ni, .clear_i, .key_valid_i, .key_ready_o(key_ready), .key_i, .key_len_i,
    .in_valid_i, .in_ready_o(in_ready), .core_in_valid_o(core_valid), .core_in_ready_i,
    .core_in_key_o(core_key), .core_in_len_o(core_len)
  );

  logic known_q, cleared_q, offered_q;
  logic [3:0] newest_q, was_q;
  always_ff @(posedge clk_i) begin
    cleared_q <= rst_ni & clear_i;
    if (!rst_ni || clear_i) known_q <= 1'b0;
    else if (key_valid_i && key_ready) known_q <= 1'b1;
    if (key_valid_i && key_ready) newest_q <= {key_len_i, key_i};
    offered_q <= rst_ni & ~clear_i & core_valid & ~core_in_ready_i;
    was_q     <= {core_len, core_key};
  end

  always_comb begin
    if (offered_q) assume (in_valid_i);
    if (started_q) begin
      assert (core_valid == (in_valid_i & known_q) && in_ready == (core_in_ready_i & known_q));
      if (known_q) assert ({core_len, core_key} == newest_q);
      if (offered_q) assert (core_valid);
      // Nothing is accepted in the cycle after a clear, and no key is left.
      assert (key_ready == !cleared_q);
      if (cleared_q) assert ({core_len, core_key} == '0 && !core_valid && !in_ready);
    end
  end
endmodule
