"""Three 32-bit channels around a core with batches: the chip of Lutz's Serpent, cycle by cycle."""

import re
import subprocess
from pathlib import Path

from roundsmith.base.paths import RTL
from roundsmith.tools import verilator
from tests.rtl.serpent import test_serpent_cores
from tests.rtl.serpent.test_serpent_cores import sources, tables

SERPENT = Path(test_serpent_cores.__file__).parent

#: The modules of the room that the chip has.
NAMES = ("frame_in", "frame_out", "channels32_batch")

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
        SERPENT / "serpent_chip_bench.cpp",
        folder,
        flags=["--savable", "-Wno-fatal"],
        cflags=[f"-I{folder}", f"-I{SERPENT}"],
    )
    run = subprocess.run([program], cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return {what: int(number) for what, number in re.findall(r"^(.+): (\d+)$", run.stdout, re.M)}


def chip_sources() -> list[Path]:
    own = [RTL / "bus" / f"rsm_{name}.sv" for name in NAMES]
    return [*sources().values(), *own]


def test_the_channels_are_clean(tmp_path: Path) -> None:
    (tmp_path / "chip.sv").write_text(CHIP)
    assert "%" not in verilator.lint([*chip_sources(), tmp_path / "chip.sv"], "chip")
