"""How large and how fast a circuit is in standard cells, in a portfolio of abc scripts.

A circuit is small, so many scripts are run, the same for every circuit: starting points by ways
to map by, for speed, ways to size cells. Area and delay always come from one netlist; kept are
those netlists that no other beats in both.

The delay is from inputs to outputs with every register left out. A buffer of about double
strength drives each input, and each output drives 50 fF; wires are free. abc's own timer gives
it; OpenSTA says the same to the picosecond.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from roundsmith.base.errors import ToolError
from roundsmith.circuits.listing import Circuit
from roundsmith.tools import process, yosys
from roundsmith.tools.liberty import Library

_MFS = "mfs3 -az -I 4 -O 2 -M 100; topo"

# Where a mapping starts: the structure as written, rewritten by and by more, and made shallow.
_STARTS = {
    "written": "strash; ifraig",
    "rewritten": "strash; ifraig; rewrite -lz; resub -lz; rewrite -lz",
    "dc2": "strash; ifraig; scorr; dc2; dc2",
}
_SHALLOW = {
    "syn3": "strash; ifraig; dc2; &get -n; &syn3; &syn3; &put",
    "levelled": "strash; ifraig; dc2; dch; if -g -K 6; strash; fraig; dch; if -g -K 6; strash",
}
_AREA = {
    f"{choices or 'plain'} {name}": f"{choices}; {script}"
    for choices in ("", "dch", "dch -f")
    for name, script in {
        "amap -E 1": f"amap -m -F 20 -A 20 -E 1; topo; {_MFS}",
        "amap -E 0": f"amap -m -F 20 -A 20 -E 0; topo; {_MFS}",
        "nf": f"&get -n; &nf -R 100 -F 20 -A 20; &put; topo; {_MFS}",
    }.items()
}
_DELAY = {
    "map": "map -B 0.9",
    "dch map": "dch -f; map -B 0.9",
    "dch map -B 0.5": "dch; map -B 0.5",
    "dch nf": "&get -n; &dch -f; &nf; &put",
    "dch amap": "dch; amap -m -F 20 -A 20 -E 1",
}
_SIZED = {
    "sized": "topo; buffer; upsize -D 1000; dnsize -D 1000",
    "buffered": "topo; buffer -c -N 4; upsize -D 1000; dnsize -D 1000",
}

SCRIPTS = {
    **{f"{s}, {m}": f"{_STARTS[s]}; {_AREA[m]}" for s in _STARTS for m in _AREA},
    **{
        f"{s}, {m}, {z}": f"{start}; {_DELAY[m]}; {_SIZED[z]}"
        for s, start in {**_STARTS, **_SHALLOW}.items()
        for m in _DELAY
        for z in _SIZED
    },
}

# What every output drives, in fF.
_LOAD = 50

#: Everything above that decides a figure, for the record of a measurement.
FLOW = f"cells {SCRIPTS} {_LOAD}"


@dataclass(frozen=True)
class Netlist:
    """One netlist: the script that made it, its area in 2-input NANDs, its delay in ns."""

    script: str
    ge: float
    delay_ns: float


def synthesize(circuit: Circuit, liberty: Library, folder: Path) -> list[Netlist]:
    """Return the netlists of `circuit` that none beats in area and delay, the smallest first.

    A script on which abc fails counts as not there. Raises ToolError when Yosys refuses the
    module, and when no script gives a netlist.
    """
    _prepare(circuit, liberty, folder)
    found = [n for script in SCRIPTS if (n := _map(script, liberty, folder)) is not None]
    if not found:
        raise ToolError(f"abc maps {circuit.name} to {liberty.name} with none of its scripts.")
    return best(found)


def _prepare(circuit: Circuit, liberty: Library, folder: Path) -> None:
    """Write the circuit in simple gates, and what drives and loads it."""
    top = circuit.module
    read = yosys.read_slang(circuit.files, top, parameters=circuit.parameters(cut=False))
    yosys.run(
        [read, f"synth -noabc -flatten -top {top}", "opt_clean -purge", "write_blif gates.blif"],
        what=f"The synthesis of {circuit.name}",
        folder=folder,
    )
    drive = f"set_driving_cell {liberty.driver.name}\nset_load {_LOAD}\n"
    (folder / "drive.constr").write_text(drive)


def best(netlists: Iterable[Netlist]) -> list[Netlist]:
    """Return the netlists that none beats in both area and delay, the smallest first."""
    front: list[Netlist] = []
    for netlist in sorted(netlists, key=lambda n: (n.ge, n.delay_ns, n.script)):
        if not front or netlist.delay_ns < front[-1].delay_ns:
            front.append(netlist)
    return front


def _map(script: str, liberty: Library, folder: Path) -> Netlist | None:
    mapped = folder / "mapped.blif"
    mapped.unlink(missing_ok=True)
    commands = [
        f"read_lib -w {liberty.path}",
        "read_constr drive.constr",
        "read_blif gates.blif",
        *(command for part in SCRIPTS[script].split(";") if (command := part.strip())),
        "write_blif mapped.blif",
        "stime",
    ]
    try:
        log = process.run(
            [yosys.abc(), "-c", "; ".join(commands)],
            what=f"The mapping '{script}'",
            cwd=folder,
            log=folder / "abc.log",
        )
    except ToolError:
        return None
    delay = re.search(r"Delay =\s*([\d.]+) ps", re.sub(r"\x1b\[[\d;]*m", "", log))
    if delay is None or not mapped.exists():
        return None
    names = re.findall(r"^\.gate (\S+)", mapped.read_text(), re.MULTILINE)
    if any(name not in liberty.cells for name in names):
        return None
    area = sum(liberty.cells[name].area for name in names)
    return Netlist(script, round(liberty.ge(area), 2), round(float(delay[1]) / 1000, 4))
