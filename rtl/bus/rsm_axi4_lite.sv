// SPDX-License-Identifier: Apache-2.0
//
// AXI4-Lite, 32 bits, to the access of rsm_register_port. Addresses and data wait in registers
// until the access is made and its answer has a place; writes go first. All outputs come from
// registers.
//
// Byte `n` of a word is at bits 8n+7..8n. `AWPROT` and `ARPROT` are not looked at.
//
// Latency: the answer comes 2 cycles after address and data are accepted; a write and a read every
// 2 cycles.
module rsm_axi4_lite (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        awvalid_i,
  output logic        awready_o,
  input  logic [7:0]  awaddr_i,
  input  logic        wvalid_i,
  output logic        wready_o,
  input  logic [31:0] wdata_i,
  input  logic [3:0]  wstrb_i,
  output logic        bvalid_o,
  input  logic        bready_i,
  output logic [1:0]  bresp_o,
  input  logic        arvalid_i,
  output logic        arready_o,
  input  logic [7:0]  araddr_i,
  output logic        rvalid_o,
  input  logic        rready_i,
  output logic [31:0] rdata_o,
  output logic [1:0]  rresp_o,
  // To the registers.
  output logic        access_valid_o,
  output logic        access_write_o,
  output logic [7:0]  access_address_o,
  output logic [31:0] access_data_o,
  output logic [3:0]  access_strobe_o,
  input  logic [31:0] access_data_i,
  input  logic        access_error_i
);

  localparam logic [1:0] Okay       = 2'b00;
  localparam logic [1:0] SlaveError = 2'b10;

  logic        aw_q, w_q, ar_q;
  logic [7:0]  awaddr_q, araddr_q;
  logic [31:0] wdata_q;
  logic [3:0]  wstrb_q;
  logic        write, read, up_q;

  assign write = aw_q & w_q & ~bvalid_o;
  assign read  = ar_q & ~rvalid_o & ~write;

  assign access_valid_o   = write | read;
  assign access_write_o   = write;
  assign access_address_o = write ? awaddr_q : araddr_q;
  assign access_data_o    = wdata_q;
  assign access_strobe_o  = write ? wstrb_q : 4'hf;

  // Ready as long as the place is free; not in reset.
  assign awready_o = up_q & ~aw_q;
  assign wready_o  = up_q & ~w_q;
  assign arready_o = up_q & ~ar_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {aw_q, w_q, ar_q, up_q} <= '0;
    end else begin
      up_q <= 1'b1;
      aw_q <= (awvalid_i & awready_o) | (aw_q & ~write);
      w_q  <= (wvalid_i & wready_o) | (w_q & ~write);
      ar_q <= (arvalid_i & arready_o) | (ar_q & ~read);
    end
  end

  always_ff @(posedge clk_i) begin
    if (awready_o) awaddr_q <= awaddr_i;
    if (arready_o) araddr_q <= araddr_i;
  end

  // What was written does not stay.
  always_ff @(posedge clk_i) begin
    if (!rst_ni || write) {wdata_q, wstrb_q} <= '0;
    else if (wready_o) {wdata_q, wstrb_q} <= {wdata_i, wstrb_i};
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      bvalid_o <= 1'b0;
      bresp_o  <= Okay;
    end else if (write) begin
      bvalid_o <= 1'b1;
      bresp_o  <= access_error_i ? SlaveError : Okay;
    end else if (bready_i) begin
      bvalid_o <= 1'b0;
    end
  end

  // What was read does not stay.
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      rvalid_o <= 1'b0;
      rdata_o  <= '0;
      rresp_o  <= Okay;
    end else if (read) begin
      rvalid_o <= 1'b1;
      rdata_o  <= access_data_i;
      rresp_o  <= access_error_i ? SlaveError : Okay;
    end else if (rready_i) begin
      rvalid_o <= 1'b0;
      rdata_o  <= '0;
    end
  end

`ifdef RSM_ASSERT
  // A response stays as it is until it is taken (AXI4, A3.2.1), and one access is made at a time.
  logic        b_held_q, r_held_q;
  logic [1:0]  bresp_q, rresp_q;
  logic [31:0] rdata_q;

  always_ff @(posedge clk_i) begin
    b_held_q <= rst_ni & bvalid_o & ~bready_i;
    r_held_q <= rst_ni & rvalid_o & ~rready_i;
    bresp_q  <= bresp_o;
    rresp_q  <= rresp_o;
    rdata_q  <= rdata_o;
    if (rst_ni) begin
      assert (!(write && read)) else $error("rsm_axi4_lite: two accesses at once");
      assert (!b_held_q || (bvalid_o && bresp_o == bresp_q))
      else $error("rsm_axi4_lite: a write response changed");
      assert (!r_held_q || (rvalid_o && {rresp_o, rdata_o} == {rresp_q, rdata_q}))
      else $error("rsm_axi4_lite: a read response changed");
    end
  end
`endif

endmodule
