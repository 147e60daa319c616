"""Icarus Verilog, 11 or later: Verilog-2005 in, a simulation run out.

The reference for "every simulator reads this": if Icarus takes a file, so do the others.
"""

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from roundsmith.base.errors import ToolError
from roundsmith.tools import debian, process

_OLDEST = 11
_INSTEAD = f"put Icarus Verilog {_OLDEST} or later (`iverilog` and `vvp`) on PATH"

# Debian's packages of the libraries that Icarus loads, by the start of the library's name;
# newer releases have some of them under a second package name.
_LIBRARIES = {
    "libreadline.so.8": ("libreadline8", "libreadline8t64"),
    "libtinfo.so.6": ("libtinfo6",),
    "libbz2.so.1": ("libbz2-1.0",),
    "libz.so.1": ("zlib1g",),
    "libstdc++.so.6": ("libstdc++6",),
    "libgcc_s.so.1": ("libgcc-s1",),
}


@dataclass(frozen=True)
class _Program:
    """Both programs, what they must be told about where they lie, and their version."""

    iverilog: tuple[str, ...]
    vvp: tuple[str, ...]
    env: tuple[tuple[str, str], ...]
    version: str


def version() -> str:
    """Return the version of Icarus Verilog. Raises ToolError when it cannot be had."""
    return _find().version


def build(
    files: Sequence[Path],
    output: Path,
    *,
    top: str | None = None,
    flags: Sequence[str] = ("-g2005",),
) -> Path:
    """Compile `files` to `output`, a program for `run`. Raises ToolError on any complaint.

    Warnings count as complaints: `-Wall` is on, without the notice that a module has no
    `timescale`.
    """
    program = _find()
    argv: list[str | Path] = [*program.iverilog, *flags, "-Wall", "-Wno-timescale", "-o", output]
    argv += ["-s", top] if top else []
    what = f"Icarus Verilog's reading of {files[0].name}"
    said = process.run([*argv, *files], what=what, env=dict(program.env))
    if said.strip():
        raise ToolError(f"{what} gave a warning: {said.strip().splitlines()[0]}")
    return output


def run(
    simulation: Path, *, cwd: Path, arguments: Sequence[str] = (), timeout: float = 600.0
) -> str:
    """Run a compiled simulation inside `cwd` and return what it printed.

    Raises ToolError when it ends with another status than 0 or takes longer than `timeout`
    seconds.
    """
    program = _find()
    argv: list[str | Path] = [*program.vvp, "-n", simulation.resolve(), *arguments]
    what = f"The simulation {simulation.name}"
    return process.run(argv, what=what, cwd=cwd, env=dict(program.env), timeout=timeout)


@lru_cache(maxsize=1)
def _find() -> _Program:
    own = shutil.which("iverilog")
    if own is not None and shutil.which("vvp") is not None:
        release = _release((own,), {})
        if int(release.split(".")[0]) >= _OLDEST:
            return _Program((own,), ("vvp",), (), release)
    root = debian.fetch("iverilog", instead=_INSTEAD)
    found = next(root.glob("usr/lib/**/ivl/ivl"), None)
    if found is None:
        raise ToolError(f"The Debian package 'iverilog' is not as expected: {_INSTEAD}.")
    base = found.parent
    programs = [root / "usr/bin/vvp", base / "ivl", base / "system.vpi"]
    env, _ = debian.libraries("Icarus Verilog", programs, _LIBRARIES, instead=_INSTEAD)
    # Both programs look for their parts where the package would be installed.
    iverilog = (str(root / "usr/bin/iverilog"), "-B", str(base))
    vvp = (str(root / "usr/bin/vvp"), "-M", str(base))
    return _Program(iverilog, vvp, tuple(env.items()), _release(iverilog, env))


def _release(iverilog: Sequence[str], env: dict[str, str]) -> str:
    said = process.run([*iverilog, "-V"], what="Asking Icarus Verilog's version", env=env)
    match = re.search(r"Icarus Verilog version (\d[\w.]*)", said)
    return "0" if match is None else match[1]
