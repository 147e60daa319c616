// SPDX-License-Identifier: Apache-2.0
//
// Every frame of a key or a block reaches the core whole and once. A block enters under the
// keys that came before it and no other, in its direction. Results leave whole.
// Assumptions: reset in the first cycle only; the core accepts keys and blocks in any cycle, and
// its results are at least four cycles apart.
// Parameters: none.
module rsm_channels32_proof (
  input logic clk_i, clear_i, key_valid_i, in_valid_i, in_decrypt_i, core_idle_i,
  input logic core_key_ready_i, core_in_ready_i, core_out_valid_i,
  input logic [31:0] key_i, in_block_i,
  input logic [127:0] core_out_block_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic idle, key_ready, in_ready, out_valid, core_key_valid, core_valid, core_decrypt;
  logic [31:0] out_block;
  logic [127:0] core_key, core_block;

  rsm_channels32 dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .key_valid_i, .key_ready_o(key_ready), .key_i,
    .in_valid_i, .in_ready_o(in_ready), .in_block_i, .in_decrypt_i, .out_valid_o(out_valid),
    .out_block_o(out_block), .core_idle_i, .core_key_valid_o(core_key_valid), .core_key_ready_i,
    .core_key_o(core_key), .core_in_valid_o(core_valid), .core_in_ready_i,
    .core_in_block_o(core_block), .core_in_decrypt_o(core_decrypt), .core_out_valid_i,
    .core_out_block_i
  );

  logic key_begins, key_goes, begins, goes;
  assign key_begins = key_valid_i & key_ready;
  assign key_goes   = core_key_valid & core_key_ready_i;
  assign begins     = in_valid_i & in_ready;
  assign goes       = core_valid & core_in_ready_i;

  // Counters of frames that have begun and of frames that have entered the core; words of the
  // frame in the block; the direction of a block and the number of keys before it.
  logic [3:0] keys_q, keys_gone_q, blocks_q, blocks_gone_q, under_q;
  logic [2:0] key_words_q, words_q, shown_q;
  logic [3:0][31:0] key_q, block_q;
  logic decrypt_q;
  logic [127:0] result_q;
  // The directions in which the core has been ready since its last key.
  logic [1:0] usable_q, usable;
  always_comb begin
    usable = usable_q;
    if (core_in_ready_i) usable[core_decrypt] = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (begins) {decrypt_q, under_q} <= {in_decrypt_i, keys_q};
    for (int unsigned i = 0; i < 4; i++) begin
      if (32'(key_words_q) == i) key_q[3-i] <= key_i;
      if (32'(words_q) == i) block_q[3-i] <= in_block_i;
    end
    if (core_out_valid_i) result_q <= core_out_block_i;
    if (!rst_ni || clear_i) begin
      {keys_q, keys_gone_q, blocks_q, blocks_gone_q, key_words_q, words_q, usable_q} <= '0;
      shown_q <= 3'd4;
    end else begin
      keys_q        <= keys_q + 4'(key_begins);
      keys_gone_q   <= keys_gone_q + 4'(key_goes);
      blocks_q      <= blocks_q + 4'(begins);
      blocks_gone_q <= blocks_gone_q + 4'(goes);
      usable_q      <= key_goes ? 2'b00 : usable;
      if (key_goes)                 key_words_q <= '0;
      else if (key_words_q != 3'd4) key_words_q <= key_words_q + 3'(key_begins | key_words_q != '0);
      if (goes)                     words_q <= '0;
      else if (words_q != 3'd4)     words_q <= words_q + 3'(begins | words_q != '0);
      if (core_out_valid_i)         shown_q <= 3'd0;
      else if (shown_q != 3'd4)     shown_q <= shown_q + 3'd1;
    end
  end

  logic key_held_q, held_q;
  always_ff @(posedge clk_i) begin
    key_held_q <= rst_ni & ~clear_i & core_key_valid & ~core_key_ready_i;
    held_q     <= rst_ni & ~clear_i & core_valid & ~core_in_ready_i;
  end

  always_comb begin
    if (shown_q < 3'd3) assume (!core_out_valid_i);
    if (started_q) begin
      // Every frame enters the core, whole and once.
      assert (keys_q - keys_gone_q == 4'(key_words_q != '0));
      assert (blocks_q - blocks_gone_q == 4'(words_q != '0));
      if (core_key_valid) assert (key_words_q == 3'd4 && core_key == key_q);
      if (core_valid) assert (words_q == 3'd4 && core_block == block_q);
      if (core_valid) assert (core_decrypt == decrypt_q);
      // A waiting key or block stays.
      if (key_held_q) assert (core_key_valid);
      if (held_q) assert (core_valid);
      // A block enters under the keys that came before it, and no other.
      if (words_q != '0) assert (under_q == keys_gone_q);
      if (core_valid) assert (!key_goes);
      // After a key no block begins until the core can use the key in the direction of the block.
      if (begins) assert (keys_q == keys_gone_q && usable[in_decrypt_i]);
      if (key_begins) assert (words_q == '0 && key_words_q == '0);
      // Results leave word by word, and nothing else does.
      assert (out_valid == (shown_q == '0));
      for (int unsigned i = 0; i < 4; i++) begin
        if (32'(shown_q) == i) assert (out_block == result_q[127 - 32*i -: 32]);
      end
      assert (idle == (core_idle_i && words_q == '0 && key_words_q == '0 && shown_q == 3'd4));
      // Inside.
      assert (words_q <= 3'd4 && key_words_q <= 3'd4 && shown_q <= 3'd4);
      assert (dut.u_in.count_q == words_q && dut.u_key.count_q == key_words_q);
      assert (dut.usable_q == usable_q);
      if (words_q != '0) assert (dut.decrypt_q == decrypt_q);
      for (int unsigned i = 0; i < 4; i++) begin
        assert (dut.u_out.word_q[i] == (32'(shown_q) == i));
        if (32'(shown_q) == i) assert (dut.u_out.data_q == result_q << 32*i);
        for (int unsigned j = 0; j <= i; j++) begin
          if (32'(words_q) == i + 1) assert (core_block[32*(i-j) +: 32] == block_q[3-j]);
          if (32'(key_words_q) == i + 1) assert (core_key[32*(i-j) +: 32] == key_q[3-j]);
        end
      end
    end
  end
endmodule
