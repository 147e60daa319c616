"""Energy of netlists: transitions counted, tables read, and small cases worked out by hand."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from roundsmith import catalogue
from roundsmith import spec as formulas
from roundsmith.base.errors import RoundsmithError, ToolError, VerificationFailed
from roundsmith.flows import targets, toggles
from roundsmith.measure import power
from roundsmith.records import records
from roundsmith.spec import Spec
from roundsmith.tools import energy, liberty
from roundsmith.tools.energy import Table

RING = """
module ring (input clk_i, output q_o);
  wire d;
  DFFPOSX1 u_flop (.CLK(clk_i), .D(d), .Q(q_o));
  INVX1 u_inverter (.A(q_o), .Y(d));
endmodule
"""

# A counter of two bits and a gate that never changes.
COUNTER = """
module counter (input clk_i, input on_i, output a_o, output b_o, output n_o);
  wire a, b;
  DFFPOSX1 u_a (.CLK(clk_i), .D(a), .Q(a_o));
  DFFPOSX1 u_b (.CLK(clk_i), .D(b), .Q(b_o));
  XOR2X1 u_b_next (.A(a_o), .B(b_o), .Y(b));
  XOR2X1 u_a_next (.A(a_o), .B(on_i), .Y(a));
  NAND2X1 u_still (.A(on_i), .B(1'b0), .Y(n_o));
endmodule
"""


def _load(text: str, top: str, folder: Path, runs: int = 1) -> toggles.Circuit:
    (folder / f"{top}.v").write_text(text)
    return toggles.load(folder / f"{top}.v", top, liberty.osu018(), folder / "work", runs)


def _run(circuit: toggles.Circuit, cycles: int) -> None:
    for _ in range(cycles):
        circuit.settle()
        circuit.tick()


@pytest.mark.parametrize(
    ("load", "slew", "wanted"),
    [
        (1.0, 10.0, 1.0),
        (1.5, 10.0, 2.0),
        (1.0, 25.0, 1.75),
        (1.5, 25.0, 3.5),
        (9.0, 99.0, 6.0),
        (0.0, 0.0, 1.0),
    ],
)
def test_a_table_is_read_between_its_points_and_not_beyond(
    load: float, slew: float, wanted: float
) -> None:
    table = Table((1.0, 2.0), (10.0, 30.0), (1.0, 2.0, 3.0, 6.0))
    # A load of 1.5 has the row 2, 4, and a slew of 25 is three quarters of the way.
    assert table.at(load, slew) == pytest.approx(wanted)


def test_tables_of_one_number_or_one_index() -> None:
    assert Table((), (), (7.0,)).at(3.0, 4.0) == 7.0
    assert Table((), (1.0, 2.0), (7.0, 8.0)).at(3.0, 1.5) == 7.5
    assert Table((1.0, 2.0), (), (7.0, 8.0)).at(1.5, 9.0) == 7.5


def test_a_ring_costs_what_the_tables_of_osu018_say(tmp_path: Path) -> None:
    """A flip-flop and an inverter, two cycles: every wire rises once and falls once.

    C V^2 / 2 at 1.8 V is 1.62e-3 pJ for a fF. Loads in fF: Q drives INVX1/A with 9.32456, Y
    drives DFFPOSX1/D with 8.82947, the clock DFFPOSX1/CLK with 27.9235.
      switching: 2 * 1.62e-3 * (9.32456 + 8.82947) = 0.0588190 pJ
    Tables at a slew of 0.1 ns. INVX1 has points at 0.06 and 0.18: one third of the way. Y's load
    lies 0.510596 of the way from 5 to 12.5 fF:
      rise 0.0253847, 0.0249837 -> 0.0251799; fall 0.0077327, 0.0079237 -> 0.0078302
    Q's load lies 0.576608 of the way; the slews of a clock have points at 0.06 and 0.24: 2 / 9.
      rise 0.0459338, 0.0458414 -> 0.0458805; fall 0.0674114, 0.0661101 -> 0.0666611
    D: rise 0.0456083, fall 0.0882573. CLK: rise 0.0068823, fall 0.1146576.
      internal: 0.0251799 + 0.0078302 + 0.0458805 + 0.0666611 + 0.0456083 + 0.0882573 = 0.2794173
      clock, two cycles: 2 * (2 * 1.62e-3 * 27.9235 + 0.0068823 + 0.1146576) = 0.4240241
    """
    library = liberty.osu018()
    circuit = _load(RING, "ring", tmp_path)
    _run(circuit, 3)
    circuit.counting = True
    _run(circuit, 2)
    assert circuit.cycles == 2
    spent = power.spent_by(circuit, library, energy.costs(library))
    assert spent.switching == pytest.approx(0.0588190, abs=2e-7)
    assert spent.internal == pytest.approx(0.2794173, abs=5e-7)
    assert spent.clock == pytest.approx(0.4240241, abs=5e-7)
    assert spent.total == pytest.approx(0.0588190 + 0.2794173 + 0.4240241, abs=2e-6)


def test_runs_are_counted_each_for_itself(tmp_path: Path) -> None:
    """With `on` the low bit changes every cycle and the high one every second, without it none."""
    circuit = _load(COUNTER, "counter", tmp_path, runs=3)
    circuit.drive("on_i", [0b101])
    _run(circuit, 2)
    circuit.counting = True
    _run(circuit, 8)
    (a,), (b,), (n,) = circuit.ports["a_o"], circuit.ports["b_o"], circuit.ports["n_o"]
    assert (circuit.rises[a], circuit.falls[a]) == (8, 8)
    assert (circuit.rises[b], circuit.falls[b]) == (4, 4)
    assert (circuit.rises[n], circuit.falls[n]) == (0, 0)
    assert circuit.read("n_o") == [0b111]
    # The middle run stood still.
    assert circuit.read("a_o")[0] >> 1 & 1 == 0


def test_a_wire_that_stands_still_costs_only_the_clock(tmp_path: Path) -> None:
    library = liberty.osu018()
    circuit = _load(COUNTER, "counter", tmp_path)
    _run(circuit, 2)
    circuit.counting = True
    _run(circuit, 5)
    spent = power.spent_by(circuit, library, energy.costs(library))
    assert (spent.switching, spent.internal) == (0, 0)
    assert spent.clock > 0


def test_what_cannot_be_simulated_is_refused(tmp_path: Path) -> None:
    loop = "module loop (input clk_i, output q_o); wire a; INVX1 u (.A(q_o), .Y(a));"
    loop += " INVX1 v (.A(a), .Y(q_o)); DFFPOSX1 f (.CLK(clk_i), .D(a), .Q()); endmodule\n"
    with pytest.raises(ToolError, match="loop of gates"):
        _load(loop, "loop", tmp_path)
    odd = "module odd (input clk_i); ODD u (.A(clk_i)); endmodule\n(* blackbox *) "
    odd += "module ODD (input A); endmodule\n"
    with pytest.raises(ToolError, match="holds 'ODD'"):
        _load(odd, "odd", tmp_path)


def test_a_library_without_energies_is_refused(tmp_path: Path) -> None:
    text = liberty.osu018().path.read_text().replace("internal_power", "something_else")
    (tmp_path / "bare.lib").write_text(text)
    with pytest.raises(ToolError, match="says nothing of internal energy"):
        energy.costs(liberty.load(tmp_path / "bare.lib"))


@pytest.mark.parametrize("name", ["smallest-ge-8bit", "compact-256"])
def test_a_core_answers_right_and_its_energy_is_kept(name: str, own_records: Path) -> None:
    def quiet(_step: str, _done: int, _total: int) -> None:
        pass

    spec, target = catalogue.find(name), targets.parse("asic:osu018")
    found = power.estimate(spec, target, progress=quiet)
    parts = found.switching_pj + found.internal_pj + found.clock_pj
    assert found.energy_pj == pytest.approx(parts, rel=1e-4)
    assert found.energy_pj_per_bit == pytest.approx(found.energy_pj / 128, rel=1e-3)
    assert found.voltage == 1.8 and found.blocks == 128
    assert records.power(spec, target) == found
    # Every flip-flop is clocked in every cycle, at 27.9 fF and what CLK takes inside.
    bits = {"smallest-ge-8bit": 250, "compact-256": 500}[name]
    flops = bits * found.cycles_per_block
    each = 2 * 1.62e-3 * 27.9235 + 0.0068823 + 0.1146576
    assert found.clock_pj > flops * each * 0.9
    assert power.estimate(spec, target, progress=quiet) is not None


def test_a_wrong_netlist_is_noticed(own_records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def quiet(_step: str, _done: int, _total: int) -> None:
        pass

    load = toggles.load

    def broken(*arguments: object) -> toggles.Circuit:
        circuit = load(*arguments)  # type: ignore[arg-type]
        wires = circuit.ports["out_block_o"]
        wires[0], wires[1] = wires[1], wires[0]
        return circuit

    monkeypatch.setattr(toggles, "load", broken)
    spec = catalogue.find("smallest-ge-8bit")
    with pytest.raises(VerificationFailed, match="The netlist of smallest-ge-8bit answers"):
        power.estimate(spec, targets.parse("asic:osu018"), progress=quiet)
    assert records.power(spec, targets.parse("asic:osu018")) is None


# Whole-state cores with long keys, which the catalogue has none of.
LONG_KEYS = [
    Spec.from_toml('name = "encrypt"\n[what]\nkey_bits = [192]\n[how]\nsbox = "cells"\n'),
    Spec.from_toml(
        'name = "both"\n[what]\nkey_bits = [256]\ndirections = ["encrypt", "decrypt"]\n'
        '[how]\nsbox = "cells"\ninverse_rounds = "separate"\n[port]\nkey_channel = "held"\n'
    ),
]


def test_a_dead_netlist_ends_soon(own_records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load, ticks = toggles.load, []

    def dead(*arguments: object) -> toggles.Circuit:
        circuit = load(*arguments)  # type: ignore[arg-type]
        circuit.ports["key_ready_o"][0] = 0
        tick = circuit.tick
        monkeypatch.setattr(circuit, "tick", lambda: (ticks.append(1), tick()))
        return circuit

    monkeypatch.setattr(toggles, "load", dead)
    spec = catalogue.find("compact-256")
    with pytest.raises(VerificationFailed, match="compact-256 takes no key_valid_i"):
        power.estimate(spec, targets.parse("asic:osu018"), progress=lambda *_: None)
    # Far more than it needs for a key, 80 cycles, and nothing like forever.
    assert 160 < len(ticks) < 2_000


@pytest.mark.long
@pytest.mark.parametrize(
    "spec",
    [
        *map(
            catalogue.find,
            ("smallest-ge", "iterative-composite", "satoh-4", "best-per-ge", "compact-any-key"),
        ),
        *(catalogue.find(name) for name in ("compact-256-full", "satoh-5-full", "serial-both")),
        *LONG_KEYS,
    ],
    ids=lambda spec: f"{spec.name}-{spec.what.key_bits[-1]}",
)
def test_every_kind_of_port_and_key_is_driven(spec: Spec, own_records: Path) -> None:
    def quiet(_step: str, _done: int, _total: int) -> None:
        pass

    found = power.estimate(spec, targets.parse("asic:osu018"), progress=quiet)
    assert found.energy_pj > 0
    # The formula has the slower direction, and blocks are encrypted here where a core can.
    assert 0 < found.cycles_per_block <= formulas.cycles_per_block(spec)


@pytest.mark.long
def test_a_batch_is_counted_as_a_whole(own_records: Path) -> None:
    # Four blocks enter in a row, and then none for 28 cycles.
    spec, target = catalogue.find("lutz-serpent"), targets.parse("asic:osu018")
    found = power.estimate(spec, target, progress=lambda *_: None)
    assert found.cycles_per_block == 8 and found.blocks == 4 * power.RUNS


def test_a_target_without_cells_has_no_energy() -> None:
    spec = catalogue.find("smallest-ge")
    with pytest.raises(RoundsmithError, match="mapped:xcv has none"):
        power.estimate(spec, targets.parse("mapped:xcv"), progress=lambda *_: None)


def test_the_command_prints_parts(own_records: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROUNDSMITH_RECORDS", str(own_records / "measured"))
    spec, target = catalogue.find("smallest-ge"), targets.parse("asic:osu018")
    records.append(
        records.PowerEstimate(
            name=spec.name, target=target.name, flow="x", blocks=2, cycles_per_block=3,
            voltage=1.8, energy_pj=10, energy_pj_per_bit=0.078, switching_pj=1, internal_pj=3,
            clock_pj=6, design_hash=records.design_hash(spec, target), tools={},
        )
    )  # fmt: skip
    program = Path(sys.executable).with_name("roundsmith")
    command = [str(program), "power", "smallest-ge"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "10.0 pJ a block, 0.078 pJ a bit" in answer.stdout
    assert "switching 1.0 (10%), internal 3.0 (30%), clock 6.0 (60%)" in answer.stdout
    assert "without wires" in answer.stdout
    answer = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    assert json.loads(answer.stdout)["energy_pj"] == 10
