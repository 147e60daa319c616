// SPDX-License-Identifier: Apache-2.0
//
// A master of APB, one access at a time.
#ifndef ROUNDSMITH_MASTER_APB_H
#define ROUNDSMITH_MASTER_APB_H

#include "access.h"

namespace bench {

template <class Model>
class Master {
 public:
  void drive(Model& m, const Access* now, const Chances& chances, Random& random) {
    // The setup phase, then the access phase to the end.
    if (!begun_) begun_ = now && random.chance(chances.in);
    m.s_apb_psel = begun_;
    m.s_apb_penable = access_;
    m.s_apb_pwrite = begun_ && now->write;
    m.s_apb_paddr = begun_ ? now->address : 0;
    m.s_apb_pwdata = begun_ && now->write ? now->word : 0;
    m.s_apb_pstrb = begun_ && now->write ? 15 : 0;
  }

  bool done(Model& m, Access* now, uint64_t) {
    if (!begun_) return false;
    if (!access_) {
      access_ = true;
      return false;
    }
    if (!m.s_apb_pready) return false;
    now->error = m.s_apb_pslverr;
    if (!now->write) now->word = m.s_apb_prdata;
    reset();
    return true;
  }

  void reset() { begun_ = access_ = false; }

 private:
  bool begun_ = false, access_ = false;
};

}  // namespace bench

#endif
