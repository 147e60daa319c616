// SPDX-License-Identifier: Apache-2.0
//
// No result is lost: free places, blocks in flight and waiting results add up to the depth, so
// a result never meets a full FIFO. A waiting result stays. No block is lost or repeated.
// Assumptions: reset in the first cycle, free afterwards; the core returns no more results than
// it has accepted blocks, in any cycle.
// Parameters: Depth 1, 2, 3 and 7; blocks of 2 bits.
module rsm_flow_proof #(parameter int unsigned Depth = 2) (
  input logic clk_i, rst_ni, clear_i, in_valid_i, out_ready_i, core_in_ready_i, core_out_valid_i
);
  logic core_in_valid, out_valid, in_ready, idle, out_tag;
  logic [1:0] out_block;

  rsm_flow #(.BlockWidth(2), .TagWidth(1), .Depth(Depth)) u_flow (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .in_valid_i, .in_ready_o(in_ready),
    .out_valid_o(out_valid), .out_ready_i, .out_block_o(out_block), .out_tag_o(out_tag),
    .core_idle_i(1'b1), .core_in_valid_o(core_in_valid), .core_in_ready_i,
    .core_out_valid_i(core_out_valid_i), .core_out_block_i(2'h0), .core_out_tag_i(1'b0)
  );

  // The number of blocks inside the core.
  logic [7:0] flight_q;
  logic accepted;
  assign accepted = core_in_valid & core_in_ready_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) flight_q <= '0;
    else flight_q <= flight_q + 8'(accepted) - 8'(core_out_valid_i);
  end

  // A result that waits.
  logic waited_q = 1'b0;
  logic [7:0] place_q;
  always_ff @(posedge clk_i) begin
    waited_q <= out_valid & ~out_ready_i & rst_ni & ~clear_i;
    place_q <= 8'(u_flow.u_fifo.read_q);
  end

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;

  always_comb begin
    if (!started_q) assume (!rst_ni);
    if (core_out_valid_i) assume (flight_q != '0);
    assert ((in_valid_i & in_ready) == accepted);
    if (waited_q) assert (out_valid && 8'(u_flow.u_fifo.read_q) == place_q);
    if (started_q) begin
      assert (10'(u_flow.credits_q) + 10'(flight_q) + 10'(u_flow.u_fifo.count_q) == 10'(Depth));
      if (core_out_valid_i) assert (8'(u_flow.u_fifo.count_q) < 8'(Depth));
    end
  end
endmodule
