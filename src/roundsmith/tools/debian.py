"""Fetch a Debian or Ubuntu package into our own cache, without root and without installing it.

apt-get runs on state and cache folders of its own, so it neither needs the system's lock nor
changes anything outside our cache; the archives are those that the machine is set up to use.
"""

import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from roundsmith.base.cache import cache_dir
from roundsmith.base.errors import ToolError, ToolMissing
from roundsmith.tools import process

LIBERTY_INSTEAD = "give a cell library of your own with `--target asic:FILE.lib`"

_PLAIN = {"LC_ALL": "C", "DEBIAN_FRONTEND": "noninteractive"}
_SECONDS = 300.0


def fetch(package: str, *, instead: str = LIBERTY_INSTEAD) -> Path:
    """Return the folder that holds the files of `package`, fetched once and then cached.

    The folder is laid out like `/`: a program of the package is in `usr/bin` below it.
    Raises ToolError, with `instead` as the way out, when apt-get, dpkg or the network is
    missing, or no archive of this machine has the package.
    """
    home = _home(package)
    if not home.is_dir():
        _download(package, home, instead)
    return home / "root"


def version(package: str, *, instead: str = LIBERTY_INSTEAD) -> str:
    """Return the version of `package` that `fetch` gives, fetching it if need be."""
    fetch(package, instead=instead)
    return (_home(package) / "version").read_text().strip()


def _home(package: str) -> Path:
    return cache_dir() / "debian" / package


def _download(package: str, home: Path, instead: str) -> None:
    for program in ("apt-get", "dpkg", "dpkg-deb"):
        if shutil.which(program) is None:
            raise ToolMissing(
                f"The Debian package '{package}' is needed and cannot be fetched, because this "
                f"machine has no {program}: {instead}."
            )
    home.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home.parent, prefix=f".{package}-") as scratch:
        work = Path(scratch)
        archive = _archive(package, work, instead)
        ready = work / "ready"
        ready.mkdir()
        process.run(
            ["dpkg", "-x", archive, ready / "root"],
            what=f"Unpacking the Debian package '{package}'",
        )
        release = process.run(
            ["dpkg-deb", "--field", archive, "Version"],
            what=f"Reading the version of the Debian package '{package}'",
            env=_PLAIN,
        )
        (ready / "version").write_text(release)
        # A rename is all or nothing: an interrupted fetch leaves no half of a package behind.
        try:
            ready.rename(home)
        except OSError:
            if not home.is_dir():  # otherwise another process was faster: its copy is as good
                raise


def _archive(package: str, work: Path, instead: str) -> Path:
    """Download the package's archive file into `work`: known lists first, then fresh ones."""
    state = work / "state"
    cache = work / "cache"
    for folder in (state / "lists" / "partial", cache / "archives" / "partial"):
        folder.mkdir(parents=True)
    unprivileged: list[str | Path] = [
        "apt-get", "--quiet", "--yes",
        "-o", f"Dir::Cache={cache}",
        "-o", "APT::Sandbox::User=root",
        "-o", "Acquire::Retries=2",
    ]  # fmt: skip
    fresh = [*unprivileged, "-o", f"Dir::State={state}", "-o", f"Dir::State::Lists={state}/lists"]
    what = f"Fetching the Debian package '{package}'"
    attempts: list[list[list[str | Path]]] = [
        [[*unprivileged, "download", package]],
        [[*fresh, "update"], [*fresh, "download", package]],
    ]
    for attempt in attempts:
        try:
            for command in attempt:
                process.run(command, what=what, cwd=work, env=_PLAIN, timeout=_SECONDS)
        except ToolError as problem:
            reason = str(problem).removeprefix(what).strip().rstrip(".")
        else:
            return next(work.glob("*.deb"))
    raise ToolMissing(
        f"The Debian package '{package}' is needed and could not be fetched (apt-get {reason}): "
        f"see that this machine reaches its package archive, or {instead}."
    )


def libraries(
    name: str,
    programs: Sequence[Path],
    packages: Mapping[str, tuple[str, ...]],
    *,
    instead: str,
) -> tuple[dict[str, str], list[Path]]:
    """Fetch the shared libraries that `programs` of `name` do not find on this machine.

    `packages` names the packages to try by the start of a library's file name. Returns the
    environment in which the programs run, and the roots of the packages that were fetched.
    Raises ToolError when a library cannot be had.
    """
    env: dict[str, str] = {}
    folders: list[Path] = []
    roots: list[Path] = []
    # A library that we bring may want another one, so look again until nothing is missing.
    while missing := _missing(name, programs, env):
        root = _with_library(name, missing, packages, instead)
        found = next(root.rglob(f"{missing.split('.so')[0]}*.so*"), None)
        if found is None or found.parent in folders:
            raise ToolMissing(f"{name} needs {missing}, which is not installed: {instead}.")
        roots.append(root)
        folders.append(found.parent)
        env["LD_LIBRARY_PATH"] = ":".join(str(folder) for folder in folders)
    return env, roots


def _missing(name: str, programs: Sequence[Path], env: Mapping[str, str]) -> str | None:
    said = process.run(["ldd", *programs], what=f"Looking for the libraries of {name}", env=env)
    absent = re.search(r"^\s*(\S+) => not found", said, re.MULTILINE)
    return None if absent is None else absent[1]


def _with_library(
    name: str, library: str, packages: Mapping[str, tuple[str, ...]], instead: str
) -> Path:
    for start, candidates in packages.items():
        if library.startswith(start):
            for package in candidates[:-1]:
                try:
                    return fetch(package, instead=instead)
                except ToolError:
                    continue
            return fetch(candidates[-1], instead=instead)
    raise ToolMissing(f"{name} needs {library}, which is not installed: {instead}.")
