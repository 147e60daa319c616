// SPDX-License-Identifier: Apache-2.0
//
// A block or a key enters the core as consecutive beats, whole and in order. A result leaves
// whole and once, with the tag of its first beat.
// Assumptions: reset in the first cycle only; the core is never ready for a block and a key at
// once, nor for either one while beats enter. Beats of a result follow each other.
// Parameters: Width 8, 32 and 64; the key is held in the core or comes with the block.
module rsm_widen_proof import rsm_port_pkg::*; #(
  parameter int unsigned Width   = 32,
  parameter bit          Held    = 1'b1
) (
  input logic clk_i, clear_i, key_valid_i, in_valid_i, core_idle_i,
  input logic core_key_ready_i, core_in_ready_i, core_out_valid_i, tag_i,
  input block_t key_i, in_block_i, in_key_i,
  input logic [Width-1:0] core_out_block_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  localparam int unsigned Beats = 128 / Width;
  localparam channel_e    Channel = Held ? ChannelHeld : ChannelWithBlock;

  logic idle, key_ready, in_ready, out_valid, out_tag, core_key_valid, core_valid;
  block_t out_block;
  logic [Width-1:0] core_key, core_block, core_in_key;

  rsm_widen #(.Width(Width), .Channel(Channel)) dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .key_valid_i, .key_ready_o(key_ready), .key_i,
    .in_valid_i, .in_ready_o(in_ready), .in_block_i, .in_key_i, .out_valid_o(out_valid),
    .out_block_o(out_block), .out_tag_o(out_tag), .core_idle_i, .core_key_valid_o(core_key_valid),
    .core_key_ready_i, .core_key_o(core_key), .core_in_valid_o(core_valid), .core_in_ready_i,
    .core_in_block_o(core_block), .core_in_key_o(core_in_key), .core_out_valid_i,
    .core_out_block_i, .core_out_tag_i(tag_i)
  );

  logic accept, key_accept, enters, key_enters;
  assign accept     = in_valid_i & in_ready;
  assign key_accept = key_valid_i & key_ready;
  assign enters     = core_valid & core_in_ready_i;
  assign key_enters = core_key_valid & core_key_ready_i;

  // The number of the next beat of a block or a key, and of the next beat of a result; 0 for
  // none. The block, the key and the result.
  logic [4:0] sent_q, got_q;
  block_t block_q, key_q, result_q;
  block_t sent;
  logic is_key_q, tag_q;
  assign sent = is_key_q ? key_q : block_q;
  logic [3:0] results_q, given_q;
  always_ff @(posedge clk_i) begin
    if (accept) {block_q, key_q, is_key_q} <= {in_block_i, in_key_i, 1'b0};
    if (key_accept) {key_q, is_key_q} <= {key_i, 1'b1};
    if (core_out_valid_i) tag_q <= tag_i;
    for (int unsigned i = 0; i < Beats; i++) begin
      if (32'(got_q) == i) result_q[127 - Width*i -: Width] <= core_out_block_i;
    end
    if (!rst_ni || clear_i) begin
      {sent_q, got_q, results_q, given_q} <= '0;
    end else begin
      results_q <= results_q + 4'(core_out_valid_i);
      given_q   <= given_q + 4'(out_valid);
      if (32'(sent_q) == Beats - 1) sent_q <= '0;
      else                          sent_q <= sent_q + 5'(accept | key_accept | (sent_q != '0));
      if (32'(got_q) == Beats - 1)  got_q <= '0;
      else                          got_q <= got_q + 5'(core_out_valid_i | (got_q != '0));
    end
  end

  always_comb begin
    assume (!(core_in_ready_i && core_key_ready_i));
    if (sent_q != '0) assume (!core_in_ready_i && !core_key_ready_i);
    if (got_q != '0) assume (!core_out_valid_i);
    if (started_q) begin
      // A block or key enters the core in the cycle that accepts it. Nothing enters between the
      // first and the last beat of a result.
      assert (enters == accept && key_enters == key_accept);
      if (got_q != '0 && 32'(got_q) != Beats - 1) assert (!accept && !key_accept);
      if (!Held) assert (!key_accept);
      // The beats of a block or key are consecutive.
      if (accept) assert (core_block == in_block_i[127 -: Width]);
      if (accept && !Held) assert (core_in_key == in_key_i[127 -: Width]);
      if (key_accept) assert (core_key == key_i[127 -: Width]);
      for (int unsigned i = 1; i < Beats; i++) begin
        if (32'(sent_q) == i && !is_key_q) begin
          assert (core_block == block_q[127 - Width*i -: Width]);
          if (!Held) assert (core_in_key == key_q[127 - Width*i -: Width]);
        end
        if (32'(sent_q) == i && is_key_q) assert (core_key == key_q[127 - Width*i -: Width]);
      end
      // A result is shown once, with its last beat and the tag of its first beat.
      assert (results_q - given_q == 4'(got_q != '0));
      assert (out_valid == (32'(got_q) == Beats - 1));
      if (out_valid) begin
        assert (out_block == {result_q[127:Width], core_out_block_i} && out_tag == tag_q);
      end
      assert (idle == (core_idle_i && got_q == '0 && !core_out_valid_i));
      // Inside: beats to send are at the left, beats of a result at the right.
      assert (32'(sent_q) < Beats && 32'(got_q) < Beats);
      assert (5'(dut.send_q) == sent_q && 5'(dut.collect_q) == got_q);
      assert (sent_q == '0 || !is_key_q || Held);
      if (got_q != '0) assert (dut.tag_q == tag_q);
      for (int unsigned i = 1; i < Beats; i++) begin
        for (int unsigned j = 0; j < i; j++) begin
          if (32'(got_q) == i) begin
            assert (dut.data_q[Width*(i-j-1) +: Width] == result_q[127 - Width*j -: Width]);
          end
        end
        for (int unsigned j = i; j < Beats; j++) begin
          if (32'(sent_q) == i) begin
            assert (dut.data_q[127 - Width*(j-i) -: Width]
                    == sent[127 - Width*j -: Width]);
          end
        end
      end
    end
  end

  // The register beside the block.
  if (!Held) begin : gen_beside
    always_comb begin
      if (started_q) begin
        for (int unsigned i = 1; i < Beats; i++) begin
          if (32'(sent_q) == i) begin
            assert (dut.gen_with_block.key_q == (128-Width)'(key_q << Width*(i-1)));
          end
        end
      end
    end
  end
endmodule
