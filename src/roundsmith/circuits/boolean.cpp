// SPDX-License-Identifier: Apache-2.0
// Short straight-line programs for several Boolean functions of up to four inputs.
//
// A function is its truth table, 16 bits. A program is held as the set of functions that it
// computes; the set is a program when every target can be derived from the inputs, level by level,
// each function from two (or, through a multiplexer, three) that are there already.
//
// The walk: take one function out, look for all functions that mend the set, put one of them in; a
// set that needs no mending is shorter. It is the walk of linear.cpp with other gates; walks over
// sets of equal size that change one member are those of slp-plateau-search (Joe-b-20, 2026).
//
// Where gates deliver either polarity, a function and its complement are one: the one that is 0 for
// the input pattern 0 stands for both. Polarities are chosen when a program is read off.
//
// Reads one task on stdin and prints programs on stdout, one a line; boolean.py speaks the format.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

using Function = uint16_t;
using Set = std::vector<Function>;  // the functions of a program without the inputs

constexpr int Functions = 1 << 16;
constexpr int MaxSlots = 512;  // inputs, functions, and the last for the function on trial
constexpr int Trial = MaxSlots - 1;
constexpr int None = 1 << 14;       // no slot, or a level that is never reached
constexpr int Unbounded = 1 << 12; // a depth that bounds nothing

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
  template <class T> void shuffle(T &items) {
    for (int i = int(items.size()) - 1; i > 0; i--) std::swap(items[i], items[below(i + 1)]);
  }
};

enum class Gates { XorAnd, All, Mux };

struct Task {
  int inputs = 0;
  Gates gates = Gates::XorAnd;
  int bound = Unbounded;
  Function ones = 0;
  std::vector<int> arrivals;
  Set input;                   // the inputs' own truth tables
  Set wanted;                  // all targets, normal
  Set targets;                 // distinct, no inputs
  std::vector<bool> inverted;  // for each of `targets`: is it its complement that is wanted
  std::vector<bool> twice;     // and are both

  bool exact() const { return gates == Gates::XorAnd; }
  bool bounded() const { return bound != Unbounded; }
  bool constant(Function f) const { return f == 0 || f == ones; }

  // The function that stands for f and, with free polarity, for its complement.
  Function normal(Function f) const { return !exact() && (f & 1) ? f ^ ones : f; }

  // What one gate with two inputs makes; normal when a and b are.
  template <class Visit> void results(Function a, Function b, Visit visit) const {
    visit(Function(a ^ b));
    visit(Function(a & b));
    if (exact()) {
      visit(Function(a ^ b ^ ones));
    } else {
      visit(Function(a & ~b));
      visit(Function(b & ~a));
      visit(Function(a | b));
    }
  }

  // What a multiplexer makes, with one of its data inputs in either polarity.
  template <class Visit> void results(Function s, Function a, Function b, Visit visit) const {
    visit(Function((s & a) | (b & ~s)));
    visit(Function((s & ~a) | (b & ~s)));
  }
};

// The least depth of functions, and trees of gates that are the walk's first sets.
class Trees {
 public:
  // With multiplexers among the gates only when `muxes`.
  Trees(const Task &task, bool muxes)
      : task_(&task), muxes_(muxes), depth_(Functions, None), parents_(Functions),
        levels_(LevelLimit) {
    for (int i = 0; i < task.inputs; i++) note(task.input[i], task.arrivals[i], {});
    const int deepest = std::min(task.bound, LevelLimit - 1);
    for (int level = 1; level <= deepest && missing(); level++) compute(level);
  }

  // Is there no program at all that meets the depths?
  bool impossible() const {
    return std::any_of(task_->wanted.begin(), task_->wanted.end(),
                       [&](Function f) { return depth_[f] > task_->bound; });
  }

  // A random set that computes all targets within the bound.
  Set grow(Random &random) const {
    Set set;
    std::vector<int> budget(Functions, None);  // the depth that a member of the set may have
    for (int i = 0; i < task_->inputs; i++) budget[task_->input[i]] = task_->arrivals[i];
    std::vector<std::pair<Function, int>> todo;
    for (Function f : task_->targets) todo.push_back({f, std::min(task_->bound, LevelLimit)});
    random.shuffle(todo);
    while (!todo.empty()) {
      auto [f, most] = todo.back();
      todo.pop_back();
      if (budget[f] <= most) continue;
      if (budget[f] == None) set.push_back(f);
      budget[f] = most;
      for (Function g : split(f, most, set, budget, random)) todo.push_back({g, most - 1});
    }
    return set;
  }

 private:
  static constexpr int LevelLimit = 128;
  static constexpr size_t MuxLimit = 128;  // more functions have too many multiplexers

  const Task *task_;
  bool muxes_;
  std::vector<int> depth_;
  std::vector<Set> parents_;  // operands that make a function at its least depth
  std::vector<Set> levels_;   // the functions of each least depth

  void note(Function f, int level, Set parents) {
    if (task_->constant(f) || depth_[f] != None) return;
    depth_[f] = level;
    parents_[f] = std::move(parents);
    levels_[level].push_back(f);
  }

  bool missing() const {
    return std::any_of(task_->wanted.begin(), task_->wanted.end(),
                       [&](Function f) { return depth_[f] == None; });
  }

  // Note what gates make out of the levels below; stop when no target is missing any more.
  void compute(int level) {
    Set below;
    for (int k = 0; k < level; k++)
      below.insert(below.end(), levels_[k].begin(), levels_[k].end());
    const size_t old = below.size() - levels_[level - 1].size();
    for (size_t i = old; i < below.size() && missing(); i++)
      for (size_t j = 0; j < i; j++)
        task_->results(below[i], below[j], [&](Function f) {
          if (depth_[f] == None) note(f, level, {below[i], below[j]});
        });
    if (!muxes_ || below.size() > MuxLimit) return;
    for (Function s : below)
      for (Function a : below)
        for (Function b : below)
          task_->results(s, a, b, [&](Function f) {
            if (depth_[f] == None) note(f, level, {s, a, b});
          });
  }

  // Operands that make f below the depth `most`, preferring what is in the set: the known ones or
  // two that f is the sum of. Depths fall from f to what is not yet in the set, so trees end.
  Set split(Function f, int most, const Set &set, const std::vector<int> &budget,
            Random &random) const {
    auto cost = [&](Function g) {
      return budget[g] < most ? 0 : (16 << depth_[g]) + random.below(16);
    };
    Set best = parents_[f];
    int least = 0;
    for (Function g : best) least += cost(g);
    auto consider = [&](Function g) {
      const Function h = task_->normal(f ^ g);
      for (Function other : {h, Function(h ^ task_->ones)}) {
        if (task_->constant(other) || task_->normal(other) != other) continue;
        if (depth_[other] >= depth_[f] && budget[other] >= most) continue;
        const int sum = cost(g) + cost(other);
        if (sum < least) least = sum, best = {g, other};
      }
    };
    for (Function g : set)
      if (budget[g] < most) consider(g);
    for (int i = 0; i < 64; i++) {
      const Set &level = levels_[random.below(std::min(depth_[f], 4))];
      if (!level.empty()) consider(level[random.below(int(level.size()))]);
    }
    return best;
  }
};

// A gate that makes a member of the set: slots of a and b, or of a multiplexer's select a and data
// b (at 1) and c (at 0); c = b for a gate with two inputs.
struct Derivation {
  uint16_t a, b, c;
  bool mux() const { return b != c; }
  bool uses(int slot) const { return a == slot || b == slot || c == slot; }
};

// A gate of a program: its truth table in the polarity that it delivers, and its operands.
struct Line {
  Function table;
  std::vector<int> operands;
};
using Program = std::vector<Line>;

// Polarities of signals, up to what the constraints between them leave open: a union-find with
// parities whose last links can be undone.
class Parities {
 public:
  void clear() {
    log_.clear();
    for (int s = 0; s < MaxSlots; s++) root_[s] = s, odd_[s] = false;
  }
  size_t mark() const { return log_.size(); }
  void undo(size_t mark) {
    for (; log_.size() > mark; log_.pop_back()) {
      root_[log_.back()] = log_.back();
      odd_[log_.back()] = false;
    }
  }
  // Let a and b have equal polarity, or opposite when `odd`. False when they cannot.
  bool link(int a, int b, bool odd) {
    for (; root_[a] != a; a = root_[a]) odd ^= odd_[a];
    for (; root_[b] != b; b = root_[b]) odd ^= odd_[b];
    if (a == b) return !odd;
    root_[a] = b;
    odd_[a] = odd;
    log_.push_back(a);
    return true;
  }

 private:
  int root_[MaxSlots];
  bool odd_[MaxSlots];
  std::vector<int> log_;
};

// The set of functions on the walk, with every derivation of each member from the others.
class Walker {
 public:
  explicit Walker(const Task &task) : task_(task), slot_(Functions, None), stamp_(Functions, 0) {
    latest_ = *std::max_element(task.arrivals.begin(), task.arrivals.end());
  }

  // Begin with a set: what cannot be derived goes, then all that is needless, in random order.
  // False when the set does not compute the targets.
  bool load(const Set &set, Random &random) {
    std::fill(slot_.begin(), slot_.end(), None);
    live_.clear();
    free_.clear();
    for (int s = Trial - 1; s >= 0; s--) free_.push_back(s), gates_[s].clear();
    for (Function f : task_.input) add(f);
    for (Function f : task_.targets) add(f);
    fixed_ = int(live_.size());
    for (Function f : set)
      if (slot_[f] == None && !task_.constant(f) && !free_.empty()) add(f);
    if (!reach(None)) return false;
    drop_unreached();
    thin(random);
    settle();
    return true;
  }

  int size() const { return int(live_.size()) - task_.inputs; }

  Set set() const {
    Set result;
    for (int s : live_)
      if (s >= task_.inputs) result.push_back(function_[s]);
    return result;
  }

  // The least depth that the deepest target may have.
  int depth() {
    reach(None);
    int deepest = 0;
    for (int s = task_.inputs; s < fixed_; s++) deepest = std::max(deepest, level_[s]);
    return deepest;
  }

  // Put in one random function, so that others may become needless.
  bool widen(Random &random) {
    if (free_.empty()) return false;
    auto pick = [&] { return function_[live_[random.below(int(live_.size()))]]; };
    const Function a = pick(), b = pick(), s = pick();
    Set found;
    if (task_.gates == Gates::Mux && random.below(4) == 0)
      task_.results(s, a, b, [&](Function f) { found.push_back(f); });
    else
      task_.results(a, b, [&](Function f) { found.push_back(f); });
    const Function w = found[random.below(int(found.size()))];
    if (task_.constant(w) || slot_[w] != None) return false;
    const int s_w = add(w);
    if (reach(None) && level_[s_w] < None) {
      settle();
      return true;
    }
    remove(s_w);
    return false;
  }

  // One move: take a random function out and mend the set. True when the set changed.
  bool step(Random &random) {
    const int spare = int(live_.size()) - fixed_;
    if (spare == 0) return false;
    const int x = live_[fixed_ + random.below(spare)];
    if (reach(x)) {
      drop_unreached();
      settle();
      return true;
    }
    split_reached(x);
    find_requirements();
    find_candidates(random);
    random.shuffle(candidates_);
    for (Function w : candidates_) {
      if (!mends(x, w)) continue;
      drop_unreached();
      add(w);
      settle();
      return true;
    }
    return false;
  }

  // The program, with inverters when no choice of derivations has the targets' polarities; nothing
  // when these are too deep.
  std::optional<Program> program() {
    reach(None);
    order_.clear();
    for (int s : live_)
      if (s >= task_.inputs) order_.push_back(s);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](int a, int b) { return level_[a] < level_[b]; });
    for (Effort effort : {Effort::Shallow, Effort::Plain, Effort::Inverters}) {
      begin_choice(effort);
      if (choose(0)) return written();
    }
    return std::nullopt;
  }

  // The depth of the deepest target in the program that was just read off.
  int program_depth() const {
    return fixed_ > task_.inputs ? *std::max_element(depth_ + task_.inputs, depth_ + fixed_) : 0;
  }

 private:
  // ---- the set and its derivations

  const Task &task_;
  std::vector<int> slot_;  // of each function, or None
  Function function_[MaxSlots];
  std::vector<Derivation> gates_[MaxSlots];
  std::vector<int> live_, free_;  // inputs, targets, then the others; inputs and targets stay
  int fixed_ = 0;
  int latest_ = 0;

  int add(Function f) {
    const int s = free_.back();
    free_.pop_back();
    find_gates(f, s);
    function_[s] = f;
    each_use(s, [&](int u, Derivation gate) { gates_[u].push_back(gate); });
    slot_[f] = s;
    live_.push_back(s);
    return s;
  }

  void remove(int s) {
    live_.erase(std::find(live_.begin(), live_.end(), s));
    slot_[function_[s]] = None;
    gates_[s].clear();
    free_.push_back(s);
    for (int u : live_) {
      auto &gates = gates_[u];
      gates.erase(std::remove_if(gates.begin(), gates.end(),
                                 [&](const Derivation &gate) { return gate.uses(s); }),
                  gates.end());
    }
  }

  void drop_unreached() {
    for (int i = int(live_.size()) - 1; i >= fixed_; i--)
      if (level_[live_[i]] == None) remove(live_[i]);
  }

  // Take functions out one by one, in random order, as long as the targets remain.
  void thin(Random &random) {
    std::vector<int> order(live_.begin() + fixed_, live_.end());
    random.shuffle(order);
    for (int s : order)
      if (slot_[function_[s]] == s && reach(s)) drop_unreached();
  }

  // Find the derivations of f, to be kept at slot s, from all members.
  void find_gates(Function f, int s) {
    auto &gates = gates_[s];
    gates.clear();
    auto note = [&](int a, int b, int c) {
      gates.push_back({uint16_t(a), uint16_t(b), uint16_t(c)});
    };
    // A sum: the partner is known. A product: each factor has ones wherever f has.
    above_.clear();
    below_.clear();
    for (int a : live_) {
      const Function g = function_[a];
      const int b = slot_[task_.normal(f ^ g)];
      if (b != None && b < a) note(a, b, b);
      if ((f & ~g) == 0) above_.push_back({g, a});
      if (task_.exact()) {
        const int n = slot_[f ^ g ^ task_.ones];
        if (n != None && n < a) note(a, n, n);
      } else {
        if ((f & g) == 0) above_.push_back({Function(g ^ task_.ones), a});
        if ((g & ~f) == 0) below_.push_back({g, a});
      }
    }
    for (size_t i = 0; i < above_.size(); i++)
      for (size_t j = 0; j < i; j++)
        if ((above_[i].first & above_[j].first) == f)
          note(above_[i].second, above_[j].second, above_[j].second);
    for (size_t i = 0; i < below_.size(); i++)
      for (size_t j = 0; j < i; j++)
        if ((below_[i].first | below_[j].first) == f)
          note(below_[i].second, below_[j].second, below_[j].second);
    if (task_.gates != Gates::Mux) return;
    // A multiplexer: everywhere one of the data inputs is f; where just one is, select is known.
    for (int b : live_)
      for (int c : live_) {
        if (b == c) continue;
        for (Function flip : {Function(0), task_.ones}) {
          const Function when_one = function_[b] ^ flip, when_zero = function_[c];
          if ((f ^ when_one) & (f ^ when_zero)) continue;
          for (int a : live_)
            if (a != b && a != c &&
                ((function_[a] ^ f ^ when_zero) & (when_one ^ when_zero)) == 0)
              note(a, b, c);
        }
      }
  }

  // Visit the derivations of members that the function in slot w, no member itself, takes part in.
  template <class Visit> void each_use(int w, Visit visit) {
    const Function f = function_[w];
    auto note = [&](Function g, int a, int b, int c) {
      const int u = slot_[g];
      if (u != None && u != a && u != b && u != c)
        visit(u, Derivation{uint16_t(a), uint16_t(b), uint16_t(c)});
    };
    for (int a : live_)
      task_.results(f, function_[a], [&](Function g) { note(g, w, a, a); });
    if (task_.gates != Gates::Mux) return;
    for (int a : live_)
      for (int b : live_) {
        if (a == b) continue;
        const Function p = function_[a], q = function_[b];
        task_.results(f, p, q, [&](Function g) { note(g, w, a, b); });
        task_.results(p, f, q, [&](Function g) { note(g, a, w, b); });
        task_.results(p, q, f, [&](Function g) { note(g, a, b, w); });
      }
  }

  // ---- what can be derived

  int level_[MaxSlots];
  int usual_[MaxSlots];       // the levels before the move, for a bounded depth
  std::vector<int> pending_;  // members that are not derived yet

  // Derive all that can be derived without `dead`. True when all targets are.
  bool reach(int dead) {
    level_[Trial] = None;
    pending_.clear();
    for (int s : live_) {
      level_[s] = s < task_.inputs ? task_.arrivals[s] : None;
      if (s >= task_.inputs && s != dead) pending_.push_back(s);
    }
    return spread(1);
  }

  // Derive what is pending, level by level. True when no target is left.
  bool spread(int level) {
    for (bool found = true; found || level <= latest_ + 1; level++) {
      if (pending_.empty() || level > task_.bound) break;
      found = false;
      size_t kept = 0;
      for (int u : pending_) {
        bool made = false;
        for (const Derivation &gate : gates_[u]) {
          made = level_[gate.a] < level && level_[gate.b] < level && level_[gate.c] < level;
          if (made) break;
        }
        if (made)
          level_[u] = level, found = true;
        else
          pending_[kept++] = u;
      }
      pending_.resize(kept);
    }
    return std::all_of(pending_.begin(), pending_.end(), [&](int s) { return s >= fixed_; });
  }

  // Remember the levels, once the set has changed.
  void settle() {
    if (!task_.bounded()) return;
    reach(None);
    for (int s : live_) usual_[s] = level_[s];
  }

  // ---- how to mend a set that has lost a function

  std::vector<int> reached_, wanted_, lost_;
  int deepest_ = 0;
  std::vector<std::pair<Function, Function>> required_;  // mask and value of a useful function
  std::vector<Function> made_;
  std::vector<uint16_t> hit_;
  Set candidates_;
  std::vector<uint32_t> stamp_;
  uint32_t time_ = 0;
  std::vector<std::pair<Function, int>> above_, below_;
  std::vector<int> touched_;

  // After reach(x): which members are there, and which are to come back, or earlier again?
  void split_reached(int x) {
    lost_ = wanted_ = pending_;
    reached_.clear();
    deepest_ = 0;
    for (int s : live_) {
      if (level_[s] == None || s == x) continue;
      reached_.push_back(s);
      deepest_ = std::max(deepest_, level_[s]);
      if (task_.bounded() && s >= task_.inputs && level_[s] > usual_[s]) wanted_.push_back(s);
    }
  }

  // A function that mends the set makes a wanted one by one gate, together with what is reached.
  // Each such gate requires some bits of the function and leaves the others open.
  void find_requirements() {
    required_.clear();
    const Function ones = task_.ones;
    auto require = [&](Function mask, Function value) {
      // Normal functions are 0 at pattern 0.
      if (task_.exact() || !(mask & value & 1)) required_.push_back({mask, Function(value & mask)});
    };
    for (int wanted : wanted_) {
      const Function u = function_[wanted];
      for (int member : reached_) {
        if (member == wanted) continue;
        const Function r = function_[member];
        require(ones, u ^ r);
        if ((u & ~r) == 0) require(r, u);
        if (task_.exact()) {
          require(ones, u ^ r ^ ones);
          continue;
        }
        if ((u & ~r) == 0) require(r, ~u);
        if ((u & r) == 0) require(ones ^ r, u);
        if ((r & ~u) == 0) require(ones ^ r, u);
      }
      if (task_.gates == Gates::Mux) require_by_mux(wanted, require);
    }
    std::sort(required_.begin(), required_.end());
    required_.erase(std::unique(required_.begin(), required_.end()), required_.end());
  }

  template <class Require> void require_by_mux(int wanted, Require require) {
    const Function ones = task_.ones, u = function_[wanted];
    for (int first : reached_)
      for (int second : reached_) {
        if (first == second || first == wanted || second == wanted) continue;
        const Function p = function_[first], q = function_[second];
        if (((u ^ q) & ~p) == 0) require(p, u), require(p, ~u);  // p ? w : q
        if (((u ^ q) & p) == 0) require(ones ^ p, u);            // p ? q : w
        if (((u ^ q ^ ones) & p) == 0) require(ones ^ p, u);     // p ? ~q : w
        if (((u ^ p) & (u ^ q)) == 0) require(p ^ q, u ^ q);     // w ? p : q
        if (((u ^ p ^ ones) & (u ^ q)) == 0) require(p ^ q ^ ones, u ^ q);
      }
  }

  // All that one gate makes out of what is reached and that meets a requirement.
  void find_candidates(Random &random) {
    made_.clear();
    auto note = [&](Function f) { made_.push_back(f); };
    auto early = [&](int s) { return level_[s] + 2 <= task_.bound; };
    reached_.erase(std::stable_partition(reached_.begin(), reached_.end(), early),
                   reached_.end());
    const int n = int(reached_.size());
    for (int i = 1; i < n; i++)
      for (int j = 0; j < i; j++)
        task_.results(function_[reached_[i]], function_[reached_[j]], note);
    if (task_.gates == Gates::Mux && n > 0) {
      // Many functions have so many multiplexers that a part of them must do.
      random.shuffle(reached_);
      const int selects = std::min(n, 1 + MuxLimit / (2 * n * n));
      for (int s = 0; s < selects; s++)
        for (int i = 0; i < n; i++)
          for (int j = 0; j < n; j++)
            if (i != j && i != s && j != s)
              task_.results(function_[reached_[s]], function_[reached_[i]], function_[reached_[j]],
                            note);
    }
    const size_t count = made_.size();
    hit_.assign(count, 0);
    const Function *made = made_.data();
    uint16_t *hit = hit_.data();
    for (auto [mask, value] : required_)
      for (size_t i = 0; i < count; i++) hit[i] |= ((made[i] & mask) == value) ? 0xffff : 0;
    candidates_.clear();
    time_++;
    for (size_t i = 0; i < count; i++) {
      const Function f = made[i];
      if (!hit[i] || stamp_[f] == time_) continue;
      stamp_[f] = time_;
      if (slot_[f] == None && !task_.constant(f)) candidates_.push_back(f);
    }
  }

  static constexpr int MuxLimit = 1 << 14;

  // Are all targets there without x, with w?
  bool mends(int x, Function w) {
    function_[Trial] = w;
    touched_.clear();
    each_use(Trial, [&](int u, Derivation gate) {
      gates_[u].push_back(gate);
      touched_.push_back(u);
    });
    bool good;
    if (task_.bounded()) {
      find_gates(w, Trial);
      pending_.clear();
      level_[Trial] = None;
      for (int s : live_) {
        level_[s] = s < task_.inputs ? task_.arrivals[s] : None;
        if (s >= task_.inputs && s != x) pending_.push_back(s);
      }
      pending_.push_back(Trial);
      good = spread(1);
      level_[Trial] = None;
    } else {
      for (int s : lost_) level_[s] = None;
      pending_ = lost_;
      level_[Trial] = deepest_;  // w is made of what is reached
      good = spread(std::max(deepest_, latest_) + 1);
    }
    for (size_t i = touched_.size(); i-- > 0;) gates_[touched_[i]].pop_back();
    return good;
  }

  // ---- reading off a program

  std::vector<int> order_;
  struct Choice {
    Derivation gate;
    bool invert_b, invert_c;  // data inputs of a multiplexer that need an inverter
  };
  std::vector<Choice> chosen_;
  int depth_[MaxSlots];
  Parities parities_;
  // Prefer what is less deep, or gates that bind no polarity; or put in inverters as well.
  enum class Effort { Shallow, Plain, Inverters } effort_ = Effort::Shallow;
  int tries_ = 0;

  void begin_choice(Effort effort) {
    effort_ = effort;
    chosen_.assign(order_.size(), {});
    parities_.clear();
    for (int s = 0; s < MaxSlots; s++) depth_[s] = s < task_.inputs ? task_.arrivals[s] : None;
    for (int s = 1; s < task_.inputs; s++) parities_.link(s, 0, false);
    for (size_t i = 0; i < task_.targets.size(); i++)
      if (!task_.twice[i]) parities_.link(task_.inputs + int(i), 0, task_.inverted[i]);
    tries_ = 1000;
  }

  // Choose derivations of the members from the k-th on, the least deep first or the plain ones,
  // such that polarities work out: a multiplexer's data inputs cannot be inverted, its select can.
  bool choose(size_t k) {
    if (k == order_.size()) return true;
    const int u = order_[k];
    std::vector<std::pair<int, Derivation>> options;
    for (const Derivation &gate : gates_[u]) {
      const int level = 1 + std::max({depth_[gate.a], depth_[gate.b], depth_[gate.c]});
      // The complement of a target is a second gate or, behind a multiplexer, an inverter.
      const bool twice = gate.mux() && u < fixed_ && task_.twice[u - task_.inputs];
      if (level + twice <= std::min(task_.bound, None)) options.push_back({level, gate});
    }
    const bool plain_first = effort_ != Effort::Shallow;
    std::stable_sort(options.begin(), options.end(), [&](auto &a, auto &b) {
      return std::tuple(plain_first && a.second.mux(), a.first, a.second.mux()) <
             std::tuple(plain_first && b.second.mux(), b.first, b.second.mux());
    });
    for (auto &[level, gate] : options) {
      if (tries_-- <= 0) return false;
      const size_t mark = parities_.mark();
      Choice choice = {gate, false, false};
      depth_[u] = level;
      if (!gate.mux() || bind(u, choice)) {
        chosen_[k] = choice;
        if (choose(k + 1)) return true;
      }
      parities_.undo(mark);
      if (!gate.mux() && !plain_first) break;  // another gate would only be deeper
    }
    depth_[u] = None;
    return false;
  }

  // Bind the polarities of a multiplexer's output u and its data. False when they cannot be.
  bool bind(int u, Choice &choice) {
    const auto [a, b, c] = choice.gate;
    const bool odd = ((function_[u] ^ function_[b]) & function_[a]) != 0;
    choice.invert_c = !parities_.link(u, c, false);
    choice.invert_b = !parities_.link(u, b, odd);
    if (!choice.invert_b && !choice.invert_c) return true;
    if (effort_ != Effort::Inverters) return false;
    depth_[u] = 1 + std::max({depth_[a], depth_[b] + choice.invert_b, depth_[c] + choice.invert_c});
    return depth_[u] + int(u < fixed_ && task_.twice[u - task_.inputs]) <= task_.bound;
  }

  Program written() {
    std::vector<int> name(MaxSlots), inverse(MaxSlots, None);
    Function delivered[MaxSlots];
    for (int i = 0; i < task_.inputs; i++) name[i] = i, delivered[i] = function_[i];
    Program lines;
    auto write = [&](Function table, std::vector<int> operands) {
      lines.push_back({table, std::move(operands)});
      return task_.inputs + int(lines.size()) - 1;
    };
    auto signal = [&](int s, bool inverted) {
      if (!inverted) return name[s];
      if (inverse[s] == None) inverse[s] = write(delivered[s] ^ task_.ones, {name[s]});
      return inverse[s];
    };
    for (size_t k = 0; k < order_.size(); k++) {
      const int u = order_[k];
      const auto [gate, invert_b, invert_c] = chosen_[k];
      const bool inverted = !parities_.link(u, 0, false);  // what is left open becomes normal
      delivered[u] = inverted ? function_[u] ^ task_.ones : function_[u];
      std::vector<int> operands = {name[gate.a], signal(gate.b, invert_b)};
      if (gate.mux()) operands.push_back(signal(gate.c, invert_c));
      name[u] = write(delivered[u], operands);
    }
    return lines;
  }
};

// Walks from one set after another until the time is over.
class Search {
 public:
  Search(const Task &task, uint64_t seed, double seconds, int stop)
      : task_(task), random_(seed), end_(now() + seconds), stop_(stop), walker_(task) {}

  // False when there is no program.
  bool run(const Set &start) {
    // Multiplexers bind polarities, so the first sets have them only where the depth asks for it.
    Trees trees(task_, false);
    if (trees.impossible() && task_.gates == Gates::Mux) trees = Trees(task_, true);
    if (trees.impossible()) return false;
    for (int round = 0; running(); round++) {
      // By turns from the best set so far and from a new one.
      const Set set = round == 0 && !start.empty() ? start
                      : round % 2 == 1             ? best_
                                                   : trees.grow(random_);
      if (walker_.load(set, random_)) walk();
    }
    return true;
  }

 private:
  static constexpr int Patience = 20000;  // moves without a shorter set
  static constexpr int Widening = 16;     // one move in so many adds a function

  const Task &task_;
  Random random_;
  double end_;
  int stop_;
  Walker walker_;
  Set best_;
  int size_ = None, depth_ = None;  // of the best program

  bool running() const { return size_ > stop_ && now() < end_; }

  void walk() {
    int least = walker_.size();
    record();
    for (int idle = 0; idle < Patience; idle++) {
      if (idle % 16 == 0 && !running()) return;
      const bool wide = walker_.size() <= least && random_.below(Widening) == 0;
      if (!(wide ? walker_.widen(random_) : walker_.step(random_))) continue;
      if (walker_.size() < least) least = walker_.size(), idle = 0;
      record();
    }
  }

  // Print the program when it is the best so far, of least depth among the shortest.
  void record() {
    if (walker_.size() > size_) return;
    if (walker_.size() == size_ && walker_.depth() >= depth_) return;
    const auto program = walker_.program();
    if (!program) return;
    const std::pair rank(int(program->size()), walker_.program_depth());
    if (rank >= std::pair(size_, depth_)) return;
    std::tie(size_, depth_) = rank;
    best_ = walker_.set();
    std::printf("best %zu", program->size());
    for (const Line &line : *program) {
      std::printf(" %d %zu", line.table, line.operands.size());
      for (int signal : line.operands) std::printf(" %d", signal);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
};

// The inputs with their arrivals, gates and depth, then the targets, then a set to start from.
static Task read_task() {
  Task task;
  int gates = 0, depth = 0, count = 0;
  std::cin >> task.inputs >> gates >> depth;
  task.gates = Gates(gates);
  if (depth >= 0) task.bound = depth;
  task.ones = Function((1u << (1 << task.inputs)) - 1);
  for (int i = 0; i < task.inputs; i++) {
    int arrival = 0;
    std::cin >> arrival;
    task.arrivals.push_back(arrival);
    Function table = 0;
    for (int k = 0; k < 1 << task.inputs; k++) table |= Function((k >> i & 1) << k);
    task.input.push_back(table);
  }
  std::cin >> count;
  for (int i = 0; i < count; i++) {
    int target = 0;
    std::cin >> target;
    const Function f = task.normal(Function(target));
    const bool inverted = f != target;
    task.wanted.push_back(f);
    if (std::find(task.input.begin(), task.input.end(), f) != task.input.end()) continue;
    const size_t at = size_t(std::find(task.targets.begin(), task.targets.end(), f) -
                             task.targets.begin());
    if (at == task.targets.size()) {
      task.targets.push_back(f);
      task.inverted.push_back(inverted);
      task.twice.push_back(false);
    } else if (task.inverted[at] != inverted) {
      task.twice[at] = true;
    }
  }
  return task;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  const Task task = read_task();
  Set start;
  for (int table; std::cin >> table;) start.push_back(task.normal(Function(table)));
  Search search(task, std::strtoull(argv[2], nullptr, 10), std::atof(argv[1]), std::atoi(argv[3]));
  if (!search.run(start)) std::puts("none");
}
