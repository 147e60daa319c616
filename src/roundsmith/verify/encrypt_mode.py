"""Encrypt, decrypt, tag or verify a real file with a mode, through the compiled RTL of a core."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from roundsmith.base import output_file
from roundsmith.base.errors import RoundsmithError
from roundsmith.flows import synthesize
from roundsmith.reference import aes
from roundsmith.simulate import messages
from roundsmith.simulate.messages import Answer, Message
from roundsmith.spec import Spec
from roundsmith.verify import encrypt


@dataclass(frozen=True)
class Given:
    """What the command line says beside the files: hexadecimal digits, and a file."""

    key: str
    iv: str = ""
    aad: Path | None = None
    tag: str = ""
    tag_bytes: int | None = None
    decrypt: bool = False
    pad: bool = True


def cipher_file(
    spec: Spec,
    given: Given,
    source: Path,
    destination: Path | None,
    *,
    progress: Callable[[str, int, int], None],
) -> list[str]:
    """Send `source` through `spec`, which has a mode; return lines of what it took.

    The text goes to `destination`, whole or not at all; the tag of a generation is in the lines.
    Raises RoundsmithError on bad options or files, and on a wrong tag, with which nothing is
    written.
    """
    mode = spec.mode
    message = _message(spec, given, encrypt.read(source))
    if mode.mac:
        if destination is not None:
            raise RoundsmithError(f"mode '{mode.word}' gives a tag and no text; leave --out out.")
    elif destination is None:
        raise RoundsmithError(f"mode '{mode.word}' gives a text; --out names the file to write.")
    else:
        output_file.check(destination)
    padded = mode.is_padded and given.pad
    if mode.is_padded and (given.decrypt or not padded) and len(message.text) % 16:
        raise RoundsmithError(
            f"{source} has {len(message.text):,} bytes, and mode '{mode.word}' takes whole blocks "
            "of 16 bytes."
        )
    total = max(1, -(-len(message.text) // 16))
    progress("compiling the RTL", 0, total)
    program = messages.build(spec, synthesize.sources(spec))
    doing = "decrypting" if given.decrypt else "encrypting"
    run = messages.run(
        program, spec, [message], progress=lambda done: progress(doing, min(done, total), total)
    )
    progress(doing, total, total)
    (answer,) = run.answers
    assert answer is not None
    text = _checked(spec, source, answer)
    if padded and given.decrypt:
        text = encrypt.unpad(source, text)
    if destination is not None:
        output_file.write(destination, text)
    lines = [f"{spec.name}: {len(message.text):,} bytes in {run.cycles:,} cycles"]
    lines[0] += encrypt.time(spec, run.cycles)
    if answer.tag:
        lines.append(f"tag {answer.tag.hex()}")
    if message.tag:
        lines.append("the tag is right")
    return lines


def _message(spec: Spec, given: Given, text: bytes) -> Message:
    """Return the message that the options mean, or a sentence on what is wrong with them."""
    mode = spec.mode
    if mode.both_ways and given.decrypt and not spec.decrypts:
        encrypt.check_direction(spec, True)
    if mode.both_ways and not given.decrypt and not spec.encrypts:
        encrypt.check_direction(spec, False)
    iv = _hex("--iv", given.iv)
    least, most = mode.iv.least, mode.iv.most
    if not least <= len(iv) <= most:
        wanted = (
            "none"
            if most == 0
            else f"{2 * least} hexadecimal digits"
            if least == most
            else f"{2 * least} to {2 * most} hexadecimal digits"
        )
        raise RoundsmithError(f"--iv takes {wanted} in mode '{mode.word}', not {len(given.iv)}.")
    if given.aad is not None and not mode.aad:
        raise RoundsmithError(f"mode '{mode.word}' has no associated data; leave --aad out.")
    tag = _hex("--tag", given.tag)
    tag_bytes = max(mode.tags, default=0) if given.tag_bytes is None else given.tag_bytes
    if not mode.tags and (tag or given.tag_bytes is not None):
        raise RoundsmithError(f"mode '{mode.word}' has no tag; leave --tag and --tag-bytes out.")
    if mode.tags:
        if given.decrypt and not tag:
            raise RoundsmithError("--decrypt takes --tag, the tag to verify.")
        if tag and not given.decrypt:
            raise RoundsmithError("--tag is verified, with --decrypt; --tag-bytes says how long.")
        if (len(tag) if tag else tag_bytes) not in mode.tags:
            choice = ", ".join(map(str, mode.tags))
            raise RoundsmithError(f"the tag of mode '{mode.word}' has one of {choice} bytes.")
    if mode.is_padded and given.pad and not given.decrypt:
        text = aes.pad(text)
    return Message(
        key=_key(spec, given.key, mode.slots),
        text=text,
        iv=iv,
        aad=encrypt.read(given.aad) if given.aad else b"",
        decrypt=given.decrypt,
        tag=tag,
        tag_bytes=tag_bytes,
    )


def _key(spec: Spec, text: str, count: int) -> bytes:
    """Return the key; one of several keys is as long as the others."""
    if count == 1:
        return encrypt.key_of(spec, text)
    half = len(text) // 2
    return encrypt.key_of(spec, text[:half]) + encrypt.key_of(spec, text[half:])


def _hex(option: str, text: str) -> bytes:
    if len(text) % 2 or not re.fullmatch(r"[0-9a-fA-F]*", text):
        raise RoundsmithError(f"{option} takes an even number of hexadecimal digits.")
    return bytes.fromhex(text)


def _checked(spec: Spec, source: Path, answer: Answer) -> bytes:
    if answer.refused:
        raise RoundsmithError(f"{spec.name} refuses {source}: {spec.mode.refusal}.")
    if answer.wrong_tag:
        raise RoundsmithError(
            "The tag is wrong: the key, the IV, the associated data or the file is another than "
            "when it was made; nothing was written."
        )
    return answer.text
