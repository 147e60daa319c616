// Random traffic at the bit-serial core (rsm_serpent_serial_bit), against a model of the cipher and
// of every cycle at its port.
//
// Cycle c ends at edge c: inputs are set, outputs are compared, then the edge comes. A twin gets the
// same traffic with other keys and blocks; when a clear is over, every bit of both must be the same.
// Prints the first difference and fails, or prints how much was done.

#include "Vmodel.h"
#include "verilated_save.h"

#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "serpent_cipher.h"  // with tables.h: how many cycles to run; LENGTHS comes from the test

static constexpr int kLatency = 4496, kInterval = 4625, kClear = 281;

static Vmodel model, twin;
static long cycle = 0;
static std::map<std::string, long> done;

[[noreturn]] static void fail(const std::string &what) {
  std::printf("cycle %ld: %s\n", cycle, what.c_str());
  std::exit(1);
}

static void expect(const char *what, long found, long wanted) {
  if (found != wanted)
    fail(std::string(what) + " is " + std::to_string(found) + " instead of " +
         std::to_string(wanted));
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

static int bit(const uint8_t *bytes, int n) { return bytes[n / 8] >> (7 - n % 8) & 1; }

int main() {
  if (!model_is_right()) return 1;
  std::vector<Key> pool;
  for (int i = 0; i < 30; ++i)
    if (LENGTHS >> i % 3 & 1) pool.push_back(random_key(i % 3));
  for (const auto &a : answers)
    if (LENGTHS >> a.length & 1) pool.push_back(Key(a.key, a.length));
  const int key_bits = LENGTHS & 4 ? 256 : LENGTHS & 2 ? 192 : 128;

  const Key *key = &pool[0];
  Block source{}, result{};
  int tag = 0, pause = 0;
  bool offering = false, inside = false;
  long accepted = -1, cleared = -1000, compare_at = -1;
  for (; cycle < cycles; ++cycle) {
    bool reset = cycle < 2 || rng() % 2'000'000 == 0;
    bool clear = !reset && (cycle == 2 || rng() % clear_every == 0);
    bool clearing = cycle <= cleared + kClear;
    if (clear) {
      compare_at = chance(70) ? cycle + kClear + 1 : -1;
      pause = compare_at > 0 ? kClear + 2 : 0;
      ++done["clears"];
    }
    if (reset) compare_at = -1;  // which ends a clear under way
    if (!offering && pause-- <= 0) {
      offering = true;
      key = &pool[rng() % pool.size()];
      source = random_block();
      tag = rng() & 255;
    }
    if (clear && pause > 0) offering = false;
    // A frame is given from the cycle in which it is accepted on.
    bool busy = inside || clearing;
    bool accept = offering && !busy;
    long beat = accept ? 0 : inside ? cycle - accepted : -1;
    bool quiet = compare_at >= cycle;
    for (Vmodel *m : {&model, &twin}) {
      bool real = m == &model;
      m->rst_ni = !reset;
      m->clear_i = clear;
      m->in_valid_i = offering;
      m->in_tag_i = tag;
      m->in_len_i = offering && !inside ? key->length : 0;
      m->in_block_i = !quiet && chance(50);
      m->in_key_i = !quiet && chance(50);
      if (real && beat >= 0 && beat < 128) m->in_block_i = bit(source.data(), beat);
      if (real && beat >= 0 && beat < key_bits) m->in_key_i = bit(key->bytes.data(), beat);
      m->clk_i = 0;
      m->eval();
    }
    if (cycle > 1) {
      for (Vmodel *m : {&model, &twin}) {
        expect("in_ready_o", m->in_ready_o, !busy);
        expect("idle_o", m->idle_o, !busy);
        bool due = inside && cycle == accepted + kLatency;
        expect("out_valid_o", m->out_valid_o, due);
        if (due) expect("out_tag_o", m->out_tag_o, tag);
      }
      long out = inside ? cycle - accepted - kLatency : -1;
      if (out >= 0 && out < 128 && model.out_block_o != bit(result.data(), out))
        fail("the result is wrong");
      if (out == 127) ++done["blocks of length " + std::to_string(key->length)];
      if (cycle == compare_at) {
        if (saved(model, "model.save") != saved(twin, "twin.save"))
          fail("a clear has left something");
        ++done["states compared"];
      }
    }
    if (accept) {
      inside = true;
      accepted = cycle;
      result = key->encrypt(source);
    }
    if (inside && cycle == accepted + kInterval - 1) {
      inside = offering = false;
      pause = chance(50) ? 0 : rng() % 100;
    }
    if (reset || clear) {
      inside = false;
      if (reset) offering = false;
      cleared = clear ? cycle : -1000;
    }
    for (Vmodel *m : {&model, &twin}) {
      m->clk_i = 1;
      m->eval();
    }
  }
  for (auto &[what, number] : done) std::printf("%s: %ld\n", what.c_str(), number);
  return 0;
}
