"""The rules of the house for RTL: each is seen to fail on a file that breaks it."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from roundsmith.base.paths import RTL

ROOT = Path(__file__).parents[2]

RIGHT = """// SPDX-License-Identifier: Apache-2.0
//
// What it does. Latency: none.

module rsm_toy (
  input  logic x_i,
  output logic [31:0] y_o
);
  logic turned;

  assign turned = ~x_i;
  assign y_o    = 32'(turned);
endmodule
"""


@pytest.fixture(scope="module")
def rules() -> ModuleType:
    file = ROOT / "scripts/lint_rtl.py"
    spec = importlib.util.spec_from_file_location("lint_rtl", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["lint_rtl"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("Apache-2.0", "MIT", "the first line is not the license"),
        ("module rsm_toy", "module rsm_other", "not the one module rsm_toy"),
        ("y_o", "y", "port y ends in none of"),
        ("Latency: none.", "", "does not say its latency"),
        ("  logic turned;", "\tlogic turned;", "has a tab or ends in a blank"),
        ("turned;\n", "turned; \n", "has a tab or ends in a blank"),
        ("~x_i;", "~x_i;  // " + "x" * 100, "is longer than 100 characters"),
        ("32'(turned)", "32'(~x_i)", "casts what an operator turns"),
        ("32'(turned)", "32'( -x_i)", "casts what an operator turns"),
    ],
)
def test_a_rule_that_is_broken_is_said(
    old: str, new: str, fault: str, rules: ModuleType, tmp_path: Path
) -> None:
    file = tmp_path / "rsm_toy.sv"
    file.write_text(RIGHT)
    assert rules.house_rules(file) == []
    assert old in RIGHT
    file.write_text(RIGHT.replace(old, new))
    assert any(fault in found for found in rules.house_rules(file))


def test_all_files_keep_the_rules(rules: ModuleType) -> None:
    files = list(RTL.rglob("*.sv"))
    assert len(files) > 100
    assert [fault for file in files for fault in rules.house_rules(file)] == []
