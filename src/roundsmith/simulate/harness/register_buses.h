// SPDX-License-Identifier: Apache-2.0
//
// Masters of the register buses, one access at a time: AXI4-Lite, Wishbone and APB. `drive` says
// what their pins show in this cycle, and `done` at its end whether the access has been made; both
// get null while nothing is asked for. A master that has nothing to do shows zeros.
#ifndef ROUNDSMITH_REGISTER_BUSES_H
#define ROUNDSMITH_REGISTER_BUSES_H

#include "message_port.h"

namespace bench {

// One access to a register, and what came of it.
struct Access {
  bool write;
  uint8_t address;
  uint32_t word;
  bool error = false;
};

template <class Model>
class AxiLite {
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

// A classic master holds the strobe until the answer, a pipelined one until it is not stalled: an
// access is made in one way or the other.
template <class Model>
class Wishbone {
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

template <class Model>
class Apb {
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
