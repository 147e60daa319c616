// SPDX-License-Identifier: Apache-2.0
//
// A master of Wishbone, one access at a time.
#ifndef ROUNDSMITH_MASTER_WISHBONE_H
#define ROUNDSMITH_MASTER_WISHBONE_H

#include "access.h"

namespace bench {

// A classic master holds the strobe until the answer, a pipelined one until it is not stalled: an
// access is made in one way or the other.
template <class Model>
class Master {
 public:
  void drive(Model& m, const Access* now, const Chances& chances, Random& random) {
    if (now && !begun_ && random.chance(chances.in)) {
      begun_ = true;
      classic_ = random.chance(128);
    }
    const bool strobe = begun_ && !sent_;
    m.wb_cyc = begun_;
    m.wb_stb = strobe;
    m.wb_we = strobe && now->write;
    m.wb_adr = strobe ? now->address : 0;
    m.wb_dat_w = strobe ? now->word : 0;
    m.wb_sel = strobe ? 15 : 0;
  }

  bool done(Model& m, Access* now, uint64_t cycle) {
    const bool end = m.wb_ack || m.wb_err;
    if (end && !begun_) fail(cycle, "an answer came that no access asked for");
    if (m.wb_ack && m.wb_err) fail(cycle, "an answer is an error and none");
    if (m.wb_stb && !m.wb_stall && !classic_) sent_ = true;
    if (!end) return false;
    now->error = m.wb_err;
    if (!now->write) now->word = m.wb_dat_r;
    reset();
    return true;
  }

  void reset() { begun_ = sent_ = false; }

 private:
  bool begun_ = false, sent_ = false, classic_ = false;
};

}  // namespace bench

#endif
