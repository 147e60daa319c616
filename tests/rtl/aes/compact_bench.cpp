// SPDX-License-Identifier: Apache-2.0
//
// Drives one core with a narrow native port and writes down what it answers.
//
// Macros: WIDTH, KEY_BEATS (beats of a key on the key channel), LATENCY, INTERVAL, KEY_SETUP
// (0 when the key comes with the block), CLEAR (most cycles from a clear to `idle_o`), BOTH.
//
// `model vectors`: reads lines `KEY DECRYPT BLOCK` of hexadecimal numbers, a key of any number of
// beats; each block is sent alone under its key.
// `model stream SEED BLOCKS`: blocks without a gap, keys now and then.
// `model mixed SEED BLOCKS`: pauses, keys in every phase, clears and resets.
// `model wipe SEED TRIALS`: two cores that differ in their secrets alone must be alike after a
// clear, every bit that the simulator keeps.
//
// Each result is a line: key, decrypt, block, result. Faults of the protocol end the program.
#include "Vmodel.h"
#include "verilated.h"
#include "verilated_save.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

using Bytes = std::vector<uint8_t>;

constexpr int BlockBeats = 128 / WIDTH;
constexpr bool Held = KEY_SETUP != 0;
constexpr int Step = WIDTH / 8;

struct Pending {
  Bytes key, block;
  bool decrypt;
  int tag;
  long accepted;
};

struct Core {
  std::unique_ptr<VerilatedContext> context = std::make_unique<VerilatedContext>();
  std::unique_ptr<Vmodel> model = std::make_unique<Vmodel>(context.get());
  // Traffic and secrets: two cores may share the one and not the other.
  std::mt19937 rng, secret;
  long cycle = 0;
  Bytes current;           // the key that blocks take
  long keyed = -1;         // when it was taken, until the first block
  Bytes key_frame, block_frame, with_key;
  size_t key_beat = 0, block_beat = 0;
  bool sending_key = false, sending_block = false;
  std::deque<Pending> pending;
  Bytes result;
  Pending answer;
  bool receiving = false, down = false, was_clear = false;
  long cleared = -1, last_accept = -1;
  std::map<std::string, long> done;

  Core(unsigned seed, unsigned secrets) : rng(seed), secret(secrets) {
    model->rst_ni = 0;
    model->clear_i = model->key_valid_i = model->in_valid_i = 0;
    for (int i = 0; i < 3; ++i) {
      drive_noise();
      edge();
    }
    model->rst_ni = 1;
  }

  [[noreturn]] void fail(const std::string &what) const {
    std::printf("cycle %ld: %s\n", cycle, what.c_str());
    std::exit(1);
  }

  bool chance(int of256) { return int(rng() & 255) < of256; }

  Bytes random_bytes(size_t count) {
    Bytes bytes(count);
    for (uint8_t &byte : bytes) byte = secret();
    return bytes;
  }

  static uint32_t beat(const Bytes &bytes, size_t number) {
    uint32_t word = 0;
    for (int i = 0; i < Step; ++i) word = word << 8 | bytes[number * Step + i];
    return word;
  }

  uint32_t noise() { return WIDTH == 32 ? secret() : secret() & 255; }

  void drive_noise() {
    model->key_i = noise();
    model->key_len_i = 0;
    model->in_block_i = noise();
    model->in_key_i = noise();
    model->in_len_i = 0;
    model->in_decrypt_i = BOTH ? rng() & 1 : 0;
    model->in_tag_i = rng() & 7;
  }

  void edge() {
    model->clk_i = 0;
    model->eval();
    model->clk_i = 1;
    model->eval();
    ++cycle;
  }

  // One cycle. `key` and `block` are offered when they are not empty; returns whether they went.
  struct Taken {
    bool key = false, block = false;
  };

  Taken step(const Bytes *key, const Bytes *block, bool decrypt, bool clear, bool reset,
             const Bytes *own_key = nullptr) {
    Taken taken;
    drive_noise();
    int tag = rng() & 7;
    bool offer_key = key && !sending_key, offer_block = block && !sending_block;
    model->clear_i = clear;
    model->rst_ni = !reset;
    model->key_valid_i = offer_key;
    model->in_valid_i = offer_block;
    if (offer_key) model->key_i = beat(*key, 0);
    if (sending_key) model->key_i = beat(key_frame, key_beat);
    if (offer_block) {
      model->in_block_i = beat(*block, 0);
      model->in_decrypt_i = decrypt;
      model->in_tag_i = tag;
      if (!Held) model->in_key_i = beat(*own_key, 0);
    }
    if (sending_block) {
      model->in_block_i = beat(block_frame, block_beat);
      if (!Held) model->in_key_i = beat(with_key, block_beat);
    }
    model->clk_i = 0;
    model->eval();

    bool key_ready = model->key_ready_o, in_ready = model->in_ready_o;
    if (!Held && key_ready) fail("a key channel that is not there is ready");
    if (down && (key_ready || in_ready || model->out_valid_o))
      fail("a ready or valid is high after a clear");
    if (cleared >= 0 && cycle > cleared) {
      if (model->idle_o) {
        done["longest clear"] = std::max(done["longest clear"], cycle - cleared - 1);
        cleared = -1;
      } else if (cycle - cleared > CLEAR) {
        fail("a clear takes too long");
      }
    }
    down = clear;
    if (sending_key && (key_ready || in_ready)) fail("ready while a key is coming in");
    if (sending_block && in_ready && block_beat < BlockBeats - 1) fail("ready inside a block");
    if (in_ready && Held && current.empty() && !sending_key) fail("ready without a key");

    // Results.
    if (model->out_valid_o) {
      if (receiving) fail("a result inside a result");
      if (pending.empty()) fail("a result that nobody asked for");
      answer = pending.front();
      pending.pop_front();
      if (cycle - answer.accepted != LATENCY)
        fail("latency " + std::to_string(cycle - answer.accepted));
      if (int(model->out_tag_o) != answer.tag) fail("a wrong tag");
      receiving = true;
      result.clear();
    }
    if (receiving) {
      uint32_t word = model->out_block_o;
      for (int i = Step - 1; i >= 0; --i) result.push_back(word >> 8 * i);
      if (result.size() == 16) {
        if (!clear && !reset) print();
        receiving = false;
      }
    }
    if (!pending.empty() && cycle - pending.front().accepted > LATENCY) fail("no result");
    if (model->idle_o && (receiving || !pending.empty() || sending_key || sending_block))
      fail("idle with something in flight");

    // What is accepted at this edge.
    if (clear || reset) {
      sending_key = sending_block = receiving = false;
      pending.clear();
      current.clear();
      keyed = last_accept = -1;
      if (clear && !reset) cleared = cycle;
      if (reset) cleared = -1;
      ++done[reset ? "resets" : "clears"];
    } else {
      if (sending_key && ++key_beat == KEY_BEATS) sending_key = false;
      if (sending_block && ++block_beat == BlockBeats) sending_block = false;
      if (offer_block && in_ready) {
        taken.block = true;
        if (keyed >= 0) {
          if (!ever_waited) {
            if (cycle - keyed != KEY_SETUP)
              fail("key set-up " + std::to_string(cycle - keyed));
            ++done["set-ups"];
          }
          keyed = -1;
        } else if (eager && last_accept >= 0) {
          if (cycle - last_accept != INTERVAL)
            fail("interval " + std::to_string(cycle - last_accept));
          ++done["intervals"];
        }
        last_accept = eager ? cycle : -1;
        pending.push_back({Held ? current : *own_key, *block, decrypt, tag, cycle});
        block_frame = *block;
        if (!Held) with_key = *own_key;
        block_beat = 1;
        sending_block = BlockBeats > 1;
      }
      if (offer_key && key_ready) {
        taken.key = true;
        current = key_frame = *key;
        key_beat = 1;
        sending_key = KEY_BEATS > 1;
        keyed = cycle;
        ever_waited = !eager;
        last_accept = -1;
        if (!pending.empty() || receiving) ++done["keys behind a block"];
        ++done["keys"];
      }
    }
    model->clk_i = 1;
    model->eval();
    ++cycle;
    return taken;
  }

  bool eager = false, ever_waited = true;
  bool quiet = false;

  void print() {
    ++done["blocks"];
    if (quiet) return;
    auto hex = [](const Bytes &bytes) {
      for (uint8_t byte : bytes) std::printf("%02x", byte);
    };
    hex(answer.key);
    std::printf(" %d ", answer.decrypt);
    hex(answer.block);
    std::printf(" ");
    hex(result);
    std::printf("\n");
  }
};

static std::vector<Bytes> keys;  // read from the standard input: keys that a core may be given

static Bytes bytes_of(const std::string &text) {
  Bytes bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2)
    bytes.push_back(std::stoi(text.substr(i, 2), nullptr, 16));
  return bytes;
}

static void vectors() {
  std::string key, block;
  int decrypt;
  Core core(1, 2);
  while (std::cin >> key >> decrypt >> block) {
    Bytes k = bytes_of(key), b = bytes_of(block);
    core.eager = true;
    if (Held)
      while (!core.step(&k, nullptr, false, false, false).key) {
      }
    while (!core.step(nullptr, &b, decrypt, false, false, &k).block) {
    }
    for (int i = 0; i < LATENCY + BlockBeats + 20; ++i)
      core.step(nullptr, nullptr, false, false, false);
    core.last_accept = -1;
  }
  for (auto &[what, number] : core.done) std::fprintf(stderr, "%s: %ld\n", what.c_str(), number);
}

static void traffic(bool stream, unsigned seed, long blocks) {
  Core core(seed, seed + 1);
  Bytes key, block;
  bool decrypt = false;
  bool key_there = false, block_there = false, first = true;
  long pause = 0;
  core.eager = stream;
  while (core.done["blocks"] < blocks) {
    if (core.cycle > 40000L + 4000L * blocks) core.fail("too few blocks in this time");
    bool clear = !stream && core.rng() % 2500 == 0, reset = !stream && core.rng() % 4000 == 0;
    if (clear && core.chance(40)) pause = 1;  // two clears in a row
    if (pause > 0 && !clear) clear = pause-- > 0;
    if (Held && !key_there &&
        (first || core.current.empty() || core.rng() % (stream ? 6 * INTERVAL : 170) == 0)) {
      key = keys[core.rng() % keys.size()];
      key_there = true;
      first = false;
    }
    if (!Held) key = block_there ? key : keys[core.rng() % keys.size()];
    if (!block_there && (stream || core.chance(20))) {
      block = core.random_bytes(16);
      // Alternating first, then random.
      decrypt = BOTH && (core.done["blocks"] < blocks / 2 ? !decrypt : core.rng() & 1);
      block_there = true;
    }
    auto taken = core.step(Held && key_there ? &key : nullptr, block_there ? &block : nullptr,
                           decrypt, clear, reset, &key);
    if (taken.key || clear || reset) key_there = false;
    if (taken.block) block_there = false;
    if (clear || reset) first = true;
  }
  for (auto &[what, number] : core.done) std::fprintf(stderr, "%s: %ld\n", what.c_str(), number);
}

static std::string saved(Core &core) {
  const char *name = "wipe.state";
  {
    VerilatedSave out;
    out.open(name);
    out << *core.model;
    out.close();
  }
  std::ifstream in(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

static void wipe(unsigned seed, long trials) {
  std::mt19937 rng(seed);
  long differed = 0;
  for (long trial = 0; trial < trials; ++trial) {
    unsigned traffic_seed = rng(), until = rng() % (3 * INTERVAL + KEY_SETUP + 20);
    std::string state[2], before[2];
    for (int copy = 0; copy < 2; ++copy) {
      Core core(traffic_seed, rng());
      core.quiet = true;
      Bytes key = core.random_bytes(KEY_BEATS * Step), block = core.random_bytes(16);
      bool key_there = Held;
      for (unsigned i = 0; i < until; ++i) {
        bool decrypt = BOTH && core.rng() & 1;
        auto taken = core.step(key_there ? &key : nullptr, &block, decrypt, false, false, &key);
        if (taken.key) key_there = false;
        if (taken.block) block = core.random_bytes(16);
      }
      before[copy] = saved(core);
      core.step(nullptr, nullptr, false, true, false);
      // From here on, both see the same.
      core.secret.seed(1);
      core.rng.seed(1);
      while (core.cleared >= 0) core.step(nullptr, nullptr, false, false, false);
      state[copy] = saved(core);
    }
    differed += before[0] != before[1];
    if (state[0] != state[1]) {
      std::printf("trial %ld: cleared after %u cycles, secrets remain\n", trial, until);
      std::exit(1);
    }
  }
  std::fprintf(stderr, "wiped: %ld\n", differed);
}

int main(int argc, char **argv) {
  std::string what = argc > 1 ? argv[1] : "";
  if (what == "vectors") {
    vectors();
    return 0;
  }
  unsigned seed = std::strtoul(argv[2], nullptr, 10);
  long count = std::strtol(argv[3], nullptr, 10);
  if (what == "wipe") {
    wipe(seed, count);
    return 0;
  }
  std::string key;
  while (std::cin >> key) keys.push_back(bytes_of(key));
  traffic(what == "stream", seed, count);
  return 0;
}
