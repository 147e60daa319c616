"""Mapping to the families with LUT6 and the like: what is counted, what fills a slice, levels."""

from pathlib import Path
from typing import Any

import pytest

from roundsmith import catalogue
from roundsmith.flows import lut6_families, targets
from roundsmith.flows.families import lut6
from roundsmith.measure.measure import measure
from roundsmith.records import records
from roundsmith.verify import verify

# 16 registers in a row, a memory of 32 words that is read at once, one of 1,024 that is not, and a
# parity of six bits: one LUT6, or two levels of LUT4.
PARTS = """
module parts (
  input  logic clk_i, input logic we_i, input logic [9:0] a_i, input logic [9:0] b_i,
  input  logic [35:0] d_i, output logic chain_o, output logic [7:0] small_o,
  output logic [15:0] large_o, output logic parity_o
);
  logic [15:0] chain_q;
  logic [5:0] d_q;
  logic [7:0] few [32];
  (* ram_style = "block" *) logic [15:0] many [1024];
  always_ff @(posedge clk_i) begin
    chain_q  <= {chain_q[14:0], d_i[35]};
    d_q      <= d_i[5:0];
    parity_o <= ^d_q;
    if (we_i) few[a_i[4:0]] <= d_i[7:0];
    if (we_i) many[a_i] <= d_i[15:0];
    large_o <= many[b_i];
  end
  assign chain_o = chain_q[15];
  assign small_o = few[b_i[4:0]];
endmodule
"""

KNOWN = {
    "xc7": {"ff": 7, "block_ram": 1, "shift_register": 1, "levels": 1, "ram": 8},
    "xc5v": {"ff": 7, "block_ram": 1, "shift_register": 1, "levels": 1, "ram": 8},
    "xc6s": {"ff": 7, "block_ram": 1, "shift_register": 1, "levels": 1, "ram": 8},
    "xcu": {"ff": 7, "block_ram": 1, "shift_register": 1, "levels": 1, "ram": 8},
    "cyclonev": {"ff": 23, "block_ram": 2, "shift_register": 0, "levels": 1, "ram": 8},
    "nexus": {"ff": 23, "block_ram": 1, "shift_register": 0, "levels": 2, "ram": 24},
}


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ROUNDSMITH_CACHE", str(tmp_path / "cache"))
    return tmp_path


def test_every_family_is_described() -> None:
    assert set(lut6_families.names()) == set(KNOWN)
    for name in lut6_families.names():
        family = lut6_families.find(name)
        assert family.rule.endswith(".") and family.models
        assert lut6.MEMBER.family(targets.parse(f"mapped:{name}")) == family
    assert targets.parse("mapped:xcv").flow != lut6.MEMBER


@pytest.mark.parametrize(
    "name",
    [n if n in {"xc7", "nexus"} else pytest.param(n, marks=pytest.mark.long) for n in KNOWN],
)
def test_parts_are_counted(name: str, own_cache: Path) -> None:
    (own_cache / "parts.sv").write_text(PARTS)
    made = lut6_families.synthesize(
        [own_cache / "parts.sv"], "parts", lut6_families.find(name), own_cache, plain=True
    )
    known = KNOWN[name]
    for kind in ("ff", "block_ram", "shift_register"):
        assert made.counts[kind] == known[kind], kind
    assert made.levels == known["levels"]
    assert made.counts["lut_ram"] == known["ram"]
    assert made.counts["carry"] == 0
    assert made.verilog.exists()


@pytest.mark.parametrize(
    ("name", "cells", "wanted"),
    [
        ("xc7", {"LUT6": 5, "FDRE": 8}, 2),
        ("xc7", {"LUT6": 1, "FDRE": 17}, 3),
        ("xc5v", {"LUT6": 1, "FDRE": 17}, 5),
        ("xcu", {"LUT2": 9, "FDRE": 17}, 2),
        ("xc7", {"RAM32M": 2, "LUT3": 1, "MUXF7": 9, "CARRY4": 3}, 3),
        ("cyclonev", {"MISTRAL_ALUT6": 2, "MISTRAL_ALUT4": 3, "MISTRAL_FF": 1}, 4),
        ("cyclonev", {"MISTRAL_ALUT2": 1, "MISTRAL_FF": 9}, 3),
        ("nexus", {"LUT4": 3, "WIDEFN9": 1, "FD1P3IX": 2}, 3),
    ],
)
def test_the_rule_fills_slices(name: str, cells: dict[str, int], wanted: int) -> None:
    assert lut6_families.find(name).slices(cells) == wanted


def _cell(kind: str, ins: dict[str, list[int]], outs: dict[str, list[int]]) -> dict[str, Any]:
    ways = dict.fromkeys(ins, "input") | dict.fromkeys(outs, "output")
    return {"type": kind, "port_directions": ways, "connections": {**ins, **outs}}


def test_levels_are_luts_on_the_longest_path() -> None:
    level = lut6_families.find("xc7").level

    def lut(out: int, *ins: int) -> dict[str, Any]:
        return _cell("LUT2", {f"I{i}": [bit] for i, bit in enumerate(ins)}, {"O": [out]})

    # 1 -> 10 -> 11, and both into 12: whichever way is walked first, the longer one counts.
    diamond = {"c": lut(12, 10, 11), "a": lut(10, 1), "b": lut(11, 10)}
    assert lut6_families.levels(diamond, level) == 3
    assert lut6_families.levels(dict(reversed(diamond.items())), level) == 3
    # A register ends the path, a carry chain and a wide multiplexer are wires.
    flop = _cell("FDRE", {"D": [12], "C": [0]}, {"Q": [13]})
    assert lut6_families.levels({**diamond, "r": flop, "d": lut(14, 13)}, level) == 3
    mux = _cell("MUXF7", {"I0": [12], "I1": [1], "S": [1]}, {"O": [15]})
    assert lut6_families.levels({**diamond, "m": mux, "e": lut(16, 15)}, level) == 4
    # A read of distributed RAM is one level behind its own address, not behind what is written.
    ram = _cell("RAM32M", {"ADDRA": [11], "ADDRD": [12], "DIA": [12], "WCLK": [0]}, {"DOA": [17]})
    assert lut6_families.levels({**diamond, "ram": ram, "f": lut(18, 17)}, level) == 4
    # A loop of logic is no path without an end.
    assert lut6_families.levels({"x": lut(20, 21), "y": lut(21, 20)}, level) == 2
    assert lut6_families.levels({}, level) == 0


def test_a_core_is_measured(own_records: Path) -> None:
    def quiet(_step: str, _done: int, _total: int) -> None:
        pass

    spec, target = catalogue.find("smallest-lut"), targets.parse("mapped:xc7:plain")
    (found,) = measure(spec, target, progress=quiet)
    assert found.lut is not None and found.slices is not None
    assert found.slices >= found.lut / 4
    assert found.cells is not None and set(found.cells) == {
        "carry", "wide_mux", "shift_register", "lut_ram"
    }  # fmt: skip
    assert records.current(spec, target) == [found]


@pytest.mark.long
@pytest.mark.parametrize("name", [*KNOWN])
def test_the_netlist_answers_the_vectors(name: str, own_records: Path) -> None:
    def quiet(_step: str, _done: int, _total: int) -> None:
        pass

    target = targets.parse(f"mapped:{name}")
    found = verify.verify(catalogue.find("smallest-lut"), target, progress=quiet)
    assert found[-1].target == target.name and found[-1].blocks > 1000
