"""A core in standard cells: its area, its shortest clock period and where the area goes.

Area and period always come from one netlist. An area-driven netlist is the smallest that the
flow finds, and has long unbuffered wires; a delay-driven one has buffers and cells of several
strengths. Figures of the two are never mixed.

The flow maps a core in up to three shapes: `flat`, as one module; `sboxes`, every S-box by itself
and the rest as one module; and `kept`, every instance by itself. All are made one module
afterwards. Flat simplifies across instances; in pieces abc finds smaller circuits, by some 1 %.
Instances that are equal are mapped once. A large core is mapped in the first shape of each
objective alone, as every other takes minutes more.

Between the two objectives lies a curve: `at_period` gives the smallest netlist for one clock.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from roundsmith.base.errors import ToolError, ToolMissing
from roundsmith.tools import opensta, yosys
from roundsmith.tools.cell_models import cell_models
from roundsmith.tools.liberty import Library
from roundsmith.tools.opensta import Timing

__all__ = [
    "CURVE_FLOW",
    "FLIP_FLOPS",
    "FLOW",
    "OBJECTIVES",
    "SCRIPTS",
    "SHAPES",
    "AsicResult",
    "at_period",
    "cell_models",
    "synthesize",
    "trials",
]

Objective = Literal["area", "delay"]
OBJECTIVES: tuple[Objective, ...] = ("area", "delay")
Shape = Literal["flat", "sboxes", "kept"]

# The abc scripts, found by trying some hundred variants on whole cores of AES-128 (a loop of one
# round, with straight-line and with composite S-boxes) in OSU's 0.18 um cells. What counted for
# area: `amap` with many rounds rather than `map -a` or `&nf` (2 to 4 %), no dc2 or fast `synth`
# before `dch` (2 to 3 %), a coarse -E (1 %), and the free moves of `mfs3 -az` at the end (1 %).
# Rewriting first helps S-boxes of composite fields (1 %) and spoils straight-line ones (2 %).
_MAPPED = "dch; amap -m -F 20 -A 20 -E 1; topo; mfs3 -az -I 4 -O 2 -M 100; topo"
_AS_WRITTEN = f"strash; ifraig; {_MAPPED}"
_REWRITTEN = f"strash; ifraig; rewrite -lz; resub -lz; rewrite -lz; {_MAPPED}"
_SIZED = "buffer -c -N 8; upsize -D 1000; dnsize -D 1000; stime"

SCRIPTS: dict[Objective, dict[str, str]] = {
    "area": {"written": _AS_WRITTEN, "rewritten": _REWRITTEN},
    "delay": {
        # What Yosys runs for `abc -D 1000 -constr`.
        "nf": "strash; &get -n; &fraig -x; &put; scorr; dc2; dretime; strash; &get -n; &dch -f; "
        "&nf -D 1000; &put; buffer; upsize -D 1000; dnsize -D 1000; stime",
        "map": f"strash; ifraig; scorr; dc2; dch -f; map -B 0.9; topo; {_SIZED}",
        "written": f"{_AS_WRITTEN}; {_SIZED}",
    },
}
SHAPES: dict[Objective, tuple[Shape, ...]] = {
    "area": ("kept", "sboxes", "flat"),
    "delay": ("flat",),
}
# From this many simple gates and flip-flops on, a core is large, and the first shape counts alone.
# Pipelines are large, rings of one round are not.
_LARGE = 30_000
# What each shape keeps as modules of their own while it is mapped.
_KEEP: dict[Shape, list[str]] = {
    "flat": ["synth -noabc -flatten"],
    "sboxes": ["setattr -mod -set keep_hierarchy 1 *_sbox_*", "synth -noabc -flatten"],
    "kept": ["synth -noabc -hieropt"],
}

#: The name that the flip-flops of an instance have among its components.
FLIP_FLOPS = "flip-flops"

# What every output of the logic drives while abc sizes cells, in fF.
_LOAD = 50

# Everything above that decides a figure, for the record of a measurement.
FLOW = f"asic {SCRIPTS} {SHAPES} {_KEEP} {_LARGE} {_LOAD}"

# The abc scripts for one clock: logic mapped for area, or for delay as far as that clock needs,
# then sized for it. {period} is what the gates between two flip-flops may take, in ps; `map` counts
# about two for one, since it knows no loads. `small` is for clocks that need no sizing.
_FOR_PERIOD = "buffer -c -N 8; upsize -D {period}; dnsize -D {period}; stime"
_CURVE = {
    "small": _REWRITTEN,
    "rewritten": f"{_REWRITTEN}; {_FOR_PERIOD}",
    "written": f"{_AS_WRITTEN}; {_FOR_PERIOD}",
    "map": f"strash; ifraig; scorr; dc2; dch -f; map -B 0.9 -D {{twice}}; topo; {_FOR_PERIOD}",
    "nf": "strash; &get -n; &fraig -x; &put; scorr; dc2; dretime; strash; &get -n; &dch -f; &nf; "
    f"&put; {_FOR_PERIOD}",
}

# Everything that decides a point of the curve besides FLOW, for its record.
CURVE_FLOW = f"curve {_CURVE}"


@dataclass(frozen=True)
class AsicResult:
    """One mapped netlist and its figures.

    `area` is in the library's unit (um^2), `ge` in 2-input NANDs; `cells` counts instances by
    cell name; `flow` is the shape and the script that won. `components` gives the GE of every
    instance by its path, with all that is below it ("" is the whole core). It comes from the
    shape `kept`: where `flow` is another, `components[""]` is near `ge` but not equal, as nothing
    is shared or simplified across instances.
    """

    netlist: Path
    area: float
    ge: float
    cells: Mapping[str, int]
    timing: Timing
    flow: str
    components: Mapping[str, float]


def synthesize(
    files: Sequence[Path],
    top: str,
    liberty: Library,
    folder: Path,
    objective: Objective = "area",
    *,
    clock: str = "clk_i",
    defines: Sequence[str] = (),
    components: bool = True,
) -> AsicResult:
    """Map module `top` of the SystemVerilog `files` to the cells of `liberty`.

    `objective` "area" gives the smallest netlist; "delay" the one with the most speed for its
    area (the smallest product of period and area). Scripts, logs and netlists stay in `folder`.
    Raises ToolError when a tool refuses its input, and when the core holds a latch or something
    else that the library has no cell for.
    """
    job = _Job([file.absolute() for file in files], top, liberty, folder.absolute(), defines)
    results: list[AsicResult] = []
    failed: list[ToolError] = []
    for shape in SHAPES[objective]:
        large = job.read(shape) >= _LARGE
        for script, text in SCRIPTS[objective].items():
            try:
                results.append(job.figures(shape, f"{objective} {script}", text, clock))
            except ToolMissing:
                raise
            except ToolError as problem:
                # abc fails an assertion of its own now and then: the other netlists still count.
                failed.append(problem)
        if large:
            break
    if not results:
        raise failed[0]
    best = min(results, key=lambda r: r.area * (r.timing.cycle if objective == "delay" else 1.0))
    if components and not best.components:
        if "kept" not in SHAPES[objective]:
            job.read("kept")
        script = best.flow.partition(" ")[2]
        # Where abc fails in this shape alone, nobody knows how large the instances are.
        with suppress(ToolError):
            split = job.map("kept", f"{objective} {script}", SCRIPTS[objective][script])
            best = replace(best, components=_components(top, split, liberty))
    return best


def parts(
    files: Sequence[Path],
    top: str,
    liberty: Library,
    folder: Path,
    objective: Objective,
    script: str,
    *,
    defines: Sequence[str] = (),
) -> dict[str, float]:
    """Return the components that `synthesize` gives where `script` won, and do nothing else."""
    job = _Job([file.absolute() for file in files], top, liberty, folder.absolute(), defines)
    job.read("kept")
    split = job.map("kept", f"{objective} {script}", SCRIPTS[objective][script])
    return _components(top, split, liberty)


def at_period(
    files: Sequence[Path],
    top: str,
    liberty: Library,
    folder: Path,
    period: float,
    overhead: float,
    *,
    clock: str = "clk_i",
) -> AsicResult:
    """Return the smallest netlist of module `top` that can be clocked every `period` ns.

    `overhead` is what a flip-flop takes of it, clock to output and setup. The fastest netlist is
    returned where none is fast enough. Otherwise as `synthesize`, without components.
    """
    job = _Job([file.absolute() for file in files], top, liberty, folder.absolute(), ())
    job.read("flat")
    gates = max(1, round(1000 * (period - overhead)))
    results = [
        job.figures("flat", name, text.format(period=gates, twice=2 * gates), clock)
        for name, text in _CURVE.items()
    ]
    met = [result for result in results if result.timing.cycle <= period]
    return (
        min(met, key=lambda r: (r.area, r.timing.cycle))
        if met
        else min(results, key=lambda r: (r.timing.cycle, r.area))
    )


def trials(
    files: Sequence[Path],
    top: str,
    liberty: Library,
    folder: Path,
    shape: Shape,
    scripts: Mapping[str, str],
) -> Iterator[tuple[str, AsicResult | ToolError]]:
    """Map module `top` in one shape with each of `scripts`; yield what comes of each by its name.

    For comparing flows: nothing is chosen, and a script that abc refuses is no reason to stop.
    """
    job = _Job([file.absolute() for file in files], top, liberty, folder.absolute(), ())
    job.read(shape)
    for number, (name, script) in enumerate(scripts.items()):
        try:
            yield name, job.figures(shape, f"trial {number}", script, "clk_i")
        except ToolError as problem:
            yield name, problem


# The modules of a mapped design, as Yosys' JSON has them.
_Modules = Mapping[str, Any]


@dataclass(frozen=True)
class _Job:
    """One core on its way to one library; every step has a folder of its own in `folder`."""

    files: Sequence[Path]
    top: str
    liberty: Library
    folder: Path
    defines: Sequence[str]

    def read(self, shape: Shape) -> int:
        """Write the core in simple gates and flip-flops, in one shape; return how many they are.

        Refuses latches.

        Yosys' own `synth` would end in a run of abc, whose restructuring costs 2 % of area.
        """
        read = yosys.read_slang(self.files, self.top, self.defines)
        if shape != "flat":
            read = read.replace("read_slang", "read_slang --keep-hierarchy", 1)
        work = self.folder / shape
        yosys.run(
            [
                read,
                f"hierarchy -top {self.top}",
                *_KEEP[shape],
                # The signals that latches drive.
                "tee -q -o latches.txt select -list t:$_DLATCH* t:$_SR_* %u %co w:* %i",
                # Whatever tells equal modules apart: where they stand, and numbers of the run.
                "setattr -mod -unset src -unset hdlname",
                "setattr -unset src -unset hdlname",
                "rename -enumerate",
                "write_rtlil gates.il",
            ],
            what=f"The synthesis of {self.top}",
            folder=work,
        )
        # Later is too late: dfflibmap makes a latch of a flip-flop with set and reset, silently.
        latches = (work / "latches.txt").read_text().split()
        if latches:
            raise ToolError(
                f"The signal {latches[0]} is a latch, where a core may hold only flip-flops: "
                "assign it in every branch, or at a clock edge."
            )
        gates = work / "gates.il"
        text = gates.read_text()
        gates.write_text(_merge_equal(text))
        return text.count("\n  cell $_")

    def map(self, shape: Shape, name: str, script: str) -> _Modules:
        """Map one shape with one script; write the netlist, and return the mapped modules.

        `name` tells runs of one job apart; its last word is that of the script.
        """
        work = self._work(shape, name)
        work.mkdir(parents=True, exist_ok=True)
        commands = [command.strip() for command in script.split(";")]
        (work / "map.abc").write_text("\n".join(commands) + "\n")
        constraints = f"set_driving_cell {self.liberty.driver.name}\nset_load {_LOAD}\n"
        (work / "drive.constr").write_text(constraints)
        yosys.run(
            [
                f"read_rtlil {self.folder / shape / 'gates.il'}",
                f"dfflibmap -liberty {self.liberty.path}",
                "opt",
                f"abc -liberty {self.liberty.path} -constr drive.constr -script map.abc",
                *_ties(self.liberty),
                "opt_clean",
                "write_json modules.json",
                "flatten",
                # Drops wires that are only further names of a signal.
                "opt_clean -purge",
                f"write_verilog -noattr -noexpr -simple-lhs {self.top}.v",
            ],
            what=f"The mapping of {self.top} to {self.liberty.name}",
            folder=work,
        )
        modules: _Modules = json.loads((work / "modules.json").read_text())["modules"]
        return modules

    def figures(self, shape: Shape, name: str, script: str, clock: str) -> AsicResult:
        """Map one shape with one script and take the figures of the netlist."""
        modules = self.map(shape, name, script)
        netlist = self._work(shape, name) / f"{self.top}.v"
        cells = Counter(cell for _, cell in _instances("", self.top, modules, self.liberty))
        area = sum(self.liberty.cells[cell].area * count for cell, count in cells.items())
        return AsicResult(
            netlist=netlist,
            area=round(area, 4),
            ge=round(self.liberty.ge(area), 2),
            cells=dict(sorted(cells.items())),
            timing=opensta.min_period(netlist, self.liberty.path, self.top, clock),
            flow=f"{shape} {name.split()[-1]}",
            components=_components(self.top, modules, self.liberty) if shape == "kept" else {},
        )

    def _work(self, shape: Shape, name: str) -> Path:
        return self.folder / f"{shape}-{name.replace(' ', '-')}"


_MODULE = re.compile(r"^(?:attribute [^\n]*\n)*module (\S+)\n.*?^end\n", re.MULTILINE | re.DOTALL)
_INSTANCE = re.compile(r"^(  cell )(\\\S+)(?= )", re.MULTILINE)


def _merge_equal(rtlil: str) -> str:
    """Return a design in Yosys' RTLIL in which modules that are equal are one.

    read_slang makes a module of every instance, so an S-box would be mapped hundreds of times.
    """
    bodies = {match[1]: match[0] for match in _MODULE.finditer(rtlil)}
    header = rtlil[: next(_MODULE.finditer(rtlil)).start()]
    while True:
        first: dict[str, str] = {}
        same = {n: first.setdefault(t.replace(n, "", 1), n) for n, t in bodies.items()}
        if len(first) == len(bodies):
            return header + "".join(bodies.values())
        # Those around them are equal only when they name the same ones inside.
        bodies = {n: _renamed(bodies[n], same) for n in first.values()}


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """Return the RTLIL of a module with other modules in the place of those inside it."""
    return _INSTANCE.sub(lambda match: match[1] + names.get(match[2], match[2]), text)


def _ties(liberty: Library) -> list[str]:
    """Return the pass that drives constants from one cell each, if the library has such cells."""
    ties = {"-hicell": liberty.tie_high, "-locell": liberty.tie_low}
    options = [f"{option} {' '.join(tie)}" for option, tie in ties.items() if tie is not None]
    return [f"hilomap -singleton {' '.join(options)}"] if options else []


def _components(top: str, modules: _Modules, liberty: Library) -> dict[str, float]:
    """Return the GE of every instance by its path, with all that is below it.

    The flip-flops of an instance are one of their own inside it, `FLIP_FLOPS`.
    """
    areas: defaultdict[str, float] = defaultdict(float)
    for path, cell in _instances("", top, modules, liberty):
        # "a.b" is in "a.b", "a" and "".
        parts = path.split("/") if path else []
        if liberty.cells[cell].flop is not None:
            parts = [*parts, FLIP_FLOPS]
        for depth in range(len(parts) + 1):
            areas[".".join(parts[:depth])] += liberty.cells[cell].area
    return {path: round(liberty.ge(area), 2) for path, area in sorted(areas.items())}


def _instances(
    path: str, module: str, modules: _Modules, liberty: Library
) -> list[tuple[str, str]]:
    """Return every cell in `module` and below: the path of its instance, and the cell's name.

    Paths are separated by "/" here, as the names of instances may hold dots.
    """
    found: list[tuple[str, str]] = []
    for name, cell in modules[module]["cells"].items():
        kind = cell["type"]
        if kind in liberty.cells:
            found.append((path, kind))
        elif kind in modules:
            below = f"{path}/{name}" if path else name
            found += _instances(below, kind, modules, liberty)
        elif not kind.startswith("$scopeinfo"):
            raise ToolError(f"The core needs '{kind}', for which {liberty.name} has no cell.")
    return found
