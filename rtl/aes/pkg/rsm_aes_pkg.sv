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

  // A key length: 0, 1 and 2 stand for 128, 192 and 256 bits. A core has those of a mask built in
  // (bit 0 for 128 bits), and its keys are left-aligned in as many bits as the longest has.
  typedef logic [1:0] length_t;
  typedef logic [2:0] lengths_t;

  // The S-box constructions of rsm_aes_sub_bytes.
  // S-boxes: made by `make docs` from src/roundsmith/spec/sboxes.
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

  // Whether an S-box goes both ways as one circuit of each direction, with a multiplexer behind.
  function automatic bit side_by_side(sbox_e sbox);
    return sbox == SboxTable
        || sbox == SboxMuxTree;
  endfunction

  // The most cuts that an S-box offers.
  localparam int unsigned SboxCuts = 7;

  // Cycles that SubBytes takes: one for each cut, and one that a block RAM cannot do without.
  function automatic int unsigned sbox_latency(sbox_e sbox, logic [SboxCuts-1:0] cuts);
    return $countones(cuts) + ((sbox == SboxBlockRam) ? 32'd1 : 32'd0);
  endfunction
  // End of the S-boxes.

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

  // What travels with a block besides its state and key: the step of the key schedule that belongs
  // to its round (counted up from 1 in encryption, down to 1 in decryption), its direction, its key
  // length and the slot of its key.
  typedef struct packed {
    round_t     step;
    logic       inverse;
    length_t    length;
    logic [3:0] slot;
  } control_t;

  // How encryption and decryption share a round: by two paths side by side; by one path whose key
  // addition comes before InvMixColumns (Lutz 2002, Fig. 6); by one whose key addition comes first
  // in both directions (his Fig. 4); or by one that adds transformed keys after InvMixColumns, the
  // equivalent inverse cipher (FIPS 197, 5.3.5).
  typedef enum logic [7:0] {
    InverseSeparate,
    InverseReordered,
    InverseMirrored,
    InverseEquivalent
  } inverse_e;

  // Where round keys come from: computed beside the block, one step a round, or expanded once and
  // stored.
  typedef enum logic [7:0] {
    ScheduleOnTheFly,
    ScheduleStored
  } schedule_e;

  // How keys reach the core: with every block, or through a channel of their own.
  typedef enum logic [7:0] {
    ChannelWithBlock,
    ChannelHeld
  } channel_e;

  // When blocks enter a ring: whenever a slot is free or has just finished, or in batches that
  // leave before the next one enters (Standaert 2003, Table 4).
  typedef enum logic [7:0] {
    EntryOverlap,
    EntryBatch
  } entry_e;

  // How `clear_i` overwrites the data registers: by zeros that enter at the head of the ring
  // and flush it, or by the synchronous reset of every register.
  typedef enum logic [7:0] {
    ClearFlush,
    ClearReset
  } clear_e;

  // The whole-core structures of rsm_aes: a ring of some rounds, or a straight line of all.
  typedef enum logic [7:0] {
    ArchLoop,
    ArchPipe
  } arch_e;

  // The named points of a round that can hold a register, in the order in which data passes
  // them: before SubBytes, inside the S-box, after SubBytes and the key step, between MixColumns
  // and the key addition, and at the end of the round.
  typedef struct packed {
    logic                head;
    logic [SboxCuts-1:0] sbox;
    logic                sub;
    logic                mix;
    logic                round;
  } cuts_t;

  // The points around the rounds that can hold a register. With `ring`, the result is shown by the
  // register at the head of the ring, a cycle after its last round.
  typedef struct packed {
    logic in;
    logic out;
    logic ring;
  } edges_t;

  // Rounds that have one more register at their entry, by number: for long wires.
  localparam int unsigned MaxRounds = 14;

  typedef logic [MaxRounds:1] extra_t;

  // Cycles that one round takes, which is the number of blocks in a ring of one round.
  function automatic int unsigned round_latency(sbox_e sbox, cuts_t cuts);
    return sbox_latency(sbox, cuts.sbox)
         + $countones({cuts.head, cuts.sub, cuts.mix, cuts.round});
  endfunction

  // Registers that a block passes in the first `rounds` rounds of a ring or a line.
  function automatic int unsigned registers(
    sbox_e sbox, cuts_t cuts, extra_t extra, int unsigned rounds
  );
    int unsigned sum = 0;
    for (int unsigned i = 1; i <= rounds; i++) begin
      sum += round_latency(sbox, cuts) + (extra[i] ? 32'd1 : 32'd0);
    end
    return sum;
  endfunction

  // Registers of the key window that stand in a row in front of the key step of a round, and are
  // cleared by zeros that run through while those behind the step are held in reset; none where
  // there are no others.
  function automatic int unsigned window_registers(sbox_e sbox, cuts_t cuts);
    if ({cuts.sub, cuts.mix, cuts.round} == '0) return 32'd0;
    return sbox_latency(sbox, cuts.sbox) + (cuts.head ? 32'd1 : 32'd0);
  endfunction

  // Cycles for which the data registers are held in reset (ClearReset): a row of registers that has
  // none runs empty once what stands before it is zero.
  function automatic int unsigned reset_cycles(schedule_e schedule, sbox_e sbox, cuts_t cuts);
    if (schedule == ScheduleStored || window_registers(sbox, cuts) == 0) return 32'd1;
    return window_registers(sbox, cuts) + 32'd1;
  endfunction

  // Rounds of a key length (FIPS 197, Fig. 4), and of the longest one built in.
  function automatic int unsigned rounds_of(length_t len);
    return (len == 2'd0) ? 32'd10 : (len == 2'd1) ? 32'd12 : 32'd14;
  endfunction

  function automatic int unsigned max_rounds(lengths_t lengths);
    return (lengths >= 3'd4) ? 32'd14 : (lengths >= 3'd2) ? 32'd12 : 32'd10;
  endfunction

  // The order of the linear steps in a core that goes one way or both.
  function automatic order_e round_order(direction_e direction, inverse_e inverse);
    if (direction == DirectionForward) return OrderEncrypt;
    if (direction == DirectionInverse) begin
      return (inverse == InverseEquivalent) ? OrderEquivalent : OrderDecrypt;
    end
    return (inverse == InverseEquivalent) ? OrderBothEquivalent : OrderBoth;
  endfunction

  // Bits of the longest key built in.
  function automatic int unsigned key_bits(lengths_t lengths);
    return (lengths >= 3'd4) ? 32'd256 : (lengths >= 3'd2) ? 32'd192 : 32'd128;
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
