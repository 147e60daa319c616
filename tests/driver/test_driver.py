"""The C driver on simulated cores: every access to a register is a transfer on the bus."""

import shutil
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from roundsmith import catalogue
from roundsmith.base.paths import RTL
from roundsmith.design import generate
from roundsmith.design.registers import model as registers
from roundsmith.spec import Bus, Mode, Spec
from roundsmith.tools import verilator

DRIVER = RTL.parent / "driver"
BENCH = Path(__file__).parent / "driver_bench.cpp"

#: What no compiler may say anything about.
STRICT = ["-std=c99", "-ffreestanding", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion"]
STRICT += ["-Wshadow", "-Wcast-align", "-Werror"]


class Result(IntEnum):
    """rsm_result of rsm.h."""

    OK = 0
    TAG_WRONG = 1
    REFUSED = 2
    BAD_ARGUMENT = 3
    NO_DEVICE = 4
    SELF_TEST_FAILED = 5
    FAULT = 6
    TIMEOUT = 7


@dataclass
class Commands:
    """What the driver shall do, and how its answers are read."""

    data: bytes = b""
    sizes: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)])

    def key(self, key: bytes, slot: int = 0) -> None:
        self.data += b"K" + struct.pack("<II", slot, len(key)) + key
        self.sizes.append((0, 0))

    def message(
        self,
        iv: bytes,
        text: bytes,
        *,
        decrypt: bool = False,
        slot: int = 0,
        aad: bytes = b"",
        tag: bytes = b"",
        out: bool = True,
    ) -> None:
        lengths = (len(iv), len(aad), len(text), len(tag))
        self.data += b"M" + struct.pack("<7I", decrypt, slot, *lengths, out)
        self.data += iv + aad + text + tag
        self.sizes.append((len(text), len(tag)))

    def other(self, letter: str, *operands: int) -> None:
        self.data += letter.encode() + struct.pack(f"<{len(operands)}I", *operands)
        self.sizes.append((0, 0))

    def answers(self, data: bytes) -> Iterator[tuple[Result, bytes, bytes]]:
        at = 0
        for text, tag in self.sizes:
            end = at + 4 + text + tag
            result = Result(int.from_bytes(data[at : at + 4], "little"))
            yield result, data[at + 4 : at + 4 + text], data[at + 4 + text : end]
            at = end
        assert at == len(data)


@cache
def program(spec: Spec, folder: Path, change: tuple[str, str, str] | None = None) -> Path:
    """Return the simulation of `spec` under the driver, `change` made in one of its files."""
    folder.mkdir()
    gcc = shutil.which("gcc") or "cc"
    compiled = folder / "rsm.o"
    flags = [*STRICT, "-Os", "-DRSM_CUSTOM_IO", "-c", "-o", str(compiled)]
    subprocess.run([gcc, *flags, str(DRIVER / "rsm.c")], check=True)
    files = generate.design(spec).write(folder)
    if change is not None:
        name, right, wrong = change
        (index,) = (i for i, file in enumerate(files) if file.name == name)
        text = files[index].read_text()
        assert text.count(right) == 1
        files[index] = folder / name
        files[index].write_text(text.replace(right, wrong))
    bus = f"-DRSM_{spec.what.bus.upper()}"
    flags = ["-Wno-fatal"]
    return verilator.build(
        [*files, compiled],
        spec.module,
        BENCH,
        folder,
        flags=flags,
        cflags=[bus, "-DRSM_CUSTOM_IO", f"-I{DRIVER}"],
    )


def run(
    binary: Path, commands: Commands, *, seed: int = 1, pauses: int = 60, patience: int = 2000
) -> list[tuple[Result, bytes, bytes]]:
    given, found = binary.parent / "commands", binary.parent / "answers"
    given.write_bytes(commands.data)
    arguments = [given, found, seed, pauses, patience]
    subprocess.run([binary, *map(str, arguments)], check=True)
    return list(commands.answers(found.read_bytes()))


def core(mode: Mode, bus: Bus, *, name: str = "iterative-lut4", self_test: bool = False) -> Spec:
    return catalogue.find(name).with_mode(mode).with_bus(bus, self_test=self_test)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("driver")


#: A core of each bus.
CORES = {
    Bus.AXI4_LITE: core(Mode.CTR, Bus.AXI4_LITE, self_test=True),
    Bus.APB: core(Mode.CBC, Bus.APB),
}

#: A core that authenticates, with a self-test.
GCM = core(Mode.GCM, Bus.WISHBONE, self_test=True)


def openssl(mode: Mode, key: bytes, iv: bytes, text: bytes) -> bytes:
    how = {Mode.CTR: modes.CTR, Mode.CBC: modes.CBC}[mode](iv)
    return Cipher(algorithms.AES(key), how).encryptor().update(text)


@pytest.mark.parametrize("bus", [Bus.AXI4_LITE, pytest.param(Bus.APB, marks=pytest.mark.long)])
def test_messages(bus: Bus, folder: Path) -> None:
    """Real messages, under several keys, as OpenSSL has them; in place."""
    spec = CORES[bus]
    mode = spec.what.mode
    random = np.random.default_rng(1)
    commands, expected = Commands(), [b""]
    for _ in range(3):
        key = random.bytes(16)
        commands.key(key)
        expected.append(b"")
        for size in (0, 1, 16, 31, 64, int(random.integers(2000, 4096))):
            iv, text = random.bytes(16), random.bytes(size - size % 16 * (mode is Mode.CBC))
            commands.message(iv, text)
            expected.append(openssl(mode, key, iv, text))
            if mode is Mode.CTR:
                commands.message(iv, expected[-1], decrypt=True)
                expected.append(text)
    for pauses in (0, 120):
        found = run(program(spec, folder / spec.module), commands, seed=pauses, pauses=pauses)
        assert [result for result, _, _ in found] == [Result.OK] * len(expected)
        assert [text for _, text, _ in found] == expected


def test_authenticated_messages(folder: Path) -> None:
    """GCM with data of many lengths and IVs of several: tags made, right and wrong ones told."""
    random = np.random.default_rng(2)
    commands, expected = Commands(), [(Result.OK, b"", b"")]
    key = random.bytes(16)
    commands.key(key)
    expected.append((Result.OK, b"", b""))
    lengths = [(0, 0, 12), (20, 0, 12), (0, 17, 12), (13, 64, 12), (40, 333, 8), (16, 1500, 60)]
    for aad_bytes, size, iv_bytes in lengths:
        iv, text, aad = random.bytes(iv_bytes), random.bytes(size), random.bytes(aad_bytes)
        engine = Cipher(algorithms.AES(key), modes.GCM(iv)).encryptor()
        engine.authenticate_additional_data(aad)
        secret = engine.update(text) + engine.finalize()
        commands.message(iv, text, aad=aad, tag=bytes(16))
        expected.append((Result.OK, secret, engine.tag))
        commands.message(iv, secret, aad=aad, tag=engine.tag, decrypt=True)
        expected.append((Result.OK, text, engine.tag))
        # A flipped bit anywhere: nothing of the text is left.
        bit = int(random.integers(8))
        flipped = [bytearray(part) for part in (iv, secret, aad, engine.tag)]
        for part in flipped:
            if part:
                part[int(random.integers(len(part)))] ^= 1 << bit
                wrong = [bytes(p) for p in flipped]
                commands.message(wrong[0], wrong[1], aad=wrong[2], tag=wrong[3], decrypt=True)
                expected.append((Result.TAG_WRONG, bytes(size), wrong[3]))
                part[:] = (iv, secret, aad, engine.tag)[[f is part for f in flipped].index(True)]
    # The key is still there.
    commands.message(bytes(12), b"", tag=bytes(16))
    engine = Cipher(algorithms.AES(key), modes.GCM(bytes(12))).encryptor()
    engine.finalize()
    expected.append((Result.OK, b"", engine.tag))
    assert run(program(GCM, folder / GCM.module), commands, pauses=30) == expected


def test_what_the_core_does_not_have(folder: Path) -> None:
    spec = CORES[Bus.APB]
    commands = Commands()
    commands.key(bytes(16), slot=1)
    commands.key(bytes(24))
    commands.key(bytes(15))
    commands.other("T")
    commands.key(bytes(range(16)))
    commands.message(bytes(16), bytes(16), slot=1)
    commands.message(bytes(16), bytes(16), decrypt=True)  # the core only encrypts
    commands.message(bytes(17), bytes(16))
    commands.message(bytes(16), bytes(16), tag=bytes(17))
    commands.message(bytes(16), bytes(15))  # CBC has whole blocks only
    commands.message(bytes(16), bytes(16), out=False)
    commands.message(bytes(16), b"", out=False)  # no bytes need no place
    commands.message(bytes(16), bytes(16))
    found = run(program(spec, folder / spec.module), commands)
    bad = Result.BAD_ARGUMENT
    assert [result for result, _, _ in found] == [
        *(Result.OK, bad, bad, bad, bad, Result.OK),
        *(bad, bad, bad, bad, Result.REFUSED, bad, Result.OK, Result.OK),
    ]
    assert found[-1][1] == openssl(Mode.CBC, bytes(range(16)), bytes(16), bytes(16))


def test_faults_and_clears(folder: Path) -> None:
    """Somebody else at the registers is noticed; a clear brings it back without its keys."""
    spec = CORES[Bus.AXI4_LITE]
    take = registers.load()["out_control"].offset
    key, iv, text = bytes(range(16)), bytes(range(16, 32)), b"a message" * 5
    commands = Commands()
    commands.key(key)
    commands.message(iv, text)
    commands.other("X", take, 1)
    commands.message(iv, text)
    commands.key(key)
    commands.other("C")
    commands.message(iv, text)  # no key: nothing comes
    commands.other("C")
    commands.key(key)
    commands.message(iv, text)
    commands.other("T")
    commands.message(iv, text)  # the known answers took the key away
    found = run(program(spec, folder / spec.module), commands, patience=200)
    ok, fault, late = Result.OK, Result.FAULT, Result.TIMEOUT
    assert [result for result, _, _ in found] == [
        *(ok, ok, ok, ok, fault, fault, ok, late, ok, ok, ok, ok, late),
    ]
    assert found[2][1] == found[10][1] == openssl(Mode.CTR, key, iv, text)


@pytest.mark.parametrize(
    "change",
    [
        # Nothing is changed; a fault in the data path; another answer is expected.
        ("rsm_mode_ctr_oneblock.sv", ": result_q ^ (active", ": result_q ^ (active"),
        ("rsm_mode_answer.sv", "<= data_i[127", "<= ~data_i[127"),
        pytest.param(
            ("iterative_lut4_ctr_axi4_lite.sv", ".Answer   (128'h6", ".Answer   (128'h7"),
            marks=pytest.mark.long,
        ),
    ],
)
def test_a_failed_self_test_locks_the_core(change: tuple[str, str, str], folder: Path) -> None:
    """A fault in the data path, or in what is expected: no key and no message is taken."""
    spec = CORES[Bus.AXI4_LITE]
    broken = change[1] != change[2]
    commands = Commands()
    commands.key(bytes(16))
    commands.message(bytes(16), bytes(16))
    commands.other("C")
    commands.other("T")
    binary = program(spec, folder / f"{spec.module}-{change[0]}", change)
    found = [result for result, _, _ in run(binary, commands, patience=300)]
    assert found == [Result.SELF_TEST_FAILED if broken else Result.OK] * 5


def test_the_driver_is_freestanding(tmp_path: Path) -> None:
    """It compiles without a warning and calls nobody, at every optimisation."""
    gcc = shutil.which("gcc") or "cc"
    for level in ("-O0", "-Os", "-O3"):
        made = tmp_path / f"rsm{level}.o"
        source = DRIVER / "rsm.c"
        subprocess.run([gcc, *STRICT, level, "-c", "-o", made, source], check=True)
        said = subprocess.run(["nm", "-u", made], check=True, capture_output=True, text=True)
        assert set(said.stdout.split()) <= {"U", "memset"}  # which every compiler may ask for
    header = tmp_path / "header.cpp"
    header.write_text('#include "rsm.h"\n#include "rsm_registers.h"\nint main() {}\n')
    subprocess.run(["g++", "-Wall", "-Werror", f"-I{DRIVER}", "-fsyntax-only", header], check=True)
