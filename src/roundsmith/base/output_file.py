"""Files that a user names: refused before the work begins, and written whole or not at all."""

import os
from pathlib import Path

from roundsmith.base.errors import RoundsmithError


def check(destination: Path | None) -> None:
    """Raise RoundsmithError where no file can be written; None is no file, and well."""
    if destination is None:
        return
    folder = destination.absolute().parent
    if destination.is_dir():
        raise RoundsmithError(f"{destination} is a folder; name the file to write.")
    if not folder.is_dir():
        raise RoundsmithError(
            f"The folder of {destination} is not there; make it, or name another."
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise RoundsmithError(f"Nothing may be written to the folder of {destination}.")


def write(destination: Path, content: bytes | str) -> None:
    """Write a file whole or not at all; raises RoundsmithError where that cannot be."""
    scratch = destination.with_name(f".{destination.name}.{os.getpid()}")
    try:
        scratch.write_bytes(content.encode() if isinstance(content, str) else content)
        scratch.replace(destination)
    except OSError as error:
        scratch.unlink(missing_ok=True)
        raise RoundsmithError(f"{destination} cannot be written: {error.strerror}.") from None
