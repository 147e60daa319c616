// SPDX-License-Identifier: Apache-2.0
//
// The message ports of a core behind AXI4-Stream: messages become packets, packets answers, and the
// rules of the bus are checked in every cycle. What the packets are says docs/buses.md.
//
// With one stream TID is another one for every packet. With several it is the number of the stream,
// and their transfers are mixed at random; where nothing stalls, they come in turn. Between them come
// transfers of numbers that no stream has.
//
//   RSM_STREAMS    streams, each with a message port
//   RSM_TID_BITS   bits of TID, 0 where there is none
//   RSM_KEY_SLOTS  key slots of a stream
#ifndef ROUNDSMITH_STREAM_PORT_H
#define ROUNDSMITH_STREAM_PORT_H

#include <array>
#include <deque>

#include "message_port.h"
#include "packet_port.h"

namespace bench {

template <class Model>
class StreamPort : public SidePort {
  static constexpr size_t kBytes = sizeof(Model::s_axis_tdata);
  static constexpr bool kTid = requires(Model& m) { m.s_axis_tid; };
  static constexpr uint32_t kTids = uint64_t{1} << RSM_TID_BITS;
  static constexpr bool kKeySlot = requires(Model& m) { m.s_axis_key_tid; };
  static constexpr size_t kStreams = RSM_STREAMS;
  static constexpr size_t kNobody = kStreams;  // whose transfers are dropped
  static constexpr bool kDrops = kStreams > 1 && kStreams < kTids;

  using Transfer = bench::Transfer<kBytes>;
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
    key_ready_o = up && key_.empty() && ports_[owner(key_slot_i)].key_may_come();
    idle_o = model_.idle_o && key_.empty();
    for (size_t s = 0; s < kStreams; ++s) {
      ports_[s].begin_cycle(up);
      show(s, ports_[s]);
      idle_o = idle_o && ports_[s].quiet();
    }
  }

  static size_t owner(size_t slot) { return kStreams > 1 ? slot / RSM_KEY_SLOTS % kStreams : 0; }

  void drive() {
    model_.clk_i = 0;
    model_.rst_ni = rst_ni;
    model_.clear_i = clear_i;
    // What is not offered shows something else: it must not count.
    if (!in_offered_) in_ = noise();
    model_.s_axis_tvalid = in_offered_;
    std::memcpy(&model_.s_axis_tdata, in_.data, kBytes);
    model_.s_axis_tkeep = keep(in_.bytes);
    model_.s_axis_tlast = in_.last;
    model_.s_axis_tuser = in_.user;
    if constexpr (kTid) model_.s_axis_tid = in_.tid;
    const auto other = static_cast<uint32_t>(still_ ? 0 : random_.next());
    Word key{other, static_cast<uint8_t>(other % (RSM_KEY_SLOTS * kStreams)), (other & 1) != 0};
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
    made.tid = static_cast<uint32_t>(more >> 12) & (kTids - 1);
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
    for (const Port& port : ports_)
      if (port.inside() > 0 && model_.idle_o)
        fail(cycle_, "idle_o is high while a packet is inside");
    if (out_held_ && !valid) fail(cycle_, "a transfer that was not taken has gone");
    if (!valid) return;
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
    if (out_held_ && !(now == shown_)) fail(cycle_, "a transfer changed while it waited");
    shown_ = now;
    if (whose() >= kStreams) fail(cycle_, "m_axis_tid is that of no stream");
    ports_[whose()].check(now, cycle_);
  }

  // The stream of the answer that stands there.
  size_t whose() const { return kStreams > 1 ? shown_.tid : 0; }

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
    for (size_t s = 0; s < kStreams; ++s) {
      bring(s, ports_[s]);
      ports_[s].end_cycle();
    }
    if (out_moves) ports_[whose()].take(shown_, cycle_);
    if (in_moves) {
      if (sender_ != kNobody) ports_[sender_].sent();
      in_offered_ = false;
    }
    if (key_moves) {
      ports_[owner(key_.front().slot)].key_begins();
      key_.pop_front();
      key_offered_ = false;
    }
    accept_key();
    for (size_t s = 0; s < kStreams; ++s) {
      const auto any = static_cast<uint32_t>(random_.next() >> 32) & (kTids - 1);
      ports_[s].accept(kStreams > 1 ? s : any, random_);
    }
    if (!in_offered_) offer();
    if (!key_offered_) key_offered_ = !key_.empty() && random_.chance(chances_.key);
    const auto has_room = [](const Port& port) { return port.has_room(); };
    out_taken_ = std::all_of(ports_.begin(), ports_.end(), has_room) && random_.chance(chances_.out);
  }

  // Offers the next transfer of one of the streams: any of them, or the next one in turn.
  void offer() {
    const bool stalls = chances_.in < 256;
    if (kDrops && stalls && random_.chance(8)) {
      in_ = noise();
      in_.tid = kStreams + in_.tid % (kTids - kStreams);
      sender_ = kNobody;
      in_offered_ = true;
      return;
    }
    const size_t first = stalls && kStreams > 1 ? random_.next() : last_ + 1;
    for (size_t i = 0; i < kStreams && !in_offered_; ++i) {
      sender_ = (first + i) % kStreams;
      in_offered_ = ports_[sender_].has_transfer();
    }
    in_offered_ = in_offered_ && random_.chance(chances_.in);
    if (!in_offered_) return;
    in_ = ports_[sender_].transfer();
    last_ = sender_;
  }

  void forget() {
    key_.clear();
    for (Port& port : ports_) port.forget();
    in_offered_ = key_offered_ = out_held_ = out_taken_ = false;
  }

  void accept_key() {
    if (!key_valid_i || !key_ready_o) return;
    uint8_t bytes[RSM_KEY_BITS / 8];
    get(key_i, bytes);
    for (size_t i = 0; i < key_bytes(); i += 4) {
      Word word{0, key_slot_i, i + 4 == key_bytes()};
      std::memcpy(&word.data, bytes + i, 4);
      key_.push_back(word);
    }
    ports_[owner(key_slot_i)].key_comes();
  }

  using Port = PacketPort<kBytes>;

  Chances chances_;
  Random random_;
  Model model_;
  uint64_t cycle_ = 0;
  bool started_ = false, dropped_ = true, still_ = false;
  std::array<Port, kStreams> ports_;
  std::deque<Word> key_;
  Transfer in_;                            // at the bus
  size_t sender_ = 0, last_ = 0;           // whose it is, and whose the last one was
  bool in_offered_ = false, key_offered_ = false;
  bool out_taken_ = false, out_held_ = false;
  Transfer shown_;
};

}  // namespace bench

#endif
