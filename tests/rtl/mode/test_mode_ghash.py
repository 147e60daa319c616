"""GHASH, of every kind, against the multiplication of the standard."""

import math
import subprocess
from pathlib import Path

import pytest

from roundsmith.base import paths
from roundsmith.tools import verilator

BENCH = Path(__file__).with_name("ghash_bench.cpp")
FILES = [
    p
    for p in paths.library()
    if p.stem.startswith(("rsm_ghash", "rsm_mode_pkg", "rsm_stream_fifo", "rsm_fifo"))
]

#: Digit, lanes, slots.
KINDS = [(8, 1, 1), (32, 4, 3), (128, 1, 2), (43, 3, 1)]
MORE = [
    (1, 1, 1),
    (1, 2, 2),
    (16, 8, 4),
    (64, 2, 1),
    (5, 3, 16),
    (127, 2, 1),
    (122, 2, 2),
    (3, 43, 1),
]


@pytest.mark.parametrize(
    ("digit", "lanes", "slots"), [*KINDS, *(pytest.param(*k, marks=pytest.mark.long) for k in MORE)]
)
def test_hashes_are_right(digit: int, lanes: int, slots: int, tmp_path: Path) -> None:
    parameters = {"Digit": digit, "Lanes": lanes, "Slots": slots}
    program = verilator.build(
        FILES,
        "rsm_ghash",
        BENCH,
        tmp_path,
        flags=[f"-G{name}={value}" for name, value in parameters.items()],
        cflags=[f"-DSLOTS={slots}"],
    )
    answer = subprocess.run([program], capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    cycles = float(answer.stdout)
    # Lanes that are enough take a block a cycle; fewer are all busy all the time.
    assert cycles == pytest.approx(max(1.0, math.ceil(128 / digit) / lanes), rel=0.01)
