"""Cell libraries: what a Liberty file says of its cells, and a copy that every tool can trust.

`load` reads a Liberty file, keeps the cells that a synchronous core is built from, and writes
these into the cache as a Liberty file of their own. Synthesis, timing and simulation all read
that copy. Left out are latches, three-state and clock-gating cells, pads, scan and enable
flip-flops, cells without area, function or delays, cells of an area that cannot be, and those that
the file itself says are not to be used.

Where a LEF file of the same name lies beside a Liberty file, the areas drawn in it count, and
`Library.mended` says which were different. `osu` gives OSU's standard cells in this way.

Units: areas as the file has them (um^2 in every library known to us), capacitances in fF.
"""

import hashlib
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from roundsmith.base.cache import cache_dir
from roundsmith.base.errors import ToolError
from roundsmith.tools import boolean, debian

#: OSU's libraries of 0.18, 0.35 and 0.5 um, the processes of the papers' time: the Liberty file in
#: the Debian package `qflow-tech-NAME`.
OSU = {
    "osu018": "osu018_stdcells.lib",
    "osu035": "osu035_stdcells.lib",
    "osu050": "osu05_stdcells.lib",
}


@dataclass(frozen=True)
class Pin:
    """A signal pin of a cell; `function` is there on outputs only, `capacitance` is in fF."""

    name: str
    direction: str
    function: boolean.Expression | None
    capacitance: float


@dataclass(frozen=True)
class Flop:
    """What a flip-flop stores: `state` and `inverse` are the names its outputs read."""

    state: str
    inverse: str
    next_state: boolean.Expression
    clock: boolean.Expression
    clear: boolean.Expression | None
    preset: boolean.Expression | None


@dataclass(frozen=True)
class Cell:
    """A cell that a core may use: its area, its pins by name, and what it stores, if it does."""

    name: str
    area: float
    pins: Mapping[str, Pin]
    flop: Flop | None

    @property
    def inputs(self) -> list[str]:
        """The names of the input pins, in the file's order."""
        return [pin.name for pin in self.pins.values() if pin.direction == "input"]

    @property
    def outputs(self) -> list[str]:
        """The names of the output pins, in the file's order."""
        return [pin.name for pin in self.pins.values() if pin.direction == "output"]

    def computes(self, inputs: int, table: int) -> bool:
        """Say whether the cell is one gate of so many inputs with this truth table."""
        if self.flop or len(self.inputs) != inputs or len(self.outputs) != 1:
            return False
        function = self.pins[self.outputs[0]].function
        return function is not None and function.table(self.inputs) == table


@dataclass(frozen=True)
class Library:
    """A library whose cells are known to be usable.

    `path` is the copy that the tools read; `source` the file it came from. `left_out` says for
    every cell of the source that is not in the copy why; `doubted` names those of them whose area
    or delays cannot be. `mended` says which areas were taken from the LEF file, or is empty.
    `gate` is the smallest 2-input NAND, the gate equivalent; `driver` a buffer of about double
    strength; the ties are a cell and its output pin, or None where the library has none.
    """

    name: str
    source: Path
    path: Path
    digest: str
    cells: Mapping[str, Cell]
    left_out: Mapping[str, str]
    doubted: tuple[str, ...]
    mended: str
    gate: Cell
    inverter: Cell
    flop: Cell
    driver: Cell
    tie_high: tuple[str, str] | None
    tie_low: tuple[str, str] | None

    def ge(self, area: float) -> float:
        """Return `area` in gate equivalents: 2-input NAND gates of the smallest size."""
        return area / self.gate.area

    def notes(self) -> list[str]:
        """Return what a reader of its figures should know of it, in sentences."""
        said = [f"{self.name}: {self.mended}."] if self.mended else []
        return said + [f"{self.name}: {n} is left out: {self.left_out[n]}." for n in self.doubted]


def osu(name: str) -> Library:
    """Return one of OSU's libraries, a name of OSU, fetched from Debian's archive and mended.

    Raises ToolError when it cannot be fetched.
    """
    folder = debian.fetch(f"qflow-tech-{name}") / f"usr/share/qflow/tech/{name}"
    return _prepare(folder / OSU[name], folder / f"{name}_stdcells.lef")


def osu018() -> Library:
    """Return OSU's library of 0.18 um, the one that is taken when none is named."""
    return osu("osu018")


def load(file: Path) -> Library:
    """Return the library of the Liberty file `file`, with the areas of a LEF file beside it.

    Raises ToolError when there is no such file, it is no Liberty file, or it lacks a usable
    2-input NAND, inverter or D flip-flop.
    """
    return _prepare(file, _lef_beside(file))


def digest(file: Path) -> str:
    """Return a hash of all that decides the library of the Liberty file `file`."""
    read = hashlib.sha256(file.read_bytes())
    beside = _lef_beside(file)
    if beside is not None:
        read.update(beside.read_bytes())
    return read.hexdigest()


def _lef_beside(file: Path) -> Path | None:
    lef = file.with_suffix(".lef")
    return lef if lef.is_file() else None


def parse(file: Path) -> "Group":
    """Return the library group of a Liberty file. Raises ToolError when it is none."""
    tree = _tree(_text(file))
    if tree is None:
        raise ToolError(
            f"{file} is not a Liberty file: it should hold one 'library (name) {{ ... }}' "
            "with cells inside."
        )
    return tree


def _text(file: Path) -> str:
    try:
        return file.read_text(errors="replace")
    except OSError as problem:
        raise ToolError(f"The Liberty file {file} cannot be read: {problem.strerror}.") from None


def _prepare(file: Path, lef: Path | None) -> Library:
    text = _text(file)
    tree = parse(file)
    femto = femtofarads(tree)
    drawn = {} if lef is None else _lef_areas(lef.read_text(errors="replace"))
    cells: dict[str, Cell] = {}
    left_out: dict[str, str] = {}
    different: list[str] = []
    for group in tree.groups_of("cell"):
        stated = _number(group.attributes.get("area", "0"))
        found = _cell(group, drawn.get(group.name, stated), femto)
        if isinstance(found, str):
            left_out[group.name] = found
            continue
        cells[group.name] = found
        if abs(found.area - stated) > 1e-6 * found.area:
            different.append(f"{group.name} {found.area:g} (Liberty: {stated:g})")
    doubted = _doubted(cells)
    cells = {name: cell for name, cell in cells.items() if name not in doubted}
    left_out |= doubted
    mended = (
        "areas are those drawn in the LEF file (width x height): " + ", ".join(different)
        if different
        else ""
    )
    doubted |= {name: why for name, why in left_out.items() if why in _DOUBTS}
    copy = _copy(text, tree, cells, drawn)
    return _library(file, tree.name, copy, cells, left_out, tuple(doubted), mended)


def _copy(text: str, tree: "Group", cells: Mapping[str, Cell], drawn: Mapping[str, float]) -> str:
    """Return the Liberty file with the usable cells alone, and with the areas that count."""
    copy: list[str] = []
    position = 0
    for group in tree.groups_of("cell"):
        copy.append(text[position : group.start])
        position = group.end
        if group.name not in cells:
            continue
        body = text[group.start : group.end]
        if group.name in drawn:
            area = cells[group.name].area
            body = re.sub(r"\barea\s*:\s*[^;\n]*", f"area : {area:g}", body, count=1)
        copy.append(body)
    copy.append(text[position:])
    return "".join(copy)


def _doubted(cells: Mapping[str, Cell]) -> dict[str, str]:
    """Return the cells whose area cannot be, next to the inverter and the 2-input NAND.

    The Liberty files of OSU have a gate of three inputs, OAI21X1, smaller than NAND2X1.
    """
    gate = _nand(cells)
    inverter = _inverter(cells)
    wrong: dict[str, str] = {}
    for cell in cells.values():
        for other, least, kind in (
            (inverter, 1.0, "a gate" if cell.inputs and not cell.flop else ""),
            (gate, 1.0, "a gate of more inputs" if len(cell.inputs) > 2 and not cell.flop else ""),
            (gate, 2.0, "a flip-flop" if cell.flop else ""),
        ):
            if kind and other is not None and cell.area < 0.99 * least * other.area:
                wrong[cell.name] = (
                    f"its area is {cell.area:g}, too little for {kind} next to {other.name} "
                    f"with {other.area:g}"
                )
    return wrong


def _nand(cells: Mapping[str, Cell]) -> Cell | None:
    return _smallest(cell for cell in cells.values() if cell.computes(2, 0b0111))


def _inverter(cells: Mapping[str, Cell]) -> Cell | None:
    return _smallest(cell for cell in cells.values() if cell.computes(1, 0b01))


def _library(
    file: Path,
    name: str,
    text: str,
    cells: Mapping[str, Cell],
    left_out: Mapping[str, str],
    doubted: tuple[str, ...],
    mended: str,
) -> Library:
    gate = _nand(cells)
    inverter = _inverter(cells)
    flop = _smallest(cell for cell in cells.values() if cell.flop and _rises(cell.flop))
    if gate is None or inverter is None or flop is None:
        needed = {"2-input NAND": gate, "inverter": inverter, "D flip-flop": flop}
        missing = " and no ".join(what for what, cell in needed.items() if cell is None)
        raise ToolError(f"No core can be built from {file}: it has no usable {missing}.")
    buffers = [cell for cell in cells.values() if cell.computes(1, 0b10)]
    double = [cell for cell in buffers if re.search(r"[xX_]2$", cell.name)]
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Library(
        name=name,
        source=file,
        path=_kept(text, file.stem, digest),
        digest=digest,
        cells=cells,
        left_out=left_out,
        doubted=doubted,
        mended=mended,
        gate=gate,
        inverter=inverter,
        flop=flop,
        driver=_smallest(double) or _smallest(buffers) or inverter,
        tie_high=_tie(cells, "1"),
        tie_low=_tie(cells, "0"),
    )


def _kept(text: str, stem: str, digest: str) -> Path:
    """Write the copy into the cache, whole or not at all, and return its path."""
    path = cache_dir() / "liberty" / digest[:16] / f"{stem}.lib"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as scratch:
            scratch.write(text)
        Path(scratch.name).replace(path)
    return path


def _smallest(cells: "Iterator[Cell] | list[Cell]") -> Cell | None:
    return min(cells, key=lambda cell: (cell.area, cell.name), default=None)


def _rises(flop: Flop) -> bool:
    return flop.clock.kind == "pin"


def _tie(cells: Mapping[str, Cell], value: str) -> tuple[str, str] | None:
    ties = [
        (cell.area, cell.name, pin.name)
        for cell in cells.values()
        for pin in cell.pins.values()
        if not cell.inputs and pin.function is not None and pin.function.kind == value
    ]
    return min(ties)[1:] if ties else None


# --- One cell -----------------------------------------------------------------------------------

_NOT_FOR_LOGIC = {
    "dont_use": "the file says not to use it",
    "clock_gating_integrated_cell": "it gates a clock",
    "is_isolation_cell": "it isolates a power domain",
    "is_level_shifter": "it shifts a voltage level",
    "always_on": "it belongs to an always-on power domain",
    "switch_cell_type": "it switches a supply",
    "retention_cell": "it keeps its state over power-down",
    "is_macro_cell": "it is a macro",
    "pad_cell": "it is a pad",
}
# What no library should have: reasons to leave a cell out that are worth a note.
_NO_AREA = "it has no area"
_NO_DELAYS = "it has no delays"
_DOUBTS = (_NO_AREA, _NO_DELAYS)
_NOT_PLAIN = {
    "latch": "it is a latch",
    "latch_bank": "it is a latch",
    "statetable": "it is given by a state table",
    "ff_bank": "it holds several bits",
    "bus": "it has bus pins",
    "bundle": "it has bundles of pins",
}


def _cell(group: "Group", area: float, femto: float) -> Cell | str:
    """Return the cell, or why it is left out."""
    for attribute, reason in _NOT_FOR_LOGIC.items():
        if group.attributes.get(attribute, "false").lower() != "false":
            return reason
    for kind, reason in _NOT_PLAIN.items():
        if any(group.groups_of(kind)):
            return reason
    if area <= 0:
        return _NO_AREA
    pins: dict[str, Pin] = {}
    try:
        flop = next((_flop(part) for part in group.groups_of("ff")), None)
        for part in group.groups_of("pin"):
            if "three_state" in part.attributes:
                return "it has a three-state output"
            for name in part.arguments:
                pins[name] = _pin(name, part, femto)
            if _lacks_delays(part):
                return _NO_DELAYS
    except (KeyError, ValueError) as problem:
        return f"it cannot be understood ({problem})"
    return _checked(Cell(group.name, area, pins, flop))


def _lacks_delays(pin: "Group") -> bool:
    """Say whether a pin has a function of others and no table of how long it takes."""
    if pin.attributes.get("function", "0") in {"0", "1"}:
        return False
    tables = {part.kind for arc in pin.groups_of("timing") for part in arc.groups}
    return not tables & {"cell_rise", "cell_fall", "rise_propagation", "fall_propagation"}


def _checked(cell: Cell) -> Cell | str:
    """Return the cell if every output is a function of inputs or of the plain state."""
    inputs = set(cell.inputs)
    if not cell.outputs or len(inputs) + len(cell.outputs) != len(cell.pins):
        return "it has no output, or pins that are neither inputs nor outputs"
    readable = inputs
    if cell.flop is not None:
        if cell.flop.next_state.kind != "pin":
            return "it is a flip-flop that does more than take D (scan or enable)"
        readable = {cell.flop.state, cell.flop.inverse}
    for name in cell.outputs:
        function = cell.pins[name].function
        if function is None or not function.pins <= readable:
            return f"its output {name} is no function of its inputs"
    return cell


def _pin(name: str, group: "Group", femto: float) -> Pin:
    text = group.attributes.get("function")
    return Pin(
        name=name,
        direction=group.attributes["direction"],
        function=None if text is None else boolean.parse(text),
        capacitance=_number(group.attributes.get("capacitance", "0")) * femto,
    )


def _flop(group: "Group") -> Flop:
    def optional(name: str) -> boolean.Expression | None:
        text = group.attributes.get(name)
        return None if text is None else boolean.parse(text)

    state, inverse = group.arguments
    return Flop(
        state=state,
        inverse=inverse,
        next_state=boolean.parse(group.attributes["next_state"]),
        clock=boolean.parse(group.attributes["clocked_on"]),
        clear=optional("clear"),
        preset=optional("preset"),
    )


# --- The text -----------------------------------------------------------------------------------


@dataclass
class Group:
    """A Liberty group, `kind (arguments) { ... }`, and where its text starts and ends."""

    kind: str
    arguments: list[str]
    start: int
    end: int = 0
    attributes: dict[str, str] = field(default_factory=dict)
    groups: list["Group"] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The first argument; empty without one."""
        return self.arguments[0] if self.arguments else ""

    def groups_of(self, kind: str) -> Iterator["Group"]:
        """Yield the groups of one kind inside."""
        return (group for group in self.groups if group.kind == kind)


_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_ITEM = re.compile(
    r"\}"
    r"|(?P<word>\w+)\s*(?:"
    r"\((?P<arguments>[^()]*)\)\s*(?P<opens>\{)?"
    r'|:\s*(?P<value>"[^"]*"|[^;\n{}]*)'
    r")"
)


def _tree(text: str) -> Group | None:
    """Return the library group, or None when `text` is no Liberty file."""
    # Blanking the comments leaves every other character where it was.
    text = _COMMENT.sub(lambda comment: " " * len(comment[0]), text)
    library: Group | None = None
    open_groups: list[Group] = []
    for item in _ITEM.finditer(text):
        word = item["word"]
        if word is None:
            if not open_groups:
                return None
            closed = open_groups.pop()
            closed.end = item.end()
            if not open_groups:
                return closed
        elif item["opens"]:
            arguments = [_unquoted(part) for part in item["arguments"].split(",")]
            group = Group(word, arguments, item.start())
            if open_groups:
                open_groups[-1].groups.append(group)
            elif word != "library":
                return None
            else:
                library = group
            open_groups.append(group)
        elif library is None:
            return None
        elif item["value"] is not None:
            open_groups[-1].attributes[word] = _unquoted(item["value"])
        else:
            open_groups[-1].attributes[word] = item["arguments"]
    return None


def _unquoted(text: str) -> str:
    return text.strip().strip('"').strip()


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def femtofarads(library: Group) -> float:
    """Return how many fF the library's unit of capacitance is."""
    unit = library.attributes.get("capacitive_load_unit", "1,pf").replace('"', "").split(",")
    scale = {"ff": 1.0, "pf": 1e3, "nf": 1e6}
    return _number(unit[0]) * scale.get(unit[-1].strip().lower(), 1e3)


def _lef_areas(text: str) -> dict[str, float]:
    """Return the drawn area of every macro in a LEF file, in um^2."""
    areas: dict[str, float] = {}
    for macro in re.finditer(r"^MACRO\s+(\S+)(.*?)^END\s+\1", text, re.DOTALL | re.MULTILINE):
        size = re.search(r"SIZE\s+([\d.]+)\s+BY\s+([\d.]+)", macro[2])
        if size is not None:
            areas[macro[1]] = round(float(size[1]) * float(size[2]), 4)
    return areas
