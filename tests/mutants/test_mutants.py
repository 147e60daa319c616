"""Mutation testing itself: the mutations, the verdicts, and the tables."""

import json
import re
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from roundsmith.base.errors import RoundsmithError
from roundsmith.base.paths import RTL, library
from roundsmith.report import mutants
from tests.mutants import __main__ as campaign
from tests.mutants import mutations
from tests.mutants.cores import CORES, find
from tests.mutants.mutations import Mutation

TEXT = """module rsm_x #(
  parameter int unsigned Width = 4
) (
  input logic clk_i
);
  localparam int unsigned PlaceWidth = 3;
  logic [PlaceWidth-1:0] a_q;
  if (Width < 2) begin : gen_small
    $error("rsm_x: too small");
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      a_q <= 3'd7;
    end else if (b && ~c) begin
      a_q <= d ? a_q + 3'b001 : '0;
    end
  end
`ifdef RSM_ASSERT
  assert (a_q != 3'd5);
`endif
endmodule
"""


def test_every_mutation_of_a_small_module() -> None:
    found = {(each.kind, each.right, each.wrong) for each in mutations.mutations(TEXT)}
    assert found == {
        ("width", "3", "(3) - 1"),
        ("constant", "3", "4"),
        ("width", "PlaceWidth-1", "(PlaceWidth-1) - 1"),
        ("operator", "PlaceWidth-1", "((PlaceWidth) + (1))"),
        ("constant", "1", "2"),
        ("constant", "0", "1"),
        ("condition", "!rst_ni", "!(!rst_ni)"),
        ("condition", "!rst_ni", "rst_ni"),
        ("reset", "a_q <= 3'd7;", ";"),
        ("constant", "3'd7", "3'd0"),
        ("condition", "b && ~c", "!(b && ~c)"),
        ("operator", "b && ~c", "((b) || (~c))"),
        ("enable", "b && ~c", "(b)"),
        ("enable", "b && ~c", "(~c)"),
        ("condition", "~c", "c"),
        ("condition", "d", "!(d)"),
        ("operator", "a_q + 3'b001", "((a_q) - (3'b001))"),
        ("constant", "3'b001", "3'b010"),
        ("constant", "'0", "'1"),
    }


def test_a_mutation_replaces_its_text_alone() -> None:
    for each in mutations.mutations(TEXT):
        assert mutations.mutated(TEXT, each) == TEXT[: each.start] + each.wrong + TEXT[each.end :]
    with pytest.raises(ValueError, match="has no 'x'"):
        mutations.mutated(TEXT, Mutation("constant", 0, 1, "x", "y"))


def texts_of(*folders: str) -> dict[str, str]:
    texts = {str(path.relative_to(RTL)): path.read_text("latin-1") for path in library()}
    return {name: text for name, text in texts.items() if name.startswith(folders)}


def test_every_file_can_be_mutated() -> None:
    """Except one that has no logic: calls of package functions alone."""
    without = {name for name, text in texts_of("").items() if not mutations.mutations(text)}
    assert without == {"mode/rsm_mode_byte_mask.sv"}


def test_a_sample_rotates_files_and_kinds() -> None:
    texts = texts_of("port/", "common/")
    first = list(islice(mutations.sample(texts, 5), 3 * len(texts)))
    assert first == list(islice(mutations.sample(texts, 5), 3 * len(texts)))
    assert first != list(islice(mutations.sample(texts, 6), 3 * len(texts)))
    taken = [sum(name == file for file, _ in first) for name in texts]
    assert min(taken) >= 2
    kinds = {each.kind for _, each in first}
    assert kinds == {"operator", "constant", "condition", "enable", "reset", "width"}
    everything = list(mutations.sample(texts, 5))
    assert (
        len(everything)
        == len(set(everything))
        == sum(len(mutations.mutations(text)) for text in texts.values())
    )


def test_every_name_of_the_list_is_a_core() -> None:
    assert len({find(name).to_toml() for name in CORES}) == len(CORES)


FILE = "port/rsm_flow.sv"

VERDICTS = [
    ("credits_q != '0", "credits_q == '0", "proof rsm_flow_proof"),
    pytest.param(
        "core_idle_i & ~clearing & ~out_valid_o",
        "core_idle_i & ~out_valid_o",
        "verify iterative-lut4-full",
        marks=pytest.mark.long,
    ),
    pytest.param(
        "open & core_in_ready_i",
        "core_in_ready_i & open",
        mutants.EQUIVALENT,
        marks=pytest.mark.long,
    ),
    ("", "", mutants.UNREACHED),
]


@pytest.mark.parametrize(("right", "wrong", "verdict"), VERDICTS, ids=lambda x: str(x)[:20])
def test_the_verdict_on_a_mutant(right: str, wrong: str, verdict: str, tmp_path: Path) -> None:
    """Without the tests of the RTL folder, which take minutes."""
    copy = campaign.Copy(tmp_path)
    original = tmp_path / "digests.json"
    original.write_text(copy.ask("digests"))
    text = (RTL / FILE).read_text("latin-1")
    start = text.index(right)
    (tmp_path / "tests/rtl/port").rename(tmp_path / "left_out")
    with copy.mutated(FILE, Mutation("operator", start, start + len(right), right, wrong)):
        assert copy.ask("judge", FILE, str(original), str(RTL)) == verdict
    assert (tmp_path / "rtl" / FILE).read_text("latin-1") == text


class Told(campaign.Copy):
    """Answers the same to everything, and counts the questions."""

    def __init__(self, answer: str) -> None:
        self._answer = answer
        self.asked = 0

    def ask(self, *argv: str) -> str:
        self.asked += 1
        return self._answer


def test_a_check_must_pass_without_a_mutation() -> None:
    with pytest.raises(SystemExit, match="`proof` of rsm_flow_proof fails without any mutation"):
        campaign.Baseline().require(Told("False"), "proof rsm_flow_proof")


def test_the_baseline_of_a_check_is_taken_once() -> None:
    baseline, copy = campaign.Baseline(), Told("True")
    for verdict in ("verify satoh-1", "verify satoh-1", "verify satoh-5", mutants.SURVIVED):
        baseline.require(copy, verdict)
    assert copy.asked == 2


def stored(folder: Path, **fields: object) -> Path:
    """Write a file of two verdicts, the second one of a file that was edited since."""
    known: dict[str, object] = {"file": FILE, "line": 7, "kind": "constant", "start": 0, "end": 1}
    known |= {"right": "1", "wrong": "0"} | fields
    results = folder / "mutants.jsonl"
    digests = (mutants.sha256(FILE), "0" * 64)
    results.write_text("".join(json.dumps(known | {"sha256": each}) + "\n" for each in digests))
    return results


def test_a_verdict_is_void_once_its_file_was_edited(tmp_path: Path) -> None:
    (mutant,) = mutants.read(stored(tmp_path, verdict="verify satoh-1"))
    assert mutant.outcome == "verify"
    assert mutants.read(tmp_path / "nothing") == []


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    results = stored(tmp_path, verdict=mutants.SURVIVED)
    results.write_text(results.read_text() + '{"file": "x"\n')
    with pytest.raises(RoundsmithError, match=r"Line 3 of .* is no mutant"):
        mutants.read(results)


@pytest.mark.parametrize("verdict", ["verify satoh-1", mutants.SURVIVED, mutants.UNREACHED])
def test_the_tables(verdict: str, tmp_path: Path) -> None:
    found = mutants.read(stored(tmp_path, verdict=verdict))
    grid = mutants.table(found)
    for row in grid.rows:
        assert row[grid.headings.index(verdict.split()[0])] == row[1] == "1"
        assert row[2:].count("0") == len(row) - 3
    left = mutants.survivors(found).rows
    killed = verdict.startswith("verify")
    assert left == (() if killed else ((f"`rtl/{FILE}:7`", verdict, "`1` → `0`"),))


@pytest.mark.parametrize(
    ("argument", "value", "said"),
    [
        ("--count", "0", "take 1 or more"),
        ("--jobs", "x", "take 1 or more"),
        ("--seed", "x", "invalid int value"),
        ("--only", "nowhere", "No file of the library has 'nowhere' in its name."),
    ],
)
def test_wrong_arguments_are_refused(argument: str, value: str, said: str) -> None:
    argv = [sys.executable, "-m", "tests.mutants", argument, value]
    done = subprocess.run(argv, cwd=RTL.parent, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and re.search(said, done.stderr)
    assert "Traceback" not in done.stderr
