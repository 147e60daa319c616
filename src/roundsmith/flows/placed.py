"""What families have in common whose cores nextpnr places and routes."""

from roundsmith.flows.ecp5 import Placement
from roundsmith.flows.flow import Figures, Flow, Layout, Target
from roundsmith.spec import Spec


class PlacedFlow(Flow):
    """A family of FPGAs with LUT4s that nextpnr knows."""

    is_placed = True

    def fabric(self, target: Target, aim: str) -> str:
        """Return that of ECP5: one FPGA with LUT4s is much like another."""
        return "ecp5"

    def alike(self, target: Target) -> tuple[str, ...]:
        """Return the own family, then ECP5."""
        return (self.name, "ecp5")


def figures(spec: Spec, placed: Placement) -> Figures:
    """Return the figures of a placement."""
    return Figures(
        flow=f"place and route: mapping {placed.netlist.mapping}, placer {placed.placer}",
        lut=placed.netlist.lut,
        smallest_lut=placed.smallest_lut,
        ff=placed.netlist.ff,
        block_ram=placed.netlist.block_ram,
        fmax_mhz=placed.fmax_mhz,
        fmax_capped_mhz=placed.fmax_capped_mhz,
        fmax_by_seed=placed.fmax_by_seed,
        critical_path=[
            (s.start if s.start == s.end else f"{s.start} .. {s.end}", s.logic_ns + s.routing_ns)
            for s in placed.critical_path
        ],
        from_inputs_ns=placed.input_to_register_ns,
        to_outputs_ns=placed.register_to_output_ns,
        layout=Layout(
            placed.bels,
            placed.roles,
            f"{spec.module} on {placed.target}: {placed.fmax_mhz:.1f} MHz, "
            f"{placed.netlist.lut:,} LUT4",
        ),
    )
