// SPDX-License-Identifier: Apache-2.0
//
// The distributor and collector of `Tiles` copies of a rigid core behind one native port
// (Saggese 2003, section 3, "Tiling").
//
// The copies may be built differently, but all have the same latency. So results come in the
// order in which the blocks were accepted, whichever tile takes which block, and never two in
// one cycle: nothing has to be remembered, and the collector is an OR. A block goes to the first
// tile that is ready. Blocks in strict rotation would wait for a slot of one tile while another
// has one free; here a slot that comes round free is never passed while a block waits, so a busy
// port uses all slots of all tiles.
//
//              +--> tile 0 --+
//    in_* -----+--> tile 1 --+-- OR --> out_*
//              +--> ...    --+
//
// A key goes to all tiles at once, when all are ready for it. What comes with a block or a key
// goes to all tiles directly. While `out_valid_o` is low, `out_block_o` and `out_tag_o` are zero.
//
// Latency: 0, so that of a tile.
module rsm_tiles #(
  parameter int unsigned Tiles    = 2,
  parameter int unsigned TagWidth = 1
) (
  output logic                           idle_o,
  input  logic                           key_valid_i,
  output logic                           key_ready_o,
  input  logic                           in_valid_i,
  output logic                           in_ready_o,
  output logic                           out_valid_o,
  output logic [127:0]                   out_block_o,
  output logic [TagWidth-1:0]            out_tag_o,
  // The native ports of the tiles, seen from here.
  input  logic [Tiles-1:0]               tile_idle_i,
  output logic [Tiles-1:0]               tile_key_valid_o,
  input  logic [Tiles-1:0]               tile_key_ready_i,
  output logic [Tiles-1:0]               tile_in_valid_o,
  input  logic [Tiles-1:0]               tile_in_ready_i,
  input  logic [Tiles-1:0]               tile_out_valid_i,
  input  logic [Tiles-1:0][127:0]        tile_out_block_i,
  input  logic [Tiles-1:0][TagWidth-1:0] tile_out_tag_i
);

  // The port is idle when all tiles are.
  assign idle_o = &tile_idle_i;

  // No tile takes the key before all can: otherwise blocks of one moment would have two keys.
  assign key_ready_o      = &tile_key_ready_i;
  assign tile_key_valid_o = {Tiles{key_valid_i & key_ready_o}};

  assign in_ready_o = |tile_in_ready_i;

  always_comb begin
    logic waiting;

    // A chain of priorities from tile 0 on: who gets the block does not matter, as all have the
    // same latency.
    waiting = in_valid_i;
    for (int unsigned i = 0; i < Tiles; i++) begin
      tile_in_valid_o[i] = waiting & tile_in_ready_i[i];
      waiting            = waiting & ~tile_in_ready_i[i];
    end
  end

  assign out_valid_o = |tile_out_valid_i;

  always_comb begin
    // At most one tile has a result in a cycle, so an OR behind gates is enough.
    out_block_o = '0;
    out_tag_o   = '0;
    for (int unsigned i = 0; i < Tiles; i++) begin
      out_block_o |= {128{tile_out_valid_i[i]}} & tile_out_block_i[i];
      out_tag_o   |= {TagWidth{tile_out_valid_i[i]}} & tile_out_tag_i[i];
    end
  end

endmodule
