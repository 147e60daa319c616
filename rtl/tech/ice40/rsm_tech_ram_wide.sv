// SPDX-License-Identifier: Apache-2.0
//
// A memory with one port of Width bits, read by the clock. iCE40 has block RAMs with one port to
// write and one to read, so the word stands in as many of them side by side as it takes, and a word
// being written is shown around them.
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

  (* ram_style = "block", no_rw_check *)
  logic [Width-1:0] memory_q [2 ** AddressWidth];

  logic [Width-1:0] read_q, written_q;
  logic             write_q;

  always_ff @(posedge clk_i) begin
    if (write_i) memory_q[address_i] <= data_i;
  end

  always_ff @(posedge clk_i) begin
    read_q <= memory_q[address_i];
  end

  always_ff @(posedge clk_i) begin
    written_q <= data_i;
    write_q   <= write_i;
  end

  assign data_o = write_q ? written_q : read_q;

endmodule
