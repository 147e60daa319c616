// SPDX-License-Identifier: Apache-2.0
//
// A master of AXI4-Lite, one access at a time.
#ifndef ROUNDSMITH_MASTER_AXI4_LITE_H
#define ROUNDSMITH_MASTER_AXI4_LITE_H

#include "access.h"

namespace bench {

template <class Model>
class Master {
 public:
  void drive(Model& m, const Access* now, const Chances& chances, Random& random) {
    const bool write = now && now->write, read = now && !now->write;
    // An offer stays until it is taken.
    offered_[0] = write && !sent_[0] && (offered_[0] || random.chance(chances.in));
    offered_[1] = write && !sent_[1] && (offered_[1] || random.chance(chances.in));
    offered_[2] = read && !sent_[2] && (offered_[2] || random.chance(chances.in));
    m.s_axi_awvalid = offered_[0];
    m.s_axi_awaddr = offered_[0] ? now->address : 0;
    m.s_axi_wvalid = offered_[1];
    m.s_axi_wdata = offered_[1] ? now->word : 0;
    m.s_axi_wstrb = offered_[1] ? 15 : 0;
    m.s_axi_arvalid = offered_[2];
    m.s_axi_araddr = offered_[2] ? now->address : 0;
    m.s_axi_bready = write && random.chance(chances.out);
    m.s_axi_rready = read && random.chance(chances.out);
  }

  bool done(Model& m, Access* now, uint64_t cycle) {
    if ((m.s_axi_bvalid && !(now && now->write)) || (m.s_axi_rvalid && (!now || now->write)))
      fail(cycle, "an answer came that no access asked for");
    if ((held_b_ && !m.s_axi_bvalid) || (held_r_ && !m.s_axi_rvalid))
      fail(cycle, "an answer that was not taken has gone");
    const uint64_t b = m.s_axi_bresp, r = uint64_t{m.s_axi_rdata} << 2 | m.s_axi_rresp;
    if ((held_b_ && b != shown_b_) || (held_r_ && r != shown_r_))
      fail(cycle, "an answer changed while it waited");
    shown_b_ = b;
    shown_r_ = r;
    sent_[0] |= m.s_axi_awvalid && m.s_axi_awready;
    sent_[1] |= m.s_axi_wvalid && m.s_axi_wready;
    sent_[2] |= m.s_axi_arvalid && m.s_axi_arready;
    held_b_ = m.s_axi_bvalid && !m.s_axi_bready;
    held_r_ = m.s_axi_rvalid && !m.s_axi_rready;
    const bool end = (m.s_axi_bvalid && m.s_axi_bready) || (m.s_axi_rvalid && m.s_axi_rready);
    if (!end) return false;
    now->error = (now->write ? m.s_axi_bresp : m.s_axi_rresp) != 0;
    if (!now->write) now->word = m.s_axi_rdata;
    reset();
    return true;
  }

  void reset() {
    for (int i = 0; i < 3; ++i) offered_[i] = sent_[i] = false;
    held_b_ = held_r_ = false;
  }

 private:
  bool offered_[3] = {}, sent_[3] = {};  // write address, write data, read address
  bool held_b_ = false, held_r_ = false;
  uint64_t shown_b_ = 0, shown_r_ = 0;
};

}  // namespace bench

#endif
