"""The hash of a design: what changes the hardware changes it, and what takes no part does not."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError
from roundsmith.design import elaborate
from roundsmith.records import records

Hash = Callable[..., str]

#: A part with variants, and a top that has the first one once, or the first and the second.
PART = """
module rsm_part #(parameter int unsigned Kind = 0) (output logic [3:0] y_o);
  if (Kind == 0) begin : gen_zero
    if (Kind == 1) begin : gen_never
      assign y_o = 4'd9;
    end else begin : gen_always
      assign y_o = 4'd1;
    end
  end else if (Kind == 1) begin : gen_one
    assign y_o = 4'd2;
  end else begin : gen_other
    rsm_missing u_missing (.y_o);
  end
endmodule
"""
ONE = "module top (output logic [3:0] y_o); rsm_part u_part (.y_o); endmodule"
TWO = """
module top (output logic [7:0] y_o);
  rsm_part #(.Kind (0)) u_part_0 (.y_o (y_o[3:0]));
  rsm_part #(.Kind (1)) u_part_1 (.y_o (y_o[7:4]));
endmodule
"""


@pytest.fixture
def hash_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hash]:
    """Give the hash of a design whose library has one file, with `changes` made to its text."""
    monkeypatch.setattr(elaborate, "RTL", tmp_path)

    def found(top: str, *changes: tuple[str, str]) -> str:
        text = PART
        for before, after in changes:
            assert text.count(before) == 1
            text = text.replace(before, after)
        (tmp_path / "rsm_part.sv").write_text(text)
        elaborate.forget()
        used = elaborate.library("top", top)
        return used.digest

    yield found
    elaborate.forget()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("wire a = b;", "wire a = b; // a copy"),
        ("wire a = b;", "/* a\n copy */ wire a\n    = b;"),
        ('$error("a /* b");', '$error("a /* b"); // */'),
    ],
)
def test_comments_and_lines_do_not_count(before: str, after: str) -> None:
    assert elaborate.code(f"{before}\n") == elaborate.code(f"{after} \n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("wire a = b;", "wire a = c;"),
        ("wire a = b;", "// wire a = b;"),
        ('$error("a // b");', '$error("a // c");'),
        ('$error("a  b");', '$error("a b");'),
        ("wire a = b / c;", "wire a = b /* / */ c;"),
    ],
)
def test_code_counts(before: str, after: str) -> None:
    assert elaborate.code(before) != elaborate.code(after)


@pytest.mark.parametrize(
    "change",
    [
        ("4'd2", "4'd3"),
        ("4'd9", "4'd8"),
        ("Kind == 0) begin : gen_zero", "Kind < 1) begin : gen_zero"),
        (" else begin : gen_other", " else if (Kind == 5) begin : gen_five end else begin : gen_6"),
        ("rsm_missing", "rsm_missing_too"),
    ],
)
def test_a_variant_that_no_instance_has_does_not_count(
    hash_of: Hash, change: tuple[str, str]
) -> None:
    assert hash_of(ONE, change) == hash_of(ONE)


@pytest.mark.parametrize(
    "change",
    [
        ("4'd1", "4'd3"),
        ("Kind = 0", "Kind = 1"),
        ("Kind == 0) begin : gen_zero", "Kind == 3) begin : gen_zero"),
        ("gen_always", "gen_forever"),
        ("[3:0] y_o);", "[3:0] y_o); logic [Kind:0] more;"),
    ],
)
def test_a_variant_that_an_instance_has_counts(hash_of: Hash, change: tuple[str, str]) -> None:
    library = ("rsm_missing u_missing (.y_o);", "assign y_o = 4'd7;")
    assert hash_of(ONE, library, change) != hash_of(ONE, library)


def test_which_instance_has_which_variant_counts(hash_of: Hash) -> None:
    """The same alternatives are taken, by the other instance."""
    swap = [
        ("Kind == 0) begin : gen_zero", "Kind == 1) begin : gen_zero"),
        ("else if (Kind == 1) begin", "else if (Kind == 0) begin"),
        ("Kind == 1) begin : gen_never", "Kind == 2) begin : gen_never"),
    ]
    assert hash_of(TWO, *swap) != hash_of(TWO)
    assert hash_of(TWO, ("4'd2", "4'd3")) != hash_of(TWO)
    assert hash_of(TWO, ("4'd9", "4'd8")) == hash_of(TWO)
    assert hash_of(TWO, ("rsm_missing", "rsm_missing_too")) == hash_of(TWO)


def test_an_instance_without_the_only_alternative_counts(hash_of: Hash) -> None:
    """One has the block and one has none: the condition says which."""
    more = "[3:0] y_o);\n  if (Kind == 0) begin : gen_more wire w = 1'b0; end"
    less = more.replace("== 0", "== 1")
    head = "(output logic [3:0] y_o);"
    assert head.endswith("[3:0] y_o);")
    assert hash_of(TWO, ("[3:0] y_o);", more)) != hash_of(TWO, ("[3:0] y_o);", less))


def test_a_package_counts_where_it_is_read(
    hash_of: Hash, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package may use the names of another one: what does not read it, keeps its hash."""
    one, two = "package rsm_one_pkg;\n{}\nendpackage", "package rsm_two_pkg;\n{}\nendpackage"
    read = ("[3:0] y_o);", "[3:0] y_o); import rsm_one_pkg::*; word_t word;")
    top = ONE.replace("module top", "module top import rsm_one_pkg::*;")

    def written(first: str, second: str) -> tuple[str, str]:
        (tmp_path / "rsm_one_pkg.sv").write_text(one.format(first))
        (tmp_path / "rsm_two_pkg.sv").write_text(two.format(second))
        return hash_of(ONE, read), hash_of(top)

    word = "typedef logic [3:0] word_t;"
    first = written(word, "")
    assert written(word, "typedef logic [7:0] word_t;") == first
    assert written(word.replace("3:0", "4:0"), "")[0] != first[0]
    # What a package takes of another one counts as well.
    taken = "typedef rsm_two_pkg::part_t word_t;"
    assert written(taken, "typedef logic part_t;")[0] != written(taken, "typedef bit part_t;")[0]


def test_a_file_that_is_edited_meanwhile_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "rtl"
    shutil.copytree(elaborate.RTL, folder)
    spec = catalogue.find("saggese-iterative")
    with monkeypatch.context() as patch:
        patch.setattr(elaborate, "RTL", folder)
        elaborate.forget()
        file = folder / "aes" / "rsm_aes.sv"
        with (
            pytest.raises(RoundsmithError, match="changed meanwhile"),
            records.unchanged(spec, None),
        ):
            text = file.read_text()
            file.write_text(text.replace("endmodule", "  wire more; endmodule"))
    elaborate.forget()
