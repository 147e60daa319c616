// Random traffic at folded cores, against vectors and the rules of their ports.
//
// Cycle c ends at edge c: inputs are set, outputs are compared, then the edge comes. Prints the
// first difference and fails, or prints how much was done.

#include "Vmodel.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tables.h"  // the cores of the bench, keys, and blocks with their ciphertexts

static Vmodel model;
static std::mt19937 rng(2001);
static long cycle = 0;
static std::map<std::string, long> done;

static bool chance(int percent) { return int(rng() % 100) < percent; }

struct Driver {
  const Core &core;
  int i;
  int beats;

  // The key in the core, and the beats that are still to come of the one on its way, which keeps the
  // core from anything else until `taken`.
  const Key *key = nullptr, *entering = nullptr;
  int key_beat = 0;
  long taken = -1;
  // The block in flight: its result is due `latency` cycles after its first beat.
  const Block *block = nullptr;
  const Key *block_key = nullptr;
  bool decrypt = false;
  int tag = 0;
  long accepted = -1;
  int block_beat = 0, latency = 0;
  // The result whose beats are coming out.
  const uint8_t *result = nullptr;
  int result_beat = 0;
  // What is offered.
  const Block *offered = nullptr;
  bool offered_decrypt = false;
  int offered_tag = 0;
  const Key *offered_key = nullptr;
  long offered_since = 0;
  // Nothing but blocks, one behind the other, since the block before was accepted.
  bool rush = false, unbroken = false;
  long clearing_until = -1;

  Driver(const Core &c, int index) : core(c), i(index), beats(16 / c.bytes) {}

  [[noreturn]] void fail(const std::string &what) const {
    std::printf("cycle %ld: %s: %s\n", cycle, core.name, what.c_str());
    std::exit(1);
  }

  void expect(const char *what, long found, long wanted) const {
    if (found != wanted)
      fail(std::string(what) + " is " + std::to_string(found) + " instead of " +
           std::to_string(wanted));
  }

  uint64_t beat(const uint8_t *bytes, int number) const {
    uint64_t value = 0;
    for (int b = 0; b < core.bytes; ++b) value = value << 8 | bytes[number * core.bytes + b];
    return value;
  }

  uint64_t noise() const {
    uint64_t value = uint64_t(rng()) << 32 | rng();
    return core.bytes == 8 ? value : value >> 32;
  }

  bool clearing() const { return cycle <= clearing_until; }
  bool taking() const { return cycle < taken; }

  int key_beats(const Key *one) const { return one->size / core.bytes; }

  // One of a length that the core has.
  const Key *some_key() const {
    for (;;) {
      const Key *one = keys + rng() % key_count;
      if (core.lengths >> one->length & 1) return one;
    }
  }

  void drive() {
    if (cycle % 1024 == 0) rush = chance(60);
    bool pause = clearing();
    if (!offered && !pause && (rush || chance(10))) {
      // Of the key that it will meet, which another one may still replace.
      if (core.with_block) key = some_key();
      offered = blocks + rng() % blocks_of_key;
      offered_decrypt = core.decrypts && (!core.encrypts || chance(50));
      offered_tag = rng() & 1;
      offered_since = cycle;
    } else if (offered && !rush && chance(2)) {
      offered = nullptr;
    }
    if (!core.with_block && !offered_key && !pause &&
        (rush ? !key || rng() % 2000 == 0 : chance(1)))
      offered_key = some_key();
    model.in_valid_i[i] = offered && !pause;
    model.in_decrypt_i[i] = offered ? offered_decrypt : chance(50);
    model.in_tag_i[i] = offered ? offered_tag : chance(50);
    model.key_valid_i[i] = offered_key && !pause;
    model.in_block_i[i] = noise();
    model.key_i[i] = noise();
    model.in_key_i[i] = noise();
    model.in_len_i[i] = core.with_block && offered ? key->length : rng() % 4;
    model.key_len_i[i] = offered_key ? offered_key->length : rng() % 4;
    if (core.with_block && offered) model.in_key_i[i] = beat(key->bytes, 0);
    if (core.with_block && block && block_beat < key_beats(block_key))
      model.in_key_i[i] = beat(block_key->bytes, block_beat);
    if (block && block_beat < beats)
      model.in_block_i[i] = beat(source(*block, decrypt), block_beat);
    else if (offered && key)
      model.in_block_i[i] = beat(source(*of_key(offered), offered_decrypt), 0);
    if (entering) model.key_i[i] = beat(entering->bytes, key_beat);
    else if (offered_key) model.key_i[i] = beat(offered_key->bytes, 0);
  }

  const Block *of_key(const Block *one) const { return one + (key - keys) * blocks_of_key; }

  static const uint8_t *source(const Block &one, bool decrypt) {
    return decrypt ? one.cipher : one.plain;
  }

  void check() {
    bool in_ready = model.in_ready_o[i], key_ready = model.key_ready_o[i];
    expect("out_valid_o", model.out_valid_o[i], block && cycle == accepted + latency);
    if (model.out_valid_o[i]) {
      expect("out_tag_o", model.out_tag_o[i], tag);
      result = decrypt ? block->plain : block->cipher;
      result_beat = 0;
      block = nullptr;
      ++done[decrypt ? "decryptions" : "encryptions"];
      ++done[core.name];
    }
    if (result) {
      if (model.out_block_o[i] != beat(result, result_beat)) fail("the result is wrong");
      if (++result_beat == beats) result = nullptr;
    }
    expect("idle_o", model.idle_o[i], !block && !taking() && !clearing() && !model.out_valid_o[i]);
    if (in_ready && key_ready) fail("both frames may start");
    bool keyed = key || core.with_block;
    if (in_ready && (block || taking() || !keyed || clearing())) fail("in_ready_o is high");
    if (key_ready && core.with_block) fail("key_ready_o is high");
    if (key_ready && (block || taking() || clearing())) fail("key_ready_o is high");
    if (clearing()) ++done["cycles of a clear"];
    if (cleared_now()) {
      expect("zero_o after a clear", model.zero_o[i], 1);
      ++done["clears"];
    }
    if (offered && key && !block && !taking() && !clearing() && cycle - idle_since > core.wait)
      fail("a block waits for too long");
  }

  bool cleared_now() const { return clearing_until >= 0 && cycle == clearing_until + 1; }

  long idle_since = 0;

  void edge(bool reset, bool clear) {
    if (reset || clear) {
      key = entering = nullptr;
      block = nullptr;
      result = nullptr;
      offered = nullptr;
      offered_key = nullptr;
      unbroken = false;
      taken = -1;
      clearing_until = reset ? -1 : cycle + core.clear;
      return;
    }
    if (entering && ++key_beat == key_beats(entering)) {
      key = entering;
      entering = nullptr;
      ++done["keys"];
    }
    if (block) ++block_beat;
    if (model.key_valid_i[i] && model.key_ready_o[i]) {
      entering = offered_key;
      offered_key = nullptr;
      key = nullptr;
      key_beat = 1;
      taken = cycle + core.taking;
      unbroken = false;
    } else if (model.in_valid_i[i] && model.in_ready_o[i]) {
      long interval = cycle - accepted;
      // The block before was followed at once by this one, and no key came between them.
      if (unbroken && offered_since <= accepted + latency) {
        const int *cycles = offered_decrypt == decrypt ? core.same : core.change;
        expect("the interval", interval, cycles[block_key->length]);
        ++done["blocks at full rate"];
      }
      decrypt = offered_decrypt;
      block = of_key(offered);
      block_key = key;
      latency = core.latency[key->length];
      tag = offered_tag;
      accepted = cycle;
      block_beat = 1;
      offered = nullptr;
      unbroken = rush;
    }
    if (!rush) unbroken = false;
    if (block || taking() || !key) idle_since = cycle;
    if (!offered) idle_since = cycle;
  }
};

int main() {
  std::vector<Driver> drivers;
  for (int i = 0; i < core_count; ++i) drivers.emplace_back(cores[i], i);
  for (; cycle < cycles; ++cycle) {
    bool reset = cycle < 2 || rng() % 20000 == 0;
    bool clear = !reset && (cycle == 2 || rng() % (cycle % 4096 < 64 ? 24 : 3000) == 0);
    model.rst_ni = !reset;
    model.clear_i = clear;
    for (auto &d : drivers) d.drive();
    model.clk_i = 0;
    model.eval();
    if (cycle > 1)
      for (auto &d : drivers) d.check();
    for (auto &d : drivers) d.edge(reset, clear);
    model.clk_i = 1;
    model.eval();
  }
  for (auto &[what, number] : done) std::printf("%s: %ld\n", what.c_str(), number);
  return 0;
}
