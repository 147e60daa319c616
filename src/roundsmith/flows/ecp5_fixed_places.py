"""Mapped netlists whose LUTs and flip-flops keep their places when nextpnr places the rest.

A cell with the attribute `BEL` stands where that says. nextpnr puts a LUT and a flip-flop that it
feeds in one slice. Which one, if it feeds several, depends on the rest of the netlist, so all but
the first get a copy of the LUT, which is counted.
"""

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

from roundsmith.flows import ecp5
from roundsmith.flows.ecp5 import FpgaNetlist

Module = dict[str, Any]

#: What shares a slice with the flip-flop behind it, and is left to nextpnr together with it.
_CHAINED = {"CCU2C", "PFUMX", "L6MUX21", "TRELLIS_DPR16X4"}


def mapped(files: list[Path], top: str, folder: Path, steps: ecp5.Steps) -> FpgaNetlist:
    """Return the smaller of the two mappings that large cores have, which are without wide LUTs."""
    steps.expect(len(ecp5.LARGE_MAPPINGS))
    made = []
    for mapping in ecp5.LARGE_MAPPINGS:
        made.append(ecp5.synthesize_ecp5(files, top, folder, mapping))
        steps.done(f"mapping '{mapping}': {made[-1].lut:,} LUT4")
    return min(made, key=lambda netlist: netlist.lut)


def module_of(netlist: FpgaNetlist) -> Module:
    """Return the cells and nets of a flat netlist, as Yosys writes them."""
    module: Module = json.loads(netlist.json.read_text())["modules"][netlist.top]
    return module


def paired(netlist: FpgaNetlist, folder: Path) -> FpgaNetlist:
    """Return the netlist without what nextpnr does not read, and one flip-flop to each LUT."""
    module = module_of(netlist)
    kept = {name: cell for name, cell in module["cells"].items() if cell["type"] != "$scopeinfo"}
    for thing in (*kept.values(), *module["netnames"].values()):
        thing["attributes"] = {}
    module["cells"] = kept
    copy_shared_luts(module)
    file = folder / f"{netlist.top}_{netlist.mapping}_copies.json"
    write(netlist.top, module, file)
    return ecp5.netlist_of(file, netlist.verilog, netlist.top, netlist.mapping)


def write(top: str, module: Module, file: Path) -> None:
    """Write a module as the whole of a netlist that nextpnr reads."""
    file.write_text(json.dumps({"creator": "roundsmith", "modules": {top: module}}))


def _bits(cell: Module) -> list[int]:
    return [bit for bits in cell["connections"].values() for bit in bits if isinstance(bit, int)]


def free_bit(module: Module) -> int:
    """Return a number that no net has."""
    used = [bit for cell in module["cells"].values() for bit in _bits(cell)]
    named = [b for net in module["netnames"].values() for b in net["bits"] if isinstance(b, int)]
    return 1 + max([1, *used, *named])


def copy_shared_luts(module: Module) -> None:
    """Give every flip-flop that shares its LUT with another one a copy of that LUT."""
    cells = module["cells"]
    driver = {c["connections"]["Z"][0]: c for c in cells.values() if c["type"] == "LUT4"}
    free, taken = free_bit(module), set()
    for name, cell in list(cells.items()):
        if cell["type"] != "TRELLIS_FF":
            continue
        data = cell["connections"]["DI"][0]
        if data in taken:
            lut = deepcopy(driver[data])
            lut["connections"]["Z"] = cell["connections"]["DI"] = [free]
            cells[f"{name}_LUT4"] = lut
            module["netnames"][f"{name}_LUT4"] = {"hide_name": 0, "bits": [free], "attributes": {}}
            free += 1
        elif data in driver:
            taken.add(data)


def fixable(module: Module) -> Iterator[tuple[str, Module]]:
    """Return the LUTs and flip-flops of a module that share a slice with nothing else."""
    cells = module["cells"]
    chained = {
        bit
        for cell in cells.values()
        if cell["type"] in _CHAINED
        for port, bits in cell["connections"].items()
        if cell["port_directions"][port] == "output"
        for bit in bits
    }
    for name, cell in cells.items():
        if cell["type"] == "LUT4" or (
            cell["type"] == "TRELLIS_FF" and cell["connections"]["DI"][0] not in chained
        ):
            yield name, cell
