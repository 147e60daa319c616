// SPDX-License-Identifier: Apache-2.0
//
// Behavioural model of the 3-state buffer of Virtex, Virtex-E, Virtex-II and Spartan-II, which Yosys
// ships as a black box: T high lets go of the wire.
module BUFT (
  output O,
  input  I,
  input  T
);
  assign O = T ? 1'bz : I;
endmodule
