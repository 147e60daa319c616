"""The control of the small modes, proved by induction: each beat gets its own block's result.

A mode over a core with one block at a time has a register for the result and one for the answer.
The core is any that takes a block while it has none, or as one comes out, and gives it back after
any number of cycles, at least two. Blocks are numbered as they enter, and so is the result, so an
assertion says which block a beat is answered with. What the other sides may do is any sequence that
keeps the rule of handshakes: what is offered stays until it is taken, or until a clear.
"""

from pathlib import Path

import pytest

from proofs import BEGIN, change, prove, refute, source
from roundsmith.paths import RTL

PACKAGE = RTL / "mode/rsm_mode_pkg.sv"

ANSWER = (
    """
module proof import rsm_mode_pkg::*; (
  input logic clk_i, clear_i, write_i, last_i, refused_i, ready_i,
  input logic empty_i,
  input block_t data_i,
  input keep_t keep_i
);
"""
    + BEGIN
    + """
  logic valid, last;
  block_t data;
  keep_t keep;
  part_e part;
  status_t status;

  rsm_mode_answer dut (
    .clk_i, .rst_ni, .clear_i, .write_i, .data_i, .keep_i, .empty_i, .last_i, .refused_i,
    .valid_o(valid), .ready_i, .data_o(data), .keep_o(keep), .part_o(part), .last_o(last),
    .status_o(status)
  );

  logic here_q;
  block_t data_q;
  keep_t keep_q;
  logic last_q, refused_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) here_q <= 1'b0;
    else if (write_i) here_q <= 1'b1;
    else if (ready_i) here_q <= 1'b0;
    if (write_i) begin
      data_q <= '0;
      for (int i = 0; i < 16; i++) begin
        if (keep_i[15-i] && !empty_i) data_q[127 - 8*i -: 8] <= data_i[127 - 8*i -: 8];
      end
      {keep_q, last_q, refused_q} <= {empty_i ? '0 : keep_i, last_i, refused_i};
    end
  end

  always_comb begin
    if (valid) assume (!write_i);
    if (started_q) begin
      assert (valid == here_q);
      if (here_q) begin
        assert (data == data_q && keep == keep_q && last == last_q);
        assert (status.refused == refused_q && !status.wrong_tag && part == PartText);
      end else begin
        assert (data == '0);
      end
    end
  end
endmodule
"""
)

#: The other sides of a control: a core, an answer that waits, and beats that wait with what is said
#: of them.
SIDES = (
    BEGIN
    + """
  logic msg_ready, in_ready, core_valid, start, active, pending, enter, write, last, refused;
  logic empty;

  // The core has a block, of this number; the result, as the mode keeps it, is of that one.
  logic core_q, settled_q, answer_q, core_ready, core_gives;
  logic [3:0] core_number_q, number_q;
  assign core_gives = core_q & settled_q & core_done_i;
  assign core_ready = core_free_i & (~core_q | core_gives);

  always_ff @(posedge clk_i) begin
    settled_q <= core_q & ~core_gives;
    if (core_gives) number_q <= core_number_q;
    if (!rst_ni || clear_i) begin
      {core_q, answer_q} <= '0;
    end else begin
      core_q   <= (core_valid & core_ready) | (core_q & ~core_gives);
      answer_q <= write | (answer_q & ~out_ready_i);
    end
  end

  // Messages that have begun, and those that have had their last beat.
  logic [3:0] begun_q, ended_q;
  logic in_held_q, cleared_q;
  logic [8:0] in_was_q, in_is;
  assign in_is = {in_bytes_i, in_part_i, in_last_i, refuse_i};

  logic taken, void_q, bad, hollow;
  assign taken  = in_valid_i & in_ready;
  assign bad    = (in_part_i != PartText) | refuse_i | odd;
  assign hollow = void_q | bad | (in_bytes_i == '0);

  always_ff @(posedge clk_i) begin
    cleared_q <= rst_ni & clear_i;
    in_held_q <= rst_ni & ~clear_i & in_valid_i & ~in_ready;
    in_was_q  <= in_is;
    if (start) void_q <= (msg_slot_i != '0);
    else if (taken) void_q <= void_q | bad;
    if (!rst_ni || clear_i) begin
      {begun_q, ended_q} <= '0;
    end else begin
      begun_q <= begun_q + 4'(start);
      ended_q <= ended_q + 4'(write & last);
    end
  end
"""
)

INPUTS = """
  input logic clk_i, clear_i, msg_valid_i, in_valid_i, in_last_i, refuse_i, wait_i,
  input logic core_free_i, core_done_i, out_ready_i,
  input logic [3:0] msg_slot_i,
  input bytes_t in_bytes_i,
  input logic [1:0] in_part_i
"""

COMMON_PORTS = """
    .clk_i, .rst_ni, .clear_i, .msg_valid_i, .msg_ready_o(msg_ready), .msg_slot_i, .in_valid_i,
    .in_ready_o(in_ready), .in_any_i(in_bytes_i != '0), .in_part_i, .in_last_i,
    .core_in_valid_o(core_valid), .core_in_ready_i(core_ready), .core_out_valid_i(core_gives),
    .out_valid_i(answer_q), .start_o(start), .active_o(active), .pending_o(pending),
    .enter_o(enter), .refuse_i, .wait_i, .write_o(write), .empty_o(empty), .last_o(last),
    .refused_o(refused)
"""

THROUGH = (
    "module proof import rsm_mode_pkg::*; ("
    + INPUTS
    + ");\n  logic odd;\n  assign odd = (in_bytes_i != Full) & (in_bytes_i != '0);\n"
    + SIDES
    + """
  logic busy;

  rsm_mode_single_through dut ("""
    + COMMON_PORTS
    + """    , .busy_o(busy), .in_full_i(in_bytes_i == Full)
  );

  // Beats that have entered and that have left; what is said of the one that is followed.
  logic [3:0] entered_q, left_q, followed_q;
  logic whole_q, last_q, refused_q;

  always_ff @(posedge clk_i) begin
    followed_q <= followed_q;
    if (enter) core_number_q <= entered_q;
    if (enter && entered_q == followed_q) begin
      {whole_q, last_q, refused_q} <= {~hollow, in_last_i, void_q | bad};
    end
    if (!rst_ni || clear_i) begin
      {entered_q, left_q} <= '0;
    end else begin
      entered_q <= entered_q + 4'(enter);
      left_q    <= left_q + 4'(write);
    end
  end

  // The last beats that are on their way.
  logic [1:0] lasts;
  assign lasts = 2'(core_q & dut.core_said_q.last) + 2'(pending & dut.result_said_q.last);

  always_comb begin
    assume (in_bytes_i <= Full);
    if (in_held_q) assume (in_valid_i && in_is == in_was_q);
    if (started_q) begin
      assert (dut.busy_q == core_q && dut.result_q == pending && busy == core_q);
      assert (entered_q - left_q == 4'(core_q) + 4'(pending));
      assert (begun_q - ended_q == 4'(active) + 4'(lasts));
      // A block behind a result has just entered, and the result goes on at once.
      if (core_q && pending) assert (!settled_q && !answer_q);
      if (active) assert (dut.refused_q == void_q);
      if (core_q) assert (core_number_q == entered_q - 4'd1);
      if (pending) assert (number_q == left_q);
      if (core_q && core_number_q == followed_q) begin
        assert (dut.core_said_q == {whole_q, last_q, refused_q});
      end
      if (pending && number_q == followed_q) begin
        assert (dut.result_said_q == {whole_q, last_q, refused_q});
      end
      // Nothing is taken outside a message; a beat that counts has a block, and no other but the
      // last; no block enters that was not taken.
      if (taken) assert (active && enter == (~hollow | in_last_i));
      if (enter) assert (taken && core_valid && core_ready);
      // No result is lost: not in its register, not in the answer.
      if (core_gives) assert (!pending || write);
      if (write) assert (!answer_q && pending && number_q == left_q);
      if (write && left_q == followed_q) begin
        assert (last == last_q && refused == refused_q && empty == !whole_q);
      end
      assert (dut.closed_q == cleared_q);
      if (cleared_q) assert (!msg_ready && !in_ready && !core_valid && !write);
    end
  end
endmodule
"""
)


def ahead(begun: int) -> str:
    """Return the bench of rsm_mode_single_ahead, where the first block begins with its message."""
    return (
        "module proof import rsm_mode_pkg::*; (\n  input logic beside_i, alone_i,"
        + INPUTS
        + ");\n  logic odd;\n  assign odd = 1'b0;\n"
        + SIDES
        + f"""
  logic own, next;

  rsm_mode_single_ahead #(.Begun({begun})) dut ("""
        + COMMON_PORTS
        + f"""    , .own_o(own), .next_o(next), .beside_i, .alone_i
  );

  // Of a message: blocks that have entered, and beats that have left.
  logic [3:0] entered_q, left_q;

  always_ff @(posedge clk_i) begin
    if (enter) core_number_q <= start ? '0 : entered_q;
    if (start) begin
      entered_q <= {begun};
      left_q    <= '0;
    end else begin
      entered_q <= entered_q + 4'(enter);
      left_q    <= left_q + 4'(write);
    end
  end

  always_comb begin
    assume (in_bytes_i <= Full);
    if (in_held_q) assume (in_valid_i && in_is[8:1] == in_was_q[8:1]);
    // A beat may turn out to be refused until the next one has its block.
    if (in_held_q) assume (in_is[0] >= in_was_q[0]);
    if (next) assume (in_is[0] == in_was_q[0]);
    if (started_q) begin
      assert (dut.result_q == pending);
      assert (begun_q - ended_q == 4'(active));
      if (active) begin
        assert (dut.refused_q == void_q);
        assert (entered_q - left_q == 4'(own) + 4'(next));
        assert (4'(own) + 4'(next) == 4'(core_q) + 4'(pending));
        if (next) assert (own && in_held_q && !answer_q);
        if (next) assert (!void_q && in_was_q[8:4] != '0 && in_was_q[3:2] == PartText);
        if (next) assert (in_was_q[1:0] == '0);
        if (core_q) assert (core_number_q == entered_q - 4'd1);
        if (pending) assert (number_q == left_q);
      end else begin
        // Between messages the core and the registers are empty: no result is for another one.
        assert (!core_q && !pending);
      end
      if (start) assert (!active && enter == {begun});
      if (taken) assert (active);
      if (taken) assert (write == (~hollow | in_last_i));
      if (core_gives) assert (!pending || write);
      // A beat leaves with its own result, and says of itself what is so.
      if (write) begin
        assert (taken && !answer_q && pending && number_q == left_q);
        assert (last == in_last_i && refused == (void_q | bad));
        assert (empty == hollow);
      end
      assert (dut.closed_q == cleared_q);
      if (cleared_q) assert (!msg_ready && !in_ready && !core_valid && !write);
    end
  end
endmodule
"""
    )


PROOFS = {
    "answer": ("rsm_mode_answer", ANSWER),
    "through": ("rsm_mode_single_through", THROUGH),
    "ahead": ("rsm_mode_single_ahead", ahead(0)),
    "ahead-begun": ("rsm_mode_single_ahead", ahead(1)),
}


@pytest.mark.parametrize("proof", PROOFS)
def test_every_beat_gets_its_own_result(proof: str, tmp_path: Path) -> None:
    name, bench = PROOFS[proof]
    prove(name, bench, tmp_path, PACKAGE, source(name))


@pytest.mark.parametrize(
    ("proof", "right", "wrong"),
    [
        # A byte that does not count is shown; a beat is given up; a beat stays after it was taken.
        ("answer", "fills & keep_i[15-i]", "fills"),
        ("answer", "write_i & ~empty_i", "write_i"),
        ("answer", "valid_q & ~ready_i", "1'b0"),
        ("answer", "valid_q & ~ready_i", "valid_q"),
        # A block enters while the answer waits, or before the one in front is out; a result is
        # written over; what was said of a block is said of the next one; a refusal is forgotten.
        ("through", "(~out_valid_i | (~busy_q & ~result_q))", "1'b1"),
        ("through", "(~out_valid_i | (~busy_q & ~result_q))", "(~out_valid_i | ~busy_q)"),
        ("through", "result_q & ~out_valid_i;", "result_q;"),
        ("through", "if (core_out_valid_i) result_said_q", "if (enter_o) result_said_q"),
        ("through", "refused_q <= refused_q | bad;", "refused_q <= bad;"),
        ("through", "closed_q <= rst_ni & clear_i", "closed_q <= 1'b0"),
        # The block of the next beat enters while an answer waits, or behind the last beat; a beat
        # leaves without its result; one that is refused is answered with text.
        ("ahead", "~hollow & ~in_last_i & ~out_valid_i", "~hollow & ~in_last_i"),
        ("ahead", "~hollow & ~in_last_i & ~out_valid_i", "~hollow & ~out_valid_i"),
        ("ahead", "(skip | (result_q & ~out_valid_i", "(skip | (~out_valid_i"),
        ("ahead", "assign empty_o    = hollow", "assign empty_o    = ~in_any_i"),
        ("ahead", "own_q  <= next_q | enter_o;", "own_q  <= next_q;"),
        ("ahead-begun", "own_q  <= Begun;", "own_q  <= 1'b0;"),
        ("ahead-begun", "~closed_q & (~Begun | core_in_ready_i)", "~closed_q"),
    ],
)
def test_the_proofs_can_fail(proof: str, right: str, wrong: str, tmp_path: Path) -> None:
    name, bench = PROOFS[proof]
    refute(name, bench, tmp_path, PACKAGE, change(source(name), right, wrong, tmp_path))
