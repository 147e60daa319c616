"""Yosys, from the pyosys wheel.

A Yosys error ends its interpreter, so every script runs in a process of its own.
"""

import sys
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version as package_version
from importlib.util import find_spec
from pathlib import Path

from roundsmith.base.errors import ToolMissing
from roundsmith.tools import process

_RUNNER = """
import sys
from pyosys import libyosys as ys
design = ys.Design()
for line in open(sys.argv[1]):
    if line.strip():
        design.run_pass(line.strip())
"""


@cache
def version() -> str:
    """Return the version of the pyosys wheel."""
    return package_version("pyosys")


def share() -> Path:
    """Return Yosys' own data folder: cell models and technology maps."""
    return _package() / "share"


def abc() -> Path:
    """Return the yosys-abc program that comes with the wheel."""
    return _package() / "yosys-abc"


def _package() -> Path:
    spec = find_spec("pyosys")
    if spec is None or spec.origin is None:
        raise ToolMissing("Synthesis needs the Python package 'pyosys'; `make setup` installs it.")
    return Path(spec.origin).parent


def read_slang(
    files: Sequence[Path],
    top: str,
    defines: Sequence[str] = (),
    *,
    hierarchy: bool = False,
    parameters: Sequence[str] = (),
) -> str:
    """Return the pass that reads SystemVerilog `files` and elaborates module `top`.

    The design comes flat, or with its `hierarchy`. `parameters` of `top` are `NAME=VALUE`.
    """
    flags = " ".join(
        [f"-D {d}" for d in defines]
        + [f"-G {p}" for p in parameters]
        + ["--keep-hierarchy"] * hierarchy
    )
    return f"read_slang {flags} --top {top} {' '.join(str(f) for f in files)}"


def run(script: Sequence[str], *, what: str, folder: Path, timeout: float | None = None) -> str:
    """Run `script`, one pass a line, inside `folder`, and return the log.

    The script and the log stay in `folder` as `yosys.ys` and `yosys.log`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "yosys.ys"
    path.write_text("\n".join(script) + "\n")
    return process.run(
        [sys.executable, "-c", _RUNNER, path.name],
        what=what,
        cwd=folder,
        log=folder / "yosys.log",
        timeout=timeout,
    )
