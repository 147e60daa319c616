// SPDX-License-Identifier: Apache-2.0
//
// AXI4-Stream, 32 bits, to the key channel of a core with several streams of messages. `TID` is the
// slot: `KeySlots` times the number of the stream, and the slot that the key has there. A key waits
// at its first word while a header of its stream waits, and messages of its stream wait for it; the
// other streams go on.
//
// All else is that of rsm_axi4_stream_key, which is inside.
//
// Latency: 1 cycle from the last word of the longest key; a shorter one is moved to the left first,
// a word a cycle.
module rsm_axi4_stream_keys #(
  parameter int unsigned KeyWidth = 128,
  parameter logic [2:0]  Lengths  = 3'b001,  // key lengths: bit 0 for 128 bits
  parameter int unsigned Streams  = 2,
  parameter int unsigned KeySlots = 1,       // of a stream
  parameter int unsigned TidWidth = $clog2(Streams * KeySlots)
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  output logic                idle_o,
  output logic                refused_o,
  // No key of this stream may begin in this cycle; one is here.
  input  logic [Streams-1:0]  hold_i,
  output logic [Streams-1:0]  comes_o,
  input  logic                tvalid_i,
  output logic                tready_o,
  input  logic [31:0]         tdata_i,
  input  logic                tlast_i,
  input  logic [TidWidth-1:0] tid_i,
  output logic                key_valid_o,
  input  logic                key_ready_i,
  output logic [KeyWidth-1:0] key_o,
  output logic [1:0]          key_len_o,
  output logic [TidWidth-1:0] key_slot_o
);

  logic [Streams-1:0]  offered, here;  // to whom the word at the port goes, and the key inside
  logic [TidWidth-1:0] slot_q;
  logic                nobody;
  logic [3:0]          unused_slot;

  always_comb begin
    for (int unsigned i = 0; i < Streams; i++) begin
      offered[i] = (32'(tid_i) >= i * KeySlots) & (32'(tid_i) < (i + 1) * KeySlots);
      here[i]    = (32'(slot_q) >= i * KeySlots) & (32'(slot_q) < (i + 1) * KeySlots);
    end
  end

  assign nobody = ~|offered;

  always_ff @(posedge clk_i) begin
    if (tvalid_i && tready_o) slot_q <= tid_i;
  end

  rsm_axi4_stream_key #(
    .KeyWidth (KeyWidth),
    .Lengths  (Lengths)
  ) u_key (
    .clk_i,
    .rst_ni,
    .clear_i,
    .idle_o,
    .refused_o,
    .hold_i     (|(hold_i & offered)),
    .tvalid_i,
    .tready_o,
    .tdata_i,
    .tlast_i,
    .tid_i      ({3'd0, nobody}),
    .key_valid_o,
    .key_ready_i,
    .key_o,
    .key_len_o,
    .key_slot_o (unused_slot)
  );

  assign comes_o    = here & {Streams{~idle_o}};
  assign key_slot_o = slot_q;

endmodule
