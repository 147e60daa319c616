// Random traffic at the core that takes batches of four blocks (rsm_serpent_batch), against a model
// of the cipher and of every cycle at its port.
//
// Cycle c ends at edge c: inputs are set, outputs are compared, then the edge comes. A twin gets the
// same traffic with other keys and blocks; when a clear is over, every bit of both must be the same.
// Prints the first difference and fails, or prints how much was done.

#include "Vmodel.h"
#include "verilated_save.h"

#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "serpent_cipher.h"  // with tables.h: how many cycles to run

static constexpr int kLatency = 32, kSetup = 21, kClear = 8, kBatch = 4;

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

template <class Port, class Data> static void set(Port &port, const Data &data) {
  const int size = sizeof(port);
  for (int i = 0; i < size / 4; ++i) port[i] = 0;
  for (int i = 0; i < size; ++i) port[(size - 1 - i) / 4] |= uint32_t(data[i]) << 8 * (3 - i % 4);
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

struct Flight {
  long accepted;
  int tag;
  Block result;
};

int main() {
  if (!model_is_right()) return 1;
  std::vector<Key> pool;
  for (int i = 0; i < 30; ++i) pool.push_back(random_key(2));
  for (const auto &a : answers)
    if (a.length == 2) pool.push_back(Key(a.key, a.length));

  // What the core should be doing.
  const Key *key = nullptr;
  bool inverse = false, waiting = false;
  long ready_from = -1, started = -1000, batch = -1000, cleared = -1000;
  std::deque<Flight> inside;
  // What is offered.
  bool offering = false, decrypt = false, offering_key = false;
  const Key *new_key = nullptr;
  Block source{};
  int tag = 0, pressure = 100, key_pressure = 1;
  long quiet_until = -1, compare_at = -1;

  for (; cycle < cycles; ++cycle) {
    bool reset = cycle < 2;
    bool clear = !reset && cycle > quiet_until && (cycle == 2 || rng() % clear_every == 0);
    if (clear) {
      bool look = chance(60);
      quiet_until = look ? cycle + kClear + 2 : cycle;
      compare_at = look ? quiet_until : -1;
      ++done["clears"];
    }
    bool quiet = cycle <= quiet_until && !clear;
    if (cycle % 512 == 0) {
      pressure = chance(50) ? 100 : chance(50) ? 40 : 3;
      key_pressure = chance(50) ? 1 : 30;
    }
    if (quiet) offering = offering_key = false;
    if (!offering && !quiet && chance(pressure)) {
      offering = true;
      if (chance(5)) decrypt = !decrypt;
      source = random_block();
      tag = rng() & 255;
    } else if (offering && pressure < 100 && chance(10)) {
      offering = false;
    }
    if (!offering_key && !quiet && chance(key ? key_pressure : 50)) {
      offering_key = true;
      new_key = &pool[rng() % pool.size()];
    }
    for (Vmodel *m : {&model, &twin}) {
      bool real = m == &model;
      m->rst_ni = !reset;
      m->clear_i = clear;
      m->in_valid_i = offering;
      m->in_decrypt_i = decrypt;
      m->in_tag_i = tag;
      m->key_valid_i = offering_key;
      Bytes noise{};
      if (!quiet)
        for (auto &byte : noise) byte = rng();
      set(m->key_i, real && offering_key ? new_key->bytes : noise);
      if (real && offering) set(m->in_block_i, source);
      else set(m->in_block_i, noise);
      m->clk_i = 0;
      m->eval();
    }

    // What must stand at the outputs.
    while (!inside.empty() && cycle > inside.front().accepted + kLatency) inside.pop_front();
    bool drained = inside.empty() && cycle >= batch + 32 && cycle > started + kSetup - 1 &&
                   cycle > cleared + kClear;
    bool in_time = cycle >= batch + 32 || cycle - batch < kBatch;
    bool ready = ready_from >= 0 && cycle >= ready_from && cycle > cleared + kClear && in_time &&
                 decrypt == inverse;
    bool key_ready = drained && !waiting;
    if (cycle > 1) {
      for (Vmodel *m : {&model, &twin}) {
        expect("in_ready_o", m->in_ready_o, ready);
        expect("key_ready_o", m->key_ready_o, key_ready);
        expect("idle_o", m->idle_o, key_ready);
        bool due = !inside.empty() && cycle == inside.front().accepted + kLatency;
        expect("out_valid_o", m->out_valid_o, due);
        if (m != &model || !due) continue;
        expect("out_tag_o", m->out_tag_o, inside.front().tag);
        for (int b = 0; b < 16; ++b)
          if ((m->out_block_o[3 - b / 4] >> 8 * (3 - b % 4) & 255) != inside.front().result[b])
            fail("the result is wrong");
        ++done["results"];
      }
      if (cycle == compare_at) {
        if (saved(model, "model.save") != saved(twin, "twin.save"))
          fail("a clear has left something");
        ++done["states compared"];
      }
    }

    // The edge.
    if (reset || clear) {
      key = nullptr;
      inverse = waiting = offering = offering_key = false;
      ready_from = -1;
      started = batch = -1000;
      cleared = clear ? cycle : -1000;
      inside.clear();
    } else {
      bool accept = offering && ready, load = offering_key && key_ready;
      bool turn = key_ready && key && offering && decrypt != inverse && !load;
      if (accept) {
        if (cycle == batch + 32) ++done["batches that follow at once"];
        if (cycle == ready_from) ++done[decrypt ? "first decryptions" : "first encryptions"];
        if (cycle == batch + 3) ++done["fourth blocks"];
        if (cycle - batch >= kBatch) batch = cycle;
        inside.push_back({cycle, tag, decrypt ? key->decrypt(source) : key->encrypt(source)});
        ++done[decrypt ? "decryptions" : "encryptions"];
        offering = false;
      }
      if (load) {
        key = new_key;
        ready_from = -1;
        offering_key = false;
        ++done["keys"];
        if (accept) ++done["keys with a block"];
      }
      if ((load && !accept) || (waiting && drained) || turn) {
        started = cycle;
        ready_from = cycle + kSetup;
        if (turn) {
          inverse = !inverse;
          ++done["turns"];
        }
      }
      waiting = load ? accept : waiting && !drained;
    }
    for (Vmodel *m : {&model, &twin}) {
      m->clk_i = 1;
      m->eval();
    }
  }
  for (auto &[what, number] : done) std::printf("%s: %ld\n", what.c_str(), number);
  return 0;
}
