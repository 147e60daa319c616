"""The serial cores, simulated against OpenSSL: as RTL, and as netlists of standard cells.

`serial_bench.cpp` holds each core to the rules of the native port and to its own formulas, back to
back and with gaps, with clears and resets, and looks for old data after a clear.
"""

import random
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from roundsmith.base.errors import ToolError
from roundsmith.base.paths import RTL
from roundsmith.flows import asic
from roundsmith.tools import liberty, verilator, yosys

BENCH = Path(__file__).with_name("serial_bench.cpp")

#: FIPS 197, appendices C.1 and B: key, plaintext, ciphertext.
VECTORS = (
    (
        "000102030405060708090a0b0c0d0e0f",
        "00112233445566778899aabbccddeeff",
        "69c4e0d86a7b0430d8cdb78070b4c55a",
    ),
    (
        "2b7e151628aed2a6abf7158809cf4f3c",
        "3243f6a8885a308d313198a2e0370734",
        "3925841d02dc09fbdc118597196a0b32",
    ),
)


@dataclass(frozen=True)
class Core:
    """A core and what its header promises; `passes` of a block, first encrypting, then decrypting.

    `ge` is an upper bound of its area in the OSU 0.18 um cells, tag included.
    """

    module: str
    width: int
    passes: tuple[int, ...]
    ge: int
    blocks: int

    @property
    def beats(self) -> int:
        """Cycles of a pass."""
        return 128 // self.width

    @property
    def intervals(self) -> list[int]:
        """Cycles from one block to the next, encrypting and decrypting."""
        return [self.beats * self.passes[0], self.beats * self.passes[-1]]


CORES = {
    core.module: core
    for core in (
        Core("rsm_aes_serial_bit", 1, (11,), 1600, 1000),
        Core("rsm_aes_serial_byte", 8, (11,), 2200, 2000),
        Core("rsm_aes_serial_byte_both", 8, (11, 21), 2600, 2000),
        Core("rsm_aes_serial_bit_both", 1, (11, 51), 1900, 1000),
    )
}


#: S-boxes to try, by their number in rsm_aes_pkg.
SBOXES = {"SboxTable": 0, "SboxGf4": 4, "SboxCells": 9}


def sources() -> dict[str, Path]:
    """Return what AES is made of by module, package first."""
    package = RTL / "aes/pkg/rsm_aes_pkg.sv"
    parts = [path for room in ("common", "aes") for path in sorted((RTL / room).rglob("*.sv"))]
    return {path.stem: path for path in [package, *parts]}


def in_c(data: bytes) -> str:
    return "{" + ",".join(map(str, data)) + "}"


def tables(core: Core, blocks: int, tag_width: int) -> str:
    """Return what the bench has to know: a core, and blocks with keys and answers."""
    rng = random.Random(197)
    both = len(core.passes) == 2
    rows = []
    for i in range(blocks):
        decrypt = both and rng.random() < 0.5
        key, data = rng.randbytes(16), rng.randbytes(16)
        wanted = None
        if i < len(VECTORS) * len(core.passes):
            decrypt = i >= len(VECTORS)
            key, *texts = (bytes.fromhex(text) for text in VECTORS[i % len(VECTORS)])
            data, wanted = reversed(texts) if decrypt else texts
        cipher = Cipher(algorithms.AES(key), modes.ECB())
        answer = (cipher.decryptor() if decrypt else cipher.encryptor()).update(data)
        assert wanted in (None, answer)
        rows.append(f"{{{in_c(key)}, {in_c(data)}, {in_c(answer)}, {str(decrypt).lower()}}},")
    encrypting, decrypting = core.intervals
    return "\n".join(
        [
            f"#define WIDTH {core.width}",
            f"#define TAGS {(1 << tag_width) - 1}",
            f"#define SHORTEST {encrypting}",
            f"#define LONGEST {decrypting}",
            f"#define INTERVAL_OF(d) ((d) ? {decrypting} : {encrypting})",
            "#define LATENCY_OF(d) (INTERVAL_OF(d) - 128 / WIDTH + 1)",
            f"#define CLEAR {encrypting}",
            "#define OVERWRITTEN (128 / WIDTH + 1)",
            "struct Block { uint8_t key[16], data[16], answer[16]; bool decrypt; };",
            f"static const int block_count = {blocks};",
            "static const Block blocks[] = {",
            *rows,
            "};",
            "",
        ]
    )


def simulate(
    core: Core,
    files: Sequence[Path],
    folder: Path,
    blocks: int,
    *,
    tag_width: int = 5,
    flags: Sequence[str] = (),
) -> subprocess.CompletedProcess[str]:
    (folder / "tables.h").write_text(tables(core, blocks, tag_width))
    program = verilator.build(
        files, core.module, BENCH, folder, flags=flags, cflags=[f"-I{folder}"]
    )
    return subprocess.run([program], capture_output=True, text=True, check=False)


def simulate_rtl(
    core: Core,
    folder: Path,
    blocks: int,
    *,
    sbox: str = "SboxCells",
    instead: dict[str, Path] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run the RTL with a 5-bit tag, with other files in the place of some of the library."""
    files = [*(sources() | (instead or {})).values()]
    flags = ["-GTagWidth=5", f"-GSbox=8'd{SBOXES[sbox]}", "-Wno-ENUMVALUE"]
    return simulate(core, files, folder, blocks, flags=flags)


def check(run: subprocess.CompletedProcess[str], blocks: int) -> None:
    assert run.returncode == 0, run.stdout
    done = dict(re.findall(r"^(.+): (\d+)$", run.stdout, re.MULTILINE))
    assert int(done["back to back"]) == blocks
    assert int(done["with gaps"]) == blocks // 4
    assert int(done["with clears and resets"]) >= blocks // 4
    assert int(done["clears"]) > 4 and int(done["resets"]) > 4 and int(done["wiped"]) == 40


@pytest.mark.parametrize("module", CORES)
def test_a_core_is_right(module: str, tmp_path: Path) -> None:
    blocks = CORES[module].blocks // 10
    check(simulate_rtl(CORES[module], tmp_path, blocks), blocks)


@pytest.mark.long
@pytest.mark.parametrize("sbox", SBOXES)
@pytest.mark.parametrize("module", CORES)
def test_a_core_is_right_on_many_blocks(module: str, sbox: str, tmp_path: Path) -> None:
    core = CORES[module]
    check(simulate_rtl(core, tmp_path, core.blocks, sbox=sbox), core.blocks)


@pytest.mark.parametrize("width", [1, 8])
def test_the_selector_finds_the_width(width: int, tmp_path: Path) -> None:
    core = next(c for c in CORES.values() if c.width == width and len(c.passes) == 2)
    chosen = Core("rsm_aes_serial_both", width, core.passes, core.ge, 40)
    flags = [f"-GWidth={width}", "-GTagWidth=5"]
    check(simulate(chosen, [*sources().values()], tmp_path, 40, flags=flags), 40)


@pytest.mark.long
@pytest.mark.parametrize("module", CORES)
def test_a_core_in_standard_cells_is_right_and_small(module: str, tmp_path: Path) -> None:
    core, library = CORES[module], liberty.osu018()
    files = [*sources().values()]
    made = asic.synthesize(files, module, library, tmp_path / "asic", components=False)
    assert made.ge <= core.ge
    # Flip-flops and gates without memory: synthesis refuses latches.
    flops = sum(count for cell, count in made.cells.items() if cell.startswith("DFF"))
    assert 256 < flops < 290
    netlist = [asic.cell_models(library), made.netlist]
    flags = ["-Wno-fatal", "-Wno-lint", "-Wno-style"]
    blocks = core.blocks // 4
    run = simulate(core, netlist, tmp_path, blocks, tag_width=1, flags=flags)
    check(run, blocks)


@pytest.mark.parametrize(
    ("module", "part", "old", "new", "fault"),
    [
        # A swap too few, a bit of the polynomial, a round constant, a word of the inverse schedule,
        # a clear that stops too early, a column too many.
        ("rsm_aes_serial_byte", "byte_control", "4'd12, 4'd14", "4'd12", "beat 0"),
        ("rsm_aes_serial_bit", "bit_control", "3'd6, 3'd7};\n\n", "3'd6};\n\n", "beat"),
        ("rsm_aes_serial_byte", "byte_control", "8'h36", "8'h37", "beat 0"),
        ("rsm_aes_serial_byte_both", "byte_both_key", "k_q[7] ^ k_q[3]", "k_q[7]", "beat"),
        ("rsm_aes_serial_byte", "byte_control", "(turn && last)", "turn", "out_valid_o is 1"),
        ("rsm_aes_serial_byte_both", "byte_both_control", "!last);", "1'b1);", "beat"),
        # A byte of the key stays where it is, whatever is loaded.
        (
            "rsm_aes_serial_byte",
            "byte_key",
            "{tail_i, k_q[15:1]};",
            "{tail_i, k_q[15:2], k_q[0]};",
            "beat",
        ),
    ],
)
def test_the_bench_finds_faults(
    module: str, part: str, old: str, new: str, fault: str, tmp_path: Path
) -> None:
    name = f"rsm_aes_serial_{part}"
    text = sources()[name].read_text()
    assert old in text
    wrong = tmp_path / f"{name}.sv"
    wrong.write_text(text.replace(old, new))
    run = simulate_rtl(CORES[module], tmp_path, 20, instead={name: wrong})
    assert run.returncode == 1
    assert fault in run.stdout


def test_the_bench_finds_what_a_clear_forgets(tmp_path: Path) -> None:
    # Pass 0 of a clear keeps the old key going round; pass 0 of a block does not.
    name = "rsm_aes_serial_byte"
    text = sources()[name].read_text()
    old = "assign key = load ? in_key_i"
    assert old in text
    wrong = tmp_path / f"{name}.sv"
    wrong.write_text(text.replace(old, "assign key = (load && !u_control.clearing_q) ? in_key_i"))
    run = simulate_rtl(CORES[name], tmp_path, 20, instead={name: wrong})
    assert run.returncode == 1
    assert "cycles after a clear" in run.stdout


@pytest.mark.parametrize(
    ("module", "parameters"),
    [
        *((module, "Sbox(rsm_aes_pkg::SboxBlockRam)") for module in CORES),
        ("rsm_aes_serial_both", "Width(4)"),
    ],
)
def test_an_illegal_parameter_is_refused(module: str, parameters: str, tmp_path: Path) -> None:
    top = tmp_path / "top.sv"
    top.write_text(f"module top; {module} #(.{parameters}) u_core (); endmodule\n")
    files = [*sources().values(), top]
    with pytest.raises(ToolError):
        yosys.run([yosys.read_slang(files, "top")], what="Reading", folder=tmp_path)
    top.write_text(f"module top; {module} u_core (); endmodule\n")
    yosys.run([yosys.read_slang(files, "top")], what="Reading", folder=tmp_path)


@pytest.mark.parametrize("module", [*CORES, "rsm_aes_serial_both"])
def test_verilator_has_nothing_to_say(module: str) -> None:
    printed = verilator.lint([*sources().values()], module).splitlines()
    assert [line for line in printed if line.startswith("%")] == []
