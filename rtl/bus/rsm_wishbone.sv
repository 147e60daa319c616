// SPDX-License-Identifier: Apache-2.0
//
// Wishbone B4, 32 bits, to the access of rsm_register_port. It serves classic masters, which hold
// the strobe until the answer, and pipelined ones, which look at `stall_o`. `adr_i` counts bytes;
// its lowest two bits are zero.
//
// Byte `n` of a word is at bits 8n+7..8n.
//
// Latency: the answer comes in the cycle after the strobe; a transfer every 2 cycles.
module rsm_wishbone (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        cyc_i,
  input  logic        stb_i,
  input  logic        we_i,
  input  logic [7:0]  adr_i,
  input  logic [31:0] dat_i,
  input  logic [3:0]  sel_i,
  output logic [31:0] dat_o,
  output logic        ack_o,
  output logic        err_o,
  output logic        stall_o,
  // To the registers.
  output logic        access_valid_o,
  output logic        access_write_o,
  output logic [7:0]  access_address_o,
  output logic [31:0] access_data_o,
  output logic [3:0]  access_strobe_o,
  input  logic [31:0] access_data_i,
  input  logic        access_error_i
);

  // In the cycle of an answer a classic master still holds the strobe of what is answered.
  assign stall_o = ack_o | err_o;

  assign access_valid_o   = cyc_i & stb_i & ~stall_o;
  assign access_write_o   = we_i;
  assign access_address_o = adr_i;
  assign access_data_o    = dat_i;
  assign access_strobe_o  = we_i ? sel_i : 4'hf;

  // What was read does not stay.
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !access_valid_o) begin
      ack_o <= 1'b0;
      err_o <= 1'b0;
      dat_o <= '0;
    end else begin
      ack_o <= ~access_error_i;
      err_o <= access_error_i;
      dat_o <= access_data_i;
    end
  end

endmodule
