"""Copies of a core in quarters of an ECP5-85k: netlists of one copy, places, and the whole flow."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from roundsmith import fpga, quarters, targets
from roundsmith.errors import RoundsmithError
from roundsmith.targets import Kind

#: A copy counts with a carry chain, and two flip-flops of different control share a LUT.
COPY = """
module copy #(parameter int Width = 4) (
  input logic clk_i, input logic clear_i, input logic [7:0] d_i, output logic [7:0] q_o
);
  logic [7:0] a_q, b_q, count_q;
  logic       plain_q, cleared_q;
  always_ff @(posedge clk_i) begin
    a_q     <= d_i;
    b_q     <= (a_q << 1) ^ {a_q[3:0], a_q[7:4]};
    count_q <= count_q + 8'd3;
    plain_q <= a_q[0] & a_q[3] & b_q[5];
    if (clear_i) cleared_q <= 1'b0;
    else         cleared_q <= a_q[0] & a_q[3] & b_q[5];
  end
  assign q_o = b_q ^ count_q ^ {6'b0, plain_q, cleared_q};
endmodule
"""

TOP = """
module two (
  input logic clk_i, input logic clear_i, input logic [15:0] d_i, output logic [15:0] q_o
);
  copy #(
    .Width (4)
  ) u_lane_0 (
    .clk_i, .clear_i, .d_i (d_i[7:0]), .q_o (q_o[7:0])
  );

  copy #(
    .Width (4)
  ) u_lane_1 (
    .clk_i, .clear_i, .d_i (d_i[15:8]), .q_o (q_o[15:8])
  );
endmodule
"""


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "copy.sv", tmp_path / "two.sv"]
    for path, text in zip(paths, (COPY, TOP), strict=True):
        path.write_text(text)
    return paths


def _module(files: list[Path], folder: Path) -> Any:
    netlist = fpga.synthesize_ecp5(files, "two", folder, "written")
    return quarters._module(quarters._in_copies(netlist, folder))


def test_every_flip_flop_has_a_lut_of_its_own(files: list[Path], tmp_path: Path) -> None:
    before = json.loads(fpga.synthesize_ecp5(files, "two", tmp_path, "written").json.read_text())[
        "modules"
    ]["two"]["cells"]
    cells = _module(files, tmp_path)["cells"]
    fed = [c["connections"]["DI"][0] for c in cells.values() if c["type"] == "TRELLIS_FF"]
    driver = {c["connections"]["Z"][0]: c for c in cells.values() if c["type"] == "LUT4"}
    assert len([d for d in fed if d in driver]) == len({d for d in fed if d in driver})
    copied = [name for name in cells if name not in before]
    assert copied
    for name in copied:
        flip_flop, lut = before[name.removesuffix("_LUT4")], cells[name]
        (first,) = (
            c
            for c in before.values()
            if c["type"] == "LUT4" and c["connections"]["Z"] == flip_flop["connections"]["DI"]
        )
        assert lut["parameters"] == first["parameters"]
        assert all(lut["connections"][pin] == first["connections"][pin] for pin in "ABCD")
        assert cells[name.removesuffix("_LUT4")]["connections"]["DI"] == lut["connections"]["Z"]


def test_equal_copies_are_one_netlist(files: list[Path], tmp_path: Path) -> None:
    module = _module(files, tmp_path)
    first, second = (quarters.alone(module, f"u_lane_{i}") for i in range(2))
    assert json.dumps(first) == json.dumps(second)
    assert len(first["cells"]) * 2 == len(module["cells"])


def test_quarters_have_logic_where_the_small_device_has_it() -> None:
    """Row 10 of an 85k and every twelfth from there holds memories; of a 25k it is row 13."""
    found = set()
    for quarter in quarters.QUARTERS:
        for column in quarters.COLUMNS:
            for row in quarters.ROWS:
                bel = quarters.moved(f"X{column}/Y{row}/SLICEB.K1", quarter)
                x, y = map(int, re.findall(r"\d+", bel)[:2])
                assert 2 <= x <= 124 and 2 <= y <= 93 and bel.endswith("/SLICEB.K1")
                assert (y % 12 == 10) is (row % 12 == 1)
                found.add(bel)
    assert len(found) == 4 * len(quarters.COLUMNS) * len(quarters.ROWS)
    with pytest.raises(RoundsmithError, match="'MULT'"):
        quarters.moved("MULT", (0, 0))


def test_the_flow_puts_each_copy_into_its_quarter(files: list[Path], tmp_path: Path) -> None:
    told: list[str] = []
    placed = quarters.measure(
        files, "two", 6, (1,), tmp_path / "out", lambda text, _done, _all: told.append(text)
    )
    assert placed.target == "ecp5-85k:6:floorplan" and set(placed.fmax_by_seed) == {1}
    assert placed.netlist.lut > placed.smallest_lut
    tried = [line for line in told if line.startswith("u_lane_0 by itself, seed ")]
    assert len(tried) == len(quarters.TRIES) and told[-1].startswith("all routed, seed 1")
    module = _module(files, tmp_path)
    luts = {name for name, cell in module["cells"].items() if cell["type"] == "LUT4"}
    assert len(luts) > 20
    for name in luts:
        x, y = map(int, re.findall(r"\d+", placed.bels[name][1])[:2])
        assert (x >= 64) is name.startswith("u_lane_1.") and 2 <= y <= 45, name


def test_what_has_no_floorplan_is_refused(files: list[Path]) -> None:
    target = targets.parse("ecp5-85k:7:floorplan")
    assert (target.kind, target.size, target.grade) == (Kind.ECP5, "85k", 7) and target.floorplan
    assert target.flow_text() != targets.parse("ecp5-85k:7").flow_text()
    with pytest.raises(RoundsmithError, match="no floorplan for ecp5-45k; ecp5-85k has one"):
        targets.parse("ecp5-45k:floorplan")
    with pytest.raises(RoundsmithError, match=r"two to four copies .* copy has one"):
        quarters.measure(files[:1], "copy", 6)
