// SPDX-License-Identifier: Apache-2.0
//
// Drives one message port: offers messages and their beats, takes the answers, stalls at random, and
// checks the rules of the port. It knows no mode: the answers are judged elsewhere.
//
// A core with several streams has a message port for each, side by side in the same pins: the first
// stream has the lowest bits. Each is driven by one of these, and none knows of the others.
#ifndef ROUNDSMITH_MESSAGE_DRIVER_H
#define ROUNDSMITH_MESSAGE_DRIVER_H

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "bench.h"
#include "message_port.h"

namespace bench {

constexpr uint32_t kNone = 0xffffffff;
constexpr int kKeysEach = 2;
constexpr int kKeySlots = 256;  // more than any core has

#pragma pack(push, 1)
struct Message {
  uint8_t stream, decrypt, slot, iv[16], iv_bytes, tag_bytes;
  uint32_t aad_bytes, text_bytes;
  uint32_t keys[kKeysEach];  // that must be in force, or kNone
  uint32_t first, beats;
};
struct Beat {
  uint8_t data[16], bytes, part, last;
};
struct Result {
  uint8_t data[16], bytes, part, last, status;
  uint32_t message;
  uint64_t cycle;
};
#pragma pack(pop)

// What all streams have in common: the messages, and the keys in force, by their slot.
struct Script {
  std::vector<uint8_t> key_slots;  // of the keys, by their number
  std::vector<Message> messages;
  std::vector<Beat> beats;
  uint32_t in_force[kKeySlots] = {};
};

template <class Core>
class MessageDriver {
 public:
  MessageDriver(Core& core, size_t stream, Script& script, Random& random)
      : core_(core), stream_(stream), script_(script), random_(random) {}

  // Begins a script: of its messages, those of this stream, in their order.
  void begin() {
    mine_.clear();
    for (uint32_t i = 0; i < script_.messages.size(); ++i)
      if (script_.messages[i].stream == stream_) mine_.push_back(i);
    head_ = text_ = beat_ = 0;
  }

  bool done() const { return head_ == mine_.size() && text_ == mine_.size() && open_.empty(); }
  bool is_inside() const { return !open_.empty() || beat_ > 0; }

  std::string waits_for() const {
    return open_.empty() ? "the core no longer accepts messages"
                         : "message " + std::to_string(mine_[open_.front()]) + " never ended";
  }

  // The key that the next message lacks.
  uint32_t missing() const {
    if (head_ >= mine_.size()) return kNone;
    for (uint32_t key : script_.messages[mine_[head_]].keys)
      if (key != kNone && script_.in_force[script_.key_slots[key]] != key) return key;
    return kNone;
  }

  // Everything inside is lost, and what is left of messages that had begun.
  void forget() {
    open_.clear();
    if (beat_ > 0) ++text_;
    head_ = text_ = std::max(head_, text_);
    beat_ = 0;
    head_offered_ = beat_offered_ = held_ = false;
  }

  void drive(int p_msg, int p_in) {
    drive_head(p_msg);
    drive_beat(p_in);
  }

  void drive_ready(int p_out) { set_field(core_.out_ready_i, stream_, 1, random_.chance(p_out)); }

  // Looks at the answer that stands there; true where a beat of it leaves, which is `result`.
  bool take(uint64_t cycle, Result& result) {
    const bool valid = field(core_.out_valid_o, stream_, 1);
    if (held_ && !valid) fail(cycle, "a beat that was not taken has gone");
    if (!valid) return false;
    if (open_.empty()) fail(cycle, "a beat came out that no message asked for");
    Result now{};
    get_block(core_.out_data_o, stream_, now.data);
    now.bytes = field(core_.out_bytes_o, stream_, 5);
    now.part = field(core_.out_part_o, stream_, 2);
    now.last = field(core_.out_last_o, stream_, 1);
    now.status = field(core_.out_status_o, stream_, 3);
    if (held_ && std::memcmp(&now, &shown_, offsetof(Result, message)) != 0)
      fail(cycle, "a beat changed while it waited");
    shown_ = now;
    for (int i = now.bytes; i < 16; ++i)
      if (now.data[i] != 0) fail(cycle, "a byte behind the last one is not zero");
    if (!now.last && now.status != 0) fail(cycle, "a status came before the last beat");
    held_ = !field(core_.out_ready_i, stream_, 1);
    if (held_) return false;
    result = now;
    result.message = mine_[open_.front()];
    result.cycle = cycle;
    if (now.last) {
      if (open_.front() == text_) fail(cycle, "a message ended before its last beat was taken in");
      open_.pop_front();
    }
    return true;
  }

  // What the core accepts at this edge; true where it is something.
  bool accept(uint64_t cycle) {
    const bool beat = beat_offered_ && field(core_.in_ready_o, stream_, 1);
    const bool head = head_offered_ && field(core_.msg_ready_o, stream_, 1);
    if (beat) accept_beat(cycle);
    if (head) {
      open_.push_back(head_++);
      head_offered_ = false;
    }
    return beat || head;
  }

 private:
  void drive_head(int p_msg) {
    const std::vector<Message>& messages = script_.messages;
    if (!head_offered_)
      head_offered_ = head_ < mine_.size() && missing() == kNone && random_.chance(p_msg);
    set_field(core_.msg_valid_i, stream_, 1, head_offered_);
    // A channel that offers nothing shows something else: it must not count.
    const Message& now = messages[head_offered_ ? mine_[head_] : random_.next() % messages.size()];
    set_field(core_.msg_decrypt_i, stream_, 1, now.decrypt);
    set_field(core_.msg_slot_i, stream_, 4, now.slot);
    put_block(core_.msg_iv_i, stream_, now.iv);
    set_field(core_.msg_iv_bytes_i, stream_, 5, now.iv_bytes);
    set_field(core_.msg_aad_bytes_i, stream_, 32, now.aad_bytes);
    set_field(core_.msg_text_bytes_i, stream_, 32, now.text_bytes);
    set_field(core_.msg_tag_bytes_i, stream_, 5, now.tag_bytes);
  }

  void drive_beat(int p_in) {
    const std::vector<Beat>& beats = script_.beats;
    if (!beat_offered_) beat_offered_ = text_ < mine_.size() && random_.chance(p_in);
    set_field(core_.in_valid_i, stream_, 1, beat_offered_);
    const Beat& now = beats[beat_offered_ ? script_.messages[mine_[text_]].first + beat_
                                          : random_.next() % beats.size()];
    put_block(core_.in_data_i, stream_, now.data);
    set_field(core_.in_bytes_i, stream_, 5, now.bytes);
    set_field(core_.in_part_i, stream_, 2, now.part);
    set_field(core_.in_last_i, stream_, 1, now.last);
  }

  void accept_beat(uint64_t cycle) {
    if (text_ >= head_) fail(cycle, "a beat was accepted before its message");
    if (++beat_ == script_.messages[mine_[text_]].beats) {
      beat_ = 0;
      ++text_;
    }
    beat_offered_ = false;
  }

  Core& core_;
  size_t stream_;
  Script& script_;
  Random& random_;
  std::vector<uint32_t> mine_;  // the messages of this stream
  std::deque<uint32_t> open_;   // those that have begun and not ended
  // The next message; the next beat, and the message that it is of.
  uint32_t head_ = 0, text_ = 0, beat_ = 0;
  bool head_offered_ = false, beat_offered_ = false, held_ = false;
  Result shown_{};
};

}  // namespace bench

#endif
