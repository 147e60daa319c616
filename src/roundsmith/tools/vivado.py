"""What Vivado reports of a routed design: `report_utilization` and `report_timing_summary`.

Vivado itself is never called: its user runs it. Both reports are text: a head of `| name : value`
lines, and tables.
"""

import re
from collections.abc import Sequence
from pathlib import PurePath

from roundsmith.base.errors import ToolError
from roundsmith.tools.vendor_report import VendorReport

_KINDS = {"report_utilization": "utilization", "report_timing_summary": "timing summary"}

#: Rows of the utilization report: 7-series call them one way, UltraScale and later the other.
_LUTS = ("Slice LUTs", "CLB LUTs")
_REGISTERS = ("Slice Registers", "CLB Registers")
_SLICES = ("Slice", "CLB")


def parse(texts: Sequence[str], clock: str) -> VendorReport:
    """Return what the two reports say. Raises ToolError when one is missing or says too little."""
    found: dict[str, str] = {}
    for text in texts:
        head = _head(text)
        kind = _KINDS.get(head.get("Command", "").split(" ")[0])
        if kind is None:
            raise ToolError(
                "A report is neither of `report_utilization` nor of `report_timing_summary`."
            )
        if kind in found:
            raise ToolError(f"There are two reports of the {kind}; give one of each run.")
        found[kind] = text
    for command, kind in _KINDS.items():
        if kind not in found:
            raise ToolError(f"The report of the {kind} is missing, which `{command}` writes.")
    area, timing = found["utilization"], found["timing summary"]
    heads = [_head(area), _head(timing)]
    versions = {_needed(head, "Tool Version") for head in heads}
    designs = {_needed(head, "Design") for head in heads}
    marks = {_mark(head["Command"]) for head in heads}
    if max(len(versions), len(designs), len(marks)) > 1:
        raise ToolError("The two reports are not of one run.")
    state = _needed(heads[0], "Design State")
    if "routed" not in state.lower():
        raise ToolError(f"The design is '{state}', and only a routed one has figures.")
    period, slack = _clock(timing, clock)
    cells = _table(area)
    fastest = 1000 / (period - slack)
    limits = [
        float(ns) for ns in re.findall(r"^Min Period\s+\S+\s+\S+\s+\S+\s+(\S+)", timing, re.M)
    ]
    return VendorReport(
        tool="vivado",
        version=versions.pop().removeprefix("Vivado "),
        top=designs.pop(),
        part=_needed(heads[0], "Device"),
        mark=marks.pop(),
        lut=_count(cells, _LUTS),
        ff=_count(cells, _REGISTERS),
        # A tile of 36 kbit is one memory or two of 18 kbit.
        block_ram=round(2 * _number(cells, ("Block RAM Tile",))),
        slices=_count(cells, _SLICES),
        cells={"lut_ram": _count(cells, ("LUT as Memory",))},
        aim_mhz=1000 / period,
        fmax_mhz=fastest,
        fmax_capped_mhz=min([fastest, *(1000 / ns for ns in limits)]),
    )


def same_part(part: str, said: str) -> bool:
    """Say whether the `part` of an order code is the device that a report names.

    The reports leave the `xc` and some hyphens out, the older ones of them more.
    """

    def plain(text: str) -> str:
        return text.lower().removeprefix("xc").replace("-", "")

    return plain(part) == plain(said)


def _head(text: str) -> dict[str, str]:
    lines = re.findall(r"^\| ([A-Z][A-Za-z ]*?) *: (.*?)\s*$", text[:4000], re.MULTILINE)
    return dict(reversed(lines))


def _needed(head: dict[str, str], name: str) -> str:
    if not head.get(name):
        raise ToolError(f"A report of Vivado lacks '{name}' in its head.")
    return head[name]


def _mark(command: str) -> str:
    """Return what the name of a report's file starts with: its project names it for the design."""
    match = re.search(r"-file (\S+)", command)
    return PurePath(match[1]).name.split(".")[0] if match else ""


def _table(text: str) -> dict[str, str]:
    """Return the first number of every row of a report's tables by the name of the row."""
    rows = re.findall(r"^\| +([^|]+?)\*? *\| +([\d.]+) +\|", text, re.MULTILINE)
    return dict(reversed(rows))


def _number(cells: dict[str, str], names: Sequence[str]) -> float:
    for name in names:
        if name in cells:
            return float(cells[name])
    raise ToolError(f"The utilization report has no row '{' or '.join(names)}'.")


def _count(cells: dict[str, str], names: Sequence[str]) -> int:
    return round(_number(cells, names))


def _clock(text: str, clock: str) -> tuple[float, float]:
    """Return the period of a clock and the slack of its worst path from register to register."""
    name = re.escape(clock)
    summary = text.partition("| Clock Summary")[2].partition("| Intra Clock Table")
    period = re.search(rf"^ *{name} +\{{[^}}]*\}} +([\d.]+)", summary[0], re.MULTILINE)
    inside = summary[2].partition("| Inter Clock Table")[0]
    slack = re.search(rf"^ *{name} +(-?[\d.]+) ", inside, re.MULTILINE)
    if period is None or slack is None:
        raise ToolError(f"The timing summary has no period and slack of the clock '{clock}'.")
    return float(period[1]), float(slack[1])
