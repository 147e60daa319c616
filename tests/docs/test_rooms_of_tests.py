"""The rooms of the tests: every module of the RTL has tests where a reader looks for them."""

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from roundsmith.design.elaborate import code

ROOT = Path(__file__).resolve().parents[2]
RTL = ROOT / "rtl"
TESTS = ROOT / "tests"

#: Modules that a test reaches through the spec of a core without naming them, and the test.
BY_SPEC = {
    "rsm_aes": "tests/rtl/aes/test_sweep.py",
    "rsm_mode_*": "tests/rtl/mode/test_mode.py",
    "rsm_axi4_stream": "tests/rtl/bus/test_bus.py",
    "rsm_register_port": "tests/rtl/bus/test_bus.py",
    "rsm_self_test": "tests/rtl/bus/test_bus.py",
    "rsm_uart_*": "tests/boards/test_board.py",
}

#: Rooms of the RTL without a room of tests: the modules that instantiate theirs are tested.
THROUGH_OTHERS = {"common"}

#: A name, or a pattern of names: `rsm_cut`, `rsm_aes_sbox_*`, `rsm_aes_sbox_{name}`.
_NAME = re.compile(r"rsm_\w*(?:(?:\*|\{[^{}]*\})\w*)*")


def names(folder: Path) -> set[str]:
    """Return the names and patterns of modules in the files of a folder.

    A pattern needs two words after `rsm_`: `rsm_aes_*` says nothing about a module.
    """
    files = [each for each in folder.rglob("*") if each.suffix in {".py", ".cpp", ".h", ".toml"}]
    found = {name for file in files for name in _NAME.findall(file.read_text())}
    patterns = {re.sub(r"\{[^{}]*\}", "*", name) for name in found}
    return {each for each in patterns if "*" not in each or len(re.findall("[a-z0-9]+", each)) > 2}


def untested(
    modules: Mapping[str, tuple[str, str]],
    named: Mapping[str, set[str]],
    others: Iterable[str] = (),
) -> set[str]:
    """Return the modules that have no test: no test names them, or a module that uses them.

    `modules` holds the room and the code of each module, `named` what the tests of a room name;
    what `others` name counts for every room.
    """
    found = {
        module
        for module, (room, _) in modules.items()
        if any(fnmatchcase(module, each) for each in (*named.get(room, ()), *others))
    }
    waiting = list(found)
    while waiting:
        text = modules[waiting.pop()][1]
        below = {name for name in re.findall(r"\brsm_\w+", text) if name in modules} - found
        found |= below
        waiting += below
    return set(modules) - found


@pytest.fixture(scope="module")
def library() -> dict[str, tuple[str, str]]:
    return {
        path.stem: (path.relative_to(RTL).parts[0], code(path.read_text()))
        for path in sorted(RTL.rglob("*.sv"))
    }


@pytest.fixture(scope="module")
def named() -> dict[str, set[str]]:
    return {path.name: names(path) for path in (TESTS / "rtl").iterdir() if path.is_dir()}


def test_every_module_has_tests_in_its_room(
    library: dict[str, tuple[str, str]], named: dict[str, set[str]]
) -> None:
    """Of its own or of a module that instantiates it."""
    left = untested(library, named, names(ROOT / "formal") | BY_SPEC.keys())
    assert not left, f"name {sorted(left)} in a test of tests/rtl/ROOM or in formal/"


@pytest.mark.parametrize("pattern", BY_SPEC)
def test_what_is_reached_by_a_spec_is_listed_once(
    pattern: str, library: dict[str, tuple[str, str]], named: dict[str, set[str]]
) -> None:
    assert (ROOT / BY_SPEC[pattern]).is_file()
    rest = BY_SPEC.keys() - {pattern}
    left = untested(library, named, names(ROOT / "formal") | rest)
    assert any(fnmatchcase(name, pattern) for name in left), f"take {pattern} out of BY_SPEC"


def test_every_room_of_the_rtl_has_a_room_of_tests() -> None:
    rooms = {path.name for path in RTL.iterdir() if path.is_dir()}
    tests = {path.name for path in (TESTS / "rtl").iterdir() if any(path.glob("test_*.py"))}
    assert rooms - tests <= THROUGH_OTHERS
    assert tests <= rooms


def test_a_module_without_a_test_is_found() -> None:
    modules = {
        "rsm_top": ("a", "module rsm_top; rsm_low u_low (); endmodule"),
        "rsm_low": ("b", "module rsm_low; endmodule"),
        "rsm_one_x": ("a", "module rsm_one_x; endmodule"),
    }
    assert untested(modules, {"a": {"rsm_top", "rsm_one_*"}}) == set()
    assert untested(modules, {"a": {"rsm_low"}, "b": {"rsm_top"}}) == set(modules)
    assert untested(modules, {"a": {"rsm_top"}}) == {"rsm_one_x"}
    assert untested(modules, {}, {"rsm_low"}) == {"rsm_top", "rsm_one_x"}


def test_tests_stand_in_rooms_that_are_packages() -> None:
    """So that tests import each other by full names, and two files may have one name."""
    assert list(TESTS.glob("test_*.py")) == []
    for file in TESTS.rglob("*.py"):
        assert (file.parent / "__init__.py").is_file(), f"add an empty __init__.py beside {file}"


def test_the_readme_has_every_room() -> None:
    text = (TESTS / "README.md").read_text()
    for path in TESTS.iterdir():
        if (path / "__init__.py").is_file():
            assert f"| `{path.name}" in text, f"tests/README.md: say what tests/{path.name} holds"
