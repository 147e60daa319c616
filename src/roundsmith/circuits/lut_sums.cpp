// SPDX-License-Identifier: Apache-2.0
//
// Few lookup tables for sums that a direction selects: the inner loop of lut_search.py.
//
// A signal is a vector over the inputs or, with two directions, a pair of them: what it is forward
// in the lower half and what it is inverse in the upper half. A lookup table of four inputs adds up
// to four signals, or takes the direction and any sum of three signals in each direction. A group
// names signals of which `need` must be computed. The search is greedy with random choices: what
// one table can reach is taken, else the table that brings most groups within reach.
//
// Standard input: `bits dual tries seed limit`, then any number of problems, each `groups`, then
// for each group `need size signal...`. A line for each problem: the number of tables and what each
// computes, in order, or `-1` when no program within the limit was found.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <unordered_map>
#include <vector>

namespace {

using Signal = std::uint32_t;

struct Group {
  int need;
  std::vector<Signal> members;
};

struct Search {
  int bits;
  bool dual;
  std::mt19937 random;
  std::vector<std::uint64_t> known;   // one bit for each signal that one table reaches
  std::vector<std::uint64_t> early;  // the same, from the inputs alone
  std::vector<Signal> reached;
  std::vector<Signal> signals;

  Search(int bits_, bool dual_, unsigned seed)
      : bits(bits_),
        dual(dual_),
        random(seed),
        known((std::size_t{1} << (dual_ ? 2 * bits_ : bits_)) / 64 + 1),
        early(known.size()) {}

  bool has(Signal s) const { return known[s >> 6] >> (s & 63) & 1; }

  void reach(Signal s) {
    if (has(s)) return;
    known[s >> 6] |= std::uint64_t{1} << (s & 63);
    reached.push_back(s);
  }

  Signal low() const { return (Signal{1} << bits) - 1; }

  void add(Signal s) {
    const std::size_t n = signals.size();
    for (std::size_t i = 0; i <= n; ++i) {
      const Signal a = i < n ? signals[i] : 0;
      for (std::size_t j = i < n ? i + 1 : n; j <= n; ++j) {
        const Signal b = j < n ? signals[j] : 0;
        if (dual) {
          Signal forward[8];
          for (unsigned k = 0; k < 8; ++k)
            forward[k] = ((k & 1) ? s : 0) ^ ((k & 2) ? a : 0) ^ ((k & 4) ? b : 0);
          for (Signal f : forward)
            for (Signal g : forward) reach((f & low()) | (g & ~low()));
        }
        for (std::size_t k = j < n ? j + 1 : n; k <= n; ++k)
          reach(s ^ a ^ b ^ (k < n ? signals[k] : 0));
      }
    }
    signals.push_back(s);
  }

  void clear() {
    for (Signal s : reached) known[s >> 6] = early[s >> 6] = 0;
    reached.clear();
    signals.clear();
  }

  template <typename Visit>
  void wishes(Signal t, Visit visit) {
    const std::size_t n = signals.size();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j) {
        const Signal a = signals[i], b = signals[j];
        const Signal sums[4] = {0, a, b, a ^ b};
        if (dual) {
          for (Signal f : sums)
            for (Signal g : sums) {
              const Signal wf = (t ^ f) & low(), wg = (t ^ g) & ~low();
              visit(wf | wg);
              if (wg == 0) visit(wf | wf << bits);
              if (wf == 0) visit(wg | wg >> bits);
            }
        } else {
          for (std::size_t k = j + 1; k <= n; ++k) visit(t ^ a ^ b ^ (k < n ? signals[k] : 0));
        }
      }
  }

  std::vector<Signal> once(const std::vector<Group>& groups, std::size_t limit) {
    clear();
    reach(0);
    for (int i = 0; i < bits; ++i)
      add((Signal{1} << i) | (dual ? Signal{1} << (bits + i) : 0));
    for (Signal s : reached) early[s >> 6] |= std::uint64_t{1} << (s & 63);
    const std::size_t start = signals.size();
    std::vector<int> left;
    std::vector<std::vector<Signal>> open;
    for (const Group& g : groups) {
      int need = g.need;
      std::vector<Signal> members;
      for (Signal m : g.members) {
        if (std::find(signals.begin(), signals.end(), m) != signals.end()) --need;
        else members.push_back(m);
      }
      left.push_back(std::max(0, need));
      open.push_back(members);
    }
    const auto taken = [&](Signal s) {
      add(s);
      for (std::size_t g = 0; g < open.size(); ++g) {
        auto at = std::find(open[g].begin(), open[g].end(), s);
        if (at != open[g].end()) {
          open[g].erase(at);
          if (left[g] > 0) --left[g];
        }
      }
    };
    std::unordered_map<Signal, std::uint32_t> value;
    for (;;) {
      std::size_t rest = 0;
      for (int need : left) rest += need;
      if (rest == 0) return {signals.begin() + start, signals.end()};
      if (signals.size() - start + rest > limit) return {};
      std::vector<Signal> now;
      for (std::size_t g = 0; g < open.size(); ++g)
        if (left[g] > 0)
          for (Signal m : open[g])
            if (has(m)) now.push_back(m);
      if (!now.empty()) {
        // What the inputs alone give is not made from anything deeper.
        const auto deep = std::stable_partition(now.begin(), now.end(), [&](Signal s) {
          return early[s >> 6] >> (s & 63) & 1;
        });
        if (deep != now.begin()) now.erase(deep, now.end());
        taken(now[random() % now.size()]);
        continue;
      }
      if (signals.size() - start + rest + 1 > limit) return {};
      value.clear();
      for (std::size_t g = 0; g < open.size(); ++g)
        if (left[g] > 0)
          for (Signal m : open[g])
            wishes(m, [&](Signal w) {
              if (has(w)) value[w] |= 1u << g;
            });
      int best = 0;
      std::vector<Signal> choice;
      const bool relaxed = random() % 4 == 0;
      for (const auto& [w, mask] : value) best = std::max(best, __builtin_popcount(mask));
      for (const auto& [w, mask] : value)
        if (__builtin_popcount(mask) >= best - (relaxed && best > 1)) choice.push_back(w);
      if (!choice.empty()) {
        taken(choice[random() % choice.size()]);
        continue;
      }
      // Nothing is two tables away: come nearer to one signal.
      std::vector<Signal> wanted;
      for (std::size_t g = 0; g < open.size(); ++g)
        if (left[g] > 0) wanted.insert(wanted.end(), open[g].begin(), open[g].end());
      const Signal t = wanted[random() % wanted.size()];
      int nearest = 99;
      for (Signal w : reached) {
        const Signal d = t ^ w;
        const int away = __builtin_popcount((dual ? (d & low()) | d >> bits : d));
        if (away < nearest) {
          nearest = away;
          choice.clear();
        }
        if (away == nearest && std::find(signals.begin(), signals.end(), w) == signals.end())
          choice.push_back(w);
      }
      if (choice.empty()) return {};
      taken(choice[random() % choice.size()]);
    }
  }
};

}  // namespace

int main() {
  int bits, dual, tries, limit;
  unsigned seed;
  if (std::scanf("%d %d %d %u %d", &bits, &dual, &tries, &seed, &limit) != 5) return 1;
  Search search(bits, dual != 0, seed);
  int count;
  while (std::scanf("%d", &count) == 1) {
    std::vector<Group> groups(count);
    for (Group& g : groups) {
      int size;
      if (std::scanf("%d %d", &g.need, &size) != 2) return 1;
      g.members.resize(size);
      for (Signal& m : g.members)
        if (std::scanf("%u", &m) != 1) return 1;
    }
    std::vector<Signal> best;
    std::size_t bound = limit;
    bool found = false;
    for (int i = 0; i < tries; ++i) {
      std::vector<Signal> now = search.once(groups, bound);
      if (now.empty()) continue;
      found = true;
      best = now;
      bound = best.size() - 1;
    }
    if (!found) {
      std::printf("-1\n");
      continue;
    }
    std::printf("%zu", best.size());
    for (Signal s : best) std::printf(" %u", s);
    std::printf("\n");
    std::fflush(stdout);
  }
}
