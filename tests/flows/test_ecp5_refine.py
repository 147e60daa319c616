"""Longest paths that are placed again: which cells are free, and the whole flow on a small core."""

import json
from pathlib import Path
from typing import Any

import pytest

from roundsmith.base.errors import RoundsmithError
from roundsmith.flows import ecp5, ecp5_fixed_places, ecp5_refine, targets
from roundsmith.tools import nextpnr

#: A carry chain, LUTs in front of flip-flops, and flip-flops in front of flip-flops.
CORE = """
module core (input logic clk_i, input logic [7:0] d_i, output logic [7:0] q_o);
  logic [7:0] a_q, b_q, c_q, count_q;
  always_ff @(posedge clk_i) begin
    a_q     <= d_i;
    b_q     <= (a_q << 1) ^ {a_q[3:0], a_q[7:4]} ^ (a_q & 8'h5a);
    c_q     <= b_q;
    count_q <= count_q + 8'd3;
  end
  assign q_o = c_q ^ count_q;
endmodule
"""


@pytest.fixture
def netlist(tmp_path: Path) -> ecp5.FpgaNetlist:
    file = tmp_path / "core.sv"
    file.write_text(CORE)
    return ecp5_fixed_places.paired(
        ecp5.synthesize_ecp5([file], "core", tmp_path, "written"), tmp_path
    )


def _cells(netlist: ecp5.FpgaNetlist) -> Any:
    return ecp5_fixed_places.module_of(netlist)["cells"]


def test_what_ends_a_long_path_is_free_with_the_lut_in_front_of_it(
    netlist: ecp5.FpgaNetlist,
) -> None:
    module = ecp5_fixed_places.module_of(netlist)
    cells = module["cells"]
    driver = {c["connections"]["Z"][0]: n for n, c in cells.items() if c["type"] == "LUT4"}
    flip_flops = [n for n, c in cells.items() if c["type"] == "TRELLIS_FF"]
    fed = next(n for n in flip_flops if cells[n]["connections"]["DI"][0] in driver)
    bare = next(n for n in flip_flops if cells[n]["connections"]["DI"][0] not in driver)
    lut = driver[cells[fed]["connections"]["DI"][0]]
    arrivals = {**dict.fromkeys(flip_flops, 1.0), fed: 2.0, bare: 1.91, "no cell": 2.0}
    # 500 MHz are 2 ns: what is longer than 1.9 ns.
    assert ecp5_refine.late(module, arrivals, 500) == {fed, lut, bare}
    # From 95 % of the longest where the core is faster than the device.
    assert ecp5_refine.late(module, arrivals, 100) == {fed, lut, bare}
    # From 95 % of the shortest clock of the device where it is slower.
    assert set(flip_flops) < ecp5_refine.late(module, arrivals, 1000)


def test_all_others_keep_their_places(netlist: ecp5.FpgaNetlist) -> None:
    module = ecp5_fixed_places.module_of(netlist)
    settled = dict(ecp5_fixed_places.fixable(module))
    free = sorted(settled)[:2]
    places = {name: f"X{i}/Y2/SLICEA.K0" for i, name in enumerate(module["cells"])}
    ecp5_refine.fix(module, places, set(free))
    fixed = {n: c["attributes"]["BEL"] for n, c in module["cells"].items() if c["attributes"]}
    assert fixed == {name: places[name] for name in settled if name not in free}
    chained = [n for n in module["cells"] if n not in settled]
    # The carry chain and the flip-flops behind it.
    assert {module["cells"][n]["type"] for n in chained} == {"CCU2C", "TRELLIS_FF"}


def test_the_connections_of_a_report_become_arrivals(tmp_path: Path) -> None:
    def end(cell: str, *delay: float, event: str = "posedge clk_i") -> dict[str, Any]:
        return {"cell": cell, "port": "DI", "event": event, "delay": list(delay)}

    clocked = {"net": "n", "driver": "d", "event": "posedge clk_i"}
    report = tmp_path / "report.json"
    nets = [
        {**clocked, "endpoints": [end("a", 1.0, 1.5), end("b", 0.5, 0.75)]},
        {**clocked, "endpoints": [end("a", 1.0, 1.25), end("out", 9.0, 9.0, event="async")]},
        {**clocked, "event": "async", "endpoints": [end("b", 8.0, 8.0)]},
    ]
    report.write_text(json.dumps({"fmax": {}, "detailed_net_timings": nets}))
    assert nextpnr.take_arrivals(report) == {"a": 1.5, "b": 0.75}
    assert json.loads(report.read_text()) == {"fmax": {}}


def test_a_round_never_makes_a_core_slower(
    netlist: ecp5.FpgaNetlist, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached = iter([300.0, 280.0, 350.0, 345.0, 371.0])
    asked: list[tuple[str, int]] = []

    def place_once(
        what: ecp5.FpgaNetlist, _s: str, _g: int, options: Any, target: int, seed: int
    ) -> ecp5.PlacedRun:
        assert nextpnr.DETAILED in options and target == 370
        folder = tmp_path / str(len(asked))
        folder.mkdir()
        bels = {name: [c["type"], "X2/Y2/SLICEA.K0"] for name, c in _cells(netlist).items()}
        (folder / "bels.json").write_text(json.dumps(bels))
        (folder / "arrivals.json").write_text(json.dumps(dict.fromkeys(bels, 1.0)))
        asked.append((what.json.name, seed))
        return ecp5.PlacedRun(seed, "", target, next(reached), {}, None, folder)

    monkeypatch.setattr(ecp5, "place_once", place_once)
    told: list[str] = []
    steps = ecp5.Steps(lambda text, _done, _all: told.append(text))
    run = ecp5_refine._refined(netlist, "85k", 8, 3, tmp_path, steps)
    # Above the 370 MHz of the clock tree there is nothing to win.
    assert (run.fmax_mhz, run.seed) == (371.0, 3)
    assert [seed for _, seed in asked] == [3, 30, 31, 32, 33]
    assert [name for name, _ in asked] == [netlist.json.name] + ["core_written_seed3.json"] * 4
    assert len(told) == 1 + ecp5_refine.ROUNDS
    assert told[2].endswith("round 2: 350.0 MHz") and told[3].endswith("round 3: 350.0 MHz")


def test_the_flow_on_a_small_core(tmp_path: Path) -> None:
    file = tmp_path / "core.sv"
    file.write_text(CORE)
    placed = ecp5_refine.measure([file], "core", "25k", 6, (1,), tmp_path / "out")
    assert placed.target == "ecp5-25k:6:refined" and set(placed.fmax_by_seed) == {1}
    assert placed.bels and placed.fmax_capped_mhz <= ecp5.CLOCK_TREE_MHZ[6]
    before = ecp5.place_once(
        placed.netlist,
        "25k",
        6,
        (*ecp5.PLACERS["static"], nextpnr.DETAILED),
        int(ecp5.CLOCK_TREE_MHZ[6]),
        1,
    )
    assert placed.fmax_mhz >= before.fmax_mhz


def test_its_target() -> None:
    target = targets.parse("ecp5-45k:8:refined")
    assert (target.size, target.grade, target.refined) == ("45k", 8, True)
    assert target.slug == "ecp5-45k-8-refined" and targets.parse("ecp5-45k:refined").grade == 6
    assert target.flow_text().startswith("ecp5-45k:8:refined;")
    assert ecp5_refine.FLOW in target.flow_text()
    for text in ("ice40-hx8k:refined", "mapped:xcve:refined", "ecp5-45k:refined:8"):
        with pytest.raises(RoundsmithError):
            targets.parse(text)
