"""The floorplan of a core: where its parts stand, so that placement follows the flow of the data.

After Saggese et al. 2003, section 4 and Fig. 4. Of a loop of one round the components stand side
by side in the order in which they process the data: S-boxes, then MixColumns and key addition,
then the key schedule, all as high as a column of the S-boxes' block RAMs; control is left to the
tools. Of several rounds, a loop or a pipe, each is one region: the first half on the upper row
from left to right, the second half below and back, so that each touches the next, and the last
of a ring the first. (He had to split round 7 over two rows; regions of one height need not.)
Tiles stand side by side, then above each other.

Regions are sized by the LUTs of their parts: counted in a mapped netlist where one is given, else
estimated, the same for every round.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyslang

from roundsmith import spec as formulas
from roundsmith.base.errors import RoundsmithError
from roundsmith.design import ciphers, generate
from roundsmith.spec import Spec

#: The device that sizes are for: Xilinx 7 series, where a slice has four LUTs and eight
#: flip-flops, and a block RAM of 18 kbit is as high as 2.5 slices.
SLICE_LUTS = 4
SLICE_FLIP_FLOPS = 8
RAMS_OF_ROWS = (2, 5)

#: The default part: slice columns and rows, and slice columns from one column of RAM to the next.
PART = "xc7a200t"
COLUMNS, ROWS = 164, 250
RAM_PITCH = 18

#: Share of the slices of a region that its part fills.
FILLED = 0.6

#: LUTs of a round besides its S-boxes, where no netlist tells.
_LINEAR_LUTS = 450
_KEY_LUTS = 200

#: The modules of the parts, without `rsm_` and the word of the cipher.
_KEYS = ("key_store", "key_ends", "key_generator")
_ROUNDS = ("stage", "round")
_TRAVEL = ("key_travel",)
_SUB = ("sub_bytes", "sub")
_LINEAR = ("linear", "mix_columns")

#: Heights of regions are multiples of this: four RAMs of 18 kbit.
_STEP = 10


@dataclass(frozen=True)
class Region:
    """A rectangle of slices with the instances that stand in it.

    `x` and `y` are its lower left corner, counted from that of the floorplan. `rams` columns of
    block RAM belong to it, from column `ram_x` on.
    """

    name: str
    instances: tuple[str, ...]
    x: int
    y: int
    width: int
    height: int
    ram_x: int = 0
    rams: int = 0


@dataclass(frozen=True)
class _Part:
    """What will be a region: its instances, its slices and its block RAMs of 18 kbit."""

    name: str
    instances: tuple[str, ...]
    slices: int
    rams: int


# --- What there is to place -----------------------------------------------------------------


def instances(spec: Spec) -> list[tuple[str, str]]:
    """Return path and module of every instance below the top, as `u_core/gen_loop.u_loop`."""
    design = generate.design(spec)
    compilation = pyslang.ast.Compilation()
    for file in design.library:
        compilation.addSyntaxTree(pyslang.syntax.SyntaxTree.fromText(file.read_text(), file.name))
    compilation.addSyntaxTree(pyslang.syntax.SyntaxTree.fromText(design.top, design.module))
    tops = [t for t in compilation.getRoot().topInstances if t.name == design.module]
    if not tops:
        raise RoundsmithError(f"The top of {spec.name} cannot be elaborated.")
    return list(_below(tops[0].body, ""))


def _below(scope: Any, prefix: str) -> Iterator[tuple[str, str]]:
    kinds = pyslang.ast.SymbolKind
    for member in scope:
        if member.kind == kinds.Instance:
            path = f"{prefix}{member.name}"
            yield path, member.definition.name
            yield from _below(member.body, f"{path}/")
        elif member.kind == kinds.GenerateBlock and not member.isUninstantiated:
            yield from _below(member, f"{prefix}{member.name}.")
        elif member.kind == kinds.GenerateBlockArray:
            for index, entry in enumerate(member.entries):
                yield from _below(entry, f"{prefix}{member.name}[{index}].")


def _parts(spec: Spec, core: str, found: Sequence[tuple[str, str]]) -> list[_Part]:
    """Return the parts of the core at path `core`, in the order in which data passes them."""
    if spec.is_narrow:
        return [_estimated(spec, "core", [core])]
    start = f"rsm_{spec.what.cipher}_"
    ours = [
        (path, module.removeprefix(start))
        for path, module in found
        if path.startswith(f"{core}/") and module.startswith(start)
    ]
    keys = _outermost(p for p, m in ours if m in _KEYS)
    rounds: dict[int, list[str]] = {}
    for path in _outermost(p for p, m in ours if m.startswith(_ROUNDS)):
        number = re.findall(r"gen_stage\[(\d+)\]", path)
        rounds.setdefault(int(number[0]) if number else 0, []).append(path)
    if len(rounds) > 1:
        parts = [(f"round_{n + 1}", paths) for n, paths in sorted(rounds.items())]
        return [_estimated(spec, name, paths) for name, paths in [*parts, ("keys", keys)] if paths]
    travel = [path for path, module in ours if module in _TRAVEL]
    sub = _outermost(p for p, m in ours if m in _SUB and "u_key" not in p)
    linear = _outermost(p for p, m in ours if m in _LINEAR)
    if not sub or not linear:
        only = [path for paths in rounds.values() for path in paths]
        return [_estimated(spec, "round_1", only)]
    parts = [("sub_bytes", sub), ("linear", linear), ("keys", _outermost([*travel, *keys]))]
    return [_estimated(spec, name, paths) for name, paths in parts if paths]


def _outermost(paths: Iterator[str] | Sequence[str]) -> list[str]:
    """Return the paths that are inside none of the others."""
    all_paths = sorted(paths)
    return [p for p in all_paths if not any(p.startswith(f"{q}/") for q in all_paths)]


def _estimated(spec: Spec, name: str, paths: Sequence[str]) -> _Part:
    sbox = ciphers.of(spec.what.cipher).byte_luts(spec)
    key_luts, key_bits = 4 * sbox + _KEY_LUTS, max(spec.what.key_bits)
    in_memory = spec.sbox.memory
    registers = max(1, formulas.round_latency(spec))
    luts, bits, rams = {
        "sub_bytes": (16 * sbox, 128 * registers, 8),
        "linear": (_LINEAR_LUTS, 128, 0),
        "keys": (key_luts, key_bits * registers, 2),
    }.get(name, (16 * sbox + _LINEAR_LUTS + key_luts, (128 + key_bits) * registers, 10))
    return _Part(name, tuple(paths), _slices(luts, bits), rams if in_memory else 0)


def _slices(luts: int, flip_flops: int = 0) -> int:
    used = max(luts / SLICE_LUTS, flip_flops / SLICE_FLIP_FLOPS)
    return max(1, math.ceil(used / FILLED))


def luts_by_part(netlist: Path, paths: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Count the LUTs of each part in a flat netlist (Yosys JSON), by the names of its cells.

    `paths` are the instances of each part. Where optimisation joined two, a LUT counts to the one
    whose net it drives.
    """
    inside = {p.replace("/", "."): part for part, all_ in paths.items() for p in all_}
    modules = json.loads(netlist.read_text())["modules"].values()
    module = next(m for m in modules if int(m["attributes"].get("top", "0"), 2))
    counts: Counter[str] = Counter()
    for name, cell in module["cells"].items():
        if "LUT" in cell["type"]:
            counts.update(part for path, part in inside.items() if name.startswith(f"{path}."))
    return dict(counts)


# --- Where it stands ------------------------------------------------------------------------


def plan(spec: Spec, netlist: Path | None = None) -> list[Region]:
    """Return the regions of `spec`, sized by `netlist` where one is given."""
    found = instances(spec)
    cores = [path for path, module in found if module == ciphers.core_module(spec)]
    regions: list[Region] = []
    right = bottom = 0
    for index, (core, tile) in enumerate(zip(cores, spec.tiles(), strict=True)):
        parts = _parts(tile, core, found)
        if netlist is not None:
            luts = luts_by_part(netlist, {part.name: part.instances for part in parts})
            parts = [_counted(part, luts) for part in parts]
        prefix = f"tile_{index}_" if len(cores) > 1 else ""
        placed = _rows(parts, prefix, right)
        if right and max(region.x + region.width for region in placed) > COLUMNS:
            # The next tile stands above the first.
            bottom = max(region.y + region.height for region in regions)
            placed = _rows(parts, prefix, 0)
        right = max(region.x + region.width for region in placed)
        regions += [replace(region, y=region.y + bottom) for region in placed]
    return regions


def _counted(part: _Part, luts: Mapping[str, int]) -> _Part:
    slices = _slices(luts[part.name]) if part.name in luts else part.slices
    return _Part(part.name, part.instances, slices, part.rams)


def _rows(parts: Sequence[_Part], prefix: str, left: int) -> list[Region]:
    """Place `parts` from `left` on: components in one row, rounds in a serpentine of two."""
    rounds = [part for part in parts if part.name.startswith("round")]
    others = [part for part in parts if part not in rounds]
    if any(part.rams for part in parts):
        left = RAM_PITCH * math.ceil(left / RAM_PITCH)
    half = (len(rounds) + 1) // 2
    upper, lower = (rounds[:half], rounds[half:]) if len(rounds) > 1 else (list(parts), [])
    height = _STEP * 2
    while max(_width(upper, height), _width(lower, height)) > 3 * height * (2 if lower else 1):
        height += _STEP
    regions = _row(upper, prefix, left, height if lower else 0, height)
    # Back below: the last region of the upper row is above the first of the lower.
    end = max(region.x + region.width for region in regions)
    back = _row(lower, prefix, 0, 0, height)
    length = sum(region.width for region in back)
    for region in back:
        x = max(end, left + length) - region.x - region.width
        regions.append(_moved(region, x))
    if lower and others:
        end = max(region.x + region.width for region in regions)
        regions += _row(others, prefix, end, 0, 2 * height)
    return regions


def _columns(part: _Part, height: int) -> int:
    """Return the slice columns of a part: whole columns of RAM where it has RAMs."""
    columns = math.ceil(part.slices / height)
    if not part.rams:
        return columns
    high, low = RAMS_OF_ROWS
    rams = math.ceil(part.rams / (height * high // low))
    return RAM_PITCH * max(rams, math.ceil(columns / RAM_PITCH))


def _width(parts: Sequence[_Part], height: int) -> int:
    return sum(_columns(part, height) for part in parts)


def _row(parts: Sequence[_Part], prefix: str, left: int, y: int, height: int) -> list[Region]:
    regions = []
    aligned = any(part.rams for part in parts)
    for part in parts:
        width = _columns(part, height)
        if aligned:
            # A part without RAMs ends where the next column of RAM begins.
            width = RAM_PITCH * math.ceil(width / RAM_PITCH)
        region = Region(f"{prefix}{part.name}", part.instances, left, y, width, height)
        regions.append(_with_rams(region, bool(part.rams)))
        left += width
    return regions


def _with_rams(region: Region, rams: bool) -> Region:
    if not rams:
        return region
    columns = region.width // RAM_PITCH
    return replace(region, ram_x=region.x // RAM_PITCH, rams=columns)


def _moved(region: Region, x: int) -> Region:
    return _with_rams(replace(region, x=x), bool(region.rams))


# --- Xilinx ---------------------------------------------------------------------------------


def xdc(
    spec: Spec, netlist: Path | None = None, *, named: Callable[[str], str] = lambda path: path
) -> str:
    """Return the floorplan as Pblocks in Xilinx' constraint language, sized by `netlist`.

    `named` says what the path of an instance is in the sources that Vivado reads. It uses no
    command but those that Vivado takes in an XDC file.
    """
    regions = plan(spec, netlist)
    wide = max(region.x + region.width for region in regions)
    high = max(region.y + region.height for region in regions)
    sized = "counted in a mapped netlist" if netlist is not None else "estimated"
    lines = [
        f"# Floorplan of {spec.module} for Xilinx 7 series: Pblocks in the order in which data",
        "# passes them (Saggese et al. 2003, section 4, Fig. 4). Use it when placement decides the",
        "# clock; nothing in the core needs it. Not tried on a device: Vivado was not at hand.",
        "#",
        f"# It takes {wide} x {high} slices; {PART}, for which it is made, has {COLUMNS} x {ROWS}.",
        f"# LUTs are {sized}, slices filled to {FILLED:.0%}. A column of block RAM is",
        f"# taken to stand every {RAM_PITCH} columns of slices. Move it by its origins; rsm_y0 a",
        "# multiple of 10, so that RAMs and slices stand beside each other.",
        "# The hierarchy must survive synthesis: -flatten_hierarchy rebuilt (the default) or none.",
        "",
        '# Where the core stands in the design: "" for the top, else such as "u_system/u_aes/".',
        'set rsm_core ""',
        "# Lower left corner: column and row of slices, first column of block RAM.",
        "set rsm_x0 0",
        "set rsm_y0 0",
        "set rsm_ram_x0 0",
    ]
    for region in regions:
        name = f"{spec.module}_{region.name}"
        lines += ["", f"create_pblock {name}"]
        lines += [f'resize_pblock [get_pblocks {name}] -add "{r}"' for r in _ranges(region)]
        # In quotes, so that the prefix is put in; a bracket would be a command there.
        cells = [re.sub(r"([\[\]])", r"\\\1", named(path)) for path in region.instances]
        listed = " ".join(f'"${{rsm_core}}{cell}"' for cell in cells)
        lines.append(f"add_cells_to_pblock [get_pblocks {name}] [get_cells [list {listed}]]")
    return "\n".join(lines) + "\n"


def _ranges(region: Region) -> list[str]:
    def at(origin: str, offset: int) -> str:
        return f"[expr {{{origin} + {offset}}}]"

    def corner(site: str, x: str, y: str) -> str:
        return f"{site}_X{x}Y{y}"

    right, top = region.x + region.width - 1, region.y + region.height - 1
    found = [
        corner("SLICE", at("$rsm_x0", region.x), at("$rsm_y0", region.y))
        + ":"
        + corner("SLICE", at("$rsm_x0", right), at("$rsm_y0", top))
    ]
    if region.rams:
        high, low = RAMS_OF_ROWS
        rows = f"$rsm_y0 * {high} / {low}"
        first, last = region.y * high // low, (top + 1) * high // low - 1
        end = region.ram_x + region.rams - 1
        found.append(
            corner("RAMB18", at("$rsm_ram_x0", region.ram_x), at(rows, first))
            + ":"
            + corner("RAMB18", at("$rsm_ram_x0", end), at(rows, last))
        )
    return found
