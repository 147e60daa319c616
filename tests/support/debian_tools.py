"""The tools of Debian's archive, as a user has them, beside the wheels that we use ourselves."""

import shutil
from pathlib import Path

from roundsmith.tools import debian

_INSTEAD = "leave these tests out"
_GNAT = {"libgnat-12.so.1": ("libgnat-12",), "libgnat-12.so": ("libgnat-12",)}


def verilator() -> tuple[Path, dict[str, str]]:
    """Return Debian's Verilator and the environment that it runs in."""
    root = debian.fetch("verilator", instead=_INSTEAD)
    return root / "usr/bin/verilator_bin", {"VERILATOR_ROOT": str(root / "usr/share/verilator")}


def ghdl(folder: Path) -> tuple[Path, dict[str, str], Path]:
    """Return Debian's GHDL, its environment, and its VHDL libraries, which come into `folder`."""
    root = debian.fetch("ghdl-mcode", instead=_INSTEAD)
    program = root / "usr/bin/ghdl-mcode"
    env, _ = debian.libraries("GHDL", [program], _GNAT, instead=_INSTEAD)
    # The compiled libraries look for their sources, which are a package of their own, beside them.
    shutil.copytree(root / "usr/lib/ghdl", folder, symlinks=True)
    sources = debian.fetch("ghdl-common", instead=_INSTEAD) / "usr/lib/ghdl/src"
    shutil.copytree(sources, folder / "src")
    return program, env, folder / "mcode"


def yosys() -> tuple[Path, dict[str, str]]:
    """Return Debian's Yosys and the environment that it runs in."""
    root = debian.fetch("yosys", instead=_INSTEAD)
    program = root / "usr/bin/yosys"
    env, _ = debian.libraries("Yosys", [program], {}, instead=_INSTEAD)
    return program, env
