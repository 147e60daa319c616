"""A new family of targets is one module and its data: every command knows it, no hash changes.

The families are added to a copy of the package, in a process of its own.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from roundsmith.base import paths

#: LUT4s and flip-flops as Yosys' generic script makes them.
DATA = r"""
name = "Toy"
synthesis = "synth -flatten -lut 4"
variants = [""]
models = []
rule = "A slice has two LUT4 and two flip-flops."
unit = "slice"
holds = { lut = 2, ff = 2 }
carry = {}
wide_mux = {}
shift_register = {}
lut_ram = {}
block_ram = {}

[lut]
"\\$lut" = 1

[ff]
"\\$_S?DFF.*" = 1

[level]
"\\$lut" = 1
"""

TOY = '''
"""LUT4s of nobody's: `mapped:toy`."""

from pathlib import Path

from roundsmith.flows.families.lut6 import Lut6


class Toy(Lut6):
    """The family of `toy.toml` beside this module."""

    name = "toy"
    order = 90
    data = Path(__file__).parent


MEMBER = Toy()
'''

#: The same with a name of its own, which is no `mapped:` of any family.
OWN = '''
"""The same on one device: `own-4lut`."""

from roundsmith.flows.families.toy import Toy
from roundsmith.flows.flow import Target


class Own(Toy):
    """One device of the toy."""

    name = "own"
    order = 91
    legal = ("own-4lut",)
    noun = "an own-4lut"
    words = ("own-",)

    def families(self):
        return ()

    def owns(self, name):
        return name.startswith("own-")

    def parse(self, text):
        return Target(text, self, size="toy") if text == "own-4lut" else None

    def rows(self):
        return (("`own-4lut`", "area on nothing that is sold"),)


MEMBER = Own()
'''

#: What is asked of the package before and after. It names no family that is added.
ASKED = """
import json
from roundsmith import catalogue
from roundsmith.flows import targets
from roundsmith.records import records

CORES = ("smallest-lut", "satoh-5", "iterative-lut4-gcm", "smallest-serpent")
NAMES = ("ecp5-85k:6", "ecp5-45k:8:refined", "ice40-hx8k", "nexus-17k", "mapped:xcv", "mapped:xc7",
         "mapped:xc3s:plain", "vivado:xc7a35ticsg324-1L", "quartus:5CSEMA5F31C6")

def hashes():
    found = {}
    for core in CORES:
        spec = catalogue.find(core)
        found[core] = records.design_hash(spec, None)
        for name in NAMES:
            found[f"{core} {name}"] = records.design_hash(spec, targets.parse(name), wanted=True)
    return found

def refused(text):
    try:
        return targets.parse(text).name
    except Exception as problem:
        return str(problem)
"""

BEFORE = """
print(json.dumps({"hashes": hashes(), "foo": refused("mapped:foo"), "bar": refused("bar")}))
"""

AFTER = """
from roundsmith.explore import estimator, features, sweep
from roundsmith.flows import synthesize
from roundsmith.measure.measure import measure
from roundsmith.report import families, figures
from roundsmith.spec import Sbox

spec, toy = catalogue.find("smallest-lut"), targets.parse("mapped:toy")
(record,) = measure(spec, toy, progress=lambda *_: None)
(same,) = measure(spec, targets.parse("own-4lut"), progress=lambda *_: None)
(stored,) = records.current(spec, toy)
(name,) = synthesize.netlist_names(spec, toy)
netlist = synthesize.netlist(spec, toy, name)
print(json.dumps({
    "hashes": hashes(), "foo": refused("mapped:foo"), "bar": refused("bar"),
    "plain": refused("mapped:toy:plain"), "slug": toy.slug, "flow": toy.flow_text(),
    "record": record.model_dump(mode="json"), "same": same.model_dump(mode="json"),
    "stored": stored == record, "details": figures.details([record], spec, toy),
    "table": families.names(), "aims": estimator.aims(toy), "fabric": features.fabric(toy, ""),
    "netlist": [str(file) for file in netlist.files],
    "pruned": len(sweep.pruned([spec], toy)), "alike": toy.flow.alike(toy),
}))
"""


def _run(root: Path, *arguments: str) -> str:
    environment = {
        **os.environ,
        "PYTHONPATH": str(root / "src"),
        "ROUNDSMITH_RECORDS": str(root / "records"),
    }
    made = subprocess.run(
        [sys.executable, *arguments], env=environment, text=True, capture_output=True, check=False
    )
    assert made.returncode == 0, made.stderr
    return made.stdout


def _asked(root: Path, more: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_run(root, "-c", ASKED + more))
    return found


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the root of a copy of the package, which sees the RTL and the data of the checkout."""
    root = tmp_path_factory.mktemp("copy")
    source = Path(paths.__file__).parents[1]
    skipped = shutil.ignore_patterns("__pycache__")
    shutil.copytree(source, root / "src" / source.name, ignore=skipped)
    for folder in (paths.RTL, paths.DATA, paths.DRIVER):
        (root / folder.name).symlink_to(folder)
    return root


@pytest.fixture(scope="module")
def before(copy: Path) -> dict[str, Any]:
    """Return what the copy answered as it was."""
    return _asked(copy, BEFORE)


@pytest.fixture(scope="module")
def grown(copy: Path, before: dict[str, Any]) -> Path:
    """Return the copy with two more families."""
    folder = copy / "src" / "roundsmith" / "flows" / "families"
    for name, text in (("toy.toml", DATA), ("toy.py", TOY), ("own.py", OWN)):
        assert not (folder / name).exists()
        (folder / name).write_text(text)
    return copy


def test_a_family_is_one_module(before: dict[str, Any], grown: Path) -> None:
    after = _asked(grown, AFTER)
    assert after["hashes"] == before["hashes"] and len(after["hashes"]) == 40
    # Names, and the sentences that list them.
    assert after["foo"] == before["foo"].removesuffix(".") + ", toy."
    assert "own-4lut" not in before["bar"] and after["bar"].endswith(" or own-4lut.")
    assert (after["plain"], after["slug"]) == ("mapped:toy:plain", "mapped-toy")
    assert "synth -flatten -lut 4" in after["flow"]
    # Figures, which are stored and shown.
    record, same = after["record"], after["same"]
    assert 100 < record["ff"] < record["lut"] < 1000 and record["levels"] > 1
    assert record["slices"] >= record["lut"] / 2 and record["block_ram"] == 0
    assert record["flow"].startswith("mapped: area only") and record["fmax_mhz"] is None
    assert (same["lut"], same["target"]) == (record["lut"], "own-4lut")
    assert after["stored"] and same["design_hash"] != record["design_hash"]
    assert any("Toy: A slice has two LUT4" in line for line in after["details"])
    assert [Path(file).name for file in after["netlist"]] == ["mapped.v"]
    # Tables of the documentation, and the explorer.
    assert "| `mapped:toy` | area and levels on Toy |\n" in after["table"]
    assert "| `own-4lut` | area on nothing that is sold |\n" in after["table"]
    assert (after["aims"], after["fabric"], after["pruned"]) == ([""], "xcve", 1)
    assert after["alike"] == ["mapped"]


def test_a_family_of_yosys_is_one_file(before: dict[str, Any], grown: Path) -> None:
    data = grown / "src" / "roundsmith" / "flows" / "target_data" / "another.toml"
    data.write_text(DATA.replace("Toy", "Another"))
    try:
        found = _asked(grown, BEFORE)
    finally:
        data.unlink()
    assert found["hashes"] == before["hashes"]
    assert "there are xcv, xcve, xc2v, xc3s, another, cyclonev," in found["foo"]


@pytest.mark.long
def test_the_netlist_of_a_new_family_is_verified(grown: Path) -> None:
    command = "from roundsmith.cli.cli import main; main()"
    _run(grown, "-c", command, "verify", "smallest-lut", "--target", "mapped:toy")
    lines = (grown / "records" / "verifications.jsonl").read_text().splitlines()
    blocks = {record["target"]: record["blocks"] for record in map(json.loads, lines)}
    assert blocks["mapped:toy"] > 100 and None in blocks


def test_nobody_asks_for_a_family_by_name() -> None:
    """Outside the folder of the families nothing depends on which one a target is of."""
    source = Path(paths.__file__).parents[1]
    for path in source.rglob("*.py"):
        if path.parent.name != "families":
            text = path.read_text()
            assert "flow.name ==" not in text and "flow.name in" not in text, path
