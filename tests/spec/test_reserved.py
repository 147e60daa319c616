"""No core is called what a language that it is written in has taken."""

import keyword
import re
import subprocess
from pathlib import Path

import pytest
from pyslang.syntax import SyntaxTree

from roundsmith import catalogue
from roundsmith.base.errors import RoundsmithError
from roundsmith.design import generate
from roundsmith.spec import Spec, reserved
from tests.support.command import call

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")

#: Words that C++ takes in some places alone, and names of its library.
SOFT = {"final", "import", "main", "module", "override", "std"}


@pytest.mark.parametrize("language", reserved._WORDS)
def test_every_word_is_refused_in_a_sentence(language: str) -> None:
    words = [word for word in reserved._WORDS[language].split() if NAME.fullmatch(word)]
    assert len(words) > 4
    for word in words:
        with pytest.raises(RoundsmithError, match=r"^spec: name: '\S+' is a word of .*; choose "):
            Spec.from_data({"name": word.replace("_", "-")}, "spec")
        assert reserved.objection(f"{word}-core".replace("_", "-")) is None


def test_every_word_of_systemverilog_is_one() -> None:
    """An independent reader takes none of them as the name of a module."""
    for word in reserved._SYSTEMVERILOG.split():
        tree = SyntaxTree.fromText(f"module {word}; endmodule\n")
        assert any(found.isError() for found in tree.diagnostics), word


def test_every_word_of_c_is_one(tmp_path: Path) -> None:
    """The compiler takes none of them as the name of a variable."""
    file = tmp_path / "words.cpp"
    words = [word for word in reserved._C.split() if word not in SOFT]
    # Those that are of C alone are names in C++.
    of_c = {"atomic", "complex", "imaginary", "noreturn", "restrict"}
    found = set()
    for word in set(words) - of_c:
        file.write_text(f"int {word} = 0;\n")
        argv = ["g++", "-std=c++20", "-fcoroutines", "-fsyntax-only", file]
        if subprocess.run(argv, capture_output=True).returncode == 0:
            found.add(word)
    assert not found


def test_every_command_of_tcl_is_refused() -> None:
    tkinter = pytest.importorskip("tkinter")
    commands = tkinter.Tcl().eval("info commands").split()
    assert "proc" in commands
    for command in commands:
        if NAME.fullmatch(command) and not command.startswith(("tcl_", "tk")):
            assert reserved.objection(command.replace("_", "-")) is not None, command


def test_every_keyword_of_python_is_refused() -> None:
    for word in keyword.kwlist:
        assert reserved.objection(word.lower()) is not None


def test_our_own_prefix_is_refused() -> None:
    for name in ("rsm", "rsm-aes", "rsm-cut"):
        assert "as the modules of the library do" in str(reserved.objection(name))
    assert reserved.objection("rsmith") is None


def test_the_name_of_a_port_is_refused() -> None:
    for name in ("clk-i", "in-block-i"):
        with pytest.raises(RoundsmithError, match=f"'{name}' is the name of one of its ports"):
            generate.design(Spec.from_data({"name": name}))


def test_no_core_of_ours_has_such_a_name() -> None:
    found = catalogue.everything()
    assert len(found) > 100
    for spec in found:
        assert reserved.objection(spec.name) is None
        assert f"\nmodule {spec.module} (" in generate.top_text(spec)


def test_a_command_says_so_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("entity.toml").write_text('name = "entity"\n')
    for words in (["build", "entity.toml", "--output", "out"], ["verify", "entity.toml"]):
        with pytest.raises(
            RoundsmithError, match=r"^entity\.toml: name: 'entity' is a word of VHDL"
        ):
            call(*words)
    assert not Path("out").exists()
