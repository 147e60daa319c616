"""Synthesize a core for a target: the netlists that are measured, and what simulates them."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from roundsmith.base.cache import cache_dir
from roundsmith.base.errors import RoundsmithError
from roundsmith.design import generate, tech
from roundsmith.flows import asic, ecp5, ice40, lut6_families, nexus, xilinx_lut4
from roundsmith.flows.asic import AsicResult
from roundsmith.flows.lut6_families import Fitted
from roundsmith.flows.targets import Kind, Target
from roundsmith.flows.xilinx_lut4 import Mapped
from roundsmith.spec import Spec
from roundsmith.tools import yosys

MODELS = Path(__file__).parent / "models"

_ASIC_RESULT = TypeAdapter(AsicResult)


@dataclass(frozen=True)
class Netlist:
    """A netlist as a simulator reads it: cell models first, and the flags they need."""

    files: Sequence[Path]
    simulation_flags: Sequence[str]


def netlist_names(spec: Spec, target: Target) -> list[str]:
    """Return the names of the netlists of `spec` that a measurement on `target` may choose."""
    if target.kind is Kind.ECP5:
        folder = work(spec, target)
        found = ecp5.candidates(sources(spec, target), spec.module, folder, plain=target.plain)
        return [made.mapping for made in found]
    if target.kind is Kind.ICE40:
        return list(ice40.MAPPINGS)
    if target.kind is Kind.NEXUS:
        return list(nexus.MAPPINGS)
    if target.kind is Kind.MAPPED:
        return ["mapped"]
    if target.kind is Kind.VENDOR:
        raise RoundsmithError(
            f"There is no netlist for {target.name}, whose tool is not called from here; verify "
            "the core as RTL, or as the netlist of another target."
        )
    return list(asic.OBJECTIVES)


def netlist(spec: Spec, target: Target, name: str) -> Netlist:
    """Return the netlist called `name` of `spec` for `target`, made if it is not cached."""
    # Cell models are written for many simulators, not for Verilator's style rules.
    flags = ["-Wno-lint", "-Wno-style"]
    if target.kind is Kind.ECP5:
        share = yosys.share() / "ecp5"
        models = [MODELS / "ecp5_dp16kd.v", share / "cells_sim.v"]
        made = ecp5.synthesize_ecp5(sources(spec, target), spec.module, work(spec, target), name)
        # Yosys' file declares the block RAM as a black box; our model comes first and counts.
        flags += [f"+incdir+{share}", "-Wno-MODDUP"]
        return Netlist([*models, made.verilog], flags)
    if target.kind is Kind.ICE40:
        made = ice40.synthesize(sources(spec, target), spec.module, work(spec, target), name)
        flags += ["-DNO_ICE40_DEFAULT_ASSIGNMENTS", "-DICE40_HX"]
        return Netlist([yosys.share() / "ice40" / "cells_sim.v", made.verilog], flags)
    if target.kind is Kind.NEXUS:
        model = yosys.share() / nexus.DEVICES[target.size].models
        made = nexus.synthesize(
            sources(spec, target), spec.module, target.size, work(spec, target), name
        )
        return Netlist([model, made.verilog], [*flags, f"+incdir+{model.parent}"])
    if target.family is not None:
        cells = [yosys.share() / model for model in target.family.models]
        flags += [f"+incdir+{folder}" for folder in sorted({cell.parent for cell in cells})]
        return Netlist([*cells, family_netlist(spec, target).verilog], flags)
    if target.kind is Kind.MAPPED:
        models = [MODELS / "xilinx_block_ram.v", MODELS / "xilinx_buft.v"]
        models += [yosys.share() / "xilinx" / "cells_sim.v"]
        # A cell that is a black box to Yosys stands in the netlist as it is.
        boxes = xilinx_lut4.black_boxes(sources(spec, target))
        return Netlist([*models, *boxes, mapped_netlist(spec, target).verilog], flags)
    objective = next(o for o in asic.OBJECTIVES if o == name)
    result = standard_cells(spec, target, objective)
    return Netlist([asic.cell_models(target.library()), result.netlist], flags)


def mapped_netlist(spec: Spec, target: Target) -> Mapped:
    """Return `spec` mapped to the family of `target`."""
    files, folder = sources(spec, target), work(spec, target)
    return xilinx_lut4.synthesize(files, spec.module, target.size, folder, plain=target.plain)


def family_netlist(spec: Spec, target: Target) -> Fitted:
    """Return `spec` mapped to the family of `target` by Yosys' own script."""
    files, folder = sources(spec, target), work(spec, target)
    return lut6_families.synthesize(files, spec.module, target.size, folder, plain=target.plain)


def sources(spec: Spec, target: Target | None = None) -> list[Path]:
    """Return the files of `spec` in reading order, the generated top in the cache.

    The technology cells are those of `target`, without one the generic ones.
    """
    design = _design(spec, target)
    return design.write(cache_dir() / "tops" / design.digest[:16])


def _design(spec: Spec, target: Target | None) -> generate.Design:
    return generate.design(spec, target.rooms if target else tech.GENERIC)


def work(spec: Spec, target: Target) -> Path:
    """Return the folder for what is made of `spec` on `target`, by the hash of both."""
    text = _design(spec, target).digest + target.flow_text()
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    folder = cache_dir() / "work" / f"{spec.name}-{target.slug}-{digest}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def standard_cell_parts(
    spec: Spec, target: Target, objective: asic.Objective, script: str
) -> dict[str, float]:
    """Return the GE of every instance of `spec`, mapped by the script that won (see asic.parts)."""
    with tempfile.TemporaryDirectory(dir=work(spec, target)) as scratch:
        files, library = sources(spec, target), target.library()
        return asic.parts(files, spec.module, library, Path(scratch), objective, script)


def standard_cells(spec: Spec, target: Target, objective: asic.Objective) -> AsicResult:
    """Map `spec` to the cells of an ASIC target; the result is cached by content."""
    if spec.sbox.memory:
        raise RoundsmithError(
            f"{spec.name} keeps its S-boxes in block RAM, which {target.name} does not have; "
            "take a core with sbox 'table', 'lut4' or 'cells'."
        )
    library = target.library()
    final = work(spec, target) / f"{objective}-{library.digest[:16]}"
    kept = final / "result.json"
    if kept.exists():
        return _ASIC_RESULT.validate_json(kept.read_bytes())
    scratch = Path(tempfile.mkdtemp(prefix="building-", dir=final.parent))
    try:
        result = asic.synthesize(sources(spec, target), spec.module, library, scratch, objective)
        final.mkdir(exist_ok=True)
        verilog = final / f"{spec.module}.v"
        shutil.copyfile(result.netlist, verilog)
        found = _ASIC_RESULT.dump_python(result)
        found["netlist"] = verilog
        part = final / f"result.{os.getpid()}"
        part.write_bytes(_ASIC_RESULT.dump_json(_ASIC_RESULT.validate_python(found)))
        part.replace(kept)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return _ASIC_RESULT.validate_json(kept.read_bytes())
