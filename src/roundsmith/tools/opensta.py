"""OpenSTA: the shortest clock period of a mapped netlist.

The clock is ideal, wires have neither resistance nor capacitance, inputs arrive with the clock
edge and outputs drive nothing. All registers work on the rising edge of one clock. Times in ns.
"""

import re
import shutil
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from roundsmith.base.errors import ToolError
from roundsmith.tools import debian, process

_PACKAGE = "opensta"
_INSTEAD = "put OpenSTA's program `sta` on PATH"

# Debian's packages of the libraries that OpenSTA loads, by the start of the library's name;
# newer releases have some of them under a second package name.
_LIBRARIES = {
    "libtcl8.6.": ("libtcl8.6",),
    "libtcl9.": ("libtcl9.0",),
    "libreadline.so.8": ("libreadline8", "libreadline8t64"),
    "libtinfo.so.6": ("libtinfo6",),
    "libz.so.1": ("zlib1g",),
    "libstdc++.so.6": ("libstdc++6",),
    "libgcc_s.so.1": ("libgcc-s1",),
}


@dataclass(frozen=True)
class Step:
    """One pin on a path: `instance/pin`, or a port; its cell; the signal's arrival in ns."""

    pin: str
    cell: str
    arrival: float


@dataclass(frozen=True)
class Timing:
    """How fast a netlist can be clocked.

    `cycle` is the shortest clock period from register to register in ns: clock to output, the
    gates of `path`, and the `setup` of the register at its end. The paths from the ports and to
    them do not count in it; their lengths stand apart (None where there is no such path):
    `from_inputs` includes the setup, `to_outputs` the clock to output.
    """

    cycle: float
    setup: float
    path: tuple[Step, ...]
    from_inputs: float | None
    to_outputs: float | None
    through: float | None


def version() -> str:
    """Return the version of OpenSTA. Raises ToolError when it cannot be had."""
    program, env = _program()
    output = process.run([program, "-version"], what="Asking OpenSTA's version", env=dict(env))
    return output.split()[-1]


def min_period(netlist: Path, liberty: Path, top: str, clock: str = "clk_i") -> Timing:
    """Return the timing of module `top` in the Verilog `netlist`, mapped to `liberty`.

    Raises ToolError when OpenSTA cannot be had or refuses a file, when the netlist has a cell
    that the library has not, and when no path leads from register to register.
    """
    program, env = _program()
    registers = "[all_registers -clock_pins]", "[all_registers -data_pins]"
    inputs = f"[all_but [all_inputs] {clock}]"
    outputs = "[all_outputs]"
    script = f"""
        proc all_but {{ports name}} {{
            set kept {{}}
            foreach port $ports {{
                if {{[get_property $port full_name] ne $name}} {{ lappend kept $port }}
            }}
            return $kept
        }}
        proc longest {{title from to}} {{
            puts "== $title"
            if {{[llength $from] > 0 && [llength $to] > 0}} {{
                report_checks -path_delay max -from $from -to $to -format full -digits 6
            }}
        }}
        read_liberty {{{liberty}}}
        read_verilog {{{netlist}}}
        link_design {{{top}}}
        set_cmd_units -time ns
        create_clock -name clock -period 10000 [get_ports {{{clock}}}]
        set_input_delay 0 -clock clock {inputs}
        set_output_delay 0 -clock clock {outputs}
        longest cycle {registers[0]} {registers[1]}
        longest from_inputs {inputs} {registers[1]}
        longest to_outputs {registers[0]} {outputs}
        longest through {inputs} {outputs}
        puts "== end"
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "timing.tcl"
        file.write_text(script)
        what = f"The timing of {top}"
        output = process.run([program, "-exit", file], what=what, env=dict(env), timeout=600)
    for line in output.splitlines():
        if line.startswith("Error") or "black box" in line:
            raise ToolError(f"OpenSTA cannot time the netlist {netlist}: {line.strip()}")
    sections = dict(re.findall(r"^== (\w+)\n(.*?)(?=^== )", output, re.DOTALL | re.MULTILINE))
    cycle = _length(sections.get("cycle", ""))
    if cycle is None:
        raise ToolError(f"The netlist {netlist} has no path from register to register to time.")
    steps = re.findall(r"^\s*[\d.-]+\s+([\d.-]+) [v^] (\S+) \((\S+)\)", sections["cycle"], re.M)
    return Timing(
        cycle=cycle,
        setup=_setup(sections["cycle"]),
        path=tuple(Step(pin, cell, float(arrival)) for arrival, pin, cell in steps),
        from_inputs=_length(sections["from_inputs"]),
        to_outputs=_length(sections["to_outputs"]),
        through=_length(sections["through"]),
    )


def _length(report: str) -> float | None:
    """Return the path's length in ns, the setup of its end included; None when there is none."""
    arrival = re.search(r"^\s*([\d.-]+)\s+data arrival time", report, re.MULTILINE)
    return None if arrival is None else round(float(arrival[1]) + _setup(report), 6)


def _setup(report: str) -> float:
    setup = re.search(r"^\s*(-?[\d.]+)\s+-?[\d.]+\s+library setup time", report, re.MULTILINE)
    return 0.0 if setup is None else -float(setup[1])


@lru_cache(maxsize=1)
def _program() -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return OpenSTA's program and the environment that it needs."""
    own = shutil.which("sta")
    if own is not None:
        return own, ()
    program = debian.fetch(_PACKAGE, instead=_INSTEAD) / "usr/bin/sta"
    env, roots = debian.libraries("OpenSTA", [program], _LIBRARIES, instead=_INSTEAD)
    # Tcl reads its own scripts when it starts.
    for script in (file for root in roots for file in root.rglob("init.tcl")):
        env["TCL_LIBRARY"] = str(script.parent)
    return str(program), tuple(env.items())
