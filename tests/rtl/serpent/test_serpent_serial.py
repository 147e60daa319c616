"""The bit-serial Serpent core: every cycle at its port, and every bit of its blocks."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from roundsmith.base.paths import RTL
from roundsmith.tools import verilator
from tests.rtl.serpent.test_serpent_cores import sources, tables

TOP = "rsm_serpent_serial_bit"


def run_bench(
    folder: Path,
    cycles: int,
    lengths: int = 0b111,
    sbox: int = 0,
    instead: Mapping[str, Path] | None = None,
) -> dict[str, int]:
    """Return how much traffic there was of each kind; AssertionError when something is wrong."""
    (folder / "tables.h").write_text(tables([], cycles, 30_000))
    parameters = {"TagWidth": 8, "Lengths": lengths, "Sbox": sbox}
    program = verilator.build(
        list((sources() | dict(instead or {})).values()),
        TOP,
        Path(__file__).with_name("serpent_serial_bench.cpp"),
        folder,
        flags=["--savable", "-Wno-fatal", *(f"-G{k}={v}" for k, v in parameters.items())],
        cflags=[f"-I{folder}", f"-I{Path(__file__).parent}", f"-DLENGTHS={lengths}"],
    )
    run = subprocess.run([program], cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return {what: int(number) for what, number in re.findall(r"^(.+): (\d+)$", run.stdout, re.M)}


def test_blocks_of_every_length(tmp_path: Path) -> None:
    done = run_bench(tmp_path, 1_000_000)
    assert min(done[f"blocks of length {n}"] for n in range(3)) > 30, done
    assert done["clears"] > 20 and done["states compared"] > 10, done


@pytest.mark.long
@pytest.mark.parametrize(("lengths", "sbox"), [(0b100, 0), (0b001, 1), (0b010, 2)])
def test_ten_thousand_blocks(lengths: int, sbox: int, tmp_path: Path) -> None:
    done = run_bench(tmp_path, 56_000_000, lengths, sbox)
    assert done[f"blocks of length {lengths.bit_length() - 1}"] > 10_000, done


@pytest.mark.long
@pytest.mark.parametrize(
    ("module", "right", "wrong"),
    [
        ("word", "rotate(word, Jump)", "rotate(word, Jump + 1)"),
        ("turn", "side_i ? byte_q[7]", "side_i ? byte_q[6]"),
        ("bit", "(t <= 5'd28)", "(t <= 5'd29)"),
        ("bit", "period[1] == (length == 2'd1)", "period[1] == (length == 2'd0)"),
        ("bit", "clearing_q ? ~period[7] & t[4]", "clearing_q ? ~period[7]"),
    ],
)
def test_the_traffic_can_fail(module: str, right: str, wrong: str, tmp_path: Path) -> None:
    path = RTL / "serpent/serial" / f"rsm_serpent_serial_{module}.sv"
    text = path.read_text()
    assert right in text
    broken = tmp_path / path.name
    broken.write_text(text.replace(right, wrong, 1))
    with pytest.raises(AssertionError):
        run_bench(tmp_path, 300_000, instead={path.stem: broken})


@pytest.mark.parametrize("lengths", [0b001, 0b010, 0b100, 0b111])
def test_the_core_is_clean(lengths: int) -> None:
    files = list(sources().values())
    assert "%" not in verilator.lint(files, TOP, [f"-GLengths=3'd{lengths}"])
