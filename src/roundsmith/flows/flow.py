"""What a family of targets is: everything that the rest of the tool asks of it.

Each family is one module of `roundsmith.flows.families`, whose `MEMBER` is a `Flow`. Families that
are alike share their answers: `roundsmith.flows.placed`, `mapped` and `reported`. A family knows
neither records nor measurements: it returns plain figures, from which a measurement is made.
"""

import math
import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Protocol

from roundsmith.base.errors import RoundsmithError
from roundsmith.design import tech
from roundsmith.flows.components import Role
from roundsmith.spec import Spec
from roundsmith.tools import yosys
from roundsmith.tools.liberty import Library

#: Is told each step, how many steps are done and how many there are.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Target:
    """One target: what a core is measured on, and how.

    `name` is its full form, `size` a device, a family of devices or a cell library, `file` a
    Liberty file of the user's. `plain` asks for the tools' own scripts and defaults in place of
    our flow, `floorplan` for what is placed before nextpnr does, `refined` for what is placed
    after it. `flow` is the family, which answers for its targets.
    """

    name: str
    flow: "Flow" = field(repr=False)
    size: str = ""
    grade: int = 0
    file: Path | None = None
    plain: bool = False
    floorplan: bool = False
    refined: bool = False

    @property
    def slug(self) -> str:
        """The name as a part of a file name."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")

    @property
    def rooms(self) -> tech.Rooms:
        """The rooms of the technology cells that a core for this target is made of."""
        return self.flow.rooms(self)

    @property
    def clock_tree_mhz(self) -> float:
        """The highest frequency of the clock network; infinity where there is none to know."""
        return self.flow.clock_tree_mhz(self)

    @property
    def is_placed(self) -> bool:
        """Whether nextpnr places and routes what is measured on it."""
        return self.flow.is_placed

    def library(self) -> Library:
        """Return the standard cells of the target. Fetches them when they are not there."""
        return self.flow.library(self)

    def flow_text(self, *, wanted: bool = False) -> str:
        """Return everything that decides a figure on this target besides the RTL.

        Wheels that are not here have no version, unless the one that is `wanted` counts.
        """
        tools = ", ".join(f"{k} {v}" for k, v in sorted(self.tools(wanted=wanted).items()))
        return f"{self.name}; {tools}; {self.flow.script(self)}; {self.flow.own_cells(self)}"

    def tools(self, *, wanted: bool = False) -> dict[str, str]:
        """Return the versions of the tools whose version decides a figure."""
        return self.flow.tools(self, wanted=wanted)


@dataclass(frozen=True)
class Netlist:
    """A netlist as a simulator reads it: cell models first, and the flags they need."""

    files: Sequence[Path]
    simulation_flags: Sequence[str]


@dataclass(frozen=True)
class Layout:
    """Where the cells of a placed core lie (type and place by name), and what each is for."""

    bels: Mapping[str, tuple[str, str]]
    roles: Mapping[str, Role]
    title: str


@dataclass(frozen=True)
class Figures:
    """What a flow finds of one netlist, unrounded; a figure that does not apply is None.

    `flow` says how the netlist was made, `tools` the programs besides those of the target. `parts`
    is the area of every instance by its path: None where nobody tells parts, empty where they are
    unknown. `critical_path` has parts of the core with their delay in ns. The other figures are
    those of roundsmith.records.records.Measurement.
    """

    flow: str
    lut: int | None = None
    smallest_lut: int | None = None
    ff: int | None = None
    block_ram: int | None = None
    slices: int | None = None
    shift_registers: int | None = None
    memory_luts: int | None = None
    cells: Mapping[str, int] | None = None
    levels: int | None = None
    fmax_mhz: float | None = None
    fmax_capped_mhz: float | None = None
    fmax_by_seed: Mapping[int, float] | None = None
    area_ge: float | None = None
    cycle_ns: float | None = None
    parts: Mapping[str, float] | None = None
    critical_path: Sequence[tuple[str, float]] = ()
    from_inputs_ns: float | None = None
    to_outputs_ns: float | None = None
    layout: Layout | None = None
    tools: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Bitstream:
    """A design that is ready to load, and what became of it."""

    packed: bytes
    placed: bytes
    device: str
    pins: Mapping[str, str]
    fmax_mhz: float | None
    used: Mapping[str, int]
    available: Mapping[str, int]
    tools: Mapping[str, str]


@dataclass(frozen=True)
class Logic:
    """What logic is made of, which decides the unit of an area and the choices that suit.

    `area` and `period` are the names of figures. `unit` is the unit of a table, `size` the unit
    behind a number, and `ratio` says what is compared with the flip-flops.
    """

    area: str
    period: str
    unit: str
    size: str
    ratio: str
    has_block_ram: bool


LUTS = Logic("lut", "period", "LUT", "LUT4", "LUT/FF", has_block_ram=True)
CELLS = Logic("area_ge", "cycle_ns", "GE", "GE", "logic/FF", has_block_ram=False)


@dataclass(frozen=True)
class Drawn:
    """The cells of a placement that a picture shows, by their types.

    `luts` are counted, `others` are drawn beside them, and `memories` have a width and a height
    in tiles.
    """

    luts: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    memories: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Wheel:
    """A package of PyPI that a family needs and that is not installed by itself."""

    name: str
    purpose: str
    remedy: str


class Flow(Protocol):
    """One family of targets.

    `name` is its first word and `order` its place among the others. `legal` has the forms of its
    targets, as an error lists them, and `noun` is what such a target is called in a sentence.
    `words` are the ways in which its names begin, `apart` the endings of names whose figures no
    other target learns from.
    """

    name: ClassVar[str]
    order: ClassVar[int] = 100
    legal: ClassVar[tuple[str, ...]]
    noun: ClassVar[str]
    words: ClassVar[tuple[str, ...]]
    apart: ClassVar[tuple[str, ...]] = ()
    wheel: ClassVar[Wheel | None] = None

    #: What the logic is made of, and the aims of the flow: each has a netlist and a record.
    logic: ClassVar[Logic] = LUTS
    aims: ClassVar[tuple[str, ...]] = ("",)
    #: Whether nextpnr places what is measured, whether the figures tell a clock, whether the tools
    #: are called from here, and whether every device is a small one.
    is_placed: ClassVar[bool] = False
    is_timed: ClassVar[bool] = True
    is_run: ClassVar[bool] = True
    is_small: ClassVar[bool] = False
    #: The names of the targets that a bitstream is made for.
    bitstreams: ClassVar[tuple[str, ...]] = ()
    drawn: ClassVar[Drawn] = Drawn()

    def __eq__(self, other: object) -> bool:
        """Compare by family: another process has another object for the same one."""
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self).__qualname__)

    # --- Names ----------------------------------------------------------------------------------

    @abstractmethod
    def parse(self, text: str) -> Target | None:
        """Return the target that `text` names; None where it is no name of this family.

        RoundsmithError says what is wrong with a name that can only be of this family.
        """

    def owns(self, name: str) -> bool:
        """Whether the target called `name` is of this family, which may not be here any more."""
        return name.startswith(self.words)

    def refusal(self, text: str, flows: "Sequence[Flow]") -> str | None:
        """Return why no family of `flows` takes `text`; None where this one cannot say."""
        return None

    @abstractmethod
    def rows(self) -> Sequence[tuple[str, str]]:
        """Return the rows of the table of targets: names, and what is measured."""

    def cell_rows(self) -> Sequence[tuple[str, str, tech.Rooms]]:
        """Return the rows of the table of technology cells: names, cells and their rooms."""
        return ()

    # --- What decides a figure ------------------------------------------------------------------

    def rooms(self, target: Target) -> tech.Rooms:
        """Return the rooms of the technology cells."""
        return tech.GENERIC

    def clock_tree_mhz(self, target: Target) -> float:
        """Return the highest frequency of the clock network; infinity where it is unknown."""
        return math.inf

    @abstractmethod
    def script(self, target: Target) -> str:
        """Return every setting of the flow that decides a figure."""

    def own_cells(self, target: Target) -> str:
        """Return a digest of the user's own cells that decide a figure."""
        return ""

    def tools(self, target: Target, *, wanted: bool = False) -> dict[str, str]:
        """Return the versions of the tools whose version decides a figure."""
        return {"yosys": yosys.version()}

    def library(self, target: Target) -> Library:
        """Return the standard cells of a target."""
        raise RoundsmithError(
            f"{target.name} has no standard cells; take asic:osu018 or asic:FILE.lib."
        )

    # --- Netlists and figures -------------------------------------------------------------------

    @abstractmethod
    def netlist_names(self, spec: Spec, target: Target) -> list[str]:
        """Return the names of the netlists of `spec` that a measurement may choose."""

    @abstractmethod
    def netlist(self, spec: Spec, target: Target, name: str) -> Netlist:
        """Return the netlist called `name` of `spec`, made if it is not cached."""

    def check(self, spec: Spec, target: Target) -> None:
        """Raise RoundsmithError where nothing can be measured, which is no failure of a core."""
        return None

    @abstractmethod
    def measure(self, spec: Spec, target: Target, aim: str, progress: Progress) -> Figures:
        """Return the figures of `spec` for one of the aims. ToolError where a tool fails."""

    def parts(self, spec: Spec, target: Target, aim: str, flow: str) -> Mapping[str, float]:
        """Return the area of every instance of `spec` alone, as its record tells by its `flow`."""
        return {}

    def rule(self, target: Target) -> str:
        """Return by what rule slices are counted, in a sentence; empty where nothing is to say."""
        return ""

    def bitstream(self, spec: Spec, target: Target, pins: Path) -> Bitstream:
        """Return the bitstream of `spec` for one of `bitstreams`, its ports at the `pins`."""
        raise RoundsmithError(f"No bitstream is made for {target.name}.")

    # --- What estimates need --------------------------------------------------------------------

    @abstractmethod
    def fabric(self, target: Target, aim: str) -> str:
        """Return which figures of circuits tell of a target: of a family of FPGAs, or of cells."""

    def alike(self, target: Target) -> tuple[str, ...]:
        """Return how names of targets begin that stand in for this one, the nearest first."""
        return (self.name,)

    def room(self, target: Target) -> tuple[int, int] | None:
        """Return the LUT4s and block RAMs of the device; None where it is none or unknown."""
        return None

    def slices(self, lut: float, ff: float) -> int | None:
        """Return the slices that estimates of LUTs and flip-flops fill; None if none are told."""
        return None
