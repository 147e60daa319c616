"""A new S-box is two files, a TOML and its RTL: after one run of the generator the tool knows it.

The tests work on a copy of the project, so that the tool reads the toy like every other S-box.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from roundsmith import catalogue
from roundsmith.base.paths import RTL
from roundsmith.design import generate

ROOT = RTL.parent
COPIED = ("src", "rtl", "scripts", "docs", "data", "driver", "tests")
FILES = ("README.md", "pyproject.toml")

#: The tests of tests/rtl/aes/test_sboxes.py that ask the tool which S-boxes there are, and the
#: proof of the selector on all bytes.
SBOX_TESTS = (
    "test_the_spec_knows_the_cuts_of_every_file",
    "test_every_circuit_of_an_sbox_is_a_form_of_one",
    "test_the_selectors_are_up_to_date",
    "test_the_selector",
    "test_the_selector_refuses_the_rest",
    "test_the_selector_refuses_cuts_that_a_construction_lacks",
)

TOY = """\
short = "toy"

[aes]
number = 10
forms = ["forward"]
about = "the table again, for a test"
origin = "cited"
rank = { explore_cells = 9 }
"""

CORE = "aes128-enc-loop1-toy-cs"

#: What the tool of the copy knows, as JSON.
ASK = f"""
import json
from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError
from roundsmith.circuits import listing, rtl_proof
from roundsmith.design import ciphers, generate
from roundsmith.explore import space
from roundsmith.flows import targets
from roundsmith.spec import Spec, naming

def refused(**how):
    both = {{"directions": ["encrypt", "decrypt"]}}
    port = {{"key_channel": "held"}}
    try:
        Spec.from_data({{"name": "x", "what": both, "how": how, "port": port}})
    except RoundsmithError as error:
        return str(error)

circuit = listing.find("sbox-toy")
rtl_proof.prove(circuit)
core = naming.parse("{CORE}")
asked = space.Space(choices={{"architecture": ("loop",)}}, cuts=(("sub",),))
explored = space.specs(asked, targets.parse("asic:osu018"))
print(json.dumps({{
    "digests": {{spec.name: generate.design(spec).digest for spec in catalogue.everything()}},
    "circuit": [circuit.module, circuit.origin],
    "parameter": ciphers.core_parameters(core)["Sbox"],
    "files": [path.stem for path in generate.design(core).library],
    "unknown": refused(sbox="nonsense"),
    "serpent": refused(sbox="osvik", inverse_rounds="separate"),
    "decrypts": refused(sbox="toy", inverse_rounds="separate"),
    "explored": any(spec.how.sbox == "toy" for spec in explored),
}}))
"""


def add_sbox(root: Path) -> None:
    """Add the toy to a copy of the project: two files."""
    (root / "src/roundsmith/spec/sboxes/toy.toml").write_text(TOY)
    folder = root / "rtl/aes/sbox"
    table = (folder / "rsm_aes_sbox_table.sv").read_text()
    (folder / "rsm_aes_sbox_toy.sv").write_text(table.replace("sbox_table", "sbox_toy"))


class Copy:
    """A copy of the project with the toy in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in COPIED:
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in FILES:
            shutil.copy(ROOT / name, root)
        add_sbox(root)

    def run(self, *words: str) -> str:
        """Run Python on some words; return what it prints."""
        done = subprocess.run(
            [sys.executable, *words],
            cwd=self.root,
            env=os.environ | {"PYTHONPATH": str(self.root / "src")},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("copy"))


@pytest.fixture(scope="module")
def written(copy: Copy) -> set[str]:
    """Run the generator once; return the files that it made anew."""
    lines = copy.run("scripts/generate.py").splitlines()
    return {line.removeprefix("stale: ") for line in lines}


@pytest.fixture(scope="module")
def known(copy: Copy, written: set[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(copy.run("-c", ASK))
    return found


def test_the_generator_writes_packages_selectors_and_pages(copy: Copy, written: set[str]) -> None:
    assert written == {
        "rtl/aes/pkg/rsm_aes_pkg.sv",
        "rtl/aes/sbox/rsm_aes_sbox.sv",
        "docs/circuits.md",
        "rtl/README.md",
    }
    page = (copy.root / "docs/circuits.md").read_text()
    assert "| `toy` | `toy` | aes | forward | 0 | the table again, for a test |" in page
    assert "| sbox-toy | sbox | forward |" in page


def test_no_hash_of_a_core_changes(known: dict[str, Any]) -> None:
    specs = catalogue.everything()
    assert known["digests"] == {spec.name: generate.design(spec).digest for spec in specs}


def test_specs_take_it_and_refusals_name_it(known: dict[str, Any]) -> None:
    assert known["parameter"] == "rsm_aes_pkg::SboxToy"
    assert "rsm_aes_sbox_toy" in known["files"]
    assert "'toy'" in str(known["unknown"])
    assert "aes takes 'table'" in str(known["serpent"])
    assert "'cells' or 'toy'" in str(known["serpent"])
    assert "sbox 'toy' has no inverse" in str(known["decrypts"])
    assert known["explored"]


def test_the_listing_has_its_circuit(known: dict[str, Any]) -> None:
    assert known["circuit"] == ["rsm_aes_sbox_toy", "cited"]


def test_the_list_shows_a_named_core_with_it(copy: Copy, written: set[str]) -> None:
    named = copy.root / "src/roundsmith/catalogue/toy-loop.toml"
    named.write_text('name = "toy-loop"\n\n[how]\nsbox = "toy"\n')
    try:
        lines = copy.run("-m", "roundsmith", "list").splitlines()
    finally:
        named.unlink()
    rows = [line.split() for line in lines]
    assert [row[1] for row in rows if row[:1] == ["toy-loop"]] == ["toy"]


def test_the_tests_of_sboxes_cover_it(copy: Copy, written: set[str]) -> None:
    names = [f"tests/rtl/aes/test_sboxes.py::{name}" for name in SBOX_TESTS]
    copy.run("-m", "pytest", *names)
    # A wrong toy fails: the proof of the selector reaches it.
    toy = copy.root / "rtl/aes/sbox/rsm_aes_sbox_toy.sv"
    right = toy.read_text()
    toy.write_text(right.replace("8'h77", "8'h76", 1))
    try:
        with pytest.raises(AssertionError, match="toy_DirectionForward"):
            copy.run("-m", "pytest", "tests/rtl/aes/test_sboxes.py::test_the_selector")
    finally:
        toy.write_text(right)


def test_a_core_with_it_is_built_and_right(copy: Copy, written: set[str], tmp_path: Path) -> None:
    copy.run("-m", "roundsmith", "build", CORE, "-o", str(tmp_path / "core"))
    assert list((tmp_path / "core").rglob("rsm_aes_sbox_toy.sv"))
    copy.run("-m", "roundsmith", "verify", CORE, "--target", "rtl")


def test_two_of_one_number_are_refused(copy: Copy, written: set[str]) -> None:
    second = copy.root / "src/roundsmith/spec/sboxes/second.toml"
    second.write_text(TOY.replace('"toy"', '"second"'))
    try:
        with pytest.raises(AssertionError, match="'second' and 'toy' of aes have the same number"):
            copy.run("-c", "import roundsmith.spec")
    finally:
        second.unlink()
