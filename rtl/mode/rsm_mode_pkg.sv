// SPDX-License-Identifier: Apache-2.0
//
// Types of the modes of operation, and the order of bytes in a beat.
//
// The first byte of a message is bits 127..120 of its first beat. A beat that is not full has its
// bytes at the left.
package rsm_mode_pkg;

  typedef logic [127:0] block_t;
  typedef logic [4:0]   bytes_t;   // a number of bytes, 0 to 16
  typedef logic [15:0]  keep_t;    // a one for each byte of a beat that counts, from the left

  localparam bytes_t Full = 5'd16;

  // The parts of a message: associated data, text, tag, and an IV that is too long for its field.
  typedef enum logic [1:0] {
    PartAad,
    PartText,
    PartTag,
    PartIv
  } part_e;

  // What is said of a message with its last beat.
  typedef struct packed {
    logic spare;
    logic refused;     // the mode does not do this message, or not all of it
    logic wrong_tag;
  } status_t;

  // What a message begins with.
  typedef struct packed {
    logic        decrypt;
    logic [3:0]  slot;
    block_t      iv;
    bytes_t      iv_bytes;
    logic [31:0] aad_bytes;
    logic [31:0] text_bytes;
    bytes_t      tag_bytes;
  } msg_t;

  // What comes in: a beat of a message.
  typedef struct packed {
    block_t data;
    keep_t  keep;
    part_e  part;
    logic   last;
  } beat_t;

  // What goes out: a beat of an answer.
  typedef struct packed {
    block_t  data;
    keep_t   keep;
    part_e   part;
    logic    last;
    status_t status;
  } answer_t;

  // A key that goes past a mode to the core: whether one does at this edge, and to which slot.
  typedef struct packed {
    logic       loaded;
    logic [3:0] slot;
  } key_t;

  // What a mode asks of the core, and what comes back.
  typedef struct packed {
    block_t     block;
    logic       decrypt;
    logic [3:0] slot;
  } core_req_t;

  typedef struct packed {
    block_t block;
  } core_rsp_t;

  // So many bytes, a one for each of them.
  function automatic keep_t keep_of(bytes_t bytes);
    keep_t keep;
    for (int i = 0; i < 32'(Full); i++) keep[15-i] = (bytes > bytes_t'(i));
    return keep;
  endfunction

  // And back. The bytes that count stand at the left, so each bit of their number is a parity.
  function automatic bytes_t bytes_of(keep_t keep);
    return {keep[0], keep[8] ^ keep[0], ^(keep & 16'h1111), ^(keep & 16'h5555), ^keep};
  endfunction

  // The bytes of a beat that count, and zeros in place of the others.
  function automatic block_t kept_bytes(block_t data, keep_t keep);
    block_t found;
    for (int i = 0; i < 32'(Full); i++) found[127-8*i-:8] = keep[15-i] ? data[127-8*i-:8] : 8'd0;
    return found;
  endfunction

  // The same, and behind them a one and zeros: the padding of CMAC and OCB.
  function automatic block_t padded(block_t data, keep_t keep);
    block_t found;
    logic   ahead;    // the byte ahead counts
    ahead = 1'b1;
    for (int i = 0; i < 32'(Full); i++) begin
      found[127-8*i-:8] = keep[15-i] ? data[127-8*i-:8] : {ahead, 7'd0};
      ahead             = keep[15-i];
    end
    return found;
  endfunction

  // Whether a byte that counts is not zero.
  function automatic logic differs(block_t difference, keep_t keep);
    logic found;
    found = 1'b0;
    for (int i = 0; i < 32'(Full); i++) found |= keep[15-i] & (difference[127-8*i-:8] != '0);
    return found;
  endfunction

  // Twice a number of GF(2^128) as CMAC and OCB write it: the most significant bit first.
  function automatic block_t double(block_t x);
    return {x[126:0], 1'b0} ^ (x[127] ? block_t'(8'h87) : '0);
  endfunction

endpackage
