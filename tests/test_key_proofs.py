"""The ways of keys to a core, proved by induction: a block gets the newest key of its slot.

A key goes through its bus, past the modes of streams, and to its place in front of a core that
takes its key with the block. Each proof remembers the keys as a user knows them; keys come, are
taken and cleared in any sequence that keeps the rule of handshakes. `rsm_key_swap` has its proof
beside its tests.
"""

from pathlib import Path

import pytest

from proofs import BEGIN, change, prove, refute, source
from roundsmith.paths import RTL

PACKAGE = RTL / "aes/pkg/rsm_aes_pkg.sv"

# One byte of a packet, any byte, is followed to its place in the key.
STREAM_KEY = (
    """
module proof #(
  parameter int unsigned KeyWidth = 128,
  parameter logic [2:0]  Lengths  = 3'b001,
  parameter int unsigned KeySlots = 1
) (
  input logic clk_i, clear_i, hold_i, tvalid_i, tlast_i, key_ready_i,
  input logic [31:0] tdata_i,
  input logic [3:0] tid_i
);
"""
    + BEGIN
    + """
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

  // Words of the packet, so far, or of the key that is here, and cycles since its last one.
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

  // The byte that is followed; packets, and what became of them.
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
      // A packet ends in one key or in one refusal, which is told in the next cycle.
      assert (ended_q - given_q - refusals_q == 4'(here_q) + 4'(refused));
      assert (refused == refused_q);
      assert (valid == (here_q && 32'(total) == Words));
      assert (tready == (!here_q && !(hold_i && words_q == '0)));
      assert (idle == (words_q == '0));
      if (held_q) assert (valid && {key, len, slot} == was_q);
      // What is offered has its bytes from the left on, then zeros.
      if (valid) begin
        assert (len == len_q && slot == slot_q && 32'(slot_q) < KeySlots && Lengths[len_q]);
        assert (words_q == 4'd4 + {1'b0, len_q, 1'b0});
        for (int unsigned i = 0; i < KeyWidth / 8; i++) begin
          if (i >= 4 * 32'(words_q)) assert (key[KeyWidth-1 - 8*i -: 8] == '0);
          else if (i == 32'(followed_q)) assert (key[KeyWidth-1 - 8*i -: 8] == byte_q);
        end
      end
      // Without a word of a packet there is nothing of another one.
      if (words_q == '0) assert (key == '0);
      // Inside: the words so far stand at the right, and nothing else does.
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
"""
)

# The newest key of each slot, as a user knows it.
KEY_SLOTS = (
    """
module proof #(parameter int unsigned KeySlots = 3) (
  input logic clk_i, clear_i, key_valid_i, in_valid_i, core_in_ready_i,
  input logic [1:0] key_i, key_len_i, key_slot_i, in_slot_i
);
"""
    + BEGIN
    + """
  logic idle, key_ready, in_ready, core_valid;
  logic [1:0] core_key, core_len;

  rsm_key_slots #(.KeyWidth(2), .KeySlots(KeySlots)) dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .key_valid_i, .key_ready_o(key_ready), .key_i,
    .key_len_i, .key_slot_i, .in_valid_i, .in_ready_o(in_ready), .in_slot_i, .core_idle_i(1'b1),
    .core_in_valid_o(core_valid), .core_in_ready_i, .core_in_key_o(core_key),
    .core_in_len_o(core_len)
  );

  // Slots with a key, and their keys; cycles since a clear, as far as they count.
  logic [KeySlots-1:0] known_q;
  logic [KeySlots-1:0][3:0] newest_q;
  logic [2:0] since_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < KeySlots; i++) begin
      if (key_valid_i && key_ready && 32'(key_slot_i) == i) begin
        known_q[i]  <= 1'b1;
        newest_q[i] <= {key_len_i, key_i};
      end
    end
    if (!rst_ni || clear_i) known_q <= '0;
    if (!rst_ni)                       since_q <= 3'd7;
    else if (clear_i)                  since_q <= 3'd0;
    else if (32'(since_q) < KeySlots)  since_q <= since_q + 3'd1;
  end

  always_comb begin
    // A key for a slot that is not there changes nothing; no block names one.
    assume (32'(in_slot_i) < KeySlots);
    if (started_q) begin
      // No block is lost or doubled, and none enters without the newest key of its slot.
      assert ((in_valid_i & in_ready) == (core_valid & core_in_ready_i));
      for (int unsigned i = 0; i < KeySlots; i++) begin
        if (32'(in_slot_i) == i) begin
          assert (core_valid == (in_valid_i & known_q[i]));
          assert (in_ready == (core_in_ready_i & known_q[i]));
          if (core_valid) assert ({core_len, core_key} == newest_q[i]);
        end
        // Inside: what is known is there, and what a clear has passed is not.
        assert (dut.loaded_q[i] == known_q[i]);
        if (known_q[i]) assert (dut.memory_q[i] == newest_q[i]);
        else if (since_q < 3'd7 && i < 32'(since_q)) assert (dut.memory_q[i] == '0);
      end
      // A key waits only while a clear writes a zero over each.
      assert (key_ready == (32'(since_q) >= KeySlots) && idle == key_ready);
      assert (dut.clearing_q == !key_ready);
      if (!key_ready) assert (3'(dut.sweep_q) == since_q && known_q == '0);
    end
  end
endmodule
"""
)

KEY_HOLD = (
    """
module proof (
  input logic clk_i, clear_i, key_valid_i, in_valid_i, core_in_ready_i,
  input logic [1:0] key_i, key_len_i
);
"""
    + BEGIN
    + """
  logic key_ready, in_ready, core_valid;
  logic [1:0] core_key, core_len;

  rsm_key_hold #(.KeyWidth(2)) dut (
    .clk_i, .rst_ni, .clear_i, .key_valid_i, .key_ready_o(key_ready), .key_i, .key_len_i,
    .in_valid_i, .in_ready_o(in_ready), .core_in_valid_o(core_valid), .core_in_ready_i,
    .core_in_key_o(core_key), .core_in_len_o(core_len)
  );

  logic known_q, cleared_q, offered_q;
  logic [3:0] newest_q, was_q;
  always_ff @(posedge clk_i) begin
    cleared_q <= rst_ni & clear_i;
    if (!rst_ni || clear_i) known_q <= 1'b0;
    else if (key_valid_i && key_ready) known_q <= 1'b1;
    if (key_valid_i && key_ready) newest_q <= {key_len_i, key_i};
    offered_q <= rst_ni & ~clear_i & core_valid & ~core_in_ready_i;
    was_q     <= {core_len, core_key};
  end

  always_comb begin
    if (offered_q) assume (in_valid_i);
    if (started_q) begin
      assert (core_valid == (in_valid_i & known_q) && in_ready == (core_in_ready_i & known_q));
      if (known_q) assert ({core_len, core_key} == newest_q);
      if (offered_q) assert (core_valid);
      // Nothing is taken right after a clear, and no key is left.
      assert (key_ready == !cleared_q);
      if (cleared_q) assert ({core_len, core_key} == '0 && !core_valid && !in_ready);
    end
  end
endmodule
"""
)

STREAM_KEYS = """
module proof #(
  parameter int unsigned Streams  = 3,
  parameter int unsigned KeySlots = 2
) (
  input logic clk_i, key_valid_i, core_key_ready_i,
  input logic [$clog2(Streams*KeySlots)-1:0] key_slot_i,
  input logic [Streams-1:0] open_i
);
  logic key_ready, core_valid, passes;
  logic [Streams-1:0] loaded;
  logic [3:0] slot;

  rsm_stream_keys #(.Streams(Streams), .KeySlots(KeySlots)) dut (
    .key_valid_i, .key_ready_o(key_ready), .key_slot_i, .stream_open_i(open_i),
    .stream_loaded_o(loaded), .stream_slot_o(slot), .core_key_valid_o(core_valid),
    .core_key_ready_i, .loaded_o(passes)
  );

  logic open;
  int unsigned stream;
  assign stream = 32'(key_slot_i) / KeySlots;

  always_comb begin
    // The stream that has the slot decides, and no other one; where none has it, none does.
    open = 1'b0;
    for (int unsigned i = 0; i < Streams; i++) if (stream == i) open = open_i[i];
    assert (core_valid == (key_valid_i & open) && key_ready == (core_key_ready_i & open));
    // A key passes on both sides, and its stream is told, with the slot that it knows.
    assert (passes == (key_valid_i & key_ready) && passes == (core_valid & core_key_ready_i));
    for (int unsigned i = 0; i < Streams; i++) assert (loaded[i] == (passes && stream == i));
    if (passes) assert (stream < Streams && 32'(slot) == 32'(key_slot_i) % KeySlots);
  end
endmodule
"""

#: The module, its bench, and the parameters of both.
PROOFS: dict[str, tuple[str, str, list[str]]] = {
    "one length": ("rsm_axi4_stream_key", STREAM_KEY, []),
    "longest only": ("rsm_axi4_stream_key", STREAM_KEY, ["KeyWidth=192", "Lengths=2"]),
    "all lengths": (
        "rsm_axi4_stream_key",
        STREAM_KEY,
        ["KeyWidth=256", "Lengths=7", "KeySlots=3"],
    ),
    "two lengths": (
        "rsm_axi4_stream_key",
        STREAM_KEY,
        ["KeyWidth=192", "Lengths=3", "KeySlots=3"],
    ),
    "3 slots": ("rsm_key_slots", KEY_SLOTS, []),
    "4 slots": ("rsm_key_slots", KEY_SLOTS, ["KeySlots=4"]),
    "hold": ("rsm_key_hold", KEY_HOLD, []),
    "3 streams": ("rsm_stream_keys", STREAM_KEYS, ["KeySlots=1"]),
    "3 streams of 2": ("rsm_stream_keys", STREAM_KEYS, []),
    "5 streams of 3": ("rsm_stream_keys", STREAM_KEYS, ["Streams=5", "KeySlots=3"]),
}


@pytest.mark.parametrize("proof", PROOFS)
def test_every_block_gets_its_key(proof: str, tmp_path: Path) -> None:
    name, bench, parameters = PROOFS[proof]
    prove(name, bench, tmp_path, PACKAGE, source(name), parameters=parameters)


@pytest.mark.parametrize(
    ("proof", "right", "wrong"),
    [
        # Bytes in another order; a packet that is too long, of a length that the core has not, or
        # for a slot that is not there; one that is refused without a word.
        ("one length", "{tdata_i[7:0], tdata_i[15:8], tdata_i[23:16], tdata_i[31:24]}", "tdata_i"),
        ("two lengths", "here_q[Last-1] & ~here_q[Last]", "here_q[Last-1]"),
        ("two lengths", "(|(ends & Lengths))", "(|ends | accept)"),
        ("two lengths", "& (32'(tid_i) < KeySlots)", ""),
        ("two lengths", "accept & tlast_i & ~legal;", "1'b0;"),
        # A key that is given twice, given up, or given before zeros follow it; a word in their
        # place; the slot of the first word; the length of another key.
        ("one length", " | (key_valid_o & key_ready_i);", ";"),
        ("one length", "(key_valid_o & key_ready_i)", "key_valid_o"),
        ("two lengths", "(full || !Shorter) ? Give : Align", "Give"),
        ("two lengths", "(accept | ~Shorter) ?", "1'b1 ?"),
        ("two lengths", "if (accept) {len_q", "if (accept && !here_q[0]) {len_q"),
        # A key is begun that is held up; what was cleared, given or refused stays.
        ("one length", "~(hold_i & ~here_q[0])", "1'b1"),
        ("one length", "clear_i || forget) key_o <= '0;", "forget) key_o <= '0;"),
        ("one length", "clear_i || forget) key_o <= '0;", "clear_i) key_o <= '0;"),
        ("one length", "clear_i || forget) begin", "forget) begin"),
        # The key of another slot; a slot without a key; one that a clear leaves, or that is lost in
        # the cycles after it.
        ("3 slots", "= memory_q[in_slot_i];", "= memory_q[0];"),
        ("3 slots", "= clearing_q ? sweep_q : key_slot_i", "= clearing_q ? sweep_q : in_slot_i"),
        ("3 slots", "= loaded_q[in_slot_i] & in_valid_i;", "= in_valid_i;"),
        ("3 slots", "= loaded_q[in_slot_i] & core_in_ready_i;", "= core_in_ready_i;"),
        ("3 slots", "clearing_q ? '0 : {key_len_i, key_i}", "{key_len_i, key_i}"),
        ("4 slots", "slot_t'(KeySlots - 1)", "slot_t'(KeySlots - 2)"),
        ("3 slots", "assign key_ready_o = ~clearing_q;", "assign key_ready_o = 1'b1;"),
        # A block before its key; a key that a clear leaves, or that is taken right after it.
        ("hold", "= loaded_q & in_valid_i;", "= in_valid_i;"),
        ("hold", "= loaded_q & core_in_ready_i;", "= core_in_ready_i;"),
        ("hold", "if (clear_i)     {key_q, len_q} <= '0;\n    else if", "if"),
        ("hold", "if (!rst_ni || clear_i) loaded_q", "if (!rst_ni) loaded_q"),
        ("hold", "closed_q <= rst_ni & clear_i;", "closed_q <= 1'b0;"),
        ("hold", "{key_i, key_len_i};", "{key_i, len_q};"),
        # Another stream decides, or is told; a slot that no stream has; a key that the core does
        # not take.
        ("3 streams of 2", "|(owner & stream_open_i)", "|stream_open_i"),
        ("3 streams of 2", "owner & {Streams{loaded_o}}", "stream_open_i & {Streams{loaded_o}}"),
        ("3 streams of 2", "4'(32'(key_slot_i) - i * KeySlots)", "4'(key_slot_i)"),
        ("3 streams", "|(owner & stream_open_i)", "(owner & ~stream_open_i) == '0"),
        ("3 streams", "= core_key_ready_i & open;", "= open;"),
    ],
)  # fmt: skip
def test_the_proofs_can_fail(proof: str, right: str, wrong: str, tmp_path: Path) -> None:
    name, bench, parameters = PROOFS[proof]
    broken = change(source(name), right, wrong, tmp_path)
    refute(name, bench, tmp_path, PACKAGE, broken, parameters=parameters)
