// SPDX-License-Identifier: Apache-2.0
//
// The message port of a core behind registers: what software does, as accesses of a bus. It reads
// STATUS while there is something to do, and then does all that STATUS allows: takes a beat, loads
// a key, starts a message, pushes a beat. What the registers are says docs/buses.md.
#ifndef ROUNDSMITH_REGISTER_PORT_H
#define ROUNDSMITH_REGISTER_PORT_H

#include <deque>

#include "access.h"
#include "message_port.h"
#include "rsm_registers.h"

namespace bench {

#define RSM_FIELD(field, value) (static_cast<uint32_t>(value) << field##_SHIFT & field##_MASK)
#define RSM_GET(field, word) (((word) & field##_MASK) >> field##_SHIFT)

template <class Model, template <class> class Bus>
class RegisterPort : public MessagePort {
 public:
  RegisterPort(VerilatedContext* context, const Chances& chances, uint64_t seed)
      : chances_(chances), random_(seed), model_(context) {}

  Model& model() { return model_; }
  void still() {}

  // Software cannot know whether an access was made before or after a clear from outside, and known
  // answers, which come first, would begin again.
  bool may_clear() const { return started_ && !busy_; }

  void eval() {
    if (clk_i) end_cycle();
    else begin_cycle();
  }

 private:
  void begin_cycle() {
    model_.clk_i = 0;
    model_.rst_ni = rst_ni;
    model_.clear_i = clear_i;
    if (plan_.empty() && waits()) plan_.push_back({false, RSM_STATUS, 0});
    busy_ = busy_ || (!plan_.empty() && !clear_i && rst_ni);
    bus_.drive(model_, busy_ ? &plan_.front() : nullptr, chances_, random_);
    model_.eval();
    if (model_.idle_o && inside_ > (taking_last() ? 1 : 0))
      fail(cycle_, "idle_o is high while a message is inside");
    key_ready_o = msg_ready_o = !dropped_ && !key_waits_ && !head_waits_;
    in_ready_o = !dropped_ && bodies_ > 0 && !beat_waits_;
    out_valid_o = has_answer_;
    if (has_answer_) show(answer_);
    idle_o = model_.idle_o && !key_waits_ && !head_waits_ && !beat_waits_ && bodies_ == 0 &&
             !has_answer_ && inside_ == 0;
  }

  // Whether something is to be done, now or when STATUS allows it.
  bool waits() const {
    return key_waits_ || head_waits_ || beat_waits_ || (inside_ > 0 && !has_answer_);
  }

  // The last beat of a message may be gone before the bus has said so.
  bool taking_last() const {
    return busy_ && plan_.front().write && plan_.front().address == RSM_OUT_CONTROL && coming_.last;
  }

  void end_cycle() {
    const bool drop = !rst_ni || clear_i;
    const bool done = rst_ni && bus_.done(model_, busy_ ? &plan_.front() : nullptr, cycle_);
    started_ = rst_ni && (started_ || model_.idle_o);
    model_.clk_i = 1;
    model_.eval();
    ++cycle_;
    dropped_ = drop;
    if (drop) {
      forget();
      return;
    }
    if (out_valid_o && out_ready_i) has_answer_ = false;
    if (done) {
      const Access made = plan_.front();
      plan_.pop_front();
      busy_ = false;
      finish(made);
    }
    accept();
  }

  void forget() {
    plan_.clear();
    bus_.reset();
    busy_ = key_waits_ = head_waits_ = beat_waits_ = has_answer_ = false;
    bodies_ = pushable_ = inside_ = 0;
  }

  void accept() {
    if (key_valid_i && key_ready_o) {
      key_waits_ = true;
      get(key_i, key_);
      key_length_ = key_len_i;
      key_size_ = key_bytes();
      key_slot_ = key_slot_i;
    }
    if (in_valid_i && in_ready_o) {
      beat_waits_ = true;
      get(in_data_i, beat_.data);
      beat_.bytes = in_bytes_i;
      beat_.part = in_part_i;
      beat_.last = in_last_i;
      if (in_last_i) --bodies_;
    }
    if (msg_valid_i && msg_ready_o) {
      head_waits_ = true;
      ++bodies_;
      get(msg_iv_i, iv_);
      iv_size_ = msg_iv_bytes_i;
      message_ = RSM_FIELD(RSM_MESSAGE_DECRYPT, msg_decrypt_i) |
                 RSM_FIELD(RSM_MESSAGE_SLOT, msg_slot_i) |
                 RSM_FIELD(RSM_MESSAGE_IV_BYTES, msg_iv_bytes_i) |
                 RSM_FIELD(RSM_MESSAGE_TAG_BYTES, msg_tag_bytes_i);
      aad_bytes_ = msg_aad_bytes_i;
      text_bytes_ = msg_text_bytes_i;
    }
  }

  // --- What is done with the registers ---

  void write(uint32_t address, uint32_t word) {
    plan_.push_back({true, static_cast<uint8_t>(address), word});
  }

  void write_string(uint32_t address, const uint8_t* data, size_t bytes) {
    for (size_t i = 0; i < bytes; i += 4) {
      uint32_t word = 0;
      std::memcpy(&word, data + i, std::min<size_t>(4, bytes - i));
      write(static_cast<uint32_t>(address + i), word);
    }
  }

  // An access was made.
  void finish(const Access& made) {
    if (made.error)
      fail(cycle_, "the access to register " + std::to_string(made.address) + " gives an error");
    if (!made.write && made.address == RSM_STATUS) act(made.word);
    if (!made.write && made.address >= RSM_DATA_OUT && made.address < RSM_DATA_OUT + 16)
      std::memcpy(coming_.data + (made.address - RSM_DATA_OUT), &made.word, 4);
    if (made.write && made.address == RSM_COMMAND && made.word & RSM_COMMAND_START_MASK) {
      head_waits_ = false;
      ++pushable_;
      ++inside_;
    }
    if (made.write && made.address == RSM_COMMAND && made.word & RSM_COMMAND_LOAD_KEY_MASK)
      key_waits_ = false;
    if (made.write && made.address == RSM_IN_CONTROL) {
      beat_waits_ = false;
      if (beat_.last) --pushable_;
    }
    if (made.write && made.address == RSM_OUT_CONTROL) {
      answer_ = coming_;
      has_answer_ = true;
      if (coming_.last) --inside_;
    }
  }

  // Plans what STATUS allows.
  void act(uint32_t status) {
    if (RSM_GET(RSM_STATUS_ERROR, status))
      fail(cycle_, "STATUS says that an access was out of turn");
    if (RSM_GET(RSM_STATUS_OUT_VALID, status) && !has_answer_) {
      if (inside_ == 0) fail(cycle_, "a beat came out that no message asked for");
      coming_.bytes = RSM_GET(RSM_STATUS_OUT_BYTES, status);
      coming_.part = RSM_GET(RSM_STATUS_OUT_PART, status);
      coming_.last = RSM_GET(RSM_STATUS_OUT_LAST, status);
      coming_.status = RSM_GET(RSM_STATUS_TAG_WRONG, status) |
                       RSM_GET(RSM_STATUS_REFUSED, status) << 1;
      for (uint32_t i = 0; i < 16; i += 4)
        plan_.push_back({false, static_cast<uint8_t>(RSM_DATA_OUT + i), 0});
      write(RSM_OUT_CONTROL, RSM_FIELD(RSM_OUT_CONTROL_TAKE, 1));
    }
    if (key_waits_ && RSM_GET(RSM_STATUS_KEY_READY, status)) {
      write(RSM_KEY_CONTROL, RSM_FIELD(RSM_KEY_CONTROL_LENGTH, key_length_) |
                                 RSM_FIELD(RSM_KEY_CONTROL_SLOT, key_slot_));
      write_string(RSM_KEY, key_, key_size_);
      write(RSM_COMMAND, RSM_FIELD(RSM_COMMAND_LOAD_KEY, 1));
    }
    if (head_waits_ && RSM_GET(RSM_STATUS_START_READY, status)) {
      write(RSM_MESSAGE, message_);
      write_string(RSM_IV, iv_, iv_size_);
      write(RSM_AAD_BYTES, aad_bytes_);
      write(RSM_TEXT_BYTES, text_bytes_);
      write(RSM_COMMAND, RSM_FIELD(RSM_COMMAND_START, 1));
    }
    if (beat_waits_ && pushable_ > 0 && RSM_GET(RSM_STATUS_IN_READY, status)) {
      write_string(RSM_DATA_IN, beat_.data, beat_.bytes);
      write(RSM_IN_CONTROL, RSM_FIELD(RSM_IN_CONTROL_BYTES, beat_.bytes) |
                                RSM_FIELD(RSM_IN_CONTROL_PART, beat_.part) |
                                RSM_FIELD(RSM_IN_CONTROL_LAST, beat_.last));
    }
  }

  Chances chances_;
  Random random_;
  Model model_;
  Bus<Model> bus_;
  uint64_t cycle_ = 0;
  bool started_ = false, dropped_ = true;
  std::deque<Access> plan_;
  bool busy_ = false;  // the first access of the plan is on the bus
  // What was accepted and is not in the registers yet.
  bool key_waits_ = false, head_waits_ = false, beat_waits_ = false;
  uint8_t key_[RSM_KEY_BITS / 8] = {}, key_length_ = 0, key_slot_ = 0;
  size_t key_size_ = 0;
  uint8_t iv_[16] = {};
  size_t iv_size_ = 0;
  uint32_t message_ = 0, aad_bytes_ = 0, text_bytes_ = 0;
  Answered beat_;
  int bodies_ = 0;    // messages whose last beat was not accepted
  int pushable_ = 0;  // messages that were started and whose last beat is not in the registers
  int inside_ = 0;    // messages that were started and have not ended
  bool has_answer_ = false;
  Answered answer_, coming_;  // the beat that was taken, and the one that is being read
};

#undef RSM_FIELD
#undef RSM_GET

}  // namespace bench

#endif
