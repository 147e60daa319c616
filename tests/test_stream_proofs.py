"""What lets several streams share AXI4-Stream, proved by induction as the blocks of the buses are.

Every transfer reaches the stream that its number names, in order and unchanged, or leaves with the
number of its stream; nobody is served twice while another one waits, and nothing that is offered
changes before it is taken.
"""

from pathlib import Path

import pytest

from proofs import BEGIN, FIFO, change, prove, refute, source

#: The places in front of each stream.
PARTS = (FIFO, source("rsm_mode_queue"))

# Three streams, so that one of the four numbers is that of none.
ROUTE = (
    """
module proof (
  input logic clk_i, in_valid_i, in_last_i,
  input logic [7:0] in_data_i,
  input logic [2:0] in_user_i, out_ready_i,
  input logic in_keep_i,
  input logic [1:0] in_tid_i
);
"""
    + BEGIN
    + """
  logic in_ready, idle;
  logic [2:0] out_valid, out_keep, out_last, header_here;
  logic [2:0][7:0] out_data;
  logic [2:0][2:0] out_user;

  rsm_stream_route #(.Streams(3), .Width(8), .Depth(2)) dut (
    .clk_i, .rst_ni, .clear_i(1'b0), .idle_o(idle), .header_here_o(header_here),
    .in_tvalid_i(in_valid_i), .in_tready_o(in_ready), .in_tdata_i(in_data_i),
    .in_tkeep_i(in_keep_i), .in_tlast_i(in_last_i), .in_tuser_i(in_user_i), .in_tid_i,
    .out_tvalid_o(out_valid), .out_tready_i(out_ready_i), .out_tdata_o(out_data),
    .out_tkeep_o(out_keep), .out_tlast_o(out_last), .out_tuser_o(out_user)
  );

  logic [12:0] in_is;
  assign in_is = {in_data_i, in_keep_i, in_last_i, in_user_i};

  // The places of each stream as they are, the oldest one first.
  logic [2:0][1:0][12:0] places;
  logic [2:0][1:0] count, room, headers;
  logic [2:0] odd, clearing;
  for (genvar i = 0; i < 3; i++) begin : gen_stream
    logic turn;
    assign turn        = dut.gen_stream[i].u_places.u_fifo.read_q;
    assign odd[i]      = turn ^ dut.gen_stream[i].u_places.u_fifo.write_q;
    assign clearing[i] = dut.gen_stream[i].u_places.u_fifo.clearing_q;
    assign count[i]    = dut.gen_stream[i].u_places.u_fifo.count_q;
    assign room[i]     = dut.gen_stream[i].u_places.room_q;
    assign headers[i]  = dut.gen_stream[i].headers_q;
    assign places[i]   = {dut.gen_stream[i].u_places.u_fifo.memory_q[~turn],
                          dut.gen_stream[i].u_places.u_fifo.memory_q[turn]};
  end

  // All transfers of each stream; the one of it that is followed.
  logic [2:0] taken, left;
  logic [2:0][3:0] in_q, out_q, followed_q;
  logic [2:0][12:0] transfer_q, out_is, out_was_q;
  logic [2:0] out_held_q;
  logic in_held_q;
  logic [14:0] in_was_q;

  always_comb begin
    for (int i = 0; i < 3; i++) begin
      taken[i]  = in_valid_i & in_ready & (32'(in_tid_i) == i);
      out_is[i] = {out_data[i], out_keep[i], out_last[i], out_user[i]};
    end
    left = out_valid & out_ready_i;
  end

  always_ff @(posedge clk_i) begin
    followed_q <= followed_q;
    in_held_q  <= rst_ni & in_valid_i & ~in_ready;
    in_was_q   <= {in_is, in_tid_i};
    out_held_q <= out_valid & ~out_ready_i & {3{rst_ni}};
    out_was_q  <= out_is;
    for (int i = 0; i < 3; i++) begin
      if (!rst_ni) {in_q[i], out_q[i]} <= '0;
      else begin
        in_q[i]  <= in_q[i] + 4'(taken[i]);
        out_q[i] <= out_q[i] + 4'(left[i]);
      end
      if (taken[i] && in_q[i] == followed_q[i]) transfer_q[i] <= in_is;
    end
  end

  always_comb begin
    if (in_held_q) assume (in_valid_i && {in_is, in_tid_i} == in_was_q);
    if (started_q) begin
      // Only a stream without a place holds the bus.
      if (in_tid_i == 2'd3) assert (in_ready);
      else assert (in_ready == (count[in_tid_i] != 2'd2));
      assert (idle == (count == '0));
      for (int i = 0; i < 3; i++) begin
        assert (!clearing[i] && count[i] + room[i] == 2'd2 && odd[i] == count[i][0]);
        assert (count[i] <= 2'd2 && headers[i] == 2'(count[i] != '0 && places[i][0][2])
                                                + 2'(count[i] == 2'd2 && places[i][1][2]));
        // In the places of a stream: the transfers that came and have not gone, in their order.
        assert (in_q[i] - out_q[i] == 4'(count[i]));
        if (4'(followed_q[i] - out_q[i]) < 4'(count[i]))
          assert (places[i][1'(followed_q[i] - out_q[i])] == transfer_q[i]);
        assert (out_valid[i] == (count[i] != '0));
        if (left[i] && out_q[i] == followed_q[i]) assert (out_is[i] == transfer_q[i]);
        if (out_held_q[i]) assert (out_valid[i] && out_is[i] == out_was_q[i]);
        assert (header_here[i] == ((count[i] != '0 && places[i][0][2])
                                   || (count[i] == 2'd2 && places[i][1][2])));
      end
    end
  end
endmodule
"""
)

MERGE = (
    """
module proof (
  input logic clk_i, out_ready_i,
  input logic [2:0] in_valid_i, in_keep_i, in_last_i,
  input logic [2:0][7:0] in_data_i,
  input logic [2:0][3:0] in_user_i
);
"""
    + BEGIN
    + """
  logic out_valid, out_keep, out_last;
  logic [2:0] in_ready;
  logic [7:0] out_data;
  logic [3:0] out_user;
  logic [1:0] out_tid;

  rsm_stream_merge #(.Streams(3), .Width(8)) dut (
    .clk_i, .rst_ni, .clear_i(1'b0), .in_tvalid_i(in_valid_i), .in_tready_o(in_ready),
    .in_tdata_i(in_data_i), .in_tkeep_i(in_keep_i), .in_tlast_i(in_last_i),
    .in_tuser_i(in_user_i), .out_tvalid_o(out_valid), .out_tready_i(out_ready_i),
    .out_tdata_o(out_data), .out_tkeep_o(out_keep), .out_tlast_o(out_last),
    .out_tuser_o(out_user), .out_tid_o(out_tid)
  );

  logic [2:0] taken, in_held_q;
  logic [2:0][13:0] in_is, in_was_q;
  logic [15:0] out_is, out_was_q;
  logic out_held_q;
  // Of two streams: the second one was served while the first one waited.
  logic [2:0][2:0] passed_q;
  assign taken  = in_valid_i & in_ready;
  assign out_is = {out_data, out_keep, out_last, out_user, out_tid};
  always_comb begin
    for (int i = 0; i < 3; i++)
      in_is[i] = {in_data_i[i], in_keep_i[i], in_last_i[i], in_user_i[i]};
  end

  always_ff @(posedge clk_i) begin
    in_held_q  <= in_valid_i & ~in_ready & {3{rst_ni}};
    in_was_q   <= in_is;
    out_held_q <= rst_ni & out_valid & ~out_ready_i;
    out_was_q  <= out_is;
    for (int i = 0; i < 3; i++) begin
      if (!rst_ni || !in_valid_i[i] || taken[i]) passed_q[i] <= '0;
      else passed_q[i] <= passed_q[i] | taken;
    end
  end

  // How many come before a stream in its turn; the one whose transfer is held is the first.
  function automatic logic [1:0] ahead(int unsigned stream);
    return 2'((stream + 2 + 32'(dut.held_q) - 32'(dut.last_q)) % 3);
  endfunction

  always_comb begin
    for (int i = 0; i < 3; i++) begin
      if (in_held_q[i]) assume (in_valid_i[i] && in_is[i] == in_was_q[i]);
    end
    if (started_q) begin
      assert (dut.last_q != 2'd3 && dut.held_q == out_held_q);
      assert (!dut.held_q || (in_valid_i[dut.last_q] && out_was_q[1:0] == dut.last_q
                              && in_is[dut.last_q] == out_was_q[15:2]));
      assert (out_valid == |in_valid_i);
      // What is taken is what leaves, once.
      assert ((|taken) == (out_valid & out_ready_i) && $countones(taken) <= 1);
      if (!out_valid) assert (out_is == '0);
      if (out_held_q) assert (out_valid && out_is == out_was_q);
      for (int i = 0; i < 3; i++) begin
        if (taken[i]) assert (out_is == {in_is[i], 2'(i)});
        for (int j = 0; j < 3; j++) begin
          // Nobody is served twice while another one waits.
          if (passed_q[i][j]) assert (in_valid_i[i] && !taken[j] && ahead(i) < ahead(j));
        end
      end
    end
  end
endmodule
"""
)

PROOFS = {"rsm_stream_merge": MERGE, "rsm_stream_route": ROUTE}


@pytest.mark.parametrize("name", PROOFS)
def test_nothing_is_lost(name: str, tmp_path: Path) -> None:
    prove(name, PROOFS[name], tmp_path, *PARTS, source(name))


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [
        # A transfer is lost, is everybody's, or holds the bus for nobody; a header is not seen.
        ("rsm_stream_route", "((mine & ~ready) == '0)", "1'b1"),
        ("rsm_stream_route", "in_tvalid_i & mine[i]", "in_tvalid_i"),
        ("rsm_stream_route", "((mine & ~ready) == '0)", "|(mine & ready)"),
        ("rsm_stream_route", "ready[i] & in_tuser_i[2]", "ready[i] & in_tlast_i"),
        # Another one comes between; one is always first; all are told that theirs was taken.
        ("rsm_stream_merge", "held_q ? last_q : turn", "turn"),
        ("rsm_stream_merge", "32'(last_q) < i - 1", "i == 0"),
        ("rsm_stream_merge", "given & {Streams{out_tready_i}}", "{Streams{out_tready_i}}"),
    ],
)
def test_the_proofs_can_fail(name: str, right: str, wrong: str, tmp_path: Path) -> None:
    broken = change(source(name), right, wrong, tmp_path)
    refute(name, PROOFS[name], tmp_path, *PARTS, broken)
