"""How large and how fast a core is on an iCE40, and the bitstream of one that fits its pins.

Native cores have up to some 400 ports, the packages 206 and 39 pins. So a core stands in a shell of
registers (see roundsmith.flows.shell). LUTs, flip-flops and memories are counted in the netlist of
the core alone; that the shell stands on the same device is part of what is measured.

In a bitstream the core stands alone, and the user says which pin is which.

The same mappings as for ECP5, but for wide LUTs, which iCE40 does not have. nextpnr's placer
`static` was better than `heap` on both loops tried: 93.1 against 88.1 MHz with block RAM, 67.0
against 64.8 with computed S-boxes.

The floorplan, for HX8K alone, fixes cells by the attribute `BEL` in the order in which data passes
them, after Saggese 2003, section 4, and leaves everything else to the placer:

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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from roundsmith.base.cache import kept
from roundsmith.base.errors import RoundsmithError, ToolError
from roundsmith.flows import ecp5, shell, shell_portfolio
from roundsmith.flows.components import Role
from roundsmith.flows.ecp5 import FpgaNetlist, PlacedRun, Placement, Progress
from roundsmith.flows.flow import Bitstream
from roundsmith.flows.shell import Module, Part
from roundsmith.tools import icestorm, nextpnr, yosys


@dataclass(frozen=True)
class Device:
    """One size in one package: what it has, and what it is asked for.

    `clock_tree_mhz` is the highest frequency of the global buffer network, `target_mhz` what the
    placer aims at.
    """

    title: str
    package: str
    cells: int
    memories: int
    pins: int
    clock_tree_mhz: float
    target_mhz: int


#: Sizes that can be measured on. Frequencies of the clock tree: fMAX_GBUF in the data sheets of
#: the families (Lattice, FPGA-DS-02029 and FPGA-DS-02008; the values have yet to be compared with
#: the documents themselves). No other speed grade of UP5K is sold.
DEVICES = {
    "hx8k": Device("iCE40 HX8K", "ct256", 7680, 32, 206, 275.0, 120),
    "up5k": Device("iCE40 UP5K", "sg48", 5280, 30, 39, 185.0, 40),
}

MAPPINGS = {name: choice for name, choice in ecp5.MAPPINGS.items() if not choice.wide}

OPTIONS = ("--placer", "static")
SEEDS = (1, 2, 3)

#: The floorplan and its size. Columns and rows of the memories of an HX8K, each memory two tiles
#: high; corner and pitch of the grid of bytes in tiles.
FLOORPLANNED = "hx8k"
RAM_COLUMNS = (8, 25)
RAM_ROWS = tuple(range(1, 33, 2))
GRID_CORNER = (9, 9)
GRID_PITCH = 4

FLOORPLAN = f"floorplan 1 {RAM_COLUMNS} {RAM_ROWS} {GRID_CORNER} {GRID_PITCH}"


def flow(size: str, floorplanned: bool = False) -> str:
    """Return everything above that decides a figure, for the record of a measurement."""
    device = DEVICES[size]
    package = {size: device.package}
    text = (
        f"ice40 {package} {MAPPINGS} {OPTIONS} {device.target_mhz} {SEEDS} "
        f"{device.clock_tree_mhz} shell 1"
    )
    return text + (FLOORPLAN if floorplanned else "")


def synthesize(files: list[Path], top: str, folder: Path, mapping: str = "area") -> FpgaNetlist:
    """Map SystemVerilog `files` with module `top` to iCE40 cells; the netlist goes to `folder`."""
    netlist = shell_portfolio.synthesize(
        files,
        top,
        folder,
        mapping=mapping,
        script=[
            f"scratchpad -set abc9.script {MAPPINGS[mapping].script}",
            f"synth_ice40 -device hx -abc9 -top {top}",
        ],
        family="ice40",
    )
    kinds = shell_portfolio.kinds_of(netlist)
    return replace(
        netlist,
        lut=kinds["SB_LUT4"],
        ff=sum(number for kind, number in kinds.items() if kind.startswith("SB_DFF")),
        block_ram=sum(number for kind, number in kinds.items() if kind.startswith("SB_RAM40")),
    )


# --- The shell ------------------------------------------------------------------------------

_SHELL = shell.Parts(
    register=Part("SB_DFF", ("C", "D"), "Q", {}, {}),
    exclusive_or=Part(
        "SB_LUT4", ("I0", "I1"), "O", {"LUT_INIT": f"{0x6666:016b}"}, {"I2": "0", "I3": "0"}
    ),
)


def in_shell(module: Module) -> Module:
    """Return a flat netlist inside its shell of registers; the given one is left as it is."""
    return shell.in_shell(module, _SHELL)


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


def check_size(size: str, floorplanned: bool = False) -> None:
    """Raise RoundsmithError when no such size is known, or has no floorplan."""
    if size not in DEVICES:
        raise RoundsmithError(
            f"No iCE40 of size '{size}' is measured on; there are {' and '.join(DEVICES)}."
        )
    if floorplanned and size != FLOORPLANNED:
        raise RoundsmithError(f"There is no floorplan for ice40-{size}; {FLOORPLANNED} has one.")


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
    check_size(size, floorplanned)
    nextpnr.ice40_version()
    netlist, smallest, runs = shell_portfolio.best_mapping(
        tuple(MAPPINGS),
        lambda mapping: synthesize(files, top, folder, mapping),
        lambda netlist, seed, chosen: _run(netlist, size, seed, floorplanned and chosen, folder),
        seeds,
        progress,
    )
    return shell_portfolio.placement_of(
        netlist,
        smallest,
        f"ice40-{size}{':floorplan' if floorplanned else ''}",
        runs,
        DEVICES[size].clock_tree_mhz,
        roles(shell_portfolio.module_of(netlist)),
    )


def _run(netlist: FpgaNetlist, size: str, seed: int, fixed: bool, folder: Path) -> PlacedRun:
    module = shell_portfolio.module_of(netlist)
    boxed = in_shell(module)
    places = floorplan(module) if fixed else {}
    for name, bel in places.items():
        cell = boxed["cells"][name]
        boxed["cells"][name] = {**cell, "attributes": {**cell["attributes"], "BEL": bel}}
    given = folder / f"{netlist.top}_{netlist.mapping}_shell{'_placed' if fixed else ''}.json"
    text = json.dumps({"creator": "roundsmith", "modules": {netlist.top: boxed}})
    # Runs of several seeds share the file, so it is there as a whole or not at all.
    scratch = given.with_suffix(f".{seed}.part")
    scratch.write_text(text)
    scratch.replace(given)
    device = DEVICES[size]

    def work(room: Path) -> None:
        nextpnr.run_ice40(
            given,
            room,
            size=size,
            package=device.package,
            freq=device.target_mhz,
            seed=seed,
            options=OPTIONS,
        )
        bels = nextpnr.placed_bels((room / "placed.json").read_text())
        (room / "bels.json").write_text(json.dumps(bels))
        (room / "placed.json").unlink()

    words = [nextpnr.ice40_version(), size, device.package]
    words += [*OPTIONS, str(device.target_mhz), str(seed)]
    made = kept("ice40-placement", words, [text.encode()], work)
    return shell_portfolio.run_of(made, netlist.top, seed, OPTIONS[1], device.target_mhz)


def roles(module: Module) -> dict[str, Role]:
    """Return the role of every cell by its name, and by those that nextpnr makes of it."""
    return shell_portfolio.roles(module, "SB_RAM40", ("_LC", "_DFFLC", "_RAM"))


# --- The bitstream --------------------------------------------------------------------------


#: Options of `set_io` in a PCF file that take a word, and all.
_WITH_VALUE = ("-pullup", "-pullup_resistor")
_OPTIONS = (*_WITH_VALUE, "-nowarn", "--warn-no-port")


def read_pins(pcf: Path, size: str, top: str, ports: Mapping[str, int]) -> dict[str, str]:
    """Return the pin of every wire of module `top`, which has `ports` of so many wires each.

    Raises RoundsmithError when the file cannot be read, when it leaves a wire without a pin,
    names one that is not there (unless by `set_io -nowarn`), or names a pin twice. Whether the
    package has the pin, nextpnr knows.
    """
    device = DEVICES[size]
    wires = [
        name if width == 1 else f"{name}[{index}]"
        for name, width in ports.items()
        for index in range(width)
    ]
    if len(wires) > device.pins:
        raise RoundsmithError(
            f"{top} has {len(wires)} wires and an {device.title} in {device.package} "
            f"{device.pins} pins; take a core with a narrow port, or write a top module around it."
        )
    try:
        lines = pcf.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or "it is not text"
        raise RoundsmithError(f"{pcf} cannot be read: {reason}.") from None
    pins = dict[str, str]()
    for number, line in enumerate(lines, start=1):
        where = f"{pcf}, line {number}"
        words = line.partition("#")[0].split()
        if words[:1] != ["set_io"]:
            continue
        given = words[1:]
        may_miss = False
        while given and given[0] in _OPTIONS:
            may_miss |= given[0] == "-nowarn"
            given = given[2 if given[0] in _WITH_VALUE else 1 :]
        if len(given) != 2:
            raise RoundsmithError(f"{where}: a pin is given by `set_io WIRE PIN`.")
        wire, pin = given
        if wire not in wires:
            if may_miss:
                continue
            raise RoundsmithError(
                f"{where}: {top} has no wire '{wire}'; its ports are {_in_words(ports)}."
            )
        if wire in pins:
            raise RoundsmithError(f"{where}: {wire} has pin {pins[wire]} already.")
        if pin in pins.values():
            other = next(name for name, taken in pins.items() if taken == pin)
            raise RoundsmithError(f"{where}: pin {pin} belongs to {other} already.")
        pins[wire] = pin
    missing = [wire for wire in wires if wire not in pins]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise RoundsmithError(
            f"{pcf} gives no pin to {missing[0]}{more}; `set_io {missing[0]} PIN` gives it one."
        )
    return pins


def _in_words(ports: Mapping[str, int]) -> str:
    return ", ".join(n if width == 1 else f"{n}[{width - 1}:0]" for n, width in ports.items())


def bitstream(files: Sequence[Path], top: str, size: str, pcf: Path, folder: Path) -> Bitstream:
    """Return the bitstream of `files` with module `top`, its wires at the pins of `pcf`.

    The netlist goes to `folder`. The mapping is 'area', the placement that of the first seed.
    Raises RoundsmithError as `read_pins` does, ToolError when a program is missing or fails and
    when the design does not fit.
    """
    check_size(size)
    device = DEVICES[size]
    versions = {"yosys": yosys.version(), "nextpnr-ice40": nextpnr.ice40_version()}
    netlist = synthesize(list(files), top, folder)
    ports = shell_portfolio.module_of(netlist)["ports"]
    pins = read_pins(pcf, size, top, {name: len(port["bits"]) for name, port in ports.items()})
    for wanted, there, what in (
        (max(netlist.lut, netlist.ff), device.cells, "logic cells"),
        (netlist.block_ram, device.memories, "block RAMs"),
    ):
        if wanted > there:
            raise ToolError(
                f"{top} does not fit: it takes {wanted:,} {what} or more, and an "
                f"{device.title} has {there:,}."
            )
    text = pcf.read_text()

    def work(room: Path) -> None:
        nextpnr.run_ice40(
            netlist.json,
            room,
            size=size,
            package=device.package,
            freq=device.target_mhz,
            seed=SEEDS[0],
            pins=text,
            options=OPTIONS,
        )
        icestorm.pack(room, "placed.asc", "packed.bin")
        (room / "placed.json").unlink()

    words = [*versions.values(), size, device.package, *OPTIONS, str(device.target_mhz)]
    made = kept("ice40-bitstream", words, [netlist.json.read_bytes(), text.encode()], work)
    report = nextpnr.parse_report((made / "report.json").read_text())
    return Bitstream(
        packed=(made / "packed.bin").read_bytes(),
        placed=(made / "placed.asc").read_bytes(),
        device=f"{device.title} in {device.package}",
        pins=pins,
        fmax_mhz=min(report.fmax.values(), default=None),
        used=report.used,
        available=report.available,
        tools=versions,
    )
