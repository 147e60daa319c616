"""The small cores of Chodowiec and Gaj's kind, RTL against OpenSSL behind their native ports."""

import random
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from roundsmith.base.paths import RTL
from roundsmith.circuits import compact_program, sbox_table
from roundsmith.design import tech
from roundsmith.reference import aes
from roundsmith.tools import verilator

BENCH = Path(__file__).parent / "compact_bench.cpp"
COMPACT = RTL / "aes/compact"


@dataclass(frozen=True)
class Core:
    """One core: its module and parameters, and the cycles that its header promises.

    `key_setup` is None where the key comes with the block; `key_beats` are those of a key on the
    key channel, 0 for the key as it is. `rooms` are those of its technology cells.
    """

    module: str
    width: int
    latency: int
    interval: int
    key_setup: int | None
    clear: int
    both: bool = False
    parameters: dict[str, str] = field(default_factory=dict)
    key_beats: int = 0
    rooms: tech.Rooms = tech.GENERIC

    @property
    def expanded(self) -> bool:
        """Whether the key channel takes all round keys."""
        return self.key_beats * self.width > 128


CORES = {
    f"chodowiec-gaj{suffix}": Core(
        "rsm_aes_compact_folded", 32, 42, 46, 44, 44, both=True, parameters=parameters
    )
    for suffix, parameters in [
        ("", {"Store": "0", "ThreeState": "1'b1"}),
        ("-mux", {"Store": "0"}),
        ("-dpram", {"Store": "1", "ThreeState": "1'b1"}),
        ("-fig2a", {"Store": "2", "ThreeState": "1'b1"}),
    ]
} | {
    "mcmillan-folded": Core("rsm_aes_compact_pipelined", 32, 72, 76, 44, 44, key_beats=44),
    "smallest-lut": Core("rsm_aes_compact_serial", 8, 346, 362, None, 16),
    "smallest-ram": Core("rsm_aes_compact_micro", 8, 932, 948, None, 33),
}
# The cells of iCE40 read at the falling edge.
CORES |= {
    f"{name}, {rooms[-1]}": replace(CORES[name], rooms=rooms)
    for name, rooms in [("chodowiec-gaj", tech.ECP5), ("smallest-lut", tech.ICE40)]
}


def files(module: str, rooms: tech.Rooms = tech.GENERIC) -> list[Path]:
    """Return the files of a module in reading order, with the technology cells of some rooms."""
    own = (path for path in sorted(RTL.rglob("*.sv")) if tech.TECH not in path.parents)
    library = {path.stem: path for path in own} | tech.files(rooms)
    found: dict[str, Path] = {}

    def add(name: str) -> None:
        if name in found or name not in library:
            return
        text = re.sub(r"//.*", "", library[name].read_text())
        for used in re.findall(r"\brsm_\w+", text):
            if used != name:
                add(used)
        found[name] = library[name]

    add(module)
    return list(found.values())


def build(core: Core, folder: Path, instead: tuple[str, str, str] = ("", "", "")) -> Path:
    """Return the compiled bench of a core; `instead` is a fault: module, right text, wrong text."""
    faulty, right, wrong = instead
    sources = files(core.module, core.rooms)
    for number, path in enumerate(sources):
        if path.stem == faulty:
            text = path.read_text()
            assert right in text
            sources[number] = folder / path.name
            sources[number].write_text(text.replace(right, wrong, 1))
    macros = {
        "WIDTH": core.width,
        "KEY_BEATS": core.key_beats or 128 // core.width,
        "LATENCY": core.latency,
        "INTERVAL": core.interval,
        "KEY_SETUP": core.key_setup or 0,
        "CLEAR": core.clear,
        "BOTH": int(core.both),
    }
    flags = ["--savable", "-GTagWidth=3", *(f"-G{k}={v}" for k, v in core.parameters.items())]
    return verilator.build(
        sources,
        core.module,
        BENCH,
        folder,
        flags=flags,
        cflags=[f"-D{name}={value}" for name, value in macros.items()],
    )


def expanded(key: bytes) -> bytes:
    """Return the 44 words of an expanded key (FIPS 197, 5.2)."""
    sbox = sbox_table.sbox()
    words = [list(key[i : i + 4]) for i in range(0, 16, 4)]
    constant = 1
    for index in range(4, 44):
        word = words[-1]
        if index % 4 == 0:
            word = [sbox[byte] for byte in word[1:] + word[:1]]
            word[0] ^= constant
            constant = sbox_table.multiply(2, constant)
        words.append([a ^ b for a, b in zip(words[-4], word, strict=True)])
    return bytes(byte for word in words for byte in word)


def run(program: Path, core: Core, *arguments: object, lines: Sequence[str] = ()) -> dict[str, int]:
    """Run the bench, compare every block with OpenSSL; return what it counted."""
    done = subprocess.run(
        [program, *map(str, arguments)],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        cwd=program.parent,
        check=False,
    )
    assert done.returncode == 0, done.stdout.splitlines()[-1:]
    for line in done.stdout.splitlines():
        key, decrypt, block, result = line.split()
        cipher = aes.decrypt if decrypt == "1" else aes.encrypt
        right = cipher(bytes.fromhex(key[:32]), bytes.fromhex(block)).hex()
        assert result == right, f"{line} instead of {right}"
    counted = (line.rsplit(": ", 1) for line in done.stderr.splitlines())
    return {name: int(number) for name, number in counted}


def keys(core: Core, number: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    made = [rng.randbytes(16) for _ in range(number)]
    return [(expanded(key) if core.expanded else key).hex() for key in made]


def check(program: Path, core: Core, blocks: int) -> None:
    examples = []
    for vector in aes.VECTORS:
        if len(vector.key) == 16:
            key = expanded(vector.key) if core.expanded else vector.key
            examples.append(f"{key.hex()} 0 {vector.plaintext.hex()}")
            if core.both:
                examples.append(f"{key.hex()} 1 {vector.ciphertext.hex()}")
    assert run(program, core, "vectors", lines=examples)["blocks"] == len(examples) > 0
    made = keys(core, 50, 1)
    counted = run(program, core, "stream", 5, blocks, lines=made)
    assert counted["blocks"] == blocks and counted["intervals"] > blocks // 2
    if core.key_setup:
        assert counted["set-ups"] > blocks // 20
    counted = run(program, core, "mixed", 9, blocks, lines=made)
    assert counted["blocks"] == blocks and counted["resets"] > 10 and counted["clears"] > 10
    assert counted["longest clear"] == core.clear
    assert run(program, core, "wipe", 3, 40)["wiped"] > 30


@pytest.mark.parametrize("name", CORES)
def test_every_core_is_right_in_time_and_wiped(name: str, tmp_path: Path) -> None:
    core = CORES[name]
    check(build(core, tmp_path), core, 1000)


@pytest.mark.parametrize(
    ("name", "module", "right", "wrong", "fault"),
    [
        # The tap of the fourth column in the row that needs a forwarded byte.
        ("chodowiec-gaj", "rsm_aes_compact_store", "onward & last,", "1'b0,", "instead of"),
        # A key that is usable before its last word.
        (
            "chodowiec-gaj",
            "rsm_aes_compact_folded",
            "(finish & keying_q",
            "(last & keying_q",
            "key",
        ),
        # What is written over the state and the key depends on them.
        ("smallest-ram", "rsm_aes_compact_micro", "clear_i || wipe_q", "clear_i", "secrets remain"),
    ],
)
def test_the_checks_can_fail(
    name: str, module: str, right: str, wrong: str, fault: str, tmp_path: Path
) -> None:
    program = build(CORES[name], tmp_path, (module, right, wrong))
    with pytest.raises(AssertionError, match=fault):
        check(program, CORES[name], 200)


def test_the_memories_of_the_program_are_those_of_the_generator() -> None:
    for path, text in compact_program.modules().items():
        assert path.read_text() == text
    source = (COMPACT / "rsm_aes_compact_micro.sv").read_text()
    for place, value in enumerate(compact_program.constants(), start=compact_program.ZERO):
        if value:
            assert f"state_memory_q[{place}] = 8'h{value:02x};" in source
    assert f"Wipe = 10'd{compact_program.WIPE};" in source
