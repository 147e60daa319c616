// SPDX-License-Identifier: Apache-2.0
//
// Several streams to one AXI4-Stream, transfer by transfer in turn: the one after the last one
// that was served goes first, so no stream waits for more than one transfer of each other. `TID` is
// the number of the stream.
//
// A transfer that is offered stays until it is taken, whatever else comes meanwhile. Where there
// is none, zeros stand at the output.
//
// Latency: 0.
module rsm_stream_merge #(
  parameter int unsigned Streams  = 2,
  parameter int unsigned Width    = 128,  // of TDATA
  parameter int unsigned TidWidth = (Streams > 1) ? $clog2(Streams) : 1
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic                            clear_i,
  input  logic [Streams-1:0]              in_tvalid_i,
  output logic [Streams-1:0]              in_tready_o,
  input  logic [Streams-1:0][Width-1:0]   in_tdata_i,
  input  logic [Streams-1:0][Width/8-1:0] in_tkeep_i,
  input  logic [Streams-1:0]              in_tlast_i,
  input  logic [Streams-1:0][3:0]         in_tuser_i,
  output logic                            out_tvalid_o,
  input  logic                            out_tready_i,
  output logic [Width-1:0]                out_tdata_o,
  output logic [Width/8-1:0]              out_tkeep_o,
  output logic                            out_tlast_o,
  output logic [3:0]                      out_tuser_o,
  output logic [TidWidth-1:0]             out_tid_o
);

  typedef logic [TidWidth-1:0] tid_t;

  tid_t               last_q;  // whose transfer was offered last
  tid_t               turn, chosen;
  logic               held_q;  // it was not taken
  logic [Streams-1:0] given;

  // The first one that offers something after the last one, or else the first one of all.
  always_comb begin
    turn = '0;
    for (int unsigned i = Streams; i > 0; i--) begin
      if (in_tvalid_i[i-1]) turn = tid_t'(i - 1);
    end
    for (int unsigned i = Streams; i > 0; i--) begin
      if (in_tvalid_i[i-1] && 32'(last_q) < i - 1) turn = tid_t'(i - 1);
    end
  end

  assign chosen       = held_q ? last_q : turn;
  assign out_tvalid_o = |in_tvalid_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      last_q <= '0;
      held_q <= 1'b0;
    end else begin
      if (out_tvalid_o) last_q <= chosen;
      held_q <= out_tvalid_o & ~out_tready_i;
    end
  end

  always_comb begin
    given = '0;
    {out_tdata_o, out_tkeep_o, out_tlast_o, out_tuser_o, out_tid_o} = '0;
    for (int unsigned i = 0; i < Streams; i++) begin
      if (in_tvalid_i[i] && chosen == tid_t'(i)) begin
        given[i]    = 1'b1;
        out_tdata_o = in_tdata_i[i];
        out_tkeep_o = in_tkeep_i[i];
        out_tlast_o = in_tlast_i[i];
        out_tuser_o = in_tuser_i[i];
        out_tid_o   = chosen;
      end
    end
  end

  assign in_tready_o = given & {Streams{out_tready_i}};

`ifdef RSM_ASSERT
  // One stream has the transfer, and one that is offered stays until it is taken.
  logic             waits_q;
  logic [Width-1:0] offered_q;

  always_ff @(posedge clk_i) begin
    waits_q   <= rst_ni & ~clear_i & out_tvalid_o & ~out_tready_i;
    offered_q <= out_tdata_o;
    if (rst_ni && !clear_i) begin
      assert ($onehot0(given)) else $error("rsm_stream_merge: two streams at once");
      assert (!waits_q || (out_tvalid_o && out_tdata_o == offered_q))
      else $error("rsm_stream_merge: an offered transfer changed");
    end
  end
`endif

endmodule
