"""Copies of a core in quarters of an ECP5-85k: netlists of one copy, places, and the whole flow."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from roundsmith.base.errors import DoesNotFit, RoundsmithError
from roundsmith.flows import ecp5, ecp5_fixed_places, ecp5_quarters, targets

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


def _paired(files: list[Path], folder: Path) -> ecp5.FpgaNetlist:
    return ecp5_fixed_places.paired(ecp5.synthesize_ecp5(files, "two", folder, "written"), folder)


def _module(files: list[Path], folder: Path) -> Any:
    return ecp5_fixed_places.module_of(_paired(files, folder))


def test_every_flip_flop_has_a_lut_of_its_own(files: list[Path], tmp_path: Path) -> None:
    before = json.loads(ecp5.synthesize_ecp5(files, "two", tmp_path, "written").json.read_text())[
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
    first, second = (ecp5_quarters.alone(module, f"u_lane_{i}") for i in range(2))
    assert json.dumps(first) == json.dumps(second)
    assert len(first["cells"]) * 2 == len(module["cells"])


def test_quarters_have_logic_where_the_small_device_has_it() -> None:
    """Row 10 of an 85k and every twelfth from there holds memories; of a 25k it is row 13."""
    found = set()
    for quarter in ecp5_quarters.QUARTERS:
        for column in ecp5_quarters.COLUMNS:
            for row in ecp5_quarters.ROWS:
                bel = ecp5_quarters.moved(f"X{column}/Y{row}/SLICEB.K1", quarter)
                x, y = map(int, re.findall(r"\d+", bel)[:2])
                assert 2 <= x <= 124 and 2 <= y <= 93 and bel.endswith("/SLICEB.K1")
                assert (y % 12 == 10) is (row % 12 == 1)
                found.add(bel)
    assert len(found) == 4 * len(ecp5_quarters.COLUMNS) * len(ecp5_quarters.ROWS)
    with pytest.raises(RoundsmithError, match="'MULT'"):
        ecp5_quarters.moved("MULT", (0, 0))


def test_all_but_a_quarter_of_the_small_device_is_filled() -> None:
    """A 25k has 24,288 LUT4; a slice of eight places has two of them."""
    module = {"cells": {}, "ports": {"clk_i": {"bits": [2]}}, "netnames": {}}
    ecp5_quarters.block(module)
    bels = [cell["attributes"]["BEL"] for cell in module["cells"].values()]
    assert len(set(bels)) == len(bels)
    luts = [bel for bel in bels if ".K" in bel]
    assert len(luts) * 2 == len(bels)
    free_rows = [row for row in ecp5_quarters.ROWS if row % 12 != 1]
    assert 24_288 - len(luts) == len(ecp5_quarters.COLUMNS) * len(free_rows) * 8
    for bel in bels:
        x, y = map(int, re.findall(r"\d+", bel)[:2])
        assert not (x in ecp5_quarters.COLUMNS and y in ecp5_quarters.ROWS)


@pytest.mark.parametrize("reached", [(90.0, 120.0, 110.0, 70.0), (90.0, None, 110.0, None)])
def test_the_fastest_seed_of_a_copy_stands(
    reached: tuple[float | None, ...],
    files: list[Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def tried(_lone: ecp5.FpgaNetlist, _grade: int, seed: int) -> ecp5.PlacedRun | None:
        mhz = reached[seed - 1]
        folder = tmp_path / str(seed)
        folder.mkdir()
        bels = {"cell": ["LUT4", f"X{seed}/Y2/SLICEA.K0"], "blocked X1/Y2": ["LUT4", "X1/Y2"]}
        (folder / "bels.json").write_text(json.dumps(bels))
        return None if mhz is None else ecp5.PlacedRun(seed, "static", 260, mhz, {}, None, folder)

    monkeypatch.setattr(ecp5_quarters, "_tried", tried)
    netlist = _paired(files, tmp_path)
    best = reached.index(max(filter(None, reached))) + 1
    lanes = ["u_lane_0", "u_lane_1"]
    found = ecp5_quarters._places(netlist, lanes, 6, tmp_path, ecp5.Steps(None))
    assert found == {lane: {"cell": f"X{best}/Y2/SLICEA.K0"} for lane in lanes}


def test_a_copy_without_a_place_is_refused(
    files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ecp5_quarters, "_tried", lambda *_: None)
    netlist = _paired(files, tmp_path)
    with pytest.raises(DoesNotFit, match="No place was found for u_lane_0 of two in a quarter"):
        ecp5_quarters._places(netlist, ["u_lane_0"], 6, tmp_path, ecp5.Steps(None))


def test_what_is_chained_to_a_flip_flop_stays_free() -> None:
    """A distributed RAM shares a slice with the flip-flop behind it; a block RAM does not."""

    def cell(kind: str, **wires: int) -> Any:
        directions = {pin: "output" if pin in {"DO", "Q", "Z"} else "input" for pin in wires}
        pins = {pin: [bit] for pin, bit in wires.items()}
        return {"type": kind, "port_directions": directions, "connections": pins, "attributes": {}}

    cells = {
        "u_tile_1.ram": cell("TRELLIS_DPR16X4", DI=2, DO=3),
        "u_tile_1.behind": cell("TRELLIS_FF", DI=3, Q=4),
        "u_tile_1.block": cell("DP16KD", DI=4, DO=5),
        "u_tile_1.read": cell("TRELLIS_FF", DI=5, Q=6),
        "u_tile_1.lut": cell("LUT4", A=6, Z=2),
        "lut": cell("LUT4", A=6, Z=7),
    }
    inside = {name.removeprefix("u_tile_1."): "X2/Y5/SLICEA.K0" for name in cells}
    ecp5_quarters.fix({"cells": cells}, {"u_tile_0": {}, "u_tile_1": inside})
    fixed = {name: c["attributes"].get("BEL") for name, c in cells.items() if c["attributes"]}
    assert fixed == dict.fromkeys(("u_tile_1.read", "u_tile_1.lut"), "X64/Y2/SLICEA.K0")


@pytest.mark.long
def test_the_flow_puts_each_copy_into_its_quarter(files: list[Path], tmp_path: Path) -> None:
    told: list[str] = []
    placed = ecp5_quarters.measure(
        files, "two", 6, (1,), tmp_path / "out", lambda text, _done, _all: told.append(text)
    )
    assert placed.target == "ecp5-85k:6:floorplan" and set(placed.fmax_by_seed) == {1}
    assert placed.netlist.lut > placed.smallest_lut
    tried = [line for line in told if line.startswith("u_lane_0 by itself, seed ")]
    assert len(tried) == len(ecp5_quarters.TRIES) and told[-1].startswith("all routed, seed 1")
    module = _module(files, tmp_path)
    luts = {name for name, cell in module["cells"].items() if cell["type"] == "LUT4"}
    assert len(luts) > 20
    for name in luts:
        x, y = map(int, re.findall(r"\d+", placed.bels[name][1])[:2])
        assert (x >= 64) is name.startswith("u_lane_1.") and 2 <= y <= 45, name


def test_what_has_no_floorplan_is_refused(files: list[Path]) -> None:
    target = targets.parse("ecp5-85k:7:floorplan")
    assert (target.flow.name, target.size, target.grade) == ("ecp5", "85k", 7) and target.floorplan
    assert target.flow_text() != targets.parse("ecp5-85k:7").flow_text()
    with pytest.raises(RoundsmithError, match="no floorplan for ecp5-45k; ecp5-85k has one"):
        targets.parse("ecp5-45k:floorplan")
    with pytest.raises(RoundsmithError, match=r"two to four copies .* copy has one"):
        ecp5_quarters.measure(files[:1], "copy", 6)
