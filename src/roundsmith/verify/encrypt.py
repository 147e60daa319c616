"""Encrypt or decrypt a real file, block by block, through the compiled RTL of a core."""

import re
from collections.abc import Callable
from pathlib import Path

from roundsmith.base import output_file
from roundsmith.base.errors import RoundsmithError
from roundsmith.flows import synthesize
from roundsmith.records import records
from roundsmith.reference import aes
from roundsmith.simulate import simulate
from roundsmith.spec import Direction, Spec


def cipher_file(
    spec: Spec,
    key: str,
    source: Path,
    destination: Path,
    *,
    decrypt: bool = False,
    progress: Callable[[str, int, int], None],
) -> str:
    """Encrypt `source` into `destination` (ECB, PKCS#7) and return a line of what it took.

    With `decrypt` it goes the other way. The core runs behind its full port, with a block always
    waiting. `key` is hexadecimal; its length must be one that the core has. The destination is
    written whole or not at all. Raises RoundsmithError on a bad key or file.
    """
    check_direction(spec, decrypt)
    secret = key_of(spec, key)
    message = read(source)
    if decrypt:
        _check_whole(source, message)
    else:
        message = aes.pad(message)
    output_file.check(destination)
    total = len(message) // 16
    doing = "decrypting" if decrypt else "encrypting"
    progress("compiling the RTL", 0, total)
    form = spec.full() if spec.has_full else spec
    program = simulate.build(form, synthesize.sources(form))
    # The last handshake of several lanes may have lanes to spare.
    spare = bytes(-len(message) % (16 * spec.port.lanes))
    run = simulate.run(
        program,
        form,
        simulate.stimulus(form, [secret], message + spare, decrypt=decrypt, key=0),
        progress=lambda done: progress(doing, min(done * spec.port.lanes, total), total),
    )
    progress(doing, total, total)
    answer = run.message()[: len(message)]
    if decrypt:
        answer = unpad(source, answer)
    output_file.write(destination, answer)
    return f"{spec.name}: {total:,} blocks in {run.cycles:,} cycles{time(spec, run.cycles)}"


def check_direction(spec: Spec, decrypt: bool) -> None:
    """Raise RoundsmithError where the core does not go that way."""
    if (Direction.DECRYPT if decrypt else Direction.ENCRYPT) in spec.what.directions:
        return
    raise RoundsmithError(
        f"{spec.name} does not decrypt; `roundsmith list` shows the directions of each core."
        if decrypt
        else f"{spec.name} only decrypts; give --decrypt, or take another core."
    )


def key_of(spec: Spec, text: str) -> bytes:
    """Return a key of a length that the core has, from hexadecimal digits."""
    lengths = [str(bits // 4) for bits in spec.what.key_bits]
    if str(len(text)) not in lengths:
        choice = ", ".join(lengths[:-1]) + " or " + lengths[-1] if lengths[1:] else lengths[0]
        raise RoundsmithError(
            f"--key takes {choice} hexadecimal digits for {spec.name}, not {len(text)} characters."
        )
    if not re.fullmatch(r"[0-9a-fA-F]*", text):
        raise RoundsmithError("--key takes hexadecimal digits only.")
    return bytes.fromhex(text)


def read(source: Path) -> bytes:
    """Return what is in a file."""
    try:
        return source.read_bytes()
    except OSError as error:
        raise RoundsmithError(f"{source} cannot be read: {error.strerror}.") from None


def _check_whole(source: Path, message: bytes) -> None:
    if not message or len(message) % 16 != 0:
        raise RoundsmithError(
            f"{source} has {len(message):,} bytes, so it is not what encryption leaves: whole "
            "blocks of 16 bytes, at least one."
        )


def unpad(source: Path, message: bytes) -> bytes:
    """Return what decryption of `source` gave without its padding."""
    try:
        return aes.unpad(message)
    except ValueError:
        raise RoundsmithError(
            f"{source} does not decrypt under this key: the padding at its end is broken, so the "
            "key is another or the file was changed."
        ) from None


def time(spec: Spec, cycles: int) -> str:
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
