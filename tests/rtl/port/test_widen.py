"""`rsm_widen` by itself, between a user and a core that answers after any number of cycles."""

import re
import subprocess
from pathlib import Path

import pytest

from roundsmith.base.errors import ToolError
from roundsmith.base.paths import RTL
from roundsmith.tools import verilator

WIDEN = RTL / "port/rsm_widen.sv"
PACKAGE = RTL / "port/rsm_port_pkg.sv"
BENCH = Path(__file__).with_name("widen_bench.cpp")

#: Cycles of a run, for about a thousand blocks.
CYCLES = {1: 400_000, 8: 60_000, 32: 20_000, 64: 20_000}


def run(folder: Path, width: int, held: bool, widen: Path = WIDEN) -> dict[str, int]:
    """Return how much traffic there was of each kind; AssertionError at the first fault."""
    program = verilator.build(
        [PACKAGE, widen],
        "rsm_widen",
        BENCH,
        folder,
        flags=[f"-GWidth={width}", f"-GChannel={int(held)}", "-GTagWidth=4", "--public-flat-rw"],
        cflags=[f"-DWIDTH={width}", f"-DHELD={int(held)}"],
    )
    done = subprocess.run(
        [program, "20", str(CYCLES[width])], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    return {what: int(number) for what, number in re.findall(r"(.+): (\d+)", done.stdout)}


@pytest.mark.parametrize("held", [False, True], ids=["with_block", "held"])
@pytest.mark.parametrize("width", CYCLES)
def test_blocks_and_keys_in_random_traffic(width: int, held: bool, tmp_path: Path) -> None:
    done = run(tmp_path, width, held)
    assert done["blocks"] > 300
    assert done["clears"] > 3
    # A block enters with the first beat of a result, and with its last one; between them it waits.
    assert done["aligned"] > 20
    assert done["close"] > 20
    assert (done["held up"] > 20) == (width < 64)
    assert (done["keys"] > 20) == held


FAULTS = [
    ("assign in_ready_o      = core_in_ready_i & ~between;", "core_in_ready_i;"),
    ("assign core_in_valid_o = in_valid_i & ~between;", "in_valid_i;"),
    ("incoming = collect ? core_out_block_i : '0;", "core_out_block_i;"),
    ("assign out_valid_o = last;", "collecting;"),
    ("idle_o = core_idle_i & ~collect;", "core_idle_i;"),
    ("if (core_out_valid_i) tag_q <=", "tag_q <="),
    ("else if (key_accept) data_q <= {key_i", "else if (key_accept) data_q <= {in_block_i"),
    ("sending ? data_q[127-:Width] : in_block_i[127-:Width]", "data_q[127-:Width]"),
]


@pytest.mark.parametrize(("right", "wrong"), FAULTS)
def test_a_fault_is_found(right: str, wrong: str, tmp_path: Path) -> None:
    text = WIDEN.read_text()
    assert right in text
    broken = tmp_path / WIDEN.name
    start = right.partition("=")[0] + "= " if wrong.endswith(";") else ""
    broken.write_text(text.replace(right, start + wrong, 1))
    with pytest.raises(AssertionError):
        run(tmp_path, 32, True, broken)


def test_another_width_is_refused() -> None:
    with pytest.raises(ToolError):
        verilator.lint([PACKAGE, WIDEN], "rsm_widen", ["-GWidth=16", "-Wno-UNUSEDPARAM"])


@pytest.mark.parametrize("width", CYCLES)
@pytest.mark.parametrize("channel", [0, 1])
def test_it_is_clean(width: int, channel: int) -> None:
    flags = [f"-GWidth={width}", f"-GChannel={channel}", "-Wno-UNUSEDPARAM"]
    assert "%" not in verilator.lint([PACKAGE, WIDEN], "rsm_widen", flags)
