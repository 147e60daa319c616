// SPDX-License-Identifier: Apache-2.0
//
// Keys of more than 128 bits on the outside, Width bits on the inside: rsm_widen takes the blocks
// of such a core, and this one its keys.
//
// The first beat of a key goes to the core in the cycle that accepts it, or its block, the others
// follow from a register. While a key enters, the core must not be ready for another one.
//
//    key_i --> first beat ---------------------> core_key_o
//              others --> rest_q --> top beat ----^
//
// After `clear_i` the register runs empty within KeyWidth/Width cycles; the clear of the core must
// take as long or longer.
//
// Latency: 0, to the first beat.
module rsm_widen_key
  import rsm_port_pkg::*;
#(
  parameter int unsigned Width    = 32,
  parameter int unsigned KeyWidth = 256,
  parameter channel_e    Channel  = ChannelHeld
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  input  logic                key_valid_i,
  output logic                key_ready_o,
  input  logic [KeyWidth-1:0] key_i,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic [KeyWidth-1:0] in_key_i,
  // The core, seen from here; blocks pass by.
  output logic                core_key_valid_o,
  input  logic                core_key_ready_i,
  output logic [Width-1:0]    core_key_o,
  output logic                core_in_valid_o,
  input  logic                core_in_ready_i,
  output logic [Width-1:0]    core_in_key_o
);

  localparam bit          Held       = Channel == ChannelHeld;
  localparam int unsigned Beats      = KeyWidth / Width;
  localparam int unsigned Rest       = KeyWidth - Width;
  localparam int unsigned CountWidth = $clog2(Beats);

  typedef logic [CountWidth-1:0] count_t;

  // A frame has whole beats.
  if (Beats * Width != KeyWidth || Beats < 2) begin : gen_no_such_width
    $error("rsm_widen_key: a key has two beats or more");
  end

  // The beat that goes out next; 0 while there is no key.
  count_t              send_q;
  logic                accept, sending;
  logic [KeyWidth-1:0] key;
  logic [Rest-1:0]     rest_q;
  logic [Width-1:0]    beat;

  assign sending = (send_q != '0);
  assign key     = Held ? key_i : in_key_i;
  // A key comes through its own channel, or with the block.
  assign accept  = Held ? key_valid_i & core_key_ready_i : in_valid_i & core_in_ready_i;
  assign beat    = sending ? rest_q[Rest-1 -: Width] : key[KeyWidth-1 -: Width];

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) send_q <= '0;
    // The number of beats need not be a power of two: 192 bits have 6 beats of 32.
    else if (send_q == count_t'(Beats - 1)) send_q <= '0;
    else send_q <= send_q + count_t'({31'b0, sending | accept});
  end

  // Never still: zeros follow.
  always_ff @(posedge clk_i) rest_q <= (accept & ~sending) ? key[Rest-1:0] : rest_q << Width;

  assign key_ready_o      = Held & core_key_ready_i;
  assign core_key_valid_o = Held & key_valid_i;
  assign core_key_o       = beat;
  assign in_ready_o       = core_in_ready_i;
  // The handshake of the blocks passes by, for rsm_widen to use.
  assign core_in_valid_o  = in_valid_i;
  assign core_in_key_o    = beat;

  logic unused;

  assign unused = ^{key_i, in_key_i, key_valid_i, core_key_ready_i};

endmodule
