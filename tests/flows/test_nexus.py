"""Nexus: the shell with its pins, place and route, and their targets."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError, ToolError, ToolMissing
from roundsmith.flows import nexus, shell, targets
from roundsmith.flows.ecp5 import PlacedRun
from roundsmith.measure.measure import measure
from roundsmith.records import records
from roundsmith.report.tools import survey
from roundsmith.tools import nextpnr

NAMES = sorted(nexus.DEVICES)

TINY = """
module tiny (
  input logic clk_i, input logic clear_i, input logic [7:0] d_i, output logic [7:0] q_o
);
  logic [63:0] state_q;
  always_ff @(posedge clk_i) begin
    if (clear_i) state_q <= '0;
    else state_q <= {state_q[55:0] ^ {56{state_q[63]}}, d_i};
  end
  assign q_o = state_q[63:56] ^ state_q[31:24];
endmodule
"""


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROUNDSMITH_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "tiny.sv"
    file.write_text(TINY)
    return file


@pytest.mark.parametrize("name", NAMES)
def test_every_wire_of_the_core_is_between_registers_of_the_shell(
    name: str, tiny: Path, tmp_path: Path
) -> None:
    netlist = nexus.synthesize([tiny], "tiny", name, tmp_path, "area")
    assert (netlist.ff, netlist.block_ram) == (64, 0) and netlist.lut > 60
    module: dict[str, Any] = json.loads(netlist.json.read_text())["modules"]["tiny"]
    parts = nexus.DEVICES[name].parts
    boxed = shell.in_shell(module, parts)
    added = {n: c for n, c in boxed["cells"].items() if n not in module["cells"]}
    assert all(n.startswith("shell.") for n in added)
    drivers: dict[int, list[Any]] = {}
    for cell in boxed["cells"].values():
        for pin, way in cell["port_directions"].items():
            for bit in cell["connections"].get(pin, []):
                if way == "output":
                    drivers.setdefault(bit, []).append(cell)
    # One driver for every wire, none for a constant of Yosys: cells drive those.
    assert all(len(cells) == 1 for cells in drivers.values())
    assert not any(isinstance(b, str) for c in added.values() for v in c["connections"].values()
                   for b in v)  # fmt: skip
    for port in ("clear_i", "d_i"):
        for bit in module["ports"][port]["bits"]:
            assert drivers[bit][0]["type"] == parts.register.kind
    read = [c["connections"][parts.register.inputs[1]][0] for n, c in added.items()
            if n.startswith("shell.q_o[")]  # fmt: skip
    assert read == module["ports"]["q_o"]["bits"]
    ports = {shell.IN, shell.OUT} if parts.clock else {shell.IN, shell.OUT, shell.CLOCK}
    assert set(boxed["ports"]) == ports
    clock = drivers[module["ports"]["clk_i"]["bits"][0]][0]["type"]
    assert parts.input is not None
    assert clock == (parts.clock.kind if parts.clock is not None else parts.input.kind)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_place_and_route(name: str, tiny: Path, tmp_path: Path) -> None:
    try:
        nexus.tools(name)
    except ToolError as missing:
        pytest.skip(str(missing))
    placed = nexus.measure([tiny], "tiny", name, tmp_path, seeds=(1, 2, 3))
    assert placed.netlist.ff == 64 and placed.target == name
    assert 20 < placed.fmax_mhz == placed.fmax_capped_mhz < 1000
    assert sorted(placed.fmax_by_seed) == [1, 2, 3]
    assert placed.critical_path and len(placed.bels) > 100


def test_a_missing_wheel_is_one_sentence(
    own_records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(package: str) -> str:
        raise nextpnr.PackageNotFoundError(package)

    monkeypatch.setattr(nextpnr, "package_version", missing)
    for name in NAMES:
        target = targets.parse(name)
        with pytest.raises(ToolMissing, match=r"bootstrap\.py --extra nexus` installs it"):
            measure(catalogue.find("smallest-lut"), target, progress=lambda *_: None)
        failure = records.failed(catalogue.find("smallest-lut"), target)
        assert failure is not None and failure.kind == "tool missing"


def test_targets() -> None:
    assert {targets.parse(name).flow.name for name in NAMES} == {"nexus"}
    assert len({nexus.flow(name) for name in NAMES}) == len(NAMES)
    with pytest.raises(RoundsmithError, match="No device 'nexus-40k' is measured on"):
        targets.parse("nexus-40k")
    assert {device.program for device in nexus.DEVICES.values()} <= {r.name for r in survey()}
    assert all(name in targets.legal() for name in NAMES)


def test_a_frequency_that_the_logic_cannot_have_is_refused(tmp_path: Path, tiny: Path) -> None:
    netlist = nexus.synthesize([tiny], "tiny", "nexus-17k", tmp_path, "area")
    device = nexus.DEVICES["nexus-17k"]
    run = PlacedRun(1, "", 80, 400.0, {}, None, tmp_path)
    nexus.check_complete(netlist, device, run)
    # One LUT in a row takes 0.2 ns.
    with pytest.raises(ToolError, match=r"misses paths: it says 6000 MHz for a path of 1 LUT4"):
        nexus.check_complete(netlist, device, replace(run, fmax_mhz=6000.0))
