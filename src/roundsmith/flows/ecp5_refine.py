"""A core on an ECP5 whose longest paths were placed again: `ecp5-SIZE:GRADE:refined`.

A pipeline that is cut everywhere has one LUT between registers, and its clock is that of the worst
of some ten thousand connections: in `fastest-ecp5` at speed grade 8 a hundred of 27,800 are longer
than 2.5 ns, and a few than 2.7. nextpnr does not better a placement that it is given, but it places
what has no place around what has one. So every LUT and flip-flop stays where it is, but for the
flip-flops at the ends of the longest paths and the LUTs in front of them. These are placed again,
everything is routed and timed anew, and the faster of both placements stands; ROUNDS times, or
until the limit of the clock tree is reached. A round takes a third of the time of a placement.

The netlist is the smaller of the two that large cores have. The figures are of all seeds, each with
its own rounds.
"""

import json
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from roundsmith.flows import ecp5, ecp5_fixed_places
from roundsmith.flows.ecp5 import FpgaNetlist, PlacedRun, Placement, Progress
from roundsmith.flows.ecp5_fixed_places import Module
from roundsmith.tools import nextpnr, process

#: How often the ends of the longest paths are placed again, with another seed each time.
ROUNDS = 8

#: A path is long from this share of the longest, or of the shortest clock that the device takes.
LONG = 0.95

#: Everything here that decides a figure.
FLOW = f"refined 1 {ROUNDS} {LONG} static heap {ecp5.PLACERS} at the limit of the clock tree"


def measure(
    files: list[Path],
    top: str,
    size: str,
    grade: int,
    seeds: Sequence[int] = ecp5.SEEDS,
    folder: Path | None = None,
    progress: Progress | None = None,
) -> Placement:
    """Place and route a core with each seed, then its longest paths again and again.

    Arguments and errors as of `fpga.measure_ecp5`.
    """
    nextpnr.check_device(size, grade)
    steps = ecp5.Steps(progress)
    with tempfile.TemporaryDirectory() as scratch:
        work = folder if folder is not None else Path(scratch)
        smallest = ecp5_fixed_places.mapped(files, top, work, steps)
        netlist = ecp5_fixed_places.paired(smallest, work)
        steps.expect(len(seeds) * (1 + ROUNDS))

        def refined(seed: int) -> PlacedRun:
            return _refined(netlist, size, grade, seed, work, steps)

        with ThreadPoolExecutor(max_workers=process.THREADS) as pool:
            runs = list(pool.map(refined, seeds))
        placed = ecp5.placement_of(netlist, smallest.lut, size, grade, runs)
    return replace(placed, target=f"{placed.target}:refined")


def _refined(
    netlist: FpgaNetlist, size: str, grade: int, seed: int, folder: Path, steps: ecp5.Steps
) -> PlacedRun:
    """Return the fastest placement that a seed and its rounds come to."""
    limit = ecp5.CLOCK_TREE_MHZ[grade]

    def place(what: FpgaNetlist, placer: str, number: int) -> PlacedRun:
        options = (*ecp5.PLACERS[placer], nextpnr.DETAILED)
        return ecp5.place_once(what, size, grade, options, int(limit), number)

    best = place(netlist, "static", seed)
    steps.done(f"seed {seed}: {best.fmax_mhz:.1f} MHz")
    for turn in range(ROUNDS):
        if best.fmax_mhz < limit:
            again = place(_loosened(netlist, best, limit, folder, seed), "heap", 10 * seed + turn)
            best = max(best, again, key=lambda run: run.fmax_mhz)
        steps.done(f"seed {seed}, round {turn + 1}: {best.fmax_mhz:.1f} MHz")
    return replace(best, seed=seed, placer="static, longest paths again")


def _loosened(
    netlist: FpgaNetlist, run: PlacedRun, limit: float, folder: Path, seed: int
) -> FpgaNetlist:
    """Return the netlist with every cell where `run` put it, but for those of its long paths."""
    module = ecp5_fixed_places.module_of(netlist)
    bels = json.loads((run.folder / "bels.json").read_text())
    arrivals = json.loads((run.folder / "arrivals.json").read_text())
    fix(module, {name: bel for name, (_, bel) in bels.items()}, late(module, arrivals, limit))
    file = folder / f"{netlist.top}_{netlist.mapping}_seed{seed}.json"
    ecp5_fixed_places.write(netlist.top, module, file)
    return ecp5.netlist_of(file, netlist.verilog, netlist.top, netlist.mapping)


def late(module: Module, arrivals: Mapping[str, float], limit: float) -> set[str]:
    """Return the flip-flops at the ends of long paths, and the LUTs in front of them.

    `arrivals` is in ns, the `limit` of the clock tree in MHz.
    """
    cells = module["cells"]
    driver = {c["connections"]["Z"][0]: n for n, c in cells.items() if c["type"] == "LUT4"}
    from_here = LONG * min(1000 / limit, max(arrivals.values()))
    ends = {name for name, arrival in arrivals.items() if arrival > from_here and name in cells}
    pins = [
        bit
        for name in ends
        for port, bits in cells[name]["connections"].items()
        if cells[name]["port_directions"][port] == "input"
        for bit in bits
    ]
    return ends | {driver[bit] for bit in pins if bit in driver}


def fix(module: Module, places: Mapping[str, str], free: set[str]) -> None:
    """Fix LUTs and flip-flops to their places, but for those that are to be free."""
    for name, cell in ecp5_fixed_places.fixable(module):
        if name in places and name not in free:
            cell["attributes"] = {"BEL": places[name]}
