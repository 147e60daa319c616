// SPDX-License-Identifier: Apache-2.0
//
// Each transfer of each stream leaves once and unchanged, with the number of its stream. A
// waiting output stays, and no stream is served twice while another one waits.
// Assumptions: reset in the first cycle only, no clear; a waiting input transfer stays as it is.
// Parameters: none; 3 streams.
module rsm_stream_merge_proof (
  input logic clk_i, out_ready_i,
  input logic [2:0] in_valid_i, in_keep_i, in_last_i,
  input logic [2:0][7:0] in_data_i,
  input logic [2:0][3:0] in_user_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic out_valid, out_keep, out_last;
  logic [2:0] in_ready;
  logic [7:0] out_data;
  logic [3:0] out_user;
  logic [1:0] out_tid;

  rsm_stream_merge #(.Streams(3), .Width(8)) dut (
    .clk_i, .rst_ni, .clear_i(1'b0), .in_tvalid_i(in_valid_i), .in_tready_o(in_ready),
    .in_tdata_i(in_data_i), .in_tkeep_i(in_keep_i), .in_tlast_i(in_last_i),
    .in_tuser_i(in_user_i), .out_tvalid_o(out_valid), .out_tready_i(out_ready_i),
    .out_tdata_o(out_data), .out_tkeep_o(out_keep), .out_tlast_o(out_last),
    .out_tuser_o(out_user), .out_tid_o(out_tid)
  );

  logic [2:0] taken, in_held_q;
  logic [2:0][13:0] in_is, in_was_q;
  logic [15:0] out_is, out_was_q;
  logic out_held_q;
  // passed_q[i][j]: stream j was served while stream i waited.
  logic [2:0][2:0] passed_q;
  assign taken  = in_valid_i & in_ready;
  assign out_is = {out_data, out_keep, out_last, out_user, out_tid};
  always_comb begin
    for (int i = 0; i < 3; i++)
      in_is[i] = {in_data_i[i], in_keep_i[i], in_last_i[i], in_user_i[i]};
  end

  always_ff @(posedge clk_i) begin
    in_held_q  <= in_valid_i & ~in_ready & {3{rst_ni}};
    in_was_q   <= in_is;
    out_held_q <= rst_ni & out_valid & ~out_ready_i;
    out_was_q  <= out_is;
    for (int i = 0; i < 3; i++) begin
      if (!rst_ni || !in_valid_i[i] || taken[i]) passed_q[i] <= '0;
      else passed_q[i] <= passed_q[i] | taken;
    end
  end

  // The number of streams before this one in turn; a held transfer has the first turn.
  function automatic logic [1:0] ahead(int unsigned stream);
    return 2'((stream + 2 + 32'(dut.held_q) - 32'(dut.last_q)) % 3);
  endfunction

  always_comb begin
    for (int i = 0; i < 3; i++) begin
      if (in_held_q[i]) assume (in_valid_i[i] && in_is[i] == in_was_q[i]);
    end
    if (started_q) begin
      assert (dut.last_q != 2'd3 && dut.held_q == out_held_q);
      assert (!dut.held_q || (in_valid_i[dut.last_q] && out_was_q[1:0] == dut.last_q
                              && in_is[dut.last_q] == out_was_q[15:2]));
      assert (out_valid == |in_valid_i);
      // A transfer is taken when it leaves, and only one is.
      assert ((|taken) == (out_valid & out_ready_i) && $countones(taken) <= 1);
      if (!out_valid) assert (out_is == '0);
      if (out_held_q) assert (out_valid && out_is == out_was_q);
      for (int i = 0; i < 3; i++) begin
        if (taken[i]) assert (out_is == {in_is[i], 2'(i)});
        for (int j = 0; j < 3; j++) begin
          // No stream is served twice while another one waits.
          if (passed_q[i][j]) assert (in_valid_i[i] && !taken[j] && ahead(i) < ahead(j));
        end
      end
    end
  end
endmodule
