"""The packets of AXI4-Stream: the C header against the description that the benches use."""

import itertools
import re
import subprocess
from pathlib import Path

import pytest

from roundsmith.base.paths import DRIVER
from roundsmith.design import packets
from roundsmith.spec import modes

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]

#: Reads messages as lines of numbers, IV last in hexadecimal, and prints their headers.
PACKER = r"""
#include <stdio.h>
#include "rsm_stream.h"
#include "rsm_stream.h"
int main(void)
{
    unsigned decrypt, slot, iv_bytes, tag_bytes;
    unsigned long aad_bytes, text_bytes;
    while (scanf("%u %u %u %u %lu %lu", &decrypt, &slot, &iv_bytes, &tag_bytes, &aad_bytes,
                 &text_bytes) == 6) {
        uint8_t header[RSM_STREAM_HEADER_BYTES], iv[32];
        for (unsigned i = 0; i < iv_bytes; i++) {
            unsigned byte;
            if (scanf("%2x", &byte) != 1) return 1;
            iv[i] = (uint8_t)byte;
        }
        for (unsigned i = 0; i < sizeof header; i++) header[i] = 0xa5;
        rsm_stream_message message = {decrypt != 0, (uint8_t)slot, iv, (uint8_t)iv_bytes,
                                      (uint8_t)tag_bytes, (uint32_t)aad_bytes,
                                      (uint32_t)text_bytes};
        if (!rsm_stream_header(header, &message)) {
            puts("none");
            continue;
        }
        for (unsigned i = 0; i < sizeof header; i++) printf("%02x", header[i]);
        puts("");
    }
    return 0;
}
"""


def compiled(source: str, folder: Path, header: str) -> Path:
    (folder / "rsm_stream.h").write_text(header)
    (folder / "program.c").write_text(source)
    program = folder / "program"
    argv = ["gcc", *STRICT, f"-I{folder}", "-o", program, folder / "program.c"]
    subprocess.run(argv, check=True)
    return program


def packed(folder: Path, header: str) -> list[tuple[str, str]]:
    """Return headers that C packs, each beside the one of the description."""
    lines, right = [], []
    sizes = (0, 1, 0x01020304, 0xFFFFFFFF)
    ivs = (b"", bytes(range(1, 13)), bytes(range(0xF0, 0x100)))
    for (decrypt, slot), iv, aad, text in itertools.product(((0, 0), (1, 15)), ivs, sizes, sizes):
        lines.append(f"{decrypt} {slot} {len(iv)} 13 {aad} {text} {iv.hex()}")
        made = packets.header(
            iv=iv,
            tag_bytes=13,
            aad_bytes=aad,
            text_bytes=text,
            decrypt=bool(decrypt),
            slot=slot,
        )
        right.append(made.hex())
    lines.append(f"0 0 17 16 0 0 {bytes(17).hex()}")
    right.append("none")
    program = compiled(PACKER, folder, header)
    said = subprocess.run(
        [program], input="\n".join(lines) + "\n", check=True, capture_output=True, text=True
    )
    found = said.stdout.split()
    assert len(found) == len(right) == 97
    return list(zip(found, right, strict=True))


def test_c_packs_the_header_of_the_benches(tmp_path: Path) -> None:
    assert all(found == right for found, right in packed(tmp_path, packets.c_header()))


def test_a_wrong_place_is_noticed(tmp_path: Path) -> None:
    wrong = packets.c_header().replace("TEXT_BYTES 8u", "TEXT_BYTES 9u")
    assert any(found != right for found, right in packed(tmp_path, wrong))


def test_the_header_fills_its_bytes() -> None:
    """Fields lie side by side; the layout is that of the RTL, which the bench of a build drives."""
    ends = [0, *(f.first + f.count for f in packets.FIELDS)]
    assert [f.first for f in packets.FIELDS] == ends[:-1]
    assert ends[-1] == packets.HEADER_BYTES
    with pytest.raises(OverflowError):
        packets.header(iv=bytes(17), tag_bytes=1 << 8, aad_bytes=0, text_bytes=0)


def test_the_c_names_have_the_values_of_the_description(tmp_path: Path) -> None:
    wanted = {f"RSM_STREAM_{code.name.upper()}": code.value for code in packets.CODES}
    wanted["RSM_STREAM_HEADER_BYTES"] = packets.HEADER_BYTES
    for field in packets.FIELDS:
        if field.name:
            wanted[f"RSM_STREAM_HEADER_{field.name.upper()}"] = field.first
    for bits in packets.ANSWER:
        wanted[f"RSM_STREAM_OUT_{bits.name.upper()}_SHIFT"] = bits.low
        wanted[f"RSM_STREAM_OUT_{bits.name.upper()}_MASK"] = bits.mask
    wanted |= {f"RSM_MODE_{mode.upper()}": number for mode, number in modes.NUMBERS.items()}
    printed = "".join(f'    printf("{n} %lu\\n", (unsigned long){n});\n' for n in wanted)
    # Beside the registers, whose header has the same numbers of modes.
    source = (
        f'#include <stdio.h>\n#include "rsm_stream.h"\n#include "{DRIVER}/rsm_registers.h"\n'
        f"int main(void)\n{{\n{printed}    return 0;\n}}\n"
    )
    program = compiled(source, tmp_path, packets.c_header())
    said = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    assert {n: int(v) for n, v in map(str.split, said.splitlines())} == wanted
    defined = re.findall(r"#define (\w+) ", packets.c_header())
    assert sorted(defined) == sorted(wanted)


def test_the_header_is_freestanding(tmp_path: Path) -> None:
    """It includes nothing but the two headers of types, and C++ reads it too."""
    assert set(re.findall(r"#include (\S+)", packets.c_header())) == {"<stdbool.h>", "<stdint.h>"}
    file = tmp_path / "header.cpp"
    file.write_text('#include "rsm_stream.h"\nint main() {}\n')
    argv = ["g++", "-Wall", "-Werror", f"-I{DRIVER}", "-fsyntax-only", file]
    subprocess.run(argv, check=True)
