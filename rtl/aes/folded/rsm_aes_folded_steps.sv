// SPDX-License-Identifier: Apache-2.0
//
// What the key schedule of a folded core does on its way to a round key: where a word passes the
// S-boxes, whether RotWord comes first, and the round constant (FIPS 197, 5.2).
//
// `round_i` numbers the round key that is computed, from the ones before it, or with `inverse_i`
// from the ones behind it. Its first word takes a substituted word where `first_o` is high, its
// third word where `third_o` is: words whose number, that of the later one of the two, Nk divides
// (with 256-bit keys, four). `length_i` tells one of several lengths in `Lengths`.
//
// Latency: 0.
module rsm_aes_folded_steps
  import rsm_aes_pkg::*;
#(
  parameter lengths_t Lengths = 3'b100
) (
  input  length_t    length_i,
  input  logic [3:0] round_i,
  input  logic       inverse_i,
  output logic       first_o,
  output logic       third_o,
  output logic       rotate_o,
  output byte_t      constant_o
);

  logic [2:0]       first, third, rotate;
  byte_t [2:0]      constant;

  if (Lengths[0]) begin : gen_128
    logic [3:0] step;

    assign first[0]  = 1'b1;
    assign third[0]  = 1'b0;
    assign rotate[0] = 1'b1;
    assign step      = inverse_i ? round_i : round_i - 4'd1;

    always_comb begin
      case (step)
        4'd8:    constant[0] = 8'h1b;
        4'd9:    constant[0] = 8'h36;
        default: constant[0] = 8'h01 << step[2:0];
      endcase
    end
  end else begin : gen_no_128
    assign {first[0], third[0], rotate[0], constant[0]} = '0;
  end

  if (Lengths[1]) begin : gen_192
    logic [2:0] step;

    // Words 12, 24, 36, 48 come first, words 6, 18, 30, 42 third; backwards six less.
    always_comb begin
      first[1] = 1'b0;
      third[1] = 1'b0;
      step     = '0;
      case (round_i)
        4'd0:    {first[1], step} = {1'b1, 3'd7};
        4'd1:    {third[1], step} = {1'b1, 3'd0};
        4'd3:    {first[1], step} = {1'b1, 3'd1};
        4'd4:    {third[1], step} = {1'b1, 3'd2};
        4'd6:    {first[1], step} = {1'b1, 3'd3};
        4'd7:    {third[1], step} = {1'b1, 3'd4};
        4'd9:    {first[1], step} = {1'b1, 3'd5};
        4'd10:   {third[1], step} = {1'b1, 3'd6};
        4'd12:   {first[1], step} = {1'b1, 3'd7};
        default: ;
      endcase
    end

    assign rotate[1]   = 1'b1;
    assign constant[1] = 8'h01 << (step + {2'b00, inverse_i});
  end else begin : gen_no_192
    assign {first[1], third[1], rotate[1], constant[1]} = '0;
  end

  if (Lengths[2]) begin : gen_256
    logic [2:0] step;

    assign first[2]    = 1'b1;
    assign third[2]    = 1'b0;
    assign rotate[2]   = ~round_i[0];
    assign step        = inverse_i ? round_i[3:1] : round_i[3:1] - 3'd1;
    assign constant[2] = (8'h01 << step) & {8{rotate[2]}};
  end else begin : gen_no_256
    assign {first[2], third[2], rotate[2], constant[2]} = '0;
  end

  length_t length;

  assign length = (Lengths == 3'b001) ? 2'd0
                : (Lengths == 3'b010) ? 2'd1
                : (Lengths == 3'b100) ? 2'd2
                : length_i;

  always_comb begin
    case (length)
      2'd0:    {first_o, third_o, rotate_o, constant_o} =
                   {first[0], third[0], rotate[0], constant[0]};
      2'd1:    {first_o, third_o, rotate_o, constant_o} =
                   {first[1], third[1], rotate[1], constant[1]};
      default: {first_o, third_o, rotate_o, constant_o} =
                   {first[2], third[2], rotate[2], constant[2]};
    endcase
  end

endmodule
