// SPDX-License-Identifier: Apache-2.0
//
// Each write and each read makes one access to the registers, with its own address and data,
// and gets one answer. A waiting answer stays.
// Assumptions: reset in the first cycle only; the registers answer any access with any word or
// an error.
// Parameters: none.
module rsm_axi4_lite_proof (
  input logic clk_i, awvalid_i, wvalid_i, bready_i, arvalid_i, rready_i, access_error_i,
  input logic [7:0] awaddr_i, araddr_i,
  input logic [31:0] wdata_i, access_data_i,
  input logic [3:0] wstrb_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic awready, wready, bvalid, arready, rvalid, valid, write;
  logic [1:0] bresp, rresp;
  logic [31:0] rdata, data;
  logic [7:0] address;
  logic [3:0] strobe;

  rsm_axi4_lite dut (
    .clk_i, .rst_ni, .awvalid_i, .awready_o(awready), .awaddr_i, .wvalid_i, .wready_o(wready),
    .wdata_i, .wstrb_i, .bvalid_o(bvalid), .bready_i, .bresp_o(bresp), .arvalid_i,
    .arready_o(arready), .araddr_i, .rvalid_o(rvalid), .rready_i, .rdata_o(rdata),
    .rresp_o(rresp), .access_valid_o(valid), .access_write_o(write), .access_address_o(address),
    .access_data_o(data), .access_strobe_o(strobe), .access_data_i, .access_error_i
  );

  // Counters of all handshakes and accesses; the newest address, data and answer.
  logic [3:0] aw_q, w_q, b_q, ar_q, r_q, writes_q, reads_q;
  logic [7:0] awaddr_q, araddr_q;
  logic [35:0] word_q;
  logic [33:0] read_q;
  logic [1:0] wrote_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {aw_q, w_q, b_q, ar_q, r_q, writes_q, reads_q} <= '0;
    else begin
      aw_q     <= aw_q + 4'(awvalid_i & awready);
      w_q      <= w_q + 4'(wvalid_i & wready);
      b_q      <= b_q + 4'(bvalid & bready_i);
      ar_q     <= ar_q + 4'(arvalid_i & arready);
      r_q      <= r_q + 4'(rvalid & rready_i);
      writes_q <= writes_q + 4'(valid & write);
      reads_q  <= reads_q + 4'(valid & ~write);
    end
    if (awvalid_i & awready) awaddr_q <= awaddr_i;
    if (arvalid_i & arready) araddr_q <= araddr_i;
    if (wvalid_i & wready) word_q <= {wdata_i, wstrb_i};
    if (valid & write) wrote_q <= {access_error_i, 1'b0};
    if (valid & ~write) read_q <= {access_data_i, access_error_i, 1'b0};
  end

  logic b_held_q, r_held_q;
  always_ff @(posedge clk_i) begin
    b_held_q <= rst_ni & bvalid & ~bready_i;
    r_held_q <= rst_ni & rvalid & ~rready_i;
  end

  always_comb begin
    if (started_q) begin
      assert (aw_q - writes_q == 4'(dut.aw_q));
      assert (w_q - writes_q == 4'(dut.w_q));
      assert (writes_q - b_q == 4'(bvalid));
      assert (ar_q - reads_q == 4'(dut.ar_q));
      assert (reads_q - r_q == 4'(rvalid));
      if (dut.aw_q) assert (dut.awaddr_q == awaddr_q);
      if (dut.ar_q) assert (dut.araddr_q == araddr_q);
      if (dut.w_q) assert ({dut.wdata_q, dut.wstrb_q} == word_q);
      if (valid & write) assert (address == awaddr_q && {data, strobe} == word_q);
      if (valid & ~write) assert (address == araddr_q);
      if (bvalid) assert (bresp == wrote_q);
      if (rvalid) assert ({rdata, rresp} == read_q);
      else assert (rdata == '0);
      if (b_held_q) assert (bvalid);
      if (r_held_q) assert (rvalid);
    end
  end
endmodule
