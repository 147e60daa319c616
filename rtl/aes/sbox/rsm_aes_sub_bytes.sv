// SPDX-License-Identifier: Apache-2.0
//
// SubBytes of `Bytes` bytes (FIPS 197, 5.1.1), InvSubBytes (5.3.2), or both, with the S-box that
// the parameter names.
//
// One selector serves the state (16 bytes) and the key schedule (4 bytes), so that a memory
// with two ports can serve two bytes. In DirectionBoth `inverse_i` belongs to the bytes that
// enter with it; in the other directions nothing looks at it.
//
// Latency: rsm_aes_pkg::sbox_latency(Sbox, Cuts) cycles.
module rsm_aes_sub_bytes
  import rsm_aes_pkg::*;
#(
  parameter int unsigned         Bytes     = 16,
  parameter sbox_e               Sbox      = SboxTable,
  parameter direction_e          Direction = DirectionForward,
  parameter logic [SboxCuts-1:0] Cuts      = '0
) (
  input  logic               clk_i,
  input  logic               clear_i,
  input  logic               inverse_i,
  input  logic [8*Bytes-1:0] state_i,
  output logic [8*Bytes-1:0] state_o
);

  // These have no circuit of both directions: one of each does, with a multiplexer behind.
  localparam bit SideBySide =
      Direction == DirectionBoth && (Sbox == SboxTable || Sbox == SboxMuxTree);

  if (Sbox == SboxBlockRam) begin : gen_block_ram
    for (genvar i = 0; i < Bytes / 2; i++) begin : gen_pair
      if (Direction == DirectionForward) begin : gen_forward
        rsm_aes_sbox_block_ram u_sbox (
          .clk_i,
          .clear_i,
          .a_x_i (state_i[16*i +: 8]),
          .a_y_o (state_o[16*i +: 8]),
          .b_x_i (state_i[16*i+8 +: 8]),
          .b_y_o (state_o[16*i+8 +: 8])
        );
      end else if (Direction == DirectionInverse) begin : gen_inverse
        rsm_aes_sbox_block_ram_inverse u_sbox (
          .clk_i,
          .clear_i,
          .a_x_i (state_i[16*i +: 8]),
          .a_y_o (state_o[16*i +: 8]),
          .b_x_i (state_i[16*i+8 +: 8]),
          .b_y_o (state_o[16*i+8 +: 8])
        );
      end else begin : gen_both
        rsm_aes_sbox_block_ram_both u_sbox (
          .clk_i,
          .clear_i,
          .a_inverse_i (inverse_i),
          .a_x_i       (state_i[16*i +: 8]),
          .a_y_o       (state_o[16*i +: 8]),
          .b_inverse_i (inverse_i),
          .b_x_i       (state_i[16*i+8 +: 8]),
          .b_y_o       (state_o[16*i+8 +: 8])
        );
      end
    end

    if (Bytes % 2 != 0) begin : gen_odd
      $error("rsm_aes_sub_bytes: a block RAM serves two bytes, so Bytes must be even");
    end

    if (Cuts != '0) begin : gen_no_such_cut
      $error("rsm_aes_sub_bytes: a block RAM has no internal cuts");
    end
  end else if (SideBySide) begin : gen_side_by_side
    logic inverse_q;

    rsm_delay #(
      .Width (1),
      .Depth (sbox_latency(Sbox, Cuts))
    ) u_delay_inverse (
      .clk_i,
      .clear_i (1'b0),
      .d_i     (inverse_i),
      .q_o     (inverse_q)
    );

    for (genvar i = 0; i < Bytes; i++) begin : gen_byte
      byte_t forward;
      byte_t inverse;

      rsm_aes_sbox #(
        .Sbox      (Sbox),
        .Direction (DirectionForward),
        .Cuts      (Cuts)
      ) u_sbox (
        .clk_i,
        .clear_i,
        .inverse_i (1'b0),
        .x_i       (state_i[8*i +: 8]),
        .y_o       (forward)
      );

      rsm_aes_sbox #(
        .Sbox      (Sbox),
        .Direction (DirectionInverse),
        .Cuts      (Cuts)
      ) u_sbox_inverse (
        .clk_i,
        .clear_i,
        .inverse_i (1'b1),
        .x_i       (state_i[8*i +: 8]),
        .y_o       (inverse)
      );

      assign state_o[8*i +: 8] = inverse_q ? inverse : forward;
    end
  end else begin : gen_bytes
    for (genvar i = 0; i < Bytes; i++) begin : gen_byte
      rsm_aes_sbox #(
        .Sbox      (Sbox),
        .Direction (Direction),
        .Cuts      (Cuts)
      ) u_sbox (
        .clk_i,
        .clear_i,
        .inverse_i,
        .x_i (state_i[8*i +: 8]),
        .y_o (state_o[8*i +: 8])
      );
    end
  end

  if (Sbox == SboxBlockRam && Direction != DirectionBoth) begin : gen_one_direction
    logic unused_inverse;

    assign unused_inverse = inverse_i;
  end

endmodule
