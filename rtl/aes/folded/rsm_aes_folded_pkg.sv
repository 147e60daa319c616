// SPDX-License-Identifier: Apache-2.0
//
// Choices of the folded architecture.
package rsm_aes_folded_pkg;

  // Who substitutes the bytes of the key schedule: the S-boxes of the data path, in a cycle of
  // every round in which the block waits, or four of its own.
  typedef enum logic [7:0] {
    KeySboxesBorrowed,
    KeySboxesOwn
  } key_sboxes_e;

  // How the rows of the state shift: at once, every register choosing between its neighbour and
  // its place in the shifted row, or while they move, by a few bytes that leave the line.
  typedef enum logic [7:0] {
    RowsTurned,
    RowsTapped
  } rows_e;

  // Where a block finds its first round key: the key register goes back to it through its schedule,
  // or a second register has kept it.
  typedef enum logic [7:0] {
    StartWalked,
    StartKept
  } key_start_e;

endpackage
