"""Queues, and what changes the size of beats before and behind a mode, proved by induction.

Each proof follows one word or byte, any of them, from where it goes in to where it comes out, and
counts all of them. What the other sides may do is any sequence that keeps the rule of handshakes:
what is offered stays until it is taken, or until a clear.
"""

from pathlib import Path

import pytest

from proofs import BEGIN, FIFO, change, prove, refute, source
from roundsmith.paths import RTL

PACKAGE = RTL / "mode/rsm_mode_pkg.sv"

QUEUE = (
    """
module proof #(parameter int unsigned Depth = 2) (
  input logic clk_i, clear_i, in_valid_i, out_ready_i,
  input logic [2:0] in_data_i
);
"""
    + BEGIN
    + """
  logic idle, single, in_ready, out_valid;
  logic [2:0] out_data;

  rsm_mode_queue #(.Width(3), .Depth(Depth)) dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .single_o(single), .in_valid_i,
    .in_ready_o(in_ready), .in_data_i, .out_valid_o(out_valid), .out_ready_i,
    .out_data_o(out_data)
  );

  // Words that have come and gone, and one that is followed; cycles since a clear, as far as they
  // count, and whether a word has come since.
  logic [3:0] in_q, out_q, followed_q, here, place, since_q;
  logic [2:0] word_q, was_q;
  logic held_q, used_q;
  assign here = in_q - out_q;
  assign place  = followed_q - out_q;
  always_ff @(posedge clk_i) begin
    followed_q <= followed_q;
    held_q     <= rst_ni & ~clear_i & out_valid & ~out_ready_i;
    was_q      <= out_data;
    if (in_valid_i && in_ready && in_q == followed_q) word_q <= in_data_i;
    if (!rst_ni || clear_i) {in_q, out_q} <= '0;
    else begin
      in_q  <= in_q + 4'(in_valid_i & in_ready);
      out_q <= out_q + 4'(out_valid & out_ready_i);
    end
    if (!rst_ni)                          {since_q, used_q} <= {4'd15, 1'b1};
    else if (clear_i)                     {since_q, used_q} <= '0;
    else begin
      if (32'(since_q) < Depth)           since_q <= since_q + 4'd1;
      if (in_valid_i && in_ready)         used_q  <= 1'b1;
    end
  end

  logic open;
  assign open = 32'(since_q) >= Depth;

  always_comb begin
    if (started_q) begin
      // As many words are inside as have come and not gone, and no more than there is room for.
      assert (32'(here) <= Depth && out_valid == (here != '0));
      assert (in_ready == (open && 32'(here) < Depth));
      assert (single == (here == 4'd1) && idle == (open && here == '0));
      // They leave in their order, and wait as they are.
      if (out_valid && place == '0) assert (out_data == word_q);
      if (held_q) assert (out_valid && out_data == was_q);
      // After a clear nothing is left.
      if (!open) assert (here == '0);
      // Inside.
      assert (32'(dut.room_q) == Depth - 32'(here));
      assert (4'(dut.u_fifo.count_q) == here && dut.u_fifo.clearing_q == !open);
      assert (32'(dut.u_fifo.read_q) < Depth && 32'(dut.u_fifo.write_q) < Depth);
      if (!open) assert (dut.u_fifo.read_q == '0 && 4'(dut.u_fifo.write_q) == since_q);
      else assert (32'(dut.u_fifo.write_q)
                   == (32'(dut.u_fifo.read_q) + 32'(here)) % Depth);
      for (int unsigned i = 0; i < Depth; i++) begin
        if (place < here && i == (32'(dut.u_fifo.read_q) + 32'(place)) % Depth) begin
          assert (dut.u_fifo.memory_q[i] == word_q);
        end
        if (!used_q && i < 32'(since_q)) assert (dut.u_fifo.memory_q[i] == '0);
      end
    end
  end
endmodule
"""
)

KEEP = """
module proof import rsm_mode_pkg::*; (
  input logic clk_i,
  input bytes_t in_i, out_i
);
  bytes_t out;
  keep_t in_keep, out_keep;

  rsm_mode_keep dut (
    .in_bytes_i(in_i), .out_bytes_o(out), .core_in_keep_o(in_keep), .core_out_keep_i(out_keep)
  );

  // Ones from the left.
  assign out_keep = ~(16'hffff >> out_i);

  always_comb begin
    assume (in_i <= Full && out_i <= Full);
    assert (in_keep == ~(16'hffff >> in_i));
    assert (out == out_i);
  end
endmodule
"""

APART = (
    """
module proof import rsm_mode_pkg::*; (
  input logic clk_i, clear_i, in_valid_i, in_last_i, out_ready_i,
  input block_t in_data_i,
  input bytes_t in_bytes_i
);
"""
    + BEGIN
    + """
  logic idle, in_ready, out_valid, out_last;
  block_t out_data;
  bytes_t out_bytes;

  rsm_mode_apart dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .in_valid_i, .in_ready_o(in_ready), .in_data_i,
    .in_bytes_i, .in_last_i, .out_valid_o(out_valid), .out_ready_i, .out_data_o(out_data),
    .out_bytes_o(out_bytes), .out_last_o(out_last)
  );

  // Bytes of the beat at the port that have gone.
  logic taken, left;
  bytes_t gone_q, after;
  assign taken = in_valid_i & in_ready;
  assign left  = out_valid & out_ready_i;
  assign after = gone_q + out_bytes;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i || taken) gone_q <= '0;
    else if (left)                   gone_q <= after;
  end

  logic in_held_q, out_held_q;
  logic [133:0] in_was_q, in_is, out_was_q, out_is;
  assign in_is  = {in_data_i, in_bytes_i, in_last_i};
  assign out_is = {out_data, out_bytes, out_last};
  always_ff @(posedge clk_i) begin
    in_held_q  <= rst_ni & ~clear_i & in_valid_i & ~in_ready;
    in_was_q   <= in_is;
    out_held_q <= rst_ni & ~clear_i & out_valid & ~out_ready_i;
    out_was_q  <= out_is;
  end

  always_comb begin
    assume (in_bytes_i <= Full);
    if (in_held_q) assume (in_valid_i && in_is == in_was_q);
    if (started_q) begin
      assert (5'(dut.number_q) == gone_q && idle == (gone_q == '0));
      if (gone_q != '0) assert (in_held_q && gone_q < in_bytes_i);
      // One byte a beat, the next one of its beat, and nothing behind it.
      assert (out_valid == in_valid_i);
      if (out_valid && in_bytes_i == '0) assert (out_bytes == '0);
      if (out_valid && in_bytes_i != '0) begin
        assert (out_bytes == 5'd1);
        assert (out_data == {in_data_i[127 - 8*gone_q[3:0] -: 8], 120'd0});
      end
      // The beat goes with its last byte, and so does `last`.
      assert (taken == (left && after == in_bytes_i));
      if (out_valid) assert (out_last == (in_last_i && after == in_bytes_i));
      if (out_held_q) assert (out_valid && out_is == out_was_q);
    end
  end
endmodule
"""
)

WHOLE = (
    """
module proof import rsm_mode_pkg::*; (
  input logic clk_i, clear_i, in_valid_i, in_last_i, out_ready_i,
  input logic [7:0] in_data_i,
  input logic in_byte_i,
  input status_t in_status_i
);
"""
    + BEGIN
    + """
  logic idle, in_ready, out_valid, out_last;
  block_t out_data;
  bytes_t out_bytes;
  status_t out_status;

  rsm_mode_whole dut (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .in_valid_i, .in_ready_o(in_ready), .in_data_i,
    .in_bytes_i({4'd0, in_byte_i}), .in_last_i, .in_status_i, .out_valid_o(out_valid),
    .out_ready_i, .out_data_o(out_data), .out_bytes_o(out_bytes), .out_last_o(out_last),
    .out_status_o(out_status)
  );

  logic taken, left;
  assign taken = in_valid_i & in_ready;
  assign left  = out_valid & out_ready_i;

  // All bytes and all last beats; the byte that is followed; the status that came last.
  logic [5:0] in_q, out_q, lasts_in_q, lasts_out_q, followed_q, here, place;
  logic [7:0] byte_q;
  logic last_q;
  status_t status_q;
  assign here = in_q - out_q;
  assign place  = followed_q - out_q;
  always_ff @(posedge clk_i) begin
    followed_q <= followed_q;
    if (!rst_ni || clear_i) begin
      {in_q, out_q, lasts_in_q, lasts_out_q, last_q} <= '0;
    end else begin
      in_q        <= in_q + 6'(taken & in_byte_i);
      lasts_in_q  <= lasts_in_q + 6'(taken & in_last_i);
      out_q       <= out_q + (left ? 6'(out_bytes) : 6'd0);
      lasts_out_q <= lasts_out_q + 6'(left & out_last);
      if (taken)     last_q <= in_last_i;
      else if (left) last_q <= 1'b0;
    end
    if (taken && in_byte_i && in_q == followed_q) byte_q <= in_data_i;
    if (taken) status_q <= in_status_i;
  end

  logic held_q, cleared_q;
  logic [$bits(status_t)+133:0] was_q, is;
  assign is = {out_data, out_bytes, out_last, out_status};
  always_ff @(posedge clk_i) begin
    held_q    <= rst_ni & ~clear_i & out_valid & ~out_ready_i;
    was_q     <= is;
    cleared_q <= clear_i;
  end

  always_comb begin
    // An empty beat is the last one.
    assume (in_byte_i || in_last_i);
    if (started_q) begin
      // Inside: as many bytes as have come in and not gone out.
      assert (here <= 6'd16 && 6'(dut.bytes_q) == here && dut.last_q == last_q);
      assert (lasts_in_q - lasts_out_q == 6'(last_q));
      assert (idle == (here == '0 && !last_q) && in_ready == !out_valid);
      if (place < here) assert (dut.data_q[127 - 8*place[3:0] -: 8] == byte_q);
      if (here != '0) begin
        for (int unsigned i = 0; i < 16; i++) begin
          if (i >= 32'(here)) assert (dut.data_q[127 - 8*i -: 8] == '0);
        end
      end
      // A beat goes out when it is full or the last one, with all that is inside.
      assert (out_valid == (here == 6'd16 || last_q));
      if (out_valid) begin
        assert (6'(out_bytes) == here && out_last == last_q && out_status == status_q);
        if (place < here) assert (out_data[127 - 8*place[3:0] -: 8] == byte_q);
        for (int unsigned i = 0; i < 16; i++) begin
          if (i >= 32'(here)) assert (out_data[127 - 8*i -: 8] == '0);
        end
      end
      if (held_q) assert (out_valid && is == was_q);
      if (cleared_q) assert (dut.data_q == '0 && !out_valid);
    end
  end
endmodule
"""
)

#: The module, its bench, and the parameters of both.
PROOFS: dict[str, tuple[str, str, list[str]]] = {
    **{
        f"queue of {depth}": ("rsm_mode_queue", QUEUE, [f"Depth={depth}"]) for depth in (1, 2, 3, 7)
    },
    "keep": ("rsm_mode_keep", KEEP, []),
    "apart": ("rsm_mode_apart", APART, []),
    "whole": ("rsm_mode_whole", WHOLE, []),
}


@pytest.mark.parametrize("proof", PROOFS)
def test_nothing_is_lost(proof: str, tmp_path: Path) -> None:
    name, bench, parameters = PROOFS[proof]
    prove(name, bench, tmp_path, PACKAGE, FIFO, source(name), parameters=parameters)


@pytest.mark.parametrize(
    ("proof", "right", "wrong"),
    [
        # A word too many, or too few; one while a clear goes on; a word that nobody took.
        ("queue of 2", "~clearing & (room_q != '0)", "~clearing"),
        ("queue of 2", "~clearing & (room_q != '0)", "(room_q != '0)"),
        ("queue of 3", "if (!rst_ni || clear_i) room_q", "if (!rst_ni) room_q"),
        ("queue of 2", "= in_valid_i & in_ready_o;", "= in_valid_i;"),
        ("queue of 2", "= out_valid_o & out_ready_i;", "= out_valid_o;"),
        ("queue of 2", "- count_t'(push) + count_t'(pop)", "- count_t'(push)"),
        ("queue of 3", "count_t'(Depth - 1)", "count_t'(1)"),
        ("queue of 3", "~clearing & ~out_valid_o;", "~out_valid_o;"),
        # One byte too few, either way.
        ("keep", "(in_bytes_i > bytes_t'(i))", "(in_bytes_i > bytes_t'(i + 1))"),
        ("keep", "out_bytes_o = bytes_t'(i + 1);", "out_bytes_o = bytes_t'(i);"),
        # A beat goes before its last byte, or never; the first byte again; what is behind a byte;
        # a byte of none; `last` comes with every byte; what a clear leaves.
        ("apart", "= out_ready_i & final_byte;", "= out_ready_i;"),
        ("apart", "{1'b0, number_q} + 5'd1", "{1'b0, number_q}"),
        ("apart", "120'd0}", "in_data_i[119:0]}"),
        ("apart", "number_q <= final_byte ? '0 : number_q + 4'd1;", "number_q <= '0;"),
        ("apart", "(in_bytes_i == '0) ? '0 : 5'd1", "5'd1"),
        ("apart", "in_last_i & final_byte", "in_last_i"),
        ("apart", "if (!rst_ni || clear_i)              number_q", "if (!rst_ni) number_q"),
        # A byte over another one, or one that is given up; bytes of old beats stay; the last beat
        # does not end; a beat is shown twice.
        ("whole", "data_d[127-8*bytes_q[3:0]-:8]", "data_d[7-:8]"),
        ("whole", "= ~out_valid_o;", "= 1'b1;"),
        ("whole", "(bytes_q == '0) ? '0 : data_q", "data_q"),
        ("whole", "last_q | (bytes_q == Full)", "(bytes_q == Full)"),
        ("whole", "= out_valid_o & out_ready_i;", "= 1'b0;"),
        ("whole", "= out_valid_o & out_ready_i;", "= out_valid_o;"),
        ("whole", "if (accept) status_q", "status_q"),
        ("whole", "if (clear_i)     data_q <= '0;\n    else if", "if"),
    ],
)  # fmt: skip
def test_the_proofs_can_fail(proof: str, right: str, wrong: str, tmp_path: Path) -> None:
    name, bench, parameters = PROOFS[proof]
    broken = change(source(name), right, wrong, tmp_path)
    refute(name, bench, tmp_path, PACKAGE, FIFO, broken, parameters=parameters)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        # A word in the place of another one; the youngest one first; a clear that leaves words; one
        # that ends too early; a queue that wraps too late.
        ("if (write) memory_q[write_q]", "if (write) memory_q[read_q]"),
        ("= memory_q[read_q];", "= memory_q[write_q];"),
        ("clearing_q ? '0 : data_i", "data_i"),
        ("clearing_q & ~last;", "1'b0;"),
        ("(ptr == ptr_t'(Depth - 1)) ? '0 : ptr + ptr_t'(1)", "ptr + ptr_t'(1)"),
        ("      count_d    = '0;\n", ""),
    ],
)
def test_the_proof_of_the_memory_can_fail(right: str, wrong: str, tmp_path: Path) -> None:
    name, bench, parameters = PROOFS["queue of 3"]
    broken = change(FIFO, right, wrong, tmp_path)
    refute(name, bench, tmp_path, PACKAGE, broken, source(name), parameters=parameters)
