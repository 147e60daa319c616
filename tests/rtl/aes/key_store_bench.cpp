// Random traffic at key stores and at the ends of key schedules, against models of their rules.
//
// Cycle c ends at edge c: inputs are set, outputs are compared with the models, then the edge comes.
// Prints the first difference and fails, or prints how much was done.

#include "Vmodel.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tables.h"  // what is in the bench, and keys with their round keys: from the test

static Vmodel model;
static std::mt19937 rng(2001);
static long cycle = 0;

static bool chance(int percent) { return int(rng() % 100) < percent; }

[[noreturn]] static void fail(const std::string &who, const std::string &what) {
  std::printf("cycle %ld: %s: %s\n", cycle, who.c_str(), what.c_str());
  std::exit(1);
}

static void expect(const std::string &who, const char *what, long found, long wanted) {
  if (found != wanted)
    fail(who, std::string(what) + " is " + std::to_string(found) + " instead of " +
                  std::to_string(wanted));
}

template <typename Wide>
static void expect_words(const std::string &who, const std::string &what, const Wide &found, int at,
                         const uint32_t *wanted, int words) {
  // Words of a port are in order of rising weight, ours the other way round.
  for (int i = 0; i < words; ++i) {
    uint32_t want = wanted ? wanted[words - 1 - i] : 0;
    if (found[at + i] != want) fail(who, what + " is wrong");
  }
}

static const Key &random_key(int mask) {
  for (;;) {
    const Key &key = keys[rng() % key_count];
    if (mask >> key.len & 1) return key;
  }
}

// Left-aligned in a port of `bits` bits.
template <typename Wide>
static void drive_window(Wide &port, const uint32_t *words, int bits) {
  for (int i = 0; i < 8; ++i) port[i] = 0;
  for (int i = 0; i < bits / 32; ++i) port[bits / 32 - 1 - i] = words[i];
}

static std::map<std::string, long> done;

// --- Stores ---------------------------------------------------------------------------------

struct Block {
  int slot;
  const Key *key;
  bool decrypt;
  long accepted;
};

struct StoreModel {
  const Store &s;
  int i;
  std::string who;

  // The key of each slot, and the first cycle in which blocks may start from it.
  const Key *key[16] = {};
  long encrypt_from[16], decrypt_from[16];
  int in_flight[16] = {};
  std::vector<Block> blocks;
  // The key in the expander: waits for its slot until `started` is known.
  const Key *expanding = nullptr;
  int target = 0;
  long started = -1;
  long ready_from = 0;  // a key has a cycle on its way to the expander of far registers
  long free_from = 0;
  bool was_free = false;
  int left = -1;   // slot of a block that left far registers in the last cycle
  int before = 0;  // blocks in flight of the slot of that key, a cycle ago
  long clear_until = -1;  // last cycle in which memories are being cleared
  bool wiped = false;     // nothing written since a clear was over
  bool rush = false;

  static constexpr long Never = 1L << 60;

  StoreModel(const Store &store, int index) : s(store), i(index), who(store.name) { forget(); }

  void forget() {
    for (int n = 0; n < 16; ++n) {
      key[n] = nullptr;
      encrypt_from[n] = decrypt_from[n] = Never;
      in_flight[n] = 0;
    }
    blocks.clear();
    left = -1;
    expanding = nullptr;
    started = -1;
    free_from = 0;
  }

  bool far() const { return s.ports == 0 && s.step_cycles > 1; }
  // The only slot of far registers is free a cycle after its last block has gone.
  bool ready_late() const { return far() && s.slots == 1; }
  bool busy() const { return expanding || cycle < free_from || cycle <= clear_until; }

  int key_slot, entry_slot, leave_block;
  bool key_valid, decrypt, accept, leave;
  const Key *offered;
  std::vector<std::pair<int, int>> reads;

  void drive() {
    if (cycle % 512 == 0) rush = chance(50);
    // An expansion starts in the first cycle in which no block of its slot is in flight.
    // Far registers learn of it a cycle later.
    if (expanding && started < 0 && cycle >= ready_from &&
        (far() ? before : in_flight[target]) == 0)
      start();
    before = expanding ? in_flight[target] : 0;
    key_valid = chance(rush ? 2 : 30) && !(wiped && cycle < quiet_until);
    key_slot = rng() % s.slots;
    offered = &random_key(s.mask);
    entry_slot = rng() % s.slots;
    decrypt = s.decrypts && (!s.encrypts || chance(50));
    leave = !blocks.empty() && chance(rush ? 5 + int(blocks.size() > 210) * 95 : 60);
    leave_block = leave ? rng() % blocks.size() : 0;
    model.key_valid_i[i] = key_valid;
    model.key_len_i[i] = offered->len;
    model.key_slot_i[i] = key_slot;
    drive_window(model.key_i[i], offered->words, s.key_bits);
    model.entry_slot_i[i] = entry_slot;
    model.entry_decrypt_i[i] = decrypt;
    model.leave_i[i] = leave;
    model.leave_slot_i[i] = leave ? blocks[leave_block].slot : rng() % s.slots;
    // Reads of blocks in flight; with none, any address.
    reads.clear();
    for (int p = 0; p < s.ports; ++p) {
      int slot = rng() % s.slots, index = rng() % 15, block = -1;
      if (!blocks.empty() && !(wiped && cycle < quiet_until)) {
        block = rng() % blocks.size();
        slot = blocks[block].slot;
        index = rng() % (blocks[block].key->rounds + 1);
      }
      reads.emplace_back(block, index);
      model.read_slot_i[i][p] = slot;
      model.read_index_i[i][p] = index;
    }
    // The block is accepted if it may; the answer needs no clock.
    accept = entry_ready() && chance(rush ? 95 : 50) && blocks.size() < 255;
    model.accept_i[i] = accept;
  }

  bool entry_ready() const {
    return cycle >= (decrypt ? decrypt_from : encrypt_from)[entry_slot];
  }

  void start() {
    started = cycle;
    // It is a way to registers of all keys; with SubCut four registers from each to the next, and
    // where a step takes four cycles, the words of a key go one after the other.
    long way = s.sub_cut ? 4 * s.max_rounds + (s.step_cycles >= 4 ? 8 : 2) : 2;
    long written = cycle + 2 + (s.ports ? 0 : way);
    long end = written + s.step_cycles * expanding->rounds;
    decrypt_from[target] = end;
    encrypt_from[target] = s.early ? written : end;
    free_from = end;
    expanding = nullptr;
  }

  long quiet_until = 0;

  void check() {
    bool ready = was_free && (ready_late() || in_flight[key_slot] == 0);
    expect(who, "idle_o", model.idle_o[i], !busy());
    expect(who, "key_ready_o", model.key_ready_o[i], ready);
    expect(who, "entry_ready_o", model.entry_ready_o[i], entry_ready());
    if (entry_ready()) {
      const Key &k = *key[entry_slot];
      expect(who, "entry_len_o", model.entry_len_o[i], k.len);
      expect_words(who, "entry_key_o", model.entry_key_o[i], 0,
                   k.round_keys[decrypt ? k.rounds : 0], 4);
    }
    for (int p = 0; p < s.ports; ++p) {
      auto [block, index] = reads[p];
      if (block >= 0) {
        const Block &b = blocks[block];
        if (!b.decrypt && cycle < b.accepted + s.step_cycles * index - 1) continue;
        expect_words(who, "read_key_o", model.read_key_o[i][p], 0, b.key->round_keys[index], 4);
        ++done["reads"];
      } else if (wiped && cycle < quiet_until && cycle > clear_until && index <= s.max_rounds) {
        expect_words(who, "read_key_o after a clear", model.read_key_o[i][p], 0, nullptr, 4);
        ++done["reads of zero"];
      }
    }
    if (s.ports == 0) {
      for (const Block &b : blocks) {
        int index = rng() % (b.key->rounds + 1);
        if (!b.decrypt && cycle < b.accepted + s.step_cycles * index - 1) continue;
        int place = index + (s.align_last ? s.max_rounds - b.key->rounds : 0);
        expect_words(who, "keys_o", model.keys_o[i], 4 * (15 * b.slot + place),
                     b.key->round_keys[index], 4);
        ++done["keys of registers"];
      }
      if (wiped && cycle < quiet_until)
        expect_words(who, "keys_o after a clear", model.keys_o[i], 0, nullptr, 60 * s.slots);
    }
  }

  void edge(bool reset, bool clear) {
    // What is free in one cycle takes a key in the next.
    was_free = !busy() && !(key_valid && model.key_ready_o[i]) && !reset && !clear;
    if (ready_late() && (in_flight[0] > 0 || accept)) was_free = false;
    if (reset || clear) {
      forget();
      wiped = clear;
      if (reset) clear_until = -1;
      if (clear) {
        clear_until = cycle + (s.ports ? 16 : 1);
        quiet_until = clear_until + 60;
        if (s.ports == 0) quiet_until = cycle + 4;
        if (chance(50)) quiet_until = 0;  // sometimes the next key comes at once
        ++done["clears"];
      }
      return;
    }
    if (left >= 0) --in_flight[left];
    left = -1;
    if (leave) {
      int slot = blocks[leave_block].slot;
      if (far())
        left = slot;
      else
        --in_flight[slot];
      blocks.erase(blocks.begin() + leave_block);
    }
    if (accept) {
      ++in_flight[entry_slot];
      blocks.push_back({entry_slot, key[entry_slot], decrypt, cycle});
      done["most blocks"] = std::max(done["most blocks"], long(blocks.size()));
      ++done[decrypt ? "decryptions" : "encryptions"];
    }
    if (key_valid && model.key_ready_o[i]) {
      if (accept && entry_slot == key_slot) ++done["blocks at the edge of a key"];
      key[key_slot] = expanding = offered;
      target = key_slot;
      started = -1;
      ready_from = cycle + 1 + far();
      encrypt_from[key_slot] = decrypt_from[key_slot] = Never;
      wiped = false;
      ++done["keys"];
    }
  }
};

// --- Ends -----------------------------------------------------------------------------------

struct EndModel {
  const End &e;
  int i;
  std::string who;
  const Key *key = nullptr;
  bool waiting = false, walking = false, walked = false;
  bool closed = false, cleared = false;

  const Key *offered;
  bool key_valid, walk_ready, back;

  EndModel(const End &end, int index) : e(end), i(index), who(end.name) {}

  void drive() {
    key_valid = chance(20);
    offered = &random_key(e.mask);
    walk_ready = chance(30);
    // Nothing comes back that is not under way.
    back = walking && chance(20);
    model.end_key_valid_i[i] = key_valid;
    model.end_key_len_i[i] = offered->len;
    drive_window(model.end_key_i[i], offered->words, e.key_bits);
    model.walk_ready_i[i] = walk_ready;
    model.walked_i[i] = back;
    uint32_t noise[8];
    for (uint32_t &word : noise) word = rng();
    drive_window(model.walked_window_i[i], back ? key->walked : noise, e.key_bits);
  }

  void check() {
    bool ready = !waiting && !walking;
    // No ready is high in the cycle after a clear.
    expect(who, "key_ready_o", model.end_key_ready_o[i], ready && !closed);
    expect(who, "idle_o", model.end_idle_o[i], ready);
    expect(who, "walk_valid_o", model.walk_valid_o[i], waiting);
    expect(who, "encrypt_ready_o", model.encrypt_ready_o[i], key && e.encrypts);
    expect(who, "decrypt_ready_o", model.decrypt_ready_o[i], key && walked);
    int words = e.key_bits / 32;
    if (cleared) {
      expect_words(who, "first_o after a clear", model.first_o[i], 0, nullptr, words);
      expect_words(who, "last_o after a clear", model.last_o[i], 0, nullptr, words);
      ++done["ends of zero"];
    }
    if (!key) return;
    expect(who, "len_o", model.len_o[i], key->len);
    int skip = words - key->key_words;
    if (waiting || e.encrypts)
      expect_words(who, "first_o", model.first_o[i], skip, key->words, key->key_words);
    if (walked) {
      expect_words(who, "last_o", model.last_o[i], skip, key->last, key->key_words);
      ++done["walked"];
    }
  }

  void edge(bool reset, bool clear) {
    closed = clear;
    if (reset || clear) {
      key = nullptr;
      waiting = walking = walked = false;
      cleared = clear;
      return;
    }
    if (back) {
      walking = false;
      walked = true;
    } else if (waiting && walk_ready) {
      waiting = false;
      walking = true;
    } else if (key_valid && model.end_key_ready_o[i]) {
      key = offered;
      waiting = e.decrypts;
      walked = cleared = false;
    }
  }
};

int main() {
  std::vector<StoreModel> store_models;
  std::vector<EndModel> end_models;
  for (int i = 0; i < store_count; ++i) store_models.emplace_back(stores[i], i);
  for (int i = 0; i < end_count; ++i) end_models.emplace_back(ends[i], i);
  for (; cycle < 40000; ++cycle) {
    bool reset = cycle < 2 || rng() % 5000 == 0;
    // Clears come alone, in pairs and while another one is under way.
    bool clear = cycle == 2 || rng() % (cycle % 2048 < 64 ? 16 : 1500) == 0;
    model.rst_ni = !reset;
    model.clear_i = clear && !reset;
    for (auto &m : store_models) m.drive();
    for (auto &m : end_models) m.drive();
    model.clk_i = 0;
    model.eval();
    if (cycle > 1) {
      for (auto &m : store_models) m.check();
      for (auto &m : end_models) m.check();
    }
    for (auto &m : store_models) m.edge(reset, clear && !reset);
    for (auto &m : end_models) m.edge(reset, clear && !reset);
    model.clk_i = 1;
    model.eval();
  }
  for (auto &[what, number] : done) std::printf("%s: %ld\n", what.c_str(), number);
  return 0;
}
