"""The technology cells: mapped to a family, with Yosys' cell models, all are like the generic.

Every cell stands in one module, once as the generic folder has it and once as a room does, mapped
to the cells of its family; Verilator compares both on random inputs just before the rising edge.
A family's room holds only what it does better; all else comes from the generic folder.
"""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from roundsmith.design import tech
from roundsmith.flows import xilinx_lut4
from roundsmith.flows.synthesize import MODELS
from roundsmith.tools import verilator, yosys

TECH = tech.TECH

PORTS = """
  input  logic        clk_i,
  input  logic        enable_i,
  input  logic        write_i,
  input  logic [3:0]  tap_i,
  input  logic [3:0]  short_tap_i,
  input  logic [3:0]  to_i,
  input  logic [3:0]  from_i,
  input  logic [5:0]  place_i,
  input  logic [1:0]  source_i,
  input  logic [31:0] data_i,
  output logic [7:0]  tapped_o,
  output logic [4:0]  short_o,
  output logic [9:0]  ram_o,
  output logic [31:0] wide_o,
  output logic [7:0]  two_o,
  output logic [7:0]  three_o
"""

CELLS = f"""
module NAME ({PORTS});
  rsm_tech_shift_tap #(.Width(8)) u_tap (
    .clk_i, .enable_i, .data_i(data_i[7:0]), .tap_i, .data_o(tapped_o));
  rsm_tech_shift_tap #(.Width(5), .Depth(6)) u_short (
    .clk_i, .enable_i, .data_i(data_i[4:0]), .tap_i(short_tap_i), .data_o(short_o));
  rsm_tech_ram_16 #(.Width(10)) u_ram (
    .clk_i, .write_i, .write_address_i(to_i), .data_i(data_i[9:0]), .read_address_i(from_i),
    .data_o(ram_o));
  rsm_tech_ram_wide u_wide (.clk_i, .write_i, .address_i(place_i), .data_i, .data_o(wide_o));
  rsm_tech_bus #(.Width(8), .Sources(2)) u_two (
    .enable_i({{source_i[0], ~source_i[0]}}), .data_i(data_i[15:0]), .bus_o(two_o));
  rsm_tech_bus #(.Width(8), .Sources(3)) u_three (
    .enable_i({{source_i[1], source_i[0] & ~source_i[1], source_i == '0}}),
    .data_i(data_i[23:0]), .bus_o(three_o));
endmodule
"""

#: Outputs, each with the cycles until all of what it shows has been written.
OUTPUTS = ("tapped", "short", "ram", "wide", "two", "three")

BENCH = f"""
module bench ({PORTS.replace("output logic", "output logic ").strip()},
  output logic [5:0] wrong_o
);
  logic [7:0] tapped, two, three; logic [4:0] short_; logic [9:0] ram; logic [31:0] wide;
  generic_cells u_generic (.*);
  family_cells u_family (.tapped_o(tapped), .short_o(short_), .ram_o(ram), .wide_o(wide),
    .two_o(two), .three_o(three), .*);
  assign wrong_o = {{three != three_o, two != two_o, wide != wide_o, ram != ram_o,
                    short_ != short_o, tapped != tapped_o}};
endmodule
"""

HARNESS = """
#include "Vmodel.h"
#include <cstdio>
#include <random>
int main() {
  Vmodel m;
  std::mt19937 rng(7);
  long wrong[6] = {}, moved[6] = {};
  unsigned before[6] = {};
  m.clk_i = 1;
  for (int t = 0; t < 30000; ++t) {
    bool fill = t < 80;  // what nobody has written may be anything
    m.enable_i = fill || rng() & 1;
    m.write_i = fill || rng() & 1;
    m.tap_i = rng() & 15;
    m.short_tap_i = rng() % 6;
    m.to_i = fill ? t & 15 : rng() & 15;
    m.from_i = rng() & 15;
    m.place_i = fill ? t & 63 : rng() & 63;
    m.source_i = rng() & 3;
    m.data_i = rng();
    m.eval();
    m.clk_i = 0;
    m.eval();
    unsigned now[6] = {m.tapped_o, m.short_o, m.ram_o, m.wide_o, m.two_o, m.three_o};
    for (int i = 0; !fill && i < 6; ++i) {
      wrong[i] += m.wrong_o >> i & 1;
      moved[i] += now[i] != before[i];
    }
    for (int i = 0; i < 6; ++i) before[i] = now[i];
    m.clk_i = 1;
    m.eval();
  }
  for (int i = 0; i < 6; ++i) std::printf("%ld %ld\\n", wrong[i], moved[i]);
}
"""

#: A 3-state buffer as Yosys can resolve it.
BUFT = "module BUFT (output O, input I, input T); assign O = T ? 1'bz : I; endmodule\n"


@dataclass(frozen=True)
class Family:
    """Rooms, how they are mapped, the models of the netlist, and the cells that it must have."""

    rooms: tech.Rooms
    synthesis: str
    models: tuple[Path, ...]
    cells: tuple[str, ...]


SHARE = yosys.share()
FAMILIES = {
    "xilinx": Family(
        tech.VIRTEX,
        "synth_xilinx -family xcv -flatten -noiopad -noclkbuf -nosrl",
        (MODELS / "xilinx_block_ram.v", SHARE / "xilinx/cells_sim.v"),
        ("SRL16E", "RAM16X1D", "RAMB4_S16_S16"),
    ),
    "ecp5": Family(
        tech.ECP5,
        "synth_ecp5",
        (MODELS / "ecp5_dp16kd.v", SHARE / "ecp5/cells_sim.v"),
        ("TRELLIS_DPR16X4", "DP16KD"),
    ),
    "ice40": Family(
        tech.ICE40, "synth_ice40", (SHARE / "ice40/cells_sim.v",), ("SB_RAM40_4KNR", "SB_RAM40_4K")
    ),
}


def room(name: str, folder: Path, changes: dict[str, tuple[str, str]]) -> list[Path]:
    """Return the files of a room; `changes` replaces text in its own, by module."""
    found = tech.files(FAMILIES[name].rooms)
    for path in list(found.values()):
        if path.parent == TECH / "generic" or path.suffix == ".v":
            continue
        text = path.read_text()
        if path.stem in changes:
            right, wrong = changes[path.stem]
            assert right in text
            text = text.replace(right, wrong)
        # Yosys is to look into the black box.
        copy = folder / f"{name}_{path.name}"
        copy.write_text(text.replace("(* blackbox *)\n", ""))
        found[path.stem] = copy
    return list(found.values())


def compare(
    name: str, folder: Path, changes: dict[str, tuple[str, str]] | None = None
) -> tuple[dict[str, int], str]:
    """Return how often each output of a room differs from the generic one, and the netlist."""
    family = FAMILIES[name]
    netlists = []
    for kind, files, mapping in (
        ("generic", list(tech.files(tech.GENERIC).values()), ["memory_collect"]),
        ("family", room(name, folder, changes or {}), [family.synthesis]),
    ):
        top = folder / f"{kind}.sv"
        top.write_text(CELLS.replace("NAME", f"{kind}_cells"))
        script = [yosys.read_slang([*files, top], top.stem + "_cells")]
        if name == "xilinx" and kind == "family":
            (folder / "buft.v").write_text(BUFT)
            script.append("read_verilog -overwrite buft.v")
        script += [f"hierarchy -top {kind}_cells", "proc", "flatten", "tribuf -merge -logic"]
        script += ["opt_clean", *mapping, f"write_verilog -noattr {kind}.v"]
        yosys.run(script, what=f"The cells of {name}", folder=folder)
        netlists.append(folder / f"{kind}.v")
    (folder / "bench.sv").write_text(BENCH)
    (folder / "harness.cpp").write_text(HARNESS)
    (include,) = {path.parent for path in family.models if path.parent != MODELS}
    program = verilator.build(
        [*family.models, *netlists, folder / "bench.sv"],
        "bench",
        folder / "harness.cpp",
        folder,
        # The models are not written for Verilator's rules, and ours of the RAM come first.
        flags=["-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-MODDUP", f"+incdir+{include}"],
    )
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    counts = [line.split() for line in printed.splitlines() if re.fullmatch(r"\d+ \d+", line)]
    assert all(int(moved) > 1000 for _, moved in counts), counts
    wrong = {name: int(count) for name, (count, _) in zip(OUTPUTS, counts, strict=True)}
    return wrong, netlists[1].read_text()


@pytest.mark.parametrize("name", FAMILIES)
def test_the_cells_of_a_family_are_like_the_generic_ones(name: str, tmp_path: Path) -> None:
    wrong, netlist = compare(name, tmp_path)
    assert wrong == dict.fromkeys(OUTPUTS, 0)
    for cell in FAMILIES[name].cells:
        assert re.search(rf"^  {cell} ", netlist, re.MULTILINE), cell


def test_a_wrong_cell_is_found(tmp_path: Path) -> None:
    changes = {
        "rsm_tech_shift_tap": ("next_q + 4'd1 + tap_i", "next_q + tap_i"),
        "rsm_tech_ram_wide": ("write_q ? written_q : read_q", "read_q"),
    }
    wrong, _ = compare("ice40", tmp_path, changes)
    assert {name for name, count in wrong.items() if count} == {"tapped", "short", "wide"}


BUS = """
module bus_top (
  input  logic [1:0]      enable_i,
  input  logic [1:0][4:0] data_i,
  output logic [4:0]      bus_o
);
  logic [4:0] bus;
  rsm_tech_bus #(.Width(5), .Sources(2)) u_bus (.enable_i, .data_i, .bus_o(bus));
  assign bus_o = ~bus;
endmodule
"""

BUS_HARNESS = """
#include "Vmodel.h"
#include <cstdio>
int main() {
  Vmodel m;
  int wrong = 0;
  for (int i = 0; i < 1024; ++i) {
    for (int source = 0; source < 2; ++source) {
      m.enable_i = 1 << source;
      m.data_i = i;
      m.eval();
      wrong += m.bus_o != (~(i >> 5 * source) & 31);
    }
  }
  std::printf("%d\\n", wrong);
}
"""


@pytest.mark.parametrize("plain", [False, True])
def test_a_bus_of_3_state_buffers_is_no_lut_and_stays_a_bus(plain: bool, tmp_path: Path) -> None:
    (tmp_path / "bus_top.sv").write_text(BUS)
    (tmp_path / "harness.cpp").write_text(BUS_HARNESS)
    cells = [tech.files(tech.VIRTEX)[name] for name in ("BUFT", "rsm_tech_bus")]
    files = [*cells, tmp_path / "bus_top.sv"]
    made = xilinx_lut4.synthesize(files, "bus_top", "xcv", tmp_path, plain=plain)
    # Five inverters behind it, which also show that it is not taken for a constant.
    assert made.lut == 5
    (tmp_path / "model").mkdir()
    models = [MODELS / "xilinx_buft.v", SHARE / "xilinx/cells_sim.v"]
    program = verilator.build(
        [*models, *xilinx_lut4.black_boxes(files), made.verilog],
        "bus_top",
        tmp_path / "harness.cpp",
        tmp_path / "model",
        flags=["-Wno-fatal", "-Wno-lint", "-Wno-style"],
    )
    assert subprocess.run([program], capture_output=True, text=True).stdout.split()[0] == "0"


def test_every_room_has_cells_of_the_generic_names_and_ports() -> None:
    def ports(path: Path) -> list[str]:
        head = path.read_text().partition("\nmodule ")[2].partition("\n);")[0]
        return re.findall(r"\b\w+_[io]\b", head)

    generic = {path.name: path for path in (TECH / "generic").glob("*.sv")}
    rooms = [path for path in TECH.rglob("*.sv") if path.parent != TECH / "generic"]
    assert len(rooms) >= 7
    for path in rooms:
        assert ports(path) == ports(generic[path.name]), path
