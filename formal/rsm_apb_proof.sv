// SPDX-License-Identifier: Apache-2.0
//
// Each transfer makes one access to the registers, in its setup phase, and ends in its first
// access phase with the answer to that access.
// Assumptions: reset in the first cycle only; the registers answer any access with any word or
// an error. The master follows the phases of APB; while it selects another peripheral, PENABLE
// may be high.
// Parameters: none.
module rsm_apb_proof (
  input logic clk_i, psel_i, penable_i, pwrite_i, access_error_i,
  input logic [7:0] paddr_i,
  input logic [31:0] pwdata_i, access_data_i,
  input logic [3:0] pstrb_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic ready, error, valid, write;
  logic [31:0] word, data;
  logic [7:0] address;
  logic [3:0] strobe;

  rsm_apb dut (
    .clk_i, .rst_ni, .paddr_i, .psel_i, .penable_i, .pwrite_i, .pwdata_i, .pstrb_i,
    .pready_o(ready), .prdata_o(word), .pslverr_o(error), .access_valid_o(valid),
    .access_write_o(write), .access_address_o(address), .access_data_o(data),
    .access_strobe_o(strobe), .access_data_i, .access_error_i
  );

  // The transfer is past its setup phase and has not ended.
  logic open_q, ends;
  logic [44:0] asks, asked_q;
  assign asks = {pwrite_i, paddr_i, pwdata_i, pstrb_i};
  assign ends = psel_i & penable_i & ready;

  logic [3:0] setups_q, ends_q, accesses_q;
  logic [32:0] given_q;
  logic [44:0] access_q;
  always_ff @(posedge clk_i) begin
    asked_q <= asks;
    if (!rst_ni) {open_q, setups_q, ends_q, accesses_q} <= '0;
    else begin
      open_q     <= psel_i & ~ends;
      setups_q   <= setups_q + 4'(psel_i & ~penable_i);
      ends_q     <= ends_q + 4'(ends);
      accesses_q <= accesses_q + 4'(valid);
    end
    if (valid) begin
      given_q  <= {access_error_i, access_data_i};
      access_q <= asks;
    end
  end

  always_comb begin
    if (started_q) begin
      if (open_q) assume (psel_i && penable_i && asks == asked_q);
      else if (psel_i) assume (!penable_i);
      // Each transfer makes one access, in its setup phase, with its own address and data.
      assert (accesses_q == setups_q && accesses_q - ends_q == 4'(open_q));
      if (valid) begin
        assert (psel_i && !open_q && write == pwrite_i && address == paddr_i);
        assert (data == pwdata_i && strobe == pstrb_i);
      end
      // Every transfer ends in its first access phase, with the answer to its own access.
      assert (ready == open_q);
      if (ready) assert (ends && {error, word} == given_q && access_q == asks);
      else assert (word == '0 && !error);
    end
  end
endmodule
