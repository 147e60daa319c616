"""Xilinx FPGAs with LUT4 from Virtex to Spartan-3: `mapped:xcv`, `xcve`, `xc2v` and `xc3s`."""

from collections.abc import Sequence

from roundsmith.design import tech
from roundsmith.flows import synthesize, xilinx_lut4
from roundsmith.flows.flow import Figures, Netlist, Progress, Target
from roundsmith.flows.mapped import MappedFlow
from roundsmith.flows.xilinx_lut4 import Mapped
from roundsmith.spec import Spec
from roundsmith.tools import yosys


class XilinxLut4(MappedFlow):
    """The families of the papers, with a flow of their own."""

    name = "xilinx_lut4"
    order = 20

    def families(self) -> Sequence[str]:
        """Return the families of FPGAs by their names."""
        return xilinx_lut4.FAMILIES

    def rows(self) -> Sequence[tuple[str, str]]:
        """Return all of them."""
        first, *others = xilinx_lut4.FAMILIES
        names = [f"`mapped:{first}`", *(f"`{name}`" for name in others)]
        what = "area on Xilinx Virtex, Virtex-E, Virtex-II, Spartan-3: LUT4"
        return ((", ".join(names), what),)

    def cell_rows(self) -> Sequence[tuple[str, str, tech.Rooms]]:
        """Return the cells of Spartan-3, and of the families before it."""
        old = [f"`mapped:{name}`" for name in xilinx_lut4.FAMILIES if name != "xc3s"]
        cells = "shift registers in LUTs, distributed memory, 3-state buffers"
        return (
            (", ".join(old), cells, tech.VIRTEX),
            ("`mapped:xc3s`", "the same without 3-state buffers", tech.XILINX),
        )

    def rooms(self, target: Target) -> tech.Rooms:
        """Return those with shift registers, up to Virtex-II with 3-state buffers."""
        return tech.XILINX if target.size == "xc3s" else tech.VIRTEX

    def script(self, target: Target) -> str:
        """Return the flow."""
        return xilinx_lut4.PLAIN_FLOW if target.plain else xilinx_lut4.FLOW

    def netlist(self, spec: Spec, target: Target, name: str) -> Netlist:
        """Return the mapped netlist."""
        models = [synthesize.MODELS / "xilinx_block_ram.v", synthesize.MODELS / "xilinx_buft.v"]
        models += [yosys.share() / "xilinx" / "cells_sim.v"]
        # A cell that is a black box to Yosys stands in the netlist as it is.
        boxes = xilinx_lut4.black_boxes(synthesize.sources(spec, target))
        made = self._mapped(spec, target)
        return Netlist([*models, *boxes, made.verilog], synthesize.LENIENT)

    def measure(self, spec: Spec, target: Target, aim: str, progress: Progress) -> Figures:
        """Return what the mapped netlist takes."""
        progress(f"mapping to {target.size}", 0, 1)
        made = self._mapped(spec, target)
        return Figures(
            flow=f"mapped: area only, mapping {made.mapping}",
            lut=made.lut,
            ff=made.ff,
            block_ram=made.block_ram,
            slices=made.slices,
            shift_registers=made.shift_registers,
            memory_luts=made.memory_luts,
        )

    def _mapped(self, spec: Spec, target: Target) -> Mapped:
        files, folder = synthesize.sources(spec, target), synthesize.work(spec, target)
        return xilinx_lut4.synthesize(files, spec.module, target.size, folder, plain=target.plain)

    def fabric(self, target: Target, aim: str) -> str:
        """Return Spartan-3 or Virtex-E, whose LUTs join in other ways."""
        return "xc3s" if target.size == "xc3s" else "xcve"


MEMBER = XilinxLut4()
