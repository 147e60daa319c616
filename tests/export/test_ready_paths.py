"""The paths from inputs to outputs that datasheets list, and the rule of docs/port.md on them."""

import json
import re
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest

from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError
from roundsmith.design import generate
from roundsmith.export import verilog2005
from roundsmith.export.folder import contents
from roundsmith.export.ready_paths import Paths, ready_paths
from roundsmith.spec import Bus, Mode
from roundsmith.tools import yosys

#: What may reach a ready in the same cycle (docs/port.md, rule 3): valids, and what is offered.
OFFERED = re.compile(
    r"\w+_(valid_i|tvalid|decrypt_i|slot_i|part_i|last_i|bytes_i|tkeep|tlast|tuser|tid)"
)

#: Modules of every kind that the search meets; `inner` twice, so that it is followed twice.
MODULES = """
module inner (input clk_i, input [1:0] a_i, input b_i, output [1:0] y_o, output q_o);
  reg kept;
  always @(posedge clk_i) kept <= a_i[0] & b_i;
  assign y_o = {a_i[1] ^ kept, b_i};
  assign q_o = kept;
endmodule

module top (
    input clk_i, input [1:0] a_i, input b_i, input c_i, input d_i, input [1:0] where_i,
    input [1:0] late_i, input [3:0] unused_i,
    output [1:0] pair_o, output first_o, output kept_o, output [3:0] read_o, output [3:0] slow_o,
    output add_o, output choice_o
);
  wire [1:0] y, z;
  wire q;
  reg [3:0] memory [0:3];
  reg [3:0] slow;
  inner u_one (.clk_i(clk_i), .a_i(a_i), .b_i(b_i), .y_o(y), .q_o(kept_o));
  inner u_two (.clk_i(clk_i), .a_i({c_i, d_i}), .b_i(y[1]), .y_o(z), .q_o(q));
  always @(posedge clk_i) begin
    memory[late_i] <= {4{d_i}};
    slow <= memory[late_i];
  end
  assign pair_o = z;
  assign first_o = y[0];
  assign read_o = memory[where_i];
  assign slow_o = slow;
  wire [1:0] sum = a_i + {1'b0, c_i};
  assign add_o = sum[1];
  assign choice_o = q ? c_i : where_i[1];
endmodule
"""


def _modules(folder: Path, *passes: str) -> Paths:
    (folder / "top.v").write_text(MODULES)
    script = ["read_verilog top.v", "hierarchy -top top", "proc", *passes]
    yosys.run([*script, "memory_collect", "write_json top.json"], what="reading", folder=folder)
    return ready_paths(json.loads((folder / "top.json").read_text())["modules"], "top")


def test_paths_go_through_instances_and_end_at_registers(tmp_path: Path) -> None:
    expected = {
        "pair_o": ["a_i", "c_i"],  # z[1] is c_i and a register, z[0] is y[1]
        "first_o": ["b_i"],
        "read_o": ["where_i"],
        "add_o": ["a_i", "c_i"],
        "choice_o": ["c_i", "where_i"],
    }
    assert _modules(tmp_path) == expected
    assert _modules(tmp_path, "flatten") == expected


def test_a_memory_with_a_clock_ends_a_path(tmp_path: Path) -> None:
    assert "slow_o" not in _modules(tmp_path, "flatten", "memory_dff")


@pytest.mark.parametrize(
    ("name", "paths"),
    [
        ("iterative-lut4", {}),
        ("satoh-5", {"in_ready_o": ["in_decrypt_i"]}),
        ("satoh-1-cbc", {"in_ready_o": ["in_bytes_i", "in_last_i", "in_part_i"]}),
    ],
)
def test_the_datasheet_lists_them(name: str, paths: Paths) -> None:
    spec = catalogue.find(name)
    text = contents(spec)[f"{spec.module}.md"].decode()
    lines = re.findall(r"^- `(\w+)` depends on (.*) of the same cycle", text, re.MULTILINE)
    assert {output: re.findall(r"`(\w+)`", inputs) for output, inputs in lines} == paths
    none = "No other output" if paths else "No output"
    assert f"- {none} depends on an input of the same cycle." in text


def _breaks_the_rule(name: str) -> list[str]:
    """Return the paths against the rule; behind registers, or with one direction, every path."""
    spec = catalogue.find(name)
    paths = verilog2005.convert(generate.design(spec)).paths
    return [
        f"{output} from {one}"
        for output, inputs in paths.items()
        for one in inputs
        if not re.search(r"ready(_o)?$", output)
        or not OFFERED.fullmatch(one)
        or (spec.bus.has_registers or (not spec.is_both and not spec.has_mode))
    ]


@pytest.mark.parametrize(
    "name",
    [
        *("chodowiec-gaj-full", "satoh-1-full", "serpent-folded-both", "lutz-rijndael-chip"),
        *("saggese-iterative-5-cbc5", "saggese-iterative-5-cbc5-axi4-stream"),
        *("satoh-1-xts", "iterative-lut4-ocb-axi4-stream", "iterative-lut4-gcm-axi4-lite"),
        *("iterative-lut4-gcm-wishbone", "iterative-lut4-gcm-apb"),
    ],
)
def test_only_a_ready_depends_on_what_is_offered(name: str) -> None:
    assert not _breaks_the_rule(name)


def _all() -> list[str]:
    """Return the names of the catalogue, and of two of its cores in every mode on every bus."""
    names = [spec.name for spec in catalogue.everything()]
    for core, mode, bus in product(("iterative-lut4", "satoh-1"), Mode, Bus):
        if mode != Mode.NONE:
            words = [core, mode, *([] if bus == Bus.NONE else [bus])]
            with suppress(RoundsmithError):  # this bus does not carry this mode
                names.append(catalogue.find("-".join(words).replace("_", "-")).name)
    return names


@pytest.mark.long
@pytest.mark.parametrize("name", _all())
def test_only_a_ready_depends_on_what_is_offered_in_any_core(name: str) -> None:
    assert not _breaks_the_rule(name)


@pytest.mark.parametrize("name", ["satoh-5", "chodowiec-gaj", "iterative-lut4"])
@pytest.mark.parametrize("slots", [2, 5])
def test_key_slots_keep_the_rule(name: str, slots: int) -> None:
    core = catalogue.find(name).full()
    spec = core.model_copy(update={"port": core.port.model_copy(update={"key_slots": slots})})
    paths = verilog2005.convert(generate.design(spec)).paths
    assert set(paths) == {"in_ready_o"}
    assert all(OFFERED.fullmatch(one) for one in paths["in_ready_o"])
    assert "in_slot_i" in paths["in_ready_o"]


def test_all_has_modes_and_buses() -> None:
    names = set(_all())
    assert {"satoh-1-xts-axi4-stream", "iterative-lut4-cfb8", "satoh-1-gcm-apb"} <= names
