// SPDX-License-Identifier: Apache-2.0
//
// The key schedule of AES-128, a word of 32 bits a cycle, through S-boxes that are lent to it
// (Chodowiec and Gaj 2003, 3.5, Fig. 8).
//
// `run_i` is high for the 44 cycles in which `word_o` is w[0] to w[43], `index_i` its number modulo
// 4, and `load_i` while that is w[0] to w[3]. Words of the key come on `key_i` a cycle before they
// are `word_o`, the first one in any cycle without `run_i`. `sub_i` is SubWord(RotWord(w[i-1])) in
// the cycle of a w[i] that needs it, and zero in every other one: then all sums are in place,
// and no multiplexer stands in front of a word. `wipe_i` makes all of it zero.
//
// Latency: 1 cycle from a word of the key to `word_o`.
module rsm_aes_compact_key (
  input  logic        clk_i,
  input  logic        wipe_i,
  input  logic        run_i,
  input  logic        load_i,
  input  logic [1:0]  index_i,
  input  logic [31:0] key_i,
  input  logic [31:0] sub_i,
  output logic [31:0] word_o
);

  logic             last;
  logic             again;
  // A word of the key, or the round constant; zero for all other words.
  logic [31:0]      enter_q;
  logic [7:0]       constant_q;
  // The words before this one, and the last of them where it counts as it is.
  logic [3:0][31:0] words_q;
  logic [31:0]      before_q;

  assign last   = (index_i == 2'd3);
  assign again  = run_i & ~load_i;
  assign word_o = words_q[3] ^ before_q ^ sub_i ^ enter_q;

  always_ff @(posedge clk_i) begin
    if (wipe_i || (again && !last)) enter_q[31:24] <= '0;
    else                            enter_q[31:24] <= (run_i & last) ? constant_q : key_i[31:24];
  end

  always_ff @(posedge clk_i) begin
    if (wipe_i || again || (run_i && last)) enter_q[23:0] <= '0;
    else                                    enter_q[23:0] <= key_i[23:0];
  end

  always_ff @(posedge clk_i) begin
    if (wipe_i || !run_i) words_q <= '0;
    else                  words_q <= {words_q[2:0], word_o};
  end

  always_ff @(posedge clk_i) begin
    if (wipe_i || !again || last) before_q <= '0;
    else                          before_q <= word_o;
  end

  always_ff @(posedge clk_i) begin
    if (!run_i)    constant_q <= 8'h01;
    else if (last) constant_q <= {constant_q[6:0], 1'b0} ^ (constant_q[7] ? 8'h1b : 8'h00);
  end

endmodule
