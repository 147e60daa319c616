// SPDX-License-Identifier: Apache-2.0
//
// Holds rsm_ghash to the multiplication of NIST SP 800-38D, 6.3, written down bit by bit. First
// every pair of elements with one bit set, which decides every product of a bilinear circuit; then
// messages of random lengths under keys that change, with stalls on all sides; then messages back
// to back, whose cycles are printed for a block.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <vector>

#include "Vmodel.h"
#include "verilated.h"

namespace {

using Block = unsigned __int128;  // the first bit of a block is the most significant one

Block multiply(Block x, Block y) {
  Block z = 0;
  for (int i = 127; i >= 0; --i) {
    if (x >> i & 1) z ^= y;
    y = (y & 1) ? y >> 1 ^ Block{0xe1} << 120 : y >> 1;
  }
  return z;
}

uint64_t state = 88172645463325252ull;
uint64_t next() {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state * 0x2545f4914f6cdd1dull;
}
Block block() { return Block{next()} << 64 | next(); }

template <class Port>
void put(Port& port, Block value) {
  for (int i = 0; i < 4; ++i) port[i] = static_cast<uint32_t>(value >> 32 * i);
}
template <class Port>
Block get(const Port& port) {
  Block value = 0;
  for (int i = 3; i >= 0; --i) value = value << 32 | port[i];
  return value;
}

struct Message {
  bool keyed = false;
  int slot = 0;
  Block key = 0;
  std::vector<Block> blocks;
};

class Bench {
 public:
  Bench() {
    context_.randReset(2);
    core_ = new Vmodel(&context_);
    core_->clk_i = core_->rst_ni = core_->clear_i = 0;
    core_->in_valid_i = core_->key_valid_i = core_->out_ready_i = 0;
    tick();
    core_->rst_ni = 1;
    tick();
  }

  // Returns the cycles from the first block accepted to the last.
  long run(const std::vector<Message>& messages, int p_in, int p_out) {
    size_t message = 0, at = 0;
    bool keyed = false, offered = false;
    long first = -1, last = 0, idle = 0;
    while (message < messages.size() || !due_.empty()) {
      core_->key_valid_i = core_->in_valid_i = 0;
      const bool more = message < messages.size();
      if (more && messages[message].keyed && !keyed && at == 0) {
        core_->key_valid_i = 1;
        core_->key_slot_i = messages[message].slot;
        put(core_->key_i, messages[message].key);
      } else if (more) {
        offered = offered || static_cast<int>(next() & 255) < p_in;
        core_->in_valid_i = offered;
        core_->in_slot_i = messages[message].slot;
        put(core_->in_block_i, messages[message].blocks[at]);
        core_->in_last_i = at + 1 == messages[message].blocks.size();
      }
      core_->out_ready_i = static_cast<int>(next() & 255) < p_out;
      core_->eval();
      ++idle;
      if (core_->out_valid_o && core_->out_ready_i) {
        if (due_.empty() || get(core_->out_hash_o) != due_.front()) fail("a wrong hash");
        due_.pop_front();
        idle = 0;
      }
      if (core_->idle_o && !due_.empty()) fail("idle while a hash is due");
      if (core_->key_valid_i && core_->key_ready_o) {
        keys_[messages[message].slot] = messages[message].key;
        keyed = true;
        idle = 0;
      }
      if (core_->in_valid_i && core_->in_ready_o) {
        if (first < 0) first = cycle_;
        last = cycle_;
        idle = 0;
        offered = false;
        const Message& now = messages[message];
        sum_ = multiply(sum_ ^ now.blocks[at], keys_[now.slot]);
        if (++at == now.blocks.size()) {
          due_.push_back(sum_);
          sum_ = 0;
          at = 0;
          keyed = false;
          ++message;
        }
      }
      if (idle > 10000) fail("it stands still");
      tick();
    }
    return last - first + 1;
  }

  void clear() {
    core_->in_valid_i = core_->key_valid_i = core_->out_ready_i = 0;
    core_->clear_i = 1;
    tick();
    core_->clear_i = 0;
    for (int i = 0; !core_->idle_o; ++i) {
      if (i > 200) fail("not idle after clear_i");
      tick();
      core_->eval();
    }
  }

 private:
  [[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "cycle %ld: %s\n", cycle_, what);
    std::exit(1);
  }
  void tick() {
    core_->eval();
    core_->clk_i = 1;
    core_->eval();
    core_->clk_i = 0;
    core_->eval();
    ++cycle_;
  }

  VerilatedContext context_;
  Vmodel* core_;
  long cycle_ = 0;
  Block keys_[16] = {};
  Block sum_ = 0;
  std::deque<Block> due_;
};

}  // namespace

int main() {
  Bench bench;
  std::vector<Message> pairs;
  for (int i = 0; i < 128; ++i) {
    for (int j = 0; j < 128; ++j) pairs.push_back({j == 0, 0, Block{1} << i, {Block{1} << j}});
  }
  bench.run(pairs, 256, 256);
  std::vector<Message> messages;
  for (int i = 0; i < 3000; ++i) {
    Message message;
    message.slot = static_cast<int>(next() >> 40) % SLOTS;
    message.keyed = i < 4 * SLOTS || (next() >> 33 & 7) == 0;
    if (i < SLOTS) message.slot = i;
    message.key = block();
    const int length = 1 + static_cast<int>(next() >> 50) % 14;
    for (int k = 0; k < length; ++k) message.blocks.push_back(block());
    messages.push_back(message);
  }
  bench.run(messages, 256, 256);
  bench.run(messages, 90, 256);
  bench.run(messages, 256, 20);
  bench.clear();
  bench.run(messages, 128, 128);
  std::vector<Message> plain;
  long blocks = 0;
  for (int i = 0; i < 2000; ++i) {
    Message message;
    for (int k = 0; k < 1 + i % 7; ++k) message.blocks.push_back(block());
    blocks += 1 + i % 7;
    plain.push_back(message);
  }
  const long cycles = bench.run(plain, 256, 256);
  std::printf("%.4f\n", static_cast<double>(cycles) / static_cast<double>(blocks));
  return 0;
}
