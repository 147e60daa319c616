"""A core as a project of Vivado or Quartus: the files that join its folder."""

from collections.abc import Mapping, Sequence

from roundsmith.base.render import render
from roundsmith.catalogue import command
from roundsmith.design import floorplan, generate
from roundsmith.export import verilog2005
from roundsmith.export.project import period_of
from roundsmith.flows.flow import Target
from roundsmith.flows.reported import ReportedFlow
from roundsmith.measure import vendor
from roundsmith.spec import Spec


def project(
    spec: Spec, target: Target, figures: Sequence[Mapping[str, object]]
) -> dict[str, bytes]:
    """Return the project of `spec` for a vendor's `target` by path; nothing for other targets.

    It aims at the clock that `figures` tell of this target, else at 10 ns.
    """
    flow = target.flow
    if not isinstance(flow, ReportedFlow):
        return {}
    mark = vendor.mark(spec, target)
    known = [record for record in figures if record.get("target") == target.name]
    words = {
        "module": spec.module,
        "command": f"{command(spec)} --target {target.name}",
        "measure": f"roundsmith measure {command(spec).split()[-1]} --target {target.name}",
        "mark": mark,
        "part": target.size,
        # A core of a few hundred LUTs has no floorplan, and each device has sites of its own.
        "floorplan": flow.has_floorplan and not spec.is_narrow,
        **flow.settings(target),
        "period": f"{period_of(known):.3f}",
        "ports": [
            port.name if port.width == 1 else f"{port.name}[*]"
            for port in generate.ports(spec)
            if port.name != vendor.CLOCK
        ],
    }
    stems = {end: mark if end == flow.marked else spec.module for end in flow.project}
    files = {
        f"{flow.name}/{stem}.{end}": render(f"{flow.name}.{end}.j2", **words)
        for end, stem in stems.items()
    }
    if words["floorplan"]:
        # The project reads the core as Verilog-2005, whose instances have names of their own.
        plan = floorplan.xdc(spec, named=verilog2005.path_name)
        files[f"{flow.name}/{spec.module}_floorplan.xdc"] = plan
    return {name: text.encode() for name, text in files.items()}
