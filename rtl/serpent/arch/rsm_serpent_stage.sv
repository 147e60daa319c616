// SPDX-License-Identifier: Apache-2.0
//
// One hardware round of a ring or a line: the round and its key, which comes with the block as the
// window of the key schedule, or through `key_i`, combinationally, for what `key_control_o` asks.
//
// Extra is one more register of the whole slot at its entry.
//
//             Extra            sub          half           round
//    state ----|---- S-boxes ---|-- half A --|-- half B, key --|--- state
//    window ---|---- key step --|------------|-----------------|--- window
//    control --|----------------|------------|-----------------|--- control
//
// The drawing is of encryption: the linear transformation has a cut in its middle. Each line has
// the same registers, so a block and its key are always in the same cycle of their way.
// Latency: round_latency(Cuts) cycles, and one with Extra.
module rsm_serpent_stage
  import rsm_serpent_pkg::*;
#(
  parameter sbox_e       Sbox      = SboxTable,
  parameter direction_e  Direction = DirectionForward,
  parameter schedule_e   Schedule  = ScheduleOnTheFly,
  parameter int unsigned Stage     = 0,
  parameter int unsigned Rounds    = 1,
  parameter cuts_t       Cuts      = '0,
  parameter bit          Extra     = 1'b0,
  parameter int unsigned TagWidth  = 1
) (
  input  logic                clk_i,
  input  logic                clear_i,
  input  state_t              state_i,
  input  window_t             window_i,
  input  control_t            control_i,
  input  logic [TagWidth-1:0] tag_i,
  output control_t            key_control_o,
  input  state_t              key_i,
  output state_t              state_o,
  output window_t             window_o,
  output control_t            control_o,
  output logic [TagWidth-1:0] tag_o
);

  // Behind the register Extra.
  state_t   state, key;
  window_t  window;
  control_t control;
  round_t   step;

  // Extra helps where the stages of a line lie far apart on the chip.
  rsm_cut #(
    .Width  (128 + 256),
    .Enable (Extra)
  ) u_cut_extra (
    .clk_i,
    .clear_i,
    .d_i ({state_i, window_i}),
    .q_o ({state, window})
  );

  rsm_cut #(
    .Width  ($bits(control_t)),
    .Enable (Extra)
  ) u_cut_extra_control (
    .clk_i,
    .clear_i (1'b0),
    .d_i     (control_i),
    .q_o     (control)
  );

  // Rounds before this one: the laps and the stages.
  assign step = round_t'(32'(control.lap) * Rounds + Stage);

  // The key is added behind the cuts `sub` and `half`: that is where a stored key is asked for.
  rsm_delay #(
    .Width ($bits(control_t)),
    .Depth ($countones({Cuts.sub, Cuts.half}))
  ) u_delay_control (
    .clk_i,
    .clear_i (1'b0),
    .d_i     (control),
    .q_o     (key_control_o)
  );

  // Control has the registers of the data, but no clear: it depends on no key and no block.
  rsm_cut #(
    .Width  ($bits(control_t)),
    .Enable (Cuts.round)
  ) u_cut_round_control (
    .clk_i,
    .clear_i (1'b0),
    .d_i     (key_control_o),
    .q_o     (control_o)
  );

  // The tag is not looked at on its way.
  rsm_delay #(
    .Width (TagWidth),
    .Depth (round_latency(Cuts) + (Extra ? 32'd1 : 32'd0))
  ) u_delay_tag (
    .clk_i,
    .clear_i (1'b0),
    .d_i     (tag_i),
    .q_o     (tag_o)
  );

  if (Schedule == ScheduleOnTheFly) begin : gen_on_the_fly
    // A core that decrypts has walks, which take the schedule forwards.
    localparam direction_e KeyDirection =
        (Direction == DirectionForward) ? DirectionForward : DirectionBoth;

    logic unused_key;

    rsm_serpent_key_travel #(
      .Sbox      (Sbox),
      .Direction (KeyDirection),
      .Stage     (Stage),
      .Rounds    (Rounds),
      .Cuts      (Cuts)
    ) u_key_travel (
      .clk_i,
      .clear_i,
      .step_i    (step),
      .inverse_i (control.inverse),
      .window_i  (window),
      .key_o     (key),
      .window_o
    );

    // The key comes with the block here.
    assign unused_key = ^key_i;
  end else begin : gen_stored
    logic unused_window;

    // The store has the keys of all rounds; what travels as a window is not used.
    assign key           = key_i;
    assign window_o      = '0;
    assign unused_window = ^window;
  end

  rsm_serpent_round #(
    .Sbox      (Sbox),
    .Direction (Direction),
    .Stage     (Stage),
    .Rounds    (Rounds),
    .Cuts      (Cuts)
  ) u_round (
    .clk_i,
    .clear_i,
    .step_i    (step),
    .inverse_i (control.inverse),
    .state_i   (state),
    .key_i     (key),
    .state_o
  );

endmodule
