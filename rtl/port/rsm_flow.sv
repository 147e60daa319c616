// SPDX-License-Identifier: Apache-2.0
//
// Back pressure around a rigid core, without losing a result.
//
// A rigid core cannot wait, so a block enters only when a place for its result is reserved:
// `Depth` credits, one taken by every accepted block and given back when its result is taken.
// The core is never slowed down when Depth is the number of blocks that it accepts until the
// first of these credits is back, two cycles after its latency.
//
//    in  --> AND credits --> core (rigid) --> rsm_fifo --> out
//              ^                                           |
//              +---------------- a credit back ------------+
//
// Only the handshake of a block passes through here. What comes with it (data, direction, key
// slot, tag) goes to the core directly, and so does the key channel of a core that has one; a
// core that takes its key with the block has rsm_key_hold between this and itself.
//
// Latency: 1 cycle more than the core.
module rsm_flow #(
  parameter int unsigned BlockWidth = 128,
  parameter int unsigned TagWidth   = 1,
  parameter int unsigned Depth      = 2
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  clear_i,
  output logic                  idle_o,
  // The full port.
  input  logic                  in_valid_i,
  output logic                  in_ready_o,
  output logic                  out_valid_o,
  input  logic                  out_ready_i,
  output logic [BlockWidth-1:0] out_block_o,
  output logic [TagWidth-1:0]   out_tag_o,
  // The native port of the core, seen from here.
  input  logic                  core_idle_i,
  output logic                  core_in_valid_o,
  input  logic                  core_in_ready_i,
  input  logic                  core_out_valid_i,
  input  logic [BlockWidth-1:0] core_out_block_i,
  input  logic [TagWidth-1:0]   core_out_tag_i
);

  localparam int unsigned CreditWidth = $clog2(Depth + 1);

  typedef logic [CreditWidth-1:0] credit_t;

  // Free places: those of the FIFO less the blocks in the core.
  credit_t credits_q;
  logic    accept;
  logic    open;
  logic    release_credit;
  logic    clearing;

  // Blocks in: the core must be ready and a place for the result must be free.
  assign open            = ~clearing & (credits_q != '0);
  assign in_ready_o      = open & core_in_ready_i;
  assign accept          = in_valid_i & in_ready_o;
  // Valid to the core must not depend on its ready: AND with `open` only.
  assign core_in_valid_o = open & in_valid_i;

  always_ff @(posedge clk_i) begin
    // A clear drops all blocks inside, so all credits are back at once.
    if (!rst_ni || clear_i) credits_q <= credit_t'(Depth);
    else                    credits_q <= credits_q - credit_t'(accept)
                                         + credit_t'(release_credit);
  end

  // A credit comes back when the result is taken, not when it is there: until then it needs its
  // place.
  // Results out.
  assign release_credit = out_valid_o & out_ready_i;

  rsm_fifo #(
    .Width (BlockWidth + TagWidth),
    .Depth (Depth)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .clear_i,
    .clearing_o (clearing),
    .push_i     (core_out_valid_i),
    .data_i     ({core_out_block_i, core_out_tag_i}),
    .valid_o    (out_valid_o),
    .pop_i      (release_credit),
    .data_o     ({out_block_o, out_tag_o})
  );

  // A result that waits for the consumer is not idle.
  assign idle_o = core_idle_i & ~clearing & ~out_valid_o;

`ifdef RSM_ASSERT
  // A credit comes back at most as often as it was taken.
  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      assert (32'(credits_q) <= Depth) else $error("rsm_flow: more credits than places");
      assert (!core_out_valid_i || credits_q != credit_t'(Depth))
      else $error("rsm_flow: a result without a credit");
    end
  end
`endif

endmodule
