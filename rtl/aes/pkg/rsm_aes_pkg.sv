// SPDX-License-Identifier: Apache-2.0
//
// Types, choices and the byte order of the AES cores (FIPS 197).
//
// Byte order, drawn once. A block is 128 bits; byte 0 of FIPS 197 (the first byte of a
// message) is the most significant one:
//
//   bit      127..120 119..112 111..104 103..96  ...  31..24 23..16 15..8  7..0
//   byte        0        1        2        3     ...    12     13     14    15
//
//   state     column 0  1  2  3
//   row 0            0  4  8 12
//   row 1            1  5  9 13
//   row 2            2  6 10 14
//   row 3            3  7 11 15
//
// Keys use the same order: word w0 of the key schedule is bits 127..96.
package rsm_aes_pkg;

  typedef logic [127:0] block_t;
  typedef logic [31:0]  word_t;
  typedef logic [7:0]   byte_t;
  typedef logic [3:0]   round_t;

  // The S-box constructions of rsm_aes_sub_bytes.
  typedef enum logic [7:0] {
    SboxTable,
    SboxMuxTree,
    SboxBlockRam,
    SboxGf16,
    SboxGf4,
    SboxSharedInverse,
    SboxMinimal,
    SboxFast,
    SboxLut4,
    SboxCells
  } sbox_e;

  // What a circuit computes: a function, its inverse, or the one that `inverse_i` asks for.
  typedef enum logic [7:0] {
    DirectionForward,
    DirectionInverse,
    DirectionBoth
  } direction_e;

  // The linear layers of rsm_aes_linear; LinearInMemory has a round of its own. Direct, factored,
  // squared, minimal and fast are circuits of one column, which rsm_aes_mix_columns offers too.
  typedef enum logic [7:0] {
    LinearDirect,
    LinearGated,
    LinearInMemory,
    LinearFactored,
    LinearSquared,
    LinearMixAdd,
    LinearMinimal,
    LinearFast
  } linear_e;

  // The order of the linear steps of a round: that of the cipher, that of the inverse cipher
  // (FIPS 197, 5.3, which adds the key before InvMixColumns), that of the equivalent inverse
  // cipher (5.3.5, which adds a transformed key after it), or encryption and one of the two.
  typedef enum logic [7:0] {
    OrderEncrypt,
    OrderDecrypt,
    OrderEquivalent,
    OrderBoth,
    OrderBothEquivalent
  } order_e;

  // Where the round key is added: after the linear layer, as FIPS 197 writes it, or before
  // SubBytes (Standaert 2003, Fig. 7(b)).
  typedef enum logic [7:0] {
    KeyAddLast,
    KeyAddFirst
  } key_add_e;

  // How `clear_i` overwrites the data registers: by zeros that enter at the head of the ring
  // and flush it, or by the synchronous reset of every register.
  typedef enum logic [7:0] {
    ClearFlush,
    ClearReset
  } clear_e;

  // The whole-core structures of rsm_aes.
  typedef enum logic [7:0] {
    ArchLoop
  } arch_e;

  // The named points of a round that can hold a register, in the order in which data passes
  // them: inside the S-box, after SubBytes and the key step, between MixColumns and the key
  // addition, and at the end of the round.
  localparam int unsigned SboxCuts = 7;

  typedef struct packed {
    logic [SboxCuts-1:0] sbox;
    logic                sub;
    logic                mix;
    logic                round;
  } cuts_t;

  // The points around the rounds that can hold a register.
  typedef struct packed {
    logic out;
  } edges_t;

  localparam int unsigned Rounds128 = 10;

  // Cycles that SubBytes takes: one for each cut, and one that a block RAM cannot do without.
  function automatic int unsigned sbox_latency(sbox_e sbox, logic [SboxCuts-1:0] cuts);
    return $countones(cuts) + ((sbox == SboxBlockRam) ? 32'd1 : 32'd0);
  endfunction

  // Cycles that one round takes, which is the number of blocks in a ring of one round.
  function automatic int unsigned round_latency(sbox_e sbox, cuts_t cuts);
    return sbox_latency(sbox, cuts.sbox) + $countones({cuts.sub, cuts.mix, cuts.round});
  endfunction

  // ShiftRows: row r of the state moves r columns to the left (FIPS 197, 5.1.2).
  function automatic block_t shift_rows(block_t state);
    block_t result;
    for (int unsigned c = 0; c < 4; c++) begin
      for (int unsigned r = 0; r < 4; r++) begin
        result[127 - 8 * (4 * c + r) -: 8] = state[127 - 8 * (4 * ((c + r) % 4) + r) -: 8];
      end
    end
    return result;
  endfunction

  // InvShiftRows: row r of the state moves r columns to the right (FIPS 197, 5.3.1).
  function automatic block_t inv_shift_rows(block_t state);
    block_t result;
    for (int unsigned c = 0; c < 4; c++) begin
      for (int unsigned r = 0; r < 4; r++) begin
        result[127 - 8 * (4 * c + r) -: 8] = state[127 - 8 * (4 * ((c + 4 - r) % 4) + r) -: 8];
      end
    end
    return result;
  endfunction

  // Multiplication by x modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197, 4.2.1).
  function automatic byte_t xtime(byte_t a);
    return {a[6:4], a[3] ^ a[7], a[2] ^ a[7], a[1], a[0] ^ a[7], a[7]};
  endfunction

  // The round constant of round 1 to 10: x^(round-1) (FIPS 197, 5.2).
  function automatic byte_t round_constant(round_t round);
    case (round)
      4'd1:    return 8'h01;
      4'd2:    return 8'h02;
      4'd3:    return 8'h04;
      4'd4:    return 8'h08;
      4'd5:    return 8'h10;
      4'd6:    return 8'h20;
      4'd7:    return 8'h40;
      4'd8:    return 8'h80;
      4'd9:    return 8'h1b;
      4'd10:   return 8'h36;
      default: return 8'hxx;  // no such round: synthesis may choose
    endcase
  endfunction

endpackage
