"""Encrypt a real file, block by block, through the compiled RTL of a core."""

import os
import re
from collections.abc import Callable
from pathlib import Path

from roundsmith import generate, records, simulate
from roundsmith.cache import cache_dir
from roundsmith.errors import RoundsmithError
from roundsmith.reference import aes
from roundsmith.simulate import KeyMode, Traffic
from roundsmith.spec import Spec


def encrypt_file(
    spec: Spec,
    key: str,
    source: Path,
    destination: Path,
    *,
    progress: Callable[[str, int, int], None],
) -> str:
    """Encrypt `source` into `destination` (ECB, PKCS#7) and return a line of what it took.

    The core runs behind its full port, with a block always waiting. `key` is hexadecimal, as
    long as the spec's key. The destination is written whole or not at all. Raises
    RoundsmithError on a bad key or file.
    """
    secret = _key(spec, key)
    message = aes.pad(_read(source))
    if destination.is_dir():
        raise RoundsmithError(f"{destination} is a folder; --out names the file to write.")
    if not destination.absolute().parent.is_dir():
        raise RoundsmithError(f"The folder of {destination} does not exist; make it first.")
    full = spec.full()
    design = generate.design(full)
    total = len(message) // 16
    progress("compiling the RTL", 0, total)
    folder = cache_dir() / "tops" / design.text_hash()[:16]
    program = simulate.build(full, design.write(folder))
    run = simulate.run(
        program,
        full,
        [secret],
        message,
        Traffic(KeyMode.SINGLE),
        progress=lambda done: progress("encrypting", done, total),
    )
    progress("encrypting", total, total)
    scratch = destination.with_name(f".{destination.name}.{os.getpid()}")
    try:
        scratch.write_bytes(b"".join(run.ciphertexts()))
        scratch.replace(destination)
    except OSError as error:
        scratch.unlink(missing_ok=True)
        raise RoundsmithError(f"{destination} cannot be written: {error.strerror}.") from None
    return f"{spec.name}: {total:,} blocks in {run.cycles:,} cycles{_time(spec, run.cycles)}"


def _key(spec: Spec, text: str) -> bytes:
    digits = max(spec.what.key_bits) // 4
    if not re.fullmatch(rf"[0-9a-fA-F]{{{digits}}}", text):
        raise RoundsmithError(
            f"--key takes {digits} hexadecimal digits for {spec.name}, not {len(text)} characters "
            "of something else."
            if len(text) != digits
            else "--key takes hexadecimal digits only."
        )
    return bytes.fromhex(text)


def _read(source: Path) -> bytes:
    try:
        return source.read_bytes()
    except OSError as error:
        raise RoundsmithError(f"{source} cannot be read: {error.strerror}.") from None


def _time(spec: Spec, cycles: int) -> str:
    """Say how long the cycles last on what the core was last measured on."""
    placed = [
        m for m in records.measurements() if m.name == spec.name and m.fmax_capped_mhz is not None
    ]
    if not placed:
        return " (no clock known: `roundsmith measure` finds one)"
    last = placed[-1]
    assert last.fmax_capped_mhz is not None
    microseconds = cycles / last.fmax_capped_mhz
    return f", {microseconds:,.1f} µs at {last.fmax_capped_mhz:.1f} MHz on {last.target}"
