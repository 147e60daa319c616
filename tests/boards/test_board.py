"""The iCEBreaker example: its simulation talks over the serial line, its bitstream is built."""

import importlib.util
import os
import pty
import random
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest

from roundsmith.base.errors import ToolError
from roundsmith.flows import ice40
from roundsmith.reference import aes
from roundsmith.tools import nextpnr, verilator, yosys

BENCH = Path(__file__).parent / "board_bench.cpp"
FOLDER = Path(__file__).resolve().parents[2] / "boards/icebreaker"

#: Cycles of the board's clock to a bit at 115,200 baud.
BIT = 12e6 / 115_200


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BOARD = script("build")


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("board")
    return verilator.build(BOARD.sources(), BOARD.TOP, BENCH, folder)


def talk(board: Path, commands: list[str], bit: float = BIT) -> list[str]:
    answer = subprocess.run(
        [board, str(bit)],
        input="\n".join(commands) + "\n",
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.split("\n")[:-1]


def conversation(seed: int, keys: int, blocks: int) -> tuple[list[str], list[str]]:
    """Return commands for blocks under several keys, and what OpenSSL answers."""
    rng = random.Random(seed)
    commands, answers = [], []
    for _ in range(keys):
        key = rng.randbytes(16)
        commands.append(f"send {(b'K' + key).hex()}")
        for _ in range(blocks):
            block = rng.randbytes(16)
            commands += [f"send {(b'E' + block).hex()}", "answer 16"]
            answers.append(aes.encrypt(key, block).hex())
    return commands, answers


def test_the_board_encrypts_over_the_serial_line(board: Path) -> None:
    vector = next(v for v in aes.VECTORS if len(v.key) == 16)
    known = [f"send 4b{vector.key.hex()}", f"send 45{vector.plaintext.hex()}", "answer 16"]
    assert talk(board, known) == [vector.ciphertext.hex()]
    commands, answers = conversation(1, keys=3, blocks=3)
    assert talk(board, commands) == answers


@pytest.mark.parametrize("error", [-0.03, 0.03])
def test_both_ends_may_differ_in_speed(board: Path, error: float) -> None:
    # The board keeps its own time when it answers, so the PC of the bench follows within a byte.
    commands, answers = conversation(2, keys=1, blocks=2)
    assert talk(board, commands, BIT * (1 + error)) == answers


def test_only_frames_count(board: Path) -> None:
    key, block = bytes(range(16)), bytes(range(0x4B, 0x5B))
    right = aes.encrypt(key, block).hex()
    commands = [
        # Without a key there is no answer, and the bytes of a block are no letters here.
        f"send 45{bytes(16).hex()}",
        "quiet 30000",
        "light",
        "send 006b65",
        f"send 4b{key.hex()}",
        "light",
        f"send 45{block.hex()}",
        "answer 16",
        # A line that is low for a moment is no start bit, one that stays low is no byte.
        "noise 40",
        "pause 2000",
        "noise 3000",
        "pause 2000",
        f"send 45{block.hex()}",
        "answer 16",
        # Sixteen bytes of zero end whatever was begun.
        "send 450102",
        f"send {bytes(16).hex()}",
        "pause 20000",
        "quiet 1",
        f"send 45{block.hex()}",
        "answer 16",
        # The button forgets the key.
        "button",
        f"send 45{bytes(16).hex()}",
        "quiet 30000",
    ]
    assert talk(board, commands) == ["0", "0", "1", right, right, "16", right, "0", "0"]


def test_the_netlist_talks_as_well(tmp_path: Path) -> None:
    netlist = ice40.synthesize(BOARD.sources(), BOARD.TOP, tmp_path / "out")
    models = yosys.share() / "ice40" / "cells_sim.v"
    flags = ["-Wno-lint", "-Wno-style", "-DNO_ICE40_DEFAULT_ASSIGNMENTS"]
    model = verilator.build([models, netlist.verilog], BOARD.TOP, BENCH, tmp_path, flags=flags)
    commands, answers = conversation(3, keys=2, blocks=1)
    assert talk(model, commands) == answers


def test_the_bitstream_is_built(tmp_path: Path) -> None:
    try:
        nextpnr.ice40_version()
    except ToolError as missing:
        pytest.skip(str(missing))
    command = [sys.executable, FOLDER / "build.py", tmp_path / "out"]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    packed = (tmp_path / "out/rsm_icebreaker_aes.bin").read_bytes()
    # The preamble that the device looks for, and the size of its configuration.
    assert b"\x7e\xaa\x99\x7e" in packed[:64] and 100_000 < len(packed) < 110_000
    report = (tmp_path / "out/rsm_icebreaker_aes_bitstream.md").read_text()
    assert "| `rx_i` | 6 |" in report and "| ICESTORM_RAM | 2 | 30 |" in report


def test_a_missing_package_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(name: str) -> str:
        raise nextpnr.PackageNotFoundError(name)

    monkeypatch.setattr(nextpnr, "package_version", missing)
    monkeypatch.setattr(sys, "argv", ["build.py", str(tmp_path / "out")])
    assert BOARD.main() == 2
    assert "--extra ice40" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_script_of_the_pc_frames_keys_and_blocks() -> None:
    """Its other end here is a terminal on which OpenSSL answers as the board does."""
    ours, theirs = pty.openpty()
    key, block = bytes(range(16)), bytes(range(16, 32))

    def take(count: int) -> bytes:
        found = b""
        while len(found) < count:
            found += os.read(ours, count - len(found))
        return found

    def answer() -> None:
        assert take(17) == b"K" + key
        request = take(17)
        os.write(ours, aes.encrypt(key, request[1:]) if request[:1] == b"E" else bytes(16))

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    host = script("aes_uart")
    board = host.Board(host.connect(os.ttyname(theirs)))
    board.key(key)
    assert board.encrypt(block) == aes.encrypt(key, block)
    thread.join(timeout=60)
    assert not thread.is_alive()
    with pytest.raises(ValueError, match="32 hexadecimal digits"):
        board.key(b"short")
