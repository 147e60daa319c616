"""No exported bench passes on vectors that are missing, cut short or changed, nor on an X."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from roundsmith import catalogue, export
from roundsmith.export.sealed import handshakes
from roundsmith.spec import Bus, Mode, Spec
from roundsmith.tools import iverilog
from tests.support.exported import resealed

LOOP = catalogue.find("iterative-lut4")
CTR = LOOP.with_mode(Mode.CTR)

#: A core for each template of a bench.
BENCHES = {
    "blocks": catalogue.find("iterative-table-full"),
    "words": catalogue.find("chodowiec-gaj"),
    "messages": CTR,
    "streams": catalogue.find("saggese-iterative-5-cbc5"),
    "registers": CTR.with_bus(Bus.APB, self_test=False),
    "stream": CTR.with_bus(Bus.AXI4_STREAM, self_test=False),
    "mixed_streams": catalogue.find("saggese-iterative-5-cbc5-axi4-stream"),
}

Change = Callable[[list[str]], list[str]]


def one_digit(lines: list[str]) -> list[str]:
    """Change the lowest digit of the first word, which is data that goes in or a key."""
    number = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    word = lines[number].partition("//")[0].strip()
    changed = f"{word[:-1]}{int(word[-1], 16) ^ 1:x}"
    return [*lines[:number], changed, *lines[number + 1 :]]


CHANGES: dict[str, Change] = {
    "nothing": lambda lines: [],
    "comments": lambda lines: [line for line in lines if line.startswith("//")],
    "first half": lambda lines: lines[: len(lines) // 2],
    "no seal": lambda lines: lines[:-1],
    "no last word": lambda lines: [*lines[:-2], lines[-1]],
    "one word": lambda lines: [line for line in lines if line.startswith("//")] + lines[-2:-1],
    "an X": lambda lines: [*lines[:-2], "x" + lines[-2][1:], lines[-1]],
    "a digit": one_digit,
    "two words swapped": lambda lines: [*lines[:-3], lines[-2], lines[-3], lines[-1]],
}


#: Benches of which Icarus takes long, and which have what is tried from a template of the others.
SLOW = {"words", "messages", "streams", "mixed_streams"}
SOME = [pytest.param(name, marks=pytest.mark.long if name in SLOW else ()) for name in BENCHES]


@pytest.fixture(scope="module", params=BENCHES)
def bench(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Spec, Path, Path]:
    """A core, its folder, and its bench for Icarus."""
    spec, work = BENCHES[request.param], tmp_path_factory.mktemp("bench")
    export.write(spec, work / "core")
    files = [work / f"core/{spec.module}.v", work / f"core/tb/{spec.module}_tb.v"]
    return spec, work / "core", iverilog.build(files, work / "bench.vvp", top=f"{spec.module}_tb")


def run(program: Path, cwd: Path, vectors: Path | None = None) -> tuple[int, str]:
    """Return the exit status of a bench and all that it printed."""
    icarus = iverilog._find()
    argv = [*icarus.vvp, "-n", program, *([] if vectors is None else [f"+vectors={vectors}"])]
    env = os.environ | dict(icarus.env)
    found = subprocess.run(argv, cwd=cwd, env=env, capture_output=True, text=True)
    return found.returncode, found.stdout


def refused(found: tuple[int, str]) -> bool:
    status, said = found
    return status == 1 and " is not whole: " in said and said.endswith("\n0 passed, 1 failed\n")


def test_what_is_not_whole_is_refused(bench: tuple[Spec, Path, Path], tmp_path: Path) -> None:
    _, folder, program = bench
    right = (folder / "tb/vectors.hex").read_text().splitlines()
    wrong = tmp_path / "wrong.hex"
    for name, change in CHANGES.items():
        wrong.write_text("\n".join(change(right)) + "\n")
        assert refused(run(program, folder, wrong)), name
    assert refused(run(program, folder, Path("no/such/file.hex")))
    # Where the bench was told of nothing, and stands in another folder.
    assert refused(run(program, tmp_path))


@pytest.mark.parametrize("bench", SOME, indirect=True)
def test_a_path_may_be_long(bench: tuple[Spec, Path, Path], tmp_path: Path) -> None:
    _, folder, program = bench
    deep = tmp_path.joinpath(*["folder-with-a-long-name"] * 30)
    deep.mkdir(parents=True)
    (deep / "vectors.hex").write_bytes((folder / "tb/vectors.hex").read_bytes())
    status, said = run(program, folder, deep / "vectors.hex")
    assert status == 0 and re.fullmatch(r"[1-9]\d* passed, 0 failed", said.splitlines()[-1])


@pytest.mark.parametrize("bench", SOME, indirect=True)
def test_vectors_of_ones_own_need_their_checksum(
    bench: tuple[Spec, Path, Path], tmp_path: Path
) -> None:
    """The bench says which seal it needs; with this it takes the file, and finds what is wrong."""
    _, folder, program = bench
    changed = one_digit((folder / "tb/vectors.hex").read_text().splitlines())
    own = tmp_path / "own.hex"
    own.write_text("\n".join(changed) + "\n")
    _, said = run(program, folder, own)
    needed = re.search(r"behind them (\w{8}_\w{8})", said)
    assert needed is not None
    assert resealed(changed).splitlines()[-1] == needed[1]
    own.write_text("\n".join([*changed[:-1], needed[1]]) + "\n")
    status, said = run(program, folder, own)
    assert status == 1 and "not whole" not in said
    assert re.fullmatch(r"\d+ passed, [1-9]\d* failed", said.splitlines()[-1])


@pytest.mark.parametrize("bench", SOME, indirect=True)
def test_a_handshake_that_is_x_fails(bench: tuple[Spec, Path, Path], tmp_path: Path) -> None:
    """Each of them in one cycle, which need not change a transfer."""
    spec, folder, _ = bench
    text = (folder / f"tb/{spec.module}_tb.v").read_text()
    for port in handshakes(spec):
        declared = re.search(rf"^  wire +((?:\[\d+:0\])?) *{port};$", text, re.M)
        assert declared is not None
        shown = (
            f"  wire {declared[1]} right;\n  wire {declared[1]} {port} = cycles == 2 ? 'bx : right"
        )
        broken = text.replace(declared[0], f"{shown};")
        broken, count = re.subn(rf"\.{port}( *)\({port}\)", rf".{port}\1(right)", broken)
        assert count == 1
        (tmp_path / "tb.v").write_text(broken)
        program = iverilog.build(
            [folder / f"{spec.module}.v", tmp_path / "tb.v"], tmp_path / "x.vvp"
        )
        status, said = run(program, folder)
        assert status == 1 and "a handshake was neither 0 nor 1" in said, port
