// SPDX-License-Identifier: Apache-2.0
//
// What the native port of every core speaks, whatever its cipher. The packages of the ciphers say
// the same for the cores themselves, so neither needs the other.
package rsm_port_pkg;

  typedef logic [127:0] block_t;

  // A key length: 0, 1 and 2 stand for 128, 192 and 256 bits.
  typedef logic [1:0] length_t;

  // How keys reach the core: with every block, or through a channel of their own.
  typedef enum logic [7:0] {
    ChannelWithBlock,
    ChannelHeld
  } channel_e;

endpackage
