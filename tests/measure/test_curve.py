"""The area-time curve of a core in standard cells: its clocks, its points, and that it resumes."""

from pathlib import Path

import pytest

from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError
from roundsmith.flows import asic, targets
from roundsmith.measure import curve
from roundsmith.records import records
from roundsmith.records.records import Measurement
from roundsmith.report import curve as picture
from roundsmith.tools import liberty

# A sum of four numbers: abc has something to trade.
SUM = """
module sum (input logic clk_i, input logic [7:0] a_i, output logic [7:0] q_o);
  logic [3:0][7:0] a_q;
  always_ff @(posedge clk_i) begin
    a_q <= {a_q[2:0], a_i};
    q_o <= a_q[0] + a_q[1] + (a_q[2] ^ a_q[3]);
  end
endmodule
"""


def _quiet(_step: str, _done: int, _total: int) -> None:
    pass


def _point(area: float, period: float) -> Measurement:
    return Measurement(
        name="x",
        target="asic:y",
        cycles_per_block=1,
        area_ge=area,
        cycle_ns=period,
        flow="delay at 1 ns: flat map",
        design_hash="0",
        tools={},
    )


def test_clocks_are_preferred_numbers_around_the_two_ends() -> None:
    assert curve.periods(5.5, 8.53) == [5.0, 5.6, 6.3, 7.1, 8.0, 9.0]
    assert curve.periods(0.95, 1.01) == [0.9, 1.0, 1.12]
    assert curve.periods(20.0, 20.0) == [20.0]
    assert curve.periods(9.99, 10.01) == [9.0, 10.0, 11.2]


def test_the_front_is_what_none_beats() -> None:
    fast, small, beaten, equal = _point(9, 1), _point(5, 3), _point(9, 2), _point(5, 4)
    assert curve.front([equal, beaten, small, fast]) == [fast, small]


def test_a_slower_clock_needs_no_larger_netlist(tmp_path: Path) -> None:
    (tmp_path / "sum.sv").write_text(SUM)
    library = liberty.osu018()
    found = [
        asic.at_period([tmp_path / "sum.sv"], "sum", library, tmp_path / f"at-{p}", p, 0.4)
        for p in (0.5, 9.0)
    ]
    hurried, relaxed = found
    # The first clock cannot be reached, and the fastest netlist is what comes nearest.
    assert hurried.timing.cycle > 0.5
    assert relaxed.timing.cycle <= 9.0
    assert relaxed.timing.cycle > hurried.timing.cycle
    assert relaxed.ge < hurried.ge
    area = sum(library.cells[cell].area * n for cell, n in relaxed.cells.items())
    assert relaxed.ge == pytest.approx(library.ge(area), abs=0.01)


def test_a_sweep_goes_on_where_it_was(own_records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (own_records / "measured/measurements.jsonl").write_text("")
    records._read.cache_clear()
    spec, target = catalogue.find("smallest-ge"), targets.parse("asic:osu018")
    monkeypatch.setattr(curve, "periods", lambda *_: [9.0, 20.0])
    first = curve.sweep(spec, target, progress=_quiet)
    # The netlist for the first clock is as small as the smallest: the curve ends there.
    assert [m.flow.partition(":")[0] for m in first] == [
        "delay-driven", "delay at 9 ns", "area-driven"
    ]  # fmt: skip
    point = first[1]
    assert point.cycle_ns is not None and point.cycle_ns <= 9.0
    assert curve.points(spec, target) == [point]
    # A point is none of the two records that a measurement has.
    assert len(records.current(spec, target)) == 2

    def refuse(*_args: object) -> None:
        raise AssertionError("a stored point was made again")

    monkeypatch.setattr(asic, "at_period", refuse)
    assert curve.sweep(spec, target, progress=_quiet) == first

    file = own_records / "curve.svg"
    picture.draw(first, file)
    text = file.read_text()
    assert "smallest-ge on asic:osu018" in text
    picture.draw(first, file)
    assert file.read_text() == text


def test_a_target_without_cells_has_no_curve() -> None:
    with pytest.raises(RoundsmithError, match="mapped:xcv has none"):
        curve.sweep(catalogue.find("smallest-ge"), targets.parse("mapped:xcv"), progress=_quiet)


@pytest.mark.long
def test_a_whole_curve_falls(own_records: Path) -> None:
    spec, target = catalogue.find("smallest-ge"), targets.parse("asic:osu018")
    found = curve.sweep(spec, target, progress=_quiet)
    best = curve.front(found)
    assert len(best) >= 4
    assert best[0].area_ge is not None and best[-1].area_ge is not None
    assert best[0].area_ge > 1.05 * best[-1].area_ge
