// SPDX-License-Identifier: Apache-2.0
//
// What the benches of cores with a mode of operation share: bytes at ports, and the message port as
// a bus shows it.
#ifndef ROUNDSMITH_MESSAGE_PORT_H
#define ROUNDSMITH_MESSAGE_PORT_H

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "bench.h"
#include "verilated.h"

namespace bench {

// The first byte is the most significant one of the port.
template <class Port>
void put(Port& port, const uint8_t* bytes) {
  std::reverse_copy(bytes, bytes + sizeof port, reinterpret_cast<uint8_t*>(&port));
}

template <class Port>
void get(const Port& port, uint8_t* bytes) {
  const auto* raw = reinterpret_cast<const uint8_t*>(&port);
  std::reverse_copy(raw, raw + sizeof port, bytes);
}

// Chances in 256 that, in a given cycle, ...
struct Chances {
  int in = 256;   // ... a bus begins a transfer of a message
  int key = 256;  // ... a bus begins a transfer of a key
  int out = 256;  // ... a bus may take an answer
};

// One beat of an answer.
struct Answered {
  uint8_t data[16] = {}, bytes = 0, part = 0, last = 0, status = 0;
};

// The pins of the message port, for a class that moves messages over a bus: whoever drives a core
// with a message port drives such a class in the same way. `eval` with `clk_i` low shows the
// outputs to the inputs of this cycle, with `clk_i` high it ends the cycle.
struct MessagePort {
  uint8_t clk_i = 0, rst_ni = 0, clear_i = 0, idle_o = 0;
  uint8_t key_valid_i = 0, key_ready_o = 0, key_len_i = 0, key_slot_i = 0;
  VlWide<RSM_KEY_BITS / 32> key_i{};
  uint8_t msg_valid_i = 0, msg_ready_o = 0, msg_decrypt_i = 0, msg_slot_i = 0;
  uint8_t msg_iv_bytes_i = 0, msg_tag_bytes_i = 0;
  uint32_t msg_aad_bytes_i = 0, msg_text_bytes_i = 0;
  VlWide<4> msg_iv_i{};
  uint8_t in_valid_i = 0, in_ready_o = 0, in_bytes_i = 0, in_part_i = 0, in_last_i = 0;
  VlWide<4> in_data_i{};
  uint8_t out_valid_o = 0, out_ready_i = 0, out_bytes_o = 0, out_part_o = 0, out_last_o = 0;
  uint8_t out_status_o = 0;
  VlWide<4> out_data_o{};

  // The bytes of the key that counts.
  size_t key_bytes() const { return 16 + 8 * size_t{key_len_i}; }

  void show(const Answered& beat) {
    put(out_data_o, beat.data);
    out_bytes_o = beat.bytes;
    out_part_o = beat.part;
    out_last_o = beat.last;
    out_status_o = beat.status;
  }
};

}  // namespace bench

#endif
