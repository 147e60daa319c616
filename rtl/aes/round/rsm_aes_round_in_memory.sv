// SPDX-License-Identifier: Apache-2.0
//
// One encryption round in a ring, made for block RAMs that are slow from clock to output: two
// four-input LUTs stand between the memories and their own address registers. It holds the
// entry of the ring as well, because the entry shares those LUTs.
//
// The memories give the S-box and its double (rsm_aes_sbox_mix_ram). With s(i) and d(i) for the
// bytes of a column after ShiftRows and p = s(0) ^ s(1) ^ s(2) ^ s(3), the next state is
//
//   x(i) = p ^ s(i) ^ [d(i) ^ d(i+1)] ^ n(i)
//
// where n is the round key. Where a new block enters, the block takes the place of the bracket
// and its key that of n; the memory has put zeros in the place of every s, because the slot
// was in its last round or empty. The ciphertext is d ^ n: in the last round the memory gives
// the S-box itself there.
//
// In:  `enter_i` with a block and its key; `round_i`, the round that the slot at the entry is
//      about to do; `last_i`, whether that is its last one or the slot is empty.
// Out: the round just done, and in round 10 the ciphertext.
//
// With the cut `sub` behind the memories, their slow outputs have a stage to themselves.
//
// Latency: 1 cycle, 2 with the cut.
module rsm_aes_round_in_memory
  import rsm_aes_pkg::*;
#(
  parameter bit Cut = 1'b0
) (
  input  logic   clk_i,
  input  logic   clear_i,
  input  logic   enter_i,
  input  block_t block_i,
  input  block_t key_i,
  input  round_t round_i,
  input  logic   last_i,
  output round_t round_o,
  output block_t result_o
);

  block_t head_state;
  block_t head_key;
  block_t key_read, key_q;
  round_t round_read;
  block_t single, single_q;
  block_t double, double_q;
  block_t head_shifted;
  word_t  subword, subword_q;
  word_t  prefix [4];
  block_t prefixes;
  block_t round_key;

  // An empty slot counts past round 10. Its round constant must be a known value all the same:
  // an unknown address would make a simulator forget that the memories give zeros to the slot.
  function automatic byte_t known_constant(round_t round);
    case (round)
      4'd1, 4'd2, 4'd3, 4'd4, 4'd5, 4'd6, 4'd7, 4'd8, 4'd9, 4'd10: return round_constant(round);
      default: return 8'h00;
    endcase
  endfunction

  // The memories: two bytes of the state each, and the four S-boxes of the key schedule.
  // ShiftRows comes first, so that the two bytes of a memory meet in one column behind it.
  assign head_shifted = shift_rows(head_state);

  for (genvar i = 0; i < 8; i++) begin : gen_pair
    rsm_aes_sbox_mix_ram u_sbox (
      .clk_i,
      .clear_i,
      .last_i,
      .a_x_i      (head_shifted[16*i +: 8]),
      .a_single_o (single[16*i +: 8]),
      .a_double_o (double[16*i +: 8]),
      .b_x_i      (head_shifted[16*i+8 +: 8]),
      .b_single_o (single[16*i+8 +: 8]),
      .b_double_o (double[16*i+8 +: 8])
    );
  end

  rsm_aes_sub_bytes #(
    .Bytes (4),
    .Sbox  (SboxBlockRam)
  ) u_sub_word (
    .clk_i,
    .clear_i,
    .inverse_i (1'b0),
    .state_i   ({head_key[23:0], head_key[31:24]}),
    .state_o   (subword)
  );

  rsm_cut #(
    .Width  (128 + 4),
    .Enable (1'b1)
  ) u_cut_key (
    .clk_i,
    .clear_i,
    .d_i ({head_key, round_i}),
    .q_o ({key_read, round_read})
  );

  rsm_cut #(
    .Width  (128 + 128 + 32 + 128 + 4),
    .Enable (Cut)
  ) u_cut_sub (
    .clk_i,
    .clear_i,
    .d_i ({single, double, subword, key_read, round_read}),
    .q_o ({single_q, double_q, subword_q, key_q, round_o})
  );

  // Round key n: every word is the S-box output and a sum of words that does not wait for it.
  for (genvar w = 0; w < 4; w++) begin : gen_prefix
    word_t sum;

    if (w == 0) begin : gen_first
      assign sum = {known_constant(round_o), 24'h0};
    end else begin : gen_next
      assign sum = prefix[w-1];
    end

    assign prefix[w]                = sum ^ key_q[127 - 32 * w -: 32];
    assign prefixes[127 - 32*w -: 32] = prefix[w];
  end

  assign round_key = prefixes ^ {4{subword_q}};
  assign head_key  = enter_i ? key_i : round_key;

  // The next state, in two levels behind the memories.

  for (genvar c = 0; c < 4; c++) begin : gen_column
    byte_t s [4];
    byte_t d [4];
    byte_t parity;

    assign parity = s[0] ^ s[1] ^ s[2] ^ s[3];

    for (genvar r = 0; r < 4; r++) begin : gen_row
      byte_t bracket;

      assign s[r] = single_q[127 - 8 * (4 * c + r) -: 8];
      assign d[r] = double_q[127 - 8 * (4 * c + r) -: 8];

      assign bracket =
          enter_i ? block_i[127 - 8 * (4 * c + r) -: 8] : d[r] ^ d[(r+1)%4];
      assign head_state[127 - 8 * (4 * c + r) -: 8] =
          parity ^ s[r] ^ bracket ^ head_key[127 - 8 * (4 * c + r) -: 8];
    end
  end

  // Not written with `round_key`: a mapper that meets the shared sum gives it a LUT of its own,
  // where either use of it can hold it.
  assign result_o = double_q ^ prefixes ^ {4{subword_q}};

endmodule
