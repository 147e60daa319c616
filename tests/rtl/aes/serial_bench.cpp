// Traffic at one serial core, held to the rules of the native port and to known answers.
//
// Cycle c ends at edge c: inputs are set, outputs are compared with the model, then the edge
// comes. Prints the first difference and fails, or prints how much was done.

#include "Vmodel.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

// From the test: WIDTH, TAGS, cycles of the core (SHORTEST, LONGEST, CLEAR, OVERWRITTEN, INTERVAL_OF
// and LATENCY_OF a direction), and blocks with their answers.
#include "tables.h"

static Vmodel model, twin;
static std::mt19937 rng(2001);
static long cycle = 0;

static constexpr int kBeats = 128 / WIDTH;
static constexpr int kMask = (1 << WIDTH) - 1;

static bool chance(int percent) { return int(rng() % 100) < percent; }

[[noreturn]] static void fail(const std::string &what) {
  std::printf("cycle %ld: %s\n", cycle, what.c_str());
  std::exit(1);
}

static void expect(const char *what, long found, long wanted) {
  if (found != wanted)
    fail(std::string(what) + " is " + std::to_string(found) + " instead of " +
         std::to_string(wanted));
}

static int beat(const uint8_t *bytes, int n) {
  int bit = n * WIDTH;
  return bytes[bit / 8] >> (8 - WIDTH - bit % 8) & kMask;
}

// What is asked of the core in one stretch of cycles.
enum Traffic { kBackToBack, kGaps, kTroubled };
static const char *const kNames[] = {"back to back", "with gaps", "with clears and resets"};

static int next_block = 0;

static void step(Vmodel &m) {
  m.clk_i = 1;
  m.eval();
  m.clk_i = 0;
}

struct Model {
  const Block *in = nullptr, *inside = nullptr;  // still being given; not yet wholly taken
  int in_beat = 0, tag = 0, next_tag = 0;
  long accepted = -1, clear_over = -1;
  bool offering = false;
  long accepts = 0, results = 0, clears = 0, resets = 0;

  void noise() {
    model.in_block_i = rng() & kMask;
    model.in_key_i = rng() & kMask;
    model.in_len_i = rng() & 3;
    model.in_decrypt_i = rng() & 1;
    model.in_tag_i = rng() & TAGS;
    // Nothing may look at the key channel.
    model.key_valid_i = rng() & 1;
    model.key_i = rng() & kMask;
    model.key_len_i = rng() & 3;
  }

  void run(Traffic traffic, long wanted) {
    long last = -1, before = results;
    bool alone = false;
    while (results < before + wanted ||
           (traffic == kTroubled && (clears < 5 || resets < 5))) {
      bool reset = cycle < 2 || (traffic == kTroubled && rng() % (8 * LONGEST) == 0);
      bool clear = traffic == kTroubled && rng() % (4 * LONGEST) == 0;
      if (traffic != kBackToBack && rng() % 256 == 0) alone = chance(50);
      noise();
      if (!offering && !in)
        offering = traffic == kBackToBack || (!alone && rng() % (LONGEST / 4) == 0);
      const Block &next = blocks[next_block % block_count];
      model.rst_ni = !reset;
      model.clear_i = clear;
      model.in_valid_i = offering;
      if (offering) {
        model.in_block_i = beat(next.data, 0);
        model.in_key_i = beat(next.key, 0);
        model.in_len_i = 0;
        model.in_decrypt_i = next.decrypt;
        model.in_tag_i = next_tag;
      } else if (in) {
        model.in_block_i = beat(in->data, in_beat);
        model.in_key_i = beat(in->key, in_beat);
      }
      model.eval();
      if (cycle > 1) check();
      bool accept = offering && model.in_ready_o && !reset;
      if (traffic == kBackToBack && accept) {
        if (last >= 0) expect("the interval", cycle - last, INTERVAL_OF(inside_decrypt));
        last = cycle;
      }
      if (inside && cycle == accepted + latency() + kBeats - 1) {
        inside = nullptr;
        ++results;
      }
      if (in && ++in_beat == kBeats) in = nullptr;
      if (accept) {
        inside = in = &next;
        inside_decrypt = next.decrypt;
        in_beat = 1;
        accepted = cycle;
        tag = next_tag;
        next_tag = rng() & TAGS;
        offering = false;
        ++next_block;
        ++accepts;
      }
      if (clear || reset) {
        inside = in = nullptr;
        // A valid that has been raised may fall here: nothing was taken.
        clear_over = reset ? -1 : cycle + CLEAR;
        clears += clear && !reset;
        resets += reset;
      }
      step(model);
      ++cycle;
    }
    std::printf("%s: %ld\n", kNames[traffic], results - before);
  }

  bool inside_decrypt = false;

  long latency() const { return LATENCY_OF(inside_decrypt); }

  void check() {
    bool clearing = cycle <= clear_over;
    // A core that neither works nor clears is idle, and an idle one is ready.
    bool at_last = inside && cycle == accepted + latency() + kBeats - 1;
    bool free = (!inside || at_last) && !clearing;
    expect("idle_o", model.idle_o, free);
    expect("in_ready_o", model.in_ready_o, free);
    expect("key_ready_o", model.key_ready_o, 0);
    long n = inside ? cycle - accepted - latency() : -1;
    expect("out_valid_o", model.out_valid_o, n == 0);
    if (n < 0) return;
    if (n == 0) expect("out_tag_o", model.out_tag_o, tag);
    if (model.out_block_o != beat(inside->answer, n))
      fail("beat " + std::to_string(n) + " of block " + std::to_string(inside - blocks) +
           " is wrong");
  }
};

// Two cores that held different keys and blocks must be alike after a clear, whatever comes.
static void wipe(int turn, bool clear) {
  Vmodel *cores[] = {&model, &twin};
  for (Vmodel *m : cores) {
    m->rst_ni = 0;
    m->clear_i = 0;
    m->in_valid_i = 0;
    m->eval();
    step(*m);
    m->rst_ni = 1;
  }
  // In the rounds of the first block, or, where that does not matter, anywhere.
  int before = 2 * kBeats + rng() % ((clear ? LONGEST : SHORTEST / 3) - 2 * kBeats);
  for (int t = 0; t < before; ++t) {
    for (Vmodel *m : cores) {
      m->in_valid_i = 1;
      m->in_decrypt_i = turn & 1;
      m->in_block_i = rng() & kMask;
      m->in_key_i = rng() & kMask;
      m->eval();
      step(*m);
    }
  }
  bool alike = true;
  for (int t = 0; t < 3 * LONGEST; ++t) {
    // What overwrites is what stands on the ports; from the end of the clear a block is offered.
    int block = rng() & kMask, key = rng() & kMask, decrypt = rng() & 1;
    for (Vmodel *m : cores) {
      m->clear_i = clear && t == 0;
      m->in_valid_i = t > CLEAR;
      m->in_block_i = block;
      m->in_key_i = key;
      m->in_decrypt_i = decrypt;
      m->eval();
    }
    if (t > OVERWRITTEN)
      alike &= model.out_block_o == twin.out_block_o && model.out_valid_o == twin.out_valid_o &&
               model.idle_o == twin.idle_o && model.in_ready_o == twin.in_ready_o;
    if (clear && !alike) fail("old data " + std::to_string(t) + " cycles after a clear");
    for (Vmodel *m : cores) step(*m);
    // Without a clear, until the next block comes.
    if (!clear && !alike) return;
  }
  if (!clear) fail("there was nothing to clear");
}

int main() {
  Model port;
  port.run(kBackToBack, block_count);
  port.run(kGaps, block_count / 4);
  port.run(kTroubled, block_count / 4);
  std::printf("clears: %ld\nresets: %ld\n", port.clears, port.resets);
  for (int turn = 0; turn < 40; ++turn) {
    wipe(turn, true);
    wipe(turn, false);
  }
  std::printf("wiped: 40\n");
  return 0;
}
