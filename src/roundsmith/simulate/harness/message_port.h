// SPDX-License-Identifier: Apache-2.0
//
// What the benches of cores with a mode of operation share: bytes at ports, and the message ports as
// a bus shows them.
//
//   RSM_KEY_BITS  bits of the key port
//   RSM_STREAMS   streams, each with a message port
#ifndef ROUNDSMITH_MESSAGE_PORT_H
#define ROUNDSMITH_MESSAGE_PORT_H

#include <algorithm>
#include <array>
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

// The bits of a stream in a pin of all of them; every type of Verilator is little-endian words.
template <class Pin>
uint64_t field(const Pin& pin, size_t stream, size_t bits) {
  uint64_t word = 0;
  const size_t at = stream * bits / 8;
  std::memcpy(&word, reinterpret_cast<const uint8_t*>(&pin) + at,
              std::min(sizeof word, sizeof pin - at));
  return word >> (stream * bits % 8) & ((uint64_t{1} << bits) - 1);
}

template <class Pin>
void set_field(Pin& pin, size_t stream, size_t bits, uint64_t value) {
  uint64_t word = 0;
  const size_t at = stream * bits / 8, low = stream * bits % 8;
  uint8_t* raw = reinterpret_cast<uint8_t*>(&pin) + at;
  const size_t room = std::min(sizeof word, sizeof pin - at);
  std::memcpy(&word, raw, room);
  const uint64_t mask = ((uint64_t{1} << bits) - 1) << low;
  word = (word & ~mask) | (value << low & mask);
  std::memcpy(raw, &word, room);
}

// The same for 16 bytes, of which the first is the most significant one.
template <class Pin>
void put_block(Pin& pin, size_t stream, const uint8_t* bytes) {
  std::reverse_copy(bytes, bytes + 16, reinterpret_cast<uint8_t*>(&pin) + 16 * stream);
}

template <class Pin>
void get_block(const Pin& pin, size_t stream, uint8_t* bytes) {
  const uint8_t* raw = reinterpret_cast<const uint8_t*>(&pin) + 16 * stream;
  std::reverse_copy(raw, raw + 16, bytes);
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

// The pins of one message port.
struct MessagePins {
  uint8_t msg_valid_i = 0, msg_ready_o = 0, msg_decrypt_i = 0, msg_slot_i = 0;
  uint8_t msg_iv_bytes_i = 0, msg_tag_bytes_i = 0;
  uint32_t msg_aad_bytes_i = 0, msg_text_bytes_i = 0;
  VlWide<4> msg_iv_i{};
  uint8_t in_valid_i = 0, in_ready_o = 0, in_bytes_i = 0, in_part_i = 0, in_last_i = 0;
  VlWide<4> in_data_i{};
  uint8_t out_valid_o = 0, out_ready_i = 0, out_bytes_o = 0, out_part_o = 0, out_last_o = 0;
  uint8_t out_status_o = 0;
  VlWide<4> out_data_o{};

  void show(const Answered& beat) {
    put(out_data_o, beat.data);
    out_bytes_o = beat.bytes;
    out_part_o = beat.part;
    out_last_o = beat.last;
    out_status_o = beat.status;
  }
};

// The other pins of a core with a message port, for a class that moves messages over a bus: whoever
// drives a core with a message port drives such a class in the same way. `eval` with `clk_i` low
// shows the outputs to the inputs of this cycle, with `clk_i` high it ends the cycle.
struct CorePins {
  uint8_t clk_i = 0, rst_ni = 0, clear_i = 0, idle_o = 0;
  uint8_t key_valid_i = 0, key_ready_o = 0, key_len_i = 0, key_slot_i = 0;
  VlWide<RSM_KEY_BITS / 32> key_i{};

  // The bytes of the key that counts.
  size_t key_bytes() const { return 16 + 8 * size_t{key_len_i}; }
};

// A core with one message port.
struct MessagePort : CorePins, MessagePins {};

// A core with a message port for each stream, side by side in the same pins.
struct SidePort : CorePins {
  template <size_t kBits>
  using Pins = std::array<uint8_t, (kBits * RSM_STREAMS + 7) / 8>;

  Pins<1> msg_valid_i{}, msg_ready_o{}, msg_decrypt_i{};
  Pins<4> msg_slot_i{};
  Pins<5> msg_iv_bytes_i{}, msg_tag_bytes_i{};
  Pins<32> msg_aad_bytes_i{}, msg_text_bytes_i{};
  Pins<128> msg_iv_i{};
  Pins<1> in_valid_i{}, in_ready_o{}, in_last_i{};
  Pins<2> in_part_i{};
  Pins<5> in_bytes_i{};
  Pins<128> in_data_i{};
  Pins<1> out_valid_o{}, out_ready_i{}, out_last_o{};
  Pins<2> out_part_o{};
  Pins<3> out_status_o{};
  Pins<5> out_bytes_o{};
  Pins<128> out_data_o{};

  // What the pins bring to the port of a stream.
  void bring(size_t stream, MessagePins& port) const {
    uint8_t bytes[16];
    port.msg_valid_i = field(msg_valid_i, stream, 1);
    port.msg_decrypt_i = field(msg_decrypt_i, stream, 1);
    port.msg_slot_i = field(msg_slot_i, stream, 4);
    port.msg_iv_bytes_i = field(msg_iv_bytes_i, stream, 5);
    port.msg_tag_bytes_i = field(msg_tag_bytes_i, stream, 5);
    port.msg_aad_bytes_i = field(msg_aad_bytes_i, stream, 32);
    port.msg_text_bytes_i = field(msg_text_bytes_i, stream, 32);
    get_block(msg_iv_i, stream, bytes);
    put(port.msg_iv_i, bytes);
    port.in_valid_i = field(in_valid_i, stream, 1);
    port.in_bytes_i = field(in_bytes_i, stream, 5);
    port.in_part_i = field(in_part_i, stream, 2);
    port.in_last_i = field(in_last_i, stream, 1);
    get_block(in_data_i, stream, bytes);
    put(port.in_data_i, bytes);
    port.out_ready_i = field(out_ready_i, stream, 1);
  }

  // What the port of a stream shows at the pins.
  void show(size_t stream, const MessagePins& port) {
    uint8_t bytes[16];
    set_field(msg_ready_o, stream, 1, port.msg_ready_o);
    set_field(in_ready_o, stream, 1, port.in_ready_o);
    set_field(out_valid_o, stream, 1, port.out_valid_o);
    set_field(out_bytes_o, stream, 5, port.out_bytes_o);
    set_field(out_part_o, stream, 2, port.out_part_o);
    set_field(out_last_o, stream, 1, port.out_last_o);
    set_field(out_status_o, stream, 3, port.out_status_o);
    get(port.out_data_o, bytes);
    put_block(out_data_o, stream, bytes);
  }
};

}  // namespace bench

#endif
