"""The folded Serpent core: its port cycle by cycle, and every word of its blocks."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from roundsmith.base.paths import RTL
from roundsmith.tools import verilator
from tests.rtl.serpent.test_serpent_cores import sources, tables

TOP = "rsm_serpent_folded"

#: Values of `Direction` (rsm_serpent_pkg): a key with every block, or a key channel.
FORWARD, BOTH = 0, 2


def run_bench(
    folder: Path,
    cycles: int,
    direction: int,
    lengths: int = 0b111,
    sbox: int = 1,
    instead: Mapping[str, Path] | None = None,
) -> dict[str, int]:
    """Return how much traffic there was of each kind; AssertionError when something is wrong."""
    (folder / "tables.h").write_text(tables([], cycles, 5_000))
    parameters = {"TagWidth": 8, "Lengths": lengths, "Sbox": sbox, "Direction": direction}
    program = verilator.build(
        list((sources() | dict(instead or {})).values()),
        TOP,
        Path(__file__).with_name("serpent_folded_bench.cpp"),
        folder,
        flags=["--savable", "-Wno-fatal", *(f"-G{k}={v}" for k, v in parameters.items())],
        cflags=[
            *(f"-I{folder}", f"-I{Path(__file__).parent}"),
            *(f"-DLENGTHS={lengths}", f"-DHELD={int(direction == BOTH)}"),
        ],
    )
    run = subprocess.run([program], cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return {what: int(number) for what, number in re.findall(r"^(.+): (\d+)$", run.stdout, re.M)}


def test_keys_with_blocks(tmp_path: Path) -> None:
    done = run_bench(tmp_path, 400_000, FORWARD)
    assert min(done[f"blocks of length {n}"] for n in range(3)) > 100, done
    assert done["rushed the same way"] > 100, done
    assert done["clears"] > 50 and done["states compared"] > 20, done


def test_both_directions(tmp_path: Path) -> None:
    done = run_bench(tmp_path, 600_000, BOTH)
    assert min(done[f"blocks of length {n}"] for n in range(3)) > 100, done
    assert min(done["encryptions"], done["decryptions"]) > 200, done
    assert min(done["rushed the same way"], done["rushed the other way"]) > 20, done
    assert done["keys"] > 200 and done["clears"] > 80 and done["states compared"] > 30, done


@pytest.mark.long
@pytest.mark.parametrize(
    ("direction", "lengths", "sbox"),
    [(FORWARD, 0b100, 0), (FORWARD, 0b001, 1), (BOTH, 0b010, 2), (BOTH, 0b101, 0)],
)
def test_ten_thousand_blocks(direction: int, lengths: int, sbox: int, tmp_path: Path) -> None:
    done = run_bench(tmp_path, 12_000_000, direction, lengths, sbox)
    assert done.get("encryptions", 0) + done.get("decryptions", 0) > 10_000, done


@pytest.mark.long
@pytest.mark.parametrize(
    ("module", "right", "wrong"),
    [
        ("_window", "{place_i, ~count_i}", "{place_i, count_i}"),
        ("_window", ": window_q[0];", ": window_q[4];"),
        ("_state", "else if (mix_i) state_q <= mixed", "else if (mix_i) state_q <= turned"),
        ("", "(place_q != High) & (place_q != Low)", "(place_q != High)"),
        ("", "idle & (count_q == 2'd2)", "idle & (count_q == 2'd0)"),
        ("", "count_q[1] & (length == 2'd1)", "count_q[0] & (length == 2'd1)"),
        ("", "loading_q  <= rst_ni", "loading_q  <= 1'b0"),
    ],
)
def test_the_traffic_can_fail(module: str, right: str, wrong: str, tmp_path: Path) -> None:
    path = RTL / "serpent/folded" / f"{TOP}{module}.sv"
    text = path.read_text()
    assert right in text
    broken = tmp_path / path.name
    broken.write_text(text.replace(right, wrong, 1))
    with pytest.raises(AssertionError):
        run_bench(tmp_path, 300_000, BOTH, instead={path.stem: broken})


@pytest.mark.parametrize(
    ("parameter", "reason"),
    [("-GDirection=8'd1", "encrypts or does both"), ("-GLengths=3'd0", "names no key length")],
)
def test_what_is_not_built_is_refused(parameter: str, reason: str) -> None:
    # An error of the core is one that is not fatal here, so that it is printed.
    assert reason in verilator.lint(list(sources().values()), TOP, ["-Wno-fatal", parameter])


@pytest.mark.parametrize("direction", [FORWARD, BOTH])
@pytest.mark.parametrize("lengths", [0b001, 0b010, 0b100, 0b111])
def test_the_core_is_clean(lengths: int, direction: int) -> None:
    flags = [f"-GLengths=3'd{lengths}", f"-GDirection=8'd{direction}"]
    assert "%" not in verilator.lint(list(sources().values()), TOP, flags)
