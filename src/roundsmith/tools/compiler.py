"""g++: one C++17 file in, an executable out, kept in the cache by content."""

import hashlib
import os
import shutil
from pathlib import Path

from roundsmith.cache import cache_dir
from roundsmith.errors import ToolError
from roundsmith.tools import process

_FLAGS = ("-std=c++17", "-O3", "-march=native", "-Wall", "-Wextra")


def build(source: Path) -> Path:
    """Compile the C++17 file `source` for this machine and return the path of the executable.

    The result is kept under a name made of the file's text, the flags and all that the compiler
    says of itself and of the machine, so it is built once. Raises ToolError when g++ is missing
    or refuses the file.
    """
    if shutil.which("g++") is None:
        raise ToolError(
            f"Compiling {source.name} needs g++, which this machine lacks; "
            "on Debian or Ubuntu `apt-get install g++` brings it."
        )
    # The predefined macros name the compiler's version and the machine's instruction sets.
    machine = process.run(
        ["g++", *_FLAGS, "-dM", "-E", "-x", "c++", os.devnull], what="Asking g++ for its version"
    )
    content = source.read_bytes() + " ".join(_FLAGS).encode() + machine.encode()
    folder = cache_dir() / "compiled"
    executable = folder / f"{source.stem}-{hashlib.sha256(content).hexdigest()[:16]}"
    if not executable.exists():
        folder.mkdir(parents=True, exist_ok=True)
        # Built under another name first: a second process may build the same file.
        part = folder / f"{executable.name}.{os.getpid()}"
        process.run(["g++", *_FLAGS, "-o", part, source], what=f"Compiling {source.name}")
        part.replace(executable)
    return executable
