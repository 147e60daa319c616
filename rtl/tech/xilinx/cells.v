// SPDX-License-Identifier: Apache-2.0
//
// Cells of the Virtex and Spartan-II families and their successors that the files of this folder
// name (Xilinx, Libraries Guide). Empty here: synthesis knows them, simulation needs their models.
// verilator lint_off DECLFILENAME
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

(* blackbox *)
module BUFT (
  output O,
  input  I,
  input  T
);
endmodule
