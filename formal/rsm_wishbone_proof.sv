// SPDX-License-Identifier: Apache-2.0
//
// Each transfer makes one access to the registers and gets the answer to that access, in the
// next cycle.
// Assumptions: reset in the first cycle only; the registers answer any access with any word or
// an error. The master is classic and holds its request until the answer, or it is pipelined
// and holds its request while it is stalled; a pipelined master may end the bus cycle any time.
// Parameters: none.
module rsm_wishbone_proof (
  input logic clk_i, classic_i, cyc_i, stb_i, we_i, access_error_i,
  input logic [7:0] adr_i,
  input logic [31:0] dat_i, access_data_i,
  input logic [3:0] sel_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic ack, err, stall, valid, write;
  logic [31:0] dat, data;
  logic [7:0] address;
  logic [3:0] strobe;

  rsm_wishbone dut (
    .clk_i, .rst_ni, .cyc_i, .stb_i, .we_i, .adr_i, .dat_i, .sel_i, .dat_o(dat), .ack_o(ack),
    .err_o(err), .stall_o(stall), .access_valid_o(valid), .access_write_o(write),
    .access_address_o(address), .access_data_o(data), .access_strobe_o(strobe), .access_data_i,
    .access_error_i
  );

  logic request, end_now;
  assign request = cyc_i & stb_i;
  assign end_now = ack | err;

  // The request. A classic transfer ends with its answer. A pipelined one begins when it is not
  // stalled.
  logic [44:0] asks, asked_q;
  logic request_q, ended_q, stalled_q, cyc_q, classic_q;
  assign asks = {we_i, adr_i, dat_i, sel_i};
  always_ff @(posedge clk_i) begin
    request_q <= rst_ni & request;
    ended_q   <= end_now;
    stalled_q <= stall;
    asked_q   <= asks;
    cyc_q     <= rst_ni & cyc_i;
    classic_q <= started_q ? classic_q : classic_i;
  end

  // Counters of accesses, of classic transfers, and of pipelined requests and answers.
  logic [3:0] accesses_q, classic_done_q, begun_q, answers_q;
  logic [32:0] given_q;
  logic [44:0] access_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) {accesses_q, classic_done_q, begun_q, answers_q} <= '0;
    else begin
      accesses_q     <= accesses_q + 4'(valid);
      classic_done_q <= classic_done_q + 4'(request & end_now);
      begun_q        <= begun_q + 4'(request & ~stall);
      answers_q      <= answers_q + 4'(end_now);
    end
    if (valid) begin
      given_q  <= {access_error_i, access_data_i};
      access_q <= asks;
    end
  end

  always_comb begin
    if (started_q && classic_q && request_q && !ended_q) assume (request && asks == asked_q);
    if (started_q && !classic_q && request_q && stalled_q && cyc_i) begin
      assume (stb_i && asks == asked_q);
    end
    if (started_q) begin
      // Each access is what the master requests. It is made once and answered once.
      if (valid) begin
        assert (request && write == we_i && address == adr_i && data == dat_i);
        assert (strobe == (we_i ? sel_i : 4'hf));
      end
      assert (accesses_q == begun_q && accesses_q - answers_q == 4'(end_now));
      if (classic_q) begin
        assert (accesses_q - classic_done_q == 4'(end_now));
        if (end_now) assert (request && access_q == asks);
      end
      // The answer belongs to its access, is of one kind, and comes in the next cycle.
      assert (end_now == (request_q & ~ended_q) && !(ack && err) && stall == end_now);
      if (end_now) assert (cyc_q && {err, dat} == given_q);
      else assert (dat == '0);
    end
  end
endmodule
