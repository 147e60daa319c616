// SPDX-License-Identifier: Apache-2.0
//
// APB (AMBA 3 and 4) to the access of rsm_register_port. The access is made in the setup phase, and
// its answer stands in a register in the access phase, so no transfer waits.
//
// Byte `n` of a word is at bits 8n+7..8n. AMBA 3 has no strobes: tie `pstrb_i` high.
//
// Latency: 2 cycles a transfer, the least that APB has.
module rsm_apb (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [7:0]  paddr_i,
  input  logic        psel_i,
  input  logic        penable_i,
  input  logic        pwrite_i,
  input  logic [31:0] pwdata_i,
  input  logic [3:0]  pstrb_i,
  output logic        pready_o,
  output logic [31:0] prdata_o,
  output logic        pslverr_o,
  // To the registers.
  output logic        access_valid_o,
  output logic        access_write_o,
  output logic [7:0]  access_address_o,
  output logic [31:0] access_data_o,
  output logic [3:0]  access_strobe_o,
  input  logic [31:0] access_data_i,
  input  logic        access_error_i
);

  assign access_valid_o   = psel_i & ~penable_i;
  assign access_write_o   = pwrite_i;
  assign access_address_o = paddr_i;
  assign access_data_o    = pwdata_i;
  assign access_strobe_o  = pstrb_i;

  // The answer is here for one cycle; what was read does not stay.
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !access_valid_o) begin
      pready_o  <= 1'b0;
      prdata_o  <= '0;
      pslverr_o <= 1'b0;
    end else begin
      pready_o  <= 1'b1;
      prdata_o  <= access_data_i;
      pslverr_o <= access_error_i;
    end
  end

endmodule
