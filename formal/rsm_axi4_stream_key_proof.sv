// SPDX-License-Identifier: Apache-2.0
//
// Each packet ends in one key, with its bytes in order, its length and its slot, or it is
// rejected and reported. Zeros follow a short key. Nothing of a past key stays.
// Assumptions: reset in the first cycle only; all inputs are free.
// Parameters: one key length, the longest of two, two lengths and all three; 1 and 3 slots.
module rsm_axi4_stream_key_proof #(
  parameter int unsigned KeyWidth = 128,
  parameter logic [2:0]  Lengths  = 3'b001,
  parameter int unsigned KeySlots = 1
) (
  input logic clk_i, clear_i, hold_i, tvalid_i, tlast_i, key_ready_i,
  input logic [31:0] tdata_i,
  input logic [3:0] tid_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  localparam int unsigned Words = KeyWidth / 32;

  logic idle, refused, tready, valid;
  logic [KeyWidth-1:0] key;
  logic [1:0] len;
  logic [3:0] slot;

  rsm_axi4_stream_key #(.KeyWidth(KeyWidth), .Lengths(Lengths), .KeySlots(KeySlots)) dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .refused_o(refused), .hold_i, .tvalid_i,
    .tready_o(tready), .tdata_i, .tlast_i, .tid_i, .key_valid_o(valid), .key_ready_i,
    .key_o(key), .key_len_o(len), .key_slot_o(slot)
  );

  // Words of the packet or of the complete key, and zero words that follow it.
  logic [3:0] words_q, age_q, after;
  logic here_q, taken, given, legal, refused_q;
  logic [1:0] len_q;
  logic [3:0] slot_q;
  assign taken = tvalid_i & tready;
  assign given = valid & key_ready_i;
  assign after = words_q + 4'd1;
  assign legal = (32'(tid_i) < KeySlots) && 32'(after) <= Words
    && ((after == 4'd4 && Lengths[0]) || (after == 4'd6 && Lengths[1])
        || (after == 4'd8 && Lengths[2]));

  // The followed byte; counters of packets, of given keys and of reported rejections.
  logic [4:0] followed_q;
  logic [7:0] byte_q;
  logic [3:0] ended_q, given_q, refusals_q;
  always_ff @(posedge clk_i) begin
    followed_q <= followed_q;
    refused_q  <= rst_ni & ~clear_i & taken & tlast_i & ~legal;
    if (taken && words_q == {1'b0, followed_q[4:2]}) byte_q <= tdata_i[8*followed_q[1:0] +: 8];
    if (taken && tlast_i) {len_q, slot_q} <= {after[3], after == 4'd6, tid_i};
    if (!rst_ni || clear_i) begin
      {words_q, age_q, here_q, ended_q, given_q, refusals_q} <= '0;
    end else begin
      ended_q    <= ended_q + 4'(taken & tlast_i);
      given_q    <= given_q + 4'(given);
      refusals_q <= refusals_q + 4'(refused);
      if (given || (taken && tlast_i && !legal)) begin
        {words_q, age_q, here_q} <= '0;
      end else if (taken) begin
        words_q <= (words_q == 4'd9) ? 4'd9 : after;
        here_q  <= tlast_i;
      end else if (here_q && 32'(words_q + age_q) < Words) begin
        age_q <= age_q + 4'd1;
      end
    end
  end

  logic held_q;
  logic [KeyWidth+5:0] was_q;
  always_ff @(posedge clk_i) begin
    held_q <= rst_ni & ~clear_i & valid & ~key_ready_i;
    was_q  <= {key, len, slot};
  end

  logic [3:0] total;
  assign total = words_q + age_q;

  always_comb begin
    if (started_q) begin
      // A packet ends in one key, or is rejected and reported in the next cycle.
      assert (ended_q - given_q - refusals_q == 4'(here_q) + 4'(refused));
      assert (refused == refused_q);
      assert (valid == (here_q && 32'(total) == Words));
      assert (tready == (!here_q && !(hold_i && words_q == '0)));
      assert (idle == (words_q == '0));
      if (held_q) assert (valid && {key, len, slot} == was_q);
      // A key at the output has its bytes at the left, then zeros.
      if (valid) begin
        assert (len == len_q && slot == slot_q && 32'(slot_q) < KeySlots && Lengths[len_q]);
        assert (words_q == 4'd4 + {1'b0, len_q, 1'b0});
        for (int unsigned i = 0; i < KeyWidth / 8; i++) begin
          if (i >= 4 * 32'(words_q)) assert (key[KeyWidth-1 - 8*i -: 8] == '0);
          else if (i == 32'(followed_q)) assert (key[KeyWidth-1 - 8*i -: 8] == byte_q);
        end
      end
      // Between packets nothing of a past key is left.
      if (words_q == '0) assert (key == '0);
      // Inside: the words so far are at the right, and nothing else is.
      assert (words_q <= 4'd9 && (!here_q || 32'(total) <= Words) && (here_q || age_q == '0));
      if (here_q) assert (len == len_q && slot == slot_q && Lengths[len_q]);
      if (here_q) assert (words_q == 4'd4 + {1'b0, len_q, 1'b0} && 32'(slot_q) < KeySlots);
      assert (2'(dut.state_q) == (!here_q ? 2'd0 : valid ? 2'd2 : 2'd1));
      for (int unsigned i = 0; i < Words; i++) begin
        assert (dut.here_q[i] == (i < 32'(total)));
        if (i < 32'(age_q) || i >= 32'(total)) assert (key[32*i +: 32] == '0);
        for (int unsigned j = 0; j <= i; j++) begin
          if (32'(total) == i + 1 && 32'(followed_q[4:2]) == j && j < 32'(words_q)) begin
            assert (key[32*(i - j) + 8*(3 - 32'(followed_q[1:0])) +: 8] == byte_q);
          end
        end
      end
    end
  end
endmodule
