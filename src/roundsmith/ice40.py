"""How large and how fast a core is on an iCE40 HX8K, with and without a floorplan.

Native cores have some 400 ports, the package 206 pins. So the mapped netlist of a core, as it is,
stands in a shell of registers: one shift register holds all inputs, every output has a register
of its own, and a second shift register adds them up; the clock and the two ends of the shift
registers are the only pins. Every path of the core is therefore between registers and counts in
its fmax. LUTs, flip-flops and memories are counted in the netlist of the core alone; that the
shell stands on the same device is part of what is measured.

The same mappings as for ECP5, but for wide LUTs, which iCE40 does not have. nextpnr's placer
`static` was better than `heap` on both loops tried: 93.1 against 88.1 MHz with block RAM, 67.0
against 64.8 with computed S-boxes.

The floorplan fixes cells by the attribute `BEL` in the order in which data passes them, after
Saggese 2003, section 4, and leaves everything else to the placer:

- S-boxes in block RAM stand in the two columns of memories at the middle of their height, byte
  after byte, those of the key schedule between them; the output register of a byte stands
  beside its S-box. This gains: 99.0 MHz against 93.1. Memories alone: 96.4. Key memories above
  the others: 91.9. All S-boxes of the state in one column: 90.5, against 88.1 with `heap`. Key
  registers beside the S-boxes as well: 91.9, because each shares a logic cell with the LUT in
  front of it. (Another form of the core, seven seeds: 86.8 against 81.1.)
- Without memories the registers of the state stand in a grid, a column of the state a column of
  the grid. This does not gain: 66.5 MHz against 67.0 four tiles apart, the best of five (a
  transposed grid, narrower grids, key registers beside them: 64.5 to 65.9).

(Medians of three seeds of `saggese-iterative` and `iterative-lut4` in their first form.)
"""

import json
import re
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from roundsmith import components, fpga
from roundsmith.cache import kept
from roundsmith.components import Role
from roundsmith.errors import ToolError
from roundsmith.fpga import FpgaNetlist, Placement, Progress, Run
from roundsmith.tools import nextpnr, yosys

#: Sizes that can be measured on, with a package each.
PACKAGES = {"hx8k": "ct256"}

#: Highest frequency of the global buffer network in MHz: fMAX_GBUF in the data sheet of the HX
#: family (Lattice, FPGA-DS-02029; the value has yet to be compared with the document itself).
CLOCK_TREE_MHZ = 275.0

MAPPINGS = {name: choice for name, choice in fpga.MAPPINGS.items() if not choice.wide}

OPTIONS = ("--placer", "static")
TARGET_MHZ = 120
SEEDS = (1, 2, 3)

#: The floorplan. Columns and rows of the memories of an HX8K, each memory two tiles high; corner
#: and pitch of the grid of bytes in tiles.
RAM_COLUMNS = (8, 25)
RAM_ROWS = tuple(range(1, 33, 2))
GRID_CORNER = (9, 9)
GRID_PITCH = 4

#: Everything above that decides a figure, for the record of a measurement.
FLOW = f"ice40 {PACKAGES} {MAPPINGS} {OPTIONS} {TARGET_MHZ} {SEEDS} {CLOCK_TREE_MHZ} shell 1"
FLOORPLAN = f"floorplan 1 {RAM_COLUMNS} {RAM_ROWS} {GRID_CORNER} {GRID_PITCH}"

Module = dict[str, Any]


def synthesize(files: list[Path], top: str, folder: Path, mapping: str = "area") -> FpgaNetlist:
    """Map SystemVerilog `files` with module `top` to iCE40 cells; the netlist goes to `folder`."""
    script = [
        yosys.read_slang([file.resolve() for file in files], top),
        f"scratchpad -set abc9.script {MAPPINGS[mapping].script}",
        f"synth_ice40 -device hx -abc9 -top {top}",
        "attrmap -remove src",
        "write_json netlist.json",
        "write_verilog -noattr netlist.v",
    ]
    made = kept(
        "ice40-synthesis",
        [yosys.version(), top, *script[1:]],
        [file.read_bytes() for file in files],
        lambda work: yosys.run(script, what=f"Synthesis of {top} for iCE40", folder=work),
    )
    folder.mkdir(parents=True, exist_ok=True)
    json_file = Path(shutil.copyfile(made / "netlist.json", folder / f"{top}_{mapping}.json"))
    verilog = Path(shutil.copyfile(made / "netlist.v", folder / f"{top}_{mapping}.v"))
    cells = _module(json_file, top)["cells"].values()
    kinds = Counter(str(cell["type"]) for cell in cells)
    return FpgaNetlist(
        top=top,
        mapping=mapping,
        json=json_file,
        verilog=verilog,
        lut=kinds["SB_LUT4"],
        ff=sum(number for kind, number in kinds.items() if kind.startswith("SB_DFF")),
        block_ram=sum(number for kind, number in kinds.items() if kind.startswith("SB_RAM40")),
    )


def _module(netlist: Path, top: str) -> Module:
    module: Module = json.loads(netlist.read_text())["modules"][top]
    return module


# --- The shell ------------------------------------------------------------------------------


def in_shell(module: Module) -> Module:
    """Return a flat netlist inside its shell of registers; the given one is left as it is."""
    clock = module["ports"]["clk_i"]["bits"][0]
    bits = [b for net in module["netnames"].values() for b in net["bits"] if isinstance(b, int)]
    fresh = iter(range(max(bits) + 1, 1 << 30))
    cells = dict(module["cells"])

    def register(name: str, d: int | str, q: int) -> int:
        cells[name] = _cell("SB_DFF", {}, {"C": clock, "D": d}, {"Q": q})
        return q

    def exclusive_or(name: str, a: int | str, b: int | str) -> int:
        out = next(fresh)
        pins = {"I0": a, "I1": b, "I2": "0", "I3": "0"}
        cells[name] = _cell("SB_LUT4", {"LUT_INIT": f"{0x6666:016b}"}, pins, {"O": out})
        return out

    start = next(fresh)
    shifted: int | str = start
    for name, index, bit in _port_bits(module, "input"):
        if name != "clk_i":
            shifted = register(f"shell.{name}[{index}]", shifted, bit)
    total: int | str = "0"
    for name, index, bit in _port_bits(module, "output"):
        seen = register(f"shell.{name}[{index}]", bit, next(fresh))
        mixed = exclusive_or(f"shell.{name}_sum[{index}]", seen, total)
        total = register(f"shell.{name}_shifted[{index}]", mixed, next(fresh))
    ports = {
        "clk_i": module["ports"]["clk_i"],
        "shift_i": {"direction": "input", "bits": [start]},
        "shift_o": {"direction": "output", "bits": [total]},
    }
    return {**module, "ports": ports, "cells": cells}


def _port_bits(module: Module, direction: str) -> list[tuple[str, int, Any]]:
    return [
        (name, index, bit)
        for name, port in module["ports"].items()
        if port["direction"] == direction
        for index, bit in enumerate(port["bits"])
    ]


def _cell(
    kind: str, parameters: dict[str, str], inputs: dict[str, Any], outputs: dict[str, int]
) -> dict[str, Any]:
    directions = dict.fromkeys(inputs, "input") | dict.fromkeys(outputs, "output")
    return {
        "hide_name": 0,
        "type": kind,
        "parameters": parameters,
        "attributes": {},
        "port_directions": directions,
        "connections": {pin: [bit] for pin, bit in {**inputs, **outputs}.items()},
    }


# --- The floorplan --------------------------------------------------------------------------


def floorplan(module: Module) -> dict[str, str]:
    """Return the place of every cell that the floorplan fixes, by its name."""
    state, key = _memories(module)
    if not state:
        return _registers(module, _grid(), r"(?<!head_)state\w*$")
    if len(state) + len(key) > len(RAM_COLUMNS) * len(RAM_ROWS):
        return {}
    fixed, beside = {}, {}
    for side, x in enumerate(RAM_COLUMNS):
        ours, keys = _half(state, side), _half(key, side)
        middle = len(ours) // 2
        order = [*ours[:middle], *((name, -1) for name in keys), *ours[middle:]]
        first = (len(RAM_ROWS) - len(order)) // 2
        for (name, byte), y in zip(order, RAM_ROWS[first:], strict=False):
            fixed[name] = f"X{x}/Y{y}/ram"
            if byte >= 0:
                beside[byte] = (x + (1 if side else -1), y)
    return fixed | _registers(module, beside, r"^out_block_o$")


def _half(items: Sequence[Any], side: int) -> list[Any]:
    cut = (len(items) + 1) // 2
    return list(items[cut:] if side else items[:cut])


def _memories(module: Module) -> tuple[list[tuple[str, int]], list[str]]:
    """Return the S-boxes of the state with their bytes, and those of the key schedule, in order."""
    state, key = [], []
    for name, cell in module["cells"].items():
        place = re.search(r"gen_pair\[(\d+)\].*\brom\.(\d)", name)
        if place is None or not cell["type"].startswith("SB_RAM40"):
            continue
        low = 2 * int(place[1]) + int(place[2])
        if "u_sub_word" in name:
            key.append((name[: place.start()], 3 - low, name))
        else:
            state.append((name[: place.start()], 15 - low, name))
    return [(name, byte) for _, byte, name in sorted(state)], [name for _, _, name in sorted(key)]


def _grid() -> dict[int, tuple[int, int]]:
    """Return the tile of every byte: byte 4c + r stands in column c and row r."""
    x, y = GRID_CORNER
    return {b: (x + GRID_PITCH * (b // 4), y + GRID_PITCH * (b % 4)) for b in range(16)}


def _registers(module: Module, tiles: Mapping[int, tuple[int, int]], wanted: str) -> dict[str, str]:
    """Place registers of 128 bits whose names match `wanted`, a byte in a tile.

    The first such register stands in `tiles`, more of them to the right. The flip-flops of a
    tile share enable and reset, so one that has others is left to the placer.
    """
    names: dict[Any, tuple[str, int]] = {}
    for name, net in module["netnames"].items():
        if len(net["bits"]) == 128 and re.search(wanted, name):
            for index, bit in enumerate(net["bits"]):
                names.setdefault(bit, (name, index))
    fixed, banks, shared = {}, list[str](), dict[tuple[int, int], Any]()
    for cell_name, cell in sorted(module["cells"].items()):
        if not cell["type"].startswith("SB_DFF"):
            continue
        pins = cell["connections"]
        bank, index = names.get(pins["Q"][0], ("", 0))
        if not bank:
            continue
        if bank not in banks:
            banks.append(bank)
        x, y = tiles[15 - index // 8]
        tile = (x + banks.index(bank), y)
        control = (cell["type"], pins.get("E"), pins.get("S"), pins.get("R"))
        if len(banks) <= GRID_PITCH and shared.setdefault(tile, control) == control:
            fixed[cell_name] = f"X{tile[0]}/Y{tile[1]}/lc{index % 8}"
    return fixed


# --- Place and route ------------------------------------------------------------------------


def measure(
    files: list[Path],
    top: str,
    size: str,
    folder: Path,
    *,
    floorplanned: bool = False,
    seeds: Sequence[int] = SEEDS,
    progress: Progress | None = None,
) -> Placement:
    """Return the placement of the best mapping, by the highest frequency per LUT4.

    The mapping is chosen without a floorplan, so that both kinds of figures are of one netlist.
    Raises ToolError when a program is missing or fails.
    """
    if size not in PACKAGES:
        raise ToolError(f"No iCE40 of size '{size}' is measured on; there is hx8k.")
    nextpnr.ice40_version()
    total, done = 2 * len(MAPPINGS) + len(seeds), 0

    def tell(text: str) -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(text, min(done, total), total)

    netlists = []
    for mapping in MAPPINGS:
        netlists.append(synthesize(files, top, folder, mapping))
        tell(f"mapping '{mapping}': {netlists[-1].lut:,} LUT4")

    def place(netlist: FpgaNetlist, seed: int, fixed: bool) -> Run:
        run = _run(netlist, size, seed, fixed, folder)
        tell(f"mapping '{netlist.mapping}', seed {seed}: {run.fmax_mhz:.1f} MHz")
        return run

    with ThreadPoolExecutor(max_workers=2) as pool:
        tried = list(pool.map(lambda netlist: place(netlist, seeds[0], False), netlists))
        merits = [run.fmax_mhz / max(1, n.lut) for n, run in zip(netlists, tried, strict=True)]
        netlist = netlists[merits.index(max(merits))]
        runs = list(pool.map(lambda seed: place(netlist, seed, floorplanned), seeds))
    return _placement(netlist, size, floorplanned, runs)


def _run(netlist: FpgaNetlist, size: str, seed: int, fixed: bool, folder: Path) -> Run:
    module = _module(netlist.json, netlist.top)
    shell = in_shell(module)
    places = floorplan(module) if fixed else {}
    for name, bel in places.items():
        cell = shell["cells"][name]
        shell["cells"][name] = {**cell, "attributes": {**cell["attributes"], "BEL": bel}}
    given = folder / f"{netlist.top}_{netlist.mapping}_shell{'_placed' if fixed else ''}.json"
    text = json.dumps({"creator": "roundsmith", "modules": {netlist.top: shell}})
    given.write_text(text)

    def work(room: Path) -> None:
        nextpnr.run_ice40(
            given,
            room,
            size=size,
            package=PACKAGES[size],
            freq=TARGET_MHZ,
            seed=seed,
            options=OPTIONS,
        )
        bels = nextpnr.placed_bels((room / "placed.json").read_text())
        (room / "bels.json").write_text(json.dumps(bels))
        (room / "placed.json").unlink()

    words = [nextpnr.ice40_version(), size, PACKAGES[size], *OPTIONS, str(TARGET_MHZ), str(seed)]
    made = kept("ice40-placement", words, [text.encode()], work)
    report = nextpnr.parse_report((made / "report.json").read_text())
    if not report.fmax:
        raise ToolError(f"{netlist.top} has no path from register to register, so no fmax.")
    inside = [p for p in report.paths if "async" not in p.start and "async" not in p.end]
    path = max(inside, key=lambda p: p.delay, default=None)
    fmax = min(report.fmax.values())
    return Run(seed, OPTIONS[1], TARGET_MHZ, fmax, report.used, path, made)


def _placement(
    netlist: FpgaNetlist, size: str, floorplanned: bool, runs: Sequence[Run]
) -> Placement:
    fmax = {run.seed: run.fmax_mhz for run in runs}
    median, spread = fpga.median_and_spread(list(fmax.values()))
    typical = min(runs, key=lambda run: abs(run.fmax_mhz - median))
    role = roles(_module(netlist.json, netlist.top))
    bels = json.loads((typical.folder / "bels.json").read_text())
    return Placement(
        netlist=netlist,
        target=f"ice40-{size}{':floorplan' if floorplanned else ''}",
        placer=typical.placer,
        target_mhz=typical.target_mhz,
        fmax_by_seed=fmax,
        fmax_mhz=median,
        fmax_capped_mhz=min(median, CLOCK_TREE_MHZ),
        spread=spread,
        critical_path=fpga.path_steps(typical.path, role) if typical.path is not None else (),
        input_to_register_ns=None,
        register_to_output_ns=None,
        used=dict(typical.used),
        roles=role,
        bels={name: (kind, bel) for name, (kind, bel) in bels.items()},
    )


#: Components by what the name of a cell holds, the first that fits. A LUT has the name of the net
#: that it drives, so logic that was merged counts to one of its components.
_COMPONENTS = (
    ("u_sub_word", components.KEY_SBOX),
    ("u_sub_bytes", components.SBOX),
    (r"u_key|window|key", components.KEY),
    (r"u_linear|u_mix|u_round|state|out_block", components.LINEAR),
)


def roles(module: Module) -> dict[str, Role]:
    """Return the role of every cell by its name, and by those that nextpnr makes of it."""
    found = {}
    for name, cell in module["cells"].items():
        fits = (c for pattern, c in _COMPONENTS if re.search(pattern, name))
        component = next(fits, components.CONTROL)
        memory = cell["type"].startswith("SB_RAM40")
        stage, tile = re.search(r"gen_stage\[(\d+)\]", name), re.search(r"u_tile_(\d+)", name)
        role = Role(
            component,
            f"block RAM, {component}" if memory else component,
            stage=int(stage[1]) if stage is not None else None,
            tile=int(tile[1]) if tile is not None else 0,
        )
        for ending in ("", "_LC", "_DFFLC", "_RAM"):
            found[name + ending] = role
    return found
