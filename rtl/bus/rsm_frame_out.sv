// SPDX-License-Identifier: Apache-2.0
//
// Sends a block as a frame of four 32-bit words on consecutive cycles, the most significant word
// first. `valid_o` is high with word 0. Blocks must be at least four cycles apart.
//
// Latency: 1 cycle, from the block to word 0.
module rsm_frame_out (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         clear_i,
  output logic         busy_o,
  input  logic         valid_i,
  input  logic [127:0] block_i,
  output logic         valid_o,
  output logic [31:0]  word_o
);

  // Bit i is high while word i stands at the output; zeros follow the last word.
  logic [3:0]   word_q;
  logic [127:0] data_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) word_q <= '0;
    else                    word_q <= {word_q[2:0], valid_i};
  end

  always_ff @(posedge clk_i) begin
    if (clear_i)      data_q <= '0;
    else if (valid_i) data_q <= block_i;
    else              data_q <= {data_q[95:0], 32'h0};
  end

  assign busy_o  = (word_q != '0);
  assign valid_o = word_q[0];
  assign word_o  = data_q[127:96];

`ifdef RSM_ASSERT
  // A block comes only where the words of the one before it have left.
  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      assert (!valid_i || word_q[2:0] == '0) else $error("rsm_frame_out: a block is cut off");
    end
  end
`endif

endmodule
