// SPDX-License-Identifier: Apache-2.0
//
// One encryption round of a straight line, with its step of the key schedule, made for block RAMs:
// they give the double d and the triple t of every S-box (rsm_aes_sbox_multiples_ram). With p, the
// sum of the four bytes of a column after ShiftRows and SubBytes, each of them d ^ t, a new byte is
//
//   b(i) = p ^ t(i) ^ d(i+1) ^ key
//
// one LUT4 behind p, which takes three: 56 LUT4 a column, where rsm_aes_linear_mix_add takes 76.
// Last has no MixColumns and an S-box that is single; as nothing follows its round key, three of
// four words of that have room in the LUTs that add it.
//
// Latency: 1 cycle, the register of the memories; with Cut 2, a register behind the round.
module rsm_aes_round_multiples
  import rsm_aes_pkg::*;
#(
  parameter round_t Step = 4'd1,
  parameter bit     Last = 1'b0,
  parameter bit     Cut  = 1'b0
) (
  input  logic   clk_i,
  input  logic   clear_i,
  input  block_t state_i,
  input  block_t key_i,
  output block_t state_o,
  output block_t key_o
);

  block_t shifted;
  block_t state, round_key;
  block_t key_q;
  word_t  word_0, word_1, word_2, word_3;
  word_t  subword;

  // --- The key schedule: FIPS 197, 5.2 -----------------------------------------------------------

  rsm_aes_sub_bytes #(
    .Bytes (4),
    .Sbox  (SboxBlockRam)
  ) u_sub_word (
    .clk_i,
    .clear_i,
    .inverse_i (1'b0),
    .state_i   ({key_i[23:0], key_i[31:24]}),
    .state_o   (subword)
  );

  rsm_cut #(
    .Width  (128),
    .Enable (1'b1)
  ) u_cut_key (
    .clk_i,
    .clear_i,
    .d_i (key_i),
    .q_o (key_q)
  );

  assign word_0    = key_q[127:96] ^ subword ^ {round_constant(Step), 24'h0};
  assign word_1    = key_q[95:64] ^ word_0;
  assign word_2    = key_q[63:32] ^ word_1;
  assign word_3    = key_q[31:0] ^ word_2;
  assign round_key = {word_0, word_1, word_2, word_3};

  // --- The round ---------------------------------------------------------------------------------

  // ShiftRows comes first, so that the two bytes of a memory meet in one column behind it.
  assign shifted = shift_rows(state_i);

  if (Last) begin : gen_last
    block_t single;

    rsm_aes_sub_bytes #(
      .Bytes (16),
      .Sbox  (SboxBlockRam)
    ) u_sub_bytes (
      .clk_i,
      .clear_i,
      .inverse_i (1'b0),
      .state_i   (shifted),
      .state_o   (single)
    );

    assign state = single ^ round_key;
  end else begin : gen_mix
    block_t double, triple;

    for (genvar i = 0; i < 8; i++) begin : gen_pair
      rsm_aes_sbox_multiples_ram u_sbox (
        .clk_i,
        .clear_i,
        .a_x_i      (shifted[16*i +: 8]),
        .a_double_o (double[16*i +: 8]),
        .a_triple_o (triple[16*i +: 8]),
        .b_x_i      (shifted[16*i+8 +: 8]),
        .b_double_o (double[16*i+8 +: 8]),
        .b_triple_o (triple[16*i+8 +: 8])
      );
    end

    for (genvar c = 0; c < 4; c++) begin : gen_column
      word_t d, t;
      byte_t parity;

      assign d      = double[127 - 32*c -: 32];
      assign t      = triple[127 - 32*c -: 32];
      assign parity = (d[31:24] ^ t[31:24] ^ d[23:16] ^ t[23:16])
                    ^ (d[15:8] ^ t[15:8] ^ d[7:0] ^ t[7:0]);

      assign state[127 - 32*c -: 32] =
          {4{parity}} ^ t ^ {d[23:0], d[31:24]} ^ round_key[127 - 32*c -: 32];
    end
  end

  rsm_cut #(
    .Width  (128 + 128),
    .Enable (Cut)
  ) u_cut_round (
    .clk_i,
    .clear_i,
    .d_i ({state, round_key}),
    .q_o ({state_o, key_o})
  );

endmodule
