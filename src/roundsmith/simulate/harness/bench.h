// SPDX-License-Identifier: Apache-2.0
//
// What every bench needs: chance that a seed repeats, and the end of a run that broke a rule.
#ifndef ROUNDSMITH_BENCH_H
#define ROUNDSMITH_BENCH_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace bench {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {}
  uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545f4914f6cdd1dull;
  }
  bool chance(int in256) { return static_cast<int>((next() >> 32) & 255) < in256; }
  bool rare(int in65536) { return static_cast<int>((next() >> 32) & 65535) < in65536; }

 private:
  uint64_t state_;
};

[[noreturn]] inline void fail(uint64_t cycle, const std::string& what) {
  std::fprintf(stderr, "cycle %llu: %s\n", static_cast<unsigned long long>(cycle), what.c_str());
  std::exit(1);
}

}  // namespace bench

#endif
