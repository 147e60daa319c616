// SPDX-License-Identifier: Apache-2.0
//
// The AES core: picks the architecture and gives it the native port.
//
// AES-128, encryption, key with the block, 128 bits wide, rigid (the consumer must take a
// result in the cycle in which it comes). rsm_flow makes the full port of it.
//
// A block is accepted at an edge where `in_valid_i` and `in_ready_o` are high, together with
// its key and tag. Results leave in the order in which blocks were accepted. `rst_ni` resets
// control bits only, synchronously. One cycle of `clear_i` drops the blocks in flight and
// overwrites every bit that depends on a key or a block; `idle_o` rises when that is done.
// Byte order: rsm_aes_pkg.
//
// Latency: that of the architecture.
module rsm_aes
  import rsm_aes_pkg::*;
#(
  parameter arch_e       Arch     = ArchLoop,
  parameter sbox_e       Sbox     = SboxTable,
  parameter linear_e     Linear   = LinearDirect,
  parameter key_add_e    KeyAdd   = KeyAddLast,
  parameter clear_e      Clear    = ClearFlush,
  parameter cuts_t       Cuts     = '{sbox: '0, sub: 1'b1, mix: 1'b0, round: 1'b0},
  parameter edges_t      Edges    = '{out: 1'b0},
  parameter int unsigned TagWidth = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  output logic                idle_o,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic [127:0]        in_block_i,
  input  logic [127:0]        in_key_i,
  input  logic [TagWidth-1:0] in_tag_i,
  output logic                out_valid_o,
  output logic [127:0]        out_block_o,
  output logic [TagWidth-1:0] out_tag_o
);

  if (Arch == ArchLoop) begin : gen_loop
    rsm_aes_loop #(
      .Sbox     (Sbox),
      .Linear   (Linear),
      .KeyAdd   (KeyAdd),
      .Clear    (Clear),
      .Cuts     (Cuts),
      .Edges    (Edges),
      .TagWidth (TagWidth)
    ) u_loop (
      .clk_i,
      .rst_ni,
      .clear_i,
      .idle_o,
      .in_valid_i,
      .in_ready_o,
      .in_block_i,
      .in_key_i,
      .in_tag_i,
      .out_valid_o,
      .out_block_o,
      .out_tag_o
    );
  end else begin : gen_unknown
    $error("rsm_aes: Arch names no architecture");
  end

endmodule
