// SPDX-License-Identifier: Apache-2.0
//
// The message port of one stream of packets on AXI4-Stream: messages become transfers, transfers
// answers, and what holds of each packet is checked. What the packets are says docs/buses.md.
//
// A header that ends a packet without a beat says so itself, or an empty transfer does.
#ifndef ROUNDSMITH_PACKET_PORT_H
#define ROUNDSMITH_PACKET_PORT_H

#include <deque>

#include "message_port.h"

namespace bench {

template <size_t kBytes>
struct Transfer {
  uint8_t data[kBytes] = {};
  size_t bytes = 0;
  uint8_t user = 0;
  bool last = false;
  uint32_t tid = 0;
  bool ends_header = false;
  bool operator==(const Transfer&) const = default;
};

template <size_t kBytes>
class PacketPort : public MessagePins {
  static constexpr uint8_t kHeader = 4, kText = 1;
  using Transfer = bench::Transfer<kBytes>;

 public:
  // What the pins show to the inputs of this cycle: nothing is ready while the core is not up.
  void begin_cycle(bool up) {
    msg_ready_o = up && key_begun_ && !head_waits_;
    in_ready_o = up && body_ && in_.size() < 2;
    out_valid_o = !out_.empty();
    if (out_valid_o) show(out_.front());
  }

  // Whether a key may come: no header is on its way that the key before it belongs to.
  bool key_may_come() const { return !head_waits_ && headers_ == 0; }

  // A key of this stream was accepted here; its first word was taken.
  void key_comes() { key_begun_ = false; }
  void key_begins() { key_begun_ = true; }

  // Whether nothing is here.
  bool quiet() const {
    return !head_waits_ && !body_ && in_.empty() && open_.bytes == 0 && out_.empty() &&
           partial_.bytes == 0;
  }

  // Packets whose header is there, and that have not ended.
  int inside() const { return inside_; }

  // Whether another answer finds a place.
  bool has_room() const { return out_.size() < 2; }

  void forget() {
    in_.clear();
    out_.clear();
    tids_.clear();
    open_ = Transfer{};
    partial_ = Answered{};
    headers_ = inside_ = 0;
    head_waits_ = body_ = false;
    short_part_ = -1;
    key_begun_ = true;
  }

  // The driver takes the answer that stands here.
  void end_cycle() {
    if (out_valid_o && out_ready_i) out_.pop_front();
  }

  // --- Messages in ---

  bool has_transfer() const { return !in_.empty(); }
  const Transfer& transfer() const { return in_.front(); }

  void sent() {
    if (in_.front().ends_header) {
      --headers_;
      ++inside_;
    }
    in_.pop_front();
  }

  // Accepts what the pins bring; a packet that begins has this TID.
  void accept(uint32_t tid, Random& random) {
    if (in_valid_i && in_ready_o) accept_beat();
    if (msg_valid_i && msg_ready_o) {
      put_header();
      head_waits_ = true;
    }
    // A message that comes after a key waits for its first word: then it uses it.
    if (head_waits_ && !body_ && key_begun_) {
      head_waits_ = false;
      body_ = true;
      tids_.push_back(tid);
      append(header_, sizeof header_, kHeader);
      open_.ends_header = true;
      ++headers_;
      // The end of the header may be the end of the packet.
      if (random.chance(128)) flush();
    }
  }

  // --- Answers out ---

  // What holds of a transfer that stands there.
  void check(const Transfer& now, uint64_t cycle) const {
    if (tids_.empty()) fail(cycle, "a packet came out that none asked for");
    if (now.tid != tids_.front()) fail(cycle, "m_axis_tid is that of another packet");
    if (short_part_ == (now.user & 3) && now.bytes > 0)
      fail(cycle, "a transfer was not full, and more of its part followed");
    if (!now.last && (now.user >> 2 || now.bytes == 0))
      fail(cycle, "a transfer in the middle of a packet has no bytes, or a verdict");
  }

  void take(const Transfer& now, uint64_t cycle) {
    const uint8_t part = now.user & 3;
    for (size_t i = 0; i < now.bytes; ++i) {
      if (partial_.bytes == 16 || (partial_.bytes > 0 && partial_.part != part)) give();
      partial_.part = part;
      partial_.data[partial_.bytes++] = now.data[i];
    }
    short_part_ = !now.last && now.bytes < kBytes ? part : -1;
    if (now.last) {
      partial_.part = part;
      partial_.last = 1;
      partial_.status = now.user >> 2;
      give();
      if (inside_ == 0) fail(cycle, "a packet ended before its header was there");
      tids_.pop_front();
      --inside_;
    } else if (partial_.bytes == 16) {
      give();
    }
  }

 private:
  void put_header() {
    std::memset(header_, 0, sizeof header_);
    header_[0] = msg_decrypt_i;
    header_[1] = msg_slot_i;
    header_[2] = msg_iv_bytes_i;
    header_[3] = msg_tag_bytes_i;
    std::memcpy(header_ + 4, &msg_aad_bytes_i, 4);
    std::memcpy(header_ + 8, &msg_text_bytes_i, 4);
    get(msg_iv_i, header_ + 16);
  }

  void accept_beat() {
    uint8_t data[16];
    get(in_data_i, data);
    if (in_bytes_i == 0 && open_.bytes == 0) open_.user = kText;
    append(data, in_bytes_i, in_part_i);
    open_.last = in_last_i;
    // A beat that is not full ends its part.
    if (in_last_i || in_bytes_i < 16 || open_.bytes == kBytes) flush();
    body_ = !in_last_i;
  }

  // Adds bytes to the transfer that is open.
  void append(const uint8_t* data, size_t bytes, uint8_t user) {
    for (size_t i = 0; i < bytes; ++i) {
      if (open_.bytes == kBytes || (open_.bytes > 0 && open_.user != user)) flush();
      open_.user = user;
      open_.data[open_.bytes++] = data[i];
    }
  }

  void flush() {
    if (open_.bytes == 0 && !open_.last) return;
    open_.tid = tids_.back();
    in_.push_back(open_);
    open_ = Transfer{};
  }

  void give() {
    out_.push_back(partial_);
    partial_ = Answered{};
  }

  bool key_begun_ = true;  // the first word of its key is there, or there is none
  uint8_t header_[32] = {};
  bool head_waits_ = false;  // a message was accepted whose header is not on its way yet
  bool body_ = false;        // beats of a message may come
  std::deque<Transfer> in_;
  Transfer open_;    // what more bytes may join
  int headers_ = 0;  // that are on their way
  int inside_ = 0;
  std::deque<uint32_t> tids_;
  int short_part_ = -1;  // the part whose last transfer was not full, of the packet that comes out
  Answered partial_;
  std::deque<Answered> out_;
};

}  // namespace bench

#endif
