// SPDX-License-Identifier: Apache-2.0
//
// Drives one core, RTL or netlist, through its block port: offers keys and blocks, takes
// results, stalls either side at random, clears and resets at random, and checks the port's
// rules in every cycle. It knows no cipher: the ciphertexts it writes are judged elsewhere.
//
// Compiled with Verilator's model as Vmodel, and with
//   RSM_FULL      the core has the full port (else the native one, key with the block)
//   RSM_TAG_BITS  width of the tag, 0 for none
//   RSM_SAVE      the model can save its whole state (Verilator's --savable)
//
// Arguments are NAME=VALUE; see `Options`. The stimulus file holds two 32-bit counts (keys,
// blocks), the keys, then the blocks, 16 bytes each. The result file holds one `Result` for
// every block that came out. All numbers are little-endian. A broken rule ends the run with
// one sentence on stderr and status 1.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "Vmodel.h"
#include "verilated.h"
#ifdef RSM_SAVE
#include "verilated_save.h"
#endif

namespace {

// How keys and blocks are matched.
enum KeyMode : int {
  kPaired = 0,       // block i waits for key i, key i+1 waits for block i
  kIndependent = 1,  // keys come at any time; a block takes the key in force
  kSingle = 2,       // key 0 serves every block
};

struct Options {
  std::string stimulus, results, save;
  uint64_t seed = 1;
  uint64_t max_cycles = 1000;  // without any progress
  uint64_t clear_cycles = 1;   // what the spec promises
  int key_mode = kPaired;
  // Chances in 256 that, in a given cycle, ...
  int p_in = 256;    // ... a waiting block is offered
  int p_key = 256;   // ... a waiting key is offered
  int p_out = 256;   // ... a result may be taken
  int p_clear = 0;   // ... in 65536: `clear_i` is high
  int p_reset = 0;   // ... in 65536: `rst_ni` is low
  int end_clear = 0; // clear once more at the end, before the state is saved
};

struct Block {
  uint8_t bytes[16];
};

#pragma pack(push, 1)
struct Result {
  uint8_t bytes[16];
  uint32_t block, key;
  uint64_t accepted, appeared;
};
#pragma pack(pop)

constexpr uint32_t kNone = 0xffffffff;

struct InFlight {
  uint32_t block, key;
  uint64_t tag, accepted;
};

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {}
  uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545f4914f6cdd1dull;
  }
  bool chance(int in256) { return static_cast<int>((next() >> 32) & 255) < in256; }
  bool rare(int in65536) { return static_cast<int>((next() >> 32) & 65535) < in65536; }

 private:
  uint64_t state_;
};

[[noreturn]] void fail(uint64_t cycle, const std::string& what) {
  std::fprintf(stderr, "cycle %llu: %s\n", static_cast<unsigned long long>(cycle), what.c_str());
  std::exit(1);
}

// Byte 0 of FIPS 197 is the most significant byte of the port.
void put(VlWide<4>& port, const Block& block) {
  for (int word = 0; word < 4; ++word) {
    const uint8_t* b = block.bytes + 4 * (3 - word);
    port[word] = uint32_t(b[0]) << 24 | uint32_t(b[1]) << 16 | uint32_t(b[2]) << 8 | b[3];
  }
}

Block get(const VlWide<4>& port) {
  Block block;
  for (int word = 0; word < 4; ++word) {
    for (int i = 0; i < 4; ++i) block.bytes[4 * (3 - word) + i] = uint8_t(port[word] >> (24 - 8 * i));
  }
  return block;
}

class Bench {
 public:
  explicit Bench(const Options& options) : o_(options), random_(options.seed) {
    context_.randReset(2);
    context_.randSeed(static_cast<int>(options.seed & 0x7fffffff) | 1);
    core_ = std::make_unique<Vmodel>(&context_);
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
    in.read(reinterpret_cast<char*>(keys_.data()), 16 * keys_.size());
    in.read(reinterpret_cast<char*>(blocks_.data()), 16 * blocks_.size());
    if (!in) fail(0, "the stimulus file is too short");
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
#ifdef RSM_FULL
    core_->key_valid_i = 0;
    core_->out_ready_i = 0;
#endif
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

  // Everything inside is lost: by reset or by clear.
  void forget() {
    flight_.clear();
    key_in_force_ = kNone;
    offered_ = key_offered_ = held_ = false;
    // The key that the next block needs must be offered again.
    next_key_ = o_.key_mode == kPaired ? next_block_ : o_.key_mode == kSingle ? 0 : next_key_;
  }

  bool key_waits() const {
    if (next_key_ >= keys_.size()) return false;
    if (o_.key_mode == kPaired) return next_key_ == next_block_;
    return true;
  }

  bool block_waits() const {
    if (next_block_ >= blocks_.size()) return false;
#ifdef RSM_FULL
    if (o_.key_mode == kPaired) return key_in_force_ == next_block_;
#endif
    return true;
  }

  void step() {
    // A channel that has offered keeps its offer until it is accepted.
    if (!offered_) offered_ = block_waits() && random_.chance(o_.p_in);
    core_->in_valid_i = offered_;
    if (offered_) {
      put(core_->in_block_i, blocks_[next_block_]);
#if RSM_TAG_BITS > 0
      core_->in_tag_i = tag_of(next_block_);
#endif
    }
#ifdef RSM_FULL
    if (!key_offered_) key_offered_ = key_waits() && random_.chance(o_.p_key);
    core_->key_valid_i = key_offered_;
    if (key_offered_) put(core_->key_i, keys_[next_key_]);
    core_->out_ready_i = random_.chance(o_.p_out);
#else
    if (offered_) put(core_->in_key_i, keys_[o_.key_mode == kSingle ? 0 : next_block_]);
#endif
    const bool clear = random_.rare(o_.p_clear);
    const bool reset_now = random_.rare(o_.p_reset);
    core_->clear_i = clear;
    core_->rst_ni = !reset_now;
    core_->eval();

    check_result_is_held();
    take_result();
    const bool accepted = core_->in_valid_i && core_->in_ready_o;
#ifdef RSM_FULL
    const bool key_accepted = core_->key_valid_i && core_->key_ready_o;
    const uint32_t key = key_in_force_;
    if (accepted && key == kNone) fail(cycle_, "a block was accepted before the first key");
#else
    const uint32_t key = o_.key_mode == kSingle ? 0 : next_block_;
#endif
    if (accepted) {
      flight_.push_back({next_block_, key, tag_of(next_block_), cycle_});
      ++next_block_;
      offered_ = false;
      progress_ = cycle_;
    }
#ifdef RSM_FULL
    if (key_accepted) {
      key_in_force_ = next_key_++;
      if (o_.key_mode == kIndependent) next_key_ %= keys_.size();  // never run out of keys
      key_offered_ = false;
    }
#endif
    edge();
    if (reset_now) {
      core_->rst_ni = 1;
      forget();
    } else if (clear) {
      forget();
      check_clear();
    }
  }

  void check_result_is_held() {
#ifdef RSM_FULL
    if (!held_) return;
    if (!core_->out_valid_o) fail(cycle_, "a result that was not taken has gone");
    const Block now = get(core_->out_block_o);
    if (std::memcmp(now.bytes, held_block_.bytes, 16) != 0)
      fail(cycle_, "a result changed while it waited");
#endif
  }

  void take_result() {
    if (!core_->out_valid_o) return;
    if (flight_.empty()) fail(cycle_, "a result came out that no block asked for");
    InFlight& front = flight_.front();
    const Block block = get(core_->out_block_o);
#ifdef RSM_FULL
    if (!held_) appeared_ = cycle_;
    held_ = !core_->out_ready_i;
    held_block_ = block;
    if (held_) return;
#else
    appeared_ = cycle_;
#endif
#if RSM_TAG_BITS > 0
    if (core_->out_tag_o != front.tag)
      fail(cycle_, "block " + std::to_string(front.block) + " came out with another block's tag");
#endif
    Result result;
    std::memcpy(result.bytes, block.bytes, 16);
    result.block = front.block;
    result.key = front.key;
    result.accepted = front.accepted;
    result.appeared = appeared_;
    out_.write(reinterpret_cast<const char*>(&result), sizeof result);
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
#ifdef RSM_FULL
      if (i == 0 && core_->key_ready_o) fail(cycle_, "key_ready_o is high after clear_i");
#endif
      if (busy) edge();
    }
  }

  void finish() {
    drive_idle();
    for (int i = 0; i < 2; ++i) {
      core_->eval();
      if (core_->out_valid_o) fail(cycle_, "a result came out twice");
      edge();
    }
    core_->eval();
    if (!core_->idle_o) fail(cycle_, "idle_o is low although nothing is inside");
    if (o_.end_clear) {
      // The inputs keep their last values: what is cleared must not depend on them.
      core_->clear_i = 1;
      core_->eval();
      edge();
      check_clear();
      edge();
      Block zero{};
      put(core_->in_block_i, zero);
#ifdef RSM_FULL
      put(core_->key_i, zero);
#else
      put(core_->in_key_i, zero);
#endif
#if RSM_TAG_BITS > 0
      core_->in_tag_i = 0;
#endif
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

  Options o_;
  Random random_;
  VerilatedContext context_;
  std::unique_ptr<Vmodel> core_;
  std::vector<Block> keys_, blocks_;
  std::ofstream out_;
  std::deque<InFlight> flight_;
  uint32_t next_block_ = 0, next_key_ = 0, key_in_force_ = kNone;
  bool offered_ = false, key_offered_ = false, held_ = false;
  Block held_block_{};
  uint64_t cycle_ = 0, progress_ = 0, appeared_ = 0, done_ = 0;
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
  o.key_mode = number(args, "key_mode", kPaired);
  o.p_in = number(args, "p_in", 256);
  o.p_key = number(args, "p_key", 256);
  o.p_out = number(args, "p_out", 256);
  o.p_clear = number(args, "p_clear", 0);
  o.p_reset = number(args, "p_reset", 0);
  o.end_clear = number(args, "end_clear", 0);
  Bench(o).run();
  return 0;
}
