// SPDX-License-Identifier: Apache-2.0
//
// A memory with one port of Width bits, read by the clock. The generic form has a word in two
// halves, each behind a port of its own: block RAMs have two ports of half the bits that one
// could have for a wider one, so one of them serves where two would stand side by side. That is
// how 44 words of 32 bits fit one block RAM of 4 kbit (Chodowiec and Gaj 2003, 3.5).
//
// Latency: 1 cycle from the address to the word; a word being written is shown as well.
module rsm_tech_ram_wide #(
  parameter int unsigned Width        = 32,
  parameter int unsigned AddressWidth = 6
) (
  input  logic                    clk_i,
  input  logic                    write_i,
  input  logic [AddressWidth-1:0] address_i,
  input  logic [Width-1:0]        data_i,
  output logic [Width-1:0]        data_o
);

  localparam int unsigned Half = Width / 2;

  if (Width % 2 != 0) begin : gen_odd
    $error("rsm_tech_ram_wide: Width is even");
  end

  // Without the attributes, synthesis builds so small a memory from LUTs.
  (* ram_style = "block" *)
  logic [Half-1:0] memory_q [2 ** (AddressWidth + 1)];

  logic [Half-1:0] high_q;
  logic [Half-1:0] low_q;

  // verilator lint_off MULTIDRIVEN
  always_ff @(posedge clk_i) begin
    if (write_i) begin
      memory_q[{1'b1, address_i}] <= data_i[Width-1 -: Half];
      high_q                      <= data_i[Width-1 -: Half];
    end else begin
      high_q <= memory_q[{1'b1, address_i}];
    end
  end

  always_ff @(posedge clk_i) begin
    if (write_i) begin
      memory_q[{1'b0, address_i}] <= data_i[Half-1:0];
      low_q                       <= data_i[Half-1:0];
    end else begin
      low_q <= memory_q[{1'b0, address_i}];
    end
  end
  // verilator lint_on MULTIDRIVEN

  assign data_o = {high_q, low_q};

endmodule
