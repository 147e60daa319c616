// SPDX-License-Identifier: Apache-2.0
//
// The key channel of a core that decrypts with keys on the fly: it holds the two ends of the key
// schedule. Decryption starts from the last round key, which is found once for each key: a `walk`,
// an encryption without a block, goes through the core and comes back with it (Satoh 2001,
// section 2; Lutz 2002, section 2).
//
//                accept            walk enters            walk is back
//    no key -----------> waiting ------------> walking ---------------> ready
//                        encryption ready from here on                  decryption too
//
// A core of both directions holds both ends; one that only decrypts has one register, in which the
// last window takes the place of the key. rsm_aes_key_travel tells what the windows are.
//
// A key is taken unless a walk waits or is under way. A block accepted at the same edge still finds
// the old key; encryption is ready in the next cycle, decryption when the walk has come back:
// the cycle after `walked_i`. `first_o` and `len_o` belong to the walk while it waits.
//
// With `clear_i` everything is zero and forgotten at the next edge; the core drops the walk too.
//
// Latency: 1 cycle.
module rsm_aes_key_ends
  import rsm_aes_pkg::*;
#(
  parameter direction_e Direction = DirectionBoth,
  parameter lengths_t   Lengths   = 3'b001
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         clear_i,
  output logic                         idle_o,
  // The key channel.
  input  logic                         key_valid_i,
  output logic                         key_ready_o,
  input  logic [key_bits(Lengths)-1:0] key_i,
  input  length_t                      key_len_i,
  // Where blocks start.
  output logic                         encrypt_ready_o,
  output logic                         decrypt_ready_o,
  output length_t                      len_o,
  output logic [key_bits(Lengths)-1:0] first_o,
  output logic [key_bits(Lengths)-1:0] last_o,
  // The walk: into the core, and back with the window after step Nr.
  output logic                         walk_valid_o,
  input  logic                         walk_ready_i,
  input  logic                         walked_i,
  input  logic [key_bits(Lengths)-1:0] walked_window_i
);

  localparam int unsigned KeyBits = key_bits(Lengths);

  typedef logic [KeyBits-1:0] window_t;

  // One bit for each fact, so that each output is a register or one gate behind one.
  logic accept;
  // The walk waits for a free slot of the core.
  logic waiting_q;
  // The walk is in the core.
  logic walking_q;
  // There is a key: encryption may start.
  logic loaded_q;
  // There is the other end: decryption may start.
  logic walked_q;
  logic closed_q;

  // A new key would take the place of the one that the walk is about, so it has to wait.
  assign idle_o          = ~waiting_q & ~walking_q;
  assign key_ready_o     = idle_o & ~closed_q;
  assign accept          = key_valid_i & key_ready_o;
  assign walk_valid_o    = waiting_q;
  assign encrypt_ready_o = loaded_q;
  assign decrypt_ready_o = walked_q;

  // No ready is high in the cycle after `clear_i`.
  always_ff @(posedge clk_i) begin
    closed_q <= rst_ni & clear_i;
  end

  // A core that only encrypts never needs the end of the schedule.
  if (Direction == DirectionForward) begin : gen_no_walk
    logic unused_walk;

    assign waiting_q   = 1'b0;
    assign walking_q   = 1'b0;
    assign walked_q    = 1'b0;
    assign unused_walk = walk_ready_i ^ walked_i;
  end else begin : gen_walk
    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) begin
        waiting_q <= 1'b0;
        walking_q <= 1'b0;
        walked_q  <= 1'b0;
      end else if (accept) begin
        // A new key makes the old end of the schedule worthless.
        waiting_q <= 1'b1;
        walked_q  <= 1'b0;
      end else if (waiting_q) begin
        waiting_q <= ~walk_ready_i;
        walking_q <= walk_ready_i;
      end else if (walking_q && walked_i) begin
        walking_q <= 1'b0;
        walked_q  <= 1'b1;
      end
    end
  end

  // No block starts from the first key here; only the walk does.
  if (Direction == DirectionInverse) begin : gen_no_encryption
    assign loaded_q = 1'b0;
  end else begin : gen_encryption
    always_ff @(posedge clk_i) begin
      if (!rst_ni || clear_i) loaded_q <= 1'b0;
      else if (accept)        loaded_q <= 1'b1;
    end
  end

  length_t len_q;

  always_ff @(posedge clk_i) begin
    if (clear_i)     len_q <= '0;
    else if (accept) len_q <= key_len_i;
  end

  // The length belongs to the key, so all blocks of a key have it.
  assign len_o = len_q;

  // The window that decryption starts from. Step Nr has added to every new word the one before
  // it; taken off again, the words that stood in their places are back (rsm_aes_key_travel).
  window_t behind;

  if (Lengths == 3'b001) begin : gen_128
    assign behind = walked_window_i;
  end else begin : gen_longer
    logic  is_256;
    word_t w3, w4, w5, w6, w7;

    logic [159:0] words;

    // Words 3 to 7 of the window: only those behind the top 128 bits have to be changed back.
    assign is_256                    = Lengths[2] & (len_q[1] | (Lengths == 3'b100));
    always_comb begin
      words                    = '0;
      words[159 -: KeyBits-96] = walked_window_i[KeyBits-97:0];
    end

    assign {w3, w4, w5, w6, w7}      = words;
    assign behind[KeyBits-1 -: 128]  = walked_window_i[KeyBits-1 -: 128];
    assign behind[KeyBits-129 -: 64] = {is_256 ? w4 : w4 ^ w3, w5 ^ w4};

    if (Lengths[2]) begin : gen_256
      assign behind[63:0] = {w6 ^ w5, w7 ^ w6};
    end else begin : gen_192
      logic unused_words;

      assign unused_words = ^{w6, w7};
    end
  end

  // The registers. An only one is written by both.
  window_t first_q;

  if (Direction == DirectionInverse) begin : gen_one_register
    always_ff @(posedge clk_i) begin
      if (clear_i)        first_q <= '0;
      else if (accept)    first_q <= key_i;
      else if (walking_q && walked_i) first_q <= behind;
    end

    assign last_o = first_q;
  end else begin : gen_first
    always_ff @(posedge clk_i) begin
      if (clear_i)     first_q <= '0;
      else if (accept) first_q <= key_i;
    end

    if (Direction == DirectionBoth) begin : gen_last
      window_t last_q;

      always_ff @(posedge clk_i) begin
        if (clear_i)                    last_q <= '0;
        else if (walking_q && walked_i) last_q <= behind;
      end

      assign last_o = last_q;
    end else begin : gen_no_last
      logic unused_window;

      assign last_o        = '0;
      assign unused_window = ^behind;
    end
  end

  assign first_o = first_q;

endmodule
