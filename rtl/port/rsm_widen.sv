// SPDX-License-Identifier: Apache-2.0
//
// 128 bits on the outside, Width bits on the inside: a rigid core with a narrow port behind one
// that takes a block, and gives a result, in one cycle.
//
// The first beat of a block goes to the core in the cycle that accepts the block, the others
// follow from a register. The same register collects the beats of a result, pushing them in where
// those of the next block go out; the last beat goes to the output directly. A key goes the same
// way through its own channel, or beside the block in a register of its own.
//
//    in_block_i --> first beat -------------------------> core_in_block_o
//                   others --> data_q --> top Width bits --^
//    core_out_block_i --> bottom of data_q --> ... --> out_block_o (with the last beat)
//
// What comes with a block or a key and is read with its first beat (direction, length, tag) goes to
// the core directly. The core must not be ready for a block and for a key in the same cycle, nor
// for either while one of them is entering. While the beats of a result come, nothing enters
// between the first and the last one. While `out_valid_o` is low, `out_block_o` shows
// intermediate values.
//
// After `clear_i` the registers run empty within 128/Width cycles; `idle_o` waits for the core,
// whose clear must take as long or longer.
//
// Latency: 128/Width - 1 cycles more than the core, from its first beat to its first beat.
module rsm_widen
  import rsm_port_pkg::*;
#(
  parameter int unsigned Width    = 32,
  parameter channel_e    Channel  = ChannelHeld,
  parameter int unsigned TagWidth = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  output logic                idle_o,
  input  logic                key_valid_i,
  output logic                key_ready_o,
  input  block_t              key_i,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  block_t              in_block_i,
  input  block_t              in_key_i,
  output logic                out_valid_o,
  output block_t              out_block_o,
  output logic [TagWidth-1:0] out_tag_o,
  // The native port of the core, seen from here.
  input  logic                core_idle_i,
  output logic                core_key_valid_o,
  input  logic                core_key_ready_i,
  output logic [Width-1:0]    core_key_o,
  output logic                core_in_valid_o,
  input  logic                core_in_ready_i,
  output logic [Width-1:0]    core_in_block_o,
  output logic [Width-1:0]    core_in_key_o,
  input  logic                core_out_valid_i,
  input  logic [Width-1:0]    core_out_block_i,
  input  logic [TagWidth-1:0] core_out_tag_i
);

  localparam int unsigned Beats      = 128 / Width;
  // All beats but one: this many bits wait in the register.
  localparam int unsigned Rest       = 128 - Width;
  localparam int unsigned CountWidth = $clog2(Beats);

  typedef logic [CountWidth-1:0] count_t;

  if (Width != 1 && Width != 8 && Width != 32 && Width != 64) begin : gen_no_such_width
    $error("rsm_widen: a narrow port has 1, 8, 32 or 64 bits");
  end

  // The beat that goes out next, and the one that comes in next; 0 while there is no frame.
  count_t send_q, collect_q;
  logic   sending, collecting, last, between;
  logic   accept, key_accept, send, collect;

  // Counters instead of states: their zero is the rest, and a power of two wraps by itself.
  assign sending    = (send_q != '0);
  assign collecting = (collect_q != '0);
  assign last       = (collect_q == count_t'(Beats - 1));
  // The register is shared. A block that enters with the last beat of a result takes the places
  // that the result leaves at that edge.
  assign between    = collecting & ~last;

  assign in_ready_o      = core_in_ready_i & ~between;
  assign core_in_valid_o = in_valid_i & ~between;
  assign accept          = in_valid_i & in_ready_o;
  assign key_accept      = key_valid_i & key_ready_o;

  // Blocks and keys never enter at the same time, so they share the counter.
  assign send    = sending | accept | key_accept;
  assign collect = collecting | core_out_valid_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      send_q    <= '0;
      collect_q <= '0;
    end else begin
      send_q    <= send_q + count_t'(send);
      collect_q <= collect_q + count_t'(collect);
    end
  end

  // Never still: what is not sent or collected runs out at the top, and zeros follow.
  block_t           data_q;
  logic [Width-1:0] incoming;

  assign incoming = collect ? core_out_block_i : '0;

  if (Channel == ChannelHeld) begin : gen_held
    assign key_ready_o      = core_key_ready_i & ~between;
    assign core_key_valid_o = key_valid_i & ~between;
    assign core_key_o       = sending ? data_q[127-:Width] : key_i[127-:Width];
    assign core_in_key_o    = '0;

    always_ff @(posedge clk_i) begin
      // A shift register without an enable: it moves in every cycle, so no bit needs a path to hold
      // its value.
      if (accept)          data_q <= {in_block_i[Rest-1:0], incoming};
      else if (key_accept) data_q <= {key_i[Rest-1:0], incoming};
      else                 data_q <= {data_q[Rest-1:0], incoming};
    end

    logic unused_key;

    assign unused_key = ^in_key_i;
  end else begin : gen_with_block
    // With ChannelWithBlock the key runs beside the block, beat by beat, so it needs a register of
    // its own.
    logic [Rest-1:0] key_q;

    assign key_ready_o      = 1'b0;
    assign core_key_valid_o = 1'b0;
    assign core_key_o       = '0;
    assign core_in_key_o    = sending ? key_q[Rest-1-:Width] : in_key_i[127-:Width];

    always_ff @(posedge clk_i) begin
      data_q <= {accept ? in_block_i[Rest-1:0] : data_q[Rest-1:0], incoming};
      key_q  <= accept ? in_key_i[Rest-1:0] : key_q << Width;
    end

    logic unused_key;

    assign unused_key = key_valid_i ^ core_key_ready_i ^ (^key_i);
  end

  // The first beat does not wait for the register: no cycle is lost.
  assign core_in_block_o = sending ? data_q[127-:Width] : in_block_i[127-:Width];

  // The core shows the tag with the first beat.
  logic [TagWidth-1:0] tag_q;

  always_ff @(posedge clk_i) if (core_out_valid_i) tag_q <= core_out_tag_i;

  // The last beat completes the block, so it goes to the output without a register.
  assign out_valid_o = last;
  assign out_block_o = {data_q[Rest-1:0], core_out_block_i};
  assign out_tag_o   = tag_q;

  // The core may call itself idle while the last beats of a result still come.
  assign idle_o = core_idle_i & ~collect;

`ifdef RSM_ASSERT
  // A frame of the core begins after the one before it has ended.
  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      assert (!core_out_valid_i || !collecting) else $error("rsm_widen: frames overlap");
      assert (!accept || !key_accept) else $error("rsm_widen: block and key at once");
    end
  end
`endif

endmodule
