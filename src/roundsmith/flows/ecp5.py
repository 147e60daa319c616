"""How large and how fast a core is on an ECP5: synthesis, placement and routing.

One flow for every core. Its two small portfolios were chosen on loops of one AES-128 round with
S-boxes in block RAM, in a table and computed (85k, grade 6, seed 1, in part seeds 2 and 3):

- Yosys' own script for ECP5 restructures the logic and then joins LUT4s to LUT5..7 with PFUMX
  and L6MUX21, which costs more LUTs than it saves depth (4,389 LUT4 instead of 1,927 without
  them for computed S-boxes). The first three mappings have no wide LUTs and differ only in how
  much depth they give away for fewer LUTs. A table wants the opposite, wide LUTs on the logic
  as it is written: 3,431 LUT4 instead of 4,698 and more. That is the fourth mapping.
- A mapping that takes over a quarter more LUTs than the smallest one is not placed.
- nextpnr's analytic placer `static` gathers logic around the row of block RAMs that it uses
  (84 MHz against 73 MHz from `heap`). `heap` with a high timing weight is the better one where
  there is none (102 MHz against 98 MHz with table S-boxes).
- Router `router1`. `router2 --tmg-ripup` had not finished after nine minutes on the block RAM
  core, which `router1` routes in ten seconds; a limit in seconds would make figures depend on
  the machine.
- `heap` aims a little above what can be reached: farther above, every path counts as critical.
  `static` places the same whatever the target, so its first run also sets the target of `heap`.

A core of more than LARGE LUT4 gets less of this, for a step of it takes minutes: of the mappings
only the two that keep the area small without wide LUTs, of which the smaller is placed, by `static`
alone. On a pipeline of 11 k LUT4 with keys in registers that took three minutes of a processor for
206 MHz in the median (203 to 223), and `heap` eight for 171 (163 to 211): its long chains of
registers jump over half the chip. On one of 13.7 k LUT4 with travelling keys they were equal (248
and 250 MHz), and on 44 k LUT4 `heap` had found no placement after half an hour.

Copies of a core beside each other are synthesized one by one. They do the same at the same time, so
Yosys would give them one set of control registers, whose wires then cross the whole chip (four
pipelines of 11 k LUT4: 165 MHz with them in common, 189 MHz without).

A plain measurement has none of it: Yosys' own script, nextpnr's own placer, no timing weights and
no target. It is what a core is without this flow.

Every interim result is cached under the hash of all that decides it.
"""

import json
import re
import shutil
import statistics
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

from roundsmith.base.cache import kept
from roundsmith.base.errors import ToolError
from roundsmith.base.recorded import recorded
from roundsmith.flows import components
from roundsmith.flows.components import Role
from roundsmith.tools import nextpnr, process, yosys

Progress = Callable[[str, int, int], None]

#: Highest frequency of the primary clock tree in MHz by speed grade: fMAX_PRI in the external
#: switching characteristics of the ECP5 family data sheet (Lattice, FPGA-DS-02012; the values
#: have yet to be compared with the document itself). nextpnr does not know it.
CLOCK_TREE_MHZ = {6: 257.0, 7: 303.0, 8: 370.0}


@dataclass(frozen=True)
class LutMapping:
    """One way to map logic to LUTs: ABC's script, and whether LUT5 to LUT7 are offered.

    Without a script it is Yosys' own.
    """

    script: str
    wide: bool

    def __repr__(self) -> str:
        """Return it in the words of the records."""
        return recorded("LutMapping", self)


#: The mapping portfolio. `-a` maps for area alone; `written` keeps the structure of the source,
#: which pays where the source was written LUT by LUT.
MAPPINGS = {
    "area": LutMapping("+&scorr;&sweep;&dc2;&dch,-f,-r;&if,{W},-a;&mfs", wide=False),
    "fast": LutMapping("+&scorr;&sweep;&dc2;&dch,-f,-r;&ps;&if,{W};&mfs", wide=False),
    "written": LutMapping("+&if,{W},-a;&mfs", wide=False),
    "wide": LutMapping("+&scorr;&sweep;&if,{W};&mfs", wide=True),
}

#: The first mapping is fast and tells how large a core is; a large core has these alone.
LARGE_MAPPINGS = ("written", "area")

#: Yosys' own mapping and nextpnr's own placer.
PLAIN = "plain"
_PLAIN_MAPPING = LutMapping("", wide=True)

#: LUT4 from which a core counts as large.
LARGE = 8_000

#: A mapping is placed when it takes at most this many times the LUTs of the smallest.
PLACED_UP_TO = 1.25

_TIMING_WEIGHTS = ("--placer-heap-timingweight", "40", "--placer-heap-critexp", "5")

#: The placement portfolio: nextpnr's options by name.
PLACERS = {
    "static": ("--placer", "static", *_TIMING_WEIGHTS),
    "heap": ("--placer", "heap", *_TIMING_WEIGHTS),
    PLAIN: (),
}

#: `static` aims at this frequency in MHz, `heap` 10 % above the fmax that `static` reached.
FIRST_TARGET_MHZ = 150

SEEDS = (1, 2, 3)

#: What nextpnr is asked for with a large core, and in a plain run, its own target.
LARGE_TARGET_MHZ = 260
PLAIN_TARGET_MHZ = 12

#: Everything above that decides a figure, for the record of a measurement.
FLOW = (
    f"ecp5 {MAPPINGS} {PLACED_UP_TO} {PLACERS} {FIRST_TARGET_MHZ} {SEEDS} {CLOCK_TREE_MHZ} "
    f"{LARGE_MAPPINGS} {LARGE} static {LARGE_TARGET_MHZ} copies apart"
)
PLAIN_FLOW = f"ecp5 {PLAIN} {PLAIN_TARGET_MHZ} {SEEDS} {CLOCK_TREE_MHZ}"

#: LUT4 that a cell takes up. A distributed RAM of 16 x 4 bits keeps its bits in four LUT4, and
#: its write port closes the two of a third slice to logic.
_LUTS = {"LUT4": 1, "TRELLIS_COMB": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6}


@dataclass(frozen=True)
class FpgaNetlist:
    """A mapped netlist: JSON for nextpnr, Verilog for simulation, and what it takes.

    `lut` counts LUT4 with those that distributed RAM occupies, `block_ram` blocks of 18 kbit.
    """

    top: str
    mapping: str
    json: Path
    verilog: Path
    lut: int
    ff: int
    block_ram: int


@dataclass(frozen=True)
class Step:
    """One component on a path: where the signal enters and leaves it, ns in logic and wires."""

    component: str
    start: str
    end: str
    logic_ns: float
    routing_ns: float


@dataclass(frozen=True)
class PlacedRun:
    """One placement and routing: MHz, the cells used, and its longest path."""

    seed: int
    placer: str
    target_mhz: int
    fmax_mhz: float
    used: Mapping[str, int]
    path: nextpnr.TimingPath | None
    folder: Path


@dataclass(frozen=True)
class Placement:
    """How fast a netlist is. Frequencies in MHz, delays in ns.

    `fmax_mhz` is the median of the seeds and `fmax_capped_mhz` the same under the limit of the
    clock tree; `spread` is (highest - lowest) / median. `critical_path` is that of the median
    seed. `input_to_register_ns` and `register_to_output_ns` are None where nextpnr gives no such
    path: out of context it does not. `bels` gives type and
    place of every cell, `roles` what each is for. `smallest_lut` counts the smallest netlist of the
    portfolio, which need not be the one that was placed.
    """

    netlist: FpgaNetlist
    smallest_lut: int
    target: str
    placer: str
    target_mhz: int
    fmax_by_seed: dict[int, float]
    fmax_mhz: float
    fmax_capped_mhz: float
    spread: float
    critical_path: tuple[Step, ...]
    input_to_register_ns: float | None
    register_to_output_ns: float | None
    used: dict[str, int]
    roles: Mapping[str, Role]
    bels: Mapping[str, tuple[str, str]]

    @property
    def merit(self) -> float:
        """Capped MHz per LUT4: throughput per area, up to the cycles of a block."""
        return self.fmax_capped_mhz / max(1, self.netlist.lut)


# --- Synthesis ------------------------------------------------------------------------------


def synthesize_ecp5(
    files: list[Path], top: str, folder: Path, mapping: str = "area"
) -> FpgaNetlist:
    """Map SystemVerilog `files` with module `top` to ECP5 cells; the netlist goes to `folder`.

    `mapping` is one of MAPPINGS, or PLAIN. Raises ToolError when Yosys refuses the design.
    """
    choice = _PLAIN_MAPPING if mapping == PLAIN else MAPPINGS[mapping]
    before = _prepared(files, top) / "prepared.il"
    synthesis = f"synth_ecp5 {'' if choice.wide else '-nowidelut'} -top {top}"
    script = [
        "read_rtlil prepared.il",
        f"{synthesis} -run begin:coarse",
        *((f"scratchpad -set abc9.script {choice.script}",) if choice.script else ()),
        f"{synthesis} -run map_luts:",
        *([f"setattr -unset keep_hierarchy {top}/*", "flatten"] if copies(files) else []),
        "write_json netlist.json",
        "write_verilog -noattr netlist.v",
    ]

    def work(made: Path) -> None:
        shutil.copyfile(before, made / "prepared.il")
        yosys.run(script, what=f"Mapping of {top} to ECP5", folder=made)
        (made / "prepared.il").unlink()

    made = kept("ecp5-synthesis", [yosys.version(), *script], [before.read_bytes()], work)
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{top}_{mapping}"
    json_file = Path(shutil.copyfile(made / "netlist.json", folder / f"{stem}.json"))
    verilog = Path(shutil.copyfile(made / "netlist.v", folder / f"{stem}.v"))
    return netlist_of(json_file, verilog, top, mapping)


def _prepared(files: list[Path], top: str) -> Path:
    """Return the folder with the core up to its flip-flops, as all mappings have it."""
    names = copies(files)
    script = [
        yosys.read_slang([file.resolve() for file in files], top, hierarchy=bool(names)),
        *([_KEEP_REGISTERS] if any(_KEEP in file.read_text() for file in files) else []),
        *(f"setattr -set keep_hierarchy 1 {top}/{copy}" for copy in names),
        *([TABLES_IN_LOGIC] if names else []),
        f"synth_ecp5 -top {top} -run begin:map_luts",
        # Source positions would tie the netlist to the folder in which it was made.
        "attrmap -remove src",
        *([] if names else [f"select {top}"]),
        "write_rtlil -selected prepared.il",
    ]
    return kept(
        "ecp5-prepared",
        [yosys.version(), top, *script[1:]],
        [file.read_bytes() for file in files],
        lambda work: yosys.run(script, what=f"Synthesis of {top} for ECP5", folder=work),
    )


#: Registers that are to stay, though others are equal: the attribute, which `read_slang` gives to
#: the wire, and the command that hands it to the register.
_KEEP = "(* keep *) logic"
_KEEP_REGISTERS = "setattr -set keep 1 w:* a:keep %i %ci1:+[Q] c:* %i"


#: A table of at most four inputs is a LUT. In a hierarchy it would be read as a memory first, with
#: the register behind it in front of it, which leaves three LUTs before the next register.
TABLES_IN_LOGIC = "bmuxmap t:$bmux r:S_WIDTH<=4 %i"


def copies(files: Sequence[Path]) -> list[str]:
    """Return the instances of cores beside each other in the top, which is the last of `files`."""
    return sorted(set(re.findall(r"\) (u_(?:tile|lane)_\d+) \(", files[-1].read_text())))


def netlist_of(json_file: Path, verilog: Path, top: str, mapping: str) -> FpgaNetlist:
    """Count the cells of a flat netlist in Yosys JSON."""
    cells = json.loads(json_file.read_text())["modules"][top]["cells"].values()
    kinds = Counter(cell["type"] for cell in cells)
    return FpgaNetlist(
        top=top,
        mapping=mapping,
        json=json_file,
        verilog=verilog,
        lut=lut_count(kinds),
        ff=kinds["TRELLIS_FF"],
        block_ram=kinds["DP16KD"],
    )


def lut_count(kinds: Mapping[str, int]) -> int:
    """Return the LUT4 that cells of these types take up."""
    return sum(_LUTS.get(kind, 0) * number for kind, number in kinds.items())


# --- Place and route ------------------------------------------------------------------------


def place_ecp5(
    netlist: FpgaNetlist,
    size: str,
    grade: int = 6,
    seeds: Sequence[int] = SEEDS,
    progress: Progress | None = None,
) -> Placement:
    """Place and route a netlist with the better placer; see measure_ecp5 for the arguments."""
    return _best([netlist], size, grade, seeds, Steps(progress))


def measure_ecp5(
    files: list[Path],
    top: str,
    size: str,
    grade: int = 6,
    seeds: Sequence[int] = SEEDS,
    folder: Path | None = None,
    progress: Progress | None = None,
    *,
    plain: bool = False,
) -> Placement:
    """Return the placement with the highest capped frequency per LUT4 of the whole portfolio.

    `size` is 25k, 45k or 85k and `grade` 6, 7 or 8. Every mapping of a reasonable size is placed
    by every placer with the first seed; the best pair gets the other seeds. A large core, and a
    `plain` measurement, have one netlist and one placer. Netlists go to `folder`, if one is given.
    `progress` is told each step, how many are done and how many there are. Raises ToolError for an
    unknown device and when a program fails.
    """
    nextpnr.check_device(size, grade)
    steps = Steps(progress)
    with tempfile.TemporaryDirectory() as scratch:
        out = folder if folder is not None else Path(scratch)
        netlists = candidates(files, top, out, steps, plain=plain)
        return _best(netlists, size, grade, seeds, steps)


def candidates(
    files: list[Path],
    top: str,
    folder: Path,
    steps: "Steps | None" = None,
    *,
    plain: bool = False,
) -> list[FpgaNetlist]:
    """Return the netlists that are worth placing, the smallest first."""
    steps = steps or Steps(None)

    def made(mapping: str) -> FpgaNetlist:
        steps.expect(1)
        netlist = synthesize_ecp5(files, top, folder, mapping)
        steps.done(f"mapping '{mapping}': {netlist.lut:,} LUT4")
        return netlist

    if plain:
        return [made(PLAIN)]
    netlists = [made(LARGE_MAPPINGS[0])]
    large = netlists[0].lut > LARGE
    others = LARGE_MAPPINGS if large else MAPPINGS
    netlists += [made(mapping) for mapping in others if mapping != LARGE_MAPPINGS[0]]
    netlists.sort(key=lambda netlist: netlist.lut)
    return (
        netlists[:1] if large else [n for n in netlists if n.lut <= PLACED_UP_TO * netlists[0].lut]
    )


class Steps:
    """Counts the steps of a measurement for the progress callback."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._total = 0
        self._completed = 0

    def expect(self, steps: int) -> None:
        """Count `steps` more that are to come."""
        self._total += steps

    def done(self, text: str) -> None:
        """Tell that one more step is done."""
        self._completed += 1
        if self._progress is not None:
            self._progress(text, self._completed, self._total)


#: One run to make: netlist, placer, target in MHz, seed.
_Job = tuple[FpgaNetlist, str, int, int]


def _best(
    netlists: Sequence[FpgaNetlist],
    size: str,
    grade: int,
    seeds: Sequence[int],
    steps: Steps,
) -> Placement:
    nextpnr.check_device(size, grade)
    if not seeds:
        raise ToolError("A placement needs at least one seed.")

    def place(job: _Job) -> PlacedRun:
        netlist, placer, target, seed = job
        return _run(netlist, size, grade, placer, target, seed)

    smallest = netlists[0]
    if smallest.mapping == PLAIN or smallest.lut > LARGE:
        placer, target = "static", LARGE_TARGET_MHZ
        if smallest.mapping == PLAIN:
            placer, target = PLAIN, PLAIN_TARGET_MHZ
        steps.expect(len(seeds))
        alike = [(smallest, placer, target, seed) for seed in seeds]
        runs = [run for _, run in _parallel(place, alike, steps)]
        return placement_of(smallest, smallest.lut, size, grade, runs)

    def merit(pair: tuple[FpgaNetlist, PlacedRun]) -> float:
        return min(pair[1].fmax_mhz, CLOCK_TREE_MHZ[grade]) / max(1, pair[0].lut)

    first, rest = seeds[0], list(seeds[1:])
    steps.expect(2 * len(netlists) + len(rest))
    static = [(n, "static", FIRST_TARGET_MHZ, first) for n in netlists]
    tried = _parallel(place, static, steps)
    heap = [(job[0], "heap", target_mhz(run.fmax_mhz), first) for job, run in tried]
    tried += _parallel(place, heap, steps)
    netlist, winner = max(((job[0], run) for job, run in tried), key=merit)
    others = [(netlist, winner.placer, winner.target_mhz, seed) for seed in rest]
    runs = [winner, *(run for _, run in _parallel(place, others, steps))]
    return placement_of(netlist, smallest.lut, size, grade, runs)


def _parallel(
    place: Callable[[_Job], PlacedRun],
    jobs: Sequence[_Job],
    steps: Steps,
) -> list[tuple[_Job, PlacedRun]]:
    """PlacedRun `jobs` a few at a time; return them with their runs, in the order of the jobs."""
    runs: dict[int, PlacedRun] = {}
    with ThreadPoolExecutor(max_workers=process.THREADS) as pool:
        futures = {pool.submit(place, job): i for i, job in enumerate(jobs)}
        try:
            for future in as_completed(futures):
                index = futures[future]
                runs[index] = run = future.result()
                steps.done(
                    f"mapping '{jobs[index][0].mapping}', placer '{run.placer}', "
                    f"seed {run.seed}: {run.fmax_mhz:.1f} MHz"
                )
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [(job, runs[i]) for i, job in enumerate(jobs)]


def target_mhz(reached: float) -> int:
    """Return the frequency to aim at when a first run reached `reached`: 10 % more, whole MHz."""
    return max(1, round(1.1 * reached))


def _run(
    netlist: FpgaNetlist, size: str, grade: int, placer: str, target: int, seed: int
) -> PlacedRun:
    run = place_once(netlist, size, grade, PLACERS[placer], target, seed)
    return replace(run, placer=placer)


def place_once(
    netlist: FpgaNetlist,
    size: str,
    grade: int,
    options: Sequence[str],
    target: int,
    seed: int,
    timeout: float | None = None,
) -> PlacedRun:
    """Place and route a netlist with `options` of nextpnr, aiming at `target` MHz.

    With nextpnr.DETAILED among them, its folder has `arrivals.json` as well. Raises ToolError when
    nextpnr fails, or takes more than `timeout` seconds.
    """

    def work(folder: Path) -> None:
        nextpnr.run(
            netlist.json,
            folder,
            size=size,
            grade=grade,
            freq=target,
            seed=seed,
            options=options,
            timeout=timeout,
        )
        bels = nextpnr.placed_bels((folder / "placed.json").read_text())
        (folder / "bels.json").write_text(json.dumps(bels))
        (folder / "placed.json").unlink()
        if nextpnr.DETAILED in options:
            arrivals = nextpnr.take_arrivals(folder / "report.json")
            (folder / "arrivals.json").write_text(json.dumps(arrivals))

    made = kept(
        "ecp5-placement",
        [nextpnr.version(), size, str(grade), *options, str(target), str(seed)],
        [netlist.json.read_bytes()],
        work,
    )
    report = nextpnr.parse_report((made / "report.json").read_text())
    if not report.fmax:
        raise ToolError(f"{netlist.top} has no path from register to register, so no fmax.")
    slowest = min(report.fmax.values())
    inside = [p for p in report.paths if "async" not in p.start and "async" not in p.end]
    path = max(inside, key=lambda p: p.delay, default=None)
    return PlacedRun(seed, " ".join(options), target, slowest, report.used, path, made)


def placement_of(
    netlist: FpgaNetlist, smallest_lut: int, size: str, grade: int, runs: Sequence[PlacedRun]
) -> Placement:
    """Return the placement that the runs of all seeds make."""
    fmax = {run.seed: run.fmax_mhz for run in runs}
    median, spread = median_and_spread(list(fmax.values()))
    typical = min(runs, key=lambda run: abs(run.fmax_mhz - median))
    role = components.roles(netlist.json)
    report = nextpnr.parse_report((typical.folder / "report.json").read_text())
    bels = json.loads((typical.folder / "bels.json").read_text())
    return Placement(
        netlist=netlist,
        smallest_lut=smallest_lut,
        target=f"ecp5-{size}:{grade}",
        placer=typical.placer,
        target_mhz=typical.target_mhz,
        fmax_by_seed=fmax,
        fmax_mhz=median,
        fmax_capped_mhz=min(median, CLOCK_TREE_MHZ[grade]),
        spread=spread,
        critical_path=path_steps(typical.path, role) if typical.path is not None else (),
        input_to_register_ns=_edge(report, start=True),
        register_to_output_ns=_edge(report, start=False),
        used=dict(typical.used),
        roles=role,
        bels={name: (kind, bel) for name, (kind, bel) in bels.items()},
    )


def median_and_spread(values: Sequence[float]) -> tuple[float, float]:
    """Return the median, and (highest - lowest) / median."""
    median = statistics.median(values)
    return median, (max(values) - min(values)) / median


def _edge(report: nextpnr.Report, *, start: bool) -> float | None:
    """Return the longest path in ns from the inputs, or to the outputs; None without one."""
    lengths = [
        path.delay
        for path in report.paths
        if ("async" in path.start) is start and ("async" in path.end) is not start
    ]
    return max(lengths, default=None)


# --- The critical path ----------------------------------------------------------------------


def path_steps(path: nextpnr.TimingPath, role: Mapping[str, Role]) -> tuple[Step, ...]:
    """Return a path as components that a designer recognises, with their ns.

    The wire to a cell counts to the component of that cell; consecutive cells of one component
    are one step.
    """
    steps: list[Step] = []
    for segment in path.segments:
        known = components.role_of(segment.cell, role)
        wire = segment.delay if segment.kind == "routing" else 0.0
        logic = segment.delay - wire
        last = steps[-1] if steps else None
        if last is not None and last.component == known.component and last.end == known.name:
            steps[-1] = replace(
                last, logic_ns=last.logic_ns + logic, routing_ns=last.routing_ns + wire
            )
        elif last is not None and last.component == known.component:
            steps[-1] = replace(
                last,
                end=known.name,
                logic_ns=last.logic_ns + logic,
                routing_ns=last.routing_ns + wire,
            )
        else:
            steps.append(Step(known.component, known.name, known.name, logic, wire))
    return tuple(steps)


def path_text(steps: Iterable[Step]) -> str:
    """Return a path as one line: `S-box byte 3 (2.1 ns) -> …`."""
    parts = []
    for step in steps:
        name = step.start if step.start == step.end else f"{step.start} .. {step.end}"
        parts.append(f"{name} ({step.logic_ns + step.routing_ns:.2f} ns)")
    return " -> ".join(parts)
