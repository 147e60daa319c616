// SPDX-License-Identifier: Apache-2.0
//
// A key passes when the stream of its slot is open for it, and that stream alone learns of it,
// with its own slot number. A key for a slot of no stream does not pass.
// Assumptions: none; the block is combinational.
// Parameters: 3 streams with 1 and 2 slots each, 5 streams with 3 slots each.
module rsm_stream_keys_proof #(
  parameter int unsigned Streams  = 3,
  parameter int unsigned KeySlots = 2
) (
  input logic clk_i, key_valid_i, core_key_ready_i,
  input logic [$clog2(Streams*KeySlots)-1:0] key_slot_i,
  input logic [Streams-1:0] open_i
);
  logic key_ready, core_valid, passes;
  logic [Streams-1:0] loaded;
  logic [3:0] slot;

  rsm_stream_keys #(.Streams(Streams), .KeySlots(KeySlots)) dut (
    .key_valid_i, .key_ready_o(key_ready), .key_slot_i, .stream_open_i(open_i),
    .stream_loaded_o(loaded), .stream_slot_o(slot), .core_key_valid_o(core_valid),
    .core_key_ready_i, .loaded_o(passes)
  );

  logic open;
  int unsigned stream;
  assign stream = 32'(key_slot_i) / KeySlots;

  always_comb begin
    // The stream of the slot decides. A slot of no stream is never open.
    open = 1'b0;
    for (int unsigned i = 0; i < Streams; i++) if (stream == i) open = open_i[i];
    assert (core_valid == (key_valid_i & open) && key_ready == (core_key_ready_i & open));
    // A key passes on both sides at once, and its stream learns its own slot number.
    assert (passes == (key_valid_i & key_ready) && passes == (core_valid & core_key_ready_i));
    for (int unsigned i = 0; i < Streams; i++) assert (loaded[i] == (passes && stream == i));
    if (passes) assert (stream < Streams && 32'(slot) == 32'(key_slot_i) % KeySlots);
  end
endmodule
