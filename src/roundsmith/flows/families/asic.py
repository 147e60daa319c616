"""Standard cells: `asic:osu018`, `asic:osu035`, `asic:osu050`, and `asic:FILE.lib` of anybody's."""

import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import TypeAdapter

from roundsmith.base.errors import RoundsmithError
from roundsmith.flows import asic, synthesize
from roundsmith.flows.asic import AsicResult
from roundsmith.flows.flow import CELLS, Figures, Flow, Netlist, Progress, Target
from roundsmith.spec import Spec
from roundsmith.tools import liberty, opensta
from roundsmith.tools.liberty import Library

_RESULT = TypeAdapter(AsicResult)


class Asic(Flow):
    """Cells of a Liberty file: an area-driven netlist and a delay-driven one."""

    name = "asic"
    order = 50
    legal = (*(f"asic:{name}" for name in liberty.OSU), "asic:FILE.lib")
    noun = "standard cells"
    words = ("asic:",)
    apart = (".lib",)
    logic = CELLS
    aims = asic.OBJECTIVES

    def parse(self, text: str) -> Target | None:
        """Return cells that are shipped, or those of a file."""
        rest = text.removeprefix("asic:")
        if not self.owns(text) or not rest:
            return None
        if rest in liberty.OSU:
            return Target(text, self, size=rest)
        file = Path(rest)
        if not file.is_file():
            raise RoundsmithError(
                f"The target '{text}' names no file; write asic:osu018, asic:osu035, asic:osu050, "
                "or asic:FILE.lib with the path of a Liberty file."
            )
        return Target(f"asic:{file.name}", self, file=file)

    def rows(self) -> Sequence[tuple[str, str]]:
        """Return the cells of OSU, and others."""
        return (
            (
                "`asic:osu018`, `osu035`, `osu050`",
                "OSU's cells of 0.18, 0.35 and 0.5 µm: area, clock, throughput",
            ),
            ("`asic:FILE.lib`", "the same with the cells of any Liberty file"),
        )

    def script(self, target: Target) -> str:
        """Return the flow."""
        return asic.FLOW

    def own_cells(self, target: Target) -> str:
        """Return the digest of a file of the user's."""
        return "" if target.file is None else liberty.digest(target.file)

    def library(self, target: Target) -> Library:
        """Return the cells, fetched when they are not there."""
        return liberty.osu(target.size) if target.file is None else liberty.load(target.file)

    def netlist_names(self, spec: Spec, target: Target) -> list[str]:
        """Return the two objectives."""
        return list(asic.OBJECTIVES)

    def netlist(self, spec: Spec, target: Target, name: str) -> Netlist:
        """Return the netlist of an objective."""
        result = standard_cells(spec, target, _objective(name))
        models = asic.cell_models(target.library())
        return Netlist([models, result.netlist], synthesize.LENIENT)

    def check(self, spec: Spec, target: Target) -> None:
        """Read a user's own file: a mistake in it is no failure of the core."""
        if target.file is not None:
            target.library()

    def measure(self, spec: Spec, target: Target, aim: str, progress: Progress) -> Figures:
        """Return the figures of the netlist of an objective."""
        number = asic.OBJECTIVES.index(_objective(aim))
        progress(f"{aim}-driven synthesis and timing", number, len(asic.OBJECTIVES))
        return figures(target, standard_cells(spec, target, _objective(aim)), f"{aim}-driven")

    def parts(self, spec: Spec, target: Target, aim: str, flow: str) -> Mapping[str, float]:
        """Return the GE of every instance, mapped by the script that won (see asic.parts)."""
        script = flow.split()[-1]
        with tempfile.TemporaryDirectory(dir=synthesize.work(spec, target)) as scratch:
            files, library = synthesize.sources(spec, target), target.library()
            return asic.parts(files, spec.module, library, Path(scratch), _objective(aim), script)

    def fabric(self, target: Target, aim: str) -> str:
        """Return the cells for one aim."""
        return f"{aim}-cells"


def _objective(name: str) -> asic.Objective:
    return next(o for o in asic.OBJECTIVES if o == name)


def figures(target: Target, result: AsicResult, aim: str) -> Figures:
    """Return the figures of one netlist; `aim` is what it was made for."""
    cells = target.library().cells
    return Figures(
        flow=f"{aim}: {result.flow}",
        ff=sum(n for name, n in result.cells.items() if cells[name].flop is not None),
        area_ge=result.ge,
        cycle_ns=result.timing.cycle,
        parts=result.components,
        critical_path=[(f"{s.pin} ({s.cell})", s.arrival) for s in result.timing.path],
        from_inputs_ns=result.timing.from_inputs,
        to_outputs_ns=result.timing.to_outputs,
        tools={"opensta": opensta.version()},
    )


def standard_cells(spec: Spec, target: Target, objective: asic.Objective) -> AsicResult:
    """Map `spec` to the cells of an ASIC target; the result is cached by content."""
    if spec.sbox.memory:
        raise RoundsmithError(
            f"{spec.name} keeps its S-boxes in block RAM, which {target.name} does not have; "
            "take a core with sbox 'table', 'lut4' or 'cells'."
        )
    library = target.library()
    final = synthesize.work(spec, target) / f"{objective}-{library.digest[:16]}"
    kept = final / "result.json"
    if kept.exists():
        return _RESULT.validate_json(kept.read_bytes())
    scratch = Path(tempfile.mkdtemp(prefix="building-", dir=final.parent))
    try:
        files = synthesize.sources(spec, target)
        result = asic.synthesize(files, spec.module, library, scratch, objective)
        final.mkdir(exist_ok=True)
        verilog = final / f"{spec.module}.v"
        shutil.copyfile(result.netlist, verilog)
        found = _RESULT.dump_python(result)
        found["netlist"] = verilog
        part = final / f"result.{os.getpid()}"
        part.write_bytes(_RESULT.dump_json(_RESULT.validate_python(found)))
        part.replace(kept)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return _RESULT.validate_json(kept.read_bytes())


MEMBER = Asic()
