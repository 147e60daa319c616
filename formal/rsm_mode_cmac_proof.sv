// SPDX-License-Identifier: Apache-2.0
//
// The CMAC subkeys are derived from the encryption of zero under the key in force.
// Assumptions: reset in the first cycle only; keys load only while the mode is open for them, and
// the core answers only while it holds a block, with any result after any delay.
// Parameters: defaults; one key slot is used.
module rsm_mode_cmac_proof import rsm_mode_pkg::*; (
  input logic clk_i, clear_i, msg_valid_i, in_valid_i, out_ready_i, key_valid_i,
  input logic core_idle_i, core_in_ready_i, core_done_i,
  input msg_t msg_i,
  input beat_t in_i,
  input core_rsp_t core_out_i
);

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic key_open, core_in_valid, core_out_valid;
  key_t key;
  core_req_t core_in;

  rsm_mode_cmac dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(), .msg_valid_i, .msg_ready_o(), .msg_i, .in_valid_i,
    .in_ready_o(), .in_i, .out_valid_o(), .out_ready_i, .out_o(), .key_i(key),
    .key_open_o(key_open), .core_idle_i, .core_in_valid_o(core_in_valid), .core_in_ready_i,
    .core_in_o(core_in), .core_out_valid_i(core_out_valid), .core_out_ready_o(), .core_out_i
  );

  // The core has a block; zero was sent to it under this key, and its result has come.
  logic busy_q, asked_q, known_q;
  block_t zero_q;
  assign key            = '{loaded: key_valid_i & key_open & rst_ni & ~clear_i, slot: '0};
  assign core_out_valid = busy_q & core_done_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      {busy_q, asked_q, known_q} <= '0;
    end else begin
      busy_q  <= (core_in_valid & core_in_ready_i) | (busy_q & ~core_done_i);
      asked_q <= ~key.loaded & (asked_q | (core_in_valid & core_in_ready_i));
      known_q <= ~key.loaded & (known_q | (asked_q & core_out_valid));
    end
    if (core_out_valid && asked_q && !known_q) zero_q <= core_out_i.block;
  end

  // States: 0 idle; 1 and 2 encrypt zero; 3 to 5 process the message; 6 and 7 answer or reject it.
  always_comb begin
    assume (msg_i.slot == '0);
    if (started_q) begin
      if (core_in_valid && !asked_q) assert (core_in.block == '0);
      assert (!known_q || asked_q);
      assert (dut.state_q == 3'd2 || dut.keyed_q[0] == known_q);
      assert (!known_q || dut.keys_q[0] == zero_q);
      assert (dut.state_q != 3'd1 || !asked_q);
      assert ((dut.state_q == 3'd2) == (asked_q && !known_q));
      if (dut.state_q >= 3'd3 && dut.state_q <= 3'd5) assert (dut.keyed_q[0]);
      assert (busy_q == (dut.state_q == 3'd2 || dut.state_q == 3'd4));
      assert (dut.state_q == 3'd0 ? !dut.clearing_q || !known_q
                                  : !dut.clearing_q && dut.slot_q == '0);
    end
  end
endmodule
