// SPDX-License-Identifier: Apache-2.0
//
// Each stream gets its own results only, and has a place for each. A block enters under
// the key of its stream. No stream is served twice while the other one waits.
// Assumptions: reset in the first cycle only, no clear; the core returns no more results of a
// stream than it has accepted blocks, in any cycle. The block of a stream is its number.
// Parameters: none; 2 streams with 2 places each.
module rsm_interleave_proof (
  input logic clk_i, core_in_ready_i, core_out_valid_i, key_loaded_i, key_loaded_slot_i,
  input logic [1:0] in_valid_i, out_ready_i, core_out_tag_i,
  input logic [7:0] result_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic [1:0] idle, in_ready, out_valid, out_tag, core_tag;
  logic [1:0][127:0] out_block;
  logic core_valid, core_decrypt, core_slot;
  logic [127:0] core_block;

  // The block of a stream is its number.
  rsm_interleave #(.Streams(2), .Depth(2)) dut (
    .clk_i, .rst_ni, .clear_i(1'b0), .idle_o(idle), .in_valid_i, .in_ready_o(in_ready),
    .in_block_i({128'd1, 128'd0}), .in_decrypt_i(2'b10), .in_slot_i('0), .in_tag_i('0),
    .out_valid_o(out_valid), .out_ready_i, .out_block_o(out_block), .out_tag_o(out_tag),
    .key_loaded_i, .key_loaded_slot_i, .core_idle_i(1'b1), .core_in_valid_o(core_valid),
    .core_in_ready_i, .core_in_block_o(core_block), .core_in_decrypt_o(core_decrypt),
    .core_in_slot_o(core_slot), .core_in_tag_o(core_tag), .core_out_valid_i,
    .core_out_block_i({120'd0, result_i}), .core_out_tag_i
  );

  logic [1:0] mine, taken;
  logic [1:0][3:0] flight_q, room, held;
  logic [1:0] keyed_q;
  assign mine  = {core_out_valid_i & core_out_tag_i[1], core_out_valid_i & ~core_out_tag_i[1]};
  assign taken = in_valid_i & in_ready;
  assign room  = {4'(dut.gen_stream[1].room_q), 4'(dut.gen_stream[0].room_q)};
  assign held  = {4'(dut.gen_stream[1].u_results.count_q),
                  4'(dut.gen_stream[0].u_results.count_q)};

  // The two places of a FIFO: one is taken when the pointers differ.
  logic [1:0] odd;
  assign odd = {dut.gen_stream[1].u_results.write_q ^ dut.gen_stream[1].u_results.read_q,
                dut.gen_stream[0].u_results.write_q ^ dut.gen_stream[0].u_results.read_q};

  // A stream asked while the other one was served; a result was not taken.
  logic [1:0] passed_q, waited_q;
  logic [1:0][7:0] was_q;
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < 2; i++) begin
      if (!rst_ni) begin
        flight_q[i] <= '0;
        keyed_q[i]  <= 1'b0;
        passed_q[i] <= 1'b0;
      end else begin
        flight_q[i] <= flight_q[i] + 4'(taken[i]) - 4'(mine[i]);
        if (key_loaded_i && 32'(key_loaded_slot_i) == i) keyed_q[i] <= 1'b1;
        if (taken[i] || !dut.asks[i]) passed_q[i] <= 1'b0;
        else if (taken[1-i]) passed_q[i] <= 1'b1;
      end
      waited_q[i] <= rst_ni & out_valid[i] & ~out_ready_i[i];
      was_q[i]    <= out_block[i][7:0];
    end
  end

  always_comb begin
    for (int i = 0; i < 2; i++) if (mine[i]) assume (flight_q[i] != '0);
    if (started_q) begin
      assert (core_valid == |dut.asks);
      assert ((|taken) == (core_valid & core_in_ready_i) && taken != 2'b11);
      for (int i = 0; i < 2; i++) begin
        // Each block in flight has a place for its result.
        assert (6'(room[i]) + 6'(flight_q[i]) + 6'(held[i]) == 6'd2);
        assert (odd[i] == held[i][0]);
        assert (keyed_q[i] == dut.loaded_q[i]);
        if (taken[i]) begin
          assert (keyed_q[i] && core_block == 128'(i) && 32'(core_slot) == i);
          assert (32'(core_tag[1]) == i && 32'(core_decrypt) == i);
        end
        // A stream sees its own results and nothing else.
        assert (out_valid[i] == (held[i] != '0 || mine[i]));
        if (!out_valid[i]) assert (out_block[i] == '0);
        if (waited_q[i]) assert (out_valid[i] && out_block[i][7:0] == was_q[i]);
        // A waiting stream is served next after the other one.
        if (passed_q[i]) assert (32'(dut.last_q) != i);
        if (passed_q[i] && dut.asks[i]) assert (!taken[1-i]);
      end
    end
  end
endmodule
