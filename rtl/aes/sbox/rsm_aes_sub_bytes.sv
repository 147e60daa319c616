// SPDX-License-Identifier: Apache-2.0
//
// SubBytes of `Bytes` bytes (FIPS 197, 5.1.1) with the S-box that the parameter names.
//
// One selector serves the state (16 bytes) and the key schedule (4 bytes), so that a memory
// with two ports can serve two bytes.
//
// Latency: rsm_aes_pkg::sbox_latency(Sbox, Cuts) cycles.
module rsm_aes_sub_bytes
  import rsm_aes_pkg::*;
#(
  parameter int unsigned         Bytes = 16,
  parameter sbox_e               Sbox  = SboxTable,
  parameter logic [SboxCuts-1:0] Cuts  = '0
) (
  input  logic               clk_i,
  input  logic               clear_i,
  input  logic [8*Bytes-1:0] state_i,
  output logic [8*Bytes-1:0] state_o
);

  if (Sbox == SboxTable) begin : gen_table
    for (genvar i = 0; i < Bytes; i++) begin : gen_byte
      rsm_aes_sbox_table u_sbox (
        .x_i (state_i[8*i +: 8]),
        .y_o (state_o[8*i +: 8])
      );
    end
  end else if (Sbox == SboxGf16) begin : gen_gf16
    for (genvar i = 0; i < Bytes; i++) begin : gen_byte
      rsm_aes_sbox_gf16 #(
        .Cuts (Cuts[3:0])
      ) u_sbox (
        .clk_i,
        .clear_i,
        .x_i (state_i[8*i +: 8]),
        .y_o (state_o[8*i +: 8])
      );
    end
  end else if (Sbox == SboxGf4) begin : gen_gf4
    for (genvar i = 0; i < Bytes; i++) begin : gen_byte
      rsm_aes_sbox_gf4 #(
        .Cuts (Cuts[3:0])
      ) u_sbox (
        .clk_i,
        .clear_i,
        .x_i (state_i[8*i +: 8]),
        .y_o (state_o[8*i +: 8])
      );
    end
  end else if (Sbox == SboxBlockRam) begin : gen_block_ram
    for (genvar i = 0; i < Bytes / 2; i++) begin : gen_pair
      rsm_aes_sbox_block_ram u_sbox (
        .clk_i,
        .clear_i,
        .a_x_i (state_i[16*i +: 8]),
        .a_y_o (state_o[16*i +: 8]),
        .b_x_i (state_i[16*i+8 +: 8]),
        .b_y_o (state_o[16*i+8 +: 8])
      );
    end
  end else begin : gen_unknown
    $error("rsm_aes_sub_bytes: Sbox names no S-box");
  end

  if (Sbox == SboxBlockRam && Bytes % 2 != 0) begin : gen_odd
    $error("rsm_aes_sub_bytes: a block RAM serves two bytes, so Bytes must be even");
  end

  // The cuts that a construction offers are the lowest bits of the mask.
  localparam int unsigned Offered = (Sbox == SboxGf16 || Sbox == SboxGf4) ? 32'd4 : 32'd0;

  if (Cuts >> Offered != '0) begin : gen_no_such_cut
    $error("rsm_aes_sub_bytes: this S-box has fewer internal cuts than Cuts names");
  end

  if (Sbox == SboxTable) begin : gen_no_clock
    logic unused_control;

    assign unused_control = clk_i ^ clear_i;
  end

endmodule
