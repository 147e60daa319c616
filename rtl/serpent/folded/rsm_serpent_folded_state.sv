// SPDX-License-Identifier: Apache-2.0
//
// The state of the folded core, with the only S-boxes there are: eight, for 32 bits a cycle of the
// state or of a round key. The bytes of the four words go round, one place a cycle and once in a
// lap of four cycles, so that eight columns of the state stand in front of the S-boxes:
//
//   sub_i     they are substituted by S-box `box_i`, or with `inverse_i` by its inverse
//   add_i     what S-box `box_i` makes of `column_i` is added: eight columns of a round key
//   mix_i     in the last cycle of a lap: all that comes out of it goes through the linear
//             transformation, or with `inverse_i` through its inverse
//   shift_i   instead of all this the words move on: `word_i` comes in, `word_o` leaves
//
// Latency: 4 cycles for each of these.
module rsm_serpent_folded_state
  import rsm_serpent_pkg::*;
#(
  parameter sbox_e      Sbox      = SboxTable,
  parameter direction_e Direction = DirectionForward
) (
  input  logic            clk_i,
  input  logic            shift_i,
  input  logic            sub_i,
  input  logic            add_i,
  input  logic            mix_i,
  input  logic            inverse_i,
  input  box_t            box_i,
  input  logic [3:0][7:0] column_i,
  input  word_t           word_i,
  output word_t           word_o
);

  state_t          state_q, turned, mixed;
  logic [3:0][7:0] column, forward, inverse, made, next;

  assign word_o = state_q[0];

  for (genvar j = 0; j < 4; j++) begin : gen_word
    assign column[j] = state_q[j][7:0];
    assign turned[j] = {next[j], state_q[j][31:8]};
  end

  rsm_serpent_sub #(
    .Sbox  (Sbox),
    .Width (8)
  ) u_sub (
    .box_i,
    .x_i (add_i ? column_i : column),
    .y_o (forward)
  );

  if (Direction == DirectionForward) begin : gen_forward
    logic unused_inverse;

    rsm_serpent_linear u_linear (
      .clk_i           (1'b0),
      .clear_i         (1'b0),
      .first_bypass_i  (1'b0),
      .state_i         (turned),
      .second_bypass_i (1'b0),
      .state_o         (mixed)
    );

    assign inverse        = '0;
    assign made           = forward;
    assign unused_inverse = ^{inverse_i, inverse};
  end else begin : gen_both
    state_t mixed_forward, mixed_inverse;

    rsm_serpent_sub #(
      .Sbox    (Sbox),
      .Inverse (1'b1),
      .Width   (8)
    ) u_sub_inverse (
      .box_i,
      .x_i (column),
      .y_o (inverse)
    );

    rsm_serpent_linear u_linear (
      .clk_i           (1'b0),
      .clear_i         (1'b0),
      .first_bypass_i  (1'b0),
      .state_i         (turned),
      .second_bypass_i (1'b0),
      .state_o         (mixed_forward)
    );

    rsm_serpent_linear #(
      .Inverse (1'b1)
    ) u_linear_inverse (
      .clk_i           (1'b0),
      .clear_i         (1'b0),
      .first_bypass_i  (1'b0),
      .state_i         (turned),
      .second_bypass_i (1'b0),
      .state_o         (mixed_inverse)
    );

    assign made  = (inverse_i && !add_i) ? inverse : forward;
    assign mixed = inverse_i ? mixed_inverse : mixed_forward;
  end

  // Either the state is substituted, or something is added to it, or it only goes round.
  assign next = (column & {32{~sub_i}}) ^ (made & {32{sub_i | add_i}});

  always_ff @(posedge clk_i) begin
    if (shift_i)    state_q <= {word_i, state_q[3:1]};
    else if (mix_i) state_q <= mixed;
    else            state_q <= turned;
  end

endmodule
