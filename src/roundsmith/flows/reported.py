"""What families have in common whose tools are not called from here: vendors' devices.

Their projects are written, and the reports of their tools are read.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from roundsmith.base.errors import RoundsmithError
from roundsmith.flows.flow import Figures, Flow, Netlist, Progress, Target
from roundsmith.spec import Spec
from roundsmith.tools.vendor_report import VendorReport

_TEMPLATES = Path(__file__).parent / "templates"


class ReportedFlow(Flow):
    """The devices of one vendor's tool, which `title` names.

    Its project has a file for each of `project`, which are the ends of their names; the file with
    the end `marked` is named by the mark of the design. The `script` decides the figures.
    """

    is_run = False
    title: ClassVar[str]
    project: ClassVar[tuple[str, ...]]
    marked: ClassVar[str] = ""
    template: ClassVar[str]
    #: Whether the project comes with a floorplan in Vivado's constraints.
    has_floorplan: ClassVar[bool] = False

    @abstractmethod
    def report(self, texts: Sequence[str], clock: str) -> VendorReport:
        """Return what the reports of the tool say. ToolError where they are none."""

    @abstractmethod
    def same_part(self, part: str, reported: str) -> bool:
        """Whether a report means the device `part`."""

    def settings(self, target: Target) -> Mapping[str, object]:
        """Return what the project has to know of the device, besides its name."""
        return {}

    def script(self, target: Target) -> str:
        """Return the script of the tool, which decides a figure as our own flows do."""
        lines = (_TEMPLATES / self.template).read_text().splitlines()
        return "\n".join(line for line in lines if not line.startswith("#"))

    def tools(self, target: Target, *, wanted: bool = False) -> dict[str, str]:
        """Return none: the reports say which version it was."""
        return {}

    def netlist_names(self, spec: Spec, target: Target) -> list[str]:
        """Refuse: there are none."""
        raise RoundsmithError(
            f"There is no netlist for {target.name}, whose tool is not called from here; verify "
            "the core as RTL, or as the netlist of another target."
        )

    def netlist(self, spec: Spec, target: Target, name: str) -> Netlist:
        """Refuse: there are none."""
        self.netlist_names(spec, target)
        raise NotImplementedError

    def check(self, spec: Spec, target: Target) -> None:
        """Refuse: the user runs the tool."""
        raise RoundsmithError(
            f"The tool of {target.name} is not called from here: `roundsmith build {spec.name} "
            f"--target {target.name}` writes its project, and `roundsmith measure {spec.name} "
            f"--target {target.name} --report FILE --report FILE` reads its reports."
        )

    def measure(self, spec: Spec, target: Target, aim: str, progress: Progress) -> Figures:
        """Refuse as `check` does."""
        self.check(spec, target)
        raise NotImplementedError

    def figures(self, found: VendorReport) -> Figures:
        """Return the figures of a report."""
        aim = "" if found.aim_mhz is None else f", aimed at {found.aim_mhz:.1f} MHz"
        return Figures(
            flow=f"place and route: {self.title}, from its reports{aim}",
            lut=found.lut,
            ff=found.ff,
            block_ram=found.block_ram,
            slices=found.slices,
            cells=found.cells,
            fmax_mhz=found.fmax_mhz,
            fmax_capped_mhz=found.fmax_capped_mhz,
            tools={found.tool: found.version},
        )

    def fabric(self, target: Target, aim: str) -> str:
        """Return that of ECP5, which sorts cores by their size."""
        return "ecp5"
