"""The changes that are made in the library, what finds them, and the table of what was found."""

import json
from pathlib import Path

import pytest

from roundsmith.base.paths import RTL, library
from roundsmith.report import mutants
from tests.mutants import __main__ as campaign
from tests.mutants import checks, sites
from tests.mutants.cores import CORES, find
from tests.mutants.sites import Site

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


def test_every_change_of_a_small_module() -> None:
    found = {(site.kind, site.right, site.wrong) for site in sites.sites(TEXT)}
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


def test_a_change_is_made_where_it_is() -> None:
    for site in sites.sites(TEXT):
        changed = sites.mutated(TEXT, site)
        assert changed != TEXT and len(changed) == len(TEXT) + len(site.wrong) - len(site.right)
    with pytest.raises(ValueError, match="has no 'x'"):
        sites.mutated(TEXT, Site("constant", 0, 1, "x", "y"))


def test_every_file_with_logic_has_changes() -> None:
    texts = {str(path.relative_to(RTL)): path.read_text("latin-1") for path in library()}
    without = {name for name, text in texts.items() if not sites.sites(text)}
    assert all("assign" not in texts[name] or "_pkg" in name for name in without - WIRES)


#: Wires alone, with functions of a package between them.
WIRES = {"mode/rsm_mode_byte_mask.sv"}


def test_a_sample_is_the_same_again_and_takes_of_every_file() -> None:
    texts = {str(path.relative_to(RTL)): path.read_text("latin-1") for path in library()}
    texts = {name: text for name, text in texts.items() if name.startswith(("port/", "common/"))}
    first = list(sites.sample(texts, 3 * len(texts), 5))
    assert first == list(sites.sample(texts, 3 * len(texts), 5))
    assert first != list(sites.sample(texts, 3 * len(texts), 6))
    taken = [sum(name == file for file, _ in first) for name in texts]
    assert min(taken) >= 2 and len(set(first)) == len(first)
    every = {site.kind for _, site in sites.sample(texts, 300, 5)}
    assert every == {"operator", "constant", "condition", "enable", "reset", "width"}


def test_every_core_of_the_list_is_one() -> None:
    assert len(set(CORES)) == len(CORES)
    for name in CORES:
        assert find(name).name


FILE = "port/rsm_flow.sv"

CHANGES = [
    ("credits_q != '0", "credits_q == '0", "proof rsm_flow_proof"),
    pytest.param(
        "core_idle_i & ~clearing & ~out_valid_o",
        "core_idle_i & ~out_valid_o",
        "verify iterative-lut4-full",
        marks=pytest.mark.long,
    ),
    # The same, in other words.
    pytest.param(
        "open & core_in_ready_i", "core_in_ready_i & open", checks.EQUAL, marks=pytest.mark.long
    ),
    ("", "", checks.NO_CORE),
]


@pytest.mark.parametrize(("right", "wrong", "found"), CHANGES, ids=lambda x: str(x)[:20])
def test_what_finds_a_change(right: str, wrong: str, found: str, tmp_path: Path) -> None:
    """In a copy of the checkout; the tests of the room are left out, which take minutes."""
    copy = campaign.Copy(tmp_path)
    before = tmp_path / "digests.json"
    before.write_text(copy.ask("digests"))
    text = (RTL / FILE).read_text("latin-1")
    start = text.index(right)
    (tmp_path / "tests/rtl/port").rename(tmp_path / "left_out")
    with copy.changed(FILE, Site("operator", start, start + len(right), right, wrong)):
        answer = copy.ask("judge", FILE, str(before), str(RTL))
    assert answer.startswith(found)
    assert (tmp_path / "rtl" / FILE).read_text("latin-1") == text


def test_a_check_that_fails_without_a_change_ends_the_run(tmp_path: Path) -> None:
    class Broken(campaign.Copy):
        def __init__(self) -> None:
            pass

        def ask(self, *argv: str) -> str:
            return "False"

    with pytest.raises(SystemExit, match="`proof` of rsm_flow_proof fails without any change"):
        campaign.Clean().check(Broken(), "proof rsm_flow_proof")


def test_changes_of_a_file_that_was_edited_count_no_more(tmp_path: Path) -> None:
    known = {"file": FILE, "line": 1, "kind": "constant", "start": 0, "end": 1, "right": "1"}
    known |= {"wrong": "0", "found": "verify satoh-1"}
    state = campaign.states_of([FILE])[FILE]
    lines = [known | {"text": state}, known | {"text": "0" * 64}]
    results = tmp_path / "mutants.jsonl"
    results.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (found,) = mutants.changes(results)
    assert found.check == "verify"


def test_every_change_that_is_left_is_explained() -> None:
    assert "not explained" not in mutants.left()
