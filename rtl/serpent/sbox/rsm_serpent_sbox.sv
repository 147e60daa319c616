// SPDX-License-Identifier: Apache-2.0
//
// One S-box of Serpent in Width copies, or an inverse: picks the construction.
//
// Latency: 0.
module rsm_serpent_sbox
  import rsm_serpent_pkg::*;
#(
  parameter sbox_e       Sbox    = SboxTable,
  parameter bit          Inverse = 1'b0,
  parameter int unsigned Box     = 0,
  parameter int unsigned Width   = 32
) (
  input  logic [3:0][Width-1:0] x_i,
  output logic [3:0][Width-1:0] y_o
);

  if (Sbox == SboxTable && !Inverse) begin : gen_table
    rsm_serpent_sbox_table #(.Box (Box), .Width (Width)) u_sbox (.x_i, .y_o);
  end else if (Sbox == SboxTable) begin : gen_table_inverse
    rsm_serpent_sbox_table_inverse #(.Box (Box), .Width (Width)) u_sbox (.x_i, .y_o);
  end else if (Sbox == SboxCircuit && !Inverse) begin : gen_circuit
    rsm_serpent_sbox_circuit #(.Box (Box), .Width (Width)) u_sbox (.x_i, .y_o);
  end else if (Sbox == SboxCircuit) begin : gen_circuit_inverse
    rsm_serpent_sbox_circuit_inverse #(.Box (Box), .Width (Width)) u_sbox (.x_i, .y_o);
  end else if (Sbox == SboxFast && !Inverse) begin : gen_fast
    rsm_serpent_sbox_fast #(.Box (Box), .Width (Width)) u_sbox (.x_i, .y_o);
  end else if (Sbox == SboxFast) begin : gen_fast_inverse
    rsm_serpent_sbox_fast_inverse #(.Box (Box), .Width (Width)) u_sbox (.x_i, .y_o);
  end else if (Sbox == SboxOsvik && !Inverse) begin : gen_osvik
    rsm_serpent_sbox_osvik #(.Box (Box), .Width (Width)) u_sbox (.x_i, .y_o);
  end else if (Sbox == SboxOsvik) begin : gen_osvik_inverse
    rsm_serpent_sbox_osvik_inverse #(.Box (Box), .Width (Width)) u_sbox (.x_i, .y_o);
  end else begin : gen_unknown_sbox
    $error("rsm_serpent_sbox: Sbox names no construction");
  end

endmodule
