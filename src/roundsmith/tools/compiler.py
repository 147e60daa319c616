"""g++: one C++17 file in, an executable out, kept in the cache by content."""

import contextlib
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from roundsmith.base.cache import cache_dir
from roundsmith.base.errors import ToolError
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


@contextlib.contextmanager
def lines(source: Path, arguments: Sequence[str], text: str) -> Iterator[Iterator[str]]:
    """Compile `source`, start it on `text`, and give the lines that it prints as they come.

    Leaving the block ends the program, whatever happens. Raises ToolError when g++ is missing or
    the program breaks off.
    """
    with tempfile.TemporaryFile("w+") as given:
        given.write(text)
        given.seek(0)
        child = subprocess.Popen(
            [build(source), *arguments],
            stdin=given,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert child.stdout is not None
        try:
            yield iter(child.stdout)
            if child.wait() != 0:
                raise ToolError(f"{source.name} ended with status {child.returncode}.")
        finally:
            child.kill()
            child.wait()
            child.stdout.close()
