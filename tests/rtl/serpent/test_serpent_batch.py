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


# --- The chip -------------------------------------------------------------------------------

CHIP = """module chip (
  input logic clk_i, input logic rst_ni, input logic clear_i, output logic idle_o,
  input logic key_valid_i, output logic key_ready_o, input logic [31:0] key_i,
  input logic in_valid_i, output logic in_ready_o, input logic [31:0] in_block_i,
  input logic in_decrypt_i, output logic out_valid_o, output logic [31:0] out_block_o
);
  logic core_idle, key_valid, key_ready, in_valid, in_ready, in_decrypt, out_valid, out_tag;
  logic [255:0] key;
  logic [127:0] in_block, out_block;

  rsm_channels32_batch u_channels (
    .clk_i, .rst_ni, .clear_i, .idle_o, .key_valid_i, .key_ready_o, .key_i, .in_valid_i,
    .in_ready_o, .in_block_i, .in_decrypt_i, .out_valid_o, .out_block_o,
    .core_idle_i (core_idle), .core_key_valid_o (key_valid), .core_key_ready_i (key_ready),
    .core_key_o (key), .core_in_valid_o (in_valid), .core_in_ready_i (in_ready),
    .core_in_block_o (in_block), .core_in_decrypt_o (in_decrypt), .core_out_valid_i (out_valid),
    .core_out_block_i (out_block)
  );

  rsm_serpent_batch u_core (
    .clk_i, .rst_ni, .clear_i, .idle_o (core_idle), .key_valid_i (key_valid),
    .key_ready_o (key_ready), .key_i (key), .in_valid_i (in_valid), .in_ready_o (in_ready),
    .in_block_i (in_block), .in_decrypt_i (in_decrypt), .in_tag_i (1'b0),
    .out_valid_o (out_valid), .out_block_o (out_block), .out_tag_o (out_tag)
  );

  logic unused_tag;

  assign unused_tag = out_tag;
endmodule
"""


def test_the_channels_keep_their_rules(tmp_path: Path) -> None:
    done = run_chip(tmp_path, 100_000)
    assert min(done["encryptions"], done["decryptions"]) > 1_000, done
    assert done["keys"] > 50 and done["states compared"] > 10, done
    assert done["blocks in 56 cycles"] > 100 and done["four in a row"] > 200, done
    assert done["blocks at full rate"] > 2_000, done


def run_chip(folder: Path, cycles: int) -> dict[str, int]:
    (folder / "tables.h").write_text(tables([], cycles, 3_000))
    (folder / "chip.sv").write_text(CHIP)
    files = [*chip_sources(), folder / "chip.sv"]
    program = verilator.build(
        files,
        "chip",
        Path(__file__).with_name("serpent_chip_bench.cpp"),
        folder,
        flags=["--savable", "-Wno-fatal"],
        cflags=[f"-I{folder}", f"-I{Path(__file__).parent}"],
    )
    run = subprocess.run([program], cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return {what: int(number) for what, number in re.findall(r"^(.+): (\d+)$", run.stdout, re.M)}


def chip_sources() -> list[Path]:
    frames = [RTL / "bus" / f"rsm_frame_{way}.sv" for way in ("in", "out")]
    return [*sources().values(), *frames]


def test_the_channels_are_clean(tmp_path: Path) -> None:
    (tmp_path / "chip.sv").write_text(CHIP)
    assert "%" not in verilator.lint([*chip_sources(), tmp_path / "chip.sv"], "chip")
