// SPDX-License-Identifier: Apache-2.0
//
// The keys of several streams through one channel: the slot of a key is `KeySlots` times the number
// of its stream, and the slot that it has in the stream.
//
// A key waits until the mode of its stream lets it past; those of the other streams do not wait for
// it. A slot that no stream has is never ready.
//
// Example with two keys a stream: slot 3 is key 1 of stream 1.
// Latency: 0.
module rsm_stream_keys #(
  parameter int unsigned Streams   = 2,
  parameter int unsigned KeySlots  = 1,   // of a stream
  parameter int unsigned SlotWidth = $clog2(Streams * KeySlots)
) (
  input  logic                 key_valid_i,
  output logic                 key_ready_o,
  input  logic [SlotWidth-1:0] key_slot_i,
  // The modes of the streams: whether the key may pass, that it passes, and its slot there.
  input  logic [Streams-1:0]   stream_open_i,
  output logic [Streams-1:0]   stream_loaded_o,
  output logic [3:0]           stream_slot_o,
  // The key channel of the core, seen from here; a key passes at this edge.
  output logic                 core_key_valid_o,
  input  logic                 core_key_ready_i,
  output logic                 loaded_o
);

  logic [Streams-1:0] owner;
  logic               open;

  always_comb begin
    // Ranges instead of a division by KeySlots, which need not be a power of two.
    owner         = '0;
    stream_slot_o = '0;
    for (int unsigned i = 0; i < Streams; i++) begin
      if (32'(key_slot_i) >= i * KeySlots && 32'(key_slot_i) < (i + 1) * KeySlots) begin
        owner[i]      = 1'b1;
        stream_slot_o = 4'(32'(key_slot_i) - i * KeySlots);
      end
    end
  end

  // The mode of a stream holds back a key while its message still needs the old one.
  assign open             = |(owner & stream_open_i);
  assign core_key_valid_o = key_valid_i & open;
  assign key_ready_o      = core_key_ready_i & open;
  assign loaded_o         = key_valid_i & key_ready_o;
  assign stream_loaded_o  = owner & {Streams{loaded_o}};

endmodule
