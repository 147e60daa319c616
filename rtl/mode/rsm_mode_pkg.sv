// SPDX-License-Identifier: Apache-2.0
//
// Types of the modes of operation, and the order of bytes in a beat.
//
// The first byte of a message is bits 127..120 of its first beat. A beat that is not full has its
// bytes at the left.
package rsm_mode_pkg;

  typedef logic [127:0] block_t;
  typedef logic [4:0]   bytes_t;   // how many bytes of a beat count, 0 to 16
  typedef logic [15:0]  keep_t;    // the same as a one for each of them, from the left

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
  } head_t;

  localparam bytes_t Full = 5'd16;

  // The first `bytes` bytes of a beat, and zeros behind them.
  function automatic block_t first_bytes(block_t data, bytes_t bytes);
    block_t kept;
    for (int i = 0; i < 16; i++) begin
      kept[127-8*i-:8] = (bytes > bytes_t'(i)) ? data[127-8*i-:8] : 8'd0;
    end
    return kept;
  endfunction

  // The same, and behind them a one and zeros: the padding of CMAC and OCB.
  function automatic block_t padded(block_t data, bytes_t bytes);
    block_t kept;
    for (int i = 0; i < 16; i++) begin
      kept[127-8*i-:8] = (bytes > bytes_t'(i)) ? data[127-8*i-:8]
                         : (bytes == bytes_t'(i)) ? 8'h80 : 8'd0;
    end
    return kept;
  endfunction

  // Twice a number of GF(2^128) as CMAC and OCB write it: the most significant bit first.
  function automatic block_t double(block_t x);
    return {x[126:0], 1'b0} ^ (x[127] ? block_t'(8'h87) : '0);
  endfunction

endpackage
