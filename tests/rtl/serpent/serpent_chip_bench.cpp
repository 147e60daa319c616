// Random traffic at the three 32-bit channels of Lutz's Serpent chip, against a model of the cipher.
//
// Results must come in order: four in 32 cycles, and 56 cycles after their first word in a whole
// batch that does not wait for one before. A twin gets the same traffic with other keys and blocks;
// when a clear is over, every bit of both must be the same. Prints the first difference and fails, or
// prints how much was done.

#include "Vmodel.h"
#include "verilated_save.h"

#include <algorithm>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "serpent_cipher.h"  // with tables.h: how many cycles to run

static constexpr int kLatency = 56, kClear = 10;

static Vmodel model, twin;
static long cycle = 0;
static std::map<std::string, long> done;

[[noreturn]] static void fail(const std::string &what) {
  std::printf("cycle %ld: %s\n", cycle, what.c_str());
  std::exit(1);
}

static std::string saved(Vmodel &m, const char *name) {
  {
    VerilatedSave out;
    out.open(name);
    out << m;
  }
  std::ifstream in(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

static uint32_t word(const uint8_t *bytes, int n) {
  return uint32_t(bytes[4 * n]) << 24 | bytes[4 * n + 1] << 16 | bytes[4 * n + 2] << 8 |
         bytes[4 * n + 3];
}

struct Flight {
  long begun;
  Block result;
};

int main() {
  if (!model_is_right()) return 1;
  std::vector<Key> pool;
  for (int i = 0; i < 30; ++i) pool.push_back(random_key(2));
  for (const auto &a : answers)
    if (a.length == 2) pool.push_back(Key(a.key, a.length));
  // What is offered or under way, and the word of it that stands at the port.
  bool offering = false, decrypt = false, offering_key = false;
  int block_word = 0, key_word = 0, result_word = -1;
  const Key *key = nullptr, *new_key = nullptr, *block_key = nullptr;
  Block source{};
  std::deque<Flight> inside;
  std::deque<long> out_times;
  int pressure = 100;
  long quiet_until = -1, compare_at = -1, since = 0, streaming = 0;
  for (; cycle < cycles; ++cycle) {
    bool reset = cycle < 2;
    bool clear = !reset && cycle > quiet_until && (cycle == 2 || rng() % clear_every == 0);
    if (clear) {
      bool look = chance(60);
      quiet_until = look ? cycle + kClear : cycle;
      compare_at = look ? quiet_until : -1;
      ++done["clears"];
    }
    bool quiet = cycle <= quiet_until && !clear;
    if (cycle % 1024 == 0) pressure = chance(60) ? 100 : 10;
    if (!offering && !quiet && chance(pressure)) {
      offering = true;
      if (chance(3)) decrypt = !decrypt;
      source = random_block();
    }
    // A key comes when no block is offered, or a stream would never let it in.
    if (!offering_key && !quiet && chance(key ? 1 : 50) && chance(key ? 30 : 100)) {
      offering_key = true;
      new_key = &pool[rng() % pool.size()];
    }
    bool starve = offering_key && key_word == 0 && chance(95);
    bool in_valid = offering && block_word == 0 && !starve;
    for (Vmodel *m : {&model, &twin}) {
      bool real = m == &model;
      m->rst_ni = !reset;
      m->clear_i = clear;
      m->in_valid_i = in_valid;
      m->in_decrypt_i = decrypt;
      m->key_valid_i = offering_key && key_word == 0;
      m->in_block_i = quiet ? 0 : rng();
      m->key_i = quiet ? 0 : rng();
      if (real && (in_valid || block_word)) m->in_block_i = word(source.data(), block_word);
      if (real && offering_key) m->key_i = word(new_key->bytes.data(), key_word);
      m->clk_i = 0;
      m->eval();
    }
    if (cycle > 1) {
      if (model.in_ready_o != twin.in_ready_o || model.key_ready_o != twin.key_ready_o ||
          model.out_valid_o != twin.out_valid_o || model.idle_o != twin.idle_o)
        fail("control depends on data");
      if (model.out_valid_o) {
        if (inside.empty() || result_word >= 0) fail("a result that none waits for");
        result_word = 0;
        long latency = cycle + 3 - inside.front().begun;
        if (latency == kLatency) ++done["blocks in 56 cycles"];
        out_times.push_back(cycle);
        if (out_times.size() > 4) {
          if (cycle - out_times.front() < 32) fail("five results in less than 32 cycles");
          if (cycle - out_times.front() == 32) ++done["blocks at full rate"];
          out_times.pop_front();
        }
        if (latency < kLatency - 12) fail("a result is too early");
      }
      if (result_word >= 0) {
        if (model.out_block_o != word(inside.front().result.data(), result_word))
          fail("the result is wrong");
        if (++result_word == 4) {
          result_word = -1;
          inside.pop_front();
          ++done["results"];
        }
      }
      if (model.idle_o && (!inside.empty() || block_word || key_word)) fail("idle_o is high");
      if (!inside.empty() && cycle - inside.front().begun > 400) fail("a block is lost");
      if (cycle == compare_at) {
        if (!model.idle_o) fail("idle_o is low after a clear");
        if (saved(model, "model.save") != saved(twin, "twin.save"))
          fail("a clear has left something");
        ++done["states compared"];
      }
    }
    bool took = in_valid && model.in_ready_o, took_key = model.key_valid_i && model.key_ready_o;
    if (took && key_word) fail("a block begins inside a key");
    if (took) block_key = key;
    if (took) inside.push_back({cycle, {}});
    if (took || block_word) {
      if (took) {
        // Blocks without a gap at the only pace that four in 32 cycles allow.
        streaming = cycle - since == 4 ? streaming + 1 : 1;
        since = cycle;
        inside.back().result = decrypt ? block_key->decrypt(source) : block_key->encrypt(source);
        ++done[decrypt ? "decryptions" : "encryptions"];
        if (streaming == 4) ++done["four in a row"];
      }
      if (++block_word == 4) {
        block_word = 0;
        offering = false;
      }
    }
    if (took_key || key_word) {
      if (took_key) {
        ++done["keys"];
        if (took) ++done["keys with a block"];
      }
      if (++key_word == 8) {
        key_word = 0;
        key = new_key;
        offering_key = false;
      }
    }
    if (reset || clear) {
      inside.clear();
      offering = offering_key = false;
      block_word = key_word = 0;
      result_word = -1;
      key = nullptr;
    }
    for (Vmodel *m : {&model, &twin}) {
      m->clk_i = 1;
      m->eval();
    }
  }
  for (auto &[what, number] : done) std::printf("%s: %ld\n", what.c_str(), number);
  return 0;
}
