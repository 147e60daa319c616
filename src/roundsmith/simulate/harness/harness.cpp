// SPDX-License-Identifier: Apache-2.0
//
// Drives one core, RTL or netlist, through its block port: offers keys and blocks, takes
// results, stalls either side at random, clears and resets at random, and checks the port's
// rules in every cycle. It knows no cipher: the results it writes are judged elsewhere.
//
// Compiled with Verilator's model as Vmodel. Which signals the port has, and how wide they are,
// is seen from the model; what cannot be seen comes as
//   RSM_LANES     blocks that one handshake moves
//   RSM_WIDTH     bits of the block port in each lane; one bit and eight look alike
//   RSM_KEY_BITS  bits of what the key port takes: the longest key, or all round keys
//   RSM_TAG_BITS  width of the tag, 0 for none
//   RSM_SAVE      the model can save its whole state (Verilator's --savable)
//
// A port that is narrower than its block or key takes it in beats, the most significant first:
// the handshake moves beat 0 and the side band, the others follow in consecutive cycles. A key
// that comes with its block begins with it.
//
// Arguments are NAME=VALUE; see `Options`. The stimulus file holds two 32-bit counts (keys,
// blocks), the `Key`s, then the `Block`s; a `Block` is what one handshake moves. The result
// file holds one `Result` for every block that came out. All numbers are little-endian. A broken
// rule ends the run with one sentence on stderr and status 1.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "Vmodel.h"
#include "bench.h"
#include "verilated.h"
#ifdef RSM_SAVE
#include "verilated_save.h"
#endif

namespace {

using bench::fail;

// How keys and blocks are matched. A core that takes its key with the block always gets the key
// that the block names.
enum KeyMode : int {
  kNamed = 0,        // a key is offered when the next block names it and it is not in force
  kIndependent = 1,  // keys come at any time; a block takes the key in force in its slot
  kAlone = 2,        // as kNamed, but only an idle core is offered anything
};

struct Options {
  std::string stimulus, results, save;
  uint64_t seed = 1;
  uint64_t max_cycles = 1000;   // without any progress
  uint64_t clear_cycles = 1;    // what the spec promises
  uint64_t settle_cycles = 2;   // from the last result or key to idle
  uint64_t idle_wait = 0;       // that an idle core lets a block wait
  int key_mode = kNamed;
  // Chances in 256 that, in a given cycle, ...
  int p_in = 256;    // ... a waiting block is offered
  int p_key = 256;   // ... a waiting key is offered
  int p_out = 256;   // ... a result may be taken
  int p_clear = 0;   // ... in 65536: `clear_i` is high
  int p_reset = 0;   // ... in 65536: `rst_ni` is low
  int end_clear = 0; // clear once more at the end, before the state is saved
};

constexpr int kBlockBytes = 16 * RSM_LANES;
constexpr int kKeyBytes = RSM_KEY_BITS / 8;
constexpr int kKeyRoom = std::max(32, kKeyBytes);
constexpr int kSlots = 16;
constexpr uint32_t kNone = 0xffffffff;

// A key that has waited so long for the blocks before it stops further blocks.
constexpr uint64_t kPatience = 32;

#pragma pack(push, 1)
struct Key {
  uint8_t bytes[kKeyRoom];
  uint8_t length, slot;
};
struct Block {
  uint8_t bytes[kBlockBytes];
  uint8_t decrypt, slot;
  uint32_t key;
};
struct Result {
  uint8_t bytes[kBlockBytes];
  uint32_t block, key;
  uint64_t accepted;  // cycle that accepted the block
  uint64_t appeared;  // first cycle that showed its result
  uint64_t keyed;     // cycle that accepted its key, where there is a key channel
  uint64_t offered;   // first cycle that offered that key
};
#pragma pack(pop)

struct InFlight {
  uint32_t block, key;
  uint64_t accepted, keyed, offered;
};

template <class Port>
constexpr int kBits = RSM_WIDTH == 1 ? 1 : 8 * static_cast<int>(sizeof(Port));

// One beat of what stands at `bytes`. Byte 0 of FIPS 197 comes first, and is the most significant
// byte of the port; in a port of one bit, its most significant bit comes first.
template <class Port>
void put(Port& port, const uint8_t* bytes, int beat = 0) {
  if constexpr (kBits<Port> == 1) {
    port = (bytes[beat / 8] >> (7 - beat % 8)) & 1;
  } else {
    bytes += beat * sizeof port;
    std::reverse_copy(bytes, bytes + sizeof port, reinterpret_cast<uint8_t*>(&port));
  }
}

template <class Port>
void get(const Port& port, uint8_t* bytes, int beat = 0) {
  if constexpr (kBits<Port> == 1) {
    const int place = 7 - beat % 8;
    bytes[beat / 8] = static_cast<uint8_t>((bytes[beat / 8] & ~(1 << place)) | port << place);
  } else {
    const auto* raw = reinterpret_cast<const uint8_t*>(&port);
    std::reverse_copy(raw, raw + sizeof port, bytes + beat * sizeof port);
  }
}

// What the port has; all of it is seen from the model.
template <class Model>
struct Port {
  static constexpr bool kKeyChannel = requires(Model& m) { m.key_valid_i; };
  static constexpr bool kKeyLength = requires(Model& m) { m.key_len_i; };
  static constexpr bool kKeySlot = requires(Model& m) { m.key_slot_i; };
  static constexpr bool kBlockKey = requires(Model& m) { m.in_key_i; };
  static constexpr bool kBlockLength = requires(Model& m) { m.in_len_i; };
  static constexpr bool kDecrypt = requires(Model& m) { m.in_decrypt_i; };
  static constexpr bool kBlockSlot = requires(Model& m) { m.in_slot_i; };
  static constexpr bool kHeld = requires(Model& m) { m.out_ready_i; };
};

template <class Model>
class Bench {
  using P = Port<Model>;
  static_assert(P::kKeyChannel != P::kBlockKey, "keys come one way");
  using InPort = decltype(std::declval<Model>().in_block_i);
  using OutPort = decltype(std::declval<Model>().out_block_o);
  static constexpr int kOutBytes = sizeof(OutPort);
  static constexpr int kInBeats = 8 * kBlockBytes / kBits<InPort>;
  static constexpr int kOutBeats = 8 * kBlockBytes / kBits<OutPort>;

 public:
  explicit Bench(const Options& options) : o_(options), random_(options.seed) {
    context_.randReset(2);
    context_.randSeed(static_cast<int>(options.seed & 0x7fffffff) | 1);
    core_ = std::make_unique<Model>(&context_);
    load();
    out_.open(o_.results, std::ios::binary);
  }

  void run() {
    reset();
    uint64_t reported = 0;
    while (next_block_ < blocks_.size() || !flight_.empty()) {
      step();
      if (cycle_ - progress_ > o_.max_cycles) {
        fail(cycle_, flight_.empty()
                         ? "the core no longer accepts blocks"
                         : "block " + std::to_string(flight_.front().block) + " never came out");
      }
      if (done_ - reported >= 4096) {
        reported = done_;
        std::printf("done %llu\n", static_cast<unsigned long long>(done_));
        std::fflush(stdout);
      }
    }
    finish();
  }

 private:
  void load() {
    std::ifstream in(o_.stimulus, std::ios::binary);
    uint32_t counts[2] = {0, 0};
    in.read(reinterpret_cast<char*>(counts), sizeof counts);
    keys_.resize(counts[0]);
    blocks_.resize(counts[1]);
    in.read(reinterpret_cast<char*>(keys_.data()), sizeof(Key) * keys_.size());
    in.read(reinterpret_cast<char*>(blocks_.data()), sizeof(Block) * blocks_.size());
    if (!in || keys_.empty() || blocks_.empty()) fail(0, "the stimulus file is too short");
    for (const Key& key : keys_) {
      if (key.slot >= kSlots) fail(0, "the stimulus names a slot that no core has");
    }
    for (const Block& block : blocks_) {
      if (block.slot >= kSlots || block.key >= keys_.size())
        fail(0, "the stimulus names a slot or a key that is not there");
      if (o_.key_mode != kIndependent && block.slot != keys_[block.key].slot)
        fail(0, "the stimulus has a block in another slot than its key");
    }
  }

  uint64_t tag_of(uint32_t block) const {
#if RSM_TAG_BITS > 0
    // Any function of the block number that uses all bits of the tag.
    return (block * 0x9e3779b97f4a7c15ull) >> (64 - RSM_TAG_BITS);
#else
    (void)block;
    return 0;
#endif
  }

  void drive_idle() {
    core_->clear_i = 0;
    core_->in_valid_i = 0;
    if constexpr (P::kKeyChannel) core_->key_valid_i = 0;
    if constexpr (P::kHeld) core_->out_ready_i = 0;
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

  // Everything inside is lost: by reset or by clear. Keys must be offered again.
  void forget() {
    flight_.clear();
    std::fill(in_force_, in_force_ + kSlots, kNone);
    offered_ = key_offered_ = held_ = false;
    in_beat_ = key_beat_ = out_beat_ = 0;
    waited_ = 0;
    progress_ = cycle_;
  }

  // The block that is offered next, and whether its key is in force.
  const Block& block() const { return blocks_[next_block_]; }
  bool is_keyed() const {
    if constexpr (!P::kKeyChannel) return true;
    const uint32_t key = in_force_[block().slot];
    return o_.key_mode == kIndependent ? key != kNone : key == block().key;
  }

  bool may_offer() const { return o_.key_mode != kAlone || (flight_.empty() && core_->idle_o); }

  bool key_waits() const {
    if (o_.key_mode == kIndependent) return true;
    return next_block_ < blocks_.size() && !is_keyed() && may_offer();
  }

  bool block_waits() const {
    if (next_block_ >= blocks_.size()) return false;
    if (o_.key_mode == kIndependent) return !key_offered_ || cycle_ - key_since_ < kPatience;
    // The first block that can have its key is offered at once, even to a core that expands it.
    return is_keyed() && (may_offer() || in_force_since_[block().slot] + 1 == cycle_);
  }

  void drive_block() {
    if (in_beat_ > 0) {
      // Nothing but the beat may count now.
      core_->in_valid_i = random_.next() >> 63;
      put(core_->in_block_i, rest_.bytes, std::min(in_beat_, kInBeats - 1));
      if constexpr (P::kBlockKey)
        put(core_->in_key_i, keys_[rest_.key].bytes, std::min(in_beat_, kKeyBeats() - 1));
      show(blocks_[random_.next() % blocks_.size()], static_cast<uint32_t>(random_.next()));
      return;
    }
    // A channel that has offered keeps its offer until it is accepted.
    if (!offered_) offered_ = block_waits() && random_.chance(o_.p_in);
    core_->in_valid_i = offered_;
    // A channel that offers nothing shows something else: it must not count.
    const uint32_t shown = offered_ ? next_block_ : random_.next() % blocks_.size();
    const Block& now = blocks_[shown];
    put(core_->in_block_i, now.bytes);
    if constexpr (P::kBlockKey) put(core_->in_key_i, keys_[now.key].bytes);
    show(now, shown);
  }

  // What comes with beat 0 of a block.
  void show(const Block& now, [[maybe_unused]] uint32_t number) {
    if constexpr (P::kBlockLength) core_->in_len_i = keys_[now.key].length;
    if constexpr (P::kDecrypt) core_->in_decrypt_i = now.decrypt;
    if constexpr (P::kBlockSlot) core_->in_slot_i = now.slot;
#if RSM_TAG_BITS > 0
    core_->in_tag_i = tag_of(number);
#endif
  }

  void drive_key() {
    if constexpr (P::kKeyChannel) {
      if (key_beat_ > 0) {
        put(core_->key_i, keys_[key_].bytes, key_beat_);
        core_->key_valid_i = random_.next() >> 63;
        return;
      }
      if (!key_offered_ && key_waits() && random_.chance(o_.p_key)) {
        key_offered_ = true;
        key_since_ = cycle_;
        key_ = o_.key_mode == kIndependent ? next_key_++ % keys_.size() : block().key;
      }
      core_->key_valid_i = key_offered_;
      const Key& now = keys_[key_offered_ ? key_ : random_.next() % keys_.size()];
      put(core_->key_i, now.bytes);
      if constexpr (P::kKeyLength) core_->key_len_i = now.length;
      if constexpr (P::kKeySlot) core_->key_slot_i = now.slot;
    }
  }

  static constexpr int kKeyBeats() {
    if constexpr (P::kKeyChannel)
      return 8 * kKeyBytes / kBits<decltype(std::declval<Model>().key_i)>;
    else
      return 8 * kKeyBytes / kBits<decltype(std::declval<Model>().in_key_i)>;
  }

  // Beats of a block and of what comes with it.
  static constexpr int kFrameBeats() {
    return P::kBlockKey ? std::max(kInBeats, kKeyBeats()) : kInBeats;
  }

  void step() {
    const bool clear = random_.rare(o_.p_clear);
    const bool reset_now = random_.rare(o_.p_reset);
    core_->clear_i = clear;
    core_->rst_ni = !reset_now;
    drive_block();
    drive_key();
    if constexpr (P::kHeld) core_->out_ready_i = random_.chance(o_.p_out);
    core_->eval();

    check_result_is_held();
    take_result();
    check_idle();
    if (in_beat_ > 0) in_beat_ = (in_beat_ + 1) % kFrameBeats();
    else if (core_->in_valid_i && core_->in_ready_o) accept_block();
    if constexpr (P::kKeyChannel) {
      if (key_beat_ > 0) key_beat_ = (key_beat_ + 1) % kKeyBeats();
      else if (core_->key_valid_i && core_->key_ready_o) accept_key();
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

  void accept_block() {
    const Block& now = block();
    uint32_t key = now.key;
    uint64_t keyed = 0, offered = 0;
    if constexpr (P::kKeyChannel) {
      key = in_force_[now.slot];
      keyed = in_force_since_[now.slot];
      offered = in_force_offered_[now.slot];
      if (key == kNone) fail(cycle_, "a block was accepted before the first key of its slot");
    }
    flight_.push_back({next_block_, key, cycle_, keyed, offered});
    rest_ = now;
    in_beat_ = 1 % kFrameBeats();
    ++next_block_;
    offered_ = false;
    progress_ = cycle_;
  }

  // A block that is accepted at the same edge still uses the key before.
  void accept_key() {
    const int slot = keys_[key_].slot;
    in_force_[slot] = key_;
    in_force_since_[slot] = cycle_;
    in_force_offered_[slot] = key_since_;
    key_beat_ = 1 % kKeyBeats();
    key_offered_ = false;
    progress_ = cycle_;
  }

  // An idle core has no block inside, but for beats of a result that is leaving, and takes the next
  // one at once, or within the cycles that the spec says.
  void check_idle() {
    const bool waits = core_->idle_o && in_beat_ == 0 && core_->in_valid_i && !core_->in_ready_o;
    waited_ = waits && is_keyed_now() ? waited_ + 1 : 0;
    if (!core_->idle_o) return;
    if (flight_.size() > (out_beat_ > 0 ? 1 : 0))
      fail(cycle_, "idle_o is high while block " + std::to_string(flight_.front().block) +
                       " is inside");
    if (waited_ > o_.idle_wait)
      fail(cycle_, "idle_o is high although block " + std::to_string(next_block_) +
                       " has its key and must wait");
  }

  bool is_keyed_now() const {
    if constexpr (!P::kKeyChannel) return true;
    return in_force_[block().slot] != kNone;
  }

  void check_result_is_held() {
    if (!held_) return;
    if (!core_->out_valid_o) fail(cycle_, "a result that was not taken has gone");
    uint8_t now[kOutBytes];
    get(core_->out_block_o, now);
    if (std::memcmp(now, result_.bytes, kOutBytes) != 0)
      fail(cycle_, "a result changed while it waited");
  }

  void take_result() {
    if (out_beat_ > 0) {
      get(core_->out_block_o, result_.bytes, out_beat_);
    } else {
      if (!core_->out_valid_o) return;
      if (flight_.empty()) fail(cycle_, "a result came out that no block asked for");
      get(core_->out_block_o, result_.bytes);
      if (!held_) result_.appeared = cycle_;
#if RSM_TAG_BITS > 0
      if (core_->out_tag_o != tag_of(flight_.front().block))
        fail(cycle_, "block " + std::to_string(flight_.front().block) +
                         " came out with another block's tag");
#endif
      if constexpr (P::kHeld) held_ = !core_->out_ready_i;
      if (held_) return;
    }
    out_beat_ = (out_beat_ + 1) % kOutBeats;
    if (out_beat_ > 0) return;
    const InFlight& front = flight_.front();
    result_.block = front.block;
    result_.key = front.key;
    result_.accepted = front.accepted;
    result_.keyed = front.keyed;
    result_.offered = front.offered;
    out_.write(reinterpret_cast<const char*>(&result_), sizeof result_);
    flight_.pop_front();
    ++done_;
    progress_ = cycle_;
  }

  // After clear: nothing valid, nothing ready, and idle after exactly the promised cycles.
  void check_clear() {
    drive_idle();
    for (uint64_t i = 0; i <= o_.clear_cycles; ++i) {
      core_->eval();
      if (core_->out_valid_o) fail(cycle_, "a result is valid after clear_i");
      const bool busy = i < o_.clear_cycles;
      if (busy && core_->idle_o)
        fail(cycle_, "idle_o rose " + std::to_string(i) + " cycles after clear_i, the spec says " +
                         std::to_string(o_.clear_cycles));
      if (!busy && !core_->idle_o)
        fail(cycle_, "idle_o is low " + std::to_string(i) + " cycles after clear_i");
      if (i == 0 && core_->in_ready_o) fail(cycle_, "in_ready_o is high after clear_i");
      if constexpr (P::kKeyChannel) {
        if (i == 0 && core_->key_ready_o) fail(cycle_, "key_ready_o is high after clear_i");
      }
      if (busy) edge();
    }
  }

  void finish() {
    drive_idle();
    for (uint64_t i = 0;; ++i) {
      core_->eval();
      if (core_->out_valid_o) fail(cycle_, "a result came out twice");
      if (i >= 2 && core_->idle_o) break;
      if (i >= o_.settle_cycles) fail(cycle_, "idle_o is low although nothing is inside");
      edge();
    }
    if (o_.end_clear) {
      // The inputs keep their last values: what is cleared must not depend on them. A narrow core
      // may overwrite its state with what stands at its port in the meantime.
      if constexpr (kInBeats > 1) zero_inputs();
      core_->clear_i = 1;
      core_->eval();
      edge();
      check_clear();
      edge();
      // What stands at the inputs now is no secret from before; a register of the port samples it.
      zero_inputs();
      core_->eval();
      edge();
      core_->eval();
    }
#ifdef RSM_SAVE
    if (!o_.save.empty()) {
      VerilatedSave file;
      file.open(o_.save.c_str());
      file << *core_;
      file.close();
    }
#endif
    std::printf("cycles %llu\n", static_cast<unsigned long long>(cycle_));
  }

  void zero_inputs() {
    static constexpr uint8_t kZero[std::max(kBlockBytes, kKeyRoom)] = {};
    put(core_->in_block_i, kZero);
    if constexpr (P::kKeyChannel) put(core_->key_i, kZero);
    if constexpr (P::kKeyLength) core_->key_len_i = 0;
    if constexpr (P::kKeySlot) core_->key_slot_i = 0;
    if constexpr (P::kBlockKey) put(core_->in_key_i, kZero);
    if constexpr (P::kBlockLength) core_->in_len_i = 0;
    if constexpr (P::kDecrypt) core_->in_decrypt_i = 0;
    if constexpr (P::kBlockSlot) core_->in_slot_i = 0;
#if RSM_TAG_BITS > 0
    core_->in_tag_i = 0;
#endif
  }

  Options o_;
  bench::Random random_;
  VerilatedContext context_;
  std::unique_ptr<Model> core_;
  std::vector<Key> keys_;
  std::vector<Block> blocks_;
  std::ofstream out_;
  std::deque<InFlight> flight_;
  // The block channel: the next block, whether it stands offered and how long at an idle core, the
  // next beat of the one that is being sent.
  uint32_t next_block_ = 0;
  bool offered_ = false;
  uint64_t waited_ = 0;
  int in_beat_ = 0;
  Block rest_{};
  // The key channel: the key that stands offered or is being sent, and what each slot holds.
  uint32_t next_key_ = 0, key_ = 0;
  bool key_offered_ = false;
  int key_beat_ = 0;
  uint64_t key_since_ = 0;
  uint32_t in_force_[kSlots] = {};
  uint64_t in_force_since_[kSlots] = {}, in_force_offered_[kSlots] = {};
  // The result that stands at the port.
  bool held_ = false;
  int out_beat_ = 0;
  Result result_{};
  uint64_t cycle_ = 0, progress_ = 0, done_ = 0;
};

int number(const std::map<std::string, std::string>& args, const char* name, int fallback) {
  const auto it = args.find(name);
  return it == args.end() ? fallback : std::atoi(it->second.c_str());
}

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
  o.seed = static_cast<uint64_t>(number(args, "seed", 1));
  o.max_cycles = static_cast<uint64_t>(number(args, "max_cycles", 1000));
  o.clear_cycles = static_cast<uint64_t>(number(args, "clear_cycles", 1));
  o.settle_cycles = static_cast<uint64_t>(number(args, "settle_cycles", 2));
  o.idle_wait = static_cast<uint64_t>(number(args, "idle_wait", 0));
  o.key_mode = number(args, "key_mode", kNamed);
  o.p_in = number(args, "p_in", 256);
  o.p_key = number(args, "p_key", 256);
  o.p_out = number(args, "p_out", 256);
  o.p_clear = number(args, "p_clear", 0);
  o.p_reset = number(args, "p_reset", 0);
  o.end_clear = number(args, "end_clear", 0);
  Bench<Vmodel>(o).run();
  return 0;
}
