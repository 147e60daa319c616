"""Lattice ECP5: `ecp5-85k`, `ecp5-85k:7`, and behind both `:plain`, `:floorplan` or `:refined`.

`:floorplan` places each copy of a core in a quarter of the chip, `:refined` places the longest
paths again.
"""

import re
from collections.abc import Sequence

from roundsmith.base.errors import RoundsmithError
from roundsmith.design import tech
from roundsmith.flows import ecp5, ecp5_quarters, ecp5_refine, synthesize
from roundsmith.flows.ecp5 import Placement
from roundsmith.flows.flow import Drawn, Figures, Netlist, Progress, Target
from roundsmith.flows.placed import PlacedFlow, figures
from roundsmith.spec import Spec
from roundsmith.tools import nextpnr, yosys

_HOW = "plain|floorplan|refined"

#: LUT4s and block RAMs of the devices (family data sheet; nextpnr's reports say the same).
_ROOM = {"25k": (24_288, 56), "45k": (43_848, 108), "85k": (83_640, 208)}


class Ecp5(PlacedFlow):
    """ECP5 in three sizes and three speed grades."""

    name = "ecp5"
    order = 10
    legal = ("ecp5-25k, ecp5-45k or ecp5-85k (with :6, :7 or :8)",)
    noun = "an ECP5"
    words = ("ecp5-",)
    apart = (":plain", ":floorplan", ":refined")
    drawn = Drawn(
        frozenset({"TRELLIS_COMB"}),
        frozenset({"TRELLIS_FF", "TRELLIS_RAMW"}),
        {"DP16KD": (1.9, 0.9)},
    )

    def parse(self, text: str) -> Target | None:
        """Return an ECP5, with speed grade 6 where the name says none."""
        match = re.fullmatch(rf"ecp5-(\d+k)(?::(?!{_HOW})(\w+))?(?::({_HOW}))?", text)
        if match is None:
            return None
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
            self,
            size=size,
            grade=int(grade),
            plain=how == "plain",
            floorplan=how == "floorplan",
            refined=how == "refined",
        )

    def rows(self) -> Sequence[tuple[str, str]]:
        """Return the devices and what can be added to their names."""
        placed = "placed and routed: area, clock, throughput"
        return (
            ("`ecp5-25k`, `-45k`, `-85k`, with `:6`, `:7` or `:8`", placed),
            (
                "`ecp5-85k:floorplan`, with a grade before it too",
                "the same, copies of a core [in quarters](figures.md#copies-in-quarters)",
            ),
            (
                "`:refined` behind any of them",
                "the same, the longest paths [placed again](figures.md#longest-paths-again)",
            ),
        )

    def cell_rows(self) -> Sequence[tuple[str, str, tech.Rooms]]:
        """Return the cells of all devices."""
        return (("`ecp5-…`", "distributed memory", tech.ECP5),)

    def rooms(self, target: Target) -> tech.Rooms:
        """Return those with distributed memory."""
        return tech.ECP5

    def clock_tree_mhz(self, target: Target) -> float:
        """Return the limit of the speed grade."""
        return ecp5.CLOCK_TREE_MHZ[target.grade]

    def script(self, target: Target) -> str:
        """Return the flow, and what comes before or after placing."""
        flow = ecp5.PLAIN_FLOW if target.plain else ecp5.FLOW
        if target.floorplan:
            flow += f" {ecp5_quarters.FLOW}"
        if target.refined:
            flow += f" {ecp5_refine.FLOW}"
        return flow

    def tools(self, target: Target, *, wanted: bool = False) -> dict[str, str]:
        """Return Yosys and nextpnr."""
        return {"yosys": yosys.version(), "nextpnr-ecp5": nextpnr.version()}

    def netlist_names(self, spec: Spec, target: Target) -> list[str]:
        """Return the mappings that are worth placing."""
        files, folder = synthesize.sources(spec, target), synthesize.work(spec, target)
        found = ecp5.candidates(files, spec.module, folder, plain=target.plain)
        return [made.mapping for made in found]

    def netlist(self, spec: Spec, target: Target, name: str) -> Netlist:
        """Return one mapping."""
        share = yosys.share() / "ecp5"
        models = [synthesize.MODELS / "ecp5_dp16kd.v", share / "cells_sim.v"]
        files, folder = synthesize.sources(spec, target), synthesize.work(spec, target)
        made = ecp5.synthesize_ecp5(files, spec.module, folder, name)
        # Yosys' file declares the block RAM as a black box; our model comes first and counts.
        flags = [*synthesize.LENIENT, f"+incdir+{share}", "-Wno-MODDUP"]
        return Netlist([*models, made.verilog], flags)

    def measure(self, spec: Spec, target: Target, aim: str, progress: Progress) -> Figures:
        """Return the figures of the best placement."""
        return figures(spec, self._placed(spec, target, progress))

    def _placed(self, spec: Spec, target: Target, progress: Progress) -> Placement:
        files, folder = synthesize.sources(spec, target), synthesize.work(spec, target)
        top, size, grade = spec.module, target.size, target.grade
        if target.floorplan:
            return ecp5_quarters.measure(files, top, grade, folder=folder, progress=progress)
        if target.refined:
            return ecp5_refine.measure(files, top, size, grade, folder=folder, progress=progress)
        return ecp5.measure_ecp5(
            files, top, size, grade, folder=folder, progress=progress, plain=target.plain
        )

    def room(self, target: Target) -> tuple[int, int] | None:
        """Return what a device has."""
        return _ROOM[target.size]


MEMBER = Ecp5()
