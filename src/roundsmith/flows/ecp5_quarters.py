"""Copies of a core on an ECP5-85k, each in a quarter of the chip: `ecp5-85k:GRADE:floorplan`.

Four pipelines fill half of the chip, and a placer that has all of them at once spreads each over
the others: four of `fastest-ecp5` came to 132 and to 186 MHz with two seeds, after 50 minutes each.
No register of one copy feeds another copy, and wires from and to the ports are not timed, so each
copy can be placed by itself, as Saggese et al. 2003 (section 4) place a round.

A copy is placed on an ECP5-25k, whose logic lies in the same pattern of rows, with everything but
a quarter's area blocked by cells of no use. Then its places move: logic of an 85k repeats itself
every 12 rows, and in every column. With all copies in place nextpnr places what is left (memories,
carry chains, what lies between copies), routes everything and times it. The figures are of these
runs.
"""

import json
import re
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from roundsmith.base.errors import DoesNotFit, DoesNotRoute, RoundsmithError
from roundsmith.flows import ecp5, ecp5_fixed_places
from roundsmith.flows.ecp5 import FpgaNetlist, PlacedRun, Placement, Progress
from roundsmith.flows.ecp5_fixed_places import Module
from roundsmith.tools import process

#: The device that has a floorplan, and the one on which a copy of a core is placed.
SIZE, SMALL = "85k", "25k"

#: Columns and rows of a quarter on the small device, whose memories take a row in twelve.
COLUMNS, ROWS = range(2, 63), range(5, 49)
_SMALL_COLUMNS = range(2, 71)
_SMALL_ROWS = tuple(row for row in range(2, 49) if row % 12 != 1)

#: How far each quarter of the large device lies from there, in columns and rows.
QUARTERS = ((0, -3), (62, -3), (0, 45), (62, 45))

#: A copy is placed and routed by itself with these seeds, and stands as the fastest of them does.
#: Where it fills three quarters of its area, one seed in ten has no place for every cell.
TRIES = (1, 2, 3, 4)

#: Everything here that decides a figure.
FLOW = f"quarters 1 {SIZE} {SMALL} {COLUMNS} {ROWS} {QUARTERS} {TRIES} heap {ecp5.PLACERS['heap']}"

_COPY = re.compile(r"(u_(?:tile|lane)_\d+)\.(.*)", re.DOTALL)
_BEL = re.compile(r"X(\d+)/Y(\d+)/(.*)")


def check(size: str) -> None:
    """Raise RoundsmithError when the device has no floorplan."""
    if size != SIZE:
        raise RoundsmithError(f"There is no floorplan for ecp5-{size}; ecp5-{SIZE} has one.")


def measure(
    files: list[Path],
    top: str,
    grade: int,
    seeds: Sequence[int] = ecp5.SEEDS,
    folder: Path | None = None,
    progress: Progress | None = None,
) -> Placement:
    """Place every copy in its quarter, then route all of them with each seed.

    Raises RoundsmithError for a core that has not two to four copies, or whose copies are larger
    than a quarter, and ToolError when a program fails.
    """
    names = ecp5.copies(files)
    if not 2 <= len(names) <= len(QUARTERS):
        raise RoundsmithError(
            f"The floorplan of ecp5-{SIZE} is for two to four copies of a core beside "
            f"each other, and {top} has {len(names) or 'one'}; leave ':floorplan' away."
        )
    steps = ecp5.Steps(progress)
    with tempfile.TemporaryDirectory() as scratch:
        work = folder if folder is not None else Path(scratch)
        smallest = ecp5_fixed_places.mapped(files, top, work, steps)
        netlist = ecp5_fixed_places.paired(smallest, work)
        fixed = _fixed(netlist, _places(netlist, names, grade, work, steps), work)
        steps.expect(len(seeds))

        def route(seed: int) -> PlacedRun:
            run = ecp5.place_once(
                fixed, SIZE, grade, ecp5.PLACERS["heap"], ecp5.LARGE_TARGET_MHZ, seed
            )
            steps.done(f"all routed, seed {seed}: {run.fmax_mhz:.1f} MHz")
            return replace(run, placer="heap, copies in quarters")

        with ThreadPoolExecutor(max_workers=process.THREADS) as pool:
            runs = list(pool.map(route, seeds))
        placed = ecp5.placement_of(netlist, smallest.lut, SIZE, grade, runs)
    return replace(placed, target=f"{placed.target}:floorplan")


# --- One copy -------------------------------------------------------------------------------


def alone(module: Module, copy: str) -> Module:
    """Return the cells of one copy as a netlist of its own, the same for copies that are equal."""
    own = {}
    for name, cell in module["cells"].items():
        match = _COPY.fullmatch(name)
        if match and match[1] == copy:
            own[match[2]] = cell
    number: dict[int, int] = {}

    def renumbered(bit: int | str) -> int | str:
        return number.setdefault(bit, 2 + len(number)) if isinstance(bit, int) else bit

    cells = {}
    for name in sorted(own):
        wires = {p: [renumbered(b) for b in bits] for p, bits in own[name]["connections"].items()}
        cells[name] = {**own[name], "connections": wires}
    clock = module["ports"]["clk_i"]
    bits = [renumbered(bit) for bit in clock["bits"]]
    nets = {
        f"net_{new}": {"hide_name": 1, "bits": [new], "attributes": {}} for new in number.values()
    }
    nets["clk_i"] = {"hide_name": 0, "bits": bits, "attributes": {}}
    del nets[f"net_{bits[0]}"]
    return {
        "attributes": {"top": module["attributes"].get("top", "1")},
        "ports": {"clk_i": {**clock, "bits": bits}},
        "cells": cells,
        "netnames": nets,
    }


def block(module: Module) -> None:
    """Fill the small device around a quarter with cells that stay where they are."""
    free = ecp5_fixed_places.free_bit(module)
    clock = module["ports"]["clk_i"]["bits"]
    for column in _SMALL_COLUMNS:
        for row in _SMALL_ROWS:
            if column in COLUMNS and row in ROWS:
                continue
            for place in (
                f"SLICE{s}.{kind}{i}" for s in "ABCD" for kind in ("K", "FF") for i in "01"
            ):
                bel = f"X{column}/Y{row}/{place}"
                module["cells"][f"blocked {bel}"] = _blocker(bel, [free], clock)
                free += 1


def _blocker(bel: str, output: list[int], clock: list[int]) -> Module:
    inputs: Module
    if ".K" in bel:
        kind, out = "LUT4", "Z"
        parameters = {"INIT": "0" * 16}
        inputs = {pin: ["0"] for pin in "ABCD"}
    else:
        kind, out = "TRELLIS_FF", "Q"
        # The space behind a value of digits alone makes it a string to Yosys and nextpnr.
        parameters = {"CEMUX": "1 ", "CLKMUX": "CLK", "GSR": "DISABLED", "LSRMUX": "LSR"}
        parameters["REGSET"] = "RESET"
        inputs = {"CLK": clock, "DI": ["0"], "LSR": ["0"]}
    return {
        "hide_name": 1,
        "type": kind,
        "parameters": parameters,
        "attributes": {"BEL": bel},
        "port_directions": {**dict.fromkeys(inputs, "input"), out: "output"},
        "connections": {**inputs, out: output},
    }


def _file_of(netlist: FpgaNetlist, module: Module, copy: str, folder: Path) -> FpgaNetlist:
    """Return the netlist of one copy with the small device blocked around its quarter."""
    own = alone(module, copy)
    block(own)
    file = folder / f"{netlist.top}_{copy}.json"
    # Named alike everywhere, so that what is kept of it serves equal copies of any core.
    ecp5_fixed_places.write("copy", own, file)
    return ecp5.netlist_of(file, netlist.verilog, "copy", netlist.mapping)


def _tried(lone: FpgaNetlist, grade: int, seed: int) -> PlacedRun | None:
    """Place and route one copy on the small device; None when this seed finds no place."""
    try:
        return ecp5.place_once(
            lone, SMALL, grade, ecp5.PLACERS["static"], ecp5.LARGE_TARGET_MHZ, seed
        )
    except (DoesNotFit, DoesNotRoute):
        return None


def _places(
    netlist: FpgaNetlist, names: Sequence[str], grade: int, folder: Path, steps: ecp5.Steps
) -> dict[str, dict[str, str]]:
    """Return the place of every cell of every copy on the small device, by the copy."""
    module = ecp5_fixed_places.module_of(netlist)
    alike: dict[bytes, list[str]] = {}
    lone = {}
    for name in names:
        lone[name] = _file_of(netlist, module, name, folder)
        alike.setdefault(lone[name].json.read_bytes(), []).append(name)
    jobs = [(same[0], seed) for same in alike.values() for seed in TRIES]
    steps.expect(len(jobs))

    def attempt(job: tuple[str, int]) -> PlacedRun | None:
        run = _tried(lone[job[0]], grade, job[1])
        reached = "no place" if run is None else f"{run.fmax_mhz:.1f} MHz"
        steps.done(f"{job[0]} by itself, seed {job[1]}: {reached}")
        return run

    with ThreadPoolExecutor(max_workers=process.THREADS) as pool:
        runs = dict(zip(jobs, pool.map(attempt, jobs), strict=True))
    found: dict[str, dict[str, str]] = {}
    for same in alike.values():
        good = [run for seed in TRIES if (run := runs[same[0], seed]) is not None]
        if not good:
            raise DoesNotFit(f"No place was found for {same[0]} of {netlist.top} in a quarter.")
        best = max(good, key=lambda run: run.fmax_mhz)
        bels = json.loads((best.folder / "bels.json").read_text())
        own = {name: bel for name, (_, bel) in bels.items() if not name.startswith("blocked ")}
        found |= dict.fromkeys(same, own)
    return found


# --- All copies -----------------------------------------------------------------------------


def moved(bel: str, quarter: tuple[int, int]) -> str:
    """Return the place on the large device of one on the small device, in a quarter."""
    match = _BEL.fullmatch(bel)
    if match is None:
        raise RoundsmithError(f"nextpnr names a place '{bel}', which is none in a slice.")
    return f"X{int(match[1]) + quarter[0]}/Y{int(match[2]) + quarter[1]}/{match[3]}"


def fix(module: Module, places: dict[str, dict[str, str]]) -> None:
    """Fix LUTs and flip-flops of each copy to its quarter, but for what is chained to others."""
    quarter = dict(zip(sorted(places), QUARTERS, strict=False))
    for name, cell in ecp5_fixed_places.fixable(module):
        match = _COPY.fullmatch(name)
        if match is None:
            continue
        copy, own = match.groups()
        cell["attributes"] = {"BEL": moved(places[copy][own], quarter[copy])}


def _fixed(netlist: FpgaNetlist, places: dict[str, dict[str, str]], folder: Path) -> FpgaNetlist:
    """Return the whole netlist with every copy in its quarter."""
    module = ecp5_fixed_places.module_of(netlist)
    fix(module, places)
    file = folder / f"{netlist.top}_{netlist.mapping}_fixed.json"
    ecp5_fixed_places.write(netlist.top, module, file)
    return ecp5.netlist_of(file, netlist.verilog, netlist.top, netlist.mapping)
