// SPDX-License-Identifier: Apache-2.0
//
// What becomes of the columns behind the S-boxes, in both directions: MixColumns and then the key,
// or the key and then InvMixColumns (FIPS 197, 5.1 and 5.3).
//
// With InverseReordered the key has two places, one on each side of the mixing, and decryption
// needs no transformed keys. With InverseEquivalent it is added behind in both directions, and the
// keys of the inner rounds of decryption pass an InvMixColumns of their own (Satoh 2001, section
// 3.1). Without `mix_i` (the last round, and the first addition of a key) both are the same. With
// `load_i`, `run_i` and `key_on_i` low the result is zero.
//
// Latency: 0.
module rsm_aes_folded_mix
  import rsm_aes_pkg::*;
#(
  parameter int unsigned Columns   = 1,
  parameter direction_e  Direction = DirectionForward,
  parameter linear_e     Linear    = LinearMinimal,
  parameter inverse_e    Inverse   = InverseReordered
) (
  input  logic                  inverse_i,
  input  logic                  load_i,
  input  logic                  run_i,
  input  logic                  mix_i,
  input  logic                  key_on_i,
  input  logic [32*Columns-1:0] in_i,
  input  logic [32*Columns-1:0] sub_i,
  input  logic [32*Columns-1:0] key_i,
  output logic [32*Columns-1:0] columns_o
);

  localparam int unsigned Width = 32 * Columns;

  logic [Width-1:0] selected, front, mixed, key_front, key_behind;
  block_t           state_in, state_out;

  assign selected  = (in_i & {Width{load_i}}) | (sub_i & {Width{run_i}});
  assign front     = selected ^ key_front;
  assign columns_o = (mix_i ? mixed : front) ^ key_behind;

  // The circuits of the columns that are not there vanish.
  assign state_in = {front, {(128-Width){1'b0}}};
  assign mixed    = state_out[127 -: Width];

  rsm_aes_mix_columns #(
    .Linear    (Linear),
    .Direction (Direction)
  ) u_mix_columns (
    .inverse_i,
    .state_i (state_in),
    .state_o (state_out)
  );

  if (Inverse == InverseEquivalent && Direction != DirectionForward) begin : gen_equivalent
    block_t           key_in, key_out;
    logic [Width-1:0] key;

    assign key_in     = {key_i, {(128-Width){1'b0}}};
    assign key        = (inverse_i & mix_i) ? key_out[127 -: Width] : key_i;
    assign key_front  = '0;
    assign key_behind = key & {Width{key_on_i}};

    rsm_aes_mix_columns #(
      .Linear    (Linear),
      .Direction (DirectionInverse)
    ) u_mix_key (
      .inverse_i (1'b1),
      .state_i   (key_in),
      .state_o   (key_out)
    );

    logic unused_key;

    assign unused_key = ^key_out[127-Width:0];
  end else if (Inverse == InverseReordered || Inverse == InverseEquivalent) begin : gen_reordered
    assign key_front  = key_i & {Width{key_on_i & inverse_i}};
    assign key_behind = key_i & {Width{key_on_i & ~inverse_i}};
  end else begin : gen_unknown
    $error("rsm_aes_folded_mix: Inverse must be InverseReordered or InverseEquivalent");
  end

  logic unused;

  assign unused = ^state_out[127-Width:0];

endmodule
