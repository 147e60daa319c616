"""Xilinx devices by Vivado: `vivado:PART`, such as `vivado:xc7a35ticsg324-1L`."""

import re
from collections.abc import Mapping, Sequence

from roundsmith.base.errors import RoundsmithError
from roundsmith.design import floorplan
from roundsmith.flows.flow import Target
from roundsmith.flows.reported import ReportedFlow
from roundsmith.tools import vivado
from roundsmith.tools.vendor_report import VendorReport


class Vivado(ReportedFlow):
    """The devices that Vivado knows."""

    name = "vivado"
    order = 60
    legal = ("vivado:PART",)
    noun = "vivado:PART"
    words = ("vivado:",)
    title = "Vivado"
    project = ("tcl", "xdc")
    template = "vivado.tcl.j2"
    has_floorplan = True

    def parse(self, text: str) -> Target | None:
        """Return a device with package and speed grade."""
        if not self.owns(text):
            return None
        part = text.partition(":")[2]
        if re.fullmatch(r"xc\w+-[\w-]+", part, re.IGNORECASE) is None:
            raise RoundsmithError(
                f"'{part}' is no device for Vivado; write one with package and speed grade, such "
                "as vivado:xc7a35ticsg324-1L."
            )
        return Target(text, self, size=part)

    def rows(self) -> Sequence[tuple[str, str]]:
        """Return any device."""
        what = "area, clock, throughput from [the reports of Vivado](#vivado-and-quartus)"
        return (("`vivado:PART`", what),)

    def report(self, texts: Sequence[str], clock: str) -> VendorReport:
        """Return what Vivado's reports say."""
        return vivado.parse(texts, clock)

    def same_part(self, part: str, reported: str) -> bool:
        """Whether a report means the device `part`."""
        return vivado.same_part(part, reported)

    def settings(self, target: Target) -> Mapping[str, object]:
        """Return whether the floorplan is made for the device."""
        planned = target.size.startswith(floorplan.PART)
        return {"planned": int(planned), "planned_part": floorplan.PART}


MEMBER = Vivado()
