// SPDX-License-Identifier: Apache-2.0
//
// Drives one core with a mode of operation, RTL or netlist, through its message port: offers keys,
// messages and their beats, takes the answers, stalls every side at random, clears and resets at
// random, and checks the rules of the port in every cycle. It knows no mode: the answers that it
// writes are judged elsewhere. A core behind a bus is driven in the same way, through a class that
// has a message port and does with the bus what is asked of it there.
//
// Compiled with Verilator's model as Vmodel. Its bus and key signals are seen from the model itself;
//   RSM_KEY_BITS  bits of the key port
//   RSM_TID_BITS  bits of TID of AXI4-Stream, 0 where there is none
//   RSM_SAVE      the model can save its whole state (Verilator's --savable)
//
// Arguments are NAME=VALUE; see `Options`. The stimulus file holds three 32-bit counts (keys,
// messages, beats), then the `Key`s, the `Message`s and the `Beat`s, those of a message one after
// the other. The result file holds one `Result` for every beat that came out. All numbers are
// little-endian. A broken rule ends the run with one sentence on stderr and status 1.
//
// With serve=1 there are no files: stimuli come on the standard input, one after the other, and each
// is answered on the standard output with a 32-bit count and so many `Result`s. Every stimulus
// brings its keys anew.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "Vmodel.h"
#include "bench.h"
#include "message_port.h"
#include "register_port.h"
#include "stream_port.h"
#include "verilated.h"
#ifdef RSM_SAVE
#include "verilated_save.h"
#endif

namespace {

using bench::fail;
using bench::get;
using bench::put;

struct Options {
  std::string stimulus, results, save;
  uint64_t seed = 1;
  uint64_t max_cycles = 1000;    // without any progress
  uint64_t clear_cycles = 1;     // at most, until it is idle
  uint64_t settle_cycles = 2;    // from the last beat or key to idle
  // Chances in 256 that, in a given cycle, ...
  int p_msg = 256;   // ... a waiting message is offered
  int p_in = 256;    // ... a waiting beat is offered
  int p_key = 256;   // ... a waiting key is offered
  int p_out = 256;   // ... a beat may be taken
  int p_clear = 0;   // ... in 65536: `clear_i` is high
  int p_reset = 0;   // ... in 65536: `rst_ni` is low
  int end_clear = 0; // clear once more at the end, before the state is saved
  int serve = 0;     // answer on the standard output
};

constexpr int kKeyBytes = RSM_KEY_BITS / 8;
constexpr int kKeyRoom = std::max(32, kKeyBytes);
constexpr int kSlots = 16;
constexpr int kKeysEach = 2;
constexpr uint32_t kNone = 0xffffffff;

#pragma pack(push, 1)
struct Key {
  uint8_t bytes[kKeyRoom];
  uint8_t length, slot;
};
struct Message {
  uint8_t decrypt, slot, iv[16], iv_bytes, tag_bytes;
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

template <class Model>
struct Has {
  static constexpr bool kKeyLength = requires(Model& m) { m.key_len_i; };
  static constexpr bool kKeySlot = requires(Model& m) { m.key_slot_i; };
  static constexpr bool kStream = requires(Model& m) { m.s_axis_tvalid; };
  static constexpr bool kAxiLite = requires(Model& m) { m.s_axi_awvalid; };
  static constexpr bool kWishbone = requires(Model& m) { m.wb_stb; };
  static constexpr bool kApb = requires(Model& m) { m.s_apb_psel; };
};

// `Core` has a message port: the model itself, or what moves messages over its bus.
template <class Core>
class Bench {
  using P = Has<Core>;
  static constexpr bool kBus = std::is_base_of_v<bench::MessagePort, Core>;

 public:
  explicit Bench(const Options& options) : o_(options), random_(options.seed) {
    context_.randReset(2);
    context_.randSeed(static_cast<int>(options.seed & 0x7fffffff) | 1);
    if constexpr (kBus) {
      const bench::Chances chances{o_.p_in, o_.p_key, o_.p_out};
      core_ = std::make_unique<Core>(&context_, chances, options.seed + 1);
    } else {
      core_ = std::make_unique<Core>(&context_);
    }
  }

  void run() {
    reset();
    if (o_.serve) {
      serve();
      return;
    }
    std::ifstream in(o_.stimulus, std::ios::binary);
    load(in);
    out_.open(o_.results, std::ios::binary);
    answer();
    finish();
  }

 private:
  void serve() {
    while (std::cin.peek() != std::char_traits<char>::eof()) {
      load(std::cin);
      head_ = text_ = 0;
      served_.clear();
      std::fill(in_force_, in_force_ + kSlots, kNone);
      progress_ = cycle_;
      answer();
      const auto count = static_cast<uint32_t>(served_.size());
      std::cout.write(reinterpret_cast<const char*>(&count), sizeof count);
      std::cout.write(reinterpret_cast<const char*>(served_.data()), sizeof(Result) * count);
      std::cout.flush();
    }
  }

  // Sends all messages and takes all answers.
  void answer() {
    uint64_t reported = 0;
    while (head_ < messages_.size() || !open_.empty() || text_ < messages_.size()) {
      step();
      if (cycle_ - progress_ > o_.max_cycles)
        fail(cycle_, open_.empty() ? "the core no longer accepts messages"
                                   : "message " + std::to_string(open_.front()) + " never ended");
      if (!o_.serve && done_ - reported >= 4096) {
        reported = done_;
        std::printf("done %llu\n", static_cast<unsigned long long>(done_));
        std::fflush(stdout);
      }
    }
  }

  void load(std::istream& in) {
    uint32_t counts[3] = {0, 0, 0};
    in.read(reinterpret_cast<char*>(counts), sizeof counts);
    keys_.resize(counts[0]);
    messages_.resize(counts[1]);
    beats_.resize(counts[2]);
    in.read(reinterpret_cast<char*>(keys_.data()), sizeof(Key) * keys_.size());
    in.read(reinterpret_cast<char*>(messages_.data()), sizeof(Message) * messages_.size());
    in.read(reinterpret_cast<char*>(beats_.data()), sizeof(Beat) * beats_.size());
    if (!in || keys_.empty() || messages_.empty()) fail(0, "the stimulus file is too short");
    for (const Key& key : keys_)
      if (key.slot >= kSlots) fail(0, "the stimulus names a slot that no core has");
    for (const Message& message : messages_) {
      if (message.beats == 0 || uint64_t{message.first} + message.beats > beats_.size())
        fail(0, "the stimulus has a message without its beats");
      for (uint32_t key : message.keys)
        if (key != kNone && key >= keys_.size()) fail(0, "the stimulus names no key");
    }
  }

  void drive_idle() {
    core_->clear_i = 0;
    core_->msg_valid_i = core_->in_valid_i = core_->key_valid_i = core_->out_ready_i = 0;
  }

  void edge() {
    core_->clk_i = 1;
    core_->eval();
    core_->clk_i = 0;
    ++cycle_;
  }

  void reset() {
    drive_idle();
    core_->clk_i = 0;
    core_->rst_ni = 0;
    for (int i = 0; i < 2; ++i) {
      core_->eval();
      edge();
    }
    core_->rst_ni = 1;
    forget();
  }

  // Everything inside is lost, and what is left of messages that had begun.
  void forget() {
    open_.clear();
    if (beat_ > 0) ++text_;
    head_ = text_ = std::max(head_, text_);
    beat_ = 0;
    std::fill(in_force_, in_force_ + kSlots, kNone);
    head_offered_ = beat_offered_ = key_offered_ = held_ = false;
    progress_ = cycle_;
  }

  // The key that the next message lacks.
  uint32_t missing() const {
    if (head_ >= messages_.size()) return kNone;
    for (uint32_t key : messages_[head_].keys)
      if (key != kNone && in_force_[keys_[key].slot] != key) return key;
    return kNone;
  }

  void drive_key() {
    const uint32_t wanted = missing();
    if (!key_offered_ && wanted != kNone && random_.chance(o_.p_key)) {
      key_offered_ = true;
      key_ = wanted;
    }
    core_->key_valid_i = key_offered_;
    const Key& now = keys_[key_offered_ ? key_ : random_.next() % keys_.size()];
    put(core_->key_i, now.bytes);
    if constexpr (P::kKeyLength) core_->key_len_i = now.length;
    if constexpr (P::kKeySlot) core_->key_slot_i = now.slot;
  }

  void drive_head() {
    if (!head_offered_)
      head_offered_ = head_ < messages_.size() && missing() == kNone && random_.chance(o_.p_msg);
    core_->msg_valid_i = head_offered_;
    // A channel that offers nothing shows something else: it must not count.
    const Message& now = messages_[head_offered_ ? head_ : random_.next() % messages_.size()];
    core_->msg_decrypt_i = now.decrypt;
    core_->msg_slot_i = now.slot;
    put(core_->msg_iv_i, now.iv);
    core_->msg_iv_bytes_i = now.iv_bytes;
    core_->msg_aad_bytes_i = now.aad_bytes;
    core_->msg_text_bytes_i = now.text_bytes;
    core_->msg_tag_bytes_i = now.tag_bytes;
  }

  void drive_beat() {
    if (!beat_offered_) beat_offered_ = text_ < messages_.size() && random_.chance(o_.p_in);
    core_->in_valid_i = beat_offered_;
    const Beat& now = beats_[beat_offered_ ? messages_[text_].first + beat_
                                           : random_.next() % beats_.size()];
    put(core_->in_data_i, now.data);
    core_->in_bytes_i = now.bytes;
    core_->in_part_i = now.part;
    core_->in_last_i = now.last;
  }

  void step() {
    const bool clear = random_.rare(o_.p_clear) && may_clear();
    const bool reset_now = random_.rare(o_.p_reset);
    core_->clear_i = clear;
    core_->rst_ni = !reset_now;
    drive_key();
    drive_head();
    drive_beat();
    core_->out_ready_i = random_.chance(o_.p_out);
    core_->eval();
    take();
    if (core_->idle_o && (!open_.empty() || beat_ > 0))
      fail(cycle_, "idle_o is high while a message is inside");
    if (core_->key_valid_i && core_->key_ready_o) {
      in_force_[keys_[key_].slot] = key_;
      key_offered_ = false;
      progress_ = cycle_;
    }
    if (core_->in_valid_i && core_->in_ready_o) accept_beat();
    if (core_->msg_valid_i && core_->msg_ready_o) {
      open_.push_back(head_++);
      head_offered_ = false;
      progress_ = cycle_;
    }
    edge();
    if (reset_now) {
      core_->rst_ni = 1;
      forget();
    } else if (clear) {
      forget();
      check_clear();
    }
  }

  void accept_beat() {
    if (text_ >= head_) fail(cycle_, "a beat was accepted before its message");
    if (++beat_ == messages_[text_].beats) {
      beat_ = 0;
      ++text_;
    }
    beat_offered_ = false;
    progress_ = cycle_;
  }

  void take() {
    if (held_ && !core_->out_valid_o) fail(cycle_, "a beat that was not taken has gone");
    if (!core_->out_valid_o) return;
    if (open_.empty()) fail(cycle_, "a beat came out that no message asked for");
    Result now{};
    get(core_->out_data_o, now.data);
    now.bytes = core_->out_bytes_o;
    now.part = core_->out_part_o;
    now.last = core_->out_last_o;
    now.status = core_->out_status_o;
    if (held_ && std::memcmp(&now, &result_, offsetof(Result, message)) != 0)
      fail(cycle_, "a beat changed while it waited");
    result_ = now;
    for (int i = now.bytes; i < 16; ++i)
      if (now.data[i] != 0) fail(cycle_, "a byte behind the last one is not zero");
    if (!now.last && now.status != 0) fail(cycle_, "a status came before the last beat");
    held_ = !core_->out_ready_i;
    if (held_) return;
    result_.message = open_.front();
    result_.cycle = cycle_;
    if (o_.serve) served_.push_back(result_);
    else out_.write(reinterpret_cast<const char*>(&result_), sizeof result_);
    if (now.last) {
      if (open_.front() == text_) fail(cycle_, "a message ended before its last beat was taken in");
      open_.pop_front();
    }
    ++done_;
    progress_ = cycle_;
  }

  // After clear: nothing valid, nothing ready, and idle after the promised cycles at most.
  void check_clear() {
    drive_idle();
    for (uint64_t i = 0; i <= o_.clear_cycles; ++i) {
      core_->eval();
      if (core_->out_valid_o) fail(cycle_, "a beat is valid after clear_i");
      if (i == 0 && (core_->in_ready_o || core_->msg_ready_o || core_->key_ready_o))
        fail(cycle_, "something is ready right after clear_i");
      if (i == o_.clear_cycles && !core_->idle_o)
        fail(cycle_, "idle_o is low " + std::to_string(i) + " cycles after clear_i");
      if (i < o_.clear_cycles) edge();
    }
  }

  void finish() {
    drive_idle();
    // After a reset there may be known answers to compute.
    for (uint64_t i = 0; !may_clear(); ++i) {
      if (i >= o_.max_cycles) fail(cycle_, "it does not become idle after a reset");
      core_->eval();
      edge();
    }
    for (uint64_t i = 0;; ++i) {
      core_->eval();
      if (core_->out_valid_o) fail(cycle_, "a beat came out twice");
      if (i >= 2 && core_->idle_o) break;
      if (i >= o_.settle_cycles) fail(cycle_, "idle_o is low although nothing is inside");
      edge();
    }
    const uint64_t cycles = cycle_;
    if (o_.end_clear) {
      zero_inputs();
      core_->clear_i = 1;
      core_->eval();
      edge();
      check_clear();
      edge();
      core_->eval();
    }
#ifdef RSM_SAVE
    if (!o_.save.empty()) {
      VerilatedSave file;
      file.open(o_.save.c_str());
      if constexpr (kBus) file << core_->model();
      else file << *core_;
      file.close();
    }
#endif
    std::printf("cycles %llu\n", static_cast<unsigned long long>(cycles));
  }

  bool may_clear() const {
    if constexpr (kBus) return core_->may_clear();
    return true;
  }

  void zero_inputs() {
    if constexpr (kBus) core_->still();
    static constexpr uint8_t kZero[kKeyRoom] = {};
    put(core_->key_i, kZero);
    put(core_->in_data_i, kZero);
    put(core_->msg_iv_i, kZero);
    if constexpr (P::kKeyLength) core_->key_len_i = 0;
    if constexpr (P::kKeySlot) core_->key_slot_i = 0;
    core_->msg_decrypt_i = core_->msg_slot_i = core_->msg_iv_bytes_i = core_->msg_tag_bytes_i = 0;
    core_->msg_aad_bytes_i = core_->msg_text_bytes_i = 0;
    core_->in_bytes_i = core_->in_part_i = core_->in_last_i = 0;
  }

  Options o_;
  bench::Random random_;
  VerilatedContext context_;
  std::unique_ptr<Core> core_;
  std::vector<Key> keys_;
  std::vector<Message> messages_;
  std::vector<Beat> beats_;
  std::ofstream out_;
  std::vector<Result> served_;
  std::deque<uint32_t> open_;  // messages that have begun and not ended
  // The next message; the next beat, and the message that it is of.
  uint32_t head_ = 0, text_ = 0, beat_ = 0;
  bool head_offered_ = false, beat_offered_ = false;
  uint32_t key_ = 0;
  bool key_offered_ = false;
  uint32_t in_force_[kSlots] = {};
  bool held_ = false;
  Result result_{};
  uint64_t cycle_ = 0, progress_ = 0, done_ = 0;
};

uint64_t number(const std::map<std::string, std::string>& args, const char* name,
                uint64_t fallback) {
  const auto it = args.find(name);
  return it == args.end() ? fallback : std::strtoull(it->second.c_str(), nullptr, 10);
}

template <class Model>
using OnBus = std::conditional_t<
    Has<Model>::kStream, bench::StreamPort<Model>,
    std::conditional_t<
        Has<Model>::kAxiLite, bench::RegisterPort<Model, bench::AxiLite>,
        std::conditional_t<Has<Model>::kWishbone, bench::RegisterPort<Model, bench::Wishbone>,
                           std::conditional_t<Has<Model>::kApb,
                                              bench::RegisterPort<Model, bench::Apb>, Model>>>>;

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> args;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const auto at = arg.find('=');
    if (at == std::string::npos) fail(0, "arguments are NAME=VALUE, not " + arg);
    args[arg.substr(0, at)] = arg.substr(at + 1);
  }
  Options o;
  o.stimulus = args["stimulus"];
  o.results = args["results"];
  o.save = args["save"];
  o.seed = number(args, "seed", 1);
  o.max_cycles = number(args, "max_cycles", 1000);
  o.clear_cycles = number(args, "clear_cycles", 1);
  o.settle_cycles = number(args, "settle_cycles", 2);
  o.p_msg = static_cast<int>(number(args, "p_msg", 256));
  o.p_in = static_cast<int>(number(args, "p_in", 256));
  o.p_key = static_cast<int>(number(args, "p_key", 256));
  o.p_out = static_cast<int>(number(args, "p_out", 256));
  o.p_clear = static_cast<int>(number(args, "p_clear", 0));
  o.p_reset = static_cast<int>(number(args, "p_reset", 0));
  o.end_clear = static_cast<int>(number(args, "end_clear", 0));
  o.serve = static_cast<int>(number(args, "serve", 0));
  Bench<OnBus<Vmodel>>(o).run();
  return 0;
}
