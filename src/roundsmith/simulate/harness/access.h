// SPDX-License-Identifier: Apache-2.0
//
// One access to a register, as the masters of the register buses make it. Each of them is `master.h`
// in the folder of its bus, with a class `Master`: its `drive` says what the pins show in this
// cycle, and its `done` at the end of the cycle whether the access has been made; both get null
// while nothing is asked for. A master that has nothing to do shows zeros.
#ifndef ROUNDSMITH_ACCESS_H
#define ROUNDSMITH_ACCESS_H

#include "message_port.h"

namespace bench {

// One access to a register, and what came of it.
struct Access {
  bool write;
  uint8_t address;
  uint32_t word;
  bool error = false;
};

}  // namespace bench

#endif
