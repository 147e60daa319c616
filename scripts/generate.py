"""Make every generated file again; with --check, only say which ones are stale."""

import os
import sys
from pathlib import Path

from roundsmith.base.errors import RoundsmithError
from roundsmith.base.paths import DATA, DRIVER
from roundsmith.circuits import compact_program, lut_search, sbox_table, serpent, writer
from roundsmith.design import packets
from roundsmith.design import sboxes as sbox_selectors
from roundsmith.design.registers import writer as register_map
from roundsmith.report import (
    circuits,
    drawings,
    families,
    mode_cost,
    papers,
    peers,
    pipelines,
    readme,
    rtl_table,
    sboxes,
    serpent_sboxes,
    tuning,
)
from roundsmith.report.papers import pictures

ROOT = Path(__file__).resolve().parents[1]


def registers() -> dict[Path, str]:
    """Return what is made of the registers and of the packets: RTL, C, SystemRDL, and a page."""
    page = ROOT / "docs" / "buses.md"
    tables = {
        "registers": register_map.table,
        "codes of transfers": packets.code_table,
        "header of a packet": packets.header_table,
        "status of an answer": packets.answer_table,
    }
    made = {page: readme.fill(page.read_text(), tables | mode_cost.PARTS, "docs/buses.md")}
    made[DRIVER / "rsm_stream.h"] = packets.c_header()
    return made | register_map.files()


def generated() -> dict[Path, str]:
    """Return all generated files with their right contents."""
    page = ROOT / "README.md"
    files = {page: readme.update(page.read_text())}
    page = ROOT / "rtl" / "README.md"
    files[page] = readme.fill(page.read_text(), rtl_table.PARTS, "rtl/README.md")
    page = ROOT / "docs" / "circuits.md"
    parts = sboxes.PARTS | circuits.PARTS | papers.CIRCUIT_PARTS
    files[page] = readme.fill(page.read_text(), parts, "docs/circuits.md")
    page = ROOT / "docs" / "papers.md"
    parts = papers.PARTS | peers.PARTS
    files[page] = readme.fill(page.read_text(), parts, "docs/papers.md")
    page = ROOT / "docs" / "measuring.md"
    parts = families.MEASURING_PARTS | tuning.PARTS
    files[page] = readme.fill(page.read_text(), parts, "docs/measuring.md")
    page = ROOT / "docs" / "boards.md"
    files[page] = readme.fill(page.read_text(), families.BOARD_PARTS, "docs/boards.md")
    page = ROOT / "docs" / "exploring.md"
    files[page] = readme.fill(page.read_text(), pipelines.PARTS, "docs/exploring.md")
    page = ROOT / "docs" / "serpent.md"
    files[page] = readme.fill(page.read_text(), serpent_sboxes.PARTS, "docs/serpent.md")
    for name, text in pipelines.pictures().items():
        files[ROOT / "docs" / f"{name}.svg"] = text
    files[ROOT / "docs" / "sboxes.svg"] = sboxes.picture()
    for name, text in pictures.all_of_them().items():
        files[ROOT / "docs" / f"{name}.svg"] = text
    files.update(drawings.pictures())
    for name in sbox_table.modules():
        files[ROOT / "rtl" / "aes" / "sbox" / f"{name}.sv"] = sbox_table.module(name)
    for name, text in lut_search.modules().items():
        files[ROOT / "rtl" / "aes" / "sbox" / f"{name}.sv"] = text
    files.update(writer.modules())
    files.update(compact_program.modules())
    files.update(registers())
    files.update(serpent.modules())
    files.update(sbox_selectors.modules())
    return files


def main() -> None:
    """Write the stale files, or name them and exit with status 1."""
    # The tables are of what comes with the repository, whatever was measured on this machine.
    os.environ.setdefault("ROUNDSMITH_RECORDS", str(DATA / "measured"))
    try:
        files = generated()
    except RoundsmithError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    stale = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        print(f"stale: {path.relative_to(ROOT)}")
        if "--check" not in sys.argv:
            path.write_text(files[path])
    sys.exit(1 if stale and "--check" in sys.argv else 0)


if __name__ == "__main__":
    main()
