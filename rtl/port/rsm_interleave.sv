// SPDX-License-Identifier: Apache-2.0
//
// Several streams on one rigid core: the c-slow technique of Saggese 2003, section 3. A mode that
// feeds results back has one block in the core at a time; as many of them as the core has slots
// keep it full.
//
// Each stream has the full port to itself, and sees nothing of the others. A block goes in with the
// number of its stream on top of its tag, and the result comes back to the stream of that number
// alone; the others see zeros. A block is accepted only when there is a place for its result,
// `Depth` a stream, and when its key has been loaded since the last clear. So the core never waits
// for a stream, and a stream never waits for another one longer than a turn of those that offer
// blocks: the one after the last one that was served goes first. A place is free again in the cycle
// after its result was taken, so two of them are what a mode that feeds results back needs.
//
//    stream 0 --+                                          +--> stream 0, or its FIFO
//    stream 1 --+--> in turn --> core (number in the tag) --+--> stream 1, or its FIFO
//    ...      --+                                          +--> ...
//
// A result is shown in the cycle in which the core gives it, and a block that comes of it may enter
// in that same cycle, so a ring of as many slots as there are streams is never empty.
//
// The slot of a key is `KeySlots` times the number of the stream, and the slot that it names.
//
// Latency: 0.
module rsm_interleave #(
  parameter int unsigned Streams  = 2,
  parameter int unsigned TagWidth = 1,   // of a stream
  parameter int unsigned KeySlots = 1,   // of a stream
  parameter int unsigned Depth    = 2,
  // Bits of the number of a stream, and of the tag and the slot at the core.
  parameter int unsigned StreamWidth = (Streams > 1) ? $clog2(Streams) : 1,
  parameter int unsigned CoreTag     = StreamWidth + TagWidth,
  parameter int unsigned CoreSlot    = (Streams * KeySlots > 1) ? $clog2(Streams * KeySlots) : 1
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic                             clear_i,
  // The full ports of the streams.
  output logic [Streams-1:0]               idle_o,
  input  logic [Streams-1:0]               in_valid_i,
  output logic [Streams-1:0]               in_ready_o,
  input  logic [Streams-1:0][127:0]        in_block_i,
  input  logic [Streams-1:0]               in_decrypt_i,
  input  logic [Streams-1:0][3:0]          in_slot_i,
  input  logic [Streams-1:0][TagWidth-1:0] in_tag_i,
  output logic [Streams-1:0]               out_valid_o,
  input  logic [Streams-1:0]               out_ready_i,
  output logic [Streams-1:0][127:0]        out_block_o,
  output logic [Streams-1:0][TagWidth-1:0] out_tag_o,
  // A key goes to the core at this edge.
  input  logic                             key_loaded_i,
  input  logic [CoreSlot-1:0]              key_loaded_slot_i,
  // The native port of the core, seen from here.
  input  logic                             core_idle_i,
  output logic                             core_in_valid_o,
  input  logic                             core_in_ready_i,
  output logic [127:0]                     core_in_block_o,
  output logic                             core_in_decrypt_o,
  output logic [CoreSlot-1:0]              core_in_slot_o,
  output logic [CoreTag-1:0]               core_in_tag_o,
  input  logic                             core_out_valid_i,
  input  logic [127:0]                     core_out_block_i,
  input  logic [CoreTag-1:0]               core_out_tag_i
);

  localparam int unsigned CountWidth = $clog2(Depth + 1);

  typedef logic [StreamWidth-1:0] stream_t;
  typedef logic [CountWidth-1:0]  count_t;

  // `asks`: the stream has a block, a key and a place for the result.
  logic [Streams-1:0] asks, room, given;
  stream_t            last_q, chosen;
  logic               any;

  // --- Blocks in: in turn, those that have room for the result ---

  logic [Streams*KeySlots-1:0]      loaded_q;
  logic [Streams-1:0][CoreSlot-1:0] slot;

  always_ff @(posedge clk_i) begin
    // Without a key since the clear, a block would be encrypted under zeros.
    if (!rst_ni || clear_i) loaded_q <= '0;
    else if (key_loaded_i)  loaded_q[key_loaded_slot_i] <= 1'b1;
  end

  always_comb begin
    for (int unsigned i = 0; i < Streams; i++) begin
      // A slot that the stream does not have is never ready; it must not reach the key of another
      // stream.
      slot[i] = CoreSlot'(i * KeySlots + 32'(in_slot_i[i]));
      asks[i] = in_valid_i[i] & room[i] & loaded_q[slot[i]] & (32'(in_slot_i[i]) < KeySlots);
    end
  end

  // The first one that asks after the last one that was served.
  always_comb begin
    // Two searches: the first stream of all, and the first one behind the last turn, which
    // overrides it.
    chosen = '0;
    any    = 1'b0;
    for (int unsigned i = 0; i < Streams; i++) begin
      if (asks[i] && !any) begin
        chosen = stream_t'(i);
        any    = 1'b1;
      end
    end
    for (int unsigned i = Streams; i > 0; i--) begin
      if (asks[i-1] && 32'(last_q) < i - 1) chosen = stream_t'(i - 1);
    end
  end

  always_comb begin
    // AND and OR: what is not chosen is zero, so a stream sees no bit of another one.
    given             = '0;
    core_in_block_o   = '0;
    core_in_decrypt_o = 1'b0;
    core_in_slot_o    = '0;
    core_in_tag_o     = '0;
    for (int unsigned i = 0; i < Streams; i++) begin
      if (any && chosen == stream_t'(i)) begin
        given[i]          = 1'b1;
        core_in_block_o   = in_block_i[i];
        core_in_decrypt_o = in_decrypt_i[i];
        core_in_slot_o    = slot[i];
        core_in_tag_o     = {stream_t'(i), in_tag_i[i]};
      end
    end
  end

  assign core_in_valid_o = any;
  assign in_ready_o      = given & {Streams{core_in_ready_i}};

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i)          last_q <= '0;
    // The turn passes on only when the core has taken the block.
    else if (any && core_in_ready_i) last_q <= chosen;
  end

  // --- Results out: each to its stream, where there is a place ---

  stream_t owner;

  assign owner = core_out_tag_i[CoreTag-1 -: StreamWidth];

  for (genvar i = 0; i < Streams; i++) begin : gen_stream
    // Places that are free: those of the FIFO, less the blocks in the core.
    count_t              room_q;
    logic                mine, held, wait_here, clearing, enters, leaves;
    logic [127:0]        block, held_block;
    logic [TagWidth-1:0] tag, held_tag;

    // The number on top of the tag came back with the result.
    assign mine  = core_out_valid_i & (owner == stream_t'(i));
    assign block = core_out_block_i;
    assign tag   = core_out_tag_i[TagWidth-1:0];

    // A result passes the FIFO by when that is empty. So the stream can answer in the same cycle,
    // and its next block enters the slot that its result has just left.
    assign out_valid_o[i] = held | mine;
    assign out_block_o[i] = held ? held_block : mine ? block : '0;
    assign out_tag_o[i]   = held ? held_tag : mine ? tag : '0;
    assign leaves         = out_valid_o[i] & out_ready_i[i];

    // A place is taken with the block.
    assign enters  = in_valid_i[i] & in_ready_o[i];
    assign room[i] = ~clearing & (room_q != '0);

    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) room_q <= count_t'(Depth);
      else room_q <= room_q - count_t'(enters) + count_t'(leaves);
    end

    // Only a result that is not taken at once, or comes after one that was not, waits.
    // Order: while an older result waits, a new one goes behind it.
    assign wait_here = mine & (held | ~out_ready_i[i]);

    rsm_fifo #(
      .Width (128 + TagWidth),
      .Depth (Depth)
    ) u_results (
      .clk_i,
      .rst_ni,
      .clear_i,
      .clearing_o (clearing),
      .push_i     (wait_here),
      .data_i     ({block, tag}),
      .valid_o    (held),
      .pop_i      (held & out_ready_i[i]),
      .data_o     ({held_block, held_tag})
    );

    assign idle_o[i] = core_idle_i & ~clearing & ~held;
  end

`ifdef RSM_ASSERT
  // The core takes one block at a time, and its results belong to streams.
  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      assert ($onehot0(in_ready_o)) else $error("rsm_interleave: two streams at once");
      assert (!core_out_valid_i || 32'(owner) < Streams)
      else $error("rsm_interleave: a result of no stream");
    end
  end
`endif

endmodule
