"""Every proof of `formal/` holds, can fail, and fails with each of its mutants."""

from pathlib import Path

import pytest

from roundsmith.base.errors import ToolError
from roundsmith.spec import formulas, modes
from tests.formal.formal_proofs import FORMAL, Mutant, check, load, reach, unpaired

NAMES = sorted(path.stem for path in FORMAL.glob("*.toml"))


def _marks(long: bool) -> list[pytest.MarkDecorator]:
    return [pytest.mark.long] if long else []


def test_each_proof_has_two_files() -> None:
    assert unpaired() == []


@pytest.mark.parametrize(
    ("name", "values"),
    [
        pytest.param(name, each.values, id=f"{name}-{each.name}", marks=_marks(each.long))
        for name in NAMES
        for each in load(name).parameters
    ],
)
def test_the_proof_holds(name: str, values: list[str], tmp_path: Path) -> None:
    check(name, values, tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_the_proof_can_fail(name: str, tmp_path: Path) -> None:
    """The assumptions do not contradict each other: a rule that breaks in cycle 6 is refuted."""
    with pytest.raises(ToolError, match="proof did fail"):
        reach(name, load(name).parameters[0].values, tmp_path)


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        pytest.param(name, each, id=f"{name}-{number}", marks=_marks(each.long))
        for name in NAMES
        for number, each in enumerate(load(name).mutant)
    ],
)
def test_the_mutant_is_refuted(name: str, mutant: Mutant, tmp_path: Path) -> None:
    values = load(name).values(mutant.parameters)
    with pytest.raises(ToolError, match="proof did fail"):
        check(name, values, tmp_path, mutant)


# --- Parameters that follow the program --------------------------------------------------------


def test_every_small_mode_is_proved_with_keys() -> None:
    proof = load("rsm_mode_oneblock_key_proof")
    small = {mode.word for mode in modes.MODES if mode.oneblock}
    assert {each.name for each in proof.parameters} == small


def test_ocb_is_proved_for_the_shortest_interval() -> None:
    (only,) = load("rsm_mode_ocb_oneblock_proof").parameters
    assert only.values == [f"Cycles={formulas.ONEBLOCK_CYCLES}"]


# --- Faults in the files of a proof ------------------------------------------------------------

KEEP = "rsm_mode_byte_mask_proof"


def _copy(folder: Path, ending: str, right: str, wrong: str) -> None:
    """Copy the proof of rsm_mode_byte_mask, with one fault in its SystemVerilog or its TOML."""
    for each in ("sv", "toml"):
        text = (FORMAL / f"{KEEP}.{each}").read_text()
        assert each != ending or right in text
        changed = text.replace(right, wrong) if each == ending else text
        (folder / f"{KEEP}.{each}").write_text(changed)


def test_a_missing_file_is_found(tmp_path: Path) -> None:
    for file in ("rsm_a_proof.sv", "rsm_b_proof.toml", "rsm_c.sv", "rsm_c.toml"):
        (tmp_path / file).touch()
    assert unpaired(tmp_path) == [
        "formal/rsm_a_proof.sv needs formal/rsm_a_proof.toml",
        "formal/rsm_b_proof.toml needs formal/rsm_b_proof.sv",
        "formal/rsm_c.sv: the name must end in _proof",
        "formal/rsm_c.toml: the name must end in _proof",
    ]


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("[[mutant]]", "[[other]]", "mutant\n  Field required"),
        (
            'right = "(in',
            'right = "(no',
            r"'\(no_bytes_i\)' does not occur in rtl/mode/rsm_mode_byte_mask",
        ),
        ('parameters = "keep"', 'parameters = "kept"', r"must be one of \['keep'\]"),
        ('file = "mode/', 'file = "bus/', "'file' must be one of"),
        ('"mode/rsm_mode_pkg.sv"', '"mode/rsm_mode.sv"', "no file rtl/mode/rsm_mode.sv"),
        ('module = "rsm_mode_byte_mask"', 'module = "rsm_keep"', r"no file rsm_keep.sv in rtl"),
        ('module = "rsm_mode_byte_mask"', 'module = "rsm_fifo"', "must begin with rsm_fifo_"),
        ("values = []", 'values = ["Depth=3"]', "'Depth=3' must be NAME=VALUE of a parameter of r"),
        ("why =", "long = 7\nwhy =", "mutant.0.long"),
        ('why = "', "why = ", "rsm_mode_byte_mask_proof.toml"),
    ],
)
def test_a_fault_in_a_toml_file_is_found(
    right: str, wrong: str, message: str, tmp_path: Path
) -> None:
    _copy(tmp_path, "toml", right, wrong)
    with pytest.raises(ValueError, match=message):
        load(KEEP, tmp_path)


LATE = """  logic [1:0] late_q = '0;
  always_ff @(posedge clk_i) late_q <= late_q + 2'd1;
  always_comb begin
    assume (late_q != 2'd3);"""


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("out_i <= Full)", "out_i <= Full && out_i < in_i && in_i < out_i)"),
        ("  always_comb begin", LATE),
    ],
    ids=["at once", "in a later cycle"],
)
def test_assumptions_that_contradict_each_other_are_found(
    right: str, wrong: str, tmp_path: Path
) -> None:
    """Such a proof can prove anything, so nothing refutes it."""
    _copy(tmp_path, "sv", right, wrong)
    folder = tmp_path / "run"
    folder.mkdir()
    reach(KEEP, [], folder, tmp_path)
