"""The house grows by an S-box, a mode, a register bus and a family of targets at the same time.

Each is what CONTRIBUTING.md says, added to a copy of the project: the toys of the tests of each.
One core has them all; the tool specifies, builds, verifies and measures it, and the documentation,
the proofs and the tests take the new files in. No hash of a core that was there changes.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from roundsmith import catalogue
from roundsmith.design import generate
from tests.circuits import test_growing_sboxes as sbox
from tests.design import test_growing as around
from tests.flows import test_growing_flows as family

ROOT = sbox.ROOT

#: What is done with the core that has all of them, in a process of its own.
ASKED = """
import json
from roundsmith import catalogue
from roundsmith.design import generate
from roundsmith.flows import targets
from roundsmith.measure.measure import measure
from roundsmith.spec import Bus, Mode, naming

spec = naming.parse("aes128-enc-loop1-toy-stored-cs")
spec = spec.with_mode(Mode("toy")).with_bus(Bus("toy_bus"))
(record,) = measure(spec, targets.parse("mapped:toy"), progress=lambda *_: None)
print(json.dumps({
    "name": spec.name,
    "files": [path.stem for path in generate.design(spec).library],
    "lut": record.lut,
    "designs": {spec.name: generate.design(spec).digest for spec in catalogue.everything()},
}))
"""


def run(root: Path, *words: str) -> str:
    """Run Python in the copy; return what it prints."""
    own = {"PYTHONPATH": str(root / "src")}
    done = subprocess.run(
        [sys.executable, *words], cwd=root, env=os.environ | own, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def add_proof(root: Path) -> None:
    """Add a proof of the new bus to a copy: two files."""
    for suffix in (".sv", ".toml"):
        text = (ROOT / f"formal/rsm_apb_proof{suffix}").read_text()
        (root / f"formal/rsm_toy_bus_proof{suffix}").write_text(text.replace("_apb", "_toy_bus"))


def add_family(root: Path) -> None:
    """Add the family to a copy: a module and its data."""
    for name, text in (("toy.toml", family.DATA), ("toy.py", family.TOY)):
        (root / "src/roundsmith/flows/families" / name).write_text(text)


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy with all of them; each touches as few files as it should."""
    root = tmp_path_factory.mktemp("house")
    leave = shutil.ignore_patterns("__pycache__")
    for name in (*sbox.COPIED, "formal"):
        shutil.copytree(ROOT / name, root / name, ignore=leave)
    for name in sbox.FILES:
        shutil.copy(ROOT / name, root)
    before = around.files(root)
    added = []
    for add in (sbox.add_sbox, around.add_mode, around.add_bus, add_family, add_proof):
        add(root)
        now = around.files(root)
        added.append(sorted(str(path.relative_to(root)) for path in now - before))
        before = now
    box, mode, bus, targets, proof = added
    assert len(box) == len(targets) == len(proof) == 2
    for files, folder in ((mode, "src/roundsmith/spec/modes"), (bus, "src/roundsmith/spec/buses/")):
        outside = [name for name in files if not name.startswith("rtl/")]
        assert len({Path(name).parent for name in outside}) == 1
        assert all(name.startswith(folder) for name in outside)
    assert len([name for name in mode if name.endswith(".py")]) == 1
    return root


def test_one_core_has_them_all_and_no_other_changes(grown: Path) -> None:
    # The packages and selectors, and every table of the documentation.
    run(grown, "scripts/generate.py")
    said = json.loads(run(grown, "-c", ASKED))
    assert said["designs"] == {s.name: generate.design(s).digest for s in catalogue.everything()}
    assert {"rsm_aes_sbox_toy", "rsm_mode_toy_oneblock", "rsm_toy_bus"} <= set(said["files"])
    assert said["lut"] > 500
    run(grown, "-m", "roundsmith", "verify", said["name"], "--target", "rtl")
    built = grown / "core"
    run(grown, "-m", "roundsmith", "build", said["name"], "-o", str(built))
    assert {"rsm_aes_sbox_toy.sv", "rsm_mode_toy_oneblock.sv", "rsm_toy_bus.sv"} <= {
        path.name for path in built.rglob("*.sv")
    }
    # The documentation has a row of each.
    circuits, modules = (grown / name for name in ("docs/circuits.md", "rtl/README.md"))
    assert "| sbox-toy | sbox | forward |" in circuits.read_text()
    table = modules.read_text()
    assert all(
        f"[`{name}`]" in table for name in ("rsm_aes_sbox_toy", "rsm_mode_toy", "rsm_toy_bus")
    )
    assert "rsm_toy_bus_proof.sv" in table


def test_the_proofs_and_the_tests_take_them_in(grown: Path) -> None:
    collected = run(grown, "-m", "pytest", "--collect-only", "tests/formal", "tests/rtl")
    assert "test_the_proof_holds[rsm_toy_bus_proof" in collected
    assert "test_mode_oneblock.py::test_random_messages[iterative-lut4-toy]" in collected
    run(grown, "-m", "pytest", "tests/formal", "-k", "holds and rsm_toy_bus_proof")
