// SPDX-License-Identifier: Apache-2.0
//
// The linear half of a round, from S-box output to the next state: ShiftRows, MixColumns (not in
// the last round) and AddRoundKey, or their inverses, in the order that the parameter names.
// With s for the state and k for the round key,
//
//   OrderEncrypt      MixColumns(ShiftRows(s)) ^ k                 (FIPS 197, 5.1)
//   OrderDecrypt      InvMixColumns(InvShiftRows(s) ^ k)           (5.3)
//   OrderEquivalent   InvMixColumns(InvShiftRows(s)) ^ k           (5.3.5; k transformed)
//   OrderBoth            decrypts while `inverse_i` is high, else encrypts
//   OrderBothEquivalent  the same with OrderEquivalent
//
// and without MixColumns or its inverse while `last_i` is high. It owns the key addition, so that
// a variant may merge it with MixColumns.
//
// `inverse_i` and `last_i` come with `state_i`. So does `early_key_i`, the round key where it is
// added before InvMixColumns (OrderDecrypt and OrderBoth; nothing else looks at it). `key_i` is
// the round key where it is added at the end (all but OrderDecrypt): with Cut set it comes one
// cycle later.
//
// Latency: 1 cycle when Cut is set (between MixColumns and the last key addition), else 0.
module rsm_aes_linear
  import rsm_aes_pkg::*;
#(
  parameter linear_e Linear = LinearDirect,
  parameter order_e  Order  = OrderEncrypt,
  parameter bit      Cut    = 1'b0
) (
  input  logic   clk_i,
  input  logic   clear_i,
  input  logic   inverse_i,
  input  logic   last_i,
  input  block_t state_i,
  input  block_t early_key_i,
  input  block_t key_i,
  output block_t state_o
);

  localparam bit HasBoth = Order == OrderBoth || Order == OrderBothEquivalent;
  localparam bit HasEarly = Order == OrderDecrypt || Order == OrderBoth;

  localparam direction_e Direction =
      HasBoth ? DirectionBoth : (Order == OrderEncrypt) ? DirectionForward : DirectionInverse;

  logic   inverse, inverse_q;
  block_t shifted;
  block_t mix_in;
  block_t late_key;

  // A constant in the orders that go one way.
  assign inverse = HasBoth ? inverse_i : (Direction == DirectionInverse);

  rsm_cut #(
    .Width  (1),
    .Enable (Cut && HasBoth)
  ) u_cut_inverse (
    .clk_i,
    .clear_i (1'b0),
    .d_i     (inverse),
    .q_o     (inverse_q)
  );

  assign shifted  = inverse ? inv_shift_rows(state_i) : shift_rows(state_i);
  assign mix_in   = (HasEarly && inverse) ? shifted ^ early_key_i : shifted;
  assign late_key = (HasEarly && inverse_q) ? '0 : key_i;

  if (Linear == LinearGated) begin : gen_gated
    rsm_aes_linear_gated #(
      .Direction (Direction),
      .Cut       (Cut)
    ) u_linear (
      .clk_i,
      .clear_i,
      .inverse_i (inverse),
      .last_i,
      .state_i   (mix_in),
      .key_i     (late_key),
      .state_o
    );
  end else if (Linear == LinearMixAdd) begin : gen_mix_add
    rsm_aes_linear_mix_add #(
      .Direction (Direction),
      .Cut       (Cut)
    ) u_linear (
      .clk_i,
      .clear_i,
      .inverse_i (inverse),
      .last_i,
      .state_i   (mix_in),
      .key_i     (late_key),
      .state_o
    );
  end else begin : gen_columns
    rsm_aes_linear_columns #(
      .Linear    (Linear),
      .Direction (Direction),
      .Cut       (Cut)
    ) u_linear (
      .clk_i,
      .clear_i,
      .inverse_i (inverse),
      .last_i,
      .state_i   (mix_in),
      .key_i     (late_key),
      .state_o
    );
  end

  if (!HasBoth) begin : gen_one_direction
    logic unused_inverse;

    assign unused_inverse = inverse_i;
  end

  if (!HasEarly) begin : gen_no_early_key
    logic unused_early_key;

    assign unused_early_key = ^early_key_i;
  end

endmodule
