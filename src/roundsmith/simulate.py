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
from roundsmith.cache import cache_dir
from roundsmith.errors import RoundsmithError
from roundsmith.spec import Spec
from roundsmith.tools import verilator

HARNESS = Path(__file__).parent / "simulation" / "harness.cpp"

#: One result as the harness writes it: block and key are indices into the stimulus, the two
#: cycles are those of acceptance and of the first cycle in which the result was valid.
RESULT = np.dtype(
    [
        ("block", "V16"),
        ("index", "<u4"),
        ("key", "<u4"),
        ("accepted", "<u8"),
        ("appeared", "<u8"),
    ]
)


class SimulationFailed(RoundsmithError):
    """The core broke a rule of the block port; the message says which and when."""


class KeyMode(IntEnum):
    """How keys and blocks are matched at a full port (a native port pairs them anyway)."""

    PAIRED = 0
    INDEPENDENT = 1
    SINGLE = 2


@dataclass(frozen=True)
class Traffic:
    """How the port is driven: chances in 256 (clear and reset in 65536) for each cycle."""

    key_mode: KeyMode = KeyMode.PAIRED
    p_in: int = 256
    p_key: int = 256
    p_out: int = 256
    p_clear: int = 0
    p_reset: int = 0
    seed: int = 1


@dataclass(frozen=True)
class Run:
    """What came out: one record of `RESULT` for each block, and the cycles it took."""

    results: np.ndarray
    cycles: int

    def ciphertexts(self) -> list[bytes]:
        """Return the result blocks in the order in which they came."""
        return [bytes(block) for block in self.results["block"]]


def build(
    spec: Spec,
    files: Sequence[Path],
    *,
    flags: Sequence[str] = (),
    savable: bool = False,
) -> Path:
    """Compile `files` (with the top of `spec` in them) and the harness; return the program.

    `flags` go to Verilator, for example to quieten warnings about library cells.
    """
    cflags = [f"-DRSM_TAG_BITS={spec.port.tag_bits}"]
    if spec.is_full:
        cflags.append("-DRSM_FULL")
    if savable:
        cflags.append("-DRSM_SAVE")
        flags = [*flags, "--savable"]
    digest = hashlib.sha256(repr((verilator.version(), spec.module, flags, cflags)).encode())
    for path in [*files, HARNESS, Path(verilator.__file__)]:
        digest.update(path.read_bytes())
    final = cache_dir() / "simulations" / digest.hexdigest()[:32]
    program = final / "model"
    if program.exists():
        return program
    final.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=final.parent, prefix="building-"))
    try:
        built = verilator.build(
            files, spec.module, HARNESS, scratch, flags=["-Wno-fatal", *flags], cflags=cflags
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
    keys: Sequence[bytes],
    blocks: bytes,
    traffic: Traffic = Traffic(),
    *,
    progress: Callable[[int], None] | None = None,
    save: Path | None = None,
    end_clear: bool = False,
) -> Run:
    """Drive `program` with 16-byte `keys` and `blocks` (a whole number of 16-byte blocks).

    `progress` is called with the number of results so far. With `end_clear` the core is
    cleared at the end; with `save` its whole state is written to that file. Raises
    SimulationFailed when the core breaks a rule of the port.
    """
    with tempfile.TemporaryDirectory(prefix="roundsmith-") as name:
        folder = Path(name)
        stimulus = folder / "stimulus"
        with stimulus.open("wb") as file:
            file.write(struct.pack("<II", len(keys), len(blocks) // 16))
            file.writelines(keys)
            file.write(blocks)
        arguments = {
            "stimulus": stimulus,
            "results": folder / "results",
            "seed": traffic.seed,
            "max_cycles": 64 * formulas.latency_cycles(spec) + 4096,
            "clear_cycles": formulas.clear_cycles(spec),
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
        return Run(np.fromfile(folder / "results", dtype=RESULT), cycles)
