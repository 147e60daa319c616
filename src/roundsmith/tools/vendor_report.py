"""What a vendor's tool says of a core that it placed and routed, whichever tool it is."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class VendorReport:
    """The figures of one run, and of what: `top` on `part`, by `version` of `tool`.

    `mark` is the name that the project gave the run. `slices` are slices, CLBs, ALMs or logic
    elements, as the vendor counts; `cells` counts what only one of them has. `aim_mhz` is the
    clock that was asked for; the capped fmax obeys the limits of clock tree and memories.
    """

    tool: str
    version: str
    top: str
    part: str
    mark: str
    lut: int
    ff: int
    block_ram: int
    slices: int
    cells: Mapping[str, int]
    aim_mhz: float | None
    fmax_mhz: float
    fmax_capped_mhz: float
