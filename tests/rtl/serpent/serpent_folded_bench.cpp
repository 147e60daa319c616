// Random traffic at the folded Serpent core (rsm_serpent_folded), against a model of the cipher and
// the rules of its port.
//
// Cycle c ends at edge c: inputs are set, outputs are compared, then the edge comes. A twin gets the
// same traffic with other keys and blocks: its control must be the same in every cycle, and when a
// clear is over, every bit. Prints the first difference and fails, or prints how much was done.

#include "Vmodel.h"
#include "verilated_save.h"

#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "serpent_cipher.h"  // with tables.h: how many cycles to run; HELD, LENGTHS come from the test

static constexpr int kLatency = HELD ? 264 : 272, kWalk = HELD ? 128 : 0, kClear = 8, kLap = 4;
static constexpr int kKeyBeats = 4 + 2 * (LENGTHS & 4 ? 2 : LENGTHS & 2 ? 1 : 0);

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

static uint32_t beat(const uint8_t *bytes, long n) {
  const uint8_t *b = bytes + 4 * n;
  return uint32_t(b[0]) << 24 | uint32_t(b[1]) << 16 | uint32_t(b[2]) << 8 | b[3];
}

int main() {
  if (!model_is_right()) return 1;
  std::vector<Key> pool;
  for (int i = 0; i < 30; ++i)
    if (LENGTHS >> i % 3 & 1) pool.push_back(random_key(i % 3));
  for (const auto &a : answers)
    if (LENGTHS >> a.length & 1) pool.push_back(Key(a.key, a.length));

  // What the core has: its key, the block inside and since when, the result on its way out.
  const Key *key = nullptr, *entering = nullptr;
  // The next block may enter while a result leaves.
  Block entering_block{}, result{}, shown{};
  long key_accepted = -1000, accepted = -1000, leaves = -1000, shows = -1000, cleared = -1000;
  bool inside = false, inverse = false, shown_inverse = false, undisturbed = false;
  // What is offered.
  const Key *block_key = &pool[0], *new_key = &pool[0];
  Block source{};
  bool offering = false, offering_key = false, decrypt = false;
  int tag = 0, inside_tag = 0, length = 0, pressure = 100, key_pressure = 5;
  long offered = 0, waited = 0, compare_at = -1;

  for (; cycle < cycles; ++cycle) {
    bool reset = cycle < 2 || rng() % 100'000 == 0;
    bool clear = !reset && cycle > compare_at && (cycle == 2 || rng() % clear_every == 0);
    if (clear) {
      compare_at = chance(60) ? cycle + kClear + 1 : -1;
      ++done["clears"];
    }
    if (reset) compare_at = -1;  // which ends a clear under way
    bool quiet = cycle <= compare_at && !clear;
    if (cycle % 4096 == 0) {
      pressure = chance(50) ? 100 : chance(50) ? 10 : 1;
      key_pressure = chance(50) ? 1 : 5;
    }
    // Frames are whole once they have begun.
    if (quiet) offering = offering_key = false;
    if (!offering && !quiet && chance(pressure)) {
      offering = true;
      offered = cycle;
      if (HELD) decrypt = chance(50);
      block_key = &pool[rng() % pool.size()];
      source = random_block();
      tag = rng() & 255;
    } else if (offering && pressure < 100 && rng() % 200 == 0) {
      offering = false;
    }
    if (HELD && !offering_key && !quiet && chance(key ? key_pressure : 50)) {
      offering_key = true;
      new_key = &pool[rng() % pool.size()];
    }
    long block_beat = cycle - accepted, key_beat = cycle - key_accepted;
    for (Vmodel *m : {&model, &twin}) {
      bool real = m == &model;
      m->rst_ni = !reset;
      m->clear_i = clear;
      m->in_valid_i = offering;
      m->in_decrypt_i = decrypt;
      m->in_tag_i = tag;
      m->key_valid_i = offering_key;
      m->in_len_i = m->key_len_i = quiet ? 0 : (length = (HELD ? new_key : block_key)->length);
      m->in_block_i = quiet ? 0 : rng();
      m->in_key_i = m->key_i = quiet ? 0 : rng();
      if (!real) continue;
      if (inside && block_beat < 4) m->in_block_i = beat(entering_block.data(), block_beat);
      else if (offering) m->in_block_i = beat(source.data(), 0);
      if (entering != nullptr && key_beat < kKeyBeats)
        m->in_key_i = m->key_i = beat(entering->bytes.data(), key_beat);
      else if (HELD ? offering_key : offering)
        m->in_key_i = m->key_i = beat((HELD ? new_key : block_key)->bytes.data(), 0);
    }
    for (Vmodel *m : {&model, &twin}) {
      m->clk_i = 0;
      m->eval();
    }
    bool clearing = cycle > cleared && cycle <= cleared + kClear;
    bool accept = false, key_accept = false;
    if (cycle > 2) {
      expect("in_ready_o of the twin", twin.in_ready_o, model.in_ready_o);
      expect("key_ready_o of the twin", twin.key_ready_o, model.key_ready_o);
      expect("idle_o of the twin", twin.idle_o, model.idle_o);
      expect("out_valid_o of the twin", twin.out_valid_o, model.out_valid_o);
      accept = offering && model.in_ready_o;
      key_accept = offering_key && model.key_ready_o;
      if (model.in_ready_o && model.key_ready_o) fail("a key and a block at one edge");
      if (inside || clearing || cycle - key_accepted < 3 * kLap)
        if (model.in_ready_o || model.key_ready_o || model.idle_o) fail("it is not busy");
      if (cycle == cleared + kClear + 1) expect("idle_o after a clear", model.idle_o, 1);
      if (model.in_ready_o && HELD && key == nullptr) fail("a block is taken without a key");
      expect("out_valid_o", model.out_valid_o, cycle == leaves);
      if (cycle == leaves) {
        expect("out_tag_o", model.out_tag_o, inside_tag);
        shows = cycle;
        shown = result;
        shown_inverse = inverse;
      }
      if (cycle >= shows && cycle < shows + 4) {
        if (model.out_block_o != beat(shown.data(), cycle - shows)) fail("the result is wrong");
        if (cycle == shows + 3) ++done[shown_inverse ? "decryptions" : "encryptions"];
      }
      if (cycle == compare_at) {
        if (saved(model, "model.save") != saved(twin, "twin.save"))
          fail("a clear has left something");
        ++done["states compared"];
      }
      // A block that is offered to a core with a key waits for a walk at most, and for the end of
      // another one that a block was offered for which is gone again.
      bool usable = offering && !inside && !clearing && (!HELD || key != nullptr);
      waited = usable && cycle - key_accepted >= 3 * kLap ? waited + 1 : 0;
      if (waited > 2 * kWalk + 2 * kLap) fail("a block waits too long");
    }
    if (accept) {
      bool same = inverse == decrypt;
      // Nothing came between this block and the one before, which it waited for.
      if (undisturbed && offered < leaves) {
        expect("the interval", cycle - accepted, kLatency + (same ? kWalk : 0));
        ++done[same ? "rushed the same way" : "rushed the other way"];
      }
      inside = undisturbed = true;
      offering = false;
      accepted = cycle;
      leaves = cycle + kLatency;
      inverse = decrypt;
      inside_tag = tag;
      entering_block = source;
      const Key *used = HELD ? key : block_key;
      result = decrypt ? used->decrypt(source) : used->encrypt(source);
      ++done["blocks of length " + std::to_string(used->length)];
      if (!HELD) entering = block_key, key_accepted = cycle;
    }
    if (key_accept) {
      key = entering = new_key;
      key_accepted = cycle;
      offering_key = undisturbed = false;
      ++done["keys"];
    }
    if (inside && cycle == leaves - 1) inside = false;
    if (reset || clear) {
      inside = undisturbed = false;
      key = entering = nullptr;
      leaves = shows = accepted = key_accepted = -1000;
      cleared = clear ? cycle : -1000;
      if (reset) offering = offering_key = false;
    }
    for (Vmodel *m : {&model, &twin}) {
      m->clk_i = 1;
      m->eval();
    }
  }
  for (auto &[what, number] : done) std::printf("%s: %ld\n", what.c_str(), number);
  return 0;
}
