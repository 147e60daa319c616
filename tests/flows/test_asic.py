"""The ASIC half of measurement: libraries, cell models, mapping and timing."""

from pathlib import Path

import pytest

from roundsmith.base.cache import cache_dir
from roundsmith.base.errors import ToolError
from roundsmith.flows import asic, targets
from roundsmith.tools import boolean, debian, liberty, opensta, yosys
from roundsmith.tools.cell_models import cell_models

# A cell's timing is one number here, so that a path's length is a sum: clock to output 0.3 ns,
# a gate 0.1 ns, setup 0.05 ns.
_THRESHOLDS = " ".join(
    f"{kind}_threshold_pct_{edge} : {value};"
    for kind, value in (("input", 50), ("output", 50), ("slew_lower", 20), ("slew_upper", 80))
    for edge in ("rise", "fall")
)
_ARC = """timing () {{ related_pin : "{pin}"; {kind}
    cell_rise (scalar) {{ values ("{ns}"); }} cell_fall (scalar) {{ values ("{ns}"); }}
    rise_transition (scalar) {{ values ("0.01"); }} fall_transition (scalar) {{ values ("0.01"); }}
}}"""
_SETUP = """timing () { related_pin : "CK"; timing_type : setup_rising;
    rise_constraint (scalar) { values ("0.05"); } fall_constraint (scalar) { values ("0.05"); }
}"""


def _pin(name: str, more: str = "") -> str:
    return f"pin ({name}) {{ direction : input; capacitance : 0.001; {more} }}"


def _gate(name: str, area: float, function: str, pins: str) -> str:
    arcs = " ".join(
        _ARC.format(pin=pin, kind="timing_sense : negative_unate;", ns="0.1") for pin in pins
    )
    inputs = " ".join(_pin(pin) for pin in pins)
    return f"""cell ({name}) {{ area : {area}; {inputs}
        pin (Y) {{ direction : output; max_capacitance : 1.0; function : "{function}"; {arcs} }}
    }}"""


def _flop(name: str, area: float, more_pins: str = "", more_state: str = "") -> str:
    arc = _ARC.format(pin="CK", kind="timing_type : rising_edge;", ns="0.3")
    return f"""cell ({name}) {{ area : {area};
        ff (IQ, IQN) {{ next_state : "D"; clocked_on : "CK"; {more_state} }}
        {_pin("CK", "clock : true;")} {_pin("D", _SETUP)} {more_pins}
        pin (Q) {{ direction : output; max_capacitance : 1.0; function : "IQ"; {arc} }} }}"""


_NAND = _gate("ND2", 4.0, "!(A*B)", "AB")
_INVERTER = _gate("INV", 2.0, "A'", "A")
_FLOP = _flop("DFF", 20.0)
# abc wants more than two kinds of gate.
_OTHERS = (_gate("NR2", 4.0, "!(A+B)", "AB"), _gate("BUF", 3.0, "A", "A"))
_LATCH = """cell (LAT) { area : 9; latch (IQ, IQN) { data_in : "D"; enable : "G"; } pin (D) {
    direction : input; } pin (G) { direction : input; } pin (Q) { direction : output;
    function : "IQ"; } }"""
_UNUSED = 'cell (TIED) { area : 0; pin (Y) { direction : output; function : "1"; } }'


def _library(folder: Path, *cells: str) -> Path:
    file = folder / "small.lib"
    file.write_text(
        'library (small) { /* cell (NOT_A_CELL) { */ delay_model : table_lookup; time_unit : "1ns";'
        ' capacitive_load_unit (1, pf); voltage_unit : "1V"; current_unit : "1uA";'
        ' pulling_resistance_unit : "1kohm"; leakage_power_unit : "1nW";\n'
        + _THRESHOLDS
        + "\n".join(cells)
        + "\n}\n"
    )
    return file


def _source(folder: Path, name: str, text: str) -> list[Path]:
    file = folder / f"{name}.sv"
    file.write_text(text)
    return [file]


RING = """
module ring (input logic clk_i, output logic q_o);
  always_ff @(posedge clk_i) q_o <= ~q_o;
endmodule
"""

# Everything a netlist can go wrong in: borders of instances, constants, resets, fan-out.
MIXED = """
module twist (input logic [3:0] a, input logic clear, output logic [3:0] y);
  assign y = clear ? 4'h0 : {a[2:0], a[3]} ^ (a & {4{a[0]}});
endmodule

module mixed (
  input  logic       clk_i, rst_ni,
  input  logic [3:0] a_i,
  output logic [3:0] q_o, p_o,
  output logic       one_o
);
  logic [3:0] y;
  twist u_first (.a(a_i ^ q_o), .clear(1'b0), .y);
  twist u_second (.a(q_o), .clear(a_i[0]), .y(p_o));
  assign one_o = 1'b1;
  always_ff @(posedge clk_i) if (!rst_ni) q_o <= '0; else q_o <= y;
endmodule
"""


@pytest.mark.parametrize(
    ("text", "table"),
    [("(A B)", 0b1000), ("A B' + !A*B", 0b0110), ("A^B", 0b0110), ("!A ^ B", 0b1001),
     ("(A+B)'", 0b0001), ("!(A&B)", 0b0111), ("A | 0", 0b1010), ("A !B", 0b0010)],
)  # fmt: skip
def test_functions_bind_as_liberty_says(text: str, table: int) -> None:
    assert boolean.parse(text).table(["A", "B"]) == table


@pytest.mark.parametrize("text", ["", "A +", "(A", "A)", "A $ B"])
def test_what_is_no_function_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="function"):
        boolean.parse(text)


def test_a_library_keeps_what_a_core_is_built_from(tmp_path: Path) -> None:
    big = _gate("ND2X4", 9.0, "!(A*B)", "AB")
    library = liberty.load(_library(tmp_path, _NAND, big, _INVERTER, _FLOP, _LATCH, _UNUSED))
    assert set(library.cells) == {"ND2", "ND2X4", "INV", "DFF"}
    assert library.left_out == {"LAT": "it is a latch", "TIED": "it has no area"}
    assert (library.gate.name, library.inverter.name, library.flop.name) == ("ND2", "INV", "DFF")
    assert library.ge(20.0) == 5.0
    assert library.cells["DFF"].pins["D"].capacitance == pytest.approx(1.0)
    # The copy that the tools read says the same.
    assert set(liberty.load(library.path).cells) == set(library.cells)


@pytest.mark.parametrize(
    ("cells", "missing"),
    [((_INVERTER, _FLOP), "NAND"), ((_NAND, _FLOP), "inverter"), ((_NAND, _LATCH), "inverter and")],
)
def test_a_library_without_the_basic_cells_is_refused(
    tmp_path: Path, cells: tuple[str, ...], missing: str
) -> None:
    with pytest.raises(ToolError, match=missing):
        liberty.load(_library(tmp_path, *cells))


@pytest.mark.parametrize("text", ["", "module a; endmodule", "library (x) { cell (A) {", "{}"])
def test_what_is_no_liberty_file_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "wrong.lib"
    file.write_text(text)
    with pytest.raises(ToolError, match="not a Liberty file"):
        liberty.load(file)


def test_a_missing_liberty_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"gone\.lib cannot be read: No such file"):
        liberty.load(tmp_path / "gone.lib")


def test_period_and_area_of_a_ring_are_sums(tmp_path: Path) -> None:
    """A flip-flop and an inverter: 0.3 + 0.1 + 0.05 ns, and (20 + 2) / 4 GE."""
    library = liberty.load(_library(tmp_path, _NAND, _INVERTER, _FLOP, *_OTHERS))
    result = asic.synthesize(_source(tmp_path, "ring", RING), "ring", library, tmp_path)
    assert result.cells == {"DFF": 1, "INV": 1}
    assert result.ge == 5.5
    assert result.timing.cycle == pytest.approx(0.45)
    assert result.timing.to_outputs == pytest.approx(0.3)
    assert [(s.cell, s.arrival) for s in result.timing.path] == [
        ("DFF", 0.0), ("DFF", 0.3), ("INV", 0.4), ("DFF", 0.4)
    ]  # fmt: skip


def test_a_flip_flop_with_an_unused_reset_serves_as_a_plain_one(tmp_path: Path) -> None:
    flop = _flop("DFFR", 24.0, _pin("RN"), 'clear : "!RN";')
    library = liberty.load(_library(tmp_path, _NAND, _INVERTER, flop, *_OTHERS))
    result = asic.synthesize(_source(tmp_path, "ring", RING), "ring", library, tmp_path)
    assert result.cells == {"DFFR": 1, "INV": 1}
    assert ".RN(1'h1)" in result.netlist.read_text()


def test_osu018_has_the_areas_that_are_drawn() -> None:
    library = liberty.osu018()
    drawn = {"NAND2X1": 24, "OAI21X1": 32, "NAND3X1": 32, "XOR2X1": 56, "DFFPOSX1": 96}
    assert {name: library.cells[name].area for name in drawn} == drawn
    assert set(library.left_out) == {"LATCH", "TBUFX1", "TBUFX2"}
    assert "OAI21X1" in library.mended
    assert (library.gate.name, library.driver.name) == ("NAND2X1", "BUFX2")


# The LEF files: lambda is 0.2 and 0.3 um in the grids of SCN4M_SUBM.20 and SCN3ME_SUBM.30.
@pytest.mark.parametrize(("name", "gate", "flop"), [("osu035", 96, 384), ("osu050", 216, 864)])
def test_the_older_libraries_of_osu_are_mended_too(name: str, gate: int, flop: int) -> None:
    library = targets.parse(f"asic:{name}").library()
    assert (library.gate.name, library.gate.area) == ("NAND2X1", gate)
    assert (library.flop.name, library.flop.area) == ("DFFPOSX1", flop)
    assert library.cells["OAI21X1"].area == library.cells["NAND3X1"].area == gate * 4 / 3
    assert "OAI21X1" in library.mended and library.doubted == ()
    assert library.left_out["PADINC"] == "it is a pad"
    (note,) = library.notes()
    assert "NAND3X1" in note


def test_an_area_that_cannot_be_is_left_out_and_said(tmp_path: Path) -> None:
    """OSU's own OAI21X1 has 23 um^2 in Liberty, a NAND of two inputs 24."""
    small_oai = _gate("OAI21", 3.9, "!((A+B)*C)", "ABC")
    tiny = _gate("NR2B", 1.5, "!(A+B)", "AB")
    small_flop = _flop("DFFS", 7.0)
    timeless = _gate("ND3", 6.0, "!(A*B*C)", "").replace(
        "pin (Y)", " ".join(_pin(p) for p in "ABC") + " pin (Y)"
    )
    cells = (_NAND, _INVERTER, _FLOP, *_OTHERS, small_oai, tiny, small_flop, timeless)
    library = liberty.load(_library(tmp_path, *cells))
    assert set(library.cells) == {"ND2", "INV", "DFF", "NR2", "BUF"}
    assert set(library.doubted) == {"OAI21", "NR2B", "DFFS", "ND3"}
    assert library.left_out["OAI21"] == (
        "its area is 3.9, too little for a gate of more inputs next to ND2 with 4"
    )
    assert library.left_out["ND3"] == "it has no delays"
    assert len(library.notes()) == 4
    # What is right next to them stays: an area equal to the inverter's is no nonsense.
    same = _gate("ND2S", 2.0, "!(A*B)", "AB")
    library = liberty.load(_library(tmp_path, _NAND, same, _INVERTER, _FLOP, *_OTHERS))
    assert "ND2S" in library.cells and library.doubted == ()


def test_a_lef_file_beside_a_liberty_file_decides_the_areas(tmp_path: Path) -> None:
    file = _library(tmp_path, _NAND, _INVERTER, _FLOP, *_OTHERS)
    target = targets.parse(f"asic:{file}")
    alone = target.flow_text()
    file.with_suffix(".lef").write_text("MACRO ND2\n  SIZE 2.5 BY 2 ;\nEND ND2\n")
    library = target.library()
    assert library.cells["ND2"].area == library.gate.area == 5.0
    assert library.cells["INV"].area == 2.0
    assert "ND2 5 (Liberty: 4)" in library.mended
    assert "area : 5" in library.path.read_text()
    # Figures of other areas are other figures.
    assert target.flow_text() != alone


def test_period_of_a_ring_agrees_with_the_tables_of_osu018(tmp_path: Path) -> None:
    """The same sum by hand from OSU's tables, linear between and beyond their points.

    The falling edge of DFFPOSX1's Q is the slow one. Its load is INVX1's A: 9.32456 fF, which
    lies 0.576608 of the way from 5 to 12.5 fF; the clock's slew is 0, which is one third of a
    step (0.06 to 0.24 ns) before the first column.
      clock to Q, at 5 and at 12.5 fF: 0.159821 - (0.176886 - 0.159821) / 3 = 0.154133,
        0.169871 - (0.187740 - 0.169871) / 3 = 0.163915, so 0.159773 ns
      slew of Q: 0.041926 and 0.052476, so 0.048009 ns
    INVX1 rises into DFFPOSX1's D: 8.82947 fF, 0.510596 of the same step; its input's slew is
    0.099925 of a step (0.06 to 0.18 ns) before the first column.
      A to Y: 0.035715 and 0.049540, so 0.042774 ns; slew of Y: 0.036499 ns
    Setup of a rising D: slew 0.195842 of a step before the first column, clock 0.25 before:
      0.188724 and 0.182864, so 0.190189 ns
    """
    by_hand = 0.159773 + 0.042774 + 0.190189
    library = liberty.osu018()
    result = asic.synthesize(_source(tmp_path, "ring", RING), "ring", library, tmp_path)
    assert result.ge == pytest.approx((96 + 16) / 24, abs=0.01)
    assert result.timing.cycle == pytest.approx(by_hand, abs=2e-6)
    assert result.timing.setup == pytest.approx(0.190189, abs=2e-6)


@pytest.mark.parametrize("objective", ["area", "delay"])
def test_a_netlist_does_what_the_source_does(tmp_path: Path, objective: asic.Objective) -> None:
    library = liberty.osu018()
    files = _source(tmp_path, "mixed", MIXED)
    result = asic.synthesize(files, "mixed", library, tmp_path, objective)
    assert set(result.cells) <= set(library.cells)
    assert result.components[""] == pytest.approx(result.ge, rel=0.5)
    below = result.components["u_first"] + result.components["u_second"]
    assert 0 < below < result.components[""]
    yosys.run(
        [
            yosys.read_slang(files, "mixed"),
            "synth -flatten -noabc -top mixed",
            "design -stash source",
            yosys.read_slang([result.netlist, cell_models(library)], "mixed"),
            "synth -flatten -noabc -top mixed",
            "design -stash netlist",
            "design -copy-from source -as source mixed",
            "design -copy-from netlist -as netlist mixed",
            "miter -equiv -flatten -make_outputs source netlist miter",
            # One cycle of reset, then every input in every cycle; induction covers all lengths.
            "sat -verify -tempinduct -prove trigger 0 -set-at 1 in_rst_ni 0 -seq 1 miter",
        ],
        what="The comparison of the netlist with its source",
        folder=tmp_path / "compare",
    )


def test_a_script_that_abc_refuses_leaves_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library, files = liberty.osu018(), _source(tmp_path, "mixed", MIXED)
    good = asic.SCRIPTS["area"]["written"]
    bad = "strash; no_such_command"
    monkeypatch.setitem(asic.SCRIPTS, "area", {"written": good})
    alone = asic.synthesize(files, "mixed", library, tmp_path / "good")
    monkeypatch.setitem(asic.SCRIPTS, "area", {"bad": bad, "written": good})
    assert asic.synthesize(files, "mixed", library, tmp_path / "both").ge == alone.ge
    monkeypatch.setitem(asic.SCRIPTS, "area", {"bad": bad})
    with pytest.raises(ToolError, match="The mapping of mixed to osu018"):
        asic.synthesize(files, "mixed", library, tmp_path / "bad")


def test_cell_models_do_what_another_reader_of_the_library_says(tmp_path: Path) -> None:
    """Yosys reads the same Liberty file by itself; SAT compares cell by cell."""
    library = liberty.osu018()
    script = [f"read_liberty {library.path}", "design -stash theirs"]
    for name in library.cells:
        script += [
            # Not slang, which knows no flip-flop with two asynchronous inputs.
            f"read_verilog -sv {cell_models(library)}",
            f"synth -noabc -top {name}",
            f"design -stash ours_{name}",
            f"design -copy-from theirs -as theirs {name}",
            f"design -copy-from ours_{name} -as ours {name}",
            "miter -equiv -flatten -make_outputs theirs ours miter",
            # Flip-flops become functions of what they held a step ago, clocks ordinary inputs.
            "clk2fflogic miter",
            "opt_clean",
            "sat -verify -tempinduct -prove trigger 0 -set-init-zero -seq 1 miter",
            "design -reset",
        ]
    log = yosys.run(script, what="The comparison of the cell models", folder=tmp_path)
    assert log.count("SUCCESS") >= len(library.cells)


def test_a_latch_is_refused_by_name(tmp_path: Path) -> None:
    text = """
    module sleepy (input logic clk_i, en_i, d_i, output logic q_o);
      logic held;
      always_latch if (en_i) held = d_i;
      always_ff @(posedge clk_i) q_o <= held;
    endmodule
    """
    library = liberty.load(_library(tmp_path, _NAND, _INVERTER, _FLOP, *_OTHERS))
    with pytest.raises(ToolError, match="held is a latch"):
        asic.synthesize(_source(tmp_path, "sleepy", text), "sleepy", library, tmp_path)


def test_timing_refuses_a_cell_that_the_library_has_not(tmp_path: Path) -> None:
    library = liberty.load(_library(tmp_path, _NAND, _INVERTER, _FLOP, *_OTHERS))
    netlist = tmp_path / "odd.v"
    netlist.write_text("module odd (input clk_i); ODD u (.A(clk_i)); endmodule\n")
    with pytest.raises(ToolError, match="ODD not found"):
        opensta.min_period(netlist, library.path, "odd")


def test_opensta_and_its_package_have_versions() -> None:
    assert opensta.version()[0].isdigit()
    assert debian.version("qflow-tech-osu018")[0].isdigit()


def test_without_apt_the_sentence_names_package_and_alternative(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROUNDSMITH_CACHE", str(tmp_path))
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(ToolError, match=r"'qflow-tech-osu018'.*no apt-get.*--target asic:FILE"):
        debian.fetch("qflow-tech-osu018")


def test_a_failed_fetch_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROUNDSMITH_CACHE", str(tmp_path))
    monkeypatch.setattr(debian, "_archive", lambda *_: tmp_path / "broken.deb")
    (tmp_path / "broken.deb").write_text("not an archive")
    with pytest.raises(ToolError, match="Unpacking"):
        debian.fetch("qflow-tech-osu018")
    assert not any((cache_dir() / "debian").iterdir())
