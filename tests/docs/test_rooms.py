"""The rooms: what names what, in the package and in the RTL."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]

#: A module that names one of another room, and one that does so in a comment alone.
NAMES = "module rsm_low;\n  rsm_high u_high ();\nendmodule\n"
SAYS = "module rsm_low;\n  // rsm_high\nendmodule\n"


@pytest.fixture(scope="module")
def lint() -> ModuleType:
    spec = importlib.util.spec_from_file_location("lint_rooms", ROOT / "scripts/lint_rooms.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def library(folder: Path, low: str) -> Path:
    for name, text in {"low": low, "high": "module rsm_high;\nendmodule\n"}.items():
        (folder / name).mkdir()
        (folder / name / f"rsm_{name}.sv").write_text(text)
    return folder


def test_a_room_of_the_package_imports_from_the_floors_below_it() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_the_rtl_keeps_to_its_rooms(lint: ModuleType) -> None:
    assert lint.faults() == []


def test_an_arrow_that_is_not_allowed_is_found(lint: ModuleType, tmp_path: Path) -> None:
    rtl = library(tmp_path, NAMES)
    found = lint.faults(rtl, {"low": (), "high": ()})
    assert found == ["low/rsm_low names rsm_high, and low may use nothing of high"]
    assert lint.faults(rtl, {"low": ("high",), "high": ()}) == []


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"low": ("high",), "high": ()}, "take it out of the table"),
        ({"low": ()}, "rsm_high is in a room that the table does not have"),
    ],
)
def test_the_table_says_what_is_there(
    lint: ModuleType,
    tmp_path: Path,
    table: dict[str, tuple[str, ...]],
    words: str,
) -> None:
    """A comment names nothing."""
    (found,) = lint.faults(library(tmp_path, SAYS), table)
    assert words in found
