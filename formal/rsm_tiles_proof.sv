// SPDX-License-Identifier: Apache-2.0
//
// Each block enters one tile, and each result leaves, in the order of the blocks. A key enters
// all tiles at once.
// Assumptions: reset in the first cycle, free afterwards; each tile accepts blocks in any cycle
// and gives each result after two cycles.
// Parameters: none; 3 tiles.
module rsm_tiles_proof (
  input logic clk_i, rst_ni, in_valid_i, key_valid_i, block_i,
  input logic [2:0] ready_i, key_ready_i
);
  logic in_ready, key_ready, out_valid, idle;
  logic [127:0] out_block;
  logic [1:0] out_tag;
  logic [2:0] enter, key_enter, tile_valid;
  logic [2:0][127:0] tile_block;
  logic [2:0][1:0] tile_tag;

  rsm_tiles #(.Tiles(3), .TagWidth(2)) u_tiles (
    .idle_o(idle), .key_valid_i, .key_ready_o(key_ready), .in_valid_i, .in_ready_o(in_ready),
    .out_valid_o(out_valid), .out_block_o(out_block), .out_tag_o(out_tag),
    .tile_idle_i(3'b111), .tile_key_valid_o(key_enter), .tile_key_ready_i(key_ready_i),
    .tile_in_valid_o(enter), .tile_in_ready_i(ready_i), .tile_out_valid_i(tile_valid),
    .tile_out_block_i(tile_block), .tile_out_tag_i(tile_tag)
  );

  // The tiles, with any data at the output while they have no result, and a reference that accepts
  // every block.
  logic [2:0][1:0] valid_q, data_q = '0;
  logic [1:0] all_q, all_data_q = '0;
  for (genvar i = 0; i < 3; i++) begin : gen_tile
    always_ff @(posedge clk_i) begin
      valid_q[i] <= rst_ni ? {valid_q[i][0], enter[i] & ready_i[i]} : 2'b00;
      data_q[i]  <= {data_q[i][0], block_i};
    end
    assign tile_valid[i] = valid_q[i][1];
    assign tile_block[i] = {128{data_q[i][1]}};
    assign tile_tag[i]   = {2{data_q[i][1]}};
  end
  always_ff @(posedge clk_i) begin
    all_q      <= rst_ni ? {all_q[0], in_valid_i & in_ready} : 2'b00;
    all_data_q <= {all_data_q[0], block_i};
  end

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;

  always_comb begin
    if (!started_q) assume (!rst_ni);
    assert (in_ready == |ready_i);
    assert ((enter & ready_i) == enter);
    assert ($countones(enter) == 32'(in_valid_i & in_ready));
    assert (key_enter == {3{key_valid_i & (&key_ready_i)}});
    if (started_q) begin
      assert (all_q[0] == |{valid_q[0][0], valid_q[1][0], valid_q[2][0]});
      assert ($countones({valid_q[0][0], valid_q[1][0], valid_q[2][0]}) <= 1);
      assert ($countones(tile_valid) <= 1);
      assert (out_valid == all_q[1]);
      assert (out_block == {128{out_valid & all_data_q[1]}});
      assert (out_tag == {2{out_valid & all_data_q[1]}});
      for (int i = 0; i < 3; i++) assert (data_q[i] == all_data_q);
    end
  end
endmodule
