"""How large a core is on FPGA families that Yosys maps to by itself: area and levels, no clock.

Each family is a file of `target_data`: Yosys' script for it with the variants to choose from, what
each of its cells counts as, and the rule by which cells fill slices. Cells are named by regular
expressions. Of the variants the netlist with the fewest slices counts, of these the one with the
fewest LUTs. The families of roundsmith.flows.xilinx_lut4, whose logic is LUT4, have a flow of their
own.

What is counted:

- `lut`: LUTs of any size, inverters, and the LUTs that shift registers and distributed RAM take.
- `slices`, which nothing that obeys the family's rule can go below.
- `levels`: LUTs, reads of distributed RAM included, on the longest path between registers, block
  RAMs and ports. Carry chains and the multiplexers that join LUTs are wires here.
"""

import json
import math
import re
import shutil
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from roundsmith.base.cache import kept
from roundsmith.tools import yosys

#: The files of the families.
DATA = Path(__file__).parent / "target_data"

#: What the cells of a netlist are counted as, besides the room that they take.
COUNTS = ("lut", "ff", "block_ram", "carry", "wide_mux", "shift_register", "lut_ram")

# What of a family's file decides no figure.
_WORDS = {"name", "rule", "unit", "models"}

# Which inputs decide an output of a distributed RAM that is read: the address of the same port.
_READS = {
    r"DO([A-H])": r"ADDR\1",
    r"DPO": r"DPRA\d?",
    r"SPO|O\d?": r"A\d?",
    r"B1DATA": r"B1ADDR",
    r"DO": r"RAD",
}

#: Patterns of cell types, and what a cell of such a type counts.
_Weights = Mapping[str, float]


@dataclass(frozen=True)
class Family:
    """A family as its file describes it.

    `unit` is what its slice is called, `models` are the files of Yosys that simulate its cells.
    """

    name: str
    synthesis: str
    variants: tuple[str, ...]
    rule: str
    unit: str
    models: tuple[str, ...]
    holds: Mapping[str, int]
    counts: Mapping[str, _Weights]
    room: _Weights
    level: _Weights
    text: str

    def count(self, kind: str, cells: Mapping[str, int]) -> int:
        """Return how much of one kind of COUNTS the `cells` by type are."""
        return math.ceil(sum(_weight(self.counts[kind], c) * n for c, n in cells.items()))

    def slices(self, cells: Mapping[str, int]) -> int:
        """Return the fewest slices that hold the `cells` by type."""
        room = sum(_weight(self.room, cell) * n for cell, n in cells.items())
        flops = self.count("ff", cells)
        return max(math.ceil(room / self.holds["lut"]), math.ceil(flops / self.holds["ff"]))

    def flow(self, *, plain: bool) -> str:
        """Return all that decides a figure, for its record."""
        return f"mapped by Yosys {'plain' if plain else self.variants} {self.text}"


@dataclass(frozen=True)
class Fitted:
    """A mapped netlist, what it takes by COUNTS, and its levels of logic."""

    mapping: str
    verilog: Path
    counts: Mapping[str, int]
    slices: int
    levels: int


def names(data: Path = DATA) -> list[str]:
    """Return the families by the names of their files."""
    return sorted(path.stem for path in data.glob("*.toml"))


@cache
def find(name: str, folder: Path = DATA) -> Family:
    """Return the family of this name, whose file is in `folder`."""
    text = (folder / f"{name}.toml").read_text()
    data = tomllib.loads(text)
    return Family(
        name=data["name"],
        synthesis=data["synthesis"],
        variants=tuple(data["variants"]),
        rule=data["rule"],
        unit=data["unit"],
        models=tuple(data["models"]),
        holds=data["holds"],
        counts={kind: data[kind] for kind in COUNTS},
        room=data.get("room", data["lut"]),
        level=data["level"],
        text=json.dumps({key: value for key, value in data.items() if key not in _WORDS}),
    )


def synthesize(
    files: Sequence[Path], top: str, family: Family, folder: Path, *, plain: bool = False
) -> Fitted:
    """Map SystemVerilog `files` with module `top` to a family, the netlist into `folder`.

    `plain` leaves the variants out. Raises ToolError when Yosys refuses the design.
    """
    variants = family.variants[:1] if plain else family.variants
    found = [_mapped(files, top, family, variant) for variant in variants]
    best = min(found, key=lambda made: (made.slices, made.counts["lut"], made.counts["ff"]))
    folder.mkdir(parents=True, exist_ok=True)
    verilog = Path(shutil.copyfile(best.verilog, folder / "mapped.v"))
    return Fitted(best.mapping, verilog, best.counts, best.slices, best.levels)


def _mapped(files: Sequence[Path], top: str, family: Family, variant: str) -> Fitted:
    synthesis = f"{family.synthesis} {variant}".strip()
    script = [
        f"{synthesis} -top {top}",
        # Source positions would tie the netlist to the folder in which it was made.
        "attrmap -remove src",
        "write_json mapped.json",
        "write_verilog -noattr mapped.v",
    ]
    read = yosys.read_slang([file.resolve() for file in files], top)
    folder = kept(
        "family-netlists",
        [yosys.version(), top, *script],
        [file.read_bytes() for file in files],
        lambda work: yosys.run([read, *script], what=f"{synthesis} of {top}", folder=work),
    )
    cells = json.loads((folder / "mapped.json").read_text())["modules"][top]["cells"]
    kinds = Counter(cell["type"] for cell in cells.values())
    return Fitted(
        mapping=variant.removeprefix("-") or "as Yosys does",
        verilog=folder / "mapped.v",
        counts={kind: family.count(kind, kinds) for kind in COUNTS},
        slices=family.slices(kinds),
        levels=levels(cells, family.level),
    )


def levels(cells: Mapping[str, Any], level: _Weights) -> int:
    """Return the levels on the longest path through the `cells` of a netlist in Yosys JSON.

    Cells that `level` does not name end a path. A loop of logic counts once around.
    """
    drivers: dict[int, tuple[float, list[int]]] = {}
    for cell in cells.values():
        weight = _find(level, cell["type"])
        if weight is not None:
            for output, inputs in _arcs(cell):
                drivers[output] = (weight, inputs)
    depth: dict[int, float] = {}
    opened: set[int] = set()
    todo = list(drivers)
    while todo:
        at = todo[-1]
        weight, inputs = drivers[at]
        if at in depth or at in opened:
            # All inputs are known by now, but for those of a loop.
            known = (depth.get(bit, 0.0) for bit in inputs)
            depth.setdefault(at, weight + max(known, default=0.0))
            todo.pop()
            continue
        opened.add(at)
        todo += [bit for bit in inputs if bit in drivers and bit not in opened]
    return round(max(depth.values(), default=0.0))


def _arcs(cell: Mapping[str, Any]) -> Iterator[tuple[int, list[int]]]:
    """Yield every output bit of a combinational cell, with the input bits that decide it."""
    ways = cell["port_directions"]
    is_memory = any("CLK" in pin or "WCK" in pin for pin in ways)
    for pin, way in ways.items():
        if way != "output" or pin not in cell["connections"]:
            continue
        inputs = {p for p, w in ways.items() if w == "input" and (not is_memory or _reads(pin, p))}
        bits = [b for p in inputs for b in cell["connections"].get(p, []) if isinstance(b, int)]
        for bit in cell["connections"][pin]:
            if isinstance(bit, int):
                yield bit, bits


def _reads(output: str, address: str) -> bool:
    """Say whether `address` is the address that `output` of a distributed RAM is read at."""
    for outputs, addresses in _READS.items():
        match = re.fullmatch(outputs, output)
        if match is not None:
            return re.fullmatch(match.expand(addresses.replace(r"\d", r"\\d")), address) is not None
    return False


def _weight(weights: _Weights, cell: str) -> float:
    return _find(weights, cell) or 0.0


def _find(weights: _Weights, cell: str) -> float | None:
    return next((w for pattern, w in weights.items() if re.fullmatch(pattern, cell)), None)
