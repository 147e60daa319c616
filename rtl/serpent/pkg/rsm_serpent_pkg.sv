// SPDX-License-Identifier: Apache-2.0
//
// Types, choices and the byte order of the Serpent cores (Anderson, Biham, Knudsen, "Serpent: A
// Proposal for the Advanced Encryption Standard", 1998), all in its bitslice form.
//
// Byte order, drawn once. A block is 128 bits at a port, the first byte of a message in the most
// significant place. Inside, a state is four words; byte 0 is the least significant one of X0:
//
//   port, bit   127..120 119..112 111..104 103..96  95..88 ...  7..0
//   byte            0        1        2        3       4   ...   15
//   state        X0[7:0] X0[15:8]  [23:16]  [31:24] X1[7:0] ... X3[31:24]
//
// Crypto libraries do the same. The submission prints the number X3 X2 X1 X0, whose bytes are those
// of the port read backwards. Keys use the same order, left-aligned at the port.
package rsm_serpent_pkg;

  typedef logic [127:0]     block_t;
  typedef logic [31:0]      word_t;
  typedef logic [4:0]       round_t;
  typedef logic [2:0]       box_t;

  // Bit i of the four words is the input of S-box i; state[0] is X0.
  typedef logic [3:0][31:0] state_t;

  // Eight words of the key schedule in a row, the oldest one in window[0].
  typedef logic [7:0][31:0] window_t;

  // A key length: 0, 1 and 2 stand for 128, 192 and 256 bits. A core has those of a mask built in
  // (bit 0 for 128 bits), and its keys are left-aligned in as many bits as the longest has.
  typedef logic [1:0] length_t;
  typedef logic [2:0] lengths_t;

  // The S-box constructions of rsm_serpent_sbox.
  // S-boxes: made by `make docs` from src/roundsmith/spec/sboxes.
  typedef enum logic [7:0] {
    SboxTable,
    SboxCircuit,
    SboxFast,
    SboxOsvik
  } sbox_e;
  // End of the S-boxes.

  // What a core does: encrypt, decrypt, or what `in_decrypt_i` asks for.
  typedef enum logic [7:0] {
    DirectionForward,
    DirectionInverse,
    DirectionBoth
  } direction_e;

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

  // How `clear_i` overwrites the data registers: by what follows when nothing enters any more, or
  // by the synchronous reset of every register.
  typedef enum logic [7:0] {
    ClearFlush,
    ClearReset
  } clear_e;

  // The points of a round that can hold a register: between the S-boxes and the linear
  // transformation, in the middle of that, and at the end of the round.
  typedef struct packed {
    logic sub;
    logic half;
    logic round;
  } cuts_t;

  // The points around the rounds that can hold a register.
  typedef struct packed {
    logic in;
    logic out;
  } edges_t;

  // What travels with a block: how many laps of a ring it has behind it, and its direction.
  typedef struct packed {
    round_t lap;
    logic   inverse;
  } control_t;

  // The fractional part of the golden ratio, in every word of the key schedule.
  localparam word_t Phi = 32'h9e3779b9;

  function automatic word_t rotate(word_t word, int unsigned by);
    return (word << by) | (word >> (32 - by));
  endfunction

  // The four words of a block at the port, and back: the bytes in the opposite order.
  function automatic block_t swapped(block_t block);
    block_t result;
    for (int unsigned i = 0; i < 16; i++) begin
      result[8*i +: 8] = block[8*(15-i) +: 8];
    end
    return result;
  endfunction

  // Bits of the longest key built in.
  function automatic int unsigned key_bits(lengths_t lengths);
    return (lengths >= 3'd4) ? 32'd256 : (lengths >= 3'd2) ? 32'd192 : 32'd128;
  endfunction

  // w[-8] to w[-1] of a key of 256 bits, left-aligned at the port: a one behind its last bit, then
  // zeros, where it is shorter.
  function automatic window_t padded(logic [255:0] key, length_t length);
    window_t words;
    for (int unsigned i = 0; i < 32; i++) begin
      words[i/4][8*(i%4) +: 8] = key[8*(31-i) +: 8];
    end
    if (length == 2'd0) words[7:4] = {96'd0, 32'd1};
    if (length == 2'd1) words[7:6] = {32'd0, 32'd1};
    return words;
  endfunction

  // The window a word further on, whose last word is w[index]; and a word back, where the last word
  // of the one given is w[index].
  function automatic window_t next_word(window_t w, logic [7:0] index);
    word_t sum = w[0] ^ w[3] ^ w[5] ^ w[7] ^ Phi ^ {24'd0, index};
    return {rotate(sum, 32'd11), w[7:1]};
  endfunction

  function automatic window_t last_word(window_t w, logic [7:0] index);
    word_t sum = rotate(w[7], 32'd21) ^ w[2] ^ w[4] ^ w[6] ^ Phi ^ {24'd0, index};
    return {w[6:0], sum};
  endfunction

  // The S-boxes that stage `stage` of `rounds` in a ring needs, as a mask: `first` is that of the
  // first lap, and those of the further laps are `rounds` up or down from it.
  function automatic logic [7:0] boxes(int unsigned first, int unsigned rounds);
    logic [7:0] mask = '0;
    for (int unsigned i = 0; i < 32; i += rounds) mask[(first + i) % 8] = 1'b1;
    return mask;
  endfunction

  // Cycles that one round takes, which is the number of blocks in a ring of one round.
  function automatic int unsigned round_latency(cuts_t cuts);
    return $countones(cuts);
  endfunction

endpackage
