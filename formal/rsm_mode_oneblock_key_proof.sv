// SPDX-License-Identifier: Apache-2.0
//
// All blocks of a message go to the core under one key, in each mode with a module
// rsm_mode_*_oneblock.
// Assumptions: reset in the first cycle only; keys load in any cycle in which the mode is open
// for them, also in the cycle in which a message begins. The core accepts blocks and gives
// results in any cycle.
// Parameters: Mode 0 to 10, in the order of the constants below.
module rsm_mode_oneblock_key_proof import rsm_mode_pkg::*; #(
  parameter int unsigned Mode = 0
) (
  input logic clk_i, clear_i, msg_valid_i, in_valid_i, out_ready_i, key_valid_i,
  input logic core_idle_i, core_in_ready_i, core_out_valid_i,
  input msg_t msg_i,
  input beat_t in_i,
  input core_rsp_t core_out_i
);
  localparam int unsigned Ecb = 0, Cbc = 1, Cfb = 2, Ofb = 3, Ctr = 4, CbcMac = 5, Cmac = 6,
                          Ccm = 7, Xts = 8, Ocb = 9, Gcm = 10;

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  // The other ports of a mode, under their names.
  logic idle_o, msg_ready_o, in_ready_o, out_valid_o, key_open_o, core_in_valid_o;
  answer_t out_o;
  core_req_t core_in_o;
  key_t key_i;
  assign key_i = '{loaded: key_valid_i & key_open_o, slot: '0};

  // active: the mode has a message. between: it encrypts a block outside messages.
  logic active, between;

  if (Mode == Ecb) begin : gen_ecb
    rsm_mode_ecb_oneblock dut (.*);
    assign active = dut.u_through.active_q;
  end else if (Mode == Cbc) begin : gen_cbc
    rsm_mode_cbc_oneblock dut (.*);
    assign active = dut.u_through.active_q;
  end else if (Mode == Cfb) begin : gen_cfb
    rsm_mode_cfb_oneblock dut (.*);
    assign active = dut.u_ahead.active_q;
  end else if (Mode == Ofb) begin : gen_ofb
    rsm_mode_ofb_oneblock dut (.*);
    assign active = dut.u_ahead.active_q;
  end else if (Mode == Ctr) begin : gen_ctr
    rsm_mode_ctr_oneblock dut (.*);
    assign active = dut.u_ahead.active_q;
  end else if (Mode == CbcMac) begin : gen_cbc_mac
    rsm_mode_cbc_mac_oneblock dut (.*);
    assign active = dut.u_cmac.state_q != 3'd0;
  end else if (Mode == Cmac) begin : gen_cmac
    rsm_mode_cmac_oneblock dut (.*);
    assign active = dut.state_q != 3'd0;
  end else if (Mode == Ccm) begin : gen_ccm
    rsm_mode_ccm_oneblock dut (.*);
    assign active = dut.state_q != 4'd0;
  end else if (Mode == Xts) begin : gen_xts
    rsm_mode_xts_oneblock dut (.*);
    assign active = dut.state_q != 3'd0;
  end else if (Mode == Ocb) begin : gen_ocb
    rsm_mode_ocb_oneblock dut (.*);
    assign active = dut.state_q != 4'd0;
  end else if (Mode == Gcm) begin : gen_gcm
    rsm_mode_gcm_oneblock dut (.*);
    assign active = dut.state_q > 4'd1;
  end else begin : gen_none
    $error("rsm_mode_oneblock_key_proof: Mode must be 0 to 10");
  end

  // GCM encrypts zero under a new key, for H, in its state 1.
  if (Mode == Gcm) begin : gen_between
    assign between = gen_gcm.dut.state_q == 4'd1;
  end else begin : gen_messages_only
    assign between = 1'b0;
  end

  logic begins, enters;
  assign begins = (msg_valid_i & msg_ready_o) | between;
  assign enters = core_in_valid_o & core_in_ready_i;

  // A block of the message has entered, and a key has come since or with it.
  logic entered_q, changed_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      {entered_q, changed_q} <= '0;
    end else begin
      entered_q <= enters | (entered_q & ~begins);
      changed_q <= begins ? key_i.loaded & enters
                          : changed_q | (key_i.loaded & (entered_q | enters));
    end
  end

  always_comb begin
    if (started_q) begin
      assert (!(enters && !begins && changed_q));
      assert (!changed_q || !active);
    end
  end
endmodule
