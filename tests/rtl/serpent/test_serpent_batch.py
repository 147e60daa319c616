"""The core of Lutz's Serpent chip: every cycle at its port, and every block."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from roundsmith.base.paths import RTL
from roundsmith.tools import verilator
from tests.rtl.serpent.test_serpent_cores import sources, tables


def run_bench(
    folder: Path,
    cycles: int,
    instead: Mapping[str, Path] | None = None,
    parameters: Mapping[str, str] | None = None,
) -> dict[str, int]:
    """Return how much traffic there was of each kind; AssertionError when something is wrong."""
    (folder / "tables.h").write_text(tables([], cycles, 3_000))
    chosen = {"TagWidth": "8", **(parameters or {})}
    program = verilator.build(
        list((sources() | dict(instead or {})).values()),
        "rsm_serpent_batch",
        Path(__file__).with_name("serpent_batch_bench.cpp"),
        folder,
        flags=["--savable", "-Wno-fatal", *(f"-G{k}={v}" for k, v in chosen.items())],
        cflags=[f"-I{folder}", f"-I{Path(__file__).parent}"],
    )
    run = subprocess.run([program], cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return {what: int(number) for what, number in re.findall(r"^(.+): (\d+)$", run.stdout, re.M)}


def test_every_cycle_is_that_of_the_paper(tmp_path: Path) -> None:
    # The bench holds the core to 32 cycles a batch of four and to 21 for a key or a turn.
    done = run_bench(tmp_path, 100_000)
    assert min(done["encryptions"], done["decryptions"]) > 1_000, done
    assert done["keys"] > 300 and done["keys with a block"] > 10 and done["turns"] > 50, done
    assert done["batches that follow at once"] > 200 and done["fourth blocks"] > 500, done
    assert min(done["first encryptions"], done["first decryptions"]) > 50, done
    assert done["states compared"] > 10, done


@pytest.mark.long
@pytest.mark.parametrize("sbox", ["Table", "Circuit", "Fast", "Osvik"])
def test_ten_thousand_blocks(sbox: str, tmp_path: Path) -> None:
    number = {"Table": 0, "Circuit": 1, "Fast": 2, "Osvik": 3}[sbox]
    done = run_bench(tmp_path, 600_000, parameters={"Sbox": str(number)})
    assert min(done["encryptions"], done["decryptions"]) > 10_000, done


@pytest.mark.long
@pytest.mark.parametrize(
    ("module", "right", "wrong"),
    [
        ("key/rsm_serpent_key_generator", "(inverse_q != at_end_q)", "1'b1"),
        ("key/rsm_serpent_key_generator", "if ((last && !at_end_q)", "if (last"),
        ("arch/rsm_serpent_batch", "| (waiting_q & drained)", "| waiting_q"),
        ("round/rsm_serpent_round_two", "Stage == 0 && last_i", "Stage == 1 && last_i"),
    ],
)
def test_the_traffic_can_fail(module: str, right: str, wrong: str, tmp_path: Path) -> None:
    path = RTL / "serpent" / f"{module}.sv"
    text = path.read_text()
    assert right in text
    broken = tmp_path / path.name
    broken.write_text(text.replace(right, wrong, 1))
    with pytest.raises(AssertionError):
        run_bench(tmp_path, 100_000, {path.stem: broken})


def test_the_core_is_clean() -> None:
    assert "%" not in verilator.lint(list(sources().values()), "rsm_serpent_batch")
