"""What a core can be measured on, and how a target is written.

`ecp5-85k` or `ecp5-85k:7` is a placed and routed FPGA with its speed grade, `ice40-hx8k` and
`ice40-up5k` are small ones, `mapped:xcve` is an FPGA family that is mapped to for area alone,
`asic:osu018` the OSU 0.18 um cells, `asic:osu035` and `asic:osu050` those of 0.35 and 0.5 um,
`asic:FILE.lib` the cells of any Liberty file.

`:plain` behind `ecp5-…` or `mapped:…` stands for the tools as they come, with their own scripts and
defaults: what a core is without a flow that was tuned for it. `:floorplan` behind `ice40-hx8k`
places the data path in the order in which data passes it, and behind `ecp5-85k` each copy of a core
in a quarter of the chip; `:refined` behind `ecp5-…` places the longest paths again. `nexus-17k` is
placed and routed as well.

`vivado:PART` and `quartus:PART` are devices whose tools are not called from here: their projects
are written, and their reports read.
"""

import math
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from roundsmith.base.errors import RoundsmithError
from roundsmith.design import tech
from roundsmith.flows import (
    asic,
    ecp5,
    ecp5_quarters,
    ecp5_refine,
    ice40,
    lut6_families,
    nexus,
    xilinx_lut4,
)
from roundsmith.flows.lut6_families import Family
from roundsmith.tools import liberty, nextpnr, quartus, yosys
from roundsmith.tools.liberty import Library

_TEMPLATES = Path(__file__).parent / "templates"

DEFAULT = "ecp5-85k"

LEGAL = (
    "ecp5-25k, ecp5-45k or ecp5-85k (with :6, :7 or :8), mapped:FAMILY (both also with :plain), "
    "ice40-hx8k (this and ecp5-85k also with :floorplan, all ecp5 with :refined), ice40-up5k, "
    "nexus-17k, "
    "asic:osu018, asic:osu035, asic:osu050, "
    "asic:FILE.lib, vivado:PART or quartus:PART"
)


class Kind(StrEnum):
    """The families of targets, each with one flow."""

    ECP5 = "ecp5"
    ICE40 = "ice40"
    MAPPED = "mapped"
    ASIC = "asic"
    VENDOR = "vendor"
    NEXUS = "nexus"


@dataclass(frozen=True)
class Target:
    """One target.

    `name` is its full form, `size` a size, a family, one of OSU's libraries or a device of a
    vendor's `tool`, `file` a Liberty file of the user's. `plain` asks for the tools' own scripts
    and defaults in place of our flow, `floorplan` for what is placed before nextpnr does, `refined`
    for what is placed after it.
    """

    name: str
    kind: Kind
    size: str = ""
    grade: int = 0
    file: Path | None = None
    plain: bool = False
    floorplan: bool = False
    refined: bool = False
    tool: str = ""

    @property
    def slug(self) -> str:
        """The name as a part of a file name."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")

    @property
    def family(self) -> Family | None:
        """The family of `lut6_families` that is mapped to; None where there is another flow."""
        is_other = self.kind is Kind.MAPPED and self.size not in xilinx_lut4.FAMILIES
        return lut6_families.find(self.size) if is_other else None

    @property
    def rooms(self) -> tech.Rooms:
        """The rooms of the technology cells that a core for this target is made of."""
        if self.kind is Kind.MAPPED and self.family is None:
            return tech.XILINX if self.size == "xc3s" else tech.VIRTEX
        if self.kind is Kind.NEXUS:
            return nexus.DEVICES[self.size].rooms
        return {Kind.ECP5: tech.ECP5, Kind.ICE40: tech.ICE40}.get(self.kind, tech.GENERIC)

    @property
    def is_placed(self) -> bool:
        """Whether nextpnr places and routes what is measured on it."""
        return self.kind in {Kind.ECP5, Kind.ICE40, Kind.NEXUS}

    @property
    def clock_tree_mhz(self) -> float:
        """The highest frequency of the clock network; infinity where there is none to know."""
        if self.kind is Kind.ECP5:
            return ecp5.CLOCK_TREE_MHZ[self.grade]
        return ice40.DEVICES[self.size].clock_tree_mhz if self.kind is Kind.ICE40 else math.inf

    def library(self) -> Library:
        """Return the standard cells of an ASIC target. Fetches them when they are not there."""
        return liberty.osu(self.size) if self.file is None else liberty.load(self.file)

    def flow_text(self, *, wanted: bool = False) -> str:
        """Return everything that decides a figure on this target besides the RTL.

        Wheels that are not here have no version, unless the one that is `wanted` counts.
        """
        tools = ", ".join(f"{k} {v}" for k, v in sorted(self.tools(wanted=wanted).items()))
        flows = {
            Kind.ECP5: ecp5.PLAIN_FLOW if self.plain else ecp5.FLOW,
            Kind.MAPPED: xilinx_lut4.PLAIN_FLOW if self.plain else xilinx_lut4.FLOW,
            Kind.ASIC: asic.FLOW,
            Kind.VENDOR: _vendor_flow(self.tool),
        }
        if self.kind is Kind.ICE40:
            flow = ice40.flow(self.size, self.floorplan)
        elif self.kind is Kind.NEXUS:
            flow = nexus.flow(self.size)
        elif self.family is not None:
            flow = self.family.flow(plain=self.plain)
        else:
            flow = flows[self.kind]
        if self.kind is Kind.ECP5 and self.floorplan:
            flow += f" {ecp5_quarters.FLOW}"
        if self.refined:
            flow += f" {ecp5_refine.FLOW}"
        cells = "" if self.file is None else liberty.digest(self.file)
        return f"{self.name}; {tools}; {flow}; {cells}"

    def tools(self, *, wanted: bool = False) -> dict[str, str]:
        """Return the versions of the tools whose version decides a figure."""
        if self.kind is Kind.ECP5:
            return {"yosys": yosys.version(), "nextpnr-ecp5": nextpnr.version()}
        if self.kind is Kind.ICE40:
            return {"yosys": yosys.version(), "nextpnr-ice40": nextpnr.ice40_version(wanted=wanted)}
        if self.kind is Kind.NEXUS:
            return {"yosys": yosys.version()} | nexus.tools(self.size, wanted=wanted)
        if self.kind is Kind.VENDOR:
            return {}  # not here: their reports say which version it was
        return {"yosys": yosys.version()}


def _vendor_flow(tool: str) -> str:
    """Return the script of a vendor's tool, which decides a figure as our own flows do."""
    names = {"vivado": "vivado.tcl.j2", "quartus": "quartus.qsf.j2"}
    lines = (_TEMPLATES / names[tool]).read_text().splitlines() if tool else []
    return "\n".join(line for line in lines if not line.startswith("#"))


def _vendor(tool: str, part: str) -> Target:
    """Return a device of a vendor's tool."""
    if tool == "vivado" and re.fullmatch(r"xc\w+-[\w-]+", part, re.IGNORECASE) is None:
        raise RoundsmithError(
            f"'{part}' is no device for Vivado; write one with package and speed grade, such as "
            "vivado:xc7a35ticsg324-1L."
        )
    if tool == "quartus" and (re.fullmatch(r"\w+", part) is None or quartus.family(part) is None):
        known = ", ".join(sorted(set(quartus.FAMILIES.values())))
        raise RoundsmithError(
            f"'{part}' is no device for Quartus; write one such as quartus:5CSEMA5F31C6, of the "
            f"families {known}."
        )
    return Target(f"{tool}:{part}", Kind.VENDOR, size=part, tool=tool)


def parse(text: str) -> Target:
    """Return the target that `text` names; RoundsmithError says what would be one."""
    kind, _, rest = text.partition(":")
    if kind in {"vivado", "quartus"}:
        return _vendor(kind, rest)
    if kind == "asic" and rest in liberty.OSU:
        return Target(text, Kind.ASIC, size=rest)
    if kind == "asic" and rest:
        file = Path(rest)
        if not file.is_file():
            raise RoundsmithError(
                f"The target '{text}' names no file; write asic:osu018, asic:osu035, asic:osu050, "
                "or asic:FILE.lib with the path of a Liberty file."
            )
        return Target(f"asic:{file.name}", Kind.ASIC, file=file)
    if kind == "mapped":
        rest, plain = rest.removesuffix(":plain"), rest.endswith(":plain")
        known = (*xilinx_lut4.FAMILIES, *lut6_families.names())
        if rest not in known:
            raise RoundsmithError(
                f"No family '{rest}' can be mapped to; there are {', '.join(known)}."
            )
        return Target(text, Kind.MAPPED, size=rest, plain=plain)
    how = "plain|floorplan|refined"
    match = re.fullmatch(rf"ecp5-(\d+k)(?::(?!{how})(\w+))?(?::({how}))?", text)
    if match:
        size, grade, how = match[1], match[2] or "6", match[3]
        if size not in nextpnr.PACKAGES:
            sizes = ", ".join(nextpnr.PACKAGES)
            raise RoundsmithError(f"ECP5 has no size '{size}'; the sizes are {sizes}.")
        if grade not in {"6", "7", "8"}:
            raise RoundsmithError(f"ECP5 has no speed grade '{grade}'; the grades are 6, 7 and 8.")
        if how == "floorplan":
            ecp5_quarters.check(size)
        return Target(
            f"ecp5-{size}:{grade}{f':{how}' if how else ''}",
            Kind.ECP5,
            size=size,
            grade=int(grade),
            plain=how == "plain",
            floorplan=how == "floorplan",
            refined=how == "refined",
        )
    if text.startswith("nexus-"):
        nexus.check(text)
        return Target(text, Kind.NEXUS, size=text)
    match = re.fullmatch(r"ice40-(\w+)(:floorplan)?", text)
    if match:
        size, floorplanned = match[1], match[2] is not None
        ice40.check_size(size, floorplanned)
        return Target(text, Kind.ICE40, size=size, floorplan=floorplanned)
    raise RoundsmithError(f"'{text}' is no target; legal are {LEGAL}.")
