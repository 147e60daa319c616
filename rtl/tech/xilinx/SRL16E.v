// SPDX-License-Identifier: Apache-2.0
//
// A lookup table of Virtex, Spartan-II and their successors as a shift register of 16 places with
// one output that reads any of them (Xilinx, Libraries Guide).
//
// Empty here: synthesis knows the cell, a simulation needs its model.
// verilator lint_off UNDRIVEN
// verilator lint_off UNUSEDSIGNAL
(* blackbox *)
module SRL16E (
  output Q,
  input  A0,
  input  A1,
  input  A2,
  input  A3,
  input  CE,
  input  CLK,
  input  D
);
endmodule
