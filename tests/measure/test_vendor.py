"""Projects of Vivado and Quartus, and the records of what these report."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from roundsmith import catalogue, export
from roundsmith.base.errors import RoundsmithError, ToolError
from roundsmith.design import generate
from roundsmith.flows import synthesize, targets
from roundsmith.measure import vendor
from roundsmith.measure.measure import measure
from roundsmith.records import records
from roundsmith.report import figures
from roundsmith.tools import quartus, vivado

SPEC = catalogue.find("smallest-lut")
XILINX = targets.parse("vivado:xc7a35ticsg324-1L")
INTEL = targets.parse("quartus:5CSEMA5F31C6")

UTILIZATION = """\
Copyright 1986-2022 Xilinx, Inc. All Rights Reserved.
-----------------------------------------------------------------------------------------------
| Tool Version : Vivado v.2022.2 (lin64) Build 3671981 Fri Oct 14 04:59:54 MDT 2022
| Date         : Mon Mar  4 10:11:12 2024
| Host         : bench running 64-bit Debian GNU/Linux 12 (bookworm)
| Command      : report_utilization -file /home/a/core/vivado/{mark}.utilization.rpt
| Design       : smallest_lut
| Device       : xc7a35ticsg324-1L
| Speed File   : -1L
| Design State : {state}
-----------------------------------------------------------------------------------------------

Utilization Design Information

Table of Contents
-----------------
1. Slice Logic
2. Slice Logic Distribution
3. Memory

1. Slice Logic
--------------

+----------------------------+------+-------+------------+-----------+-------+
|          Site Type         | Used | Fixed | Prohibited | Available | Util% |
+----------------------------+------+-------+------------+-----------+-------+
| Slice LUTs                 |  131 |     0 |          0 |     20800 |  0.63 |
|   LUT as Logic             |  119 |     0 |          0 |     20800 |  0.57 |
|   LUT as Memory            |   12 |     0 |          0 |      9600 |  0.13 |
|     LUT as Distributed RAM |    8 |     0 |            |           |       |
|     LUT as Shift Register  |    4 |     0 |            |           |       |
| Slice Registers            |  144 |     0 |          0 |     41600 |  0.35 |
|   Register as Flip Flop    |  144 |     0 |          0 |     41600 |  0.35 |
| F7 Muxes                   |    2 |     0 |          0 |     16300 |  0.01 |
+----------------------------+------+-------+------------+-----------+-------+

2. Slice Logic Distribution
---------------------------

+--------------------------------------------+------+-------+------------+-----------+-------+
|                  Site Type                 | Used | Fixed | Prohibited | Available | Util% |
+--------------------------------------------+------+-------+------------+-----------+-------+
| Slice                                      |   47 |     0 |          0 |      8150 |  0.58 |
|   SLICEL                                   |   30 |     0 |            |           |       |
+--------------------------------------------+------+-------+------------+-----------+-------+

3. Memory
---------

+-------------------+------+-------+------------+-----------+-------+
|     Site Type     | Used | Fixed | Prohibited | Available | Util% |
+-------------------+------+-------+------------+-----------+-------+
| Block RAM Tile    |  1.5 |     0 |          0 |        50 |  3.00 |
|   RAMB36/FIFO*    |    1 |     0 |          0 |        50 |  2.00 |
|   RAMB18          |    1 |     0 |          0 |       100 |  1.00 |
+-------------------+------+-------+------------+-----------+-------+
"""

TIMING = """\
Copyright 1986-2022 Xilinx, Inc. All Rights Reserved.
-----------------------------------------------------------------------------------------------
| Tool Version : Vivado v.2022.2 (lin64) Build 3671981 Fri Oct 14 04:59:54 MDT 2022
| Date         : Mon Mar  4 10:11:13 2024
| Host         : bench running 64-bit Debian GNU/Linux 12 (bookworm)
| Command      : report_timing_summary -file /home/a/core/vivado/{mark}.timing.rpt
| Design       : smallest_lut
| Device       : 7a35ti-csg324
| Speed File   : -1L  PRODUCTION 1.23 2018-06-13
-----------------------------------------------------------------------------------------------

Timing Summary Report

------------------------------------------------------------------------------------------------
| Design Timing Summary
| ---------------------
------------------------------------------------------------------------------------------------

    WNS(ns)      TNS(ns)  TNS Failing Endpoints  TNS Total Endpoints      WHS(ns)      THS(ns)
    -------      -------  ---------------------  -------------------      -------      -------
     -0.812       -3.100                      9                  411        0.091        0.000

Timing constraints are not met.

------------------------------------------------------------------------------------------------
| Clock Summary
| -------------
------------------------------------------------------------------------------------------------

Clock  Waveform(ns)       Period(ns)      Frequency(MHz)
-----  ------------       ----------      --------------
clk_i  {{0.000 1.000}}      2.000           500.000

------------------------------------------------------------------------------------------------
| Intra Clock Table
| -----------------
------------------------------------------------------------------------------------------------

Clock             WNS(ns)      TNS(ns)  TNS Failing Endpoints  TNS Total Endpoints      WHS(ns)
-----             -------      -------  ---------------------  -------------------      -------
clk_i              -0.500       -3.100                      9                  411        0.091

------------------------------------------------------------------------------------------------
| Inter Clock Table
| -----------------
------------------------------------------------------------------------------------------------

Pulse Width Checks
--------------------------------------------------------------------------------------
Clock Name:         clk_i
Waveform(ns):       {{ 0.000 1.000 }}

Check Type        Corner  Lib Pin     Reference Pin  Required(ns)  Actual(ns)  Slack(ns)  Place
Min Period        n/a     FDRE/C      n/a            1.000         2.000       1.000      SLICE_X2Y9
Min Period        n/a     RAMB18E1/C  n/a            2.944         2.000       -0.944     RAMB18_X0Y
Low Pulse Width   Slow    RAMD32/CLK  n/a            1.250         1.000       -0.250     SLICE_X6Y1
"""

FIT = """\
Fitter report for {mark}
Mon Mar  4 10:11:12 2024
Quartus Prime Version 20.1.1 Build 720 11/11/2020 SJ Lite Edition

+-------------------------------------------------------------------------------+
; Fitter Summary                                                                ;
+---------------------------------+---------------------------------------------+
; Fitter Status                   ; {status} - Mon Mar  4 10:11:12 2024         ;
; Quartus Prime Version           ; 20.1.1 Build 720 11/11/2020 SJ Lite Edition ;
; Revision Name                   ; {mark}                                      ;
; Top-level Entity Name           ; smallest_lut                                ;
; Family                          ; Cyclone V                                   ;
; Device                          ; 5CSEMA5F31C6                                ;
; Timing Models                   ; Final                                       ;
; Logic utilization (in ALMs)     ; 1,083 / 32,070 ( 3 % )                      ;
; Total registers                 ; 144                                         ;
; Total pins                      ; 1 / 457 ( < 1 % )                           ;
; Total virtual pins              ; 30                                          ;
; Total block memory bits         ; 2,048 / 4,065,280 ( < 1 % )                 ;
; Total RAM Blocks                ; 2 / 397 ( < 1 % )                           ;
+---------------------------------+---------------------------------------------+

+-----------------------------------------------------------------------------------------+
; Fitter Resource Usage Summary                                                           ;
+-------------------------------------------------------------+--------------------+------+
; Resource                                                    ; Usage              ; %    ;
+-------------------------------------------------------------+--------------------+------+
; Combinational ALUT usage for logic                          ; 1,214              ;      ;
;     -- 7 input functions                                    ; 3                  ;      ;
; M10K blocks                                                 ; 2 / 397            ; < 1 %;
+-------------------------------------------------------------+--------------------+------+
"""

STA = """\
Timing Analyzer report for {mark}

+-----------------------------------------------------------------------------+
; Timing Analyzer Summary                                                     ;
+-----------------------+-----------------------------------------------------+
; Quartus Prime Version ; Version 20.1.1 Build 720 11/11/2020 SJ Lite Edition ;
; Revision Name         ; {mark}                                              ;
; Device Family         ; Cyclone V                                           ;
; Device Name           ; 5CSEMA5F31C6                                        ;
+-----------------------+-----------------------------------------------------+

+--------------------------------------------------+
; Slow 1100mV 85C Model Fmax Summary               ;
+------------+-----------------+------------+------+
; Fmax       ; Restricted Fmax ; Clock Name ; Note ;
+------------+-----------------+------------+------+
; 151.2 MHz  ; 151.2 MHz       ; clk_i      ;      ;
+------------+-----------------+------------+------+
This panel reports FMAX for every clock in the design.

+-----------------------------------------------------------------------------------------+
; Slow 1100mV 0C Model Fmax Summary                                                       ;
+------------+-----------------+------------+---------------------------------------------+
; Fmax       ; Restricted Fmax ; Clock Name ; Note                                        ;
+------------+-----------------+------------+---------------------------------------------+
; 149.75 MHz ; 140.25 MHz      ; clk_i      ; limit due to minimum period restriction     ;
; 99.0 MHz   ; 99.0 MHz        ; other      ;                                             ;
+------------+-----------------+------------+---------------------------------------------+
"""


def of_vivado(mark: str = "", **words: str) -> list[str]:
    given = {"mark": mark or vendor.mark(SPEC, XILINX), "state": "Routed"} | words
    return [UTILIZATION.format(**given), TIMING.format(**given)]


def of_quartus(mark: str = "", **words: str) -> list[str]:
    given = {"mark": mark or vendor.mark(SPEC, INTEL), "status": "Successful"} | words
    return [FIT.format(**given), STA.format(**given)]


def written(folder: Path, texts: list[str]) -> list[Path]:
    files = [folder / f"{number}.rpt" for number in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text)
    return files


# --- What the reports say -----------------------------------------------------------------------


def test_vivado_in_either_order() -> None:
    for texts in (of_vivado(), of_vivado()[::-1]):
        found = vivado.parse(texts, "clk_i")
        assert (found.lut, found.ff, found.block_ram, found.slices) == (131, 144, 3, 47)
        assert found.cells == {"lut_ram": 12}
        assert (found.top, found.part) == ("smallest_lut", "xc7a35ticsg324-1L")
        assert found.version == "v.2022.2 (lin64) Build 3671981 Fri Oct 14 04:59:54 MDT 2022"
        assert found.aim_mhz == pytest.approx(500)
        # 2 ns asked for, 0.5 ns too long from register to register; the memory takes 2.944 ns.
        assert found.fmax_mhz == pytest.approx(400)
        assert found.fmax_capped_mhz == pytest.approx(1000 / 2.944)


def test_ultrascale_has_names_of_its_own() -> None:
    area, timing = of_vivado()
    area = area.replace("Slice LUTs", "CLB LUTs  ").replace("Slice Registers", "CLB Registers  ")
    area = area.replace("| Slice     ", "| CLB       ")
    found = vivado.parse([area, timing], "clk_i")
    assert (found.lut, found.ff, found.slices) == (131, 144, 47)


def test_quartus_takes_the_slowest_corner() -> None:
    found = quartus.parse(of_quartus()[::-1], "clk_i")
    assert (found.lut, found.ff, found.block_ram, found.slices) == (1214, 144, 2, 1083)
    assert (found.top, found.part) == ("smallest_lut", "5CSEMA5F31C6")
    assert (found.fmax_mhz, found.fmax_capped_mhz) == (149.75, 140.25)
    assert found.cells == {"virtual_pins": 30}


def test_quartus_of_logic_elements() -> None:
    fit, timing = of_quartus()
    fit = fit.replace(
        "; Logic utilization (in ALMs)     ; 1,083 / 32,070 ( 3 % )  ",
        "; Total logic elements            ; 2,083 / 114,480 ( 2 % ) ;\n"
        "; Total combinational functions ; 1,950 / 114,480 ( 2 % )",
    ).replace("; Combinational ALUT usage for logic ", "; Something else  ")
    found = quartus.parse([fit.replace("; Total RAM Blocks", "; M9Ks"), timing], "clk_i")
    assert (found.lut, found.slices, found.block_ram) == (1950, 2083, 2)


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        (["nonsense", "more"], "neither of `report_utilization` nor"),
        (of_vivado()[:1], "report of the timing summary is missing"),
        ([of_vivado()[0]] * 2, "two reports of the utilization"),
        (of_vivado(state="Synthesized"), "'Synthesized', and only a routed one"),
        ([of_vivado()[0], of_vivado("other_0123456789abcdef")[1]], "not of one run"),
        ([of_vivado()[0].replace("Slice Reg", "Shoe"), of_vivado()[1]], "no row 'Slice Registers"),
        ([of_vivado()[0], of_vivado()[1].replace("clk_i", "clock")], "of the clock 'clk_i'"),
    ],
)
def test_vivado_reports_that_will_not_do(texts: list[str], sentence: str) -> None:
    with pytest.raises(ToolError, match=sentence):
        vivado.parse(texts, "clk_i")


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        (["nonsense", "more"], "not the two that are needed"),
        ([of_quartus()[0]] * 2, "not the two that are needed"),
        (of_quartus(status="Failed"), "ended with 'Failed'"),
        ([of_quartus()[0], of_quartus("other")[1]], "not of one run"),
        ([of_quartus()[0].replace("1,083 /", "N/A"), of_quartus()[1]], "'N/A.*' where a number"),
        ([of_quartus()[0].replace("Total reg", "No reg"), of_quartus()[1]], "'Total registers'"),
        ([of_quartus()[0], of_quartus()[1].replace("clk_i", "clock")], "no fmax of the clock"),
    ],
)
def test_quartus_reports_that_will_not_do(texts: list[str], sentence: str) -> None:
    with pytest.raises(ToolError, match=sentence):
        quartus.parse(texts, "clk_i")


def test_devices_are_compared_as_the_tools_write_them() -> None:
    assert vivado.same_part("xc7a35ticsg324-1L", "7a35ticsg324-1L")
    assert vivado.same_part("xcku040-ffva1156-2-e", "xcku040-ffva1156-2-e")
    assert not vivado.same_part("xc7a35ticsg324-1L", "7a35ticsg324-2")
    assert quartus.family("10CL025YU256I7G") == "Cyclone 10 LP"
    assert quartus.family("10M50DAF484C7G") == "MAX 10"
    assert quartus.family("XC7A35T") is None


# --- Records ------------------------------------------------------------------------------------


def test_reports_become_a_record(own_records: Path, tmp_path: Path) -> None:
    found = vendor.measure(SPEC, XILINX, written(tmp_path, of_vivado()))
    assert records.current(SPEC, XILINX) == [found]
    assert found.tools == {"vivado": "v.2022.2 (lin64) Build 3671981 Fri Oct 14 04:59:54 MDT 2022"}
    assert found.flow == "place and route: Vivado, from its reports, aimed at 500.0 MHz"
    assert (found.lut, found.slices, found.fmax_capped_mhz) == (131, 47, 339.67)
    cycles = found.cycles_per_block
    assert found.throughput_mbps == pytest.approx(128 * 1000 / 2.944 / cycles, abs=0.1)
    before = len(records.measurements())
    assert vendor.measure(SPEC, XILINX, written(tmp_path, of_vivado())) == found
    assert len(records.measurements()) == before
    # A record that is current is what `measure` gives without reports.
    assert measure(SPEC, XILINX, progress=lambda *_: None) == [found]
    assert found in figures.of(SPEC)


def test_a_report_of_something_else_is_refused(own_records: Path, tmp_path: Path) -> None:
    def refused(spec: Any, target: targets.Target, texts: list[str], sentence: str) -> None:
        with pytest.raises(RoundsmithError, match=sentence) as problem:
            vendor.measure(spec, target, written(tmp_path, texts))
        assert str(problem.value).count("\n") == 0
        assert not records.current(spec, target)

    other = catalogue.find("satoh-5")
    refused(other, XILINX, of_vivado(), "of the module 'smallest_lut', and satoh-5 is 'satoh_5'")
    larger = targets.parse("vivado:xc7a100tcsg324-1")
    refused(SPEC, larger, of_vivado(), "device 'xc7a35ticsg324-1L', and the target is vivado:xc7a1")
    stale = "smallest_lut_0123456789abcdef"
    refused(SPEC, XILINX, of_vivado(stale), "of other RTL than smallest-lut has now")
    refused(SPEC, INTEL, of_quartus("smallest_lut"), "nobody knows of which RTL")
    refused(SPEC, INTEL, ["", ""], "not the two that are needed")
    with pytest.raises(RoundsmithError, match=r"none\.rpt cannot be read"):
        vendor.measure(SPEC, INTEL, [tmp_path / "none.rpt"] * 2)


def test_the_command_line(own_records: Path, tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("roundsmith")

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [str(program), "measure", "smallest-lut", *map(str, arguments)]
        kept = {"ROUNDSMITH_RECORDS": str(tmp_path / "kept"), "PATH": "/usr/bin:/bin"}
        return subprocess.run(command, capture_output=True, text=True, check=False, env=kept)

    area, timing = written(tmp_path, of_vivado())
    given = ("--report", area, "--report", timing)
    answer = run("--target", XILINX.name, *given, "--json")
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout)[0]["lut"] == 131
    for arguments, sentence in (
        (("--target", "mapped:xcv", *given), "--report takes one core and one target whose tool"),
        (("--target", INTEL.name), "is not called from here"),
        (("--target", INTEL.name, *given), "not the two that are needed"),
        (("--target", "vivado:xc7"), "'xc7' is no device for Vivado"),
        (("--target", "quartus:xc7"), "'xc7' is no device for Quartus"),
    ):
        answer = run(*arguments)
        said = answer.stderr.strip().splitlines()
        assert answer.returncode == 2 and len(said) == 1 and sentence in said[0], said


def test_no_netlist_is_made_for_a_vendor() -> None:
    with pytest.raises(RoundsmithError, match="no netlist for quartus:5CSEMA5F31C6"):
        synthesize.netlist_names(SPEC, INTEL)


# --- Projects -----------------------------------------------------------------------------------


def tcl(folder: Path, script: str) -> list[tuple[str, ...]]:
    """Run a script in a bare Tcl, where every unknown command is only noted down."""
    tkinter = pytest.importorskip("tkinter")
    calls: list[tuple[str, ...]] = []
    interpreter = tkinter.Tcl()
    interpreter.createcommand("unknown", lambda *words: calls.append(words) or "")
    # `load_package` and the like are unknown to a bare Tcl; so is everything of the vendor's.
    interpreter.eval(f"cd {{{folder}}}; source {script}")
    return calls


def test_the_script_of_vivado(tmp_path: Path) -> None:
    files = export.project(SPEC, XILINX, [])
    export.write(SPEC, tmp_path / "core", beside=files)
    calls = tcl(tmp_path / "core", "vivado/smallest_lut.tcl")
    order = [words[0] for words in calls]
    wanted = ["create_project", "read_verilog", "read_xdc", "synth_design", "opt_design"]
    wanted += ["place_design", "phys_opt_design", "route_design", "report_utilization"]
    assert order == [*wanted, "report_timing_summary", "write_checkpoint"]
    said = dict(zip(order, calls, strict=True))
    assert Path(said["read_verilog"][-1]).is_file() and Path(said["read_xdc"][-1]).is_file()
    assert said["synth_design"][1:5] == ("-top", "smallest_lut", "-part", "xc7a35ticsg324-1L")
    # What the reports repeat as their command is what the reader looks for.
    for name in ("report_utilization", "report_timing_summary"):
        assert vivado._mark(" ".join(said[name])) == vendor.mark(SPEC, XILINX)
    (clock,) = tcl(tmp_path / "core", "vivado/smallest_lut.xdc")[-1:]
    assert clock[:5] == ("create_clock", "-name", "clk_i", "-period", "10.000")


def test_vivado_reads_the_floorplan_of_its_device(tmp_path: Path) -> None:
    """The Pblocks are made for one device; on another one they are there, and not read."""
    spec = catalogue.find("iterative-lut4-gcm-axi4-stream")
    for part, planned in (("xc7a200tfbg676-2", True), ("xc7a35ticsg324-1L", False)):
        folder = tmp_path / part
        for name, data in export.project(spec, targets.parse(f"vivado:{part}"), []).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        calls = tcl(folder, f"vivado/{spec.module}.tcl")
        order = [words[0] for words in calls]
        assert order.count("read_xdc") == 1 + planned
        if planned:
            # There are cells to place only when the netlist is there.
            assert order.index("synth_design") + 1 == len(order) - 1 - order[::-1].index("read_xdc")
        plan = folder / f"vivado/{spec.module}_floorplan.xdc"
        read = [Path(words[-1]) for words in calls if words[0] == "read_xdc"]
        assert plan.is_file() and (plan in read) == planned


def test_the_project_of_quartus(tmp_path: Path) -> None:
    known = [{"target": INTEL.name, "fmax_capped_mhz": 200.0}, {"target": "x", "cycle_ns": 1.0}]
    export.write(SPEC, tmp_path / "core", beside=export.project(SPEC, INTEL, known))
    folder, mark = tmp_path / "core" / "quartus", vendor.mark(SPEC, INTEL)
    names = {"smallest_lut.qpf", "smallest_lut.sdc", "smallest_lut.tcl", f"{mark}.qsf"}
    assert {file.name for file in folder.iterdir()} == names
    calls = tcl(folder, "smallest_lut.tcl")
    assert ("project_open", "smallest_lut", "-revision", mark) in calls
    assert mark in (folder / "smallest_lut.qpf").read_text()
    settings = tcl(folder, f"{mark}.qsf")
    one = {words[2]: words[3] for words in settings if words[0] == "set_global_assignment"}
    assert (one["FAMILY"], one["DEVICE"]) == ("Cyclone V", "5CSEMA5F31C6")
    assert (folder / one["VERILOG_FILE"]).is_file() and (folder / one["SDC_FILE"]).is_file()
    virtual = {words[5].partition("[")[0] for words in settings if "VIRTUAL_PIN" in words}
    assert virtual == {port.name for port in generate.ports(SPEC)} - {"clk_i"}
    assert tcl(folder, "smallest_lut.sdc")[-2][3:5] == ("-period", "5.000")


def test_other_targets_have_no_project() -> None:
    assert export.project(SPEC, targets.parse("mapped:xc7"), []) == {}
