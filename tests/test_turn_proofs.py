"""Streams that share a rigid core, proved by induction: whose turn it is, and what is his.

The core takes a block whenever it likes, and gives its result a fixed number of cycles later.
"""

from pathlib import Path

import pytest

from proofs import BEGIN, change, prove, refute, source
from roundsmith.paths import RTL

PACKAGE = RTL / "mode/rsm_mode_pkg.sv"

ROUND_ROBIN = (
    """
module proof #(parameter int unsigned Width = 3) (
  input logic clk_i, clear_i, take_i,
  input logic [Width-1:0] asks_i
);
"""
    + BEGIN
    + """
  logic [Width-1:0] given;

  rsm_round_robin #(.Width(Width)) dut (
    .clk_i, .rst_ni, .clear_i, .asks_i, .take_i, .given_o(given)
  );

  // passed_q[i][j]: i has asked ever since j had a turn.
  logic [Width-1:0][Width-1:0] passed_q;
  always_ff @(posedge clk_i) begin
    for (int i = 0; i < Width; i++) begin
      for (int j = 0; j < Width; j++) begin
        if (!rst_ni || clear_i || !asks_i[i] || (take_i && given[i])) passed_q[i][j] <= 1'b0;
        else if (take_i && given[j]) passed_q[i][j] <= 1'b1;
      end
    end
  end

  always_comb begin
    if (started_q) begin
      assert ((given & ~asks_i) == '0 && (given & (given - Width'(1))) == '0);
      assert ((given == '0) == (asks_i == '0));
      // Inside: the last ones are those after the one that was served.
      assert ((~dut.after_q & (~dut.after_q + Width'(1))) == '0);
      for (int i = 0; i < Width; i++) begin
        for (int j = 0; j < Width; j++) begin
          if (passed_q[i][j] && asks_i[i]) assert (!given[j]);
          if (passed_q[i][j]) begin
            assert ((dut.after_q[i] == dut.after_q[j]) ? i < j : dut.after_q[i]);
          end
        end
      end
    end
  end
endmodule
"""
)


def inside(name: str) -> str:
    """Return a register of the streams of `rsm_turns`, the first one at the right."""
    return "{" + ", ".join(f"4'(dut.gen_stream[{i}].{name})" for i in (2, 1, 0)) + "}"


TURNS = (
    """
module proof #(parameter int unsigned Latency = 5) (
  input logic clk_i, clear_i, core_in_ready_i,
  input logic [2:0] ready_i, left_i
);
"""
    + BEGIN
    + """
  logic load, next_due, next_soon, core_valid;
  logic [2:0] next, chosen, enter, flight, due;

  rsm_turns #(.Streams(3), .Latency(Latency), .Places(2)) dut (
    .clk_i, .rst_ni, .clear_i, .ready_i, .left_i, .load_o(load), .next_o(next),
    .next_due_o(next_due), .next_soon_o(next_soon), .chosen_o(chosen), .enter_o(enter),
    .flight_o(flight), .due_o(due), .core_in_valid_o(core_valid), .core_in_ready_i
  );

  // What entered, cycle by cycle; results that have not left; who was loaded last, and has entered
  // or has not; whose result was to come.
  logic [Latency-1:0][2:0] flown_q;
  logic [2:0][3:0] results_q, flying, places, left, rests;
  logic [2:0] loaded_q, soon_q, chosen_q;
  logic wait_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      {flown_q, results_q, wait_q, soon_q} <= '0;
    end else begin
      flown_q <= {flown_q[Latency-2:0], enter};
      for (int i = 0; i < 3; i++) begin
        results_q[i] <= results_q[i] + 4'(due[i]) - 4'(left_i[i]);
      end
      wait_q <= core_valid & ~core_in_ready_i;
      soon_q <= (load && next_soon) ? next : '0;
    end
    if (load) loaded_q <= next;
  end

  assign places = PLACES;
  assign left   = LEFT;
  assign rests  = RESTS;

  always_comb begin
    for (int i = 0; i < 3; i++) begin
      flying[i] = '0;
      for (int k = 0; k < Latency; k++) flying[i] += 4'(flown_q[k][i]);
      if (left_i[i]) assume (results_q[i] != '0);
    end
    if (started_q) begin
      // A result comes as many cycles after its block as the core takes, and no other.
      assert (due == flown_q[Latency-1]);
      // Who was loaded enters, and what is at the core stays.
      assert (enter == ((core_valid && core_in_ready_i) ? loaded_q : '0));
      if (wait_q) assert (core_valid);
      // The result before a block is there in the next cycle at the latest, as was said.
      assert ((soon_q & ~due) == '0);
      for (int i = 0; i < 3; i++) begin
        if (load && next[i]) assert (!flight[i] || next_soon || next_due);
        // One block of a stream is in the core, and has a place for its result.
        assert (flying[i] == 4'(flight[i]));
        assert (places[i] + 4'(chosen[i]) + flying[i] + results_q[i] == 4'd2);
        assert (results_q[i] <= 4'd2);
        // A stream can be chosen again two cycles before its result.
        assert (rests[i] == 4'(!chosen[i] && (!flight[i] || left[i] <= 4'd2)));
        if (dut.asks[i]) assert (ready_i[i] && !chosen[i] && places[i] != '0);
        // Inside: how long it takes yet.
        for (int k = 0; k < Latency; k++) begin
          if (flown_q[k][i]) assert (left[i] == 4'(Latency - 1 - k));
        end
        if (dut.next_valid_q && next[i] && flight[i]) assert (left[i] <= 4'd1);
        if (core_valid && dut.turn_q[i] && flight[i]) assert (due[i]);
      end
      if (dut.next_valid_q) assert ((next & (next - 3'd1)) == '0 && next != '0);
      if (core_valid) assert (dut.turn_q == loaded_q && loaded_q != '0);
      if (core_valid) assert ((loaded_q & (loaded_q - 3'd1)) == '0);
      if (dut.next_valid_q && core_valid) assert ((next & dut.turn_q) == '0);
      // Nobody is chosen while two wait, and else whoever asks.
      assert (dut.any == (dut.asks != '0 && (!dut.next_valid_q || load)));
    end
  end
endmodule
"""
)
TURNS = TURNS.replace("PLACES", inside("places_q"))
TURNS = TURNS.replace("LEFT", inside("left_q")).replace("RESTS", inside("rests_q"))

# The newest key of each slot, as a user knows it, and the one that was loaded.
KEY_AHEAD = (
    """
module proof #(parameter int unsigned KeySlots = 3) (
  input logic clk_i, clear_i, key_valid_i, load_i,
  input logic [1:0] key_i, key_len_i, key_slot_i, load_slot_i
);
"""
    + BEGIN
    + """
  logic idle, key_ready;
  logic [1:0] core_key, core_len;

  rsm_key_ahead #(.KeyWidth(2), .KeySlots(KeySlots)) dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .key_valid_i, .key_ready_o(key_ready), .key_i,
    .key_len_i, .key_slot_i, .load_i, .load_slot_i, .core_idle_i(1'b1),
    .core_in_key_o(core_key), .core_in_len_o(core_len)
  );

  logic [KeySlots-1:0] known_q;
  logic [KeySlots-1:0][3:0] newest_q;
  logic [3:0] loaded_q;
  logic [2:0] since_q;
  logic holds_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < KeySlots; i++) begin
      if (key_valid_i && key_ready && 32'(key_slot_i) == i) begin
        known_q[i]  <= 1'b1;
        newest_q[i] <= {key_len_i, key_i};
      end
      if (load_i && 32'(load_slot_i) == i) begin
        loaded_q <= newest_q[i];
        holds_q  <= known_q[i];
      end
    end
    if (!rst_ni || clear_i) known_q <= '0;
    if (clear_i) loaded_q <= '0;
    if (clear_i) holds_q  <= 1'b1;
    if (!rst_ni) holds_q  <= 1'b0;
    if (!rst_ni)                       since_q <= 3'd7;
    else if (clear_i)                  since_q <= 3'd0;
    else if (32'(since_q) < KeySlots)  since_q <= since_q + 3'd1;
  end

  always_comb begin
    assume (32'(load_slot_i) < KeySlots);
    assume (started_q || !load_i);
    if (started_q) begin
      if (holds_q) assert ({core_len, core_key} == loaded_q);
      for (int unsigned i = 0; i < KeySlots; i++) begin
        if (known_q[i]) assert (dut.memory_q[i] == newest_q[i]);
        else if (since_q < 3'd7 && i < 32'(since_q)) assert (dut.memory_q[i] == '0);
      end
      assert (key_ready == (32'(since_q) >= KeySlots) && idle == key_ready);
      assert (dut.clearing_q == !key_ready);
      if (!key_ready) assert (3'(dut.sweep_q) == since_q && known_q == '0);
    end
  end
endmodule
"""
)

# A stream has two results outside of the core at most, two cycles apart at least, and none while
# its end is to be told.
OUTLET = (
    """
module proof import rsm_mode_pkg::*; (
  input logic clk_i, clear_i, due_i, last_i, end_i, end_refused_i, out_ready_i,
  input logic [7:0] result_i
);
"""
    + BEGIN
    + """
  logic idle, told, valid, last, left;
  block_t kept, data;
  logic [4:0] bytes;
  logic [2:0] status;

  rsm_mode_outlet dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .due_i, .last_i, .result_i({120'd0, result_i}),
    .kept_o(kept), .end_i, .end_refused_i, .told_o(told), .out_valid_o(valid), .out_ready_i,
    .out_data_o(data), .out_bytes_o(bytes), .out_part_o(), .out_last_o(last),
    .out_status_o(status), .left_o(left)
  );

  // The results that wait, the oldest one at the right, each with what was said of it.
  logic [1:0][8:0] queue_q;
  logic [1:0] waits_q;
  logic due_q, left_q, end_q, refused_q, told_q, wait_q;
  logic [15:0] was_q;
  logic [7:0] newest_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      {waits_q, due_q, left_q, end_q, wait_q, told_q} <= '0;
    end else begin
      waits_q <= waits_q + 2'(due_i) - 2'(left);
      due_q   <= due_i;
      left_q  <= left;
      end_q   <= end_i;
      told_q  <= told;
      wait_q  <= valid & ~out_ready_i;
    end
    was_q     <= {data[7:0], bytes, last, status[1:0]};
    refused_q <= end_refused_i;
    if (left) queue_q[0] <= queue_q[1];
    if (due_i) queue_q[waits_q[0] & ~left] <= {last_i, result_i};
    if (clear_i)    newest_q <= '0;
    else if (due_i) newest_q <= result_i;
  end

  always_comb begin
    if (due_i) assume (waits_q < 2'd2 && !due_q && !end_i && !end_q);
    if (end_q && !told_q) assume (end_i && end_refused_i == refused_q);
    if (told_q) assume (!end_i);
    if (started_q) begin
      if (wait_q) assert (valid && was_q == {data[7:0], bytes, last, status[1:0]});
      // A beat is the oldest result, or the end where there is none.
      if (valid && waits_q != '0) begin
        assert (bytes == Full && status == '0 && data[127:8] == '0);
        assert ({last, data[7:0]} == queue_q[0]);
      end
      if (valid && waits_q == '0) begin
        assert (end_i && bytes == '0 && data == '0 && last);
        assert (status == {1'b0, end_refused_i, 1'b0});
      end
      assert (left == (valid && out_ready_i && waits_q != '0));
      assert (told == (valid && out_ready_i && waits_q == '0));
      // It waits for nothing but the port, and for that a cycle after a beat has left.
      if (waits_q != '0 && !due_q && !left_q) assert (valid);
      assert (idle == (waits_q == '0 && !valid));
      // Inside.
      assert (waits_q == 2'(dut.pends_q) + 2'(dut.valid_q && !dut.empty_q));
      if (dut.valid_q && dut.empty_q) assert (!dut.pends_q && end_i);
      if (dut.pends_q) begin
        assert (kept == {120'd0, newest_q});
        assert ({dut.kept_last_q, kept[7:0]} == queue_q[dut.valid_q]);
      end
      if (due_q) assert (dut.pends_q && (!dut.valid_q || !dut.empty_q));
      if (dut.valid_q && dut.pends_q) assert (!dut.empty_q);
    end
  end
endmodule
"""
)


def of_streams(name: str) -> str:
    """Return a register of two streams of `rsm_mode_intake`, the first one at the right."""
    return "{" + ", ".join(f"4'(dut.gen_stream[{i}].{name})" for i in (1, 0)) + "}"


# Two streams. A beat takes a cycle from the port to its place; each word of a message that waits is
# known here, with what was said of it, the oldest one at the right.
INTAKE = (
    """
module proof import rsm_mode_pkg::*; (
  input logic clk_i, clear_i, pop_i,
  input logic [1:0] msg_valid_i, msg_decrypt_i, in_valid_i, in_last_i, chosen_i, next_i, told_i,
  input logic [1:0][3:0] msg_slot_i,
  input logic [1:0][7:0] msg_iv_i, in_data_i,
  input logic [1:0][4:0] in_bytes_i,
  input logic [1:0][1:0] in_part_i,
  input logic [3:0] key_slot_i
);
"""
    + BEGIN
    + """
  logic [1:0] idle, msg_ready, in_ready, key_open, waits, ends, ends_refused;
  logic [1:0][3:0] slot;
  block_t text, iv;
  logic first, last;

  rsm_mode_intake #(.Streams(2), .Slots(1)) dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .msg_valid_i, .msg_ready_o(msg_ready),
    .msg_decrypt_i, .msg_slot_i,
    .msg_iv_i({120'd0, msg_iv_i[1], 120'd0, msg_iv_i[0]}), .in_valid_i, .in_ready_o(in_ready),
    .in_data_i({120'd0, in_data_i[1], 120'd0, in_data_i[0]}), .in_bytes_i, .in_part_i,
    .in_last_i, .key_slot_i, .key_open_o(key_open), .waits_o(waits), .slot_o(slot), .chosen_i,
    .next_i, .pop_i, .text_o(text), .iv_o(iv), .first_o(first), .last_o(last), .end_o(ends),
    .end_refused_o(ends_refused), .told_i
  );

  logic [1:0] begins, moves, bad, good, pops, here, beat;
  logic [1:0] open_q, refused_q, fresh_q, end_q, end_refused_q;
  logic [1:0][3:0] count_q, words, slot_q;
  logic [1:0][2:0][9:0] word_q;
  logic [1:0][7:0] iv_q;
  logic [1:0][3:0] write, read, inner_refused, inner_end, inner_end_refused, blocked;
  assign words             = WORDS;
  assign write             = WRITE;
  assign read              = READ;
  assign inner_refused     = REFUSED;
  assign inner_end_refused = END;
  assign blocked           = BLOCKED;
  assign inner_end         = {4'(ends[1]), 4'(ends[0])};
  assign here = dut.here_q;
  assign beat = here & {2{~dut.head_q}};

  assign begins = msg_valid_i & msg_ready;
  assign moves  = in_valid_i & in_ready;
  assign pops   = next_i & {2{pop_i}};

  always_comb begin
    for (int i = 0; i < 2; i++) begin
      bad[i]  = in_part_i[i] != PartText || (in_bytes_i[i] != Full && in_bytes_i[i] != '0);
      good[i] = moves[i] && !refused_q[i] && !bad[i] && in_bytes_i[i] != '0;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int i = 0; i < 2; i++) begin
      if (pops[i]) word_q[i][1:0] <= word_q[i][2:1];
      if (good[i]) begin
        word_q[i][2'(count_q[i]) - 2'(pops[i])] <= {fresh_q[i], in_last_i[i], in_data_i[i]};
      end
      if (begins[i]) begin
        refused_q[i] <= msg_decrypt_i[i] || msg_slot_i[i] != '0;
        fresh_q[i]   <= 1'b1;
        iv_q[i]      <= msg_iv_i[i];
        slot_q[i]    <= msg_slot_i[i];
      end
      if (moves[i]) refused_q[i] <= refused_q[i] || bad[i];
      if (good[i])  fresh_q[i]   <= 1'b0;
      if (!rst_ni || clear_i) begin
        {count_q[i], open_q[i], end_q[i]} <= '0;
      end else begin
        count_q[i] <= count_q[i] + 4'(good[i]) - 4'(pops[i]);
        if (begins[i])                  open_q[i] <= 1'b1;
        if (moves[i] && in_last_i[i])   open_q[i] <= 1'b0;
        if (told_i[i])                  end_q[i]  <= 1'b0;
        if (moves[i] && in_last_i[i] && !good[i]) begin
          end_q[i]         <= 1'b1;
          end_refused_q[i] <= refused_q[i] || bad[i];
        end
      end
    end
  end

  always_comb begin
    assume ((next_i & (next_i - 2'd1)) == '0);
    if (pop_i) assume ((next_i & waits) != '0);
    assume ((told_i & ~ends) == '0);
    if (started_q) begin
      for (int i = 0; i < 2; i++) begin
        // Beats come after their message, and the next one when all is told of that.
        if (in_ready[i])  assert (open_q[i] && !msg_ready[i]);
        if (msg_ready[i]) assert (!open_q[i] && count_q[i] == '0 && !end_q[i]);
        // No key passes while a block may need the one before.
        if (open_q[i] || count_q[i] != '0) begin
          assert (!key_open[i] || key_slot_i != slot_q[i]);
        end
        // What waits, and in which order; it is nothing that was refused.
        assert (waits[i] == (count_q[i] > 4'(beat[i] && dut.writes[i])));
        if (pops[i]) begin
          assert ({first, last, text} == {word_q[i][0][9:8], 120'd0, word_q[i][0][7:0]});
          if (first) assert (iv == {120'd0, iv_q[i]});
        end
        if (ends[i]) assert (end_q[i] && ends_refused[i] == end_refused_q[i]);
        if (end_q[i]) assert (ends[i] || beat[i]);
        // Inside: what is open, said and counted; where the words and the IV are.
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
        if (here[i] && dut.head_q) begin
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
        if ((open_q[i] && fresh_q[i] && !(here[i] && dut.head_q)) ||
            (dut.writes[i] && !dut.begun_q[i])) begin
          assert (dut.ivs_q[i] == 128'(iv_q[i]));
        end
        // Inside: who is asked has a place for what he brings.
        if (dut.wants_q[i] || dut.take_q[i] || dut.begin_q[i]) begin
          assert (4'(dut.wants_q[i]) + 4'(dut.take_q[i]) + 4'(dut.begin_q[i]) == 4'd1);
          assert (!end_q[i]);
          if (open_q[i]) assert (!dut.begin_q[i] && words[i] + 4'(here[i]) <= 4'd1);
          else assert (!dut.take_q[i] && words[i] == '0 && !here[i]);
        end
        if (words[i] != '0 || beat[i]) assert (open_q[i] || blocked[i][0]);
      end
      assert ((here & (here - 2'd1)) == '0);
      assert (({dut.take_q, dut.begin_q} & ({dut.take_q, dut.begin_q} - 4'd1)) == '0);
      if (dut.clearing_q) begin
        assert ({dut.wants_q, dut.take_q, dut.begin_q, here} == '0 && dut.data_q == '0);
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
"""
)
for inner, name in {
    "WORDS": "words_q",
    "WRITE": "write_q",
    "READ": "read_q",
    "REFUSED": "refused_q",
    "END": "end_refused_q",
    "BLOCKED": "blocks_q",
}.items():
    INTAKE = INTAKE.replace(f" = {inner};", f" = {of_streams(name)};")

TURN_FILES = ("rsm_round_robin",)
PROOFS: dict[str, tuple[str, str, list[str], tuple[str, ...]]] = {
    "3 in turn": ("rsm_round_robin", ROUND_ROBIN, [], ()),
    "5 in turn": ("rsm_round_robin", ROUND_ROBIN, ["Width=5"], ()),
    "core of 2 cycles": ("rsm_turns", TURNS, ["Latency=2"], TURN_FILES),
    "core of 3 cycles": ("rsm_turns", TURNS, ["Latency=3"], TURN_FILES),
    "core of 5 cycles": ("rsm_turns", TURNS, [], TURN_FILES),
    "3 keys": ("rsm_key_ahead", KEY_AHEAD, [], ()),
    "4 keys": ("rsm_key_ahead", KEY_AHEAD, ["KeySlots=4"], ()),
    "messages": ("rsm_mode_intake", INTAKE, [], TURN_FILES),
    "results": ("rsm_mode_outlet", OUTLET, [], ()),
}


def files_of(proof: str) -> list[Path]:
    """Return the files in front of the block that is proved."""
    return [PACKAGE, *map(source, PROOFS[proof][3])]


@pytest.mark.parametrize("proof", PROOFS)
def test_streams_share_a_core(proof: str, tmp_path: Path) -> None:
    name, bench, parameters, _ = PROOFS[proof]
    prove(name, bench, tmp_path, *files_of(proof), source(name), parameters=parameters)


@pytest.mark.parametrize(
    ("proof", "right", "wrong"),
    [
        # Always the first one; two at a time; who was served goes on.
        ("3 in turn", "else if (take_i && asks_i != '0) after_q <= after_d", "else after_q <= '0"),
        ("3 in turn", "given_o[i] = 1'b0;", "given_o[i] = asks_i[i];"),
        ("3 in turn", "j < i; j++) after_d", "j <= i; j++) after_d"),
        # A result that comes a cycle later or is not awaited; no place for it; a stream that is
        # chosen twice, or too early; who is chosen takes the turn of another one.
        ("core of 5 cycles", "count_t'(Latency - 1)", "count_t'(Latency)"),
        ("core of 5 cycles", "left_q == count_t'(3)", "left_q == count_t'(4)"),
        ("core of 5 cycles", "left_q == count_t'(3)", "left_q == count_t'(2)"),
        ("core of 3 cycles", "& (places_q != '0)", ""),
        ("core of 3 cycles", "if (picked)     rests_q <= 1'b0;", "if (1'b0) rests_q <= 1'b0;"),
        ("core of 3 cycles", "next_valid_q & (~turn_valid_q | core_in_ready_i)", "next_valid_q"),
        ("core of 2 cycles", "else if (core_in_ready_i) turn_valid_q", "else turn_valid_q"),
        # The key of another slot; one that a clear leaves, in the memory and at the core.
        ("3 keys", "memory_q[load_slot_i]", "memory_q[key_slot_i]"),
        ("3 keys", "memory_q[place] <= clearing_q ? '0 :", "memory_q[place] <="),
        ("3 keys", "if (clear_i)     key_q <= '0;", "if (1'b0)        key_q <= '0;"),
        # A beat without a place, or asked for twice; a message whose IV takes the place of one that
        # waits; a first block that is none; what was refused; a key that comes too early; a clear
        # that leaves something; an end that is never over.
        ("messages", "& ~words_q[1] & ~(words_q[0] & here)", ""),
        ("messages", "& ~end_q & ~comes", "& ~end_q"),
        ("messages", "msg_valid_i[i] & ~blocks)", "msg_valid_i[i])"),
        ("messages", "~|(here_q & begun_q)", "1'b0"),
        ("messages", "refused_q | bad | none;", "bad | none;"),
        ("messages", "(active_q[i] | blocks_q)", "active_q[i]"),
        ("messages", "if (clear_i) data_q <= '0;", "if (1'b0) data_q <= '0;"),
        ("messages", "else if (told_i[i])           end_q", "else if (1'b0) end_q"),
        # A result that overtakes, or is lost or doubled; an end before the last result, or twice.
        ("results", "pends_q & ~valid_q", "pends_q"),
        ("results", "pends_q & ~valid_q", "pends_q & ~valid_q & out_ready_i"),
        ("results", "else if (moves) pends_q <= 1'b0", "else if (1'b0) pends_q <= 1'b0"),
        ("results", "end_i & ~pends_q & ~valid_q", "end_i & ~valid_q"),
        ("results", "valid_q & out_ready_i & empty_q", "1'b0"),
        ("results", "if (clear_i || tells) data_q <= '0", "if (clear_i) data_q <= '0"),
    ],
)
def test_the_proofs_can_fail(proof: str, right: str, wrong: str, tmp_path: Path) -> None:
    name, bench, parameters, _ = PROOFS[proof]
    broken = change(source(name), right, wrong, tmp_path)
    refute(name, bench, tmp_path, *files_of(proof), broken, parameters=parameters)
