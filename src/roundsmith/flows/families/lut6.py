"""FPGAs that Yosys maps to by itself, each a file of `target_data`: `mapped:xc7` and others.

A family with cells or a flow of its own may be a class below this one, with files in a folder of
its own.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from roundsmith.flows import lut6_families, synthesize
from roundsmith.flows.flow import Figures, Netlist, Progress, Target
from roundsmith.flows.lut6_families import Family, Fitted
from roundsmith.flows.mapped import MappedFlow
from roundsmith.spec import Spec
from roundsmith.tools import yosys


class Lut6(MappedFlow):
    """The families that the files in `data` describe."""

    name = "lut6"
    order = 21
    data: ClassVar[Path] = lut6_families.DATA

    def families(self) -> Sequence[str]:
        """Return the families of FPGAs by their names."""
        return lut6_families.names(self.data)

    def family(self, target: Target) -> Family:
        """Return what the file of a target says."""
        return lut6_families.find(target.size, self.data)

    def rows(self) -> Sequence[tuple[str, str]]:
        """Return all of them in one row."""
        found = [lut6_families.find(name, self.data) for name in self.families()]
        names = ", ".join(f"`mapped:{name}`" for name in self.families())
        return ((names, f"area and levels on {', '.join(family.name for family in found)}"),)

    def script(self, target: Target) -> str:
        """Return Yosys' script with its variants."""
        return self.family(target).flow(plain=target.plain)

    def netlist(self, spec: Spec, target: Target, name: str) -> Netlist:
        """Return the mapped netlist."""
        cells = [yosys.share() / model for model in self.family(target).models]
        folders = sorted({cell.parent for cell in cells})
        flags = [*synthesize.LENIENT, *(f"+incdir+{folder}" for folder in folders)]
        return Netlist([*cells, self._fitted(spec, target).verilog], flags)

    def measure(self, spec: Spec, target: Target, aim: str, progress: Progress) -> Figures:
        """Return what the mapped netlist takes."""
        progress(f"mapping to {target.size}", 0, 1)
        made = self._fitted(spec, target)
        counts = dict(made.counts)
        return Figures(
            flow=f"mapped: area only, mapping {made.mapping}",
            lut=counts.pop("lut"),
            ff=counts.pop("ff"),
            block_ram=counts.pop("block_ram"),
            slices=made.slices,
            cells=counts,
            levels=made.levels,
        )

    def _fitted(self, spec: Spec, target: Target) -> Fitted:
        files, folder = synthesize.sources(spec, target), synthesize.work(spec, target)
        family = self.family(target)
        return lut6_families.synthesize(files, spec.module, family, folder, plain=target.plain)

    def rule(self, target: Target) -> str:
        """Return the rule by which cells fill slices."""
        family = self.family(target)
        return f"{family.name}: {family.rule}"


MEMBER = Lut6()
