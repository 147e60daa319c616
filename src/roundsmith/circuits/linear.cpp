// SPDX-License-Identifier: Apache-2.0
// Short XOR programs: few two-input XORs that compute given sums of inputs over GF(2).
//
// A program is held as the set of vectors (sums of inputs) that it computes. The set is a program
// when every target is reached from the inputs by adding two vectors that are there already.
//
// Starts: Paar, "Optimized arithmetic for Reed-Solomon encoders", ISIT 1997 (with bounded depth);
// Boyar, Matthews, Peralta, "Logic minimization techniques with applications to cryptology",
// J. Cryptology 26 (2013), section 4, with a table of all distances; transposition of a program.
// Then a walk over sets of equal size: take one vector out, look for all vectors that mend the
// set, put one of them in; a set that needs no mending is shorter. The walk that changes one
// vector of the set at a time is that of slp-plateau-search (Joe-b-20, 2026, METHODS.md).
//
// Reads problems on stdin and prints programs on stdout, one a line; linear.py speaks the format.

#include <algorithm>
#include <array>
#include <bitset>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using Vector = uint64_t;
using Pairs = std::vector<std::pair<int, int>>;
using Set = std::vector<Vector>;  // the vectors of a program without the inputs

constexpr int MaxSlots = 992;  // inputs, sums, and the last for the vector on trial
constexpr int MaxTargets = 128;
constexpr int Free = 1 << 20;  // a depth that bounds nothing

static double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

struct Random {
  uint64_t state;
  explicit Random(uint64_t seed) : state(seed * 0x9e3779b97f4a7c15u + 0x1234567u) {}
  uint64_t next() {  // splitmix64
    uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  int below(int n) { return int((unsigned __int128)next() * n >> 64); }
  double real() { return (next() >> 11) * 0x1p-53; }
  template <class T> void shuffle(T &items) {
    for (int i = int(items.size()) - 1; i > 0; i--) std::swap(items[i], items[below(i + 1)]);
  }
};

struct Problem {
  int inputs = 0;
  int bound = Free;
  std::vector<int> arrivals;
  std::vector<Vector> targets;  // distinct, no inputs; with the late inputs' vectors
  std::vector<std::pair<int, Vector>> late;  // the input, and what must be there before it
  bool plain() const { return bound == Free && late.empty(); }
  bool is_late(int input) const {
    return std::any_of(late.begin(), late.end(), [&](auto &x) { return x.first == input; });
  }
};

static bool is_input(Vector v) { return (v & (v - 1)) == 0; }

static void add_target(Problem &p, Vector v) {
  if (v && !is_input(v) && std::find(p.targets.begin(), p.targets.end(), v) == p.targets.end())
    p.targets.push_back(v);
}

// The set of vectors on the walk, with all its triples {a, b, a ^ b}.
class Walker {
 public:
  void load(const Problem &problem, const Set &set) {
    problem_ = &problem;
    n_ = problem.inputs;
    // Up to 18 inputs the hash is the vector itself; else it is a random linear map, so that the
    // hash of a sum is the sum of the hashes.
    exact_ = n_ <= HashBits;
    Random hash(12345);
    for (int i = 0; i < 64; i++) {
      basis_[i] = uint32_t(hash.next());
      if (exact_) basis_[i] = i < n_ ? 1u << i : 0;
    }
    std::memset(once_, 0, sizeof once_);
    std::memset(sought_, 0, sizeof sought_);
    std::memset(head_, 0xff, sizeof head_);
    live_.clear();
    free_.clear();
    for (int s = MaxSlots - 2; s >= 0; s--) free_.push_back(s);
    fixed_.assign(MaxSlots, 0);
    partner_.assign(MaxSlots, -1);
    unlocks_.assign(MaxSlots, {});
    for (int i = 0; i < n_; i++) fixed_[add(Vector(1) << i)] = 1;
    for (Vector v : problem.targets) fixed_[add(v)] = 1;
    targets_ = int(problem.targets.size());
    for (auto [input, vector] : problem.late) unlocks_[find(vector)].push_back(input);
    std::vector<std::pair<int, int>> order;
    for (int i = 0; i < n_; i++)
      if (!problem.is_late(i))
        order.push_back({problem.arrivals.empty() ? 0 : problem.arrivals[i], i});
    std::stable_sort(order.begin(), order.end());
    start_ = order;
    for (Vector v : set)
      if (v && !is_input(v) && find(v) < 0) add(v);
  }

  int cost() const { return int(live_.size()) - n_; }
  int size() const { return int(live_.size()); }

  Set set() const {
    Set result;
    for (int s : live_)
      if (!is_input(vector_[s])) result.push_back(vector_[s]);
    return result;
  }

  // Drop what cannot be derived; false when a target is among it.
  bool prune() {
    if (!closure(-1)) return false;
    drop_unseen();
    return true;
  }

  // Take out vectors one by one, in random order, as long as the targets remain.
  void thin(Random &random) {
    std::vector<int> order(live_);
    random.shuffle(order);
    for (int s : order)
      if (where_[s] >= 0 && !fixed_[s] && closure(s)) {
        drop_unseen();
        if (where_[s] >= 0) remove(s);
      }
  }

  // The program: the signals that each sum adds, in an order of least depth.
  Pairs program() {
    closure(-1);
    std::vector<int> name(MaxSlots, -1);
    for (int i = 0; i < n_; i++) name[i] = i;
    Pairs pairs;
    for (int s : queue_) {
      if (s < n_) continue;
      pairs.push_back({name[parents_[s].first], name[parents_[s].second]});
      name[s] = n_ + int(pairs.size()) - 1;
    }
    return pairs;
  }

  // The depth of the deepest target.
  int depth() {
    closure(-1);
    int deepest = 0;
    for (int s : queue_)
      if (fixed_[s] && s >= n_) deepest = std::max(deepest, level_[s]);
    return deepest;
  }

  // Put in one vector that has two derivations or uses, so that others may become needless.
  bool widen(Random &random) {
    if (size() + 2 >= MaxSlots) return false;
    for (int i = 0; i < 60; i++) {
      int a = live_[random.below(size())], b = live_[random.below(size())];
      if (a == b) continue;
      Vector w = vector_[a] ^ vector_[b];
      if (is_input(w) || find(w) >= 0) continue;
      int s = add(w);
      if (degree_[s] >= 2) return true;
      remove(s);
    }
    return false;
  }

  // One move: take a random vector out and mend the set. True when the set changed.
  bool step(Random &random) {
    int x = -1;
    for (int i = 0; i < 64; i++) {
      int s = live_[random.below(size())];
      if (!fixed_[s]) {
        x = s;
        break;
      }
    }
    if (x < 0) return false;
    if (closure(x)) {
      drop_unseen();
      if (where_[x] >= 0) remove(x);
      return true;
    }
    // Whatever mends the set is a sum of two vectors that are left, and makes a lost one (or, with
    // a bounded depth, a vector that now comes later) by one more addition.
    reached_.assign(queue_.begin(), queue_.end());
    lost_.clear();
    for (int s : live_)
      if (!seen_[s]) lost_.push_back(s);
    if (!mend(x, random)) return false;
    drop_unseen();
    if (where_[x] >= 0) remove(x);
    add(mending_);
    if (problem_->bound != Free) remember_levels();
    return true;
  }

  void remember_levels() {
    closure(-1);
    for (int s : queue_) usual_[s] = level_[s];
  }

 private:
  // Look for a vector that mends the set without x: a sum of two reached vectors, sought for.
  bool mend(int x, Random &random) {
    const int reached = int(reached_.size());
    for (int i = 0; i < reached; i++) reached_hash_[i] = hash_[reached_[i]] & HashMask;
    const bool any = seek(x);
    candidates_.clear();
    for (int i = 1; any && i < reached; i++) {
      const uint32_t hash = reached_hash_[i];
#pragma GCC ivdep
      for (int j = 0; j < i; j++) {  // nothing here aliases: all lanes at once
        const uint32_t h = hash ^ reached_hash_[j];
        hit_[j] = sought_[h >> 5] >> (h & 31) & 1;
      }
      for (int j = i; j < i + 4; j++) hit_[j] = 0;
      for (int j = 0; j < i; j += 4) {
        if (!(hit_[j] | hit_[j + 1] | hit_[j + 2] | hit_[j + 3])) continue;
        for (int k = j; k < j + 4; k++)
          if (hit_[k]) candidates_.push_back(vector_[reached_[i]] ^ vector_[reached_[k]]);
      }
    }
    for (uint32_t h : set_bits_) once_[h >> 5] = sought_[h >> 5] = 0;
    random.shuffle(candidates_);
    for (size_t i = 0; i < candidates_.size(); i++) {
      const Vector w = candidates_[i];
      if (w == vector_[x] || is_input(w)) continue;
      if (std::find(candidates_.begin(), candidates_.begin() + long(i), w) !=
          candidates_.begin() + long(i))
        continue;
      if (mends(x, w, hash_of(w))) {
        mending_ = w;
        return true;
      }
    }
    return false;
  }

  // Mark the hashes of the vectors that may mend the set. Such a vector makes a lost one by one
  // more addition; unless that one brings all the others back, it takes part in a second addition
  // with a lost one. With a bounded depth, vectors that come later than before count as lost.
  bool seek(int x) {
    bool any = false;
    set_bits_.clear();
    const bool bounded = problem_->bound != Free;
    wanted_ = lost_;
    if (bounded) {
      for (int s : reached_)
        if (s >= n_ && level_[s] > usual_[s]) wanted_.push_back(s);
    }
    auto mark = [&](uint32_t *bits, uint32_t h) { bits[h >> 5] |= 1u << (h & 31); };
    for (size_t k = 0; k < wanted_.size(); k++) {
      const int u = wanted_[k];
      const uint32_t hash = hash_[u] & HashMask;
      const bool alone = bounded || revives(x, u);
      auto meet = [&](uint32_t h) {
        if (alone || (once_[h >> 5] >> (h & 31) & 1)) mark(sought_, h), any = true;
        mark(once_, h);
        set_bits_.push_back(h);
      };
      for (size_t i = 0; i < reached_.size(); i++) meet(hash ^ reached_hash_[i]);
      if (!bounded)
        for (size_t i = 0; i < k; i++) meet(hash ^ (hash_[wanted_[i]] & HashMask));
    }
    return any;
  }

  // Are all targets there once u is (no bounded depth)?
  bool revives(int x, int u) {
    size_t base = queue_.size();
    seen_[x] = 1;
    push(u, 0, u, u);
    bool good = spread(base);
    seen_[x] = 0;
    if (good) retract(base);
    return good;
  }

  static constexpr int HashBits = 18;
  static constexpr uint32_t HashMask = (1u << HashBits) - 1;
  static constexpr int SetBits = 12;
  static constexpr uint32_t SetMask = (1u << SetBits) - 1;
  static constexpr int MaxDegree = MaxSlots / 2;  // an odd number of cache lines

  const Problem *problem_ = nullptr;
  int n_ = 0, targets_ = 0;
  bool exact_ = false;
  uint32_t basis_[64];
  uint32_t once_[1 << (HashBits - 5)], sought_[1 << (HashBits - 5)];  // sets of hashes
  std::vector<uint32_t> set_bits_;
  uint32_t reached_hash_[MaxSlots];
  uint32_t hit_[MaxSlots + 8];
  std::vector<Vector> candidates_;
  int16_t head_[1 << SetBits], next_[MaxSlots];
  Vector vector_[MaxSlots];
  uint32_t hash_[MaxSlots];
  int degree_[MaxSlots];
  std::array<std::pair<int16_t, int16_t>, MaxDegree> triples_[MaxSlots];
  std::vector<int> live_, free_;
  int where_[MaxSlots];
  std::vector<uint8_t> fixed_;
  std::vector<std::vector<int>> unlocks_;
  std::vector<std::pair<int, int>> start_;
  std::vector<int> queue_, reached_, lost_, wanted_;
  Vector mending_ = 0;
  uint8_t seen_[MaxSlots], done_[MaxSlots];
  int level_[MaxSlots], usual_[MaxSlots];
  std::pair<int16_t, int16_t> parents_[MaxSlots];
  std::vector<int16_t> partner_;
  std::vector<std::pair<int16_t, int16_t>> trial_;

  uint32_t hash_of(Vector v) const {
    uint32_t h = 0;
    for (; v; v &= v - 1) h ^= basis_[__builtin_ctzll(v)];
    return h;
  }

  int find(Vector v, uint32_t hash) const {
    for (int s = head_[hash & SetMask]; s >= 0; s = next_[s])
      if (vector_[s] == v) return s;
    return -1;
  }
  int find(Vector v) const { return find(v, hash_of(v)); }

  int add(Vector v) {
    if (free_.empty()) {
      std::fprintf(stderr, "error: more than %d vectors\n", MaxSlots - 1);
      std::exit(3);
    }
    int s = free_.back();
    free_.pop_back();
    uint32_t h = hash_of(v);
    vector_[s] = v;
    hash_[s] = h;
    degree_[s] = 0;
    usual_[s] = Free;
    for (int e : live_) {
      uint32_t sum = h ^ hash_[e];
      int t = find(v ^ vector_[e], sum);
      if (t > e) {
        triples_[s][degree_[s]++] = {int16_t(e), int16_t(t)};
        triples_[e][degree_[e]++] = {int16_t(s), int16_t(t)};
        triples_[t][degree_[t]++] = {int16_t(s), int16_t(e)};
      }
    }
    next_[s] = head_[h & SetMask];
    head_[h & SetMask] = int16_t(s);
    where_[s] = int(live_.size());
    live_.push_back(s);
    return s;
  }

  void forget(int s, int other) {
    auto &list = triples_[s];
    for (int i = 0;; i++)
      if (list[i].first == other || list[i].second == other) {
        list[i] = list[--degree_[s]];
        return;
      }
  }

  void remove(int s) {
    for (int i = 0; i < degree_[s]; i++) {
      forget(triples_[s][i].first, s);
      forget(triples_[s][i].second, s);
    }
    int last = live_.back();
    live_[where_[s]] = last;
    where_[last] = where_[s];
    live_.pop_back();
    where_[s] = -1;
    int16_t *link = &head_[hash_[s] & SetMask];
    while (*link != s) link = &next_[*link];
    *link = next_[s];
    free_.push_back(s);
  }

  void drop_unseen() {
    for (int i = size() - 1; i >= 0; i--)
      if (!seen_[live_[i]] && !fixed_[live_[i]]) remove(live_[i]);
  }

  void push(int s, int level, int a, int b) {
    seen_[s] = 1;
    level_[s] = level;
    parents_[s] = {int16_t(a), int16_t(b)};
    queue_.push_back(s);
  }

  // Derive all that can be derived, least depth first, without `dead`, with the vector on trial
  // when there is one. True when all targets are there.
  bool closure(int dead, bool on_trial = false) {
    constexpr int w = MaxSlots - 1;
    const int bound = problem_->bound;
    std::memset(seen_, 0, sizeof seen_);
    std::memset(done_, 0, sizeof done_);
    if (dead >= 0) seen_[dead] = 1;  // never pushed, never done
    queue_.clear();
    size_t input = 0;
    int found = 0;
    for (size_t i = 0;; i++) {
      // Inputs that arrive before the next vector in the queue stand before it.
      while (input < start_.size() &&
             (i == queue_.size() || start_[input].first <= level_[queue_[i]])) {
        int s = start_[input].second;
        seen_[s] = 1;
        level_[s] = start_[input++].first;
        if (i == queue_.size()) {
          queue_.push_back(s);
        } else {
          queue_.insert(queue_.begin() + long(i), s);
        }
      }
      if (i == queue_.size()) break;
      int e = queue_[i], level = level_[e] + 1;
      done_[e] = 1;
      if (e == w) {
        for (auto [a, b] : trial_) {
          if (done_[a] && !seen_[b] && level <= bound) push(b, level, w, a);
          if (done_[b] && !seen_[a] && level <= bound) push(a, level, w, b);
        }
        continue;
      }
      found += fixed_[e] && e >= n_;
      for (int input_after : unlocks_[e])
        if (!seen_[input_after]) {
          seen_[input_after] = 1;
          level_[input_after] = level;
          queue_.push_back(input_after);
        }
      if (level > bound) continue;
      const auto *triple = triples_[e].data();
      for (int k = degree_[e]; k > 0; k--, triple++) {
        int a = triple->first, b = triple->second;
        if (done_[a]) {
          if (!seen_[b]) push(b, level, e, a);
        } else if (done_[b] && !seen_[a]) {
          push(a, level, e, b);
        }
      }
      if (on_trial && partner_[e] >= 0) {
        int p = partner_[e];
        if (done_[p] && !seen_[w]) push(w, level, e, p);
        if (done_[w] && !seen_[p]) push(p, level, e, w);
      }
    }
    if (dead >= 0) seen_[dead] = 0;
    found_ = found;
    return found == targets_;
  }

  // Does the set without x and with w have all targets? Leaves seen_ as of that set if it has.
  bool mends(int x, Vector w, uint32_t hash) {
    trial_.clear();
    bool there = false;
    for (int e : live_) {
      int t = find(w ^ vector_[e], hash ^ hash_[e]);
      if (t <= e || t == x || e == x) continue;
      trial_.push_back({int16_t(e), int16_t(t)});
      there |= done_[e] && done_[t];
    }
    if (problem_->bound == Free && !there) return false;
    if (trial_.size() < 2) return false;
    for (auto [a, b] : trial_) partner_[a] = b, partner_[b] = a;
    bool good = problem_->bound == Free ? extend(x) : closure(x, true);
    for (auto [a, b] : trial_) partner_[a] = partner_[b] = -1;
    return good;
  }

  // Go on from the closure without x, now that the vector on trial is there (no bounded depth).
  bool extend(int x) {
    size_t base = queue_.size();
    seen_[x] = 1;
    for (auto [a, b] : trial_) {
      if (seen_[a] && !seen_[b]) push(b, 0, a, a);
      if (seen_[b] && !seen_[a]) push(a, 0, b, b);
    }
    bool good = spread(base);
    seen_[x] = 0;
    return good;
  }

  // Derive what follows from the queue's vectors from `base` on; undo it unless all targets are
  // there.
  bool spread(size_t base) {
    for (size_t i = base; i < queue_.size(); i++) {
      int e = queue_[i];
      done_[e] = 1;
      for (int input : unlocks_[e])
        if (!seen_[input]) push(input, 0, e, e);
      for (int k = 0; k < degree_[e]; k++) {
        auto [a, b] = triples_[e][k];
        if (done_[a]) {
          if (!seen_[b]) push(b, 0, e, a);
        } else if (done_[b] && !seen_[a]) {
          push(a, 0, e, b);
        }
      }
      int p = partner_[e];
      if (p >= 0 && !seen_[p]) push(p, 0, e, e);
    }
    int found = found_;
    for (size_t i = base; i < queue_.size(); i++) found += fixed_[queue_[i]] && queue_[i] >= n_;
    if (found == targets_) return true;
    retract(base);
    return false;
  }

  void retract(size_t base) {
    for (size_t i = base; i < queue_.size(); i++) seen_[queue_[i]] = done_[queue_[i]] = 0;
    queue_.resize(base);
  }
  int found_ = 0;  // targets of the last closure
};

// ---------------------------------------------------------------------------------------------
// Starts

// The least depth of a sum of signals of these depths.
static int least_depth(const std::vector<int> &levels) {
  unsigned __int128 sum = 0;
  for (int x : levels) sum += (unsigned __int128)1 << x;
  int depth = 0;
  while (((unsigned __int128)1 << depth) < sum) depth++;
  return depth;
}

// Paar's greedy: make the pair that most targets share; never let a target become too deep.
static bool paar(const Problem &p, Random &random, Set &result) {
  using Mask = std::bitset<MaxTargets>;
  using Wide = unsigned __int128;
  int m = int(p.targets.size());
  std::vector<Vector> vectors;
  std::vector<int> levels;
  std::vector<Mask> used;
  std::vector<int> locked;
  for (int i = 0; i < p.inputs; i++) {
    vectors.push_back(Vector(1) << i);
    levels.push_back(p.arrivals.empty() ? 0 : p.arrivals[i]);
    used.emplace_back();
    for (int t = 0; t < m; t++) used[i][t] = p.targets[t] >> i & 1;
    locked.push_back(-1);
  }
  std::vector<int> left(m);
  for (int t = 0; t < m; t++) left[t] = __builtin_popcountll(p.targets[t]);
  const bool bounded = p.bound != Free;
  auto depth_of = [&](Vector v) {
    std::vector<int> list;
    for (int i = 0; i < p.inputs; i++)
      if (v >> i & 1) list.push_back(levels[i]);
    return least_depth(list);
  };
  std::vector<int> bound(m, bounded ? std::min(p.bound, 60) : 60);
  for (size_t round = 0; round <= p.late.size(); round++)  // late vectors may hold late inputs
    for (auto [input, vector] : p.late) levels[input] = std::min(depth_of(vector) + 1, 60);
  for (auto [input, vector] : p.late) {
    if (is_input(vector) && !p.is_late(__builtin_ctzll(vector))) continue;
    for (int t = 0; t < m; t++)
      if (p.targets[t] == vector) {
        locked[input] = t;
        if (bounded) bound[t] = std::min(bound[t], depth_of(vector));
      }
  }
  std::vector<Wide> room(m);
  for (int t = 0; t < m; t++) {
    room[t] = (Wide)1 << bound[t];
    for (int i = 0; i < p.inputs; i++)
      if (used[i][t]) {
        Wide cost = (Wide)1 << levels[i];
        if (cost > room[t]) return false;
        room[t] -= cost;
      }
  }
  auto open = [&](int s) { return s >= p.inputs || locked[s] < 0 || left[locked[s]] == 1; };
  auto shared = [&](int a, int b) {
    Mask both = used[a] & used[b];
    if (bounded && levels[a] != levels[b] && both.any()) {
      Wide more = (Wide)1 << std::max(levels[a], levels[b]);
      more -= (Wide)1 << std::min(levels[a], levels[b]);
      for (int t = 0; t < m; t++)
        if (both[t] && more > room[t]) both[t] = false;
    }
    return both;
  };
  std::vector<std::vector<int>> count;  // of each pair
  auto recount = [&](int a) {
    for (int b = 0; b < int(vectors.size()); b++) {
      int c = a == b || !open(a) || !open(b) ? 0 : int(shared(a, b).count());
      count[a][b] = count[b][a] = c;
    }
  };
  count.assign(vectors.size(), std::vector<int>(vectors.size(), 0));
  for (size_t a = 0; a < vectors.size(); a++) recount(int(a));
  result.clear();
  while (std::any_of(left.begin(), left.end(), [](int x) { return x > 1; })) {
    int best = 0, ties = 0, x = -1, y = -1;
    for (int a = 0; a < int(vectors.size()); a++)
      for (int b = 0; b < a; b++) {
        if (count[a][b] < best || count[a][b] == 0) continue;
        if (count[a][b] > best) best = count[a][b], ties = 0;
        if (random.below(++ties) == 0) x = a, y = b;
      }
    if (x < 0) return false;
    Mask both = shared(x, y);
    int top = std::max(levels[x], levels[y]) + 1, s = int(vectors.size());
    if (both.none()) {
      count[x][y] = count[y][x] = 0;
      continue;
    }
    for (int t = 0; t < m; t++)
      if (both[t]) {
        left[t]--;
        if (bounded) {
          room[t] += (Wide)1 << levels[x];
          room[t] += (Wide)1 << levels[y];
          room[t] -= (Wide)1 << top;
        }
      }
    used[x] &= ~both;
    used[y] &= ~both;
    vectors.push_back(vectors[x] ^ vectors[y]);
    levels.push_back(top);
    used.push_back(both);
    result.push_back(vectors.back());
    for (auto &row : count) row.push_back(0);
    count.emplace_back(vectors.size(), 0);
    if (bounded || !p.late.empty()) {
      for (size_t a = 0; a < vectors.size(); a++) recount(int(a));
    } else {
      recount(x);
      recount(y);
      recount(s);
    }
  }
  return true;
}

// Boyar and Peralta's greedy with a table of the distances of all vectors from the signals.
// Ties go to the larger norm, as they have it, or in some runs to the smaller, or by chance.
static bool boyar_peralta(const Problem &p, Random &random, Set &result) {
  const size_t all = size_t(1) << p.inputs;
  static std::vector<uint8_t> distance, stamp;
  distance.resize(all);
  stamp.assign(all, 0);
  for (size_t v = 0; v < all; v++) distance[v] = uint8_t(std::max(__builtin_popcountll(v), 1) - 1);
  distance[0] = 0;
  // distance[v] counts the additions that v still needs; 0 when it is there.
  std::vector<Vector> base;
  for (int i = 0; i < p.inputs; i++) base.push_back(Vector(1) << i);
  std::vector<Vector> open = p.targets;
  result.clear();
  std::vector<Vector> candidates;
  const int style = random.below(4);
  std::vector<uint8_t> before(all);
  auto take = [&](Vector w) {
    // v is now reached directly, or as w plus what v ^ w needs.
    std::memcpy(before.data(), distance.data(), all);
    for (size_t v = 0; v < all; v++) {
      uint8_t other = v == w ? 0 : uint8_t(before[v ^ w] + 1);
      distance[v] = std::min(before[v], other);
    }
    for (Vector b : base) {
      Vector c = b ^ w;
      if (c && !stamp[c]) stamp[c] = 1, candidates.push_back(c);
    }
    base.push_back(w);
    if (!is_input(w)) result.push_back(w);
    stamp[w] = 2;
    open.erase(std::remove(open.begin(), open.end(), w), open.end());
  };
  for (size_t a = 0; a < base.size(); a++) {
    stamp[base[a]] = 2;
    for (size_t b = 0; b < a; b++) {
      Vector c = base[a] ^ base[b];
      if (!stamp[c]) stamp[c] = 1, candidates.push_back(c);
    }
  }
  while (!open.empty()) {
    // A target one addition away costs what it must cost in any case.
    Vector chosen = 0;
    for (Vector t : open)
      if (distance[t] == 1) chosen = t;
    if (!chosen) {
      long best_sum = 1 << 30, best_norm = -1;
      int ties = 0;
      size_t kept = 0;
      for (Vector c : candidates) {
        if (stamp[c] != 1) continue;
        candidates[kept++] = c;
        long sum = 0, norm = 0;
        for (Vector t : open) {
          long d = std::min<long>(distance[t], t == c ? 0 : distance[t ^ c] + 1);
          sum += d;
          norm += d * d;
        }
        if (style == 1) norm = 0;
        if (style == 2) norm = -norm + 100000;
        if (style == 3) norm += random.below(12);
        if (sum > best_sum) continue;
        if (sum < best_sum || norm > best_norm) best_sum = sum, best_norm = norm, ties = 0;
        if (norm < best_norm) continue;
        if (random.below(++ties) == 0) chosen = c;
      }
      candidates.resize(kept);
      if (!chosen) return false;
    }
    take(chosen);
    if (base.size() > MaxSlots - 4) return false;
  }
  return true;
}

// ---------------------------------------------------------------------------------------------
// Transposition: run a program backwards, with sums where it branches and branches where it sums.

// The columns of p's targets: each input's vector over the targets.
static Set columns(const Problem &p) {
  Set result(p.inputs, 0);
  for (int i = 0; i < p.inputs; i++)
    for (size_t t = 0; t < p.targets.size(); t++) result[i] |= (p.targets[t] >> i & 1) << t;
  return result;
}

static Problem transposed(const Problem &p) {
  Problem q;
  q.inputs = int(p.targets.size());
  for (Vector v : columns(p)) add_target(q, v);
  return q;
}

// The vectors of the transpose of a program that computes `rows` from n inputs. A zero row is
// nothing.
static Set transpose(int n, const Set &rows, const Pairs &pairs, Random &random) {
  Set value;
  for (int i = 0; i < n; i++) value.push_back(Vector(1) << i);
  for (auto [a, b] : pairs) value.push_back(value[a] ^ value[b]);
  std::vector<Set> incoming(value.size());
  for (size_t t = 0; t < rows.size(); t++) {
    auto at = std::find(value.begin(), value.end(), rows[t]);
    if (at != value.end()) incoming[size_t(at - value.begin())].push_back(Vector(1) << t);
  }
  Set result;
  for (int k = int(value.size()) - 1; k >= 0; k--) {
    random.shuffle(incoming[k]);
    Vector sum = 0;
    for (Vector v : incoming[k]) {
      sum ^= v;
      if (sum && !is_input(sum)) result.push_back(sum);
    }
    if (k >= n && sum) {
      incoming[pairs[k - n].first].push_back(sum);
      incoming[pairs[k - n].second].push_back(sum);
    }
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

// ---------------------------------------------------------------------------------------------
// Search

// A greedy start for p; false when its depths cannot be met.
static bool greedy(const Problem &p, Random &random, Set &set) {
  const bool distances = p.inputs <= 12 && p.plain() && random.below(4) != 0;
  return distances ? boyar_peralta(p, random, set) : paar(p, random, set);
}

static void print(const char *word, const Pairs &pairs) {
  std::printf("%s %zu", word, pairs.size());
  for (auto [a, b] : pairs) std::printf(" %d %d", a, b);
  std::printf("\n");
  if (std::fflush(stdout) != 0) std::exit(0);
}

// The shortest program so far, the shallowest among equals.
struct Best {
  int cost = Free, depth = Free;
  Pairs pairs;
  bool offer(Walker &walker) {
    if (walker.cost() > cost) return false;
    int d = walker.depth();
    if (walker.cost() == cost && d >= depth) return false;
    pairs = walker.program();
    cost = walker.cost();
    depth = d;
    return true;
  }
};

// Walk until `patience` moves have brought nothing, at no more than `slack` above the best of this
// walk; `rate` is how often a move puts a vector in. `notice` is called with every gain and, now
// and then, with a set of equal size.
template <class Notice>
static void walk(Walker &walker, Random &random, long patience, int slack, double rate,
                 double deadline, Notice notice) {
  int best = walker.cost();
  notice();
  walker.remember_levels();
  for (long i = 0; i < patience; i++) {
    if (walker.cost() < best + slack && random.real() < rate) walker.widen(random);
    const bool changed = walker.step(random);
    if (changed && walker.cost() < best) {
      best = walker.cost();
      notice();
      i = 0;
    } else if (changed && walker.cost() == best && random.below(16) == 0) {
      notice();
    }
    if ((i & 255) == 0 && now() > deadline) return;
  }
}

static bool read(std::istream &in, Problem &p) {
  int targets, late, bound;
  if (!(in >> p.inputs >> targets >> late >> bound)) return false;
  p.bound = bound < 0 ? Free : bound;
  p.arrivals.resize(p.inputs);
  for (int &x : p.arrivals) in >> x;
  for (int i = 0; i < targets; i++) {
    Vector v;
    in >> v;
    add_target(p, v);
  }
  for (int i = 0; i < late; i++) {
    int input;
    Vector v;
    in >> input >> v;
    p.late.push_back({input, v});
    add_target(p, v);
  }
  return bool(in);
}

static Pairs read_pairs(std::istream &in) {
  size_t count = 0;
  in >> count;
  Pairs pairs(count);
  for (auto &[a, b] : pairs) in >> a >> b;
  return pairs;
}

static Set vectors(const Problem &p, const Pairs &pairs) {
  Set value;
  for (int i = 0; i < p.inputs; i++) value.push_back(Vector(1) << i);
  for (auto [a, b] : pairs) value.push_back(value[a] ^ value[b]);
  value.erase(value.begin(), value.begin() + p.inputs);
  return value;
}

constexpr int Slack = 1;       // how far above the best a walk may be
constexpr double Rate = 0.02;  // how often a move puts a vector in

// Search one problem for some seconds and print every gain.
static int minimise(double seconds, uint64_t seed) {
  constexpr size_t PoolSize = 4;
  constexpr long Patience = 100000;  // moves without a gain that end a walk
  constexpr int Chances = 10;        // walks without a gain that end a member of the pool
  Problem p;
  if (!read(std::cin, p)) return 2;
  const Pairs given = read_pairs(std::cin);
  const double deadline = now() + seconds;
  const bool turns = p.plain() && !p.targets.empty();
  const Problem turned = turns ? transposed(p) : Problem();
  const Set rows = turns ? columns(p) : Set();
  Random random(seed);
  auto walker = std::make_unique<Walker>();
  Best best;
  struct Member {
    int cost = Free, idle = 0;
    Set set;
  };
  std::vector<Member> pool;
  do {
    // New starts first; then a member of the pool goes on from where its last walk ended. One that
    // is not the best and has not gained for long gives way to a new start.
    Member member;
    size_t place = pool.size();
    const bool resumed = best.cost == Free && !given.empty();
    const bool fresh = !resumed && pool.size() < PoolSize;
    if (resumed) {
      member.set = vectors(p, given);
    } else if (!fresh) {
      place = size_t(random.below(int(pool.size())));
      member = pool[place];
    } else if (!greedy(p, random, member.set)) {
      std::printf("none\n");
      return 0;
    }
    if (turns && !resumed && random.below(4) == 0) {
      // Walk on the transposed problem first, where other vectors are neighbours.
      Best there;
      bool started = true;
      if (fresh) {
        started = greedy(turned, random, member.set);
        walker->load(turned, member.set);
      } else {
        walker->load(p, member.set);
        const Pairs pairs = walker->program();
        walker->load(turned, transpose(p.inputs, p.targets, pairs, random));
      }
      if (started && walker->prune()) {
        walker->thin(random);
        walk(*walker, random, Patience, Slack, Rate, deadline, [&] { there.offer(*walker); });
        member.set = transpose(turned.inputs, rows, there.pairs, random);
      }
    }
    walker->load(p, member.set);
    if (!walker->prune()) continue;
    auto notice = [&] {
      if (best.offer(*walker)) print("best", best.pairs);
    };
    notice();
    walker->thin(random);
    int cost = Free;
    walk(*walker, random, Patience, Slack, Rate, deadline, [&] {
      notice();
      cost = walker->cost();
      member.set = walker->set();
    });
    member.idle = cost < member.cost ? 0 : member.idle + 1;
    member.cost = cost;
    if (place == pool.size()) {
      pool.push_back(member);
    } else if (member.idle > Chances && member.cost > best.cost) {
      pool.erase(pool.begin() + long(place));
    } else {
      pool[place] = member;
    }
  } while (now() < deadline);
  return 0;
}

// Search many small problems, each from `tries` starts with a short walk, and print the best.
static int estimate(int tries, uint64_t seed) {
  constexpr long Patience = 300;
  auto walker = std::make_unique<Walker>();
  for (Problem p; read(std::cin, p); p = Problem()) {
    Random random(seed);
    auto consider = [&](const Problem &of, const Set &set, Best &result) {
      walker->load(of, set);
      if (!walker->prune()) return;
      walker->thin(random);
      walk(*walker, random, Patience, Slack, Rate, 1e300, [&] { result.offer(*walker); });
    };
    Best best;
    const bool turns = p.plain() && !p.targets.empty();
    const Problem turned = turns ? transposed(p) : Problem();
    const Set rows = turns ? columns(p) : Set();
    // The problem with fewer inputs is the easier one.
    const int direct = p.inputs > turned.inputs ? 1 : p.inputs == turned.inputs ? 5 : 9;
    for (int i = 0; i < tries; i++) {
      Set set;
      if (turns && random.below(10) >= direct) {
        Best there;
        if (!greedy(turned, random, set)) continue;
        consider(turned, set, there);
        set = transpose(turned.inputs, rows, there.pairs, random);
      } else if (!greedy(p, random, set)) {
        continue;
      }
      consider(p, set, best);
    }
    if (best.cost == Free) {
      std::printf("none\n");
    } else {
      print("best", best.pairs);
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  std::string mode = argv[1];
  if (mode == "minimise") return minimise(std::atof(argv[2]), std::strtoull(argv[3], nullptr, 10));
  if (mode == "estimate") return estimate(std::atoi(argv[2]), std::strtoull(argv[3], nullptr, 10));
  return 2;
}
