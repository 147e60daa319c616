// SPDX-License-Identifier: Apache-2.0
//
// The message port of a core behind AXI4-Stream: messages become packets, packets answers, and the
// rules of the bus are checked in every cycle. What the packets are says docs/buses.md.
//
// A header that ends a packet without a beat says so itself, or an empty transfer does. TID is
// another one for every packet.
//
//   RSM_TID_BITS  bits of TID, 0 where there is none
#ifndef ROUNDSMITH_STREAM_PORT_H
#define ROUNDSMITH_STREAM_PORT_H

#include <deque>

#include "message_port.h"

namespace bench {

template <class Model>
class StreamPort : public MessagePort {
  static constexpr size_t kBytes = sizeof(Model::s_axis_tdata);
  static constexpr uint8_t kHeader = 4, kText = 1;
  static constexpr bool kTid = requires(Model& m) { m.s_axis_tid; };
  static constexpr uint32_t kTidMask = (uint64_t{1} << RSM_TID_BITS) - 1;
  static constexpr bool kKeySlot = requires(Model& m) { m.s_axis_key_tid; };

  struct Transfer {
    uint8_t data[kBytes] = {};
    size_t bytes = 0;
    uint8_t user = 0;
    bool last = false;
    uint32_t tid = 0;
    bool ends_header = false;
    bool operator==(const Transfer&) const = default;
  };
  struct Word {
    uint32_t data;
    uint8_t slot;
    bool last;
  };

 public:
  StreamPort(VerilatedContext* context, const Chances& chances, uint64_t seed)
      : chances_(chances), random_(seed), model_(context) {}

  Model& model() { return model_; }

  // From now on pins that say nothing are zero.
  void still() { still_ = true; }

  // Known answers come first, and a clear would begin them again.
  bool may_clear() const { return started_; }

  void eval() {
    if (clk_i) end_cycle();
    else begin_cycle();
  }

 private:
  void begin_cycle() {
    drive();
    model_.eval();
    look();
    const bool up = !dropped_;
    key_ready_o = up && key_.empty() && !head_waits_ && headers_ == 0;
    msg_ready_o = up && key_.empty() && !head_waits_;
    in_ready_o = up && body_ && in_.size() < 2;
    out_valid_o = !out_.empty();
    if (out_valid_o) show(out_.front());
    idle_o = model_.idle_o && quiet();
  }

  // Whether nothing is here.
  bool quiet() const {
    return key_.empty() && !head_waits_ && !body_ && in_.empty() && open_.bytes == 0 &&
           out_.empty() && partial_.bytes == 0;
  }

  void drive() {
    model_.clk_i = 0;
    model_.rst_ni = rst_ni;
    model_.clear_i = clear_i;
    // What is not offered shows something else: it must not count.
    Transfer in = in_offered_ ? in_.front() : noise();
    model_.s_axis_tvalid = in_offered_;
    std::memcpy(&model_.s_axis_tdata, in.data, kBytes);
    model_.s_axis_tkeep = keep(in.bytes);
    model_.s_axis_tlast = in.last;
    model_.s_axis_tuser = in.user;
    if constexpr (kTid) model_.s_axis_tid = in.tid & kTidMask;
    const auto other = static_cast<uint32_t>(still_ ? 0 : random_.next());
    Word key{other, static_cast<uint8_t>(other & 15), (other & 1) != 0};
    if (key_offered_) key = key_.front();
    model_.s_axis_key_tvalid = key_offered_;
    model_.s_axis_key_tdata = key.data;
    model_.s_axis_key_tlast = key.last;
    if constexpr (kKeySlot) model_.s_axis_key_tid = key.slot;
    model_.m_axis_tready = out_taken_;
  }

  Transfer noise() {
    Transfer made;
    if (still_) return made;
    for (uint8_t& byte : made.data) byte = static_cast<uint8_t>(random_.next() >> 32);
    const uint64_t more = random_.next() >> 32;
    made.bytes = more % (kBytes + 1);
    made.user = more >> 8 & 7;
    made.last = more >> 11 & 1;
    made.tid = static_cast<uint32_t>(more >> 12);
    return made;
  }

  static uint64_t keep(size_t bytes) {
    return bytes == 64 ? ~uint64_t{0} : (uint64_t{1} << bytes) - 1;
  }

  // The answer that stands there, and the rules of the bus.
  void look() {
    if (!rst_ni) return;
    const bool valid = model_.m_axis_tvalid;
    if (model_.key_refused_o) fail(cycle_, "a key was refused");
    if (inside_ > 0 && model_.idle_o) fail(cycle_, "idle_o is high while a packet is inside");
    if (out_held_ && !valid) fail(cycle_, "a transfer that was not taken has gone");
    if (!valid) return;
    if (tids_.empty()) fail(cycle_, "a packet came out that none asked for");
    Transfer now;
    std::memcpy(now.data, &model_.m_axis_tdata, kBytes);
    const uint64_t kept = model_.m_axis_tkeep;
    while (now.bytes < kBytes && kept >> now.bytes & 1) ++now.bytes;
    if (kept != keep(now.bytes)) fail(cycle_, "m_axis_tkeep has a hole");
    for (size_t i = now.bytes; i < kBytes; ++i)
      if (now.data[i] != 0) fail(cycle_, "a byte that m_axis_tkeep leaves out is not zero");
    now.user = model_.m_axis_tuser;
    now.last = model_.m_axis_tlast;
    if constexpr (kTid) now.tid = model_.m_axis_tid;
    if (kTid && now.tid != tids_.front()) fail(cycle_, "m_axis_tid is that of another packet");
    if (out_held_ && !(now == shown_)) fail(cycle_, "a transfer changed while it waited");
    if (short_part_ == (now.user & 3) && now.bytes > 0)
      fail(cycle_, "a transfer was not full, and more of its part followed");
    if (!now.last && (now.user >> 2 || now.bytes == 0))
      fail(cycle_, "a transfer in the middle of a packet has no bytes, or a verdict");
    shown_ = now;
  }

  void end_cycle() {
    const bool drop = !rst_ni || clear_i;
    const bool in_moves = in_offered_ && model_.s_axis_tready;
    const bool key_moves = key_offered_ && model_.s_axis_key_tready;
    const bool out_moves = model_.m_axis_tvalid && out_taken_;
    out_held_ = model_.m_axis_tvalid && !out_taken_;
    started_ = rst_ni && (started_ || model_.idle_o);
    model_.clk_i = 1;
    model_.eval();
    ++cycle_;
    dropped_ = drop;
    if (drop) {
      forget();
      return;
    }
    if (out_valid_o && out_ready_i) out_.pop_front();
    if (out_moves) take_transfer();
    if (in_moves) sent();
    if (key_moves) {
      key_.pop_front();
      key_begun_ = true;
      key_offered_ = false;
    }
    accept();
    if (!in_offered_) in_offered_ = !in_.empty() && random_.chance(chances_.in);
    if (!key_offered_) key_offered_ = !key_.empty() && random_.chance(chances_.key);
    out_taken_ = out_.size() < 2 && random_.chance(chances_.out);
  }

  void forget() {
    key_.clear();
    in_.clear();
    out_.clear();
    tids_.clear();
    open_ = Transfer{};
    partial_ = Answered{};
    headers_ = inside_ = 0;
    head_waits_ = body_ = in_offered_ = key_offered_ = out_held_ = out_taken_ = false;
    short_part_ = -1;
    key_begun_ = true;
  }

  // --- Keys and messages in ---

  void accept() {
    if (key_valid_i && key_ready_o) {
      uint8_t bytes[RSM_KEY_BITS / 8];
      get(key_i, bytes);
      for (size_t i = 0; i < key_bytes(); i += 4) {
        Word word{0, key_slot_i, i + 4 == key_bytes()};
        std::memcpy(&word.data, bytes + i, 4);
        key_.push_back(word);
      }
      key_begun_ = false;
    }
    if (in_valid_i && in_ready_o) accept_beat();
    if (msg_valid_i && msg_ready_o) {
      put_header();
      head_waits_ = true;
    }
    // A message that comes after a key waits for its first word: then it uses it.
    if (head_waits_ && !body_ && key_begun_) {
      head_waits_ = false;
      body_ = true;
      tids_.push_back(kTid ? static_cast<uint32_t>(random_.next() >> 32) & kTidMask : 0);
      append(header_, sizeof header_, kHeader);
      open_.ends_header = true;
      ++headers_;
      // The end of the header may be the end of the packet.
      if (random_.chance(128)) flush();
    }
  }

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

  void sent() {
    if (in_.front().ends_header) {
      --headers_;
      ++inside_;
    }
    in_.pop_front();
    in_offered_ = false;
  }

  // --- Answers out ---

  void take_transfer() {
    const uint8_t part = shown_.user & 3;
    for (size_t i = 0; i < shown_.bytes; ++i) {
      if (partial_.bytes == 16 || (partial_.bytes > 0 && partial_.part != part)) give();
      partial_.part = part;
      partial_.data[partial_.bytes++] = shown_.data[i];
    }
    short_part_ = !shown_.last && shown_.bytes < kBytes ? part : -1;
    if (shown_.last) {
      partial_.part = part;
      partial_.last = 1;
      partial_.status = shown_.user >> 2;
      give();
      if (inside_ == 0) fail(cycle_, "a packet ended before its header was there");
      tids_.pop_front();
      --inside_;
    } else if (partial_.bytes == 16) {
      give();
    }
  }

  void give() {
    out_.push_back(partial_);
    partial_ = Answered{};
  }

  Chances chances_;
  Random random_;
  Model model_;
  uint64_t cycle_ = 0;
  bool started_ = false, dropped_ = true, still_ = false;
  std::deque<Word> key_;
  bool key_begun_ = true;  // its first word is there, or there is none
  uint8_t header_[32] = {};
  bool head_waits_ = false;  // a message was accepted whose header is not on its way yet
  bool body_ = false;        // beats of a message may come
  std::deque<Transfer> in_;
  Transfer open_;     // what more bytes may join
  int headers_ = 0;   // that are on their way
  int inside_ = 0;    // packets whose header is there, and that have not ended
  std::deque<uint32_t> tids_;
  bool in_offered_ = false, key_offered_ = false;
  bool out_taken_ = false, out_held_ = false;
  int short_part_ = -1;  // the part whose last transfer was not full, of the packet that comes out
  Transfer shown_;
  Answered partial_;
  std::deque<Answered> out_;
};

}  // namespace bench

#endif
