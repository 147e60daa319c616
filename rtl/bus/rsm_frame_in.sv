// SPDX-License-Identifier: Apache-2.0
//
// Collects a frame of 32-bit words, the most significant word first.
//
// `valid_i` and `ready_o` move word 0; the others follow on consecutive cycles without a
// handshake. The whole frame stands at `data_o` until it is taken, and the next one may begin
// in the cycle after that. `busy_o` is high from the cycle after word 0 until the frame has been
// taken. `enable_i` low keeps a frame from beginning.
//
// Latency: Words cycles, from word 0 to the whole frame.
module rsm_frame_in #(
  parameter int unsigned Words = 4
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                clear_i,
  input  logic                enable_i,
  output logic                busy_o,
  input  logic                valid_i,
  output logic                ready_o,
  input  logic [31:0]         word_i,
  output logic                valid_o,
  input  logic                ready_i,
  output logic [32*Words-1:0] data_o
);

  localparam int unsigned CountWidth = $clog2(Words + 1);

  typedef logic [CountWidth-1:0] count_t;

  // Words that are here.
  count_t              count_q;
  logic                shift;
  logic [32*Words-1:0] data_q;

  assign busy_o  = (count_q != '0);
  assign ready_o = enable_i & ~busy_o;
  assign valid_o = (count_q == count_t'(Words));
  assign shift   = busy_o ? ~valid_o : (valid_i & ready_o);

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i)      count_q <= '0;
    else if (shift)              count_q <= count_q + count_t'(1);
    else if (valid_o && ready_i) count_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (clear_i)    data_q <= '0;
    else if (shift) data_q <= {data_q[32*Words-33:0], word_i};
  end

  assign data_o = data_q;

`ifdef RSM_ASSERT
  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      assert (32'(count_q) <= Words) else $error("rsm_frame_in: more words than a frame has");
    end
  end
`endif

endmodule
