// SPDX-License-Identifier: Apache-2.0
//
// Stands on both sides of rsm_widen: a user of its wide port, and a rigid core behind it that
// answers with the sum of block and key after a number of cycles that is another one every time.
//
// Macros: WIDTH, HELD (1 with a key channel). Arguments: seed, cycles. Ends with status 1 and one
// line at the first fault, else prints how much of each kind of traffic there was.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>

#include "Vmodel.h"
#include "Vmodel___024root.h"
#include "verilated.h"

namespace {

constexpr int Beats = 128 / WIDTH;

using Block = std::array<uint8_t, 16>;

std::mt19937_64 rng;
long cycle = 0;

[[noreturn]] void fail(const char* what) {
  std::printf("cycle %ld: %s\n", cycle, what);
  std::exit(1);
}

void check(bool right, const char* what) {
  if (!right) fail(what);
}

bool chance(int percent) { return static_cast<int>(rng() % 100) < percent; }

Block random_block() {
  Block block;
  for (auto& byte : block) byte = static_cast<uint8_t>(rng());
  return block;
}

// Byte 0 is the most significant one.
void put(VlWide<4>& port, const Block& block) {
  for (int i = 0; i < 4; ++i) {
    const uint8_t* b = &block[4 * (3 - i)];
    port[i] = uint32_t(b[0]) << 24 | uint32_t(b[1]) << 16 | uint32_t(b[2]) << 8 | b[3];
  }
}

Block get(const VlWide<4>& port) {
  Block block;
  for (int i = 0; i < 16; ++i) block[i] = static_cast<uint8_t>(port[3 - i / 4] >> (24 - 8 * (i % 4)));
  return block;
}

uint64_t beat(const Block& block, int number) {
  uint64_t value = 0;
  for (int i = 0; i < WIDTH; ++i) {
    const int bit = number * WIDTH + i;
    value = value << 1 | ((block[bit / 8] >> (7 - bit % 8)) & 1);
  }
  return value;
}

uint64_t any() { return WIDTH == 64 ? rng() : rng() & ((1ull << (WIDTH % 64)) - 1); }

Block sum(const Block& a, const Block& b) {
  Block out;
  for (int i = 0; i < 16; ++i) out[i] = a[i] ^ b[i];
  return out;
}

struct Flight {
  Block block, key;
  int tag;
  long accepted, latency;
};

struct Bench {
  Vmodel top;
  // The user.
  bool block_offered = false, key_offered = false;
  Block block{}, key{};
  int tag = 0;
  // The core: what it takes at present, what it has in work, what it gives.
  int in_beat = 0, key_beat = 0, out_beat = 0;
  Flight taking{}, giving{};
  Block key_taking{}, key_held{};
  bool keyed = !HELD;
  std::deque<Flight> flight;
  long ready_at = 0;
  int quiet = 0;  // cycles since a clear in which nothing is offered
  long blocks = 0, keys = 0, clears = 0, aligned = 0, held_up = 0, close = 0;

  void run(long cycles) {
    top.clk_i = 0;
    top.rst_ni = 0;
    top.clear_i = 0;
    top.eval();
    edge();
    while (cycle < cycles) step();
  }

  void edge() {
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
    ++cycle;
  }

  void forget() {
    block_offered = key_offered = false;
    in_beat = key_beat = out_beat = 0;
    keyed = !HELD;
    flight.clear();
    ready_at = cycle + 1 + Beats;
  }

  void step() {
    const bool clear = quiet == 0 && rng() % 2000 == 0;
    const bool reset = rng() % 4000 == 0;
    top.clear_i = clear;
    top.rst_ni = !reset;
    // The user.
    if (!block_offered) {
      block_offered = quiet == 0 && chance(60);
      block = random_block();
      tag = static_cast<int>(rng() & 15);
    }
    if (!key_offered) {
      key_offered = HELD && quiet == 0 && chance(10);
      key = random_block();
    }
    top.in_valid_i = block_offered;
    top.key_valid_i = key_offered;
    put(top.in_block_i, block);
    put(top.in_key_i, HELD ? random_block() : key);
    put(top.key_i, HELD ? key : random_block());
    // The core.
    const bool free = in_beat == 0 && key_beat == 0 && flight.empty() && cycle >= ready_at;
    const bool key_turn = HELD && (!keyed || cycle / 8 % 4 == 0);
    // It calls itself idle while the beats of a result still leave.
    top.core_idle_i = free;
    top.core_in_ready_i = free && keyed && !key_turn;
    top.core_key_ready_i = free && key_turn;
    const bool gives = !flight.empty() && cycle == flight.front().accepted + flight.front().latency;
    if (gives) {
      giving = flight.front();
      flight.pop_front();
      // The next block may follow at any time, and often as soon as it can, or at the last beat.
      ready_at = cycle + (chance(40) ? 0 : chance(50) ? Beats - 1 : long(rng() % (Beats + 3)));
    }
    top.core_out_valid_i = gives;
    top.core_out_tag_i = gives ? giving.tag : static_cast<int>(rng() & 15);
    const bool leaves = gives || out_beat > 0;
    top.core_out_block_i =
        leaves ? beat(sum(giving.block, giving.key), gives ? 0 : out_beat) : any();
    if (gives) {
      const bool now = cycle >= ready_at;
      top.core_idle_i = false;
      top.core_in_ready_i = now && keyed && !key_turn;
      top.core_key_ready_i = now && key_turn;
    }
    top.eval();

    const bool accepted = top.in_valid_i && top.in_ready_o;
    const bool taken = top.core_in_valid_o && top.core_in_ready_i;
    const bool key_accepted = top.key_valid_i && top.key_ready_o;
    const bool key_taken = top.core_key_valid_o && top.core_key_ready_i;
    const bool between = out_beat > 0 && out_beat < Beats - 1;
    check(accepted == taken, "a block is accepted on one side only");
    check(key_accepted == key_taken, "a key is accepted on one side only");
    check(top.in_ready_o == (top.core_in_ready_i && !between), "in_ready_o is not the core's");
    check(top.key_ready_o == (HELD && top.core_key_ready_i && !between), "key_ready_o is wrong");
    check(top.idle_o == (top.core_idle_i && !leaves), "idle_o is wrong");
    held_up += between && block_offered && top.core_in_ready_i;

    if (in_beat > 0 || taken) {
      if (taken) taking = {block, HELD ? key_held : key, tag, cycle, 0};
      check(top.core_in_block_o == beat(taking.block, in_beat), "a beat of a block is wrong");
      if (!HELD) check(top.core_in_key_o == beat(taking.key, in_beat), "a beat of a key is wrong");
      if (taken) {
        aligned += gives;
        close += out_beat == Beats - 1;
        taking.latency = Beats + long(rng() % 4);
        flight.push_back(taking);
        block_offered = false;
      }
      in_beat = (in_beat + 1) % Beats;
    }
    if (key_beat > 0 || key_taken) {
      if (key_taken) key_taking = key;
      check(top.core_key_o == beat(key_taking, key_beat), "a beat of a new key is wrong");
      if (key_taken) key_offered = false;
      key_beat = (key_beat + 1) % Beats;
      if (key_beat == 0) {
        key_held = key_taking;
        keyed = true;
        ++keys;
      }
    }
    const bool whole = leaves && out_beat == Beats - 1;
    check(top.out_valid_o == whole, "a result comes in the wrong cycle");
    if (whole) {
      check(get(top.out_block_o) == sum(giving.block, giving.key), "a result is wrong");
      check(top.out_tag_o == giving.tag, "a tag is wrong");
      check(cycle == giving.accepted + giving.latency + Beats - 1, "the latency is wrong");
      ++blocks;
    }
    if (leaves) out_beat = (out_beat + 1) % Beats;

    edge();
    if (quiet > 0 && --quiet == 0) check_empty();
    if (clear || reset) forget();
    if (clear && !reset) {
      quiet = Beats;
      ++clears;
    }
    if (reset) quiet = 0;
  }

  void check_empty() {
    top.eval();
    const auto* root = top.rootp;
    uint64_t rest = 0;
    for (int i = 0; i < 4; ++i) rest |= root->rsm_widen__DOT__data_q[i];
#if !HELD
    const auto& key_q = root->rsm_widen__DOT__gen_with_block__DOT__key_q;
    for (size_t i = 0; i < sizeof key_q; ++i) rest |= reinterpret_cast<const uint8_t*>(&key_q)[i];
#endif
    check(rest == 0, "something is left of what was cleared");
  }
};

}  // namespace

int main(int, char** argv) {
  rng.seed(std::strtoull(argv[1], nullptr, 10));
  Bench bench;
  bench.run(std::atol(argv[2]));
  std::printf("blocks: %ld\nkeys: %ld\nclears: %ld\n", bench.blocks, bench.keys, bench.clears);
  std::printf("aligned: %ld\nheld up: %ld\nclose: %ld\n", bench.aligned, bench.held_up, bench.close);
  return 0;
}
