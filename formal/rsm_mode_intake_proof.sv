// SPDX-License-Identifier: Apache-2.0
//
// Each stream's beats wait in order, with the IV of their message and the first and last flags.
// Beats of a rejected message do not wait, and the end of a message without a last block is
// reported. No key passes while a block may need the key before it. A clear leaves nothing.
// Assumptions: reset in the first cycle only; one stream at a time pops a beat, and only one
// that waits; only an end that is there is reported. Data and IVs have 8 bits, then zeros.
// Parameters: none; 2 streams with 1 key slot each.
module rsm_mode_intake_proof import rsm_mode_pkg::*; (
  input logic clk_i, clear_i, pop_i,
  input logic [1:0] msg_valid_i, in_valid_i, chosen_i, next_i, reported_i,
  input msg_t [1:0] msg_i,
  input beat_t [1:0] in_i,
  input logic [3:0] key_slot_i
);
  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;
  logic rst_ni;
  assign rst_ni = started_q;

  logic [1:0] idle, msg_ready, in_ready, key_open, waits, ends, ends_refused;
  logic [1:0][3:0] slot;
  block_t text, iv;
  logic first, last;

  rsm_mode_intake #(.Streams(2), .Slots(1)) dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .msg_valid_i, .msg_ready_o(msg_ready), .msg_i,
    .in_valid_i, .in_ready_o(in_ready), .in_i, .key_slot_i, .key_open_o(key_open),
    .waits_o(waits), .slot_o(slot), .chosen_i, .next_i, .pop_i, .text_o(text), .iv_o(iv),
    .first_o(first), .last_o(last), .end_o(ends), .end_refused_o(ends_refused), .reported_i
  );

  logic [1:0] begins, moves, bad, good, pops, taken, beat;
  logic [1:0] open_q, refused_q, fresh_q, end_q, end_refused_q;
  logic [1:0][3:0] count_q, words, slot_q;
  logic [1:0][2:0][9:0] word_q;
  logic [1:0][7:0] iv_q;
  logic [1:0][3:0] write, read, inner_refused, inner_end, inner_end_refused, blocked;
  assign words             = {4'(dut.gen_stream[1].words_q), 4'(dut.gen_stream[0].words_q)};
  assign write             = {4'(dut.gen_stream[1].write_q), 4'(dut.gen_stream[0].write_q)};
  assign read              = {4'(dut.gen_stream[1].read_q), 4'(dut.gen_stream[0].read_q)};
  assign inner_refused     = {4'(dut.gen_stream[1].refused_q), 4'(dut.gen_stream[0].refused_q)};
  assign inner_end_refused = {4'(dut.gen_stream[1].end_refused_q),
                              4'(dut.gen_stream[0].end_refused_q)};
  assign blocked           = {4'(dut.gen_stream[1].blocks_q), 4'(dut.gen_stream[0].blocks_q)};
  assign inner_end         = {4'(ends[1]), 4'(ends[0])};
  assign taken = dut.taken_q;
  assign beat  = taken & {2{~dut.head_q}};

  assign begins = msg_valid_i & msg_ready;
  assign moves  = in_valid_i & in_ready;
  assign pops   = next_i & {2{pop_i}};

  always_comb begin
    for (int i = 0; i < 2; i++) begin
      bad[i]  = in_i[i].part != PartText || (in_i[i].keep[15] && !in_i[i].keep[0]);
      good[i] = moves[i] && !refused_q[i] && !bad[i] && in_i[i].keep[15];
    end
  end

  always_ff @(posedge clk_i) begin
    for (int i = 0; i < 2; i++) begin
      if (pops[i]) word_q[i][1:0] <= word_q[i][2:1];
      if (good[i]) begin
        word_q[i][2'(count_q[i]) - 2'(pops[i])] <= {fresh_q[i], in_i[i].last, in_i[i].data[7:0]};
      end
      if (begins[i]) begin
        refused_q[i] <= msg_i[i].decrypt || msg_i[i].slot != '0;
        fresh_q[i]   <= 1'b1;
        iv_q[i]      <= msg_i[i].iv[7:0];
        slot_q[i]    <= msg_i[i].slot;
      end
      if (moves[i]) refused_q[i] <= refused_q[i] || bad[i];
      if (good[i])  fresh_q[i]   <= 1'b0;
      if (!rst_ni || clear_i) begin
        {count_q[i], open_q[i], end_q[i]} <= '0;
      end else begin
        count_q[i] <= count_q[i] + 4'(good[i]) - 4'(pops[i]);
        if (begins[i])                  open_q[i] <= 1'b1;
        if (moves[i] && in_i[i].last)   open_q[i] <= 1'b0;
        if (reported_i[i])              end_q[i]  <= 1'b0;
        if (moves[i] && in_i[i].last && !good[i]) begin
          end_q[i]         <= 1'b1;
          end_refused_q[i] <= refused_q[i] || bad[i];
        end
      end
    end
  end

  always_comb begin
    for (int i = 0; i < 2; i++) begin
      assume (msg_i[i].iv[127:8] == '0 && in_i[i].data[127:8] == '0);
    end
    assume ((next_i & (next_i - 2'd1)) == '0);
    if (pop_i) assume ((next_i & waits) != '0);
    assume ((reported_i & ~ends) == '0);
    if (started_q) begin
      for (int i = 0; i < 2; i++) begin
        // Beats come after their message header, and the next header after the end of the message.
        if (in_ready[i])  assert (open_q[i] && !msg_ready[i]);
        if (msg_ready[i]) assert (!open_q[i] && count_q[i] == '0 && !end_q[i]);
        // No key passes while a block may need the key before it.
        if (open_q[i] || count_q[i] != '0) begin
          assert (!key_open[i] || key_slot_i != slot_q[i]);
        end
        // The waiting beats are those accepted, in order; no rejected beat waits.
        assert (waits[i] == (count_q[i] > 4'(beat[i] && dut.writes[i])));
        if (pops[i]) begin
          assert ({first, last, text} == {word_q[i][0][9:8], 120'd0, word_q[i][0][7:0]});
          if (first) assert (iv == {120'd0, iv_q[i]});
        end
        if (ends[i]) assert (end_q[i] && ends_refused[i] == end_refused_q[i]);
        if (end_q[i]) assert (ends[i] || beat[i]);
        // Inside: open messages, flags and counters; the words and the IV in the memories.
        assert (dut.active_q[i] == open_q[i]);
        assert (count_q[i] <= 4'd2 && count_q[i] == words[i] + 4'(dut.writes[i]));
        assert (slot[i] == slot_q[i] || !open_q[i] && count_q[i] == '0);
        if (open_q[i] || beat[i]) begin
          assert (refused_q[i] == (inner_refused[i][0] || (beat[i] && dut.bad)));
          assert (fresh_q[i] == !(dut.begun_q[i] || dut.writes[i]));
        end
        if (beat[i] && !dut.writes[i] && dut.last_q) begin
          assert (end_q[i] && !open_q[i] && end_refused_q[i] == (inner_refused[i][0] || dut.bad));
        end
        if (end_q[i]) assert (!open_q[i]);
        if (end_q[i] && !inner_end[i][0]) assert (beat[i] && !dut.writes[i] && dut.last_q);
        if (inner_end[i][0]) assert (end_q[i] && inner_end_refused[i][0] == end_refused_q[i]);
        if (taken[i] && dut.head_q) begin
          assert (open_q[i] && count_q[i] == '0 && fresh_q[i] && dut.data_q == 128'(iv_q[i]));
          assert (!end_q[i]);
        end
        if (dut.writes[i]) begin
          assert ({~dut.begun_q[i], dut.last_q, dut.data_q[7:0]} == word_q[i][2'(words[i])]);
          assert (dut.data_q[127:8] == '0);
        end
        if (beat[i] && dut.last_q) assert (!open_q[i]);
        assert (write[i][0] == (read[i][0] ^ words[i][0]));
        for (int k = 0; k < 2; k++) begin
          if (4'(k) < words[i]) begin
            assert ({dut.texts_q[2*i + 32'(read[i][0] ^ (k == 1))]} ==
                    {word_q[i][k][9:8], 120'd0, word_q[i][k][7:0]});
            if (word_q[i][k][9]) assert (dut.ivs_q[i] == 128'(iv_q[i]));
          end
        end
        if ((open_q[i] && fresh_q[i] && !(taken[i] && dut.head_q)) ||
            (dut.writes[i] && !dut.begun_q[i])) begin
          assert (dut.ivs_q[i] == 128'(iv_q[i]));
        end
        // Inside: there is a place for the beat or header of the stream that is asked.
        if (dut.wants_q[i] || dut.take_q[i] || dut.begin_q[i]) begin
          assert (4'(dut.wants_q[i]) + 4'(dut.take_q[i]) + 4'(dut.begin_q[i]) == 4'd1);
          assert (!end_q[i]);
          if (open_q[i]) assert (!dut.begin_q[i] && words[i] + 4'(taken[i]) <= 4'd1);
          else assert (!dut.take_q[i] && words[i] == '0 && !taken[i]);
        end
        if (words[i] != '0 || beat[i]) assert (open_q[i] || blocked[i][0]);
      end
      assert ((taken & (taken - 2'd1)) == '0);
      assert (({dut.take_q, dut.begin_q} & ({dut.take_q, dut.begin_q} - 4'd1)) == '0);
      if (dut.clearing_q) begin
        assert ({dut.wants_q, dut.take_q, dut.begin_q, taken} == '0 && dut.data_q == '0);
        for (int k = 0; k < 4; k++) begin
          if (k < 32'(dut.sweep_q)) begin
            assert (dut.texts_q[k][127:0] == '0 && dut.ivs_q[k/2] == '0);
          end
        end
        assert (open_q == '0 && count_q == '0 && end_q == '0);
      end
    end
  end
endmodule
