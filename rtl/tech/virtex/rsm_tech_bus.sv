// SPDX-License-Identifier: Apache-2.0
//
// A bus that one of several sources drives. Exactly one bit of `enable_i` is high, whatever the
// data. On Virtex, Virtex-E, Spartan-II and their kin the sources are 3-state buffers beside the
// slices, which take none of their logic (Chodowiec and Gaj 2003, 3.5). Later families have none.
//
// Yosys' mapper would part the drivers of a wire, so to Yosys this is a black box: whoever maps
// with it needs the declaration in every step, and no LUT is counted for it.
//
// Latency: 0.
(* blackbox *)
module rsm_tech_bus #(
  parameter int unsigned Width   = 8,
  parameter int unsigned Sources = 2
) (
  input  logic [Sources-1:0]            enable_i,
  input  logic [Sources-1:0][Width-1:0] data_i,
  output logic [Width-1:0]              bus_o
);

  // Several drivers are what this is about.
  // verilator lint_off MULTIDRIVEN
  wire [Width-1:0] bus;
  // verilator lint_on MULTIDRIVEN

  for (genvar i = 0; i < Width; i++) begin : gen_bit
    for (genvar j = 0; j < Sources; j++) begin : gen_source
      BUFT u_buffer (
        .O (bus[i]),
        .I (data_i[j][i]),
        .T (~enable_i[j])
      );
    end
  end

  assign bus_o = bus;

endmodule
