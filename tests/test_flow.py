"""The wrappers of the port, proved by induction for every core behind them.

rsm_flow never loses a result. The core is any circuit that gives back no more results than it
was given blocks. Then every block that was accepted holds a place in the FIFO until its result is
taken: places free, blocks in flight and results waiting always add up to the depth, so a push
never meets a full FIFO. And a result that is not taken stays where it is.

rsm_tiles gives every block to one tile and every result back, and keeps the order. The tiles are
any circuits of one latency.
"""

from pathlib import Path

import numpy as np
import pytest

from proofs import FIFO, change, prove, refute, source
from roundsmith import catalogue, generate, simulate

FLOW = """
module proof #(parameter int unsigned Depth = 2) (
  input logic clk_i, rst_ni, clear_i, in_valid_i, out_ready_i, core_in_ready_i, core_out_valid_i
);
  logic core_in_valid, out_valid, in_ready, idle, out_tag;
  logic [1:0] out_block;

  rsm_flow #(.BlockWidth(2), .TagWidth(1), .Depth(Depth)) u_flow (
    .clk_i, .rst_ni, .clear_i, .idle_o(idle), .in_valid_i, .in_ready_o(in_ready),
    .out_valid_o(out_valid), .out_ready_i, .out_block_o(out_block), .out_tag_o(out_tag),
    .core_idle_i(1'b1), .core_in_valid_o(core_in_valid), .core_in_ready_i,
    .core_out_valid_i(core_out_valid_i), .core_out_block_i(2'h0), .core_out_tag_i(1'b0)
  );

  // Blocks inside the core, as anybody outside would count them.
  logic [7:0] flight_q;
  logic accepted;
  assign accepted = core_in_valid & core_in_ready_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) flight_q <= '0;
    else flight_q <= flight_q + 8'(accepted) - 8'(core_out_valid_i);
  end

  // A result that was not taken.
  logic waited_q = 1'b0;
  logic [7:0] place_q;
  always_ff @(posedge clk_i) begin
    waited_q <= out_valid & ~out_ready_i & rst_ni & ~clear_i;
    place_q <= 8'(u_flow.u_fifo.read_q);
  end

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;

  always_comb begin
    if (!started_q) assume (!rst_ni);
    if (core_out_valid_i) assume (flight_q != '0);
    assert ((in_valid_i & in_ready) == accepted);
    if (waited_q) assert (out_valid && 8'(u_flow.u_fifo.read_q) == place_q);
    if (started_q) begin
      assert (10'(u_flow.credits_q) + 10'(flight_q) + 10'(u_flow.u_fifo.count_q) == 10'(Depth));
      if (core_out_valid_i) assert (8'(u_flow.u_fifo.count_q) < 8'(Depth));
    end
  end
endmodule
"""

# Every tile is a delay line that takes a block when it likes to; one more takes every block.
TILES = """
module proof (
  input logic clk_i, rst_ni, in_valid_i, key_valid_i, block_i,
  input logic [2:0] ready_i, key_ready_i
);
  logic in_ready, key_ready, out_valid, idle;
  logic [127:0] out_block;
  logic [1:0] out_tag;
  logic [2:0] enter, key_enter, tile_valid;
  logic [2:0][127:0] tile_block;
  logic [2:0][1:0] tile_tag;

  rsm_tiles #(.Tiles(3), .TagWidth(2)) u_tiles (
    .idle_o(idle), .key_valid_i, .key_ready_o(key_ready), .in_valid_i, .in_ready_o(in_ready),
    .out_valid_o(out_valid), .out_block_o(out_block), .out_tag_o(out_tag),
    .tile_idle_i(3'b111), .tile_key_valid_o(key_enter), .tile_key_ready_i(key_ready_i),
    .tile_in_valid_o(enter), .tile_in_ready_i(ready_i), .tile_out_valid_i(tile_valid),
    .tile_out_block_i(tile_block), .tile_out_tag_i(tile_tag)
  );

  // What a tile shows while it has no result does not matter.
  logic [2:0][1:0] valid_q, data_q = '0;
  logic [1:0] all_q, all_data_q = '0;
  for (genvar i = 0; i < 3; i++) begin : gen_tile
    always_ff @(posedge clk_i) begin
      valid_q[i] <= rst_ni ? {valid_q[i][0], enter[i] & ready_i[i]} : 2'b00;
      data_q[i]  <= {data_q[i][0], block_i};
    end
    assign tile_valid[i] = valid_q[i][1];
    assign tile_block[i] = {128{data_q[i][1]}};
    assign tile_tag[i]   = {2{data_q[i][1]}};
  end
  always_ff @(posedge clk_i) begin
    all_q      <= rst_ni ? {all_q[0], in_valid_i & in_ready} : 2'b00;
    all_data_q <= {all_data_q[0], block_i};
  end

  logic started_q = 1'b0;
  always_ff @(posedge clk_i) started_q <= 1'b1;

  always_comb begin
    if (!started_q) assume (!rst_ni);
    assert (in_ready == |ready_i);
    assert ((enter & ready_i) == enter);
    assert ($countones(enter) == 32'(in_valid_i & in_ready));
    assert (key_enter == {3{key_valid_i & (&key_ready_i)}});
    if (started_q) begin
      assert (all_q[0] == |{valid_q[0][0], valid_q[1][0], valid_q[2][0]});
      assert ($countones({valid_q[0][0], valid_q[1][0], valid_q[2][0]}) <= 1);
      assert ($countones(tile_valid) <= 1);
      assert (out_valid == all_q[1]);
      assert (out_block == {128{out_valid & all_data_q[1]}});
      assert (out_tag == {2{out_valid & all_data_q[1]}});
      for (int i = 0; i < 3; i++) assert (data_q[i] == all_data_q);
    end
  end
endmodule
"""


def flow(depth: int) -> str:
    return FLOW.replace("Depth = 2", f"Depth = {depth}")


@pytest.mark.parametrize("depth", [1, 2, 3, 7])
def test_the_flow_loses_nothing(depth: int, tmp_path: Path) -> None:
    prove("rsm_flow", flow(depth), tmp_path, FIFO, source("rsm_flow"))


def test_the_proof_of_the_flow_can_fail(tmp_path: Path) -> None:
    # A credit that comes back when the result is merely valid, not taken.
    wrong = change(
        source("rsm_flow"),
        "assign release_credit = out_valid_o & out_ready_i;",
        "assign release_credit = out_valid_o;",
        tmp_path,
    )
    refute("rsm_flow", flow(2), tmp_path, FIFO, wrong)


def test_tiles_keep_the_order(tmp_path: Path) -> None:
    prove("rsm_tiles", TILES, tmp_path, source("rsm_tiles"))


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        # Two tiles take one block; a tile without a result speaks up; a key goes to some.
        ("waiting            = waiting & ~tile_in_ready_i[i];", "waiting = waiting;"),
        ("{128{tile_out_valid_i[i]}} & tile_out_block_i[i]", "tile_out_block_i[i]"),
        ("assign key_ready_o      = &tile_key_ready_i;", "assign key_ready_o = |tile_key_ready_i;"),
    ],
)
def test_the_proof_of_the_tiles_can_fail(right: str, wrong: str, tmp_path: Path) -> None:
    broken = change(source("rsm_tiles"), right, wrong, tmp_path)
    refute("rsm_tiles", TILES, tmp_path, broken)


def test_the_channels_of_lutz(tmp_path: Path) -> None:
    """28 cycles from the first word of a block to the last of its result, a block in 5 cycles."""
    spec = catalogue.find("lutz-rijndael-chip")
    program = simulate.build(spec, generate.design(spec).write(tmp_path))
    random = np.random.default_rng(1)
    count = 64
    given = simulate.stimulus(
        spec,
        [random.bytes(16)],
        random.bytes(16 * count),
        decrypt=random.integers(0, 2, count, dtype=bool),
        key=0,
    )
    found = simulate.run(program, spec, given).results
    # The harness sees word 0; the other three follow at once.
    assert set(found["appeared"] + 3 - found["accepted"]) == {28}
    # The first decryption waits until its key is expanded.
    assert set(np.diff(found["accepted"][4:])) == {5}
