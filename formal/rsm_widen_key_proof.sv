// SPDX-License-Identifier: Apache-2.0
//
// A key enters the core as consecutive beats, whole and in order. Blocks pass unchanged.
// Assumptions: reset in the first cycle only; the core is not ready for a key while beats enter.
// Parameters: keys of 192 bits that are held in the core, and of 256 bits with the block.
module rsm_widen_key_proof import rsm_port_pkg::*; #(
  parameter int unsigned Width    = 32,
  parameter int unsigned KeyWidth = 192,
  parameter bit          Held     = 1'b1
) (
  input logic clk_i, clear_i, key_valid_i, in_valid_i, core_key_ready_i, core_in_ready_i,
  input logic [KeyWidth-1:0] key_i, in_key_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  localparam int unsigned Beats = KeyWidth / Width;
  localparam channel_e    Channel = Held ? ChannelHeld : ChannelWithBlock;

  logic key_ready, in_ready, core_key_valid, core_valid;
  logic [Width-1:0] core_key, core_in_key;

  rsm_widen_key #(.Width(Width), .KeyWidth(KeyWidth), .Channel(Channel)) dut (
    .clk_i, .rst_ni, .clear_i, .key_valid_i, .key_ready_o(key_ready), .key_i, .in_valid_i,
    .in_ready_o(in_ready), .in_key_i, .core_key_valid_o(core_key_valid), .core_key_ready_i,
    .core_key_o(core_key), .core_in_valid_o(core_valid), .core_in_ready_i,
    .core_in_key_o(core_in_key)
  );

  // The number of the next beat, 0 for none, and the key.
  logic accept, begins;
  logic [3:0] sent_q;
  logic [KeyWidth-1:0] key_q;
  assign accept = Held ? key_valid_i & key_ready : in_valid_i & in_ready;
  assign begins = Held ? core_key_valid & core_key_ready_i : core_valid & core_in_ready_i;
  always_ff @(posedge clk_i) begin
    if (accept) key_q <= Held ? key_i : in_key_i;
    if (!rst_ni || clear_i)            sent_q <= '0;
    else if (32'(sent_q) == Beats - 1) sent_q <= '0;
    else                               sent_q <= sent_q + 4'(accept | (sent_q != '0));
  end

  logic [Width-1:0] beat;
  assign beat = Held ? core_key : core_in_key;

  always_comb begin
    if (sent_q != '0 && Held) assume (!core_key_ready_i);
    if (sent_q != '0 && !Held) assume (!core_in_ready_i);
    if (started_q) begin
      // An accepted key enters the core. Blocks pass. A core without a key channel gets no key.
      assert (accept == begins && in_ready == core_in_ready_i && core_valid == in_valid_i);
      if (!Held) assert (!key_ready && !core_key_valid);
      // The beats of a key are consecutive.
      if (accept && Held) assert (beat == key_i[KeyWidth-1 -: Width]);
      if (accept && !Held) assert (beat == in_key_i[KeyWidth-1 -: Width]);
      assert (32'(sent_q) < Beats && 4'(dut.send_q) == sent_q);
      for (int unsigned i = 1; i < Beats; i++) begin
        if (32'(sent_q) == i) begin
          assert (beat == key_q[KeyWidth-1 - Width*i -: Width]);
          assert (dut.rest_q == (KeyWidth-Width)'(key_q << Width*(i-1)));
        end
      end
    end
  end
endmodule
