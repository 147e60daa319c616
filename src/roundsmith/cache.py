"""Where the tool keeps what it can make again: fetched packages, prepared libraries, builds."""

import os
import shutil
from pathlib import Path


def cache_dir() -> Path:
    """Return the cache folder, made if it is not there.

    `ROUNDSMITH_CACHE` names it; else it is `roundsmith` inside `XDG_CACHE_HOME`; else
    `~/.cache/roundsmith`.
    """
    own = os.environ.get("ROUNDSMITH_CACHE")
    shared = os.environ.get("XDG_CACHE_HOME")
    if own:
        folder = Path(own)
    elif shared:
        folder = Path(shared) / "roundsmith"
    else:
        folder = Path.home() / ".cache" / "roundsmith"
    folder = folder.expanduser().absolute()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def clean() -> int:
    """Delete the whole cache and return how many bytes that freed."""
    folder = cache_dir()
    size = sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())
    shutil.rmtree(folder)
    return size
