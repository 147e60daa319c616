// SPDX-License-Identifier: Apache-2.0
//
// Drives one core with a mode of operation, RTL or netlist, through its message port, or that of each
// of its streams: offers keys, messages and their beats, takes the answers, stalls every side at
// random, clears and resets at random, and checks the rules of the port in every cycle. It knows no
// mode: the answers that it writes are judged elsewhere. A core behind a bus is driven in the same
// way, through a class that has a message port and does with the bus what is asked of it there.
//
// Compiled with Verilator's model as Vmodel. Its bus and key signals are seen from the model itself;
//   RSM_KEY_BITS   bits of the key port
//   RSM_STREAMS    streams, each with a message port
//   RSM_TID_BITS   bits of TID of AXI4-Stream, 0 where there is none
//   RSM_KEY_SLOTS  key slots of a stream
//   RSM_MASTER     that the folder of the bus has a `master.h`, which drives its registers
//   RSM_SAVE       the model can save its whole state (Verilator's --savable)
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
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "Vmodel.h"
#include "bench.h"
#include "message_driver.h"
#include "message_port.h"
#include "register_port.h"
#include "stream_port.h"
#include "verilated.h"
#ifdef RSM_MASTER
#include "master.h"
#endif
#ifdef RSM_SAVE
#include "verilated_save.h"
#endif

namespace {

using bench::Beat;
using bench::fail;
using bench::kKeySlots;
using bench::kNone;
using bench::Message;
using bench::put;
using bench::Result;

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

#pragma pack(push, 1)
struct Key {
  uint8_t bytes[kKeyRoom];
  uint8_t length, slot;
};
#pragma pack(pop)

template <class Model>
struct Has {
  static constexpr bool kKeyLength = requires(Model& m) { m.key_len_i; };
  static constexpr bool kKeySlot = requires(Model& m) { m.key_slot_i; };
  static constexpr bool kStream = requires(Model& m) { m.s_axis_tvalid; };
};

// `Core` has a message port: the model itself, or what moves messages over its bus.
template <class Core>
class Bench {
  using P = Has<Core>;
  using Driver = bench::MessageDriver<Core>;
  static constexpr bool kBus = std::is_base_of_v<bench::CorePins, Core>;

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
    for (size_t i = 0; i < RSM_STREAMS; ++i) streams_.emplace_back(*core_, i, script_, random_);
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
      served_.clear();
      std::fill(script_.in_force, script_.in_force + kKeySlots, kNone);
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
    auto waits = [](const Driver& driver) { return !driver.done(); };
    for (auto it = streams_.begin();; step()) {
      it = std::find_if(streams_.begin(), streams_.end(), waits);
      if (it == streams_.end()) break;
      if (cycle_ - progress_ > o_.max_cycles) fail(cycle_, it->waits_for());
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
    std::vector<Message>& messages = script_.messages;
    std::vector<Beat>& beats = script_.beats;
    keys_.resize(counts[0]);
    messages.resize(counts[1]);
    beats.resize(counts[2]);
    in.read(reinterpret_cast<char*>(keys_.data()), sizeof(Key) * keys_.size());
    in.read(reinterpret_cast<char*>(messages.data()), sizeof(Message) * messages.size());
    in.read(reinterpret_cast<char*>(beats.data()), sizeof(Beat) * beats.size());
    if (!in || keys_.empty() || messages.empty()) fail(0, "the stimulus file is too short");
    script_.key_slots.clear();
    for (const Key& key : keys_) script_.key_slots.push_back(key.slot);
    for (const Message& message : messages) {
      if (message.stream >= streams_.size()) fail(0, "the stimulus names a stream that is not there");
      if (message.beats == 0 || uint64_t{message.first} + message.beats > beats.size())
        fail(0, "the stimulus has a message without its beats");
      for (uint32_t key : message.keys)
        if (key != kNone && key >= keys_.size()) fail(0, "the stimulus names no key");
    }
    for (Driver& driver : streams_) driver.begin();
  }

  void drive_idle() {
    core_->clear_i = 0;
    zero(core_->msg_valid_i, core_->in_valid_i, core_->key_valid_i, core_->out_ready_i);
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

  void forget() {
    for (Driver& driver : streams_) driver.forget();
    std::fill(script_.in_force, script_.in_force + kKeySlots, kNone);
    key_offered_ = false;
    progress_ = cycle_;
  }

  // A key that the next message of a stream lacks.
  uint32_t missing() {
    const size_t first = streams_.size() > 1 ? random_.next() % streams_.size() : 0;
    for (size_t i = 0; i < streams_.size(); ++i) {
      const uint32_t key = streams_[(first + i) % streams_.size()].missing();
      if (key != kNone) return key;
    }
    return kNone;
  }

  void drive_key() {
    const uint32_t wanted = key_offered_ ? key_ : missing();
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

  void step() {
    const bool clear = random_.rare(o_.p_clear) && may_clear();
    const bool reset_now = random_.rare(o_.p_reset);
    core_->clear_i = clear;
    core_->rst_ni = !reset_now;
    drive_key();
    for (Driver& driver : streams_) driver.drive(o_.p_msg, o_.p_in);
    for (Driver& driver : streams_) driver.drive_ready(o_.p_out);
    core_->eval();
    for (Driver& driver : streams_) take(driver);
    if (core_->idle_o && std::any_of(streams_.begin(), streams_.end(),
                                     [](const Driver& driver) { return driver.is_inside(); }))
      fail(cycle_, "idle_o is high while a message is inside");
    if (core_->key_valid_i && core_->key_ready_o) {
      script_.in_force[keys_[key_].slot] = key_;
      key_offered_ = false;
      progress_ = cycle_;
    }
    for (Driver& driver : streams_)
      if (driver.accept(cycle_)) progress_ = cycle_;
    edge();
    if (reset_now) {
      core_->rst_ni = 1;
      forget();
    } else if (clear) {
      forget();
      check_clear();
    }
  }

  void take(Driver& driver) {
    Result now;
    if (!driver.take(cycle_, now)) return;
    if (o_.serve) served_.push_back(now);
    else out_.write(reinterpret_cast<const char*>(&now), sizeof now);
    ++done_;
    progress_ = cycle_;
  }

  // After clear: nothing valid, nothing ready, and idle after the promised cycles at most.
  void check_clear() {
    drive_idle();
    for (uint64_t i = 0; i <= o_.clear_cycles; ++i) {
      core_->eval();
      if (any(core_->out_valid_o)) fail(cycle_, "a beat is valid after clear_i");
      if (i == 0 && (any(core_->in_ready_o) || any(core_->msg_ready_o) || core_->key_ready_o))
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
      if (any(core_->out_valid_o)) fail(cycle_, "a beat came out twice");
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
    zero(core_->key_i, core_->in_data_i, core_->msg_iv_i, core_->msg_decrypt_i, core_->msg_slot_i,
         core_->msg_iv_bytes_i, core_->msg_tag_bytes_i, core_->msg_aad_bytes_i,
         core_->msg_text_bytes_i, core_->in_bytes_i, core_->in_part_i, core_->in_last_i);
    if constexpr (P::kKeyLength) core_->key_len_i = 0;
    if constexpr (P::kKeySlot) core_->key_slot_i = 0;
  }

  template <class Pin>
  static bool any(const Pin& pin) {
    const auto* raw = reinterpret_cast<const uint8_t*>(&pin);
    return std::any_of(raw, raw + sizeof pin, [](uint8_t byte) { return byte != 0; });
  }

  template <class... Pins>
  static void zero(Pins&... pins) {
    (std::memset(&pins, 0, sizeof pins), ...);
  }

  Options o_;
  bench::Random random_;
  VerilatedContext context_;
  std::unique_ptr<Core> core_;
  std::vector<Key> keys_;
  bench::Script script_;
  std::vector<Driver> streams_;
  std::ofstream out_;
  std::vector<Result> served_;
  uint32_t key_ = 0;
  bool key_offered_ = false;
  uint64_t cycle_ = 0, progress_ = 0, done_ = 0;
};

uint64_t number(const std::map<std::string, std::string>& args, const char* name,
                uint64_t fallback) {
  const auto it = args.find(name);
  return it == args.end() ? fallback : std::strtoull(it->second.c_str(), nullptr, 10);
}

#ifdef RSM_MASTER
template <class Model>
using OnBus = bench::RegisterPort<Model, bench::Master>;
#else
template <class Model>
using OnBus = std::conditional_t<Has<Model>::kStream, bench::StreamPort<Model>, Model>;
#endif

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
