"""Modes over Serpent: cores that do both directions, batches, lines and buses; and libgcrypt."""

import ctypes
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from roundsmith import catalogue
from roundsmith.cli.cli import app
from roundsmith.flows import synthesize
from roundsmith.simulate import messages
from roundsmith.spec import Bus, Mode, modes
from roundsmith.verify import message_checks, mode_verify
from tests.driver.test_driver import Commands, Result, program, run
from tests.rtl.mode.test_mode import CLEARS, STALLS, check, spec_of
from tests.rtl.serpent.test_serpent import LENGTHS, Libgcrypt

#: A core of both directions with keys on the fly, one that takes its blocks in batches of one
#: direction, and a line with a block in every stage.
BOTH, BATCH, LINE = "serpent-folded-both", "lutz-serpent", "fastest-serpent-ecp5"

PAIRS = [
    (BOTH, Mode.CBC),
    (BOTH, Mode.XTS),
    *(
        pytest.param(core, mode, marks=pytest.mark.long)
        for core, some in (
            (BOTH, (Mode.ECB, Mode.OCB, Mode.CCM)),
            (BATCH, (Mode.ECB, Mode.CBC, Mode.CTR, Mode.GCM, Mode.OCB, Mode.XTS)),
            ("serpent-iterative", (Mode.XTS,)),
            (LINE, (Mode.CTR, Mode.GCM, Mode.XTS)),
        )
        for mode in some
    ),
]


@pytest.mark.parametrize(("core", "mode"), PAIRS)
def test_random_messages(core: str, mode: Mode) -> None:
    asked = message_checks.questions(spec_of(core, mode), np.random.default_rng(7), 30, 100)
    for traffic in STALLS:
        assert check(core, mode, asked, traffic) == len(asked)
    # The folded core takes ten times as long for a block, and must get through some as well.
    often = 10 if core == BOTH else 40
    clears = replace(CLEARS, p_clear=often, p_reset=often // 2)
    assert 0 < check(core, mode, asked, clears) < len(asked)


# --- Files, by libgcrypt ------------------------------------------------------------------------

#: The numbers of libgcrypt: GCRY_CIPHER_MODE_CBC and so on, and GCRYCTL_FINALIZE.
NUMBERS = {Mode.CBC: 3, Mode.CTR: 6, Mode.GCM: 9, Mode.OCB: 11, Mode.XTS: 13}
FINALIZE = 5


def libgcrypt(mode: Mode, key: bytes, iv: bytes, aad: bytes, text: bytes) -> tuple[bytes, bytes]:
    """Return the ciphertext and, where the mode has one, the tag."""
    library, handle = Libgcrypt().library, ctypes.c_void_p()

    def call(name: str, *rest: object) -> None:
        assert getattr(library, f"gcry_cipher_{name}")(handle, *rest) == 0, name

    def sized(data: bytes) -> tuple[bytes, ctypes.c_size_t]:
        return data, ctypes.c_size_t(len(data))

    size = len(key) // (2 if mode is Mode.XTS else 1)
    algorithm = 304 + LENGTHS.index(size)
    assert library.gcry_cipher_open(ctypes.byref(handle), algorithm, NUMBERS[mode], 0) == 0
    call("setkey", *sized(key))
    call("setctr" if mode is Mode.CTR else "setiv", *sized(iv))
    if aad:
        call("authenticate", *sized(aad))
    if mode is Mode.OCB:
        call("ctl", FINALIZE, None, ctypes.c_size_t(0))
    out, tag = ctypes.create_string_buffer(len(text)), ctypes.create_string_buffer(16)
    call("encrypt", out, ctypes.c_size_t(len(text)), *sized(text))
    if aad:
        call("gettag", tag, ctypes.c_size_t(16))
    library.gcry_cipher_close(handle)
    return out.raw, tag.raw if aad else b""


def call(*words: object) -> str:
    answer = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert answer.exit_code == 0, answer.output
    return answer.output


FILES = [
    ("serpent-iterative", Mode.CTR),
    ("serpent-iterative", Mode.GCM),
    (BOTH, Mode.CBC),
    (BATCH, Mode.XTS),
    pytest.param(BATCH, Mode.CBC, marks=pytest.mark.long),
    pytest.param(BATCH, Mode.OCB, marks=pytest.mark.long),
]


@pytest.mark.parametrize(("core", "mode"), FILES)
def test_a_file_there_and_back(core: str, mode: Mode, tmp_path: Path) -> None:
    plain, there, back, beside = (tmp_path / name for name in ("plain", "there", "back", "beside"))
    text = np.random.default_rng(1).bytes(1003)
    plain.write_bytes(text)
    spec = spec_of(core, mode)
    key = bytes(range(modes.of(mode).slots * max(spec.what.key_bits) // 8))
    iv = bytes(range(100, 112 if mode in {Mode.GCM, Mode.OCB} else 116))
    options = ["run", core, "--mode", mode, "--key", key.hex(), "--iv", iv.hex()]
    aad = b"beside it" * 7 if mode in {Mode.GCM, Mode.OCB} else b""
    if aad:
        beside.write_bytes(aad)
        options += ["--aad", beside]
    printed = call(*options, "--in", plain, "--out", there)
    fill = 16 - len(text) % 16
    padded = text + bytes([fill] * fill) if mode is Mode.CBC else text
    right, tag = libgcrypt(mode, key, iv, aad, padded)
    assert there.read_bytes() == right
    if tag:
        assert f"tag {tag.hex()}" in printed
        options += ["--tag", tag.hex()]
    call(*options, "--decrypt", "--in", there, "--out", back)
    assert back.read_bytes() == text


# --- Buses --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "serpent-iterative-ctr-axi4-lite",
        pytest.param("serpent-iterative-gcm-axi4-stream", marks=pytest.mark.long),
        pytest.param("serpent-folded-both-cbc-apb", marks=pytest.mark.long),
        pytest.param("lutz-serpent-ocb-axi4-stream", marks=pytest.mark.long),
    ],
)
def test_a_core_behind_a_bus_is_verified(name: str, own_records: Path) -> None:
    (record,) = mode_verify.verify(catalogue.find(name), None, seed=5)
    assert record.name == name and record.blocks > 500


@pytest.mark.long
@pytest.mark.parametrize("mode", [Mode.CBC, Mode.XTS])
def test_the_self_test_passes(mode: Mode) -> None:
    spec = spec_of(BOTH, mode).with_bus(Bus.AXI4_LITE, self_test=True)
    mode_verify.check(spec, messages.build(spec, synthesize.sources(spec)), spec.name, 5)


@pytest.mark.long
def test_the_driver_sends_messages(tmp_path: Path) -> None:
    spec = catalogue.find("serpent-iterative-ctr-axi4-lite")
    random = np.random.default_rng(1)
    key = random.bytes(16)
    commands, expected = Commands(), [b"", b""]
    commands.key(key)
    for size in (1, 16, 100):
        iv, text = random.bytes(16), random.bytes(size)
        commands.message(iv, text)
        expected.append(libgcrypt(Mode.CTR, key, iv, b"", text)[0])
    found = run(program(spec, tmp_path / spec.module), commands)
    assert [result for result, _, _ in found] == [Result.OK] * len(expected)
    assert [text for _, text, _ in found] == expected
