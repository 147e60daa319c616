// SPDX-License-Identifier: Apache-2.0
//
// The unrolled architecture on block RAMs: a straight line of the ten rounds of AES-128 encryption
// that takes a block with its key in every cycle (Standaert 2003, 4.4, Fig. 6(b) and Table 5,
// "RAM-based"). The memories hold the multiples of MixColumns beside each other, as
// rsm_aes_round_multiples tells. With the cut `round` the registers are those that the paper
// counts, 384 a round: the key while the memories read, and block and key behind the round.
//
//             key --> step --> step --> ... (beside the block, one step a round)
//                      |        |
//    block --> ^ --> round 1 --> round 2 --> ... --> round 10 --> out
//
// A block RAM has its register at the address, so a round has a register even without the cut.
// Latency: 10 cycles, 20 with the cut, and one for each edge.
//
// While `out_valid_o` is low, `out_block_o` shows intermediate values.
module rsm_aes_pipe_in_memory
  import rsm_aes_pkg::*;
#(
  parameter cuts_t       Cuts     = '0,
  parameter edges_t      Edges    = '0,
  parameter int unsigned TagWidth = 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  output logic                idle_o,
  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  block_t              in_block_i,
  input  block_t              in_key_i,
  input  logic [TagWidth-1:0] in_tag_i,
  output logic                out_valid_o,
  output block_t              out_block_o,
  output logic [TagWidth-1:0] out_tag_o
);

  localparam int unsigned Rounds = 10;
  // A block in each register of the line and of the edges.
  localparam int unsigned Slots  = Rounds * (Cuts.round ? 32'd2 : 32'd1)
                                 + (Edges.in ? 32'd1 : 32'd0) + (Edges.out ? 32'd1 : 32'd0);

  // Everything has a reset of one cycle after `clear_i`; it comes from a register, for it reaches
  // all others. What is accepted with `clear_i` is overwritten with the rest.
  logic             clearing_q;
  logic [Slots-1:0] valid_q;

  // Nothing can hold up a block: the line takes one in every cycle but the one of a clear.
  assign in_ready_o  = ~clearing_q;
  assign idle_o      = ~clearing_q & (valid_q == '0);
  assign out_valid_o = valid_q[Slots-1];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      clearing_q <= 1'b0;
      valid_q    <= '0;
    end else if (clear_i) begin
      clearing_q <= 1'b1;
      valid_q    <= '0;
    end else begin
      clearing_q <= 1'b0;
      // The valid bits are a shift register beside the line. They are all the control there is.
      valid_q    <= {valid_q[Slots-2:0], in_valid_i & in_ready_o};
    end
  end

  rsm_delay #(
    .Width (TagWidth),
    .Depth (Slots)
  ) u_delay_tag (
    .clk_i,
    .clear_i (1'b0),
    .d_i     (in_tag_i),
    .q_o     (out_tag_o)
  );

  block_t                block, key;
  block_t [Rounds:0]     state, round_key;

  rsm_cut #(
    .Width  (128 + 128),
    .Enable (Edges.in)
  ) u_cut_in (
    .clk_i,
    .clear_i (clearing_q),
    .d_i     ({in_block_i, in_key_i}),
    .q_o     ({block, key})
  );

  // The first AddRoundKey of FIPS 197, 5.1; the key itself is round key 0.
  assign state[0]     = block ^ key;
  assign round_key[0] = key;

  for (genvar s = 0; s < Rounds; s++) begin : gen_stage
    rsm_aes_round_multiples #(
      .Step (round_t'(s + 1)),
      .Last (s == Rounds - 1),
      .Cut  (Cuts.round)
    ) u_round (
      .clk_i,
      .clear_i (clearing_q),
      .state_i (state[s]),
      .key_i   (round_key[s]),
      .state_o (state[s+1]),
      .key_o   (round_key[s+1])
    );
  end

  rsm_cut #(
    .Width  (128),
    .Enable (Edges.out)
  ) u_cut_out (
    .clk_i,
    .clear_i (clearing_q),
    .d_i     (state[Rounds]),
    .q_o     (out_block_o)
  );

  // The key of the last round has been used.
  logic unused_key;

  assign unused_key = ^round_key[Rounds];

  if (Edges.ring) begin : gen_no_ring
    $error("rsm_aes_pipe_in_memory: a line has no edge `ring`");
  end

endmodule
