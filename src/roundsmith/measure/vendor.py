"""Vivado and Quartus: what their projects are made of, and the records of their reports.

Nobody runs them from here. `roundsmith build` writes a project that gives every run a name with the
hash of the design in it; the vendor's reports repeat that name, so that figures of other RTL, of
another device or of another project are told apart from those of this design.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from roundsmith.base.errors import RoundsmithError, ToolError
from roundsmith.flows.flow import Target
from roundsmith.flows.reported import ReportedFlow
from roundsmith.measure.measure import record
from roundsmith.records import records
from roundsmith.records.records import Measurement
from roundsmith.spec import Spec
from roundsmith.tools.vendor_report import VendorReport

CLOCK = "clk_i"


def mark(spec: Spec, target: Target) -> str:
    """Return the name of a run of the vendor's tool: the module and the hash of the design."""
    return f"{spec.module}_{records.design_hash(spec, target)[:16]}"


def measure(spec: Spec, target: Target, files: Sequence[Path]) -> Measurement:
    """Return the record of the reports in `files`, stored unless it is already there.

    Raises RoundsmithError when they are no reports, and when they are of another design.
    """
    flow = target.flow
    if not isinstance(flow, ReportedFlow):
        raise RoundsmithError(f"No reports are read for {target.name}.")
    try:
        found = flow.report([_text(file) for file in files], CLOCK)
    except ToolError as problem:
        names = " and ".join(str(file) for file in files)
        raise RoundsmithError(f"{names}: {problem}") from None
    _check(spec, target, found, flow)
    made = record(spec, target, flow.figures(found), records.identity(spec, target))
    if made not in records.current(spec, target):
        records.append(made)
    return made


def _text(file: Path) -> str:
    try:
        return file.read_text(errors="replace")
    except OSError as problem:
        raise RoundsmithError(f"{file} cannot be read: {problem.strerror}.") from None


def _check(spec: Spec, target: Target, found: VendorReport, flow: ReportedFlow) -> None:
    """Refuse reports that are not of `spec` on `target` as they are now."""
    build = f"`roundsmith build {spec.name} --target {target.name}`"
    if found.top != spec.module:
        raise RoundsmithError(
            f"The reports are of the module '{found.top}', and {spec.name} is '{spec.module}'."
        )
    if not flow.same_part(target.size, found.part):
        raise RoundsmithError(
            f"The reports are of the device '{found.part}', and the target is {target.name}."
        )
    if re.fullmatch(rf"{spec.module}_[0-9a-f]{{16}}", found.mark) is None:
        raise RoundsmithError(
            f"The reports are not of a project that {build} writes, so nobody knows of which RTL "
            f"they are (the run is called '{found.mark}')."
        )
    if found.mark != mark(spec, target):
        raise RoundsmithError(
            f"The reports are of other RTL than {spec.name} has now; {build} writes its project."
        )
