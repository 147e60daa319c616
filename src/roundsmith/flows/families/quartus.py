"""Intel devices by Quartus: `quartus:PART`, such as `quartus:5CSEMA5F31C6`."""

import re
from collections.abc import Mapping, Sequence

from roundsmith.base.errors import RoundsmithError
from roundsmith.flows.flow import Target
from roundsmith.flows.reported import ReportedFlow
from roundsmith.tools import quartus
from roundsmith.tools.vendor_report import VendorReport


class Quartus(ReportedFlow):
    """The devices that Quartus knows."""

    name = "quartus"
    order = 61
    legal = ("quartus:PART",)
    noun = "quartus:PART"
    words = ("quartus:",)
    title = "Quartus"
    project = ("qpf", "qsf", "sdc", "tcl")
    # The settings of Quartus have the name of the revision.
    marked = "qsf"
    template = "quartus.qsf.j2"

    def parse(self, text: str) -> Target | None:
        """Return a device of a family that is known."""
        if not self.owns(text):
            return None
        part = text.partition(":")[2]
        if re.fullmatch(r"\w+", part) is None or quartus.family(part) is None:
            known = ", ".join(sorted(set(quartus.FAMILIES.values())))
            raise RoundsmithError(
                f"'{part}' is no device for Quartus; write one such as quartus:5CSEMA5F31C6, of "
                f"the families {known}."
            )
        return Target(text, self, size=part)

    def rows(self) -> Sequence[tuple[str, str]]:
        """Return any device."""
        what = "area, clock, throughput from [the reports of Quartus](#vivado-and-quartus)"
        return (("`quartus:PART`", what),)

    def report(self, texts: Sequence[str], clock: str) -> VendorReport:
        """Return what Quartus' reports say."""
        return quartus.parse(texts, clock)

    def same_part(self, part: str, reported: str) -> bool:
        """Whether a report means the device `part`."""
        return quartus.same_part(part, reported)

    def settings(self, target: Target) -> Mapping[str, object]:
        """Return the family of the device."""
        return {"family": quartus.family(target.size)}


MEMBER = Quartus()
