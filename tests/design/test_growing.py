"""A mode of operation or a register bus is one module of Python and its RTL, and nothing else.

A copy of the package and of the RTL gets a mode and a bus that are ECB and APB under other words.
Everything picks them up, and no core that was there changes.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from roundsmith import catalogue
from roundsmith.base.paths import DATA, DRIVER, RTL
from roundsmith.design import generate

PACKAGE = Path(catalogue.__file__).resolve().parents[1]

#: What is added to the copy, by its path, in place of `ecb` and `apb`.
MODE = '''"""ECB under another word."""

from dataclasses import replace

from roundsmith.spec.modes import ecb
from roundsmith.spec.modes.acvp import NOT_ASKED

MODE = replace(ecb.MODE, word="toy", number=31, acvp=NOT_ASKED, priced_on=("iterative-lut4",))
'''
BUS = '''"""APB under another word."""

from dataclasses import replace

from roundsmith.spec.buses import apb

BUS = replace(apb.BUS, word="toy_bus", title="the toy bus")
'''

#: Cores of the library: their specs and designs are the same beside the new members.
KNOWN = ("iterative-lut4", "iterative-lut4-ecb-apb", "satoh-1-xts", "lutz-rijndael-chip")

#: What is said of the copy, in a process of its own.
ASKS = """
import json, sys
import numpy as np
from typer.testing import CliRunner
from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError
from roundsmith.cli.cli import app
from roundsmith.design import generate, packets
from roundsmith.flows import synthesize
from roundsmith.report import mode_cost
from roundsmith.simulate import messages
from roundsmith.spec import Spec
from roundsmith.verify import message_checks


def run(*words):
    return CliRunner().invoke(app, words)


def refused(what):
    try:
        Spec.from_data({"name": "refused", "what": what})
    except RoundsmithError as error:
        return str(error)


def sentence(*words):
    return str(run("build", "iterative-lut4", "--output", "never", *words).exception)


spec = catalogue.find("iterative-lut4-toy-toy-bus")
folder = sys.argv[1]
built = run("build", "iterative-lut4", "--mode", "toy", "--bus", "toy-bus", "--output", folder)
asked = message_checks.questions(spec, np.random.default_rng(1), 20, 64)
program = messages.build(spec, synthesize.sources(spec))
found = messages.run(program, spec, [each.message for each in asked])
print(json.dumps({
    "name": spec.name,
    "round trip": Spec.from_toml(spec.to_toml()) == spec,
    "listed": run("list").exit_code,
    "built": built.exit_code,
    "right": message_checks.compare("toy", asked, found.answers) == len(asked),
    "sentences": [
        refused({"mode": "none of them"}),
        refused({"bus": "none of them"}),
        refused({"self_test": True}),
        sentence("--mode", "no-mode"),
        sentence("--mode", "toy", "--bus", "no-bus"),
    ],
    "table": [row[0] for row in mode_cost.grid("iterative-lut4").rows],
    "header": packets.c_header(),
    "specs": {each.name: each.hash() for each in catalogue.everything()},
    "designs": {name: generate.design(catalogue.find(name)).digest for name in sys.argv[2:]},
}))
"""


def copied(folder: Path) -> None:
    """Make the copy, and add the mode and the bus."""
    leave = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, folder / "src/roundsmith", ignore=leave)
    shutil.copytree(RTL, folder / "rtl")
    for there in (DATA, DRIVER):
        (folder / there.name).symlink_to(there)
    before = {path for path in folder.rglob("*") if path.is_file()}
    (folder / "src/roundsmith/spec/modes/toy.py").write_text(MODE)
    (folder / "src/roundsmith/spec/buses/toy_bus.py").write_text(BUS)
    for room, form in (("pipelined", ""), ("oneblock", "_oneblock")):
        text = (RTL / f"mode/{room}/rsm_mode_ecb{form}.sv").read_text()
        text = text.replace("rsm_mode_ecb", "rsm_mode_toy")
        (folder / f"rtl/mode/{room}/rsm_mode_toy{form}.sv").write_text(text)
    text = (RTL / "bus/rsm_apb.sv").read_text().replace("rsm_apb", "rsm_toy_bus")
    (folder / "rtl/bus/rsm_toy_bus.sv").write_text(text)
    after = {path for path in folder.rglob("*") if path.is_file()}
    assert sorted(path.suffix for path in after - before) == [".py", ".py", ".sv", ".sv", ".sv"]


def test_a_mode_and_a_bus_are_one_module_each(tmp_path: Path) -> None:
    copied(tmp_path)
    out = tmp_path / "out"
    answer = subprocess.run(
        [sys.executable, "-c", ASKS, str(out), *KNOWN],
        env=os.environ | {"PYTHONPATH": str(tmp_path / "src")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stderr
    said = json.loads(answer.stdout)
    assert said["name"] == "iterative-lut4-toy-toy-bus" and said["round trip"]
    assert said["listed"] == 0 and said["built"] == 0
    assert said["right"]
    modes, buses, tested, mode, bus = said["sentences"]
    assert "'toy'" in modes and "'toy_bus'" in buses and "'toy_bus'" in tested
    assert mode.startswith("--mode is one of") and "toy, not 'no-mode'" in mode
    assert bus.startswith("--bus is one of") and "toy-bus" in bus
    assert "`toy`" in said["table"] and "`toy` with `axi4_stream`" in said["table"]
    assert re.search(r"#define RSM_MODE_TOY +31u", said["header"])
    assert said["specs"] == {spec.name: spec.hash() for spec in catalogue.everything()}
    digests = {name: generate.design(catalogue.find(name)).digest for name in KNOWN}
    assert said["designs"] == digests
    # The folder that was built has the new RTL, and tells what it is.
    names = {path.name for path in out.rglob("*")}
    assert {"rsm_mode_toy_oneblock.sv", "rsm_toy_bus.sv", "rsm_registers.h"} <= names
    text = (out / "iterative_lut4_toy_toy_bus.md").read_text()
    assert "in TOY behind the toy bus" in text and "The mode of this core is number 31." in text
    bench = (out / "tb/iterative_lut4_toy_toy_bus_tb.v").read_text()
    assert "s_apb_penable = 1'b1;" in bench


@pytest.mark.parametrize("kind", ["Mode", "Bus"])
def test_no_other_module_names_a_member(kind: str) -> None:
    """The words of the members stand in their modules, and in the catalogue."""
    named = re.compile(rf"\b{kind}\.(?!NONE\b)[A-Z]|what\.{kind.lower()} [!=]= \"(?!none\b)")
    for path in (*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.j2")):
        found = named.findall(path.read_text())
        assert not found, path
