"""Frames of words and beats, proved by induction: whole, in order, and each under its own key.

The first word of a frame moves with a handshake, the others in the cycles after it. Each proof
remembers the words that went in and counts the frames. A core is any circuit that keeps the rules
of its port.
"""

from pathlib import Path

import pytest

from proofs import BEGIN, change, prove, refute, source
from roundsmith.paths import RTL

PACKAGE = RTL / "aes/pkg/rsm_aes_pkg.sv"
PARTS = ["rsm_frame_in", "rsm_frame_out"]

FRAME_IN = (
    """
module proof #(parameter int unsigned Words = 4) (
  input logic clk_i, clear_i, enable_i, valid_i, ready_i,
  input logic [31:0] word_i
);
"""
    + BEGIN
    + """
  logic busy, ready, valid;
  logic [32*Words-1:0] data;

  rsm_frame_in #(.Words(Words)) dut (
    .clk_i, .rst_ni, .clear_i, .enable_i, .busy_o(busy), .valid_i, .ready_o(ready), .word_i,
    .valid_o(valid), .ready_i, .data_o(data)
  );

  // Words that have come, and what they were; a frame that was not taken.
  logic [3:0] count_q;
  logic [Words-1:0][31:0] words_q;
  logic cleared_q, held_q;
  logic [32*Words-1:0] was_q;
  always_ff @(posedge clk_i) begin
    cleared_q <= clear_i;
    held_q    <= rst_ni & ~clear_i & valid & ~ready_i;
    was_q     <= data;
    for (int unsigned i = 0; i < Words; i++) if (32'(count_q) == i) words_q[i] <= word_i;
    if (!rst_ni || clear_i)                               count_q <= '0;
    else if (count_q == '0)                               count_q <= 4'(valid_i & ready);
    else if (32'(count_q) < Words)                        count_q <= count_q + 4'd1;
    else if (ready_i)                                     count_q <= '0;
  end

  always_comb begin
    if (started_q) begin
      assert (32'(count_q) <= Words);
      assert (ready == (enable_i && count_q == '0) && busy == (count_q != '0));
      assert (valid == (32'(count_q) == Words) && 4'(dut.count_q) == count_q);
      for (int unsigned i = 0; i < Words; i++) begin
        if (valid) assert (data[32*(Words-1-i) +: 32] == words_q[i]);
        for (int unsigned j = 0; j <= i; j++) begin
          if (32'(count_q) == i + 1) assert (data[32*(i-j) +: 32] == words_q[j]);
        end
      end
      if (held_q) assert (valid && data == was_q);
      if (cleared_q) assert (data == '0 && !valid && !busy);
    end
  end
endmodule
"""
)

FRAME_OUT = (
    """
module proof (
  input logic clk_i, clear_i, valid_i,
  input logic [127:0] block_i
);
"""
    + BEGIN
    + """
  logic busy, valid;
  logic [31:0] word;

  rsm_frame_out dut (
    .clk_i, .rst_ni, .clear_i, .busy_o(busy), .valid_i, .block_i, .valid_o(valid), .word_o(word)
  );

  // The word that stands there, 4 for none; the block; whether there has been one, or a clear.
  logic [2:0] place_q;
  logic [127:0] block_q;
  logic known_q = 1'b0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i)   place_q <= 3'd4;
    else if (valid_i)         place_q <= 3'd0;
    else if (place_q != 3'd4) place_q <= place_q + 3'd1;
    if (valid_i) block_q <= block_i;
    known_q <= known_q | clear_i | (rst_ni & valid_i);
  end

  always_comb begin
    // Blocks are four cycles apart.
    if (place_q < 3'd3) assume (!valid_i);
    if (started_q) begin
      assert (place_q <= 3'd4 && busy == (place_q != 3'd4) && valid == (place_q == 3'd0));
      for (int unsigned i = 0; i < 4; i++) begin
        assert (dut.word_q[i] == (32'(place_q) == i));
        if (32'(place_q) == i) begin
          assert (word == block_q[127 - 32*i -: 32]);
          assert (dut.data_q == block_q << 32*i);
        end
      end
      // Nothing follows the last word.
      if (known_q && place_q == 3'd4) assert (dut.data_q == '0 && word == '0);
    end
  end
endmodule
"""
)

# The core is any circuit that takes keys and blocks when it likes to, and gives results at least
# four cycles apart.
CHANNELS = (
    """
module proof (
  input logic clk_i, clear_i, key_valid_i, in_valid_i, in_decrypt_i, core_idle_i,
  input logic core_key_ready_i, core_in_ready_i, core_out_valid_i,
  input logic [31:0] key_i, in_block_i,
  input logic [127:0] core_out_block_i
);
"""
    + BEGIN
    + """
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

  // Frames that have begun and that have gone to the core; words of the one that is here; of a
  // block, its direction and how many keys came before it.
  logic [3:0] keys_q, keys_gone_q, blocks_q, blocks_gone_q, under_q;
  logic [2:0] key_words_q, words_q, shown_q;
  logic [3:0][31:0] key_q, block_q;
  logic decrypt_q;
  logic [127:0] result_q;
  // The directions in which the core was ready since it has its key.
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
      // Every frame that begins goes to the core, whole and once.
      assert (keys_q - keys_gone_q == 4'(key_words_q != '0));
      assert (blocks_q - blocks_gone_q == 4'(words_q != '0));
      if (core_key_valid) assert (key_words_q == 3'd4 && core_key == key_q);
      if (core_valid) assert (words_q == 3'd4 && core_block == block_q);
      if (core_valid) assert (core_decrypt == decrypt_q);
      // What is offered stays until it is taken.
      if (key_held_q) assert (core_key_valid);
      if (held_q) assert (core_valid);
      // A block goes under the keys that came before it, and no other.
      if (words_q != '0) assert (under_q == keys_gone_q);
      if (core_valid) assert (!key_goes);
      // After a key no block begins until the core can use it in its direction.
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
"""
)

# The core is not ready for a block and a key at once, nor for either while one enters.
WIDEN = (
    """
module proof import rsm_aes_pkg::*; #(
  parameter int unsigned Width   = 32,
  parameter bit          Held    = 1'b1
) (
  input logic clk_i, clear_i, key_valid_i, in_valid_i, core_idle_i,
  input logic core_key_ready_i, core_in_ready_i, core_out_valid_i, tag_i,
  input block_t key_i, in_block_i, in_key_i,
  input logic [Width-1:0] core_out_block_i
);
"""
    + BEGIN
    + """
  localparam int unsigned Beats = 128 / Width;
  localparam channel_e    Channel = Held ? ChannelHeld : ChannelWithBlock;

  logic idle, key_ready, in_ready, out_valid, out_tag, core_key_valid, core_valid;
  block_t out_block;
  logic [Width-1:0] core_key, core_block, core_in_key;

  rsm_widen #(.Width(Width), .Channel(Channel)) dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .key_valid_i, .key_ready_o(key_ready), .key_i,
    .in_valid_i, .in_ready_o(in_ready), .in_block_i, .in_key_i, .out_valid_o(out_valid),
    .out_block_o(out_block), .out_tag_o(out_tag), .core_idle_i, .core_key_valid_o(core_key_valid),
    .core_key_ready_i, .core_key_o(core_key), .core_in_valid_o(core_valid), .core_in_ready_i,
    .core_in_block_o(core_block), .core_in_key_o(core_in_key), .core_out_valid_i,
    .core_out_block_i, .core_out_tag_i(tag_i)
  );

  logic accept, key_accept, enters, key_enters;
  assign accept     = in_valid_i & in_ready;
  assign key_accept = key_valid_i & key_ready;
  assign enters     = core_valid & core_in_ready_i;
  assign key_enters = core_key_valid & core_key_ready_i;

  // The beat of a block or a key that goes next and the one of a result that comes next, 0 where
  // there is none; what they are of.
  logic [4:0] sent_q, got_q;
  block_t block_q, key_q, result_q;
  block_t sent;
  logic is_key_q, tag_q;
  assign sent = is_key_q ? key_q : block_q;
  logic [3:0] results_q, given_q;
  always_ff @(posedge clk_i) begin
    if (accept) {block_q, key_q, is_key_q} <= {in_block_i, in_key_i, 1'b0};
    if (key_accept) {key_q, is_key_q} <= {key_i, 1'b1};
    if (core_out_valid_i) tag_q <= tag_i;
    for (int unsigned i = 0; i < Beats; i++) begin
      if (32'(got_q) == i) result_q[127 - Width*i -: Width] <= core_out_block_i;
    end
    if (!rst_ni || clear_i) begin
      {sent_q, got_q, results_q, given_q} <= '0;
    end else begin
      results_q <= results_q + 4'(core_out_valid_i);
      given_q   <= given_q + 4'(out_valid);
      if (32'(sent_q) == Beats - 1) sent_q <= '0;
      else                          sent_q <= sent_q + 5'(accept | key_accept | (sent_q != '0));
      if (32'(got_q) == Beats - 1)  got_q <= '0;
      else                          got_q <= got_q + 5'(core_out_valid_i | (got_q != '0));
    end
  end

  always_comb begin
    assume (!(core_in_ready_i && core_key_ready_i));
    if (sent_q != '0) assume (!core_in_ready_i && !core_key_ready_i);
    if (got_q != '0) assume (!core_out_valid_i);
    if (started_q) begin
      // What is accepted enters the core, then or never; nothing enters between the first and the
      // last beat of a result.
      assert (enters == accept && key_enters == key_accept);
      if (got_q != '0 && 32'(got_q) != Beats - 1) assert (!accept && !key_accept);
      if (!Held) assert (!key_accept);
      // Its beats follow each other.
      if (accept) assert (core_block == in_block_i[127 -: Width]);
      if (accept && !Held) assert (core_in_key == in_key_i[127 -: Width]);
      if (key_accept) assert (core_key == key_i[127 -: Width]);
      for (int unsigned i = 1; i < Beats; i++) begin
        if (32'(sent_q) == i && !is_key_q) begin
          assert (core_block == block_q[127 - Width*i -: Width]);
          if (!Held) assert (core_in_key == key_q[127 - Width*i -: Width]);
        end
        if (32'(sent_q) == i && is_key_q) assert (core_key == key_q[127 - Width*i -: Width]);
      end
      // A result is shown once, with its last beat, and its tag is that of its first one.
      assert (results_q - given_q == 4'(got_q != '0));
      assert (out_valid == (32'(got_q) == Beats - 1));
      if (out_valid) begin
        assert (out_block == {result_q[127:Width], core_out_block_i} && out_tag == tag_q);
      end
      assert (idle == (core_idle_i && got_q == '0 && !core_out_valid_i));
      // Inside: beats to send at the left, those of a result at the right.
      assert (32'(sent_q) < Beats && 32'(got_q) < Beats);
      assert (5'(dut.send_q) == sent_q && 5'(dut.collect_q) == got_q);
      assert (sent_q == '0 || !is_key_q || Held);
      if (got_q != '0) assert (dut.tag_q == tag_q);
      for (int unsigned i = 1; i < Beats; i++) begin
        for (int unsigned j = 0; j < i; j++) begin
          if (32'(got_q) == i) begin
            assert (dut.data_q[Width*(i-j-1) +: Width] == result_q[127 - Width*j -: Width]);
          end
        end
        for (int unsigned j = i; j < Beats; j++) begin
          if (32'(sent_q) == i) begin
            assert (dut.data_q[127 - Width*(j-i) -: Width]
                    == sent[127 - Width*j -: Width]);
          end
        end
      end
      KEY_BESIDE
    end
  end
endmodule
"""
)

WIDEN_KEY = (
    """
module proof import rsm_aes_pkg::*; #(
  parameter int unsigned Width    = 32,
  parameter int unsigned KeyWidth = 192,
  parameter bit          Held     = 1'b1
) (
  input logic clk_i, clear_i, key_valid_i, in_valid_i, core_key_ready_i, core_in_ready_i,
  input logic [KeyWidth-1:0] key_i, in_key_i
);
"""
    + BEGIN
    + """
  localparam int unsigned Beats = KeyWidth / Width;
  localparam channel_e    Channel = Held ? ChannelHeld : ChannelWithBlock;

  logic key_ready, in_ready, core_key_valid, core_valid;
  logic [Width-1:0] core_key, core_in_key;

  rsm_widen_key #(.Width(Width), .KeyWidth(KeyWidth), .Channel(Channel)) dut (
    .clk_i, .rst_ni, .clear_i, .key_valid_i, .key_ready_o(key_ready), .key_i, .in_valid_i,
    .in_ready_o(in_ready), .in_key_i, .core_key_valid_o(core_key_valid), .core_key_ready_i,
    .core_key_o(core_key), .core_in_valid_o(core_valid), .core_in_ready_i,
    .core_in_key_o(core_in_key)
  );

  // The beat that goes next, 0 while there is none, and what it is of.
  logic accept, begins;
  logic [3:0] sent_q;
  logic [KeyWidth-1:0] key_q;
  assign accept = Held ? key_valid_i & key_ready : in_valid_i & in_ready;
  assign begins = Held ? core_key_valid & core_key_ready_i : core_valid & core_in_ready_i;
  always_ff @(posedge clk_i) begin
    if (accept) key_q <= Held ? key_i : in_key_i;
    if (!rst_ni || clear_i)            sent_q <= '0;
    else if (32'(sent_q) == Beats - 1) sent_q <= '0;
    else                               sent_q <= sent_q + 4'(accept | (sent_q != '0));
  end

  logic [Width-1:0] beat;
  assign beat = Held ? core_key : core_in_key;

  always_comb begin
    if (sent_q != '0 && Held) assume (!core_key_ready_i);
    if (sent_q != '0 && !Held) assume (!core_in_ready_i);
    if (started_q) begin
      // What is accepted enters the core; blocks pass by, and there is no key channel without one.
      assert (accept == begins && in_ready == core_in_ready_i && core_valid == in_valid_i);
      if (!Held) assert (!key_ready && !core_key_valid);
      // All of its beats follow each other.
      if (accept && Held) assert (beat == key_i[KeyWidth-1 -: Width]);
      if (accept && !Held) assert (beat == in_key_i[KeyWidth-1 -: Width]);
      assert (32'(sent_q) < Beats && 4'(dut.send_q) == sent_q);
      for (int unsigned i = 1; i < Beats; i++) begin
        if (32'(sent_q) == i) begin
          assert (beat == key_q[KeyWidth-1 - Width*i -: Width]);
          assert (dut.rest_q == (KeyWidth-Width)'(key_q << Width*(i-1)));
        end
      end
    end
  end
endmodule
"""
)

# The register beside the block.
KEY_BESIDE = """
      for (int unsigned i = 1; i < Beats; i++) begin
        if (32'(sent_q) == i) begin
          assert (dut.gen_with_block.key_q == (128-Width)'(key_q << Width*(i-1)));
        end
      end
"""

#: The module, what it is made of, its bench, and the parameters of both.
PROOFS: dict[str, tuple[list[str], str, list[str]]] = {
    "in": (["rsm_frame_in"], FRAME_IN, []),
    "in of 6": (["rsm_frame_in"], FRAME_IN, ["Words=6"]),
    "out": (["rsm_frame_out"], FRAME_OUT, []),
    "channels": (["rsm_channels32", *PARTS], CHANNELS, []),
    "held": (["rsm_widen"], WIDEN.replace("KEY_BESIDE", ""), []),
    "beside": (["rsm_widen"], WIDEN.replace("KEY_BESIDE", KEY_BESIDE), ["Held=0"]),
    "held, 64 bits": (["rsm_widen"], WIDEN.replace("KEY_BESIDE", ""), ["Width=64"]),
    "beside, 8 bits": (
        ["rsm_widen"],
        WIDEN.replace("KEY_BESIDE", KEY_BESIDE),
        ["Held=0", "Width=8"],
    ),
    "key": (["rsm_widen_key"], WIDEN_KEY, []),
    "key beside": (["rsm_widen_key"], WIDEN_KEY, ["Held=0", "KeyWidth=256"]),
}


@pytest.mark.parametrize("proof", PROOFS)
def test_every_frame_is_whole(proof: str, tmp_path: Path) -> None:
    names, bench, parameters = PROOFS[proof]
    files = [PACKAGE, *map(source, names)]
    prove(names[0], bench, tmp_path, *files, parameters=parameters)


@pytest.mark.parametrize(
    ("proof", "right", "wrong"),
    [
        # A frame begins that may not, or over another one; one is given up; words in the other
        # order; what a clear leaves.
        ("in", "= enable_i & ~busy_o;", "= ~busy_o;"),
        ("in", "= enable_i & ~busy_o;", "= enable_i;"),
        ("in", "else if (valid_o && ready_i) count_q", "else if (valid_o) count_q"),
        ("in", "busy_o ? ~valid_o : (valid_i & ready_o)", "valid_i & (ready_o | busy_o)"),
        ("in", "{data_q[32*Words-33:0], word_i}", "{word_i, data_q[32*Words-1:32]}"),
        ("in", "if (clear_i)    data_q <= '0;\n    else if", "if"),
        # Valid with every word; words in the other order; the last word stays.
        ("out", "= word_q[0];", "= |word_q;"),
        ("out", "= data_q[127:96];", "= data_q[31:0];"),
        ("out", "{data_q[95:0], 32'h0}", "{data_q[95:0], data_q[127:96]}"),
        ("out", "= (word_q != '0);", "= (word_q[2:0] != '0);"),
        # A key overtakes a block; a block overtakes a key, or begins before the core can use it;
        # the direction of the next block; idle too early.
        ("channels", "key_whole & ~in_busy", "key_whole"),
        ("channels", "~key_busy & (usable_q", "(usable_q"),
        ("channels", "(usable_q[in_decrypt_i] | core_in_ready_i)", "1'b1"),
        ("channels", "|| (core_key_valid_o && core_key_ready_i)) usable_q", ") usable_q"),
        ("channels", "in_busy ? decrypt_q : in_decrypt_i", "in_decrypt_i"),
        ("channels", "if (!in_busy) decrypt_q", "if (in_busy) decrypt_q"),
        ("channels", "& ~in_busy & ~out_busy", "& ~in_busy"),
        # A block or a key enters between beats of a result; a key goes out as the block; beats of
        # another frame; the tag of the last beat; a result is shown twice.
        ("held", "= core_in_ready_i & ~between;", "= core_in_ready_i;"),
        ("held", "= core_key_ready_i & ~between;", "= core_key_ready_i;"),
        ("held", "{key_i[Rest-1:0], incoming}", "{in_block_i[Rest-1:0], incoming}"),
        ("held", "= sending ? data_q[127-:Width] : in_", "= accept ? data_q[127-:Width] : in_"),
        ("beside", "accept ? in_key_i[Rest-1:0] : key_q << Width", "key_q << Width"),
        ("beside", "sending ? key_q[Rest-1-:Width]", "sending ? key_q[Width-1:0]"),
        ("beside", "if (core_out_valid_i) tag_q", "tag_q"),
        ("beside", "assign out_valid_o = last;", "assign out_valid_o = collecting;"),
        ("beside", "core_idle_i & ~collect;", "core_idle_i;"),
        # A beat too many; a block is taken for a key; the first beat again.
        ("key", "if (send_q == count_t'(Beats - 1))", "if (1'b0)"),
        ("key", "? key_valid_i & core_key_ready_i :", "? in_valid_i & core_in_ready_i :"),
        ("key beside", "? key[Rest-1:0] : rest_q", "? key[KeyWidth-1:Width] : rest_q"),
        ("key beside", "= Held & key_valid_i;", "= key_valid_i;"),
    ],
)  # fmt: skip
def test_the_proofs_can_fail(proof: str, right: str, wrong: str, tmp_path: Path) -> None:
    names, bench, parameters = PROOFS[proof]
    broken = change(source(names[0]), right, wrong, tmp_path)
    files = [PACKAGE, broken, *map(source, names[1:])]
    refute(names[0], bench, tmp_path, *files, parameters=parameters)
