"""How large and how fast a core is on Lattice Nexus.

As on iCE40, a core stands in a shell of registers, for its nextpnr has no out-of-context mode and
wants every pin located. What made it finish: the clock comes from the oscillator of the device, as
no way from the tried pins to the clock tree was found; and `router1`, as `router2` did not find
that of the oscillator either beside a core of 1,800 LUT4.

The mappings are those for ECP5 but for wide LUTs. The limit of the clock tree is not known here: no
frequency is capped. A timing analysis that loses paths would give frequencies that are too high, so
every report is compared with the netlist: a period in which a signal cannot pass the LUTs of the
longest path is refused.

Gowin (GW1NR-9) was tried in the same way. Its nextpnr places and routes, but its timing analysis
does lose paths: 254.6 MHz where 15 LUT4 follow each other, 150.5 MHz where 43 do, which alone take
111 and 39 MHz. So it is no target.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path

from roundsmith.base.cache import kept
from roundsmith.base.errors import RoundsmithError, ToolError
from roundsmith.design import tech
from roundsmith.flows import ecp5, lut6_families, shell, shell_portfolio
from roundsmith.flows.ecp5 import FpgaNetlist, PlacedRun, Placement, Progress
from roundsmith.flows.shell import Part, Parts
from roundsmith.tools import nextpnr


@dataclass(frozen=True)
class Device:
    """One device: how its cells are made and placed.

    `program` is its nextpnr with `options`, to which the text of `pins` is given in a file of that
    name. Of cells by their types, `lut` says what each takes in LUT4; `ff` and `block_ram` are how
    their names begin. `models` simulate the netlist.
    """

    title: str
    program: str
    synthesis: str
    options: tuple[str, ...]
    pins: tuple[str, str]
    target_mhz: int
    parts: Parts
    lut: Mapping[str, int]
    ff: str
    block_ram: tuple[str, ...]
    fastest_lut_ns: float
    models: str
    rooms: tech.Rooms


DEVICES = {
    "nexus-17k": Device(
        title="Lattice LIFCL-17-7BG256C",
        program=nextpnr.NEXUS,
        synthesis="synth_nexus -noiopad -nodsp -nowidelut -abc9",
        options=("--device", "LIFCL-17-7BG256C", "--pdc", "pins.pdc", "--router", "router1"),
        pins=(
            "pins.pdc",
            "".join(
                f"ldc_set_location -site {{{site}}} [get_ports {port}]\n"
                f"ldc_set_port -iobuf {{IO_TYPE=LVCMOS18H}} [get_ports {port}]\n"
                for port, site in ((shell.IN, "P10"), (shell.OUT, "T10"))
            ),
        ),
        # What nextpnr makes of the oscillator below, whatever it is told.
        target_mhz=160,
        parts=Parts(
            register=Part("FD1P3IX", ("CK", "D"), "Q", {"GSR": "DISABLED"}, {"SP": "1", "CD": "0"}),
            exclusive_or=Part("LUT4", ("A", "B"), "Z", {"INIT": "0x6666"}, {"C": "0", "D": "0"}),
            zero=Part("VLO", (), "Z", {}, {}),
            one=Part("VHI", (), "Z", {}, {}),
            input=Part("IB", ("I",), "O", {}, {}),
            output=Part("OB", ("I",), "O", {}, {}),
            clock=Part(
                "OSCA",
                (),
                "HFCLKOUT",
                {"HF_CLK_DIV": "2", "HF_OSC_EN": "ENABLED"},
                {"HFOUTEN": "1"},
            ),
        ),
        lut={"LUT4": 1, "INV": 1, "CCU2": 2, "DPR16X4": 6},
        ff="FD1P3",
        block_ram=("DP16K", "PDP16K", "PDPSC16K", "SP16K"),
        fastest_lut_ns=0.2,
        models="nexus/cells_sim.v",
        rooms=tech.RAM,
    ),
}

MAPPINGS = {name: choice for name, choice in ecp5.MAPPINGS.items() if not choice.wide}
SEEDS = (1, 2, 3)

#: Seconds that one placement may take.
_PATIENCE = 1800


def flow(name: str) -> str:
    """Return everything above that decides a figure, for the record of a measurement."""
    device = DEVICES[name]
    return (
        f"{name} {device.synthesis} {MAPPINGS} {device.options} {device.pins} {device.target_mhz} "
        f"{device.parts} {device.lut} {SEEDS} shell 1"
    )


def check(name: str) -> None:
    """Raise RoundsmithError when there is no such device."""
    if name not in DEVICES:
        raise RoundsmithError(
            f"No device '{name}' is measured on; there are {' and '.join(DEVICES)}."
        )


def tools(name: str, *, wanted: bool = False) -> dict[str, str]:
    """Return the version of the nextpnr of a device; ToolMissing says what installs it.

    What is `wanted` is the version that would be installed, whether it is here or not.
    """
    program = DEVICES[name].program
    return {program.removeprefix("yowasp-"): nextpnr.version_of(program, wanted=wanted)}


def synthesize(
    files: Sequence[Path], top: str, name: str, folder: Path, mapping: str
) -> FpgaNetlist:
    """Map SystemVerilog `files` with module `top` for a device; the netlist goes to `folder`."""
    device = DEVICES[name]
    netlist = shell_portfolio.synthesize(
        files,
        top,
        folder,
        mapping=mapping,
        script=[
            f"scratchpad -set abc9.script {MAPPINGS[mapping].script}",
            f"{device.synthesis} -top {top}",
        ],
        family="nexus",
    )
    kinds = shell_portfolio.kinds_of(netlist)
    return replace(
        netlist,
        lut=sum(device.lut.get(kind, 0) * n for kind, n in kinds.items()),
        ff=sum(n for kind, n in kinds.items() if kind.startswith(device.ff)),
        block_ram=sum(n for kind, n in kinds.items() if kind.startswith(device.block_ram)),
    )


def measure(
    files: Sequence[Path],
    top: str,
    name: str,
    folder: Path,
    *,
    seeds: Sequence[int] = SEEDS,
    progress: Progress | None = None,
) -> Placement:
    """Return the placement of the best mapping on a device, by the highest frequency per LUT4.

    Raises ToolError when a program is missing or fails.
    """
    check(name)
    tools(name)
    netlist, smallest, runs = shell_portfolio.best_mapping(
        tuple(MAPPINGS),
        lambda mapping: synthesize(files, top, name, folder, mapping),
        lambda netlist, seed, _chosen: _run(netlist, name, seed, folder),
        seeds,
        progress,
    )
    memories = "|".join(DEVICES[name].block_ram)
    roles = shell_portfolio.roles(shell_portfolio.module_of(netlist), memories, ("_LC", "_DFFLC"))
    return shell_portfolio.placement_of(netlist, smallest, name, runs, inf, roles)


def _run(netlist: FpgaNetlist, name: str, seed: int, folder: Path) -> PlacedRun:
    device = DEVICES[name]
    boxed = shell.in_shell(shell_portfolio.module_of(netlist), device.parts)
    text = json.dumps({"creator": "roundsmith", "modules": {netlist.top: boxed}})

    def work(room: Path) -> None:
        (room / "shell.json").write_text(text)
        nextpnr.run_located(
            device.program,
            room / "shell.json",
            room,
            title=device.title,
            pins=device.pins,
            freq=device.target_mhz,
            seed=seed,
            options=device.options,
            timeout=_PATIENCE,
        )
        bels = nextpnr.placed_bels((room / "placed.json").read_text())
        (room / "bels.json").write_text(json.dumps(bels))
        (room / "placed.json").unlink()
        (room / "shell.json").unlink()

    words = [nextpnr.version_of(device.program), *device.options, *device.pins]
    words += [str(device.target_mhz), str(seed)]
    made = kept("nexus-placement", words, [text.encode()], work)
    run = shell_portfolio.run_of(made, netlist.top, seed, "as nextpnr comes", device.target_mhz)
    check_complete(netlist, device, run)
    return run


def check_complete(netlist: FpgaNetlist, device: Device, run: PlacedRun) -> None:
    """Raise ToolError when the LUTs of the longest path alone take longer than the period."""
    cells = shell_portfolio.module_of(netlist)["cells"]
    longest = lut6_families.levels(cells, dict.fromkeys(device.lut, 1.0))
    if longest * device.fastest_lut_ns > 1000 / run.fmax_mhz:
        raise ToolError(
            f"nextpnr's timing analysis of {netlist.top} on {device.title} misses paths: it says "
            f"{run.fmax_mhz:.0f} MHz for a path of {longest} LUT4."
        )
