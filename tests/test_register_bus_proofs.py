"""The buses of the registers, proved by induction: one access and one answer for each transfer.

The registers are any circuit that gives some word, or an error, to an access. Each proof counts
what the master asked for, what the registers were asked for and what was answered, and remembers
the newest of each. A master does anything that the standard lets it do.
"""

from pathlib import Path

import pytest

from proofs import BEGIN, change, prove, refute, source

LITE = (
    """
module proof (
  input logic clk_i, awvalid_i, wvalid_i, bready_i, arvalid_i, rready_i, access_error_i,
  input logic [7:0] awaddr_i, araddr_i,
  input logic [31:0] wdata_i, access_data_i,
  input logic [3:0] wstrb_i
);
"""
    + BEGIN
    + """
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

  // Everything that passes, counted; the newest address, data and answer.
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
"""
)

# A classic master holds its request until the answer. A pipelined one holds it while it is stalled;
# it may end the cycle at any time, and then knows of no answer. Any master is one of them.
WISHBONE = (
    """
module proof (
  input logic clk_i, classic_i, cyc_i, stb_i, we_i, access_error_i,
  input logic [7:0] adr_i,
  input logic [31:0] dat_i, access_data_i,
  input logic [3:0] sel_i
);
"""
    + BEGIN
    + """
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

  // What is asked for: a classic transfer ends with its answer, a pipelined one has begun when it
  // is not stalled.
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

  // Accesses to the registers, and what each master counts.
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
      // An access to the registers is what the master asks for, made once, and answered once.
      if (valid) begin
        assert (request && write == we_i && address == adr_i && data == dat_i);
        assert (strobe == (we_i ? sel_i : 4'hf));
      end
      assert (accesses_q == begun_q && accesses_q - answers_q == 4'(end_now));
      if (classic_q) begin
        assert (accesses_q - classic_done_q == 4'(end_now));
        if (end_now) assert (request && access_q == asks);
      end
      // The answer is that of its access, of one kind, and comes in the cycle after it.
      assert (end_now == (request_q & ~ended_q) && !(ack && err) && stall == end_now);
      if (end_now) assert (cyc_q && {err, dat} == given_q);
      else assert (dat == '0);
    end
  end
endmodule
"""
)

# While another peripheral is selected, PENABLE may be high.
APB = (
    """
module proof (
  input logic clk_i, psel_i, penable_i, pwrite_i, access_error_i,
  input logic [7:0] paddr_i,
  input logic [31:0] pwdata_i, access_data_i,
  input logic [3:0] pstrb_i
);
"""
    + BEGIN
    + """
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

  // The setup phase is over and the transfer is not.
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
      // One access for each transfer, in its setup phase, and what the transfer asks for.
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
"""
)

PROOFS = {"rsm_axi4_lite": LITE, "rsm_wishbone": WISHBONE, "rsm_apb": APB}


@pytest.mark.parametrize("name", PROOFS)
def test_every_access_is_answered_once(name: str, tmp_path: Path) -> None:
    prove(name, PROOFS[name], tmp_path, source(name))


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        # An answer is given up; a write goes without its data; what was read stays.
        ("rsm_axi4_lite", "else if (rready_i) begin", "else begin"),
        ("rsm_axi4_lite", "aw_q & w_q & ~bvalid_o", "aw_q & ~bvalid_o"),
        ("rsm_axi4_lite", "      rdata_o  <= '0;\n    end\n", "    end\n"),
        # An access is made again while it is answered, or without a cycle; an error is an
        # acknowledgement too, or is none; a master is not stalled; what was read stays.
        ("rsm_wishbone", "cyc_i & stb_i & ~stall_o", "cyc_i & stb_i"),
        ("rsm_wishbone", "cyc_i & stb_i & ~stall_o", "stb_i & ~stall_o"),
        ("rsm_wishbone", "ack_o <= ~access_error_i;", "ack_o <= 1'b1;"),
        ("rsm_wishbone", "err_o <= access_error_i;", "err_o <= 1'b0;"),
        ("rsm_wishbone", "assign stall_o = ack_o | err_o;", "assign stall_o = ack_o;"),
        ("rsm_wishbone", "      dat_o <= '0;\n", ""),
        ("rsm_wishbone", "we_i ? sel_i : 4'hf", "4'hf"),
        # The answer stays for another cycle.
        ("rsm_wishbone", "if (!rst_ni || !access_valid_o)", "if (!rst_ni || !cyc_i)"),
        # An access is made again in the access phase, or for another peripheral; an answer stays
        # after its transfer, or waits; an error is not told; what was read stays.
        ("rsm_apb", "psel_i & ~penable_i", "psel_i"),
        ("rsm_apb", "psel_i & ~penable_i", "~penable_i"),
        ("rsm_apb", "if (!rst_ni || !access_valid_o)", "if (!rst_ni || !psel_i)"),
        ("rsm_apb", "pready_o  <= 1'b1;", "pready_o  <= ~access_error_i;"),
        ("rsm_apb", "pslverr_o <= access_error_i;", "pslverr_o <= 1'b0;"),
        ("rsm_apb", "      prdata_o  <= '0;\n", ""),
        ("rsm_apb", "= pstrb_i;", "= 4'hf;"),
    ],
)
def test_the_proofs_can_fail(name: str, right: str, wrong: str, tmp_path: Path) -> None:
    broken = change(source(name), right, wrong, tmp_path)
    refute(name, PROOFS[name], tmp_path, broken)
