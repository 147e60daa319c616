// Random traffic at Serpent cores with a 128-bit port, against a model of the cipher and the rules
// of the port. The model is held to the known answers of the submission first.
//
// Cycle c ends at edge c: inputs are set, outputs are compared, then the edge comes. A twin of all
// cores gets the same traffic with other keys and blocks; when a clear is over, every bit of both
// must be the same. Prints the first difference and fails, or prints how much was done.

#include "Vmodel.h"
#include "verilated_save.h"

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "serpent_cipher.h"  // with tables.h: the cores, and how many cycles to run

static Vmodel model, twin;
static long cycle = 0;
static std::map<std::string, long> done;

// Byte 0 is the most significant one of a port of `size` bytes, which may be wider than `bytes`.
template <class Port, class Data> static void set(Port &port, const Data &data, int size) {
  for (int i = 0; i < int(sizeof(port) / 4); ++i) port[i] = 0;
  for (int i = 0; i < size; ++i) {
    int place = size - 1 - i;
    port[place / 4] |= uint32_t(data[i]) << 8 * (place % 4);
  }
}

// --- A core ----------------------------------------------------------------------------------

struct Flight {
  long accepted;
  bool walk, decrypt;
  int tag;
  Block result;
};

struct Driver {
  const Core &core;
  int i;
  std::vector<Key> pool;
  // The key that blocks use now, and since which cycle each direction may (-1: not yet).
  const Key *key = nullptr;
  long usable[2] = {-1, -1};
  // A key that waits for its walk or for an empty core, and until when it is worked on.
  bool waiting = false;
  long working_until = -1;
  std::deque<Flight> inside;
  long clearing_until = -1;
  // What is offered.
  bool offering = false, offering_key = false, decrypt = false;
  const Key *block_key = nullptr, *new_key = nullptr;
  Block source{}, result{};
  int tag = 0, pressure = 100;

  Driver(const Core &c, int index) : core(c), i(index) {
    for (int n = 0; n < 12; ++n) {
      int length = n % 3;
      if (core.lengths >> length & 1) pool.push_back(random_key(length));
    }
    for (const auto &a : answers)
      if (core.lengths >> a.length & 1) pool.push_back(Key(a.key, a.length));
  }

  [[noreturn]] void fail(const std::string &what) const {
    std::printf("cycle %ld: %s: %s\n", cycle, core.name, what.c_str());
    std::exit(1);
  }

  void expect(const char *what, long found, long wanted) const {
    if (found != wanted)
      fail(std::string(what) + " is " + std::to_string(found) + " instead of " +
           std::to_string(wanted));
  }

  const Key &any() const { return pool[rng() % pool.size()]; }

  // In a ring, the slot that comes round is taken until its last lap is over.
  bool slot_taken() const {
    for (const auto &f : inside) {
      long age = cycle - f.accepted - core.in_edge;
      if (!core.line && age > 0 && age % core.slots == 0 && age < core.laps * core.slots)
        return true;
    }
    return false;
  }

  // A line counts its blocks, and what it counts is seen some cycles later.
  bool empty() const { return inside.empty() && cycle >= seen_empty; }

  long seen_empty = -1;

  bool clearing() const { return cycle <= clearing_until; }

  bool ready(bool asked) const {
    bool inverse = core.decrypts && (!core.encrypts || asked);
    if (cycle <= ring_clearing || slot_taken()) return false;
    if (core.with_block) return true;
    if (core.stored && working()) return false;
    return !waiting && key && usable[inverse] >= 0 && cycle >= usable[inverse];
  }

  bool working() const { return waiting || cycle < working_until; }

  long ring_clearing = -1;

  void drive(bool quiet) {
    if (cycle % 512 == 0) pressure = (rng() & 1) ? 100 : 15;
    if (quiet) offering = offering_key = false;
    if (!offering && !quiet && chance(pressure)) {
      offering = true;
      decrypt = core.decrypts && (!core.encrypts || chance(50));
      tag = rng() & 255;
      source = random_block();
      if (core.with_block) block_key = &any();
    }
    if (!core.with_block && !offering_key && !quiet && (!key || chance(2)) && chance(50)) {
      offering_key = true;
      new_key = &any();
    }
    for (Vmodel *m : {&model, &twin}) {
      bool real = m == &model;
      m->in_valid_i[i] = offering;
      m->in_decrypt_i[i] = decrypt;
      m->in_tag_i[i] = tag;
      m->key_valid_i[i] = offering_key;
      m->in_len_i[i] = offering && core.with_block ? block_key->length : 0;
      m->key_len_i[i] = offering_key ? new_key->length : 0;
      Bytes noise{};
      if (!quiet)
        for (auto &byte : noise) byte = rng();
      set(m->in_block_i[i], noise, 16);
      set(m->in_key_i[i], noise, 32);
      set(m->key_i[i], noise, 32);
      if (!real) continue;
      if (offering) set(m->in_block_i[i], source, 16);
      if (offering && core.with_block) set_key(m->in_key_i[i], *block_key);
      if (offering_key) set_key(m->key_i[i], *new_key);
    }
  }

  // Left-aligned in the bits of the longest key that is built in.
  template <class Port> void set_key(Port &port, const Key &k) const {
    set(port, k.bytes, core.key_bits / 8);
  }

  void check() {
    // Results that are due.
    bool due = !inside.empty() && cycle == inside.front().accepted + core.latency;
    bool result = due && !inside.front().walk;
    expect("out_valid_o", model.out_valid_o[i], result);
    expect("the twin's out_valid_o", twin.out_valid_o[i], result);
    if (result) {
      const Flight &f = inside.front();
      expect("out_tag_o", model.out_tag_o[i], f.tag);
      for (int b = 0; b < 16; ++b)
        if ((model.out_block_o[i][3 - b / 4] >> 8 * (3 - b % 4) & 255) != f.result[b])
          fail("the result is wrong");
      ++done[f.decrypt ? "decryptions" : "encryptions"];
      ++done[core.name];
    }
    expect("in_ready_o", model.in_ready_o[i], ready(decrypt));
    expect("key_ready_o", model.key_ready_o[i],
           !core.with_block && !working() && cycle > key_clearing);
    bool free = empty() && !working() && !clearing();
    expect("idle_o", model.idle_o[i], free);
  }

  long key_clearing = -1;

  void edge(bool reset, bool clear) {
    bool took = offering && ready(decrypt);
    bool took_key = offering_key && !core.with_block && !working() && cycle > key_clearing;
    bool taken = slot_taken(), was_empty = empty(), had_some = !inside.empty();
    // Results that leave at this cycle are gone, and a walk that ends brings its window.
    while (!inside.empty() && cycle >= inside.front().accepted + core.latency - inside.front().walk *
                                            core.out_edge)
      inside.pop_front();
    if (core.line && had_some && inside.empty()) seen_empty = cycle + 4 - core.out_edge;
    if (reset || clear) {
      seen_empty = cycle;
      key = nullptr;
      usable[0] = usable[1] = -1;
      waiting = false;
      working_until = -1;
      inside.clear();
      ring_clearing = key_clearing = clearing_until = cycle;
      if (clear) {
        // Stored keys are gone before what they were mixed with.
        key_clearing = cycle + core.key_clear;
        ring_clearing = (core.stored ? key_clearing : cycle) + core.ring_clear;
        clearing_until = ring_clearing;
      }
      offering = offering_key = false;
      return;
    }
    if (waiting && (core.stored ? was_empty : !taken) && cycle > ring_clearing) {
      waiting = false;
      if (core.stored) {
        working_until = cycle + 174;
        usable[0] = usable[1] = working_until;
      } else {
        inside.push_back({cycle, true, false, 0, {}});
        working_until = cycle + core.in_edge + core.laps_cycles + 1;
        usable[1] = working_until;
      }
    }
    if (took) {
      const Key &k = core.with_block ? *block_key : *key;
      Block answer = decrypt ? k.decrypt(source) : k.encrypt(source);
      inside.push_back({cycle, false, decrypt, tag, answer});
      offering = false;
    }
    if (took_key) {
      key = new_key;
      offering_key = false;
      ++done["keys"];
      usable[0] = usable[1] = -1;
      if (core.stored) {
        waiting = true;
      } else {
        usable[0] = cycle + 1;
        waiting = core.decrypts;
      }
    }
  }
};

// --- The whole -------------------------------------------------------------------------------

static std::string saved(Vmodel &m, const char *name) {
  {
    VerilatedSave out;
    out.open(name);
    out << m;
  }
  std::ifstream in(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

int main() {
  if (!model_is_right()) return 1;
  std::vector<Driver> drivers;
  for (int i = 0; i < core_count; ++i) drivers.emplace_back(cores[i], i);
  long quiet_until = -1, compare_at = -1;
  for (; cycle < cycles; ++cycle) {
    bool reset = cycle < 2;
    bool clear = !reset && cycle > quiet_until && (cycle == 2 || rng() % clear_every == 0);
    if (clear) {
      bool look = chance(50) || cycle == 2;
      quiet_until = look ? cycle + longest_clear + 3 : cycle;
      compare_at = look ? quiet_until : -1;
      ++done["clears"];
    }
    model.rst_ni = twin.rst_ni = !reset;
    model.clear_i = twin.clear_i = clear;
    for (auto &d : drivers) d.drive(cycle <= quiet_until && !clear);
    model.clk_i = twin.clk_i = 0;
    model.eval();
    twin.eval();
    if (cycle > 1)
      for (auto &d : drivers) d.check();
    if (cycle == compare_at) {
      if (saved(model, "model.save") != saved(twin, "twin.save")) {
        std::printf("cycle %ld: a clear has left something\n", cycle);
        return 1;
      }
      ++done["states compared"];
    }
    for (auto &d : drivers) d.edge(reset, clear);
    model.clk_i = twin.clk_i = 1;
    model.eval();
    twin.eval();
  }
  for (auto &[what, number] : done) std::printf("%s: %ld\n", what.c_str(), number);
  return 0;
}
