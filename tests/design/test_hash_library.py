"""Edits of the library: what a core reaches changes its hash, and nothing else does.

What a core reaches is asked of slang itself, which says a word at each marked place that it
elaborates. The places are the same in every run: they are drawn with a seed.
"""

import random
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyslang import Bag
from pyslang.ast import Compilation, CompilationOptions
from pyslang.syntax import SyntaxTree

from roundsmith import catalogue
from roundsmith.design import elaborate, generate, tech
from roundsmith.spec import Spec
from roundsmith.tools import yosys

EDITS = 50
SEED = 2027

#: Cores of every architecture and both ciphers, a mode, streams, and buses.
CORES = (
    "satoh-1",
    "satoh-5",
    "best-per-ge",
    "best-per-lut-full",
    "standaert-loop-ram",
    "saggese-iterative",
    "saggese-unrolled-5-gcm",
    "chodowiec-gaj",
    "lutz-rijndael",
    "lutz-serpent",
    "smallest-ge",
    "smallest-lut",
    "smallest-ge-8bit",
    "smallest-serpent",
    "serpent-folded",
    "serpent-unrolled-8",
    "iterative-lut4-gcm-axi4-stream",
    "iterative-lut4-ocb",
    "iterative-lut4-cmac-axi4-stream",
    "satoh-1-xts-axi4-stream",
    "iterative-lut4-ctr-wishbone",
    "cbc-fastest-full",
)
#: Quick to elaborate, and together they reach most of the library's rooms.
SMALL = ("satoh-5", "smallest-ge", "smallest-serpent", "saggese-iterative")


@pytest.fixture(scope="module")
def cores() -> list[Spec]:
    return [catalogue.find(name) for name in CORES]


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give the test a copy of the library that it may edit."""
    folder = tmp_path / "rtl"
    shutil.copytree(elaborate.RTL, folder, ignore=lambda path, _: ["tech"] * path.endswith("rtl"))
    monkeypatch.setattr(elaborate, "RTL", folder)
    elaborate.forget()
    yield folder
    monkeypatch.undo()
    elaborate.forget()


def hashes(cores: list[Spec]) -> dict[str, str]:
    elaborate.forget()
    return {spec.name: generate.design(spec).digest for spec in cores}


def replace(file: Path, before: str, after: str) -> None:
    text = file.read_text()
    assert text.count(before) == 1, f"{file.name}: {before}"
    file.write_text(text.replace(before, after))


# --- What leaves every hash alone -----------------------------------------------------------------


def new_enum_value(rtl: Path) -> None:
    replace(rtl / "aes/pkg/rsm_aes_pkg.sv", "    SboxCells\n", "    SboxCells,\n    SboxToy\n")
    replace(rtl / "aes/pkg/rsm_aes_pkg.sv", "    LinearFast\n", "    LinearFast,\n    LinearToy\n")
    replace(
        rtl / "serpent/pkg/rsm_serpent_pkg.sv", "    SboxOsvik\n", "    SboxOsvik,\n    SboxToy\n"
    )


def new_selector_arm(rtl: Path) -> None:
    new_enum_value(rtl)
    replace(
        rtl / "aes/sbox/rsm_aes_sbox.sv",
        "  end else begin : gen_unknown",
        "  end else if (Sbox == SboxToy) begin : gen_toy\n    assign y_o = x_i;\n"
        "  end else begin : gen_unknown",
    )
    replace(
        rtl / "aes/sbox/rsm_aes_sbox.sv",
        "    case (sbox)\n",
        "    case (sbox)\n      SboxToy: return 32'd3;\n",
    )


def new_package_function(rtl: Path) -> None:
    for cipher in ("aes", "serpent"):
        replace(
            rtl / f"{cipher}/pkg/rsm_{cipher}_pkg.sv",
            "endpackage",
            "  localparam int unsigned Toys = 3;\n  typedef logic [Toys-1:0] toy_t;\n"
            "  function automatic toy_t toy(toy_t a);\n    return ~a;\n  endfunction\nendpackage",
        )


def comments(rtl: Path) -> None:
    for file in rtl.rglob("*.sv"):
        text = file.read_text().replace(";\n", ";  // a remark\n")
        file.write_text(text + "/* and\n one more */\n")


def assertions(rtl: Path) -> None:
    """What stands under a macro that no synthesis defines is as good as a comment."""
    for file in rtl.rglob("*.sv"):
        more = "`ifdef RSM_TOY\n  initial assert (1'b0);\n`endif\nendmodule"
        file.write_text(file.read_text().replace("endmodule", more))


def moved_files(rtl: Path) -> None:
    (rtl / "other").mkdir()
    for file in (rtl / "aes/sbox/rsm_aes_sbox.sv", rtl / "common/rsm_fifo.sv"):
        file.rename(rtl / "other" / file.name)


def new_file(rtl: Path) -> None:
    (rtl / "aes/sbox/rsm_aes_sbox_toy.sv").write_text(
        "module rsm_aes_sbox_toy (input logic x_i, output logic y_o); assign y_o = x_i; endmodule\n"
    )


def new_parameter(rtl: Path) -> None:
    """A parameter that only decides which alternative is taken, of a module and those in it."""
    replace(
        rtl / "aes/sbox/rsm_aes_sub_bytes.sv",
        "  parameter int unsigned         Bytes     = 16,",
        "  parameter int unsigned         Toy       = 0,\n"
        "  parameter int unsigned         Bytes     = 16,",
    )
    replace(
        rtl / "aes/sbox/rsm_aes_sub_bytes.sv",
        "  if (Sbox == SboxBlockRam) begin : gen_block_ram",
        "  if (Toy != 0) begin : gen_toy\n    assign state_o = state_i;\n"
        "  end else if (Sbox == SboxBlockRam) begin : gen_block_ram",
    )


def renamed_module(rtl: Path) -> None:
    for file in rtl.rglob("*.sv"):
        file.write_text(
            re.sub(r"\brsm_(fifo|aes_sbox|aes_stage)\b", r"rsm_new_\1", file.read_text())
        )
    for name in ("common/rsm_fifo", "aes/sbox/rsm_aes_sbox", "aes/arch/rsm_aes_stage"):
        file = rtl / f"{name}.sv"
        file.rename(file.with_name(file.name.replace("rsm_", "rsm_new_", 1)))


@pytest.mark.parametrize(
    "edit",
    [
        new_enum_value,
        new_selector_arm,
        new_package_function,
        comments,
        assertions,
        moved_files,
        new_file,
        new_parameter,
        renamed_module,
    ],
    ids=lambda edit: edit.__name__,
)
def test_what_no_core_reaches_changes_no_hash(
    library: Path, cores: list[Spec], edit: Callable[[Path], None]
) -> None:
    before = hashes(cores)
    edit(library)
    assert hashes(cores) == before


@pytest.mark.parametrize("edit", [new_parameter, renamed_module], ids=lambda edit: edit.__name__)
def test_a_netlist_does_not_change_with_what_the_hash_leaves_out(
    library: Path, tmp_path: Path, edit: Callable[[Path], None]
) -> None:
    """Names of modules and unused parameters are in no hash, so they may be in no netlist."""
    before = rtlil("best-per-ge-loop-full", tmp_path / "before")
    edit(library)
    assert rtlil("best-per-ge-loop-full", tmp_path / "after") == before


# --- What changes the hash of the cores that reach it ---------------------------------------------


@dataclass(frozen=True)
class Edit:
    """One fault in a file: the item that it is in begins at `item`, and `start` to `end` change."""

    kind: str
    file: Path
    item: int
    start: int
    end: int
    text: str


#: Words of an item, and what takes their place.
FAULTS = {
    "operator": {" & ": " | ", " | ": " & ", " ^ ": " & ", " + ": " - ", " - ": " + "},
    "constant": {"1'b0": "1'b1", "1'b1": "1'b0", "[0]": "[1]", "'0": "'1"},
    "enable": {"if (!": "if (", " <= ": " <= ~"},
}


def faults(file: Path) -> Iterator[Edit]:
    """Return what can be changed in the items of a module."""
    text = file.read_text()
    head = text.find(");\n", text.find("\nmodule "))
    for line in re.finditer(
        r"^ +(assign|always_\w+|if \(|for \(genvar)[^\n]*\n", text, re.MULTILINE
    ):
        item = line.start()
        if item < head or _inside_process(text, item):
            continue
        if line[1] == "if (" and (found := re.search(r"if \(([^\n]*)\) begin : ", line[0])):
            yield Edit("branch", file, item, *_at(line, found, 1), f"!({found[1]})")
        elif line[1] == "for (genvar" and (found := re.search(r"; \w+ (<) ", line[0])):
            yield Edit("bound", file, item, *_at(line, found, 1), "<=")
        elif line[1].startswith(("assign", "always")):
            rest = text[item:]
            size = rest.index(";") if line[1] == "assign" else _process(rest)
            for kind, words in FAULTS.items():
                for before, after in words.items():
                    at = rest.find(before, 0, size)
                    if at >= 0 and (kind != "enable" or line[1] == "always_ff"):
                        yield Edit(kind, file, item, item + at, item + at + len(before), after)


def _at(line: re.Match[str], found: re.Match[str], group: int) -> tuple[int, int]:
    return line.start() + found.start(group), line.start() + found.end(group)


def _process(text: str) -> int:
    """Return how long the process is that `text` begins with."""
    indent = len(text) - len(text.lstrip())
    end = re.search(rf"^ {{{indent}}}end$", text, re.MULTILINE)
    one = text.index(";\n")
    return one if "begin" not in text[: text.index("\n")] or end is None else end.end()


def _inside_process(text: str, place: int) -> bool:
    """Whether a line stands in a process or a function, where no item can stand."""
    before = text[:place]
    if before.rfind("function ") > before.rfind("endfunction"):
        return True
    for start in re.finditer(r"^( +)always_[^\n]*begin[^\n]*\n", before, re.MULTILINE):
        if start.start() + _process(text[start.start() :]) > place:
            return True
    return False


def drawn(rtl: Path, cores: list[Spec]) -> list[tuple[Edit, frozenset[str]]]:
    """Return the edits of this test, as many of each kind, and which cores reach each.

    Some core reaches four of five, and none the others.
    """
    every = [edit for file in sorted(rtl.rglob("rsm_*.sv")) for edit in faults(file)]
    found = reached(rtl, cores, every)
    draw = random.Random(SEED)
    by_kind: dict[tuple[str, bool], list[int]] = defaultdict(list)
    for number, edit in enumerate(every):
        by_kind[edit.kind, bool(found[number])].append(number)
    kinds = sorted({kind for kind, _ in by_kind})
    assert kinds == ["bound", "branch", "constant", "enable", "operator"]
    numbers = [
        number
        for kind in kinds
        for used, count in ((True, EDITS * 4 // 25), (False, EDITS // 25))
        for number in draw.sample(by_kind[kind, used], count)
    ]
    return [(every[number], frozenset(found[number])) for number in numbers]


def reached(rtl: Path, cores: list[Spec], edits: list[Edit]) -> dict[int, set[str]]:
    """Return which cores elaborate the item of each edit, as slang says."""
    marks = defaultdict(list)
    for number, edit in enumerate(edits):
        marks[edit.file].append((edit.item, number))
    texts = {file: file.read_text() for file in rtl.rglob("*.sv")}
    texts |= {file: file.read_text() for file in tech.files(tech.GENERIC).values()}
    for file, places in marks.items():
        for item, number in sorted(places, reverse=True):
            mark = f'$info("place {number}.");\n'
            texts[file] = texts[file][:item] + mark + texts[file][item:]
    trees = [SyntaxTree.fromText(text, file.stem) for file, text in texts.items()]
    found: dict[int, set[str]] = {number: set() for number in range(len(edits))}
    for spec in cores:
        top = spec.module  # the options only point at it
        options = CompilationOptions()
        options.topModules = {top}  # slang takes all that nobody instantiates otherwise
        compilation = Compilation(Bag([options]))
        for tree in trees:
            compilation.addSyntaxTree(tree)
        compilation.addSyntaxTree(SyntaxTree.fromText(generate.top_text(spec), top))
        for diagnostic in compilation.getAllDiagnostics():
            for word in map(str, diagnostic.args):
                if match := re.search(r"place (\d+)\.", word):
                    found[int(match[1])].add(spec.name)
    return found


def apply(edit: Edit) -> str:
    """Make an edit; return the text as it was."""
    text = edit.file.read_text()
    edit.file.write_text(text[: edit.start] + edit.text + text[edit.end :])
    return text


def test_an_edit_changes_the_hash_of_the_cores_that_reach_it_and_of_no_other(
    library: Path, cores: list[Spec]
) -> None:
    edits = drawn(library, cores)
    assert len(edits) == EDITS
    before = hashes(cores)
    wrong = []
    for edit, expected in edits:
        text = apply(edit)
        changed = {name for name, digest in hashes(cores).items() if digest != before[name]}
        edit.file.write_text(text)
        if changed != expected:
            wrong.append((edit, sorted(changed ^ expected)))
    assert not wrong, wrong


def rtlil(name: str, folder: Path) -> str:
    """Return what Yosys reads of a core, without where it stands in the files."""
    folder.mkdir()
    elaborate.forget()
    spec = catalogue.find(name)
    design = generate.design(spec)
    script = [
        yosys.read_slang(design.write(folder), spec.module),
        "flatten",
        "write_rtlil core.il",
    ]
    yosys.run(script, what="Yosys", folder=folder)
    text = (folder / "core.il").read_text()
    lines = [line for line in text.splitlines() if not re.match(r"\s*(attribute|#|autoidx)", line)]
    return re.sub(r"\$\d+|\S*\.sv:[\d.-]+\S*", "", "\n".join(lines))


@pytest.mark.long
def test_what_changes_the_netlist_changes_the_hash(library: Path, tmp_path: Path) -> None:
    """The other way about: Yosys reads another netlist only where the hash is another."""
    cores = [catalogue.find(name) for name in SMALL]
    before = hashes(cores)
    netlists = {name: rtlil(name, tmp_path / name) for name in SMALL}
    seen = 0
    for number, (edit, _) in enumerate(drawn(library, cores)):
        text = apply(edit)
        after = hashes(cores)
        for name in SMALL:
            try:
                same = rtlil(name, tmp_path / f"{name}-{number}") == netlists[name]
            except Exception:  # an edit may break a core
                same = False
            seen += not same
            assert same or after[name] != before[name], (name, edit)
        edit.file.write_text(text)
    assert seen >= EDITS // 5
