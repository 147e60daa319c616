"""A mode of operation is one module of Python and its RTL, a register bus one folder and its RTL.

A copy of the package and of the RTL gets a mode and a bus that are ECB and APB under other words.
Another copy gets a cipher that is AES under another word, which is one module in each room that has
ciphers, an S-box and RTL. Everything picks them up, and no core that was there changes.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from roundsmith import catalogue
from roundsmith.attribution import ciphers as rules
from roundsmith.base.paths import DATA, DRIVER, RTL
from roundsmith.design import generate
from roundsmith.spec.ciphers import CIPHERS, Cipher

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
from pathlib import Path

from roundsmith.spec.buses import apb

BUS = replace(
    apb.BUS, word="toy_bus", title="the toy bus", driven_from=Path(__file__).parent
)
'''

#: A cipher with an S-box, in place of `aes`: what is added, by its path.
CIPHER = {
    "src/roundsmith/spec/ciphers/toy.py": '''"""AES under another word, with short keys."""

from dataclasses import replace

from roundsmith.spec.ciphers import aes

CIPHER = replace(
    aes.CIPHER,
    word="toy",
    name="the toy cipher",
    number=3,
    rounds={128: 10},
    in_openssl=False,
    acvp="",
    narrow=(),
)
''',
    "src/roundsmith/design/ciphers/toy.py": '''"""The RTL of the toy."""

from dataclasses import replace

from roundsmith.design.ciphers import aes

RTL = replace(aes.RTL, word="toy", sbox_files=dict)
''',
    "src/roundsmith/explore/ciphers/toy.py": '''"""How the toy is explored."""

from dataclasses import replace

from roundsmith.explore.ciphers import aes

EXPLORATION = replace(aes.EXPLORATION, word="toy")
''',
    "src/roundsmith/attribution/ciphers/toy.py": '''"""The components of the toy."""

from dataclasses import replace

from roundsmith.attribution.ciphers import aes

RULE = replace(aes.RULE, word="toy")
''',
    "src/roundsmith/spec/sboxes/toy_box.toml": """\
short = "toybox"

[toy]
number = 8
module = "lut4"
forms = ["forward", "inverse", "both"]
cuts = 4
about = "lut4 again, for a test"
origin = "cited"
bits = [12, 16, 18, 12]
levels = [1, 2, 1, 2, 1]
rank = { explore_cells = 1, explore_luts = 1 }
""",
}

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


#: The same of the copy with the cipher.
CIPHER_ASKS = """
import json, sys
import numpy as np
from typer.testing import CliRunner
from roundsmith import catalogue
from roundsmith.attribution import cell_components
from roundsmith.base.errors import RoundsmithError
from roundsmith.cli.cli import app
from roundsmith.design import generate
from roundsmith.design.registers import writer
from roundsmith.explore import space, structure
from roundsmith.explore.choices import Space
from roundsmith.flows import synthesize, targets
from roundsmith.simulate import messages
from roundsmith.spec import Bus, Cipher, Mode, Spec, naming
from roundsmith.verify import message_checks


def run(*words):
    return CliRunner().invoke(app, words)


def refused(what, how=None):
    own = {"cipher": "toy"} | what
    try:
        Spec.from_data({"name": "refused", "what": own, "how": {"sbox": "toy_box"} | (how or {})})
    except RoundsmithError as error:
        return str(error)


spec = naming.parse("toy128-both-loop1-toybox-stored-reord-cs")
spec = spec.with_mode(Mode("ecb")).with_bus(Bus("apb"))
folder = sys.argv[1] + "/core"
with open(sys.argv[1] + ".toml", "w") as file:
    file.write(spec.to_toml())
built = run("build", file.name, "--output", folder)
asked = message_checks.questions(spec, np.random.default_rng(1), 20, 64)
program = messages.build(spec, synthesize.sources(spec))
found = messages.run(program, spec, [each.message for each in asked])
asic = targets.parse("asic:osu018")
loops = Space(choices={"architecture": ("loop",)}, cuts=(("sub",),), cipher=Cipher("toy"))
explored = space.specs(loops, asic)
print(json.dumps({
    "name": spec.name,
    "round trip": Spec.from_toml(spec.to_toml()) == spec,
    "listed": run("list").exit_code,
    "built": built.exit_code,
    "right": message_checks.compare("toy", asked, found.answers) == len(asked),
    "explored": sorted({each.what.cipher for each in explored}),
    "parts": sorted(structure.parts(explored[0]).circuits),
    "help": run("explore", "--help").output,
    "sentences": [
        refused({"cipher": "none of them"}),
        refused({"key_bits": [192]}),
        refused({}, {"sbox": "lut4"}),
        refused({}, {"architecture": "serial", "data_bits": 8}),
        str(run("explore", "--target", "asic:osu018", "--cipher", "no-cipher").exception),
    ],
    "rule": cell_components.rule(spec),
    "map": writer.table(),
    "specs": {each.name: each.hash() for each in catalogue.everything()},
    "designs": {name: generate.design(catalogue.find(name)).digest for name in sys.argv[2:]},
}))
"""


def copied(folder: Path) -> None:
    """Make the copy."""
    leave = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, folder / "src/roundsmith", ignore=leave)
    shutil.copytree(RTL, folder / "rtl")
    for there in (DATA, DRIVER):
        (folder / there.name).symlink_to(there)


def files(folder: Path) -> set[Path]:
    """Return all files in a folder."""
    return {path for path in folder.rglob("*") if path.is_file()}


def add_mode(folder: Path) -> None:
    """Add the mode to a copy: a module, and its RTL in two forms."""
    (folder / "src/roundsmith/spec/modes/toy.py").write_text(MODE)
    for room, form in (("pipelined", ""), ("oneblock", "_oneblock")):
        text = (RTL / f"mode/{room}/rsm_mode_ecb{form}.sv").read_text()
        text = text.replace("rsm_mode_ecb", "rsm_mode_toy")
        (folder / f"rtl/mode/{room}/rsm_mode_toy{form}.sv").write_text(text)


def add_bus(folder: Path) -> None:
    """Add the bus to a copy: a folder with what drives it, and its RTL."""
    bus = folder / "src/roundsmith/spec/buses/toy_bus"
    bus.mkdir()
    (bus / "__init__.py").write_text(BUS)
    driven_from = PACKAGE / "spec/buses/apb"
    (bus / "master.h").write_text((driven_from / "master.h").read_text())
    transfer = (driven_from / "transfer.v").read_text()
    (bus / "transfer.v").write_text(f"      // An access on the toy bus.\n{transfer}")
    text = (RTL / "bus/rsm_apb.sv").read_text().replace("rsm_apb", "rsm_toy_bus")
    (folder / "rtl/bus/rsm_toy_bus.sv").write_text(text)


def with_mode_and_bus(folder: Path) -> None:
    """Make a copy with the mode and the bus."""
    copied(folder)
    before = files(folder)
    add_mode(folder)
    mode = files(folder)
    assert sorted(path.suffix for path in mode - before) == [".py", ".sv", ".sv"]
    add_bus(folder)
    assert len({path.parent for path in files(folder) - mode if path.suffix != ".sv"}) == 1


def with_cipher(folder: Path) -> None:
    """Make a copy with the cipher."""
    copied(folder)
    for path, text in CIPHER.items():
        (folder / path).write_text(text)
    text = (RTL / f"{Cipher.AES}/rsm_{Cipher.AES}.sv").read_text()
    text = text.replace(f"module rsm_{Cipher.AES}\n", "module rsm_toy\n")
    (folder / "rtl/toy").mkdir()
    (folder / "rtl/toy/rsm_toy.sv").write_text(text)


def answers(folder: Path, asks: str, out: Path) -> dict[str, Any]:
    """Return what the copy in `folder` says."""
    done = subprocess.run(
        [sys.executable, "-c", asks, str(out), *KNOWN],
        env=os.environ | {"PYTHONPATH": str(folder / "src")},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    # No core that was there changes.
    assert said["specs"] == {spec.name: spec.hash() for spec in catalogue.everything()}
    digests = {name: generate.design(catalogue.find(name)).digest for name in KNOWN}
    assert said["designs"] == digests
    return said


def test_a_mode_is_a_module_and_a_bus_a_folder(tmp_path: Path) -> None:
    with_mode_and_bus(tmp_path)
    out = tmp_path / "out"
    said = answers(tmp_path, ASKS, out)
    assert said["name"] == "iterative-lut4-toy-toy-bus" and said["round trip"]
    assert said["listed"] == 0 and said["built"] == 0
    assert said["right"]
    modes, buses, tested, mode, bus = said["sentences"]
    assert "'toy'" in modes and "'toy_bus'" in buses and "'toy_bus'" in tested
    assert mode.startswith("--mode is one of") and "toy, not 'no-mode'" in mode
    assert bus.startswith("--bus is one of") and "toy-bus" in bus
    assert "`toy`" in said["table"] and "`toy` with `axi4_stream`" in said["table"]
    assert re.search(r"#define RSM_MODE_TOY +31u", said["header"])
    # The folder that was built has the new RTL, and tells what it is.
    names = {path.name for path in out.rglob("*")}
    assert {"rsm_mode_toy_oneblock.sv", "rsm_toy_bus.sv", "rsm_registers.h"} <= names
    text = (out / "iterative_lut4_toy_toy_bus.md").read_text()
    assert "in TOY behind the toy bus" in text and "The mode of this core is number 31." in text
    bench = (out / "tb/iterative_lut4_toy_toy_bus_tb.v").read_text()
    assert "// An access on the toy bus.\n" in bench and "s_apb_penable = 1'b1;" in bench


def test_a_cipher_is_one_module_a_room(tmp_path: Path) -> None:
    with_cipher(tmp_path)
    out = tmp_path / "toy"
    said = answers(tmp_path, CIPHER_ASKS, out)
    assert said["name"] == "toy128-both-loop1-toybox-stored-reord-cs-ecb-apb"
    assert said["round trip"] and said["listed"] == 0 and said["built"] == 0
    assert said["right"]
    assert said["explored"] == ["toy"] and "sbox-toy-box" in said["parts"]
    assert "aes or serpent or toy" in re.sub(r"[│\s]+", " ", said["help"])
    word, length, sbox, narrow, option = said["sentences"]
    assert "'toy'" in word
    assert "toy has no keys of 192 bits; key_bits are '128'" in length
    assert "sbox 'lut4' is built for aes; toy takes 'toy_box'" in sbox
    assert "architecture 'serial' is part of the design space but not built yet for toy" in narrow
    assert option == "--cipher is aes or serpent or toy, not 'no-cipher'."
    assert said["rule"] == rules.of(Cipher.AES).number
    assert "0 AES, 1 Serpent, 3 the toy cipher" in said["map"]
    # The folder that was built has the new RTL, and tells what it is.
    assert list(out.rglob("rsm_toy.sv"))
    (datasheet,) = out.rglob("toy128*.md")
    assert "the toy cipher" in datasheet.read_text()


def texts() -> dict[Path, str]:
    """Return the text of every module and template of the package."""
    paths = (*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.j2"))
    return {path.relative_to(PACKAGE): path.read_text() for path in paths}


@pytest.mark.parametrize(("kind", "member"), [("Mode", "GCM"), ("Bus", "APB"), ("Cipher", "AES")])
def test_no_other_module_names_a_member(kind: str, member: str) -> None:
    """The words of the members stand in their modules, and in the catalogue."""
    named = re.compile(rf"\b{kind}\.(?!NONE\b)[A-Z]|what\.{kind.lower()} [!=]= \"(?!none\b)")
    assert named.search(f"if spec.mode is {kind}.{member}:")
    folder = "buses" if kind == "Bus" else f"{kind.lower()}s"
    read = texts()
    assert any(folder in own.parts for own in read)
    for own, text in read.items():
        assert folder in own.parts or not named.findall(text), own


#: What is about the parts of one cipher: its circuits with their picture, the papers with their
#: figures, and the folders of its RTL.
ABOUT_PARTS = (
    *("circuits/*", "report/sboxes.py"),
    *("report/papers/*", "report/published.py"),
    "report/rtl_table.py",
)


def test_no_other_module_has_the_word_of_a_cipher() -> None:
    words = "|".join(cipher.word for cipher in CIPHERS)
    named = re.compile(rf"[\"']({words})[\"']|\bis_({words})\b")
    found = {own for own, text in texts().items() if named.findall(text)}
    # The ciphers themselves are found, so others would be.
    assert {Path(f"spec/ciphers/{cipher.word}.py") for cipher in CIPHERS} <= found
    for own in found:
        assert own.parent.name == "ciphers" or any(own.match(about) for about in ABOUT_PARTS), own
