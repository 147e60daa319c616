// SPDX-License-Identifier: Apache-2.0
//
// A 3-state buffer of Virtex, Virtex-E, Virtex-II and Spartan-II: T high lets go of the wire
// (Xilinx, Libraries Guide).
//
// Empty here: synthesis knows the cell, a simulation needs its model.
// verilator lint_off UNDRIVEN
// verilator lint_off UNUSEDSIGNAL
(* blackbox *)
module BUFT (
  output O,
  input  I,
  input  T
);
endmodule
