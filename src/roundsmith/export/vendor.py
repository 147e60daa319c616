"""A core as a project of Vivado or Quartus: the files that join its folder."""

from collections.abc import Mapping, Sequence

from roundsmith.base.render import render
from roundsmith.catalogue import command
from roundsmith.design import floorplan, generate
from roundsmith.export import verilog2005
from roundsmith.export.project import period_of
from roundsmith.flows.targets import Kind, Target
from roundsmith.measure import vendor
from roundsmith.spec import Spec
from roundsmith.tools import quartus

#: The files of each project by their ends. The settings of Quartus have the name of the revision.
_FILES = {"vivado": ("tcl", "xdc"), "quartus": ("qpf", "qsf", "sdc", "tcl")}


def project(
    spec: Spec, target: Target, figures: Sequence[Mapping[str, object]]
) -> dict[str, bytes]:
    """Return the project of `spec` for a vendor's `target` by path; nothing for other targets.

    It aims at the clock that `figures` tell of this target, else at 10 ns.
    """
    if target.kind is not Kind.VENDOR:
        return {}
    mark = vendor.mark(spec, target)
    known = [record for record in figures if record.get("target") == target.name]
    words = {
        "module": spec.module,
        "command": f"{command(spec)} --target {target.name}",
        "measure": f"roundsmith measure {command(spec).split()[-1]} --target {target.name}",
        "mark": mark,
        "part": target.size,
        "family": quartus.family(target.size),
        # A core of a few hundred LUTs has no floorplan, and each device has sites of its own.
        "floorplan": target.tool == "vivado" and not spec.is_narrow,
        "planned": int(target.size.startswith(floorplan.PART)),
        "planned_part": floorplan.PART,
        "period": f"{period_of(known):.3f}",
        "ports": [
            port.name if port.width == 1 else f"{port.name}[*]"
            for port in generate.ports(spec)
            if port.name != vendor.CLOCK
        ],
    }
    stems = {end: mark if end == "qsf" else spec.module for end in _FILES[target.tool]}
    files = {
        f"{target.tool}/{stem}.{end}": render(f"{target.tool}.{end}.j2", **words)
        for end, stem in stems.items()
    }
    if words["floorplan"]:
        # The project reads the core as Verilog-2005, whose instances have names of their own.
        plan = floorplan.xdc(spec, named=verilog2005.path_name)
        files[f"{target.tool}/{spec.module}_floorplan.xdc"] = plan
    return {name: text.encode() for name, text in files.items()}
