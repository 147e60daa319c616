"""The test bench that `build` writes: it passes on a core that is right, and on no other."""

import re
from pathlib import Path

import pytest

from roundsmith import catalogue
from roundsmith.base.errors import ToolError
from roundsmith.export import write
from roundsmith.export.vectors import RANDOM, transfers
from roundsmith.spec import Spec
from roundsmith.tools import iverilog, process, verilator
from tests.support.exported import CORES, EVERY_KEY, MORE, ciphered, resealed

#: Icarus takes minutes for the gates of Serpent: eight rounds of them in the chip, and in the
#: other core one round with all eight S-boxes, through which each block goes 32 times.
SLOW = {"lutz-serpent-chip", "serpent-iterative-full"}


def simulate(folder: Path, module: str, work: Path, *arguments: str) -> str:
    """Run the test bench on the Verilog-2005 file in Icarus."""
    files = [folder / f"{module}.v", folder / "tb" / f"{module}_tb.v"]
    program = iverilog.build(files, work / "bench.vvp", top=f"{module}_tb")
    return iverilog.run(program, cwd=folder, arguments=arguments)


@pytest.mark.parametrize(
    "spec",
    [pytest.param(s, marks=pytest.mark.long if s.name in SLOW else ()) for s in [*CORES, *MORE]],
    ids=lambda spec: spec.name,
)
def test_icarus_passes_the_vectors(spec: Spec, built: dict[str, Path], tmp_path: Path) -> None:
    output = simulate(built[spec.name], spec.module, tmp_path)
    assert output.strip().splitlines() == [f"{len(transfers(spec))} passed, 0 failed"]


@pytest.mark.parametrize(
    ("name", "position"),
    [
        ("saggese-iterative", 1),
        ("saggese-iterative", 65),
        ("saggese-iterative-full", 96),
        ("lutz-rijndael-chip", 64),
    ],
)
def test_a_wrong_digit_fails(
    name: str, position: int, built: dict[str, Path], tmp_path: Path
) -> None:
    folder = built[name]
    lines = (folder / "tb" / "vectors.hex").read_text().splitlines()
    number = next(i for i, line in enumerate(lines) if "F.1.1, block 3" in line)
    digits = lines[number].replace("_", "")
    changed = digits[:position] + f"{int(digits[position], 16) ^ 1:x}" + digits[position + 1 :]
    wrong = tmp_path / "wrong.hex"
    wrong.write_text(resealed([*lines[:number], changed, *lines[number + 1 :]]))
    count = len(transfers(catalogue.find(name)))
    with pytest.raises(ToolError, match=rf"status 1: {count - 1} passed, 1 failed"):
        simulate(folder, name.replace("-", "_"), tmp_path, f"+vectors={wrong}")


@pytest.mark.parametrize(
    ("name", "pattern", "replacement"),
    [
        # One byte of the S-box, one round constant, results that never come.
        ("iterative-table", r"8'h53: (\w+) = 8'hed;", r"8'h53: \1 = 8'hec;"),
        ("iterative-table-full", r"4'h5: (\w+) = 9'h110;", r"4'h5: \1 = 9'h111;"),
        ("iterative-table", r"(assign out_valid_o) = .*;", r"\1 = 1'b0;"),
    ],
)
def test_a_broken_core_fails(
    name: str, pattern: str, replacement: str, built: dict[str, Path], tmp_path: Path
) -> None:
    module = name.replace("-", "_")
    text, count = re.subn(pattern, replacement, (built[name] / f"{module}.v").read_text())
    assert count >= 1
    (tmp_path / "tb").mkdir()
    (tmp_path / f"{module}.v").write_text(text)
    for file in (f"tb/{module}_tb.v", "tb/vectors.hex"):
        (tmp_path / file).write_bytes((built[name] / file).read_bytes())
    with pytest.raises(ToolError, match=r"status 1: \d+ passed, [1-9]\d* failed"):
        simulate(tmp_path, module, tmp_path)


def test_the_bench_runs_on_the_systemverilog(built: dict[str, Path], tmp_path: Path) -> None:
    spec = catalogue.find("saggese-iterative-full")
    folder, module = built[spec.name], spec.module
    argv: list[str | Path] = [verilator._root() / "bin" / "verilator_bin", "--binary", "--timing"]
    argv += ["-j", "2", "-CFLAGS", "-std=c++20 -O0", "--Mdir", tmp_path / "obj"]
    argv += ["--top-module", f"{module}_tb", "-f", f"{module}.f", f"tb/{module}_tb.v"]
    process.run(argv, what="Verilator", cwd=folder, env=verilator.environment())
    output = process.run([tmp_path / "obj" / f"V{module}_tb"], what="The bench", cwd=folder)
    assert f"{len(transfers(spec))} passed, 0 failed" in output.splitlines()


@pytest.mark.parametrize("spec", [*CORES, *MORE], ids=lambda spec: spec.name)
def test_vectors_are_right(spec: Spec) -> None:
    found = transfers(spec)
    for transfer in found:
        right = ciphered(spec, transfer.key, transfer.decrypt, transfer.data)
        assert right == transfer.result, transfer.source
    for ours in (found, found[-RANDOM:]):
        assert {8 * len(transfer.key) for transfer in ours} == set(spec.what.key_bits)
        ways = {"decrypt" if transfer.decrypt else "encrypt" for transfer in ours}
        assert ways == set(spec.what.directions)


def test_the_standards_own_vectors_are_there() -> None:
    """FIPS 197, C.3, and the first block of SP 800-38A, F.1.4, typed in here once more."""
    found = {t.source: (t.key.hex(), t.data.hex(), t.result.hex()) for t in transfers(EVERY_KEY)}
    key = "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b"
    block = ("bd334f1d6e45f25ff712a214571fa5cc", "6bc1bee22e409f96e93d7e117393172a")
    assert found["SP 800-38A, F.1.4, block 1"] == (key, *block)
    encrypted = [t for t in transfers(EVERY_KEY) if t.source.endswith("C.3") and not t.decrypt]
    assert [t.result.hex() for t in encrypted] == ["8ea2b7ca516745bfeafc49904b496089"]


@pytest.mark.long
@pytest.mark.parametrize(
    "spec",
    [spec for spec in catalogue.everything() if not spec.has_mode],
    ids=lambda spec: spec.name,
)
def test_the_bench_of_every_core_passes(spec: Spec, tmp_path: Path) -> None:
    write(spec, tmp_path / "core")
    output = simulate(tmp_path / "core", spec.module, tmp_path)
    assert output.strip().splitlines() == [f"{len(transfers(spec))} passed, 0 failed"]
