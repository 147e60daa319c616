"""Simulate a core, RTL or netlist, through its block port.

The compiled simulation is cached by the content of everything that went into it.
"""

import hashlib
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import numpy as np

from roundsmith import spec as formulas
from roundsmith.base.cache import cache_dir
from roundsmith.base.errors import RoundsmithError
from roundsmith.simulate.key_frame import key_frame
from roundsmith.spec import Direction, Spec
from roundsmith.tools import verilator

HARNESS = Path(__file__).parent / "harness" / "harness.cpp"
BENCH = HARNESS.parent / "bench.h"

#: Bytes that the harness has for a key at least.
KEY_ROOM = 32

#: Key lengths in bits by their code on the port.
LENGTHS = (128, 192, 256)


class SimulationFailed(RoundsmithError):
    """The core broke a rule of the block port; the message says which and when."""


class KeyMode(IntEnum):
    """How keys and blocks are matched (a key that comes with the block is the one it names)."""

    #: A key is offered when the next block names it.
    NAMED = 0
    #: Keys come at any time, and a block takes the one in force in its slot.
    INDEPENDENT = 1
    #: As NAMED, but nothing is offered before the core is idle.
    ALONE = 2


@dataclass(frozen=True)
class Traffic:
    """How the port is driven: chances in 256 (clear and reset in 65536) for each cycle."""

    key_mode: KeyMode = KeyMode.NAMED
    p_in: int = 256
    p_key: int = 256
    p_out: int = 256
    p_clear: int = 0
    p_reset: int = 0
    seed: int = 1


@dataclass(frozen=True)
class Stimulus:
    """Keys, and what each handshake moves: one block a lane, their direction, slot and key.

    `sent` is what the port takes for each key: itself, or all its round keys. `data` has a row of
    16 bytes times lanes for each handshake; `key` is the number of the key that it names, which
    lies in the slot that the handshake names.
    """

    keys: Sequence[bytes]
    sent: Sequence[bytes]
    slots: Sequence[int]
    data: np.ndarray
    decrypt: np.ndarray
    key: np.ndarray

    def __len__(self) -> int:
        """Return the number of handshakes."""
        return len(self.data)

    def key_bits(self) -> np.ndarray:
        """Return the length of each key in bits."""
        return np.array([8 * len(key) for key in self.keys])

    def file(self) -> bytes:
        """Return it as the harness reads it."""
        room = max(KEY_ROOM, *map(len, self.sent))
        kind = np.dtype([("bytes", f"V{room}"), ("length", "u1"), ("slot", "u1")])
        keys = np.zeros(len(self.keys), kind)
        keys["bytes"] = [sent.ljust(room, b"\0") for sent in self.sent]
        keys["length"] = [LENGTHS.index(8 * len(key)) for key in self.keys]
        keys["slot"] = self.slots
        width = self.data.shape[1]
        blocks = np.zeros(
            len(self),
            [("data", "u1", width), ("decrypt", "u1"), ("slot", "u1"), ("key", "<u4")],
        )
        blocks["data"] = self.data
        blocks["decrypt"] = self.decrypt
        blocks["slot"] = keys["slot"][self.key]
        blocks["key"] = self.key
        return struct.pack("<II", len(keys), len(blocks)) + keys.tobytes() + blocks.tobytes()


def stimulus(
    spec: Spec,
    keys: Sequence[bytes],
    message: bytes,
    *,
    decrypt: bool | Sequence[bool] | np.ndarray = False,
    key: int | Sequence[int] | np.ndarray | None = None,
    slots: Sequence[int] | None = None,
) -> Stimulus:
    """Return `message`, whole handshakes of 16-byte blocks, as stimulus of `spec`.

    Handshake i goes the way of `decrypt` and names key `key`; by default all go under key 0, or
    each under its own when there are as many keys as handshakes. Key i lies in slot i modulo
    the slots of the core unless `slots` says otherwise.
    """
    width = 16 * spec.port.lanes
    data = np.frombuffer(message, "u1").reshape(-1, width)
    count = len(data)
    if key is None:
        key = np.arange(count) if len(keys) == count else 0
    return Stimulus(
        keys=keys,
        sent=[key_frame(spec, key) for key in keys],
        slots=[i % spec.port.key_slots for i in range(len(keys))] if slots is None else slots,
        data=data,
        decrypt=np.broadcast_to(np.asarray(decrypt, bool), count),
        key=np.broadcast_to(np.asarray(key, np.int64), count),
    )


@dataclass(frozen=True)
class BlockRun:
    """What came out: one record for each handshake, and the cycles it took.

    `data` has the bytes, `index` and `key` are numbers into the stimulus; `accepted`, `appeared`
    and (with a key channel) `keyed` and `offered` are cycles: that of acceptance, the first in
    which the result was valid, that in which its key was accepted, and the first in which that key
    was offered.
    """

    results: np.ndarray
    cycles: int

    def message(self) -> bytes:
        """Return the result blocks in the order in which they came."""
        return self.results["data"].tobytes()

    def cycles_between(self, early: str, late: str) -> np.ndarray:
        """Return the cycles from one event to another, for each handshake."""
        return self.results[late].astype(np.int64) - self.results[early].astype(np.int64)


def _result(spec: Spec) -> np.dtype:
    return np.dtype(
        [
            ("data", "u1", (16 * spec.port.lanes,)),
            ("index", "<u4"),
            ("key", "<u4"),
            ("accepted", "<u8"),
            ("appeared", "<u8"),
            ("keyed", "<u8"),
            ("offered", "<u8"),
        ]
    )


def build(
    spec: Spec,
    files: Sequence[Path],
    *,
    flags: Sequence[str] = (),
    savable: bool = False,
    harness: Path = HARNESS,
    headers: Sequence[Path] = (BENCH,),
    defines: Sequence[str] = (),
) -> Path:
    """Compile `files` (with the top of `spec` in them) and the `harness`; return the program.

    `flags` go to Verilator, for example to quieten warnings about library cells; `headers` are what
    the harness includes, and `defines` what it is told.
    """
    cflags = [
        f"-DRSM_LANES={spec.port.lanes}",
        f"-DRSM_WIDTH={spec.port.width}",
        f"-DRSM_KEY_BITS={spec.key_port_bits}",
        f"-DRSM_TAG_BITS={spec.port.tag_bits}",
        *(f"-D{define}" for define in defines),
    ]
    if savable:
        cflags.append("-DRSM_SAVE")
        flags = [*flags, "--savable"]
    digest = hashlib.sha256(repr((verilator.version(), spec.module, flags, cflags)).encode())
    for path in [*files, harness, *headers, Path(verilator.__file__)]:
        digest.update(path.read_bytes())
    cflags += [f"-I{folder}" for folder in dict.fromkeys(path.parent for path in headers)]
    final = cache_dir() / "simulations" / digest.hexdigest()[:32]
    program = final / "model"
    if program.exists():
        return program
    final.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=final.parent, prefix="building-"))
    try:
        built = verilator.build(
            files, spec.module, harness, scratch, flags=["-Wno-fatal", *flags], cflags=cflags
        )
        keep = scratch / "keep"
        keep.mkdir()
        shutil.copy2(built, keep / "model")
        # Another process may have built the same in the meantime; either copy will do.
        if not program.exists():
            final.mkdir(exist_ok=True)
            (keep / "model").replace(program)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return program


def run(
    program: Path,
    spec: Spec,
    given: Stimulus,
    traffic: Traffic = Traffic(),
    *,
    progress: Callable[[int], None] | None = None,
    save: Path | None = None,
    end_clear: bool = False,
) -> BlockRun:
    """Drive `program`, a simulation of `spec`, with what is `given`.

    `progress` is called with the number of results so far. With `end_clear` the core is
    cleared at the end; with `save` its whole state is written to that file. Raises
    SimulationFailed when the core breaks a rule of the port.
    """
    # The way to the last round key is the longest that a key can keep the core busy.
    setup = formulas.key_setup_cycles(spec, Direction.DECRYPT)
    with tempfile.TemporaryDirectory(prefix="roundsmith-") as name:
        folder = Path(name)
        (folder / "stimulus").write_bytes(given.file())
        arguments = {
            "stimulus": folder / "stimulus",
            "results": folder / "results",
            "seed": traffic.seed,
            "max_cycles": 64 * (formulas.latency_cycles(spec) + setup) + 4096,
            "clear_cycles": formulas.clear_cycles(spec),
            "settle_cycles": setup + 2,
            "idle_wait": formulas.idle_wait_cycles(spec),
            "key_mode": int(traffic.key_mode),
            "p_in": traffic.p_in,
            "p_key": traffic.p_key,
            "p_out": traffic.p_out,
            "p_clear": traffic.p_clear,
            "p_reset": traffic.p_reset,
            "end_clear": int(end_clear),
            "save": save or "",
        }
        process = subprocess.Popen(
            [str(program), *(f"{k}={v}" for k, v in arguments.items())],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        cycles = 0
        try:
            assert process.stdout is not None and process.stderr is not None
            for line in process.stdout:
                word, value = line.split()
                if word == "cycles":
                    cycles = int(value)
                elif progress is not None:
                    progress(int(value))
            message = process.stderr.read().strip()
        finally:
            process.kill()
            process.wait()
        if message or cycles == 0:
            raise SimulationFailed(message or "the simulation ended before its time")
        return BlockRun(np.fromfile(folder / "results", dtype=_result(spec)), cycles)
